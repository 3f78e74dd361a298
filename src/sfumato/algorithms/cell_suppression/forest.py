"""A forest whose trees are groups: the O(k)-approximation (Ciriani 2008, 3.2.3).

Aggarwal et al. 2005: every tree below k people sends an edge from the vertex that has none to its
nearest outside. That vertex is in any partition with k - 1 others, of whom one at least is outside,
so its edge weighs no more than it loses there: the forest weighs no more than the best partition
costs. Nobody in a tree loses more than the tree weighs, so with at most 3k - 3 people in a tree
the groups cost at most (3k - 3) times that.

People with the same quasi-identifiers are one vertex here: edges between them weigh nothing. Where
k or more of them count as k, trees are still split to groups of k to 3k - 3 people; see `split`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.cell_suppression.kernels import below, cut, grow
from sfumato.algorithms.cell_suppression.points import Integers, Parts, Points
from sfumato.algorithms.cell_suppression.sparing import spared
from sfumato.progress import report

AT_ONCE = 1000  # edges between two reports of progress


class Forest(NamedTuple):
    """At most one outgoing edge of every vertex."""

    target: Integers  # (n_points,) where its edge leads; -1: it has none
    weight: NDArray[np.float64]  # (n_points,) of its edge

    @property
    def total(self) -> float:
        """The weight of all edges."""
        return float(self.weight.sum())


def grown(points: Points, k: int) -> Forest:
    """Let trees grow until all have k people, who are in the table."""
    n = len(points.people)
    forest = Forest(np.full(n, -1, dtype=np.int64), np.zeros(n))
    size = np.minimum(points.people, k)
    trees = (*forest, np.arange(n), np.arange(n), size)  # number, its vertex without edge, people
    small = np.flatnonzero(size < k)
    waiting = np.full(n + len(small), -1, dtype=np.int64)
    waiting[: len(small)] = small
    codes, _, *columns = points
    first, n_waiting = 0, len(small)
    while first < n_waiting:
        report("growing trees", first, n_waiting)
        end = min(first + AT_ONCE, n_waiting)
        n_waiting = grow(codes, *columns, k, trees, waiting, first, end, n_waiting)
        first = end
    return forest


def split(points: Points, forest: Forest, k: int) -> Integers:
    """Split trees wherever all parts keep k people; give the group of every point.

    First edges are cut, the heaviest first. Where none can be, there is a centre all of whose
    branches are below k. Branches are put together until they have k people, the nearest to the
    centre with the centre itself, the others around a copy of it that only joins them: nobody
    is in two groups, and every edge is in one. What is left has k to 3k - 3 people: a group ends
    when it has k, so with at most 2k - 2, and fewer than k may be left to join the last.
    """
    people = np.minimum(points.people, k)
    target = forest.target.copy()
    total = below(target, people)
    cut(np.argsort(-forest.weight, kind="stable"), target, total, k)
    group = _top(target)
    n_groups = len(group)  # numbers from here on are free
    pointing = _pointing(target)
    for top in np.flatnonzero((target < 0) & (total >= 2 * k)):
        for members in _around_centre(int(top), pointing, people, total, forest.weight, k):
            group[members] = n_groups
            n_groups += 1
    return np.unique(group, return_inverse=True)[1].astype(np.int64)


def forest_groups(points: Points, k: int) -> Parts:
    """Give the groups of the forest."""
    return spared(points, split(points, grown(points, k), k), k)


def _top(target: Integers) -> Integers:
    """Give the vertex at which every tree ends."""
    top = np.where(target >= 0, target, np.arange(len(target)))
    while (top[top] != top).any():
        top = top[top]
    return top


def _pointing(target: Integers) -> list[list[int]]:
    """List the vertices whose edges lead to each."""
    pointing: list[list[int]] = [[] for _ in target]
    for v in np.flatnonzero(target >= 0):
        pointing[target[v]].append(int(v))
    return pointing


def _around_centre(
    top: int,
    pointing: list[list[int]],
    people: Integers,
    total: Integers,
    weight: NDArray[np.float64],
    k: int,
) -> list[list[int]]:
    """Put the branches of a tree without an edge to cut together, around its centre."""
    centre = top
    while heavy := [v for v in pointing[centre] if total[v] >= k]:
        centre = heavy[0]  # what is above has less than k: otherwise its edge had been cut
    branches = [(weight[v], total[v], _branch(v, pointing)) for v in pointing[centre]]
    if centre != top:
        above = _branch(top, pointing, without=centre)
        branches.append((weight[centre], total[top] - total[centre], above))
    branches.sort(key=lambda branch: (branch[0], branch[2][0]))
    groups, size, left = [[centre]], int(people[centre]), int(total[top] - people[centre])
    for _, n_people, members in branches:
        if size >= k and left >= k:
            groups.append([])
            size = 0
        groups[-1] += members
        size += n_people
        left -= n_people
    return groups


def _branch(v: int, pointing: list[list[int]], without: int = -1) -> list[int]:
    """List a vertex and all that point to it, directly or by others."""
    members = [v]
    for u in members:
        members += [each for each in pointing[u] if each != without]
    return members
