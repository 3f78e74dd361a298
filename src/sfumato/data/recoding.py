"""Decisions of an algorithm: which published value stands for which ground value.

A `Cut` recodes each column on its own and is applied by look-up; an `Assignment` puts whole
combinations, or some of the people of one, into boxes and is applied by join; a `Bucketing` puts
people into groups whose quasi-identifiers and sensitive values are published apart.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet, Grouping, group_keys, sum_by
from sfumato.data.groups import Counts
from sfumato.data.keys import distinct_rows
from sfumato.data.labels.texts import Labels
from sfumato.errors import BadInput

SUPPRESSED = -1


@dataclass(frozen=True, eq=False)
class Cut:
    """Every ground value of a column is published as one interval, in all rows alike."""

    intervals: Mapping[str, NDArray[np.int32]]  # (n_values, 2): ground rank -> [low, high]
    suppressed: NDArray[np.int32]  # (n, n_columns): the lows of the groups left out
    levels: Mapping[str, int] | None = None  # full-domain recoding
    nodes: bool = False  # published by the names of nodes, which mean the same in other data

    @classmethod
    def at_levels(
        cls,
        domains: Mapping[str, Domain],
        levels: Mapping[str, int],
        suppressed: NDArray[np.int32] | None = None,
    ) -> Cut:
        """Cut every column's tree at one level."""
        if suppressed is None:
            suppressed = np.zeros((0, len(levels)), dtype=np.int32)
        return cls(level_intervals(domains, levels), suppressed, dict(levels))

    def labels(self, domains: Mapping[str, Domain]) -> dict[str, Labels | None]:
        """Published text per code and column; None for a column published as it is."""
        texts: dict[str, Labels | None] = {}
        for column, interval in self.intervals.items():
            domain = domains[column]
            if self.levels is not None:
                level = self.levels[column]
                texts[column] = Labels.of(domain.taxonomy.labels[level]) if level else None
            elif self.nodes:
                texts[column] = domain.node_labels(interval)
            elif (interval[:, 0] == interval[:, 1]).all():
                texts[column] = None
            else:
                texts[column] = domain.interval_labels(interval)
        return texts

    def as_table(self, domains: Mapping[str, Domain]) -> dict[str, list[Any]]:
        """List every value with what it is published as."""
        table: dict[str, list[Any]] = {"attribute": [], "value": [], "published": []}
        for column, texts in self.labels(domains).items():
            values = list(Labels.of(domains[column].labels))
            table["attribute"] += [column] * len(values)
            table["value"] += values
            table["published"] += values if texts is None else list(texts)
        return table

    def grouping(self, frequencies: FrequencySet) -> Grouping:
        """Group the combinations that are published alike."""
        ground = frequencies.combinations
        sides = [self.intervals[name][ground.codes(name)] for name in ground.columns]  # (n, 2) each
        index, member = group_keys(ground.layout.pack([side[:, 0] for side in sides]))
        boxes = np.stack([side[member] for side in sides], axis=1)
        grouping = Grouping(frequencies, boxes, index[frequencies.combination_of])
        if not len(self.suppressed):
            return grouping
        return grouping.without(rows_in(boxes[:, :, 0], self.suppressed))


@dataclass(frozen=True, eq=False)
class Assignment:
    """Combinations are assigned to boxes, whole or by counts."""

    combinations: FrequencySet  # what the first column of `parts` points into
    boxes: NDArray[np.int32]  # (n_groups, n_quasi_identifiers, 2); a full side: suppressed cell
    parts: NDArray[np.int64]  # (n, 3): combination, group (-1: suppressed), people
    texts: Mapping[str, Labels | None] | None = None  # published text per box, if fixed beforehand

    def labels(self, domains: Mapping[str, Domain]) -> Mapping[str, Labels | None]:
        """Published text per group and column; None for a column published as it is."""
        del domains  # the combinations have theirs
        return self._labels

    @cached_property
    def _labels(self) -> Mapping[str, Labels | None]:
        found: dict[str, Labels | None] = {}
        for j, column in enumerate(self.combinations.quasi_identifiers):
            side = self.boxes[:, j]
            if self.texts is not None:
                found[column] = self.texts[column]
            elif (side[:, 0] == side[:, 1]).all():
                found[column] = None
            else:
                found[column] = self.combinations.domains[column].interval_labels(side)
        return found

    @cached_property
    def published(self) -> tuple[NDArray[np.int32], Counts]:
        """The boxes that somebody is in, each once, and how many people are in each."""
        kept = self.parts[self.parts[:, 1] != SUPPRESSED]
        boxes, box = distinct_boxes(self.boxes)
        sizes = sum_by(box[kept[:, 1]], kept[:, 2], len(boxes))
        return boxes[sizes > 0], sizes[sizes > 0]

    def as_table(self, domains: Mapping[str, Domain]) -> dict[str, list[Any]]:
        """List every combination with what it is published as; None: suppressed."""
        _, group, people = self.parts.T
        table = _ground_values(self.combinations, self.parts, domains)
        for column, texts in self.labels(domains).items():
            table[f"published {column}"] = [
                None if g == SUPPRESSED else value if texts is None else texts[g]
                for g, value in zip(group, table[column], strict=True)
            ]
        table["suppressed"] = [bool(g == SUPPRESSED) for g in group]
        table["people"] = people.tolist()
        return table

    @cached_property
    def splits(self) -> bool:
        """Whether the people of some combination are spread over several groups."""
        return _split(self.parts)

    def grouping(self, frequencies: FrequencySet) -> Grouping:
        """Group the combinations; possible when none of them is split."""
        if self.splits:
            raise ValueError("a split combination has no single group; count the published table")
        kept = self.parts[self.parts[:, 1] != SUPPRESSED]
        # What a reader sees as one group is one: empty boxes are none, and equal ones are one
        # unless they were given names of their own.
        used, box = np.unique(kept[:, 1], return_inverse=True)
        boxes = self.boxes[used]
        if self.texts is None:
            boxes, same = distinct_boxes(boxes)
            box = same[box]
        group = np.full(len(self.combinations), SUPPRESSED, dtype=np.intp)
        group[kept[:, 0]] = box
        if self.combinations.sensitive:
            return Grouping(frequencies, boxes, group)
        return Grouping(frequencies, boxes, group[frequencies.combination_of])


