"""Strict cuts: all open regions are cut along their widest columns, round by round."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.mondrian.judge import COUNTS_AT_ONCE, Judge
from sfumato.algorithms.mondrian.line import Line
from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet, sum_by
from sfumato.data.recoding import Assignment
from sfumato.progress import report

Box = NDArray[np.int32]  # (n_dimensions, 2)


def around(domains: Sequence[Domain], whole: Box | None = None) -> NDArray[np.int32]:
    """Give the region that is cut first: the whole space, or a part of it."""
    if whole is not None:
        return whole[np.newaxis].copy()
    return np.array([[[0, len(domain) - 1] for domain in domains]], dtype=np.int32)


class Space:
    """The regions so far, and the region of every combination."""

    def __init__(
        self,
        frequencies: FrequencySet,
        judge: Judge,
        *,
        widest_only: bool,
        whole: Box | None = None,
    ) -> None:
        ground = self.ground = frequencies.combinations
        self.widest_only = widest_only
        self.domains = [frequencies.domains[name] for name in ground.columns]
        self.codes = np.stack([ground.codes(name) for name in ground.columns], axis=1)
        self.counts = ground.counts
        self.region_of = np.zeros(len(ground), dtype=np.intp)
        self.boxes = around(self.domains, whole)  # (n_regions, n_dimensions, 2)
        self.open = np.zeros(1, dtype=np.intp)  # regions that may still be cut
        self.judge = judge

    def cut_all(self) -> None:
        """Cut every open region once, along its widest dimension that allows it."""
        position = np.full(len(self.boxes), -1, dtype=np.intp)
        position[self.open] = np.arange(len(self.open))
        state = position[self.region_of]
        inside = np.flatnonzero(state >= 0)
        inside = inside[np.argsort(state[inside], kind="stable")]
        dimension = np.full(len(self.open), -1, dtype=np.intp)
        boundary = np.zeros(len(self.open), dtype=np.int32)
        for members in self._batches(inside, state[inside]):
            first, last = state[members[0]], state[members[-1]] + 1
            decided = self._decide(members, state[members] - first, last - first)
            dimension[first:last], boundary[first:last] = decided

        cut = np.flatnonzero(dimension >= 0)
        right = np.full(len(self.open), -1, dtype=np.intp)
        right[cut] = len(self.boxes) + np.arange(len(cut))
        mine = state[inside]
        moved = (dimension[mine] >= 0) & (self.codes[inside, dimension[mine]] > boundary[mine])
        self.region_of[inside[moved]] = right[mine[moved]]
        old, along = self.open[cut], dimension[cut]
        upper = self.boxes[old].copy()
        upper[np.arange(len(cut)), along, 0] = boundary[cut] + 1
        self.boxes[old, along, 1] = boundary[cut]
        self.boxes = np.concatenate([self.boxes, upper])
        self.open = np.concatenate([old, right[cut]])
        # Two sides of at least k people cannot be cut out of fewer than 2k.
        sizes = sum_by(self.region_of[inside], self.counts[inside], len(self.boxes))
        self.open = self.open[sizes[self.open] >= 2 * self.judge.least]

    def _batches(self, inside: NDArray[np.intp], state: NDArray[np.intp]) -> list[NDArray[np.intp]]:
        """Split the combinations between regions, so that the counts of a batch fit in memory."""
        starts = np.flatnonzero(np.diff(state, prepend=-1))
        batch = starts * self.judge.n_values // COUNTS_AT_ONCE
        return np.split(inside, starts[np.flatnonzero(np.diff(batch)) + 1])

    def _decide(
        self, members: NDArray[np.intp], region: NDArray[np.intp], n_regions: int
    ) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
        """Choose dimension and boundary for every region of a batch; dimension -1: no cut."""
        self.judge.look_at(members, region, n_regions)
        lines = (
            (self.judge, Line.of(domain, region, self.codes[members, j], self.counts[members]))
            for j, domain in enumerate(self.domains)
        )
        return best_cuts(self.domains, lines, n_regions, widest_only=self.widest_only)

    def run(self) -> Assignment:
        """Cut until no region has an allowable cut."""
        while len(self.open):
            report("cutting", len(self.boxes) - len(self.open), len(self.boxes))
            self.cut_all()
        ground = self.ground
        parts = np.stack([np.arange(len(ground)), self.region_of, ground.counts], axis=1)
        return Assignment(ground, self.boxes, parts.astype(np.int64))


def best_cuts(
    domains: Sequence[Domain],
    lines: Iterable[tuple[Judge, Line]],
    n_regions: int,
    *,
    widest_only: bool,
) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
    """Choose dimension and boundary for some regions; dimension -1: no cut.

    lines: the regions along each dimension, and who judges their cuts.
    """
    dimension = np.full(n_regions, -1, dtype=np.intp)
    boundary = np.zeros(n_regions, dtype=np.int32)
    widest = np.full(n_regions, -1.0)
    for j, (domain, (judge, line)) in enumerate(zip(domains, lines, strict=True)):
        span = domain.span(line.low, line.high)
        wider = (span > widest) & (line.low < line.high)
        if widest_only:  # a wider column takes the turn even when it has no cut
            widest[wider], dimension[wider] = span[wider], -1
        rank, candidate = line.boundaries(domain)
        best = judge.first_safe(line, candidate[wider[line.region[candidate]]])
        where = line.region[best]
        widest[where], dimension[where], boundary[where] = span[where], j, rank[best]
    return dimension, boundary
