"""Recoding by value: every value of a column is published as one interval, in all rows alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet, Grouping, group_keys
from sfumato.data.groups import Counts
from sfumato.data.keys import Codes, Layout, distinct_rows
from sfumato.data.labels.texts import Labels
from sfumato.data.labels.writer import level_labels, node_labels, side_labels
from sfumato.data.recoding.base import Placement, Recoding, box_labels, without_hidden
from sfumato.data.recoding.best_so_far import BestSoFar
from sfumato.data.recoding.instructions import Lookup


@dataclass(frozen=True, eq=False)
class Cut(Recoding):
    """Every ground value of a column is published as one interval, in all rows alike."""

    intervals: Mapping[str, NDArray[np.int32]]  # (n_values, 2): ground rank -> [low, high]
    suppressed: NDArray[np.int32]  # (n, n_columns): the lows of the groups left out
    levels: Mapping[str, int] | None = None  # full-domain recoding
    nodes: bool = False  # published by the names of nodes, which mean the same in other data
    best_so_far: BestSoFar | None = None  # how far the search got

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

    @property
    def splits(self) -> bool:
        """Nobody is told apart from people with the same quasi-identifiers."""
        return False

    @property
    def has_one_box_each(self) -> bool:
        """Every combination has one box."""
        return True

    @property
    def follows_quasi_identifiers(self) -> bool:
        """Nothing else is looked at."""
        return True

    def labels(self, domains: Mapping[str, Domain]) -> dict[str, Labels | None]:
        """Published text per code and column; None for a column published as it is."""
        texts: dict[str, Labels | None] = {}
        for column, interval in self.intervals.items():
            domain = domains[column]
            if self.levels is not None:
                texts[column] = level_labels(domain, self.levels[column])
            elif self.nodes:
                texts[column] = node_labels(domain, interval)
            else:
                texts[column] = side_labels(domain, interval)
        return texts

    def sides(self, column: str) -> NDArray[np.int32]:
        """Give the interval of every ground value."""
        return self.intervals[column]

    def lows(self, column: str) -> NDArray[np.int32]:
        """Give the first rank of each ground value's interval."""
        return self.intervals[column][:, 0]

    def label_of(self, column: str, frequencies: FrequencySet) -> NDArray[np.signedinteger]:
        """Give the code of each combination's value."""
        return self._ranks(column, frequencies)

    def label_at(self, column: str, placed: Placement) -> NDArray[np.signedinteger]:
        """Give the code of each one's value."""
        codes: Codes = self._ranks(column, placed.frequencies)[placed.key]
        return codes

    def _ranks(self, column: str, frequencies: FrequencySet) -> Codes:
        """Give a rank in the interval of everybody: their own."""
        return frequencies.codes(column)

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
        # sides: (n, 2) each
        sides = [self.intervals[name][self._ranks(name, ground)] for name in ground.columns]
        layout = Layout.of([len(ground.domains[name]) for name in ground.quasi_identifiers])
        index, member = group_keys(layout.pack([side[:, 0] for side in sides]))
        boxes = np.stack([side[member] for side in sides], axis=1)
        grouping = Grouping(frequencies, boxes, index[frequencies.combination_of])
        if not len(self.suppressed):
            return grouping
        return grouping.without(rows_in(boxes[:, :, 0], self.suppressed))

    def n_suppressed(self, frequencies: FrequencySet) -> int:
        """Number of people in the groups left out."""
        return self.grouping(frequencies).n_suppressed

    def published_boxes(self, frequencies: FrequencySet) -> tuple[NDArray[np.int32], Counts]:
        """Give the boxes that somebody is in, each once, and how many people are in each."""
        grouping = self.told_grouping(frequencies)
        return grouping.boxes, grouping.sizes

    def placement(self, frequencies: FrequencySet) -> Placement:
        """Every combination is in one box, with all its people."""
        grouping = self.grouping(frequencies)
        key = np.arange(len(frequencies))
        columns = frequencies.quasi_identifiers
        boxes = without_hidden(frequencies.domains, columns, grouping.boxes)
        return Placement(frequencies, key, grouping.index, frequencies.counts, boxes)

    def boxes_for_other_data(
        self, frequencies: FrequencySet
    ) -> tuple[NDArray[np.int32], Mapping[str, Labels | None]]:
        """Give the boxes that somebody is in, also those left out: others may be enough there."""
        ground = frequencies.combinations
        boxes = replace(self, suppressed=self.suppressed[:0]).grouping(ground).boxes
        return boxes, box_labels(frequencies.domains, ground.columns, boxes)

    def application(
        self, domains: Mapping[str, Domain], published: Sequence[str], secret: bytes
    ) -> Lookup:
        """Look every value up in its column."""
        del published, secret
        lows = {column: self.lows(column) for column in self.intervals}
        return Lookup(self.labels(domains), lows, self.suppressed)


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
