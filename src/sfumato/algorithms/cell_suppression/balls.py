"""Balls around combinations, the smallest first (Meyerson and Williams 2004, in polynomial time).

Of the balls with at least k people those of least radius for each person whom they cover anew are
chosen until everybody is covered. Combinations are taken as a whole. As people who are already in
a group leave a ball if it keeps k, a ball keeps whom it covered anew; if these are too few, it
takes from groups that keep k without them, or is joined with one that does not.
"""

from __future__ import annotations

from heapq import heapify, heapreplace

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.cell_suppression.kernels import ROUNDING, cheapest_radius, distances
from sfumato.algorithms.cell_suppression.points import Integers, Parts, Points
from sfumato.algorithms.cell_suppression.sparing import spared
from sfumato.progress import report

AT_ONCE = 1000  # balls between two reports of progress


def ball_groups(points: Points, k: int) -> Parts:
    """Give the groups that chosen balls leave, each broken up as long as parts keep k."""
    codes, people, *columns = points
    group = np.full(len(people), -1, dtype=np.int64)
    sizes: list[int] = []
    for centre, radius in chosen_balls(points, k):
        _take(distances(codes, *columns, centre), radius, people, group, sizes, k)
    return spared(points, broken_up(group, people, k), k)


def chosen_balls(points: Points, k: int) -> list[tuple[int, float]]:
    """Choose balls until everybody is in one: their centres and radii.

    What a ball costs for each person can only grow as people are covered, so one is looked at
    again only when it seems to be the best.
    """
    codes, people, *columns = points
    n = len(people)
    covered = np.zeros(n, dtype=bool)

    def looked_at(centre: int) -> tuple[float, int, float]:
        distance = distances(codes, *columns, centre)
        least, radius = cheapest_radius(distance, people, covered, k)
        return round(least, 9), centre, radius

    balls = []
    for centre in range(n):
        if centre % AT_ONCE == 0:
            report("measuring balls", centre, n)
        balls.append(looked_at(centre))
    heapify(balls)
    chosen: list[tuple[int, float]] = []
    while not covered.all():
        report("covering", int(covered.sum()), n)
        best = balls[0]
        now = looked_at(best[1])
        if now == best:
            chosen.append((now[1], now[2]))
            covered |= distances(codes, *columns, now[1]) <= now[2] + ROUNDING
        else:
            heapreplace(balls, now)
    return chosen


def _take(
    distance: NDArray[np.float64],
    radius: float,
    people: Integers,
    group: Integers,
    sizes: list[int],
    k: int,
) -> None:
    """Make a group of a ball, and leave the partition of those before it one."""
    inside = np.flatnonzero(distance <= radius + ROUNDING)
    inside = inside[np.argsort(distance[inside], kind="stable")]
    fresh = inside[group[inside] < 0]
    shared = inside[group[inside] >= 0]
    own, size = len(sizes), int(people[fresh].sum())
    sizes.append(size)
    group[fresh] = own
    for point in shared:
        if sizes[own] >= k:
            return
        if sizes[group[point]] - people[point] >= k:
            sizes[group[point]] -= people[point]
            sizes[own] += people[point]
            group[point] = own
    if sizes[own] < k:
        other = next(int(group[point]) for point in shared if group[point] != own)
        group[group == own] = other
        sizes[other] += sizes[own]
        sizes[own] = 0


def broken_up(group: Integers, people: Integers, k: int) -> Integers:
    """Break groups up in the order of their combinations, as long as all parts keep k people."""
    order = np.argsort(group, kind="stable")
    left = np.bincount(group, weights=people).astype(np.int64)
    found = np.empty_like(group)
    number, size, last = -1, 0, -1
    for point in order:
        own = group[point]
        if own != last or (size >= k and left[own] >= k):
            number, size, last = number + 1, 0, own
        found[point] = number
        size += people[point]
        left[own] -= people[point]
    return found
