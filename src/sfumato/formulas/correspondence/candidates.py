"""How many records may still be a person's, after any number of releases: exactly.

A person with raw values p came with batch i. In every release from the i-th on, the records that
may be the person's are, for each sensitive value s, as many as there can be people of batch i with
p and s in any history of batches whose recodings give all the releases. That is the largest value
of an integer program per sensitive value. (Fung 2008, section 7.1, puts attacks on two releases
together instead; that leaves too many in some cases and cannot be mended pair by pair, so it is
here only as `by_the_paper`.)

A program falls into connected parts. Where in a part every choice of one class per release is
possible, its answer is a minimum of counts. Elsewhere an upper and a lower bound go first, and the
program is solved for those people alone about whom the bounds leave a doubt. A solution is rounded
and checked in whole numbers against the releases: what is called left is left in a history that
was found.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.data.groups import Counts, Histogram
from sfumato.errors import BadInput
from sfumato.formulas.correspondence.cells import Cells, PublishedClasses, cells_of, targets_of
from sfumato.formulas.correspondence.histories import Program
from sfumato.formulas.correspondence.pairs import Index, backward_between_cuts, counts_at, joined


class CandidateRecords:
    """What is left for everybody, as bounds that are made exact on demand.

    The people are those of `cells`; a time is a batch, counted from 0.
    """

    def __init__(self, releases: Sequence[PublishedClasses]) -> None:
        self.releases = tuple(releases)
        self.cells = cells_of(releases)
        self.n_values = releases[0].histogram.n_values
        self.targets = targets_of(self.releases, self.cells)  # (n_times, n_cells)
        hidden = any(release.n_suppressed for release in releases)
        codes = np.unique(np.concatenate([release.histogram.codes for release in releases]))
        together = [codes] if hidden else [codes[j : j + 1] for j in range(len(codes))]
        bounds = younger(self.releases)
        self._programs = [Program(self.releases, self.cells, values, bounds) for values in together]

    @property
    def n_times(self) -> int:
        """Number of batches, and of releases."""
        return len(self.releases)

    def bounds(self) -> tuple[Counts, Counts]:
        """Fewest and most records that may be left, as far as is known; (n_times, n_cells)."""
        lower = np.zeros(self.targets.shape, dtype=np.int64)
        upper = np.zeros_like(lower)
        for program in self._programs:
            for kind in program.kind_of_cell:
                known = kind >= 0
                lower[:, known] += program.lower[:, kind[known]]
                upper[:, known] += program.upper[:, kind[known]]
        return lower, upper

    def exact(self) -> list[Histogram]:
        """Give the records left for the people of every cell, by value; one per time."""
        n_cells = len(self.cells)
        rows: list[list[Index]] = [[] for _ in self.releases]
        codes: list[list[Index]] = [[] for _ in self.releases]
        counts: list[list[Counts]] = [[] for _ in self.releases]
        for program in self._programs:
            program.solve_all()
            for value, kind in zip(program.values.tolist(), program.kind_of_cell, strict=True):
                known = np.flatnonzero(kind >= 0)
                left = program.lower[:, kind[known]]
                for time in range(self.n_times):
                    some = left[time] > 0
                    rows[time].append(known[some])
                    codes[time].append(np.full(int(some.sum()), value))
                    counts[time].append(left[time][some])
        return [
            Histogram.from_entries(
                np.concatenate(rows[time]),
                np.concatenate(codes[time]).astype(np.int32),
                np.concatenate(counts[time]),
                (n_cells, self.n_values),
            )
            for time in range(self.n_times)
        ]

    def at_least(self, k: int) -> bool:
        """Decide whether everybody keeps k records, solving only what the bounds leave open."""
        lower, upper = self.bounds()
        if (upper[self.targets] < k).any():
            return False
        for time, cell in np.argwhere(self.targets & (lower < k)).tolist():
            if not self._keeps(time, cell, k):
                return False
        return True

    def _keeps(self, time: int, cell: int, k: int) -> bool:
        shares = [
            (program, int(kind[cell]))
            for program in self._programs
            for kind in program.kind_of_cell
            if kind[cell] >= 0
        ]
        # Where most is open first: a frequent value may be enough.
        shares.sort(key=lambda share: int(share[0].doubt[time, share[1]]), reverse=True)
        for program, kind in shares:
            least = sum(int(each.lower[time, kind]) for each, kind in shares)
            most = sum(int(each.upper[time, kind]) for each, kind in shares)
            if least >= k or most < k:
                break
            program.solve(time, kind)
        return sum(int(each.lower[time, kind]) for each, kind in shares) >= k


def younger(releases: Sequence[PublishedClasses]) -> list[list[Counts]]:
    """Bound the records of each group that came at a time or later: `[time][release]`.

    By backward attacks on pairs of releases, where these are cuts.
    """
    by_release = [younger_in(releases[:j], release) for j, release in enumerate(releases)]
    return [
        [bounds[min(time, j)] for j, bounds in enumerate(by_release)]
        for time in range(len(releases))
    ]


def younger_in(before: Sequence[PublishedClasses], release: PublishedClasses) -> list[Counts]:
    """Bound the records of each group of a release that came at a time or later: `[time]`."""
    bounds = [release.histogram.counts]
    for earlier in before:
        after = _after_backward(earlier, release)
        bounds.append(bounds[-1] if after is None else np.minimum(bounds[-1], after))
    return bounds


def by_the_paper(releases: Sequence[PublishedClasses], cells: Cells) -> list[Histogram]:
    """Give what the paper's micro attacks and compositions leave (section 7.1), for cuts.

    Of a group g at the target's time, the worst backward attack by any earlier release is taken
    out, then what exceeds the target's group in any later release. This can be too many: it does
    not ask which records of the later release must be older than the target.

    Raises:
        BadInput: The releases are not cuts.
    """
    n_values = releases[0].histogram.n_values
    groups = [_only_class(cells, time) for time in range(len(releases))]
    left = []
    for time, release in enumerate(releases):
        kept = release.histogram.counts
        for earlier in releases[:time]:
            after = _after_backward(earlier, release)
            if after is None:
                raise BadInput(
                    'correspondence: method="paper" is for cuts without suppressed rows; use '
                    'method="exact", which is for everything'
                )
            kept = np.minimum(kept, after)
        own = Histogram(release.histogram.starts, release.histogram.codes, kept, n_values)
        here = np.logical_and.reduce([each >= 0 for each in groups[time:]])
        cell = np.flatnonzero(here)
        dense = np.zeros((len(cells), n_values), dtype=np.int64)
        key = groups[time][cell][:, np.newaxis] * n_values + np.arange(n_values)
        least = counts_at(own, key)
        for later in range(time + 1, len(releases)):
            key = groups[later][cell][:, np.newaxis] * n_values + np.arange(n_values)
            least = np.minimum(least, counts_at(releases[later].histogram, key))
        dense[cell] = least
        left.append(Histogram.from_dense(dense))
    return left


def _after_backward(earlier: PublishedClasses, later: PublishedClasses) -> Counts | None:
    """Records of every group that are left for somebody who came after the earlier release.

    None: the two are not cuts.
    """
    parts = joined(earlier, later)
    if parts is None:
        return None
    return later.histogram.counts - backward_between_cuts(earlier, later, parts)


def _only_class(cells: Cells, release: int) -> Index:
    """The class of a release that holds each cell; -1: none."""
    members = cells.members(release)
    if (members.sum(axis=1) > 1).any():
        raise BadInput(
            'correspondence: method="paper" is for classes that do not overlap; use method="exact"'
        )
    return np.where(members.any(axis=1), members.argmax(axis=1), -1)
