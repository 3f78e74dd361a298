"""People of whom it is known that both have a value or neither; beyond Chen 2009, section 4.

An edge joins two people; a connected family has the value entirely or not at all. (To share all
values would be another matter: proposition A.1.) A world deals the value to people, all ways
equally likely, and only those count in which every family agrees. Groups hang together where a
family reaches from one into the other; what does not hang together is worked out apart.

Exact by a dynamic program over how many people of families have the value in each group that
families still to come reach into; with more than `MOST_STATES` states sampled, with an interval.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import BadInput
from sfumato.formulas.posterior import LEAST, wilson
from sfumato.formulas.uncertain_knowledge import Group, Person, Value, dealt_ways, first_have

MOST_STATES = 1_000_000  # of the dynamic program, all its layers together
BUDGET = 10_000_000  # numbers drawn for one sampled answer
IMPOSSIBLE = "what is known of the families contradicts the release: no world satisfies all of it"

PerGroup = tuple[int, ...]  # people, in each group of a cluster
Node = TypeVar("Node", bound=Hashable)


class Belief(NamedTuple):
    """What is believed of a person: a fraction, or where sampled a float with its interval."""

    person: Person
    belief: Fraction | float
    interval: tuple[float, float] | None = None  # 95 %


@dataclass(frozen=True, eq=False)
class _Kind:
    """Families with the same numbers of people in the same groups."""

    people: PerGroup
    n: int
    person: Person  # the first of one of them


@dataclass(frozen=True, eq=False)
class _Cluster:
    """Groups that hang together by families."""

    groups: list[int]
    free: list[tuple[int, Person | None]]  # people without a family, and the first of them
    kinds: list[_Kind]
    ways: list[list[int]]  # of each group, by how many people of families have the value
    share: list[list[Fraction]]  # and in which share of those a given free person has it
    expected: list[float]  # people with the value, in the group as published


def family_beliefs(
    groups: Sequence[Group],
    value: Value,
    edges: Iterable[tuple[Person, Person]],
    case: str,
    rng: np.random.Generator,
) -> Iterator[Belief]:
    """Give the belief about one person of every sort; people of a sort are alike.

    The groups are those that `knowledge.refuse_impossible` lets pass.

    >>> pairs = [((0, 0), (0, 1))]
    >>> found = family_beliefs([(3, {"HIV": 1})], "HIV", pairs, "set", np.random.default_rng(0))
    >>> sorted((each.person, each.belief) for each in found)
    [((0, 0), Fraction(0, 1)), ((0, 2), Fraction(1, 1))]
    """
    for cluster in _clusters(groups, value, edges, case):
        if not cluster.kinds:  # one group, of people without families
            n, counts = groups[cluster.groups[0]]
            belief = first_have(n, counts.get(value, 0), 1, 1, case)
            yield Belief((cluster.groups[0], 0), belief)
            continue
        steps = _steps(cluster)
        layers = _layers(steps, cluster.ways)
        yield from _exact(cluster, steps, layers) if layers else _sampled(cluster, rng)


def largest_belief(beliefs: Iterable[Belief]) -> Belief | None:
    """Find the largest, of several the first person's; None: nobody.

    The interval is that of the largest: no lower than any lower end, no higher than the highest.
    """
    found = list(beliefs)
    if not found:
        return None
    first = min(found, key=lambda each: (-each.belief, each.person))
    if all(each.interval is None for each in found):
        return first
    ends = [each.interval or (float(each.belief), float(each.belief)) for each in found]
    return first._replace(interval=(max(low for low, _ in ends), max(high for _, high in ends)))


def _clusters(
    groups: Sequence[Group], value: Value, edges: Iterable[tuple[Person, Person]], case: str
) -> Iterator[_Cluster]:
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
        kinds: dict[PerGroup, list[Person]] = defaultdict(list)
        for family in (family for g in members for family in by_group[g]):
            n_here = Counter(g for g, _ in family)
            kinds[tuple(n_here[g] for g in members)].append(family[0])
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
        yield _Cluster(
            list(members),
            free,
            [_Kind(people, len(who), min(who)) for people, who in kinds.items()],
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
    found: dict[Node, list[Node]] = defaultdict(list)
    for node in sorted(parent):  # type: ignore[type-var]
        found[root(node)].append(node)
    return list(found.values())


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


@dataclass(frozen=True, eq=False)
class _Step:
    """One kind of families after the other; a group whose families are all through is closed.

    A state is a whole number with a bit field for each open group: how many people of families
    have the value there.
    """

    kind: _Kind
    added: int  # to the state, for every family that has the value
    bounds: list[tuple[int, int, int, int]]  # of its groups: shift, mask, fewest, most people
    closed: list[tuple[int, int, int]]  # group of the cluster, shift, mask

    def moves(
        self, state: int, ways: list[list[int]]
    ) -> Iterator[tuple[int, int, int, list[tuple[int, int]]]]:
        """Choose r of the families: r, the state after it, ways, and the closed groups' numbers."""
        for r in range(self.kind.n + 1):
            after = state + r * self.added
            if any((after >> shift) & mask > most for shift, mask, _, most in self.bounds):
                return
            if any((after >> shift) & mask < fewest for shift, mask, fewest, _ in self.bounds):
                continue
            n, numbers = math.comb(self.kind.n, r), []
            for g, shift, mask in self.closed:
                j = (after >> shift) & mask
                n *= ways[g][j]
                after -= j << shift
                numbers.append((g, j))
            if n:
                yield r, after, n, numbers


