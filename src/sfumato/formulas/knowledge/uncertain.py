"""Knowledge that is held with a probability, about named people; beyond Chen 2009.

Every piece has a probability p from 1/2 (no knowledge) to 1 (certain). A world weighs p for every
piece that it satisfies and 1 - p for every other; the belief is the weight of the worlds in which
the target has the value, over the weight of all. As p = (1 - p) + (2p - 1), the belief is a mean of
the beliefs with some of the pieces certain and the others unknown: it never exceeds the breach
probability of as many certain pieces.

Nothing is enumerated. With one value per person, the weight of somebody with a piece is that of
not having the named value, plus the difference for having it, so only the numbers of people per
named value matter; for sets and multisets, only how many of those with a piece have the value.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sfumato.errors import BadInput

Value = Hashable
Person = tuple[int, int]  # group, member
Group = tuple[int, Mapping[Any, int]]  # people, occurrences of values
Groups = Sequence[Group] | Mapping[int, Group]
Weights = tuple[Fraction, dict[Value, Fraction]]  # without, and with each named value
Pair = tuple[Fraction, Fraction]  # lacking the value, having it

ONE = Fraction(1)


@dataclass(frozen=True)
class Pieces:
    """What is known, and with which probability."""

    excluded: Mapping[Value, Fraction]  # the target lacks it; sets: has it only with the value
    others: Mapping[tuple[Person, Value], Fraction]  # the person has it; sets: lacks the value
    family: Mapping[Person, Fraction]  # the person has the value only if the target has it


def uncertain_belief(
    groups: Groups, target: Person, value: Value, known: Pieces, case: str
) -> Fraction:
    """Give the belief that the target has the value, exactly.

    Only groups that somebody named is in are looked at. They are those that
    `knowledge.refuse_impossible` lets pass.

    >>> group = (4, {"flu": 2, "HIV": 1, "cold": 1})
    >>> known = Pieces({"flu": Fraction(3, 4)}, {}, {})
    >>> uncertain_belief([group], (0, 0), "HIV", known, "single")
    Fraction(3, 8)
    """
    weigh = _single if case == "single" else _several
    having = weigh(groups, target, value, known, True, case)
    total = having + weigh(groups, target, value, known, False, case)
    if not total:
        raise BadInput("what is known contradicts the release: no world satisfies all of it")
    return having / total


def _single(
    groups: Groups, target: Person, value: Value, known: Pieces, has: bool, _: str
) -> Fraction:
    """Weigh the worlds, one value per person, in which the target has the value, or lacks it."""
    people: dict[Person, Weights] = {}

    def add(person: Person, default: Fraction, named: Value, weight: Fraction) -> None:
        before, weights = people.get(person, (ONE, {}))
        both = {each: w * (weight if each == named else default) for each, w in weights.items()}
        both.setdefault(named, before * weight)
        people[person] = (before * default, both)

    if has:
        add(target, Fraction(0), value, ONE)
    else:
        add(target, ONE, value, Fraction(0))
    for named, p in known.excluded.items():
        add(target, p, named, 1 - p)
    for (person, named), p in known.others.items():
        add(person, 1 - p, named, p)
    total = ONE
    for person, p in known.family.items():
        if has:
            total *= p
        else:
            add(person, p, value, 1 - p)
    for g in {group for group, _member in people}:
        n, counts = groups[g]
        here = [weights for (group, _member), weights in people.items() if group == g]
        total *= _expected(n, counts, here)
    return total


def _expected(n: int, counts: Mapping[Value, int], people: Iterable[Weights]) -> Fraction:
    """Give the mean product of the weights of some people, over all ways to deal the values."""
    alone: dict[Value, list[Fraction]] = defaultdict(lambda: [ONE])  # who name one value
    states: dict[frozenset[tuple[Value, int]], Fraction] = {frozenset(): ONE}  # who name several
    for default, weights in people:
        if len(weights) == 1:
            [(named, weight)] = weights.items()
            alone[named] = _times(alone[named], [default, weight - default])
            continue
        grown: dict[frozenset[tuple[Value, int]], Fraction] = defaultdict(Fraction)
        for state, factor in states.items():
            grown[state] += factor * default
            for named, weight in weights.items():
                more = dict(state)
                more[named] = more.get(named, 0) + 1
                grown[frozenset(more.items())] += factor * (weight - default)
        states = {state: factor for state, factor in grown.items() if factor}
    total = Fraction(0)
    for state, factor in states.items():
        fixed = dict(state)
        ways = [factor]  # by how many people have a value that was named for them
        for named in {*alone, *fixed}:
            own, shift = counts.get(named, 0), fixed.get(named, 0)
            terms = [
                each * math.perm(own, j + shift) for j, each in enumerate(alone.get(named, [ONE]))
            ]
            ways = _times(ways, [Fraction(0)] * shift + terms)
        total += sum((each / math.perm(n, j) for j, each in enumerate(ways)), Fraction(0))
    return total


def _several(
    groups: Groups, target: Person, value: Value, known: Pieces, has: bool, case: str
) -> Fraction:
    """Weigh the worlds where people have sets of values: each value is dealt for itself."""
    people: dict[Person, Pair] = {target: (Fraction(0), ONE) if has else (ONE, Fraction(0))}

    def add(person: Person, lacking: Fraction, having: Fraction) -> None:
        before = people.get(person, (ONE, ONE))
        people[person] = (before[0] * lacking, before[1] * having)

    total = ONE
    n, counts = groups[target[0]]
    for named, p in known.excluded.items():
        lacks = ONE if named == value else first_have(n, counts.get(named, 0), 1, 0, case)
        total *= p if has else p * lacks + (1 - p) * (1 - lacks)
    for (person, _named), p in known.others.items():
        add(person, p, 1 - p)
    for person, p in known.family.items():
        add(person, p, p if has else 1 - p)
    for g in {group for group, _member in people}:
        n, counts = groups[g]
        here = [weights for (group, _member), weights in people.items() if group == g]
        ways = [ONE]
        for weights in here:
            ways = _times(ways, weights)
        having = counts.get(value, 0)
        total *= sum(
            (each * first_have(n, having, len(here), j, case) for j, each in enumerate(ways)),
            Fraction(0),
        )
    return total


def first_have(n: int, occurrences: int, named: int, j: int, case: str) -> Fraction:
    """Give the probability that the first j of some named people have a value, the rest not.

    >>> first_have(4, 2, 2, 1, "set"), first_have(2, 2, 2, 2, "multiset")
    (Fraction(1, 3), Fraction(1, 2))
    """
    if case != "multiset":
        if j > occurrences or named - j > n - occurrences:
            return Fraction(0)
        ways = math.perm(occurrences, j) * math.perm(n - occurrences, named - j)
        return Fraction(ways, math.perm(n, named))
    return Fraction(dealt_ways(n - named, occurrences, j), n**occurrences)


def dealt_ways(free: int, occurrences: int, j: int) -> int:
    """Count the ways to deal occurrences to `free` people and to j others who all get one.

    >>> dealt_ways(0, 3, 2), dealt_ways(2, 1, 0)
    (6, 2)
    """
    return sum((-1) ** i * math.comb(j, i) * (free + j - i) ** occurrences for i in range(j + 1))


def _times(left: Sequence[Fraction], right: Sequence[Fraction]) -> list[Fraction]:
    """Multiply polynomials."""
    product = [Fraction(0)] * (len(left) + len(right) - 1)
    for i, a in enumerate(left):
        if a:
            for j, b in enumerate(right):
                product[i + j] += a * b
    return product
