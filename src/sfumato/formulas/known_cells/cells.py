"""The cells that people are known to be in: one class of every release that they are in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.data.frequency import sum_by
from sfumato.data.groups import Counts
from sfumato.data.keys import distinct_rows
from sfumato.formulas.boxes.points import points_in_boxes
from sfumato.formulas.correspondence.cells import PublishedClasses
from sfumato.formulas.correspondence.certified import Arrived
from sfumato.formulas.correspondence.pairs import Index, refuse_without_buddies
from sfumato.formulas.correspondence.regions import comparable

LARGEST = 1 << 26  # counts of a value in a class, or in a cell, that are held at once


@dataclass(frozen=True, eq=False)
class KnownCells:
    """How many people are in which class of every release, and what the releases say of these."""

    classes: NDArray[np.intp]  # (n_cells, n_releases); -1: a release does not have these people
    sizes: Counts  # (n_cells,) people
    histograms: tuple[Counts, ...]  # of every release: (n_classes, n_values)

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def n_values(self) -> int:
        """Number of sensitive values."""
        return int(self.histograms[0].shape[1])

    @property
    def last_is_nested(self) -> bool:
        """Whether every class of the last release is made of whole classes of the one before it.

        New people apart: then it says nothing of the old ones that was not known, and of the new
        ones of a class what is left when the old ones' values are taken away.
        """
        if self.classes.shape[1] < 2:
            return False
        old = self.classes[:, -2] >= 0
        if (self.classes[~old, :-1] >= 0).any() or (self.classes[:, -1] < 0).any():
            return False
        pairs, _ = distinct_rows(self.classes[old, -2:])
        return len(pairs) == len(np.unique(pairs[:, 0]))

    def by(self, codes: Index, n_values: int) -> KnownCells:
        """See one column of several: `codes` says what each value counts as."""
        return KnownCells(
            self.classes, self.sizes, tuple(_counted(h, codes, n_values) for h in self.histograms)
        )

    def within(self, others: Index, sizes: Counts, codes: Index, n_values: int) -> KnownCells:
        """See the values of one column among people whose other values are known too.

        Args:
            others: The other values that each value stands for, as a number; (n_values,).
            sizes: People of every cell by their other values; (n_cells, n_others).
            codes: What each value counts as in the column.
            n_values: Number of values of the column.
        """
        n_others = sizes.shape[1]
        cell, other = np.nonzero(sizes)
        held = self.classes[cell]
        classes = np.where(held < 0, -1, held * n_others + other[:, np.newaxis])
        histograms = []
        for histogram in self.histograms:
            split = np.zeros((len(histogram) * n_others, n_values), dtype=np.int64)
            rows = np.arange(len(histogram))[:, np.newaxis] * n_others + others
            np.add.at(split, (rows, np.broadcast_to(codes, rows.shape)), histogram)
            histograms.append(split)
        return KnownCells(classes, sizes[cell, other], tuple(histograms))


def _counted(histogram: Counts, codes: Index, n_values: int) -> Counts:
    counts = np.zeros((len(histogram), n_values), dtype=np.int64)
    np.add.at(counts.T, codes, histogram.T)
    return counts


def cells_of_people(
    releases: Sequence[PublishedClasses], people: Arrived
) -> tuple[KnownCells, Counts] | None:
    """Find the cells by who came when; also the true values in each: (n_cells, n_values).

    None: it is not known who is in which class, because classes overlap or some people of a class
    were suppressed; or there is too much to hold.
    """
    n_values = releases[0].histogram.n_values
    if not _fits(releases, len(people.count)):
        return None
    held = np.full((len(people.row), len(releases)), -1, dtype=np.intp)
    for j, release in enumerate(releases):
        point, box = points_in_boxes(people.ranks, release.boxes)
        if len(np.unique(point)) < len(point):
            return None
        class_of = np.full(len(people.ranks), -1, dtype=np.intp)
        class_of[point] = box
        held[:, j] = np.where(people.time <= j, class_of[people.row], -1)
        inside = held[:, j] >= 0
        counted = sum_by(held[inside, j], people.count[inside], len(release))
        if (counted != release.sizes).any():
            return None
    somewhere = (held >= 0).any(axis=1)
    classes, cell = distinct_rows(held[somewhere])
    true = np.zeros((len(classes), n_values), dtype=np.int64)
    np.add.at(true, (cell, people.value[somewhere]), people.count[somewhere])
    known = KnownCells(classes.astype(np.intp), true.sum(axis=1), _dense(releases))
    return known, true


def nested_cells(releases: Sequence[PublishedClasses]) -> KnownCells | None:
    """Find the cells where every class of a release is in one class of the next: by subtraction.

    Nobody has to know who came when for that. None: they are not nested, or rows were suppressed.
    """
    if any(each.n_suppressed for each in releases) or not _fits(releases, 0):
        return None
    n = len(releases)
    parts = [np.zeros((0, n), dtype=np.intp)]
    sizes = [np.zeros(0, dtype=np.int64)]
    n_before = np.zeros(0, dtype=np.int64)
    for j, release in enumerate(releases):
        if len(comparable(release.boxes, release.boxes)) > len(release):
            return None
        old = np.zeros(len(release), dtype=np.int64)
        if j:
            pairs = comparable(releases[j - 1].boxes, release.boxes)
            if not np.array_equal(pairs[:, 0], np.arange(len(releases[j - 1]))):
                return None
            for cells in parts:
                inside = cells[:, j - 1] >= 0
                cells[inside, j] = pairs[cells[inside, j - 1], 1]
            old = sum_by(pairs[:, 1], n_before, len(release))
        new = release.sizes - old
        refuse_without_buddies(bool((new < 0).any()))
        own = np.full((int((new > 0).sum()), n), -1, dtype=np.intp)
        own[:, j] = np.flatnonzero(new > 0)
        parts.append(own)
        sizes.append(new[new > 0])
        n_before = release.sizes
    return KnownCells(np.concatenate(parts), np.concatenate(sizes), _dense(releases))


def _fits(releases: Sequence[PublishedClasses], n_people: int) -> bool:
    n = sum(map(len, releases)) + n_people
    return n * releases[0].histogram.n_values <= LARGEST


def _dense(releases: Sequence[PublishedClasses]) -> tuple[Counts, ...]:
    return tuple(each.histogram.to_dense() for each in releases)
