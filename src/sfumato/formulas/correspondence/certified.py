"""Lower bounds on the candidate records left to each person after several cut-based releases.

A bound is certified by an alternative arrival history. Who publishes knows who came when. That is
one history that gives the releases; others are made from it by exchanging people (see
`exchange_kernels`). Every history found shows that so many people of a sort can have come at a
time, so what is shown to be left is left. What is not shown may be left all the same: then the
programs of `candidates` decide, as long as they are small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sfumato.data.groups import Counts, Histogram
from sfumato.formulas.correspondence.cells import Cells, PublishedClasses, targets_of
from sfumato.formulas.correspondence.pairs import Index, counts_at

SEARCHED = 2  # looks at a class for each record that is asked for, about


@dataclass(frozen=True, eq=False)
class Arrived:
    """All people by raw values, by the batch they came with, and by sensitive value."""

    ranks: NDArray[np.int32]  # (n, d) different ground ranks
    row: Index  # (m,) of `ranks`
    time: Index  # (m,) batch, from 0
    value: Index  # (m,) code of the sensitive value
    count: Counts  # (m,) people

    def without_values(self) -> Arrived:
        """See the people as if everybody had the same sensitive value."""
        return replace(self, value=np.zeros_like(self.value))

    def by_cell(self, cells: Cells, shape: tuple[int, int, int]) -> NDArray[np.int32]:
        """Count those whom the cells hold; shape: (n_times, n_cells, n_values)."""
        _, n_cells, n_values = shape
        cell = cells.of(self.ranks)[self.row]
        key = ((self.time * n_cells + cell) * n_values + self.value)[cell >= 0]
        count = self.count[cell >= 0]
        counted = np.bincount(key, weights=count, minlength=int(np.prod(shape)))
        return counted.astype(np.int32).reshape(shape)


class KnownHistory:
    """What is shown to be left to everybody.

    Args:
        releases: In their order; no two classes of a release overlap, and nobody is suppressed.
        cells: Of these releases.
        classes: The class of every release that holds each cell; -1: none.
        bounds: Of every release what `younger_in` found.
        arrived: Who came when.
    """

    def __init__(
        self,
        releases: Sequence[PublishedClasses],
        cells: Cells,
        classes: Sequence[Index],
        bounds: Sequence[Sequence[Counts]],
        arrived: Arrived,
    ) -> None:
        from sfumato.compiled import suited  # noqa: PLC0415  (a compiler)
        from sfumato.formulas.correspondence import exchange_kernels  # noqa: PLC0415  (likewise)

        self.releases, self.held, self.bounds = releases, classes, bounds
        self.n_times, self.n_values = len(releases), releases[0].histogram.n_values
        self.came = arrived.by_cell(cells, (self.n_times, len(cells), self.n_values))
        self.targets = targets_of(releases, cells)  # (n_times, n_cells)
        self.targets[self.came.sum(axis=(1, 2)) == 0] = False  # nobody to look for
        # Where a release has no class, that is as good as a class of its own, without people.
        numbered = [np.where(c >= 0, c, len(r)) for c, r in zip(classes, releases, strict=True)]
        self.classes = np.array(numbered, dtype=np.int32)
        self._sort()
        loops = suited(exchange_kernels, self.n_times * self.came.size)
        self.least = loops.covered(self.order, self.alike, self.came)

    @property
    def fits(self) -> bool:
        """Whether the releases are of these people: else what is shown would be shown of others."""
        so_far = np.zeros(self.came.shape[1:], dtype=np.int64)
        for j, release in enumerate(self.releases):
            so_far += self.came[j]
            order = self.order[j + 1]  # by the classes of this release
            held = self.classes[j][order]
            begins = np.flatnonzero(np.append(True, held[1:] != held[:-1]))
            histogram = np.zeros((len(release) + 1, self.n_values), dtype=np.int64)
            histogram[held[begins]] = np.add.reduceat(so_far[order], begins, axis=0)
            if histogram[-1].any() or (histogram[:-1] != release.histogram.to_dense()).any():
                return False
        return True

    def shows(self, k: int) -> tuple[int, bool | None]:
        """Fewest records shown to be left to anybody, and whether k are; None: that stays open."""
        people = self._everybody()
        least = self.least[people[:, 0], people[:, 1]].astype(np.int64)
        shown = least.sum(axis=1)
        some = np.flatnonzero(shown < k)
        # Least is shown where least is left, mostly: if anybody fails, then there.
        some = some[np.argsort(shown[some], kind="stable")]
        most = self._most(people[some])
        fewest = int(shown.min(initial=k))
        if (most.sum(axis=1) < k).any():
            return fewest, False
        own = least[some]
        if not Search(self).shows(people[some], np.full(len(some), k), most, own):
            return fewest, None
        least[some] = own
        return int(least.sum(axis=1).min(initial=np.iinfo(np.int64).max)), True

    def exact(self) -> tuple[Counts, Histogram] | None:
        """Give what is left to everybody, all records and by value; None: that stays open."""
        people = self._everybody()
        least = self.least[people[:, 0], people[:, 1]].astype(np.int64)
        most = self._most(people)
        if not Search(self).shows(people, most.sum(axis=1), most, least):
            return None
        return most.sum(axis=1), Histogram.from_dense(most)

    def _everybody(self) -> NDArray[np.intp]:
        """One cell for everybody who came at a time and is in the same classes since; (n, 2)."""
        people = []
        for time in range(self.n_times):
            cells = np.flatnonzero(self.targets[time])
            first = np.unique(self.tail[time][cells], return_index=True)[1]
            people += [(time, cell) for cell in cells[first].tolist()]
        return np.array(people, dtype=np.intp).reshape(-1, 2)

    def _most(self, people: NDArray[np.intp]) -> Counts:
        """Bound what is left: in no release more than what need not be older; (n, n_values)."""
        bounds = np.full((len(people), self.n_values), np.iinfo(np.int64).max)
        codes = np.arange(self.n_values)
        for time in range(self.n_times):
            own = np.flatnonzero(people[:, 0] == time)
            for j in range(time, self.n_times):
                whole = self.releases[j].histogram
                kept = Histogram(whole.starts, whole.codes, self.bounds[j][time], self.n_values)
                key = self.held[j][people[own, 1]][:, np.newaxis] * self.n_values + codes
                bounds[own] = np.minimum(bounds[own], counts_at(kept, key))
        return bounds

    def _sort(self) -> None:
        """Sort cells by the classes before each release, the nearest first; number those after."""
        n_cells = self.classes.shape[1]
        shape = (self.n_times + 1, n_cells)
        self.order, self.alike = np.zeros(shape, np.int32), np.zeros(shape, np.int32)
        self.order[0] = np.arange(n_cells)
        for j in range(self.n_times):
            own = self.classes[j]
            order = self.order[j][np.argsort(own[self.order[j]], kind="stable")]
            since = np.full(n_cells, j + 1, dtype=np.int32)
            same = np.ones(max(0, n_cells - 1), dtype=bool)
            for i in range(j, -1, -1):
                same &= self.classes[i][order[1:]] == self.classes[i][order[:-1]]
                since[1:][same] = i
            self.order[j + 1], self.alike[j + 1] = order, since
        self.tail = np.zeros((self.n_times, n_cells), dtype=np.int32)
        number = np.zeros(n_cells, dtype=np.int64)
        for j in range(self.n_times - 1, -1, -1):
            pair = number * (len(self.releases[j]) + 1) + self.classes[j]
            number = np.unique(pair, return_inverse=True)[1].reshape(-1)
            self.tail[j] = number


class Search:
    """Looks for histories with more people of a sort."""

    def __init__(self, known: KnownHistory) -> None:
        from sfumato.formulas.correspondence.exchange_kernels import Frame, Scratch  # noqa: PLC0415  (heavy)

        self.known = known
        n_times, n_cells = known.classes.shape
        place = np.empty_like(known.order)
        np.put_along_axis(
            place, known.order, np.arange(n_cells, dtype=np.int32)[np.newaxis], axis=1
        )
        tail_cells = np.argsort(known.tail, axis=1, kind="stable").astype(np.int32)
        tail_starts = np.zeros((n_times, n_cells + 1), np.int32)
        for j, tail in enumerate(known.tail):
            n_here = np.bincount(tail, minlength=n_cells)
            tail_starts[j, 1:] = np.cumsum(n_here)
        self.frame = Frame(
            known.classes, known.order, place, known.alike, known.tail, tail_cells, tail_starts
        )
        self.room = Scratch(
            stamp=np.zeros(1, np.int64),
            met_tail=np.zeros(n_cells, np.int64),
            met_head=np.zeros((n_times, n_cells), np.int64),
            from_cell=np.zeros(n_cells, np.int32),
            from_time=np.zeros(n_cells, np.int32),
            to_cell=np.zeros(n_cells, np.int32),
            queue=np.zeros(n_cells, np.int32),
            changes=np.zeros((16 * n_cells + 10_000, 3), np.int32),
            n_changes=np.zeros(1, np.int64),
        )
        # Of every value: (n_cells, n_times).
        self.people = np.ascontiguousarray(known.came.transpose(2, 1, 0))

    def shows(self, asked: NDArray[np.intp], wanted: Counts, most: Counts, least: Counts) -> bool:
        """Look until as much is shown to be left as is wanted; see `first_not_shown`."""
        from sfumato.compiled import suited  # noqa: PLC0415  (a compiler)
        from sfumato.formulas.correspondence import exchange_kernels  # noqa: PLC0415  (likewise)

        loops = suited(exchange_kernels, SEARCHED * len(asked) * self.known.classes.size)
        place = loops.first_not_shown(
            self.frame, self.room, self.people, asked, wanted, most, least
        )
        return bool(place == len(asked))
