"""A cut in the making against one earlier release that is a cut too, kept up to date.

Both are cuts through the same trees, so the classes fall into parts within which every two are
comparable (Fung 2008, lemma 4.1). Replacing a node changes only the classes that have it, and the
parts only where the node is above the earlier cut (section 5.2, cases 1 and 2): so a candidate
costs as much as there are people under it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.top_down.by_cut import CutTable, Split
from sfumato.data.domain import Domain
from sfumato.data.frequency import sum_by
from sfumato.data.groups import Counts, Histogram
from sfumato.data.keys import distinct_rows
from sfumato.formulas.correspondence.cells import PublishedClasses
from sfumato.formulas.correspondence.pairs import (
    Index,
    RecordsLeft,
    least,
    must_be_buddies,
    pairs,
    rows_of,
)


@dataclass(frozen=True, eq=False)
class Looked:
    """What a replacement would change: the parts of new classes, and the people in them."""

    classes: Histogram  # (n_new, n_values) the new classes
    part: Index  # (n_new,) of every new class
    first_part: Index  # of every class of the earlier release
    n_first: Counts  # per key of the split: records of the earlier release in its cell
    n_second: Counts  # per key of the split: records of this one
    key_part: Index  # per key of the split
    entry_key: Index  # a key of the split for every entry of `classes`
    part_low: Index  # per rank of the node: where its part begins


class Against:
    """One earlier cut, and the parts that it has with the cut in the making."""

    def __init__(self, first: PublishedClasses, table: CutTable, value_of: Index) -> None:
        """Start with everything generalized; first: see `is_cut_of`."""
        self.first = first
        self.codes, self.counts, self.value_of = table.codes, table.counts, value_of
        self.n_values = first.histogram.n_values
        # Per column and rank: the side of the earlier release that holds it; [0, -1]: none.
        self.sides = [
            _by_rank(first.boxes[:, j], len(domain)) for j, domain in enumerate(table.domains)
        ]
        n_keys = len(table.counts)
        self.part_low = [np.zeros(len(domain), dtype=np.intp) for domain in table.domains]
        self.part_of_key = np.zeros(n_keys, dtype=np.intp)
        self.part_of_class = np.zeros(len(first), dtype=np.intp)
        self.n_parts = 1
        histogram = first.histogram
        self._entry_class = histogram.group_of
        total = sum_by(histogram.codes.astype(np.intp), histogram.counts, self.n_values)
        self.n_first = total[value_of]
        self.n_second = sum_by(value_of, self.counts, self.n_values)[value_of]

    def catch_up(self, table: CutTable) -> None:
        """Part everything anew, for a cut that is there already."""
        for j, node in enumerate(table.intervals):
            side = self.sides[j][node[:, 0]]
            inside = (side[:, 0] <= node[:, 0]) & (side[:, 1] >= node[:, 1])
            self.part_low[j] = np.where(inside, side[:, 0], node[:, 0])
        own = np.stack([low[c] for low, c in zip(self.part_low, self.codes.T, strict=True)], 1)
        lows = self.first.boxes[:, :, 0].T
        theirs = np.stack([low[c] for low, c in zip(self.part_low, lows, strict=True)], 1)
        parts, part = distinct_rows(np.concatenate([own, theirs]))
        self.part_of_key, self.part_of_class = part[: len(own)], part[len(own) :]
        self.n_parts = len(parts)
        histogram = self.first.histogram
        n_cells = self.n_parts * self.n_values
        cell = self.part_of_key * self.n_values + self.value_of
        first_cell = self.part_of_class[self._entry_class] * self.n_values + histogram.codes
        self.n_first = sum_by(first_cell, histogram.counts, n_cells)[cell]
        self.n_second = sum_by(cell, self.counts, n_cells)[cell]

    def fits(self) -> bool:
        """Whether every class of the earlier release can be of people of this table."""
        n_first = len(self.first)
        lows = np.stack(
            [side[:, 0][c] for side, c in zip(self.sides, self.codes.T, strict=True)], 1
        )
        outside = np.any(
            [side[:, 1][c] < 0 for side, c in zip(self.sides, self.codes.T, strict=True)], axis=0
        )
        _, place = distinct_rows(np.concatenate([self.first.boxes[:, :, 0], lows]))
        own = np.full(int(place.max(initial=0)) + 1, -1, dtype=np.intp)
        own[place[:n_first]] = np.arange(n_first)
        held = own[place[n_first:]]
        kept = np.flatnonzero((held >= 0) & ~outside)
        cell = held[kept] * self.n_values + self.value_of[kept]
        wanted = self._entry_class * self.n_values + self.first.histogram.codes
        people = np.zeros(n_first * self.n_values, dtype=np.int64)
        np.add.at(people, cell, self.counts[kept])
        return bool((people[wanted] >= self.first.histogram.counts).all())

    def look(self, split: Split, classes: Histogram, entry_key: Index) -> Looked:
        """Work out what a replacement would change.

        Args:
            split: The replacement.
            classes: The new classes, by value.
            entry_key: For every entry of `classes`, a key of the split that is in it.
        """
        j, low, high = split.node
        keys = split.keys
        side = self.sides[j][split.children[:, 0]]
        inside = (side[:, 0] <= split.children[:, 0]) & (side[:, 1] >= split.children[:, 1])
        part_low = np.where(inside, side[:, 0], split.children[:, 0])
        if (part_low == self.part_low[j][low : high + 1]).all():
            key_part, first_part = self.part_of_key[keys], self.part_of_class
            n_first, n_second = self.n_first[keys], self.n_second[keys]
        else:
            key_part, first_part, n_first, n_second = self._new_parts(split, part_low)
        part = np.empty(split.n_groups, dtype=np.intp)
        part[split.group] = key_part
        return Looked(classes, part, first_part, n_first, n_second, key_part, entry_key, part_low)

    def _new_parts(self, split: Split, part_low: Index) -> tuple[Index, Index, Counts, Counts]:
        """Part what has the node: the parts of keys and earlier classes, and the people in them."""
        j, low, _ = split.node
        keys, n_keys = split.keys, len(split.keys)
        affected = np.flatnonzero(np.isin(self.part_of_class, np.unique(self.part_of_key[keys])))
        old = np.append(self.part_of_key[keys], self.part_of_class[affected])
        at = np.append(self.codes[keys, j], self.first.boxes[affected, j, 0]) - low
        _, part = np.unique(old * len(self.part_low[j]) + part_low[at], return_inverse=True)
        part = part + self.n_parts
        key_part, first_part = part[:n_keys], self.part_of_class.copy()
        first_part[affected] = part[n_keys:]
        row, entry = rows_of(self.first.histogram, affected)
        cell = np.append(
            key_part * self.n_values + self.value_of[keys],
            part[n_keys:][row] * self.n_values + self.first.histogram.codes[entry],
        )
        cells, place = np.unique(cell, return_inverse=True)
        here, there = place[:n_keys], place[n_keys:]
        n_first = sum_by(there, self.first.histogram.counts[entry], len(cells))
        n_second = sum_by(here, split.counts, len(cells))
        return key_part, first_part, n_first[here], n_second[here]

    def backward(self, looked: Looked) -> RecordsLeft:
        """Give what is left of the new classes for somebody who came later (theorem 4.4)."""
        classes, key = looked.classes, looked.entry_key
        crack = must_be_buddies(looked.n_first[key], looked.n_second[key], classes.counts)
        left = classes.counts - crack
        some = left > 0
        shape = (classes.n_groups, self.n_values)
        return RecordsLeft(
            np.arange(classes.n_groups),
            Histogram.from_entries(classes.group_of[some], classes.codes[some], left[some], shape),
        )

    def forward(self, looked: Looked) -> RecordsLeft:
        """Give what is left for somebody who was there before, of the new classes.

        As much is left of the earlier release's classes (theorems 4.2 and 4.3, lemma 4.4).
        """
        new, old = np.arange(looked.classes.n_groups), np.arange(len(self.first))
        two, one = pairs(looked.part, looked.first_part, new, old)
        return RecordsLeft(two, least(looked.classes, self.first.histogram, two, one))

    def accept(self, split: Split, looked: Looked) -> None:
        """Keep what a replacement changes."""
        j, low, high = split.node
        self.part_low[j][low : high + 1] = looked.part_low
        self.part_of_key[split.keys] = looked.key_part
        self.part_of_class = looked.first_part
        self.n_first[split.keys] = looked.n_first
        self.n_second[split.keys] = looked.n_second
        newest = max(int(looked.key_part.max(initial=0)), int(looked.first_part.max(initial=0)))
        self.n_parts = max(self.n_parts, newest + 1)


def is_cut_of(first: PublishedClasses, domains: list[Domain]) -> bool:
    """Whether a release is a cut whose sides and the nodes of these trees never cross."""
    if first.n_suppressed:
        return False
    for j, domain in enumerate(domains):
        sides, _ = distinct_rows(first.boxes[:, j])
        if (sides[1:, 0] <= sides[:-1, 1]).any():
            return False
        taxonomy = domain.taxonomy
        for ends in sides.T:  # the nodes around both ends of a side, at every level
            low, high = taxonomy.low[:, ends], taxonomy.high[:, ends]
            within = (low >= sides[:, 0]) & (high <= sides[:, 1])
            around = (low <= sides[:, 0]) & (high >= sides[:, 1])
            if not (within | around).all():
                return False
    return True


def _by_rank(sides: NDArray[np.int32], n: int) -> NDArray[np.intp]:
    """Give the side that holds each rank; (n, 2)."""
    sides_by_rank = np.tile(np.array([0, -1], dtype=np.intp), (n, 1))
    for low, high in distinct_rows(sides)[0].tolist():
        sides_by_rank[low : high + 1] = low, high
    return sides_by_rank