def _steps(cluster: _Cluster) -> list[_Step]:
    """Order the kinds so that few groups are open at a time, and bound what a group can have."""
    waiting: dict[int, set[int]] = defaultdict(set)  # kinds of each group
    for i, kind in enumerate(cluster.kinds):
        for g in _where(kind):
            waiting[g].add(i)
    left = [len(ways) - 1 for ways in cluster.ways]  # people of the families to come
    shifts = list(itertools.accumulate((n.bit_length() for n in left), initial=0))
    masks = [(1 << n.bit_length()) - 1 for n in left]
    possible = [[j for j, n in enumerate(ways) if n] for ways in cluster.ways]
    opened: set[int] = set()
    steps = []
    while waiting:
        # The open group with the fewest kinds to come is the next to be closed.
        g = min(opened or waiting, key=lambda g: (len(waiting[g]), g))
        i = min(waiting[g], key=lambda i: (len(set(_where(cluster.kinds[i])) - opened), i))
        kind = cluster.kinds[i]
        added, bounds, closed = 0, [], []
        for at in _where(kind):
            added += kind.people[at] << shifts[at]
            left[at] -= kind.n * kind.people[at]
            fewest, most = (min(possible[at]), max(possible[at])) if possible[at] else (1, 0)
            bounds.append((shifts[at], masks[at], fewest - left[at], most))
            waiting[at].discard(i)
            opened.add(at)
            if not waiting[at]:
                closed.append((at, shifts[at], masks[at]))
                opened.discard(at)
                del waiting[at]
        steps.append(_Step(kind, added, bounds, closed))
    return steps


def _where(kind: _Kind) -> list[int]:
    return [g for g, n in enumerate(kind.people) if n]


def _layers(steps: list[_Step], ways: list[list[int]]) -> list[dict[int, int]] | None:
    """Count the ways to choose families, step by step; None: too many states."""
    layers = [{0: 1}]
    n_states = 1
    for step in steps:
        layer: dict[int, int] = defaultdict(int)
        for state, n in layers[-1].items():
            for _, after, more, _ in step.moves(state, ways):
                layer[after] += n * more
            if n_states + len(layer) > MOST_STATES:
                return None
        layers.append(dict(layer))
        n_states += len(layer)
    return layers


