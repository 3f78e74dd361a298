"""Releases as an adversary sees them, and people who look alike in all of them.

A published class is a box of ground ranks with a number of people per sensitive value. Two people
whose quasi-identifiers lie in the same boxes of every release cannot be told apart: they are in the
same cell. Everything about correspondence (Fung 2008) depends on a person's cell alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.data.frequency import sum_by
from sfumato.data.groups import Counts, Histogram
from sfumato.data.keys import distinct_rows
from sfumato.formulas.correspondence.regions import Boxes

Bits = NDArray[np.uint8]  # (n, n_bytes): one bit per class
AT_ONCE = 1 << 26  # bytes of intermediate results


@dataclass(frozen=True, eq=False)
class PublishedClasses:
    """One release: different boxes, and people per sensitive value in each.

    A suppressed row is a record with the widest box and any sensitive value. The codes of
    sensitive values must mean the same in all releases that are compared.
    """

    boxes: Boxes
    histogram: Histogram  # (n_classes, n_values)
    n_suppressed: int = 0

    @classmethod
    def of(cls, boxes: Boxes, histogram: Histogram, n_suppressed: int = 0) -> PublishedClasses:
        """Count classes with equal boxes as one, as everybody sees them; drop empty ones."""
        flat = boxes.reshape(len(boxes), -1)
        filled = np.flatnonzero(histogram.n_distinct())
        shape = (boxes.shape[1], 2)
        different, index = distinct_rows(flat[filled])
        place = np.zeros(len(boxes), dtype=np.intp)
        place[filled] = index
        counted = Histogram.from_entries(
            place[histogram.group_of],
            histogram.codes,
            histogram.counts,
            (len(different), histogram.n_values),
        )
        return cls(different.reshape(-1, *shape), counted, n_suppressed)

    def __len__(self) -> int:
        return len(self.boxes)

    def without_values(self) -> PublishedClasses:
        """See the classes as if everybody had the same sensitive value."""
        sizes, which = self.sizes, np.arange(len(self))
        one = Histogram.from_entries(
            which, np.zeros(len(self), dtype=np.int32), sizes, (len(self), 1)
        )
        return PublishedClasses(self.boxes, one, self.n_suppressed)

    @property
    def sizes(self) -> Counts:
        """People in every class."""
        return sum_by(self.histogram.group_of, self.histogram.counts, len(self))


@dataclass(frozen=True, eq=False)
class Cells:
    """The classes of every release that people can be in, for all ways to be in them.

    Only people whom the last release holds are here: nobody is ever taken out again.
    """

    bits: Bits  # (n_cells, n_bytes): classes of the releases side by side, each from a new byte
    columns: tuple[slice, ...]  # the bytes of every release
    n_classes: tuple[int, ...]
    cuts: tuple[NDArray[np.int32], ...]  # per attribute: where a segment of ranks begins
    kinds: tuple[NDArray[np.intp], ...]  # per attribute: what each segment is like
    steps: tuple[NDArray[np.intp], ...]  # per attribute: (n_before, n_kinds) to what follows; -1

    def __len__(self) -> int:
        return len(self.bits)

    def members(self, release: int, bits: Bits | None = None) -> NDArray[np.bool_]:
        """Which classes of a release hold the people of each cell; (n_cells, n_classes)."""
        packed = (self.bits if bits is None else bits)[:, self.columns[release]]
        return np.unpackbits(packed, axis=1, count=self.n_classes[release]).view(bool)

    def only_class(self, release: int) -> NDArray[np.intp] | None:
        """The class of a release that holds the people of each cell; -1: none.

        None: some classes of the release overlap.
        """
        packed = self.bits[:, self.columns[release]]
        filled = packed != 0
        byte = filled.argmax(axis=1)
        flags = packed[np.arange(len(packed)), byte]
        if (filled.sum(axis=1) > 1).any() or (flags & (flags - (flags > 0))).any():
            return None
        bit = 7 - np.log2(np.maximum(flags, 1)).astype(np.intp)
        return np.where(flags > 0, byte * 8 + bit, -1)

    def of(self, ranks: NDArray[np.integer]) -> NDArray[np.intp]:
        """Find the cell of raw values; -1: the last release does not hold them; ranks: (n, d)."""
        cell = np.zeros(len(ranks), dtype=np.intp)
        for j, step in enumerate(self.steps):
            segment = np.searchsorted(self.cuts[j], ranks[:, j], side="right") - 1
            cell = np.where(cell < 0, -1, step[cell, self.kinds[j][segment]])
        return cell


def cells_of(releases: Sequence[PublishedClasses]) -> Cells:
    """Find all cells."""
    outside = releases[-1].n_suppressed > 0
    return cells_of_boxes([each.boxes for each in releases], outside=outside)


def cells_of_boxes(releases: Sequence[Boxes], *, outside: bool) -> Cells:
    """Find all cells, attribute by attribute; outside: also of people no last box holds."""
    n_classes = tuple(len(boxes) for boxes in releases)
    ends = np.cumsum([0] + [-(-n // 8) for n in n_classes]).tolist()
    columns = tuple(slice(a, b) for a, b in itertools.pairwise(ends))
    last = slice(0, 0) if outside else columns[-1]
    cells = packed([np.ones(n, dtype=bool) for n in n_classes])
    cuts, kinds, steps = [], [], []
    for j in range(releases[0].shape[1]):
        sides = [boxes[:, j] for boxes in releases]
        every = np.concatenate(sides)
        cut = np.unique(np.concatenate([[-(2**31)], every[:, 0], every[:, 1] + 1])).astype(np.int32)
        inside = [
            (side[:, 0] <= cut[:, np.newaxis]) & (side[:, 1] >= cut[:, np.newaxis])
            for side in sides
        ]
        segments, kind = distinct_bits(packed(inside))
        cells, step = _met(cells, segments, last)
        cuts.append(cut)
        kinds.append(kind)
        steps.append(step)
    return Cells(cells, columns, n_classes, tuple(cuts), tuple(kinds), tuple(steps))


def targets_of(releases: Sequence[PublishedClasses], cells: Cells) -> NDArray[np.bool_]:
    """Tell when people of a cell can have come: every release from then on holds the cell.

    Returns (n_times, n_cells).
    """
    held = [
        np.full(len(cells), True) if release.n_suppressed else cells.members(j).any(axis=1)
        for j, release in enumerate(releases)
    ]
    return np.logical_and.accumulate(np.array(held)[::-1], axis=0)[::-1]


def _met(cells: Bits, segments: Bits, last: slice) -> tuple[Bits, NDArray[np.intp]]:
    """Intersect every cell with every segment; -1 where the last release holds nobody."""
    step = np.full((len(cells), len(segments)), -1, dtype=np.intp)
    block = max(1, AT_ONCE // max(1, segments.size))
    cells_met = [cells[:0]]
    n_met = 0
    for start in range(0, len(cells), block):
        met = cells[start : start + block, np.newaxis] & segments
        met_last = met[:, :, last]
        held = met_last.any(axis=2) if met_last.shape[2] else np.ones(met.shape[:2], dtype=bool)
        different, index = distinct_bits(met[held])
        step[start : start + block][held] = index + n_met
        cells_met.append(different)
        n_met += len(different)
    different, index = distinct_bits(np.concatenate(cells_met))
    return different, np.append(index, -1)[step]


def packed(classes: Sequence[NDArray[np.bool_]]) -> Bits:
    """Write one bit per class, the classes of every release from a new byte; classes: (..., n)."""
    return np.concatenate([np.packbits(np.atleast_2d(each), axis=1) for each in classes], axis=1)


def distinct_bits(rows: Bits) -> tuple[Bits, NDArray[np.intp]]:
    """Give the different rows, and for each row its place among them."""
    if not rows.shape[1]:
        return rows[:1], np.zeros(len(rows), dtype=np.intp)
    whole = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.shape[1])))[:, 0]
    _, first, index = np.unique(whole, return_index=True, return_inverse=True)
    return rows[first], index.reshape(-1).astype(np.intp)