@dataclass(frozen=True, eq=False)
class Bucketing:
    """People are put into numbered groups, and two tables are published (Wong 2009, section 6.2).

    One has the quasi-identifiers as they are and the number of the group, the other the number of
    the group and the sensitive values: what belongs together within a group is not said.
    """

    combinations: FrequencySet  # what the first column of `parts` points into
    parts: NDArray[np.int64]  # (n, 3): combination, group (-1: suppressed), people
    # (n, 2): where finished groups were partitioned further, the one that each part was in until
    # then, and the bucket (or half) of it
    formed: NDArray[np.int64] | None = None

    def labels(self, domains: Mapping[str, Domain]) -> dict[str, Labels | None]:
        """Say that every quasi-identifier is published as it is."""
        del domains
        return dict.fromkeys(self.combinations.quasi_identifiers)

    @cached_property
    def splits(self) -> bool:
        """Whether the people of some combination are spread over several groups."""
        return _split(self.parts)

    @cached_property
    def sizes(self) -> Counts:
        """Number of people in every group."""
        kept = self.parts[self.parts[:, 1] != SUPPRESSED]
        return sum_by(kept[:, 1], kept[:, 2], int(kept[:, 1].max(initial=-1)) + 1)

    @cached_property
    def published(self) -> tuple[NDArray[np.int32], Counts]:
        """The combinations that somebody is published with, and how many people."""
        kept = self.parts[self.parts[:, 1] != SUPPRESSED]
        ground, of = self.combinations.combinations, self.combinations.combination_of
        people = sum_by(of[kept[:, 0]], kept[:, 2], len(ground))
        lows = np.stack([ground.codes(name) for name in ground.columns], axis=1)[people > 0]
        return np.stack([lows, lows], axis=2), people[people > 0]

    def renumbered(self, secret: bytes) -> Bucketing:
        """Number groups as they are published.

        They stand in the order of their first combination of quasi-identifiers, which everybody
        sees; where that is the same, chance decides, so that the numbers say nothing else.
        """
        kept = self.parts[self.parts[:, 1] != SUPPRESSED]
        first = np.full(len(self.sizes), len(self.combinations), dtype=np.int64)
        np.minimum.at(first, kept[:, 1], self.combinations.combination_of[kept[:, 0]])
        lots = np.frombuffer(
            hashlib.shake_256(b"groups" + secret).digest(8 * len(first)), dtype="<u8"
        )
        number = np.full(len(first) + 1, SUPPRESSED, dtype=np.int64)  # the last is for -1
        number[np.lexsort((lots, first))] = np.arange(len(first))
        combination, group, people = self.parts.T
        parts = np.stack([combination, number[group], people], axis=1)
        return replace(self, parts=parts)

    def as_table(self, domains: Mapping[str, Domain]) -> dict[str, list[Any]]:
        """List every combination with the number of its group; None: suppressed."""
        table = _ground_values(self.combinations, self.parts, domains)
        group = [None if g == SUPPRESSED else g + 1 for g in self.parts[:, 1].tolist()]
        for name, column in (("group", group), ("people", self.parts[:, 2].tolist())):
            while name in table:
                name += "_"  # noqa: PLW2901  (a quasi-identifier has it)
            table[name] = column
        return table