def _exact(cluster: _Cluster, steps: list[_Step], layers: list[dict[int, int]]) -> Iterator[Belief]:
    """Go back over the steps: ways before a state times ways behind it."""
    total = layers[-1].get(0, 0)
    if not total:
        raise BadInput(IMPOSSIBLE)
    behind = {0: 1}  # ways from a state on
    for step, layer in zip(reversed(steps), reversed(layers[:-1]), strict=True):
        before: dict[int, int] = defaultdict(int)
        n_having = 0  # families of the kind, over all ways
        by_number: dict[int, dict[int, int]] = {g: defaultdict(int) for g, _, _ in step.closed}
        for state, n in layer.items():
            for r, after, more, numbers in step.moves(state, cluster.ways):
                here = more * behind.get(after, 0)
                before[state] += here
                n_having += n * here * r
                for g, j in numbers:
                    by_number[g][j] += n * here
        behind = before
        yield Belief(step.kind.person, Fraction(n_having, total * step.kind.n))
        for g, ways in by_number.items():
            person = cluster.free[g][1]
            if person is not None:
                hits = sum((n * cluster.share[g][j] for j, n in ways.items()), Fraction(0))
                yield Belief(person, hits / total)


def _sampled(cluster: _Cluster, rng: np.random.Generator) -> Iterator[Belief]:
    """Choose families by chance, each for itself, and weigh what comes out.

    The chances are tilted so that on average every group has as many people with the value as it
    should. The interval is Wilson's for as many samples as the weights are worth.
    """
    members = np.array([kind.people for kind in cluster.kinds], dtype=np.int64)
    n_alike = np.array([kind.n for kind in cluster.kinds], dtype=np.int64)
    n_free = np.array([n for n, _ in cluster.free], dtype=np.float64)
    tilt = members @ _tilts(members, n_alike, n_free, np.array(cluster.expected))
    chance = 1 / (1 + np.exp(-tilt))
    logs = [np.array([math.log(n) if n else -np.inf for n in ways]) for ways in cluster.ways]
    share = [np.array([float(each) for each in own]) for own in cluster.share]
    at_once = max(1, BUDGET // 50 // (len(n_alike) + len(n_free)))
    sums = np.zeros(len(n_alike) + len(n_free))
    total = squares = 0.0
    top = -np.inf
    for _ in range(50):
        chosen = rng.binomial(n_alike, chance, size=(at_once, len(n_alike)))
        having = chosen @ members  # (at_once, n_groups)
        log = -(chosen @ tilt)
        for g, own in enumerate(logs):
            log += own[having[:, g]]
        if log.max() > top:
            scale = math.exp(top - log.max()) if top > -np.inf else 0.0
            sums, total, squares, top = sums * scale, total * scale, squares * scale**2, log.max()
        if top == -np.inf:
            continue
        weight = np.exp(log - top)
        free = np.stack([own[having[:, g]] for g, own in enumerate(share)], axis=1)
        total += float(weight.sum())
        squares += float((weight**2).sum())
        sums += weight @ np.concatenate([chosen / n_alike, free], axis=1)
    n_effective = total**2 / squares if squares else 0.0
    if n_effective < LEAST:
        raise BadInput(
            "these families are too entangled: too few worlds that satisfy all of it were found "
            "by chance; leave out some of the edges"
        )
    found = sums / total
    low, high = wilson(found, n_effective)
    who = [kind.person for kind in cluster.kinds] + [person for _, person in cluster.free]
    for person, belief, *ends in zip(who, found.tolist(), low.tolist(), high.tolist(), strict=True):
        if person is not None:
            yield Belief(person, belief, (ends[0], ends[1]))


def _tilts(
    members: NDArray[np.int64],
    n_alike: NDArray[np.int64],
    n_free: NDArray[np.float64],
    expected: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Find log odds by group that make the expected numbers right: Newton's steps, shortened."""
    tilts = np.zeros(len(n_free))
    size = members.sum(axis=1).max(initial=1)
    for _ in range(50):
        chance = 1 / (1 + np.exp(-np.clip(members @ tilts, -30, 30)))
        alone = 1 / (1 + np.exp(-tilts))
        gap = members.T @ (n_alike * chance) + n_free * alone - expected
        spread = members.T @ ((n_alike * chance * (1 - chance))[:, np.newaxis] * members)
        spread = spread + np.diag(n_free * alone * (1 - alone) + 1e-9)
        step = np.clip(np.linalg.solve(spread, gap), -1, 1)
        tilts = np.clip(tilts - step, -30 / size, 30 / size)
        if np.abs(step).max() < 1e-6:
            break
    return tilts
