"""k = 3: a 2-factor of least weight: circles, of which those above five are cut."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sfumato.algorithms.cell_suppression.candidates import COMPLETE, Weights, candidate_edges
from sfumato.algorithms.cell_suppression.matching import Edge, Neighbours, least_matching
from sfumato.algorithms.cell_suppression.points import Integers, Parts, Points
from sfumato.progress import report

ROUNDS = 4  # of forbidding double edges in larger tables; what is left then is put into circles
MANY = 6  # people of a combination who take part in circles there
LONGEST = 5  # a circle that is a group


def cut_circles(points: Points) -> Parts:
    """Give the groups of a 2-factor whose vertices are people."""
    others = int(points.people.sum()) - points.people
    most = 2 * others + 3 if points.people.sum() <= COMPLETE else np.full_like(others, MANY)
    # Who does not take part is at least three of a kind, and more never have a place in circles.
    taking_part = np.where(points.people - most >= 3, most, points.people)
    vertices = np.repeat(np.arange(len(points.people)), taking_part)
    neighbours = two_factor(len(vertices), candidate_edges(points, vertices))
    group = np.empty(len(vertices), dtype=np.int64)
    n_groups = 0
    for circle in _around(neighbours):
        for members in _cut(points, vertices, circle):
            group[members] = n_groups
            n_groups += 1
    pairs, people = np.unique(np.stack([vertices, group]), axis=1, return_counts=True)
    rest = np.flatnonzero(taking_part < points.people)
    numbers = n_groups + np.arange(len(rest))
    apart = np.column_stack([rest, numbers, (points.people - taking_part)[rest]])
    return np.concatenate([np.column_stack([*pairs, people]), apart]).astype(np.int64)


def two_factor(n: int, weights: Weights) -> Neighbours:
    """Give the two neighbours of every vertex in circles of least weight.

    Every vertex has two copies, and an edge joins any copies of its ends. So it could be taken
    twice; where that happens, two vertices are put into it, so that it is passed once or not at
    all, and the matching is looked for again.
    """
    once: set[tuple[int, int]] = set()
    n_rounds = ROUNDS if n > COMPLETE else len(weights) + 1
    for done in range(n_rounds):
        report("forbidding double edges", done, n_rounds)
        double, neighbours = _matched_circles(n, weights, once)
        if not double:
            return neighbours
        once |= double
    _open_pairs(neighbours, weights, n)
    return neighbours


def _matched_circles(
    n: int, weights: Weights, once: set[tuple[int, int]]
) -> tuple[set[tuple[int, int]], Neighbours]:
    """Match copies; give the edges taken twice, and everybody's neighbours."""
    edges: list[Edge] = []
    n_vertices = 2 * n
    inner: dict[int, tuple[int, int]] = {}
    for (a, b), weight in weights.items():
        if (a, b) in once:
            at_a, at_b = n_vertices, n_vertices + 1
            inner[at_a] = inner[at_b] = a, b
            n_vertices += 2
            half = weight / 2
            edges += [(a, at_a, half), (n + a, at_a, half), (b, at_b, half), (n + b, at_b, half)]
            edges.append((at_a, at_b, 0.0))
        else:
            edges += [(p, q, weight) for p in (a, n + a) for q in (b, n + b)]
    neighbours: Neighbours = [set() for _ in range(n)]
    double: set[tuple[int, int]] = set()
    for low, high in map(sorted, least_matching(n_vertices, edges, [True] * n_vertices)):
        if low >= 2 * n:
            continue  # an edge that is not taken
        a, b = inner[high] if high >= 2 * n else (min(low % n, high % n), max(low % n, high % n))
        if high < 2 * n and b in neighbours[a]:
            double.add((a, b))
        neighbours[a].add(b)
        neighbours[b].add(a)
    return double, neighbours


def _open_pairs(neighbours: Neighbours, weights: Weights, n: int) -> None:
    """Put every pair into the circle next to it, between two neighbours there."""
    for a in range(n):
        if len(neighbours[a]) != 1:
            continue
        (b,) = neighbours[a]
        near = sorted(
            (weights[min(v, u), max(v, u)], v, u)
            for v in (a, b)
            for u in range(n)
            if u not in (a, b) and (min(v, u), max(v, u)) in weights
        )
        _, v, u = near[0]
        other = b if v == a else a
        following = min(neighbours[u])
        if len(neighbours[u]) > 1:  # otherwise a pair, too: the two become a circle of four
            neighbours[u].discard(following)
            neighbours[following].discard(u)
        neighbours[v].add(u)
        neighbours[u].add(v)
        neighbours[other].add(following)
        neighbours[following].add(other)


def _around(neighbours: Neighbours) -> Iterator[list[int]]:
    """Go around every circle."""
    seen: set[int] = set()
    for start in range(len(neighbours)):
        if start in seen:
            continue
        circle = [start]
        seen.add(start)
        while ahead := sorted(neighbours[circle[-1]] - seen):
            circle.append(ahead[0])
            seen.add(ahead[0])
        yield circle


def _cut(points: Points, vertices: Integers, circle: list[int]) -> list[list[int]]:
    """Cut a circle of more than five into threes and fours, where it costs least."""
    n = len(circle)
    if n <= LONGEST:
        return [circle]
    best, least = [circle], np.inf
    for start in range(4):  # somewhere among four there is a cut
        turned = circle[start:] + circle[:start]
        costs = {
            (first, first + size): _cost(points, vertices[turned[first : first + size]])
            for size in (3, 4)
            for first in range(n - size + 1)
        }
        until: dict[int, tuple[float, int]] = {0: (0.0, 0)}  # cost of the first ones, last cut
        for end in range(3, n + 1):
            ways = [
                (until[end - size][0] + costs[end - size, end], end - size)
                for size in (3, 4)
                if end - size in until
            ]
            if ways:
                until[end] = min(ways)
        if until[n][0] < least:
            least, best, end = until[n][0], [], n
            while end:
                best.append(turned[until[end][1] : end])
                end = until[end][1]
    return best


def _cost(points: Points, members: Integers) -> float:
    """Give what some people lose as a group."""
    levels = points.levels(np.full(len(members), members[0]), members).max(axis=0)
    return float(len(members) * (levels / points.heights).sum())
