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
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sfumato.errors import BadInput
from sfumato.formulas.knowledge.clusters import Belief, Cluster, FamilyKind, clusters
from sfumato.formulas.knowledge.sampled import sampled
from sfumato.formulas.knowledge.uncertain import Group, Person, Value, first_have

MOST_STATES = 1_000_000  # of the dynamic program, all its layers together
IMPOSSIBLE = "what is known of the families contradicts the release: no world satisfies all of it"


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
    for cluster in clusters(groups, value, edges, case):
        if not cluster.kinds:  # one group, of people without families
            n, counts = groups[cluster.groups[0]]
            belief = first_have(n, counts.get(value, 0), 1, 1, case)
            yield Belief((cluster.groups[0], 0), belief)
            continue
        steps = _steps(cluster)
        layers = _layers(steps, cluster.ways)
        yield from _exact(cluster, steps, layers) if layers else sampled(cluster, rng)


def largest_belief(beliefs: Iterable[Belief]) -> Belief | None:
    """Find the largest, of several the first person's; None: nobody.

    The interval is that of the largest: no lower than any lower end, no higher than the highest.
    """
    people = list(beliefs)
    if not people:
        return None
    first = min(people, key=lambda each: (-each.belief, each.person))
    if all(each.interval is None for each in people):
        return first
    ends = [each.interval or (float(each.belief), float(each.belief)) for each in people]
    return first._replace(interval=(max(low for low, _ in ends), max(high for _, high in ends)))


@dataclass(frozen=True, eq=False)
class _Step:
    """One kind of families after the other; a group whose families are all through is closed.

    A state is a whole number with a bit field for each open group: how many people of families
    have the value there.
    """

    kind: FamilyKind
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


def _steps(cluster: Cluster) -> list[_Step]:
    """Order the kinds so that few groups are open at a time, and bound what a group can have."""
    waiting: dict[int, set[int]] = defaultdict(set)  # kinds of each group
    for i, kind in enumerate(cluster.kinds):
        for g, _ in kind.reach:
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
        i = min(
            waiting[g], key=lambda i: (sum(at not in opened for at, _ in cluster.kinds[i].reach), i)
        )
        kind = cluster.kinds[i]
        added, bounds, closed = 0, [], []
        for at, people in kind.reach:
            added += people << shifts[at]
            left[at] -= kind.n * people
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


def _layers(steps: list[_Step], ways: list[list[int]]) -> list[dict[int, int]] | None:
    """Count the ways to choose families, step by step; None: too many states."""
    layers = [{0: 1}]
    n_states, words = 1, 1 + len(ways) // 16  # numbers grow with the groups, and count as much more
    for step in steps:
        layer: dict[int, int] = defaultdict(int)
        for state, n in layers[-1].items():
            for _, after, more, _ in step.moves(state, ways):
                layer[after] += n * more
            if (n_states + len(layer)) * words > MOST_STATES:
                return None
        layers.append(dict(layer))
        n_states += len(layer)
    return layers


def _exact(cluster: Cluster, steps: list[_Step], layers: list[dict[int, int]]) -> Iterator[Belief]:
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
