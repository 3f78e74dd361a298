"""Groups that hang together because families of people reach from one into the other."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, TypeVar

from sfumato.formulas.knowledge.uncertain import Group, Person, Value, dealt_ways, first_have

Reach = tuple[tuple[int, int], ...]  # groups of a cluster, by position, and people there
Node = TypeVar("Node", bound=Hashable)


class Belief(NamedTuple):
    """What is believed of a person: a fraction, or where sampled a float with its interval.

    >>> from sfumato.attacks import knowledge
    >>> ward = [(3, {"Flu": 2, "AIDS": 1}), (3, {"Flu": 2, "AIDS": 1})]
    >>> families = [[(0, 0), (1, 0)]]  # the first person of either group
    >>> knowledge.same_value_families(ward, "AIDS", families)
    Belief(person=(0, 1), belief=Fraction(2, 5), interval=None)
    """

    person: Person
    belief: Fraction | float
    interval: tuple[float, float] | None = None  # 95%


@dataclass(frozen=True, eq=False)
class FamilyKind:
    """Families with the same numbers of people in the same groups."""

    reach: Reach
    n: int
    person: Person  # the first of one of them


@dataclass(frozen=True, eq=False)
class Cluster:
    """Groups that hang together by families."""

    groups: list[int]
    free: list[tuple[int, Person | None]]  # people without a family, and the first of them
    kinds: list[FamilyKind]
    ways: list[list[int]]  # of each group, by how many people of families have the value
    share: list[list[Fraction]]  # and in which share of those a given free person has it
    expected: list[float]  # people with the value, in the group as published


def clusters(
    groups: Sequence[Group], value: Value, edges: Iterable[tuple[Person, Person]], case: str
) -> Iterator[Cluster]:
    """Find them, each with its families and the ways to deal the value in its groups."""
    families = _components(edges)
    links = [(family[0][0], g) for family in families for g, _ in family]
    links += [(g, g) for g, (n, _) in enumerate(groups) if n]
    joined: dict[Person, None] = {person: None for family in families for person in family}
    by_group: dict[int, list[list[Person]]] = defaultdict(list)
    for family in families:
        by_group[family[0][0]].append(family)
    taken: dict[int, set[int]] = defaultdict(set)
    for g, member in joined:
        taken[g].add(member)
    for members in _components(links):
        place = {g: at for at, g in enumerate(members)}
        kinds: dict[Reach, list[Person]] = defaultdict(list)
        for family in (family for g in members for family in by_group[g]):
            n_here = Counter(g for g, _ in family)
            kinds[tuple(sorted((place[g], n) for g, n in n_here.items()))].append(family[0])
        free: list[tuple[int, Person | None]] = []
        ways, share, expected = [], [], []
        for g in members:
            n, counts = groups[g]
            n_free, occurrences = n - len(taken[g]), counts.get(value, 0)
            first = next((i for i in range(n) if i not in taken[g]), None)
            free.append((n_free, None if first is None else (g, first)))
            every = range(len(taken[g]) + 1)
            ways.append([_ways(n, n_free, occurrences, j, case) for j in every])
            share.append([_share(n_free, occurrences, j, case) for j in every])
            lacking = first_have(n, occurrences, 1, 0, case)
            expected.append(float(n * (1 - lacking)))
        yield Cluster(
            list(members),
            free,
            [FamilyKind(reach, len(who), min(who)) for reach, who in kinds.items()],
            ways,
            share,
            expected,
        )


def _components(edges: Iterable[tuple[Node, Node]]) -> list[list[Node]]:
    """Find what hangs together; each in order, in the order of their first."""
    parent: dict[Node, Node] = {}

    def root(node: Node) -> Node:
        parent.setdefault(node, node)
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for a, b in edges:
        parent[root(a)] = root(b)
    members: dict[Node, list[Node]] = defaultdict(list)
    for node in sorted(parent):  # type: ignore[type-var]
        members[root(node)].append(node)
    return list(members.values())


def _ways(n: int, free: int, occurrences: int, j: int, case: str) -> int:
    """Count the ways to deal the value when j given people of families have it, and no other.

    For sets all counts of a group are multiplied by the same number, which keeps them short.
    """
    if case == "multiset":
        return dealt_ways(free, occurrences, j)
    return math.perm(occurrences, j) * math.perm(n - occurrences, n - free - j)


def _share(free: int, occurrences: int, j: int, case: str) -> Fraction:
    """Give the share of those in which a given person without a family has the value too."""
    if case == "multiset":
        ways = dealt_ways(free, occurrences, j)
        fewer = dealt_ways(free - 1, occurrences, j) if free else ways
        return 1 - Fraction(fewer, ways) if ways else Fraction(0)
    return Fraction(max(occurrences - j, 0), free) if free else Fraction(0)
