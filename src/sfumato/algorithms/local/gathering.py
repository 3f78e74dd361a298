"""People gathered in groups of at least k so that little is lost, by quasi-identifiers alone.

1. The table is cut into regions, and in each of them groups are formed: those who are most alike
   first, or by further cuts, whichever loses less.
2. What was formed last has little to choose from, so the dearest are formed anew:
   their people meet those of other regions.
3. Members are moved, exchanged and sent away between neighbouring groups.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.local import kernels
from sfumato.algorithms.local.sides import Bounds, Sides, cells_of
from sfumato.compiled import suited
from sfumato.data.frequency import FrequencySet
from sfumato.data.groups import Counts
from sfumato.progress import report
from sfumato.threads import in_threads

REGION = 200  # points among which groups are formed, unless k is large
POINTS_PER_K = 10
LEAST = 4  # groups in a region
EVEN = 0.45  # share of the people on either side of a cut that forms groups
DEARER = 0.7  # share of the groups that are not formed anew
NEIGHBOURHOOD = 1000  # points between whose groups people are moved
ROUNDS = 1  # of moving
SEEDS_PER_GROUP = 5
GROWN = 4  # looks at all points of a region for a group, about
LOOKS = 2  # at all groups of a neighbourhood for a point, about

Integers = NDArray[np.int64]


class Gathered(NamedTuple):
    """Groups of points: chains of members, boxes, and what these lose per person."""

    of: Integers  # (n_points,) group of every point; -1: none
    following: Integers  # (n_points,) the next member of the same group; -1: none
    first: Integers  # (n_groups,) first member; -1: the group is empty
    low: NDArray[np.int32]  # (n_groups, n_columns) least value of its people
    high: NDArray[np.int32]  # (n_groups, n_columns) largest
    next_low: NDArray[np.int32]  # (n_groups, n_columns) least once a member that has it is gone
    next_high: NDArray[np.int32]  # (n_groups, n_columns) largest, likewise
    people: Counts  # (n_groups,)
    loss: NDArray[np.float64]  # (n_groups,) sum over columns

    @classmethod
    def of_points(cls, group: Integers, n_groups: int, points: Points) -> Gathered:
        """Measure groups; every point has the number of one, or -1."""
        boxes = np.zeros((4, n_groups, points.codes.shape[1]), dtype=np.int32)
        groups = cls(
            of=group,
            following=np.full(len(group), -1, dtype=np.int64),
            first=np.full(n_groups, -1, dtype=np.int64),
            low=boxes[0],
            high=boxes[1],
            next_low=boxes[2],
            next_high=boxes[3],
            people=np.zeros(n_groups, dtype=np.int64),
            loss=np.zeros(n_groups),
        )
        points.loops().measure_all(*points, groups)
        return groups

    @property
    def total(self) -> float:
        """What all people lose in all columns."""
        return float(self.people @ self.loss)


class Points(NamedTuple):
    """Combinations of quasi-identifiers and their people."""

    codes: NDArray[np.int32]  # (n_points, n_columns)
    people: Counts
    sides: Sides

    @classmethod
    def of_combinations(
        cls, ground: FrequencySet, bounds: Bounds, *, between: bool = False
    ) -> Points:
        """See every value as its cell; between: price what lies between cells alone."""
        domains = [ground.domains[name] for name in ground.columns]
        cells = [cells_of(domain) for domain in domains]
        places = [
            np.searchsorted(starts, ground.codes(name), "right") - 1
            for starts, name in zip(cells, ground.columns, strict=True)
        ]
        return cls(
            np.ascontiguousarray(np.stack(places, axis=1), dtype=np.int32),
            np.ascontiguousarray(ground.counts, dtype=np.int64),
            Sides.of(domains, cells, bounds, between=between),
        )

    def loops(self, n_looks: int = 1) -> Any:
        """Give the loops; n_looks: about how often they look at each point."""
        return suited(kernels, self.codes.size * n_looks)

    def regions(self, most: int, least: int, share: float) -> tuple[Integers, Integers]:
        """Cut the table into regions; the points of all, and where each begins."""
        loops = self.loops(2 * (len(self.codes) // most).bit_length() + 1)
        order, starts = loops.regions(*self, most, least, share)
        return order, starts

    def of(self, some: NDArray[np.intp]) -> Points:
        """Give some of them."""
        return Points(self.codes[some], self.people[some], self.sides)


def gathered(points: Points, k: int) -> Gathered:
    """Form groups of at least k people; there are that many."""
    groups = _again(points, _formed(points, k), k)
    _improve(points, groups, k)
    return groups


def _again(points: Points, groups: Gathered, k: int) -> Gathered:
    """Form the dearer groups anew, if that loses less: their people meet those of other regions."""
    dear = groups.loss > np.quantile(groups.loss, DEARER)
    some = np.flatnonzero(dear[groups.of])
    if len(some) and points.people[some].sum() >= LEAST * k:
        fresh = _formed(points.of(some), k)
        _improve(points.of(some), fresh, k)
        if fresh.total < groups.people[dear] @ groups.loss[dear]:
            numbers = groups.of.copy()
            numbers[some] = len(groups.first) + fresh.of
            used, group = np.unique(numbers, return_inverse=True)
            return Gathered.of_points(group.astype(np.int64), len(used), points)
    return groups


def _formed(points: Points, k: int) -> Gathered:
    """Form groups region by region, in the way that loses less there."""
    order, starts = points.regions(max(REGION, POINTS_PER_K * k), LEAST * k, 0.0)
    parts = np.split(order, starts[1:-1])

    def form(here: Integers) -> Gathered:
        region = points.of(here)
        return min(_alike(region, k), _cut(region, k), key=lambda groups: groups.total)

    group = np.empty(len(order), dtype=np.int64)
    n_groups = 0
    for done, (here, best) in enumerate(zip(parts, in_threads(form, parts), strict=True)):
        report("gathering", done, len(parts))
        group[here] = n_groups + best.of
        n_groups += len(best.first)
    return Gathered.of_points(group, n_groups, points)


def _alike(region: Points, k: int) -> Gathered:
    """Gather those who are most alike, the cheapest group first; who is left joins one of them."""
    everybody = np.arange(len(region.codes))
    group = np.full(len(everybody), -1, dtype=np.int64)
    stride = max(1, k // SEEDS_PER_GROUP)
    n_grown = int((region.people < k).sum()) // stride + 1
    loops = region.loops(GROWN * n_grown)
    n_groups = loops.gather(
        region.codes, region.people, everybody, region.sides, k, stride, group, 0
    )
    groups = Gathered.of_points(group, n_groups, region)
    loops.join(*region, groups, everybody, np.arange(n_groups))
    return groups


def _cut(region: Points, k: int, share: float = EVEN) -> Gathered:
    """Cut where the two boxes lose least until nothing can be cut: evenly spread people fit so."""
    order, starts = region.regions(1, k, share)
    group = np.empty(len(order), dtype=np.int64)
    group[order] = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    return Gathered.of_points(group, len(starts) - 1, region)


def _improve(points: Points, groups: Gathered, k: int) -> None:
    """Move people between the groups of a neighbourhood where less is lost so."""
    parts = _neighbourhoods(points, groups, k)

    def move(here: Integers) -> None:
        others = np.unique(groups.of[here])
        loops = suited(kernels, LOOKS * len(here) * len(others) * points.codes.shape[1])
        loops.improve(*points, groups, here, others, k)

    for _ in range(ROUNDS):
        for done, _ in enumerate(in_threads(move, parts)):
            report("moving", done, len(parts))


def _neighbourhoods(points: Points, groups: Gathered, k: int) -> list[Integers]:
    """Give the points near each other; all of a group are where its first member is."""
    order, starts = points.regions(max(NEIGHBOURHOOD, 2 * POINTS_PER_K * k), LEAST * k, 0.0)
    region = np.empty(len(order), dtype=np.int64)
    region[order] = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    region = region[groups.first[groups.of]]
    order = order[np.argsort(region[order], kind="stable")]
    return np.split(order, np.cumsum(np.bincount(region))[:-1])


def joined(points: Points, groups: Gathered, unsafe: NDArray[np.bool_], k: int) -> Gathered:
    """Join every unsafe group with the one of its neighbourhood where least is lost more."""
    order, starts = points.regions(max(NEIGHBOURHOOD, 2 * POINTS_PER_K * k), LEAST * k, 0.0)
    partner = np.full(len(groups.first), -1, dtype=np.int64)
    for first, end in pairwise(starts):
        here = np.unique(groups.of[order[first:end]])
        asked = here[unsafe[here] & (partner[here] < 0)]
        partner[asked] = _partners(points, groups, here, asked)
    alone = np.flatnonzero(unsafe & (partner < 0))
    if len(alone):
        partner[alone] = _partners(points, groups, np.arange(len(partner)), alone)
    together = _components(partner)
    used, group = np.unique(together[groups.of], return_inverse=True)
    return Gathered.of_points(group.astype(np.int64), len(used), points)


def _partners(points: Points, groups: Gathered, here: Integers, asked: Integers) -> Integers:
    loops = suited(kernels, len(asked) * len(here) * points.codes.shape[1])
    return np.asarray(loops.partners(points.sides, groups, here, asked))


def _components(partner: Integers) -> Integers:
    """Number groups that are joined, directly or by others, by the least of their numbers."""
    number = np.arange(len(partner))
    linked = np.flatnonzero(partner >= 0)
    while True:
        before = number.copy()
        ends = np.minimum(number[linked], number[partner[linked]])
        np.minimum.at(number, linked, ends)
        np.minimum.at(number, partner[linked], ends)
        number = number[number]
        if (number == before).all():
            return number
