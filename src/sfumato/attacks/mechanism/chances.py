"""How likely a failed step is to break nothing, over all worlds: numbers that are no less."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.mechanism.component import Component
from sfumato.data.groups import Counts
from sfumato.data.keys import Codes
from sfumato.formulas.minimality.posterior import RejectedStep

MOST_VALUES = 4  # that are looked at, the most frequent ones
MOST_IN_CHILD = 200  # people: larger children hardly ever break
BITS = 80  # of a chance, which is rounded up
ONE = 1 << BITS
SMALL = ONE >> 40  # to go on would change nothing


def chances_not_to_break(component: Component) -> list[Fraction]:
    """Give for every step a number no less than the chance that none of its children breaks.

    Where shares are bounded and nothing else; otherwise 1, which says nothing. Values are dealt
    without replacement in every group, so numbers of people with one value in separate children are
    negatively associated (Joag-Dev and Proschan 1983): the chance that all of them are small is at
    most the product of the chances that each is. The value with the smallest product is taken.
    """
    wanted = component.solver.bounded_values()
    if wanted is None:
        return [Fraction(1)] * len(component.steps)
    share, code_of = wanted
    having = np.zeros((len(component.groups), len(code_of)), dtype=np.int64)
    for number, row in enumerate(having):
        _count(row, code_of, *component.histogram(number))
    n_people = np.bincount(component.group_of_cell, weights=component.people).astype(np.int64)
    in_group = np.zeros((len(component.people), len(n_people)), dtype=np.int64)
    in_group[np.arange(len(in_group)), component.group_of_cell] = component.people
    frequent = np.argsort(-having.sum(axis=0), kind="stable")[:MOST_VALUES].tolist()
    found = []
    for step in component.cell_steps:
        parts = step.children @ in_group  # (n_children, n_groups): people
        limits = share.numerator * (parts.sum(axis=1) + step.fixed.sum(axis=1))
        limits = limits[:, np.newaxis] // share.denominator - _fixed(step, code_of)
        best = min(_product(step, parts, limits[:, v], having[:, v], n_people) for v in frequent)
        found.append(Fraction(best, ONE))
    return found


def _count(row: Counts, code_of: Codes, codes: NDArray[np.signedinteger], counts: Counts) -> None:
    bounded = code_of[codes] >= 0
    np.add.at(row, code_of[codes[bounded]], counts[bounded])


def _fixed(step: RejectedStep, code_of: Codes) -> Counts:
    """Count the people outside the component by the values that are bounded."""
    found = np.zeros((len(step.fixed), len(code_of)), dtype=np.int64)
    for row, fixed in zip(found, step.fixed, strict=True):
        codes = np.flatnonzero(fixed)
        _count(row, code_of, codes, fixed[codes])
    return found


def _product(
    step: RejectedStep, parts: Counts, limits: Counts, having: Counts, n_people: Counts
) -> int:
    """Multiply the chances of the children not to break by one value; of one if they overlap."""
    small = np.flatnonzero(parts.sum(axis=1) <= MOST_IN_CHILD)
    separate = bool((step.children.sum(axis=0) <= 1).all())
    chance = ONE
    for c in small.tolist():
        drawn = tuple(
            (int(n_people[g]), int(having[g]), int(parts[c, g]))
            for g in np.flatnonzero(parts[c]).tolist()
        )
        own = at_most(int(limits[c]), drawn)
        chance = -(-chance * own // ONE) if separate else min(chance, own)
        if chance < SMALL:
            break
    return chance


@lru_cache(maxsize=1 << 14)
def at_most(most: int, drawn: tuple[tuple[int, int, int], ...]) -> int:
    """Give the chance that at most so many people who are drawn have a value; ONE is certain.

    Rounded up. drawn: of each group its people, those who have the value, and those drawn.

    >>> at_most(0, ((4, 2, 1),)) / ONE
    0.5
    """
    if most < 0:
        return 0
    found = [ONE]  # by people who have it
    for n, having, k in drawn:
        ways = math.comb(n, k)
        own = [
            -(-(math.comb(having, x) * math.comb(n - having, k - x) << BITS) // ways)
            for x in range(min(k, having, most) + 1)
        ]
        sums = [0] * min(most + 1, len(found) + len(own) - 1)
        for i, a in enumerate(found):
            for j, b in enumerate(own[: len(sums) - i]):
                sums[i + j] += a * b
        found = [-(-total // ONE) for total in sums]
    return min(ONE, sum(found))
