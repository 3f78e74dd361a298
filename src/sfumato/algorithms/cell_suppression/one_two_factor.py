"""k = 2: a [1,2]-factor of least weight, every vertex with one edge or two: pairs and threes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from sfumato.algorithms.cell_suppression.candidates import (
    COMPLETE,
    NEAREST,
    Weights,
    candidate_edges,
)
from sfumato.algorithms.cell_suppression.matching import Edge, Neighbours, least_matching
from sfumato.algorithms.cell_suppression.points import Integers, Parts, Points


def pairs_and_threes(points: Points) -> Parts:
    """Give the groups of a [1,2]-factor.

    People who are alike have each other. So only those who are alone need edges, to each other or
    to somebody of another combination, which has room for two such edges for each of its people.
    """
    alone = np.flatnonzero(points.people == 1)
    several = np.flatnonzero(points.people > 1)
    weights, weights_to = edges_of_lonely(points)
    stars, hosts = one_two_factor(len(alone), weights, weights_to, points.people)
    parts: list[tuple[int, int, int]] = []
    n_groups = 0
    for members in stars:
        parts += [(int(alone[v]), n_groups, 1) for v in members]
        n_groups += 1
    for host in several.tolist():
        guests = sorted((weights_to[v][host], int(alone[v])) for v in hosts.get(host, ()))
        for people, members in _seated(int(points.people[host]), [guest for _, guest in guests]):
            parts.append((host, n_groups, people))
            parts += [(guest, n_groups, 1) for guest in members]
            n_groups += 1
    return np.array(parts, dtype=np.int64)


def edges_of_lonely(points: Points) -> tuple[Weights, list[dict[int, float]]]:
    """Weigh the edges between people who are alone, and from each to other combinations."""
    alone = np.flatnonzero(points.people == 1)
    several = np.flatnonzero(points.people > 1)
    weights = candidate_edges(points, alone)
    return weights, _nearest_several(points, alone, several)


def _nearest_several(points: Points, alone: Integers, several: Integers) -> list[dict[int, float]]:
    """For each one who is alone, combinations to go to: the nearest, until one has room for all."""
    room = 2 * points.people >= len(alone)
    found: list[dict[int, float]] = []
    for point in alone:
        weight = points.weights(np.full(len(several), point), several)
        order = np.argsort(weight, kind="stable")
        if len(alone) > COMPLETE:
            order = order[:NEAREST]
        enough = np.flatnonzero(room[several[order]])
        order = order[: enough[0] + 1] if len(enough) else order
        found.append(dict(zip(several[order].tolist(), weight[order].tolist(), strict=True)))
    return found


def one_two_factor(
    n: int, weights: Weights, weights_to: list[dict[int, float]], people: Integers
) -> tuple[list[list[int]], dict[int, list[int]]]:
    """Give stars of two or three vertices, and the vertices that go to each combination.

    Every vertex has a second copy that may stay alone. An edge joins two first copies, or a first
    with a second one; a combination has a copy for every edge that it has room for.
    """
    edges: list[Edge] = []
    for (a, b), weight in weights.items():
        edges += [(a, b, weight), (a, n + b, weight), (n + a, b, weight)]
    owner: list[int] = []  # of further copies: a combination
    copies: dict[int, list[int]] = {}
    for v, options in enumerate(weights_to):
        for host, weight in options.items():
            if 2 * people[host] >= n:  # room for all: one copy for each of them
                seats = [2 * n + len(owner)]
                owner.append(host)
            else:
                if host not in copies:
                    copies[host] = [2 * n + len(owner) + j for j in range(2 * people[host])]
                    owner += [host] * len(copies[host])
                seats = copies[host]
            edges += [(v, seat, weight) for seat in seats]
    n_vertices = 2 * n + len(owner)
    matched = least_matching(n_vertices, edges, [v < n for v in range(n_vertices)])
    neighbours: Neighbours = [set() for _ in range(n)]
    hosts: dict[int, list[int]] = defaultdict(list)
    for low, high in map(sorted, matched):
        if high >= 2 * n:
            hosts[owner[high - 2 * n]].append(low)
        else:
            neighbours[low % n].add(high % n)
            neighbours[high % n].add(low % n)
    stars = list(_stars(neighbours, weights))
    needed = {v for members in stars for v in members}  # by others: no need to go elsewhere
    return stars, {host: [v for v in guests if v not in needed] for host, guests in hosts.items()}


def _stars(neighbours: Neighbours, weights: Weights) -> Iterator[list[int]]:
    """Drop edges that neither end needs, the heaviest first; give what hangs together."""
    for (a, b), _ in sorted(weights.items(), key=lambda edge: -edge[1]):
        if b in neighbours[a] and len(neighbours[a]) > 1 and len(neighbours[b]) > 1:
            neighbours[a].discard(b)
            neighbours[b].discard(a)
    seen: set[int] = set()
    for v in range(len(neighbours)):
        if v not in seen and neighbours[v]:
            members = [v]
            for u in members:
                members += [each for each in neighbours[u] if each not in members]
            seen.update(members)
            yield members


def _seated(people: int, guests: list[int]) -> Iterator[tuple[int, list[int]]]:
    """Put guests, the nearest first, with people of a combination; give groups of two or more.

    One to each as long as that is possible, then two. People without a guest are a group; one
    alone joins the first pair.
    """
    if not guests:
        yield people, []
        return
    n_seats = min(people, len(guests))
    seats = [guests[j::n_seats] for j in range(n_seats)]
    left = people - n_seats
    for j, members in enumerate(seats):
        yield 1 + (left == 1 and j == 0), members
    if left > 1:
        yield left, []