@dataclass(frozen=True, eq=False)
class Recoding:
    """What an algorithm decided; how it is published follows from its kind."""

    how: Cut | Assignment | Bucketing

    def grouping(self, frequencies: FrequencySet) -> Grouping:
        """Say which box each counted combination is published as."""
        if isinstance(self.how, Bucketing):
            raise ValueError("two tables have no boxes; count the published ones")
        return self.how.grouping(frequencies)

    @property
    def splits(self) -> bool:
        """Whether combinations have no single box: the published table says who is together."""
        if isinstance(self.how, Assignment):
            return self.how.splits
        return isinstance(self.how, Bucketing)

    @property
    def levels(self) -> Mapping[str, int] | None:
        """The levels of a full-domain recoding."""
        return self.how.levels if isinstance(self.how, Cut) else None

    def n_suppressed(self, frequencies: FrequencySet) -> int:
        """Number of people left out."""
        if isinstance(self.how, Cut):
            return self.how.grouping(frequencies).n_suppressed
        return int(self.how.parts[self.how.parts[:, 1] == SUPPRESSED, 2].sum())

    def sizes(self, frequencies: FrequencySet) -> Counts:
        """Give the number of people in every published group."""
        if isinstance(self.how, Bucketing):
            return self.how.sizes
        return self.published_boxes(frequencies)[1]

    def published_boxes(self, frequencies: FrequencySet) -> tuple[NDArray[np.int32], Counts]:
        """Give the boxes that are published, each once, and how many people are in each."""
        if isinstance(self.how, Cut):
            grouping = self.how.grouping(frequencies)
            return grouping.boxes, grouping.sizes
        return self.how.published

    def parts(self, ground: FrequencySet) -> tuple[NDArray[np.intp], NDArray[np.int32], Counts]:
        """List who is published as what: a combination, its box, and how many people of it.

        ground: the combinations of quasi-identifiers. Suppressed people have the whole space.
        """
        whole = [[0, len(domain) - 1] for domain in ground.domains.values()]
        nowhere = np.array([whole], dtype=np.int32)
        if isinstance(self.how, Cut):
            grouping = self.how.grouping(ground)
            boxes = np.concatenate([grouping.boxes, nowhere])  # the last is for -1
            return np.arange(len(ground)), boxes[grouping.index], ground.counts
        counted, group, people = self.how.parts.T
        combination = self.how.combinations.combination_of[counted]
        if isinstance(self.how, Assignment):
            return combination, np.concatenate([self.how.boxes, nowhere])[group], people
        own = np.stack([ground.codes(name)[combination] for name in ground.columns], axis=1)
        kept = (group != SUPPRESSED)[:, np.newaxis, np.newaxis]
        return combination, np.where(kept, np.stack([own, own], axis=2), nowhere), people

    def refuse_ambiguous(self, labels: Mapping[str, Labels | None]) -> None:
        """Refuse labels that would stand for two different generalized values of a column."""
        for j, (column, texts) in enumerate(labels.items()):
            if texts is None:
                continue
            assert not isinstance(self.how, Bucketing)  # noqa: S101  (it has no labels)
            sides = (
                self.how.intervals[column] if isinstance(self.how, Cut) else self.how.boxes[:, j]
            )
            named, _ = distinct_rows(np.column_stack([sides, texts.index]))
            meant: dict[str | None, tuple[int, int]] = {}
            for low, high, number in named.tolist():
                text = texts.texts[number]
                if meant.setdefault(text, (low, high)) != (low, high):
                    raise BadInput(
                        f"column {column!r}: two different generalized values would be published "
                        "under the same name; rename a value, or a node of the hierarchy",
                        [text],
                    )

    def as_table(self, domains: Mapping[str, Domain]) -> dict[str, list[Any]]:
        """List values and published values, column by column of the table."""
        return self.how.as_table(domains)

    def labels(self, domains: Mapping[str, Domain]) -> Mapping[str, Labels | None]:
        """Published texts: per code for a cut, per group for an assignment."""
        return self.how.labels(domains)


def _split(parts: NDArray[np.int64]) -> bool:
    return bool(np.bincount(parts[:, 0]).max(initial=0) > 1)


def _ground_values(
    combinations: FrequencySet, parts: NDArray[np.int64], domains: Mapping[str, Domain]
) -> dict[str, list[Any]]:
    """Give the values of the combination of every part, column by column."""
    table: dict[str, list[Any]] = {}
    for column in combinations.columns:
        values = list(Labels.of(domains[column].labels))
        table[column] = [values[code] for code in combinations.codes(column)[parts[:, 0]]]
    return table


def level_intervals(
    domains: Mapping[str, Domain], levels: Mapping[str, int]
) -> dict[str, NDArray[np.int32]]:
    """Give ground rank -> [low, high] for every column at its level."""
    intervals = {}
    for column, level in levels.items():
        taxonomy = domains[column].taxonomy
        intervals[column] = np.stack([taxonomy.low[level], taxonomy.high[level]], axis=1)
    return intervals


def rows_in(rows: NDArray[np.int32], listed: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Say for every row whether it is one of the listed rows."""
    both = np.concatenate([rows, listed])
    _, inverse = distinct_rows(both)
    return np.isin(inverse[: len(rows)], inverse[len(rows) :])


def distinct_boxes(boxes: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
    """Give the boxes that differ, in order, and for each box its position among them."""
    rows, index = distinct_rows(boxes.reshape(len(boxes), -1))
    return rows.reshape(-1, *boxes.shape[1:]), index
