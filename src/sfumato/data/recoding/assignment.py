"""Recoding by boxes: combinations, or some of the people of one, are published as a box."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet, Grouping, sum_by
from sfumato.data.groups import Counts
from sfumato.data.labels.texts import Labels
from sfumato.data.recoding.base import (
    SUPPRESSED,
    Placement,
    box_labels,
    distinct_boxes,
    without_hidden,
)
from sfumato.data.recoding.parts import PartsRecoding


@dataclass(frozen=True, eq=False)
class Assignment(PartsRecoding):
    """Combinations are assigned to boxes, whole or by counts."""

    combinations: FrequencySet  # what the first column of `parts` points into
    boxes: NDArray[np.int32]  # (n_groups, n_quasi_identifiers, 2); a full side: suppressed cell
    parts: NDArray[np.int64]  # (n, 3): combination, group (-1: suppressed), people
    texts: Mapping[str, Labels | None] | None = None  # published text per box, if fixed beforehand
    on_grid: bool = False  # whether sides are written by the cells of their column's grid
    decided: NDArray[np.int32] | None = None  # the boxes before sides were widened, if some were

    @property
    def first_number(self) -> int:
        """Groups are positions in `boxes`, which are not published."""
        return 0

    @property
    def turns(self) -> NDArray[np.signedinteger]:
        """By their boxes: however groups came about, those with the same ones are dealt alike."""
        return super().turns if self.texts is not None else distinct_boxes(self.boxes)[1]

    @property
    def own_texts(self) -> Mapping[str, Labels | None]:
        """Those that were fixed beforehand."""
        return self.texts or {}

    @property
    def has_one_box_each(self) -> bool:
        """Whether no combination is split."""
        return not self.splits

    @property
    def follows_quasi_identifiers(self) -> bool:
        """Whether combinations of quasi-identifiers alone were assigned, each as a whole."""
        return not self.combinations.sensitive and not self.splits

    def labels(self, domains: Mapping[str, Domain]) -> Mapping[str, Labels | None]:
        """Published text per group and column; None for a column published as it is."""
        del domains  # the combinations have theirs
        return self._labels

    @cached_property
    def _labels(self) -> Mapping[str, Labels | None]:
        counted = self.combinations
        if self.texts is not None:
            return {column: self.texts[column] for column in counted.quasi_identifiers}
        return box_labels(
            counted.domains, counted.quasi_identifiers, self.boxes, on_grid=self.on_grid
        )

    def sides(self, column: str) -> NDArray[np.int32]:
        """Give the side of every box."""
        return self.boxes[:, self.combinations.quasi_identifiers.index(column)]

    def published_boxes(self, frequencies: FrequencySet) -> tuple[NDArray[np.int32], Counts]:
        """Give the boxes that somebody is in, each once, and how many people are in each."""
        del frequencies
        boxes, sizes = self._published_boxes
        return self.boxes[boxes], sizes

    @cached_property
    def _published_boxes(self) -> tuple[NDArray[np.int32], Counts]:
        """One of each kind of boxes that somebody is in, in order, and how many people are."""
        boxes, box = distinct_boxes(self.boxes)
        sizes = sum_by(box[self.kept[:, 1]], self.kept[:, 2], len(boxes))
        one = np.empty(len(boxes), dtype=np.int32)
        one[box] = np.arange(len(self.boxes))
        return one[sizes > 0], sizes[sizes > 0]

    def as_table(self, domains: Mapping[str, Domain]) -> dict[str, list[Any]]:
        """List every combination with what it is published as; None: suppressed."""
        _, group, people = self.parts.T
        table = self._ground_values(domains)
        for column, texts in self.labels(domains).items():
            table[f"published {column}"] = [
                None if g == SUPPRESSED else value if texts is None else texts[g]
                for g, value in zip(group, table[column], strict=True)
            ]
        table["suppressed"] = [bool(g == SUPPRESSED) for g in group]
        table["people"] = people.tolist()
        return table

    def grouping(self, frequencies: FrequencySet) -> Grouping:
        """Group the combinations; possible when none of them is split."""
        if self.splits:
            raise ValueError("a split combination has no single group; count the published table")
        kept = self.kept
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

    def placement(self, frequencies: FrequencySet) -> Placement:
        """The parts, in their boxes."""
        del frequencies
        key, box, people = self.parts.T
        return Placement(self.combinations, key, box, people, self.boxes, self.on_grid)

    def without_hidden(self) -> Assignment:
        """Widen sides; where texts are given, these tell already what is told."""
        counted = self.combinations
        widened = without_hidden(counted.domains, counted.quasi_identifiers, self.boxes)
        return self if widened is self.boxes else replace(self, boxes=widened, decided=self.boxes)

    def boxes_for_other_data(
        self, frequencies: FrequencySet
    ) -> tuple[NDArray[np.int32], Mapping[str, Labels | None]] | None:
        """Give all boxes as they were decided, unless chance dealt people out to them."""
        boxes = self.boxes if self.decided is None else self.decided
        return None if self.splits else (boxes, self.labels(frequencies.domains))
