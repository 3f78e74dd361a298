"""A MASK that holds: shares are drawn from a distribution that is fixed before values are seen.

MASK (Wong 2009, section 6) draws the new share of a violating group from the other groups of the
table, so the table betrays what was drawn. Here a group with x sensitive people is published as it
is where x is at most n/m, and otherwise with y drawn from a public distribution that depends on the
group's size, m and the prior alone. It never refuses, and no group says anything about another.

The belief at y is the mean of x over all that is published as y, and so at most 1/m iff the excess
x - n/m of what is drawn to y is outweighed by the room n/m - y of what is y in truth. To draw x to
y changes x - y values, which is (1 + room / excess) per unit of excess: least when the smallest
room is used first, and the smallest excess goes to the smallest room (a transportation problem
whose costs are products, solved by the northwest corner). No mechanism that makes nobody sensitive
and keeps every belief within 1/m changes fewer values on average: in any of them what is too large
shares its output with something that is not, and publishing both as the latter costs no more; and
what else is published can be averaged over. What holds at p0 holds at every smaller p0, and at
every mixture of them, because for a fixed draw the mean of x given y grows with p0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

Draws = dict[int, dict[int, Fraction]]  # sensitive people -> published number -> probability


def binomial(size: int, p0: Fraction) -> list[Fraction]:
    """Give the prior of a group's sensitive people where everybody is so with p0, independently."""
    return [math.comb(size, x) * p0**x * (1 - p0) ** (size - x) for x in range(size + 1)]


def hypergeometric(size: int, n_unpublished: int, total: int) -> list[Fraction]:
    """Give the prior of a group's sensitive people where their total in the table is known.

    So many people are in groups, chosen by quasi-identifiers alone, of which no numbers are
    published. With at least m * total of them, `public_draws` of this prior keeps every belief
    within 1/m: the most there can be in a group is when all other published groups have nobody,
    and every sensitive person elsewhere lowers the belief.
    """
    people = size + n_unpublished
    ways = math.comb(people, total)
    return [
        Fraction(math.comb(size, x) * math.comb(n_unpublished, total - x), ways)
        if x <= total
        else Fraction(0)
        for x in range(size + 1)
    ]


def public_draws(prior: Sequence[Fraction], m: Fraction) -> Draws:
    """Give the distribution of the published number for every number of sensitive people.

    Args:
        prior: Probability of 0, 1, ..., n sensitive people in a group of n.
        m: No belief may exceed 1/m.

    Raises:
        ValueError: The prior belief is above 1/m: then no output can be at most 1/m throughout.

    >>> draws = public_draws(binomial(3, Fraction(2, 5)), Fraction(2))
    >>> draws[2], draws[3]
    ({1: Fraction(1, 1)}, {1: Fraction(3, 4), 0: Fraction(1, 4)})
    """
    size = len(prior) - 1
    limit = size / Fraction(m)
    if sum(x * weight for x, weight in enumerate(prior)) > limit:
        raise ValueError(
            f"m: with m = {m} no mechanism keeps beliefs within 1/m, for already the prior belief "
            "is above it; take a smaller m"
        )
    draws: Draws = {x: {x: Fraction(1)} for x in range(size + 1) if x <= limit}
    y = math.floor(limit)
    room = (limit - y) * prior[y]
    for x in range(y + 1, size + 1):
        excess = (x - limit) * prior[x]
        drawn: dict[int, Fraction] = {}
        while excess > room:
            if room:
                drawn[y] = room / (x - limit) / prior[x]
            excess -= room
            y -= 1
            room = (limit - y) * prior[y]
        if prior[x]:
            drawn[y] = excess / (x - limit) / prior[x]
            room -= excess
        else:  # never there; anything safe will do
            drawn[0] = Fraction(1)
        draws[x] = drawn
    return draws


def beliefs(
    prior: Sequence[Fraction], draws: Mapping[int, Mapping[int, Fraction]]
) -> list[Fraction]:
    """Give the probability that a person is sensitive, for every number that may be published."""
    size = len(prior) - 1
    found = []
    for y in range(size + 1):
        weights = [(x, prior[x] * draw.get(y, 0)) for x, draw in draws.items()]
        weight = sum(w for _, w in weights)
        if weight:
            found.append(sum((x * w for x, w in weights), Fraction(0)) / (weight * size))
    return found


def expected_changes(
    prior: Sequence[Fraction], draws: Mapping[int, Mapping[int, Fraction]]
) -> Fraction:
    """Give how many values of a group are changed on average."""
    return sum(
        (prior[x] * chance * (x - y) for x, draw in draws.items() for y, chance in draw.items()),
        Fraction(0),
    )


def largest_cap(prior: Sequence[Fraction], m: Fraction) -> int:
    """Give the largest c such that publishing min(x, c) keeps every belief within 1/m.

    The simplest mechanism that holds: nothing is drawn, and more values are changed.

    >>> largest_cap(binomial(10, Fraction(1, 20)), Fraction(2))
    4
    """
    size = len(prior) - 1
    limit = size / Fraction(m)
    for cap in range(size, -1, -1):
        rest = prior[cap:]
        if sum(rest) and sum((cap + i - limit) * weight for i, weight in enumerate(rest)) <= 0:
            return cap
    raise ValueError(f"m: with m = {m} the prior belief is above 1/m already; take a smaller m")
