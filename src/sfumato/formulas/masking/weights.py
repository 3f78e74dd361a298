"""Weights of what a group's people may be, kept apart by how many are sensitive in all.

A weight is a polynomial: the coefficient of z^d belongs to the tables with d sensitive people more
than are published. Where nobody knows how many there are, all of it is in one number (degree 0).
A tally is a weight together with, for every kind of group, the weight times its sensitive people.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

Weight = NDArray[Any]  # (degree + 1,), Python's own integers
Tally = NDArray[Any]  # (1 + n_kinds, degree + 1): the weight, then weight times sensitive people


@dataclass(frozen=True)
class Prior:
    """Everybody is sensitive independently with p0; `extra`: so many more than are published."""

    p0: Fraction
    extra: int | None = None

    @property
    def degree(self) -> int:
        """The highest power of z that is kept."""
        return self.extra or 0

    def weigh(self, size: int, numbers: Iterable[int], published: int = 0) -> tuple[Weight, Weight]:
        """Give the weight of a group with any of these numbers, and that times the number."""
        yes, no = self.p0.numerator, self.p0.denominator - self.p0.numerator
        weight, times_number = self.nothing(), self.nothing()
        for number in numbers:
            d = number - published if self.extra is not None else 0
            if d <= self.degree:
                worlds = math.comb(size, number) * yes**number * no ** (size - number)
                weight[d] += worlds
                times_number[d] += worlds * number
        return weight, times_number

    def nothing(self) -> Weight:
        """Give the weight of what cannot be."""
        return np.array([0] * (self.degree + 1), dtype=object)

    def start(self, n_kinds: int) -> Tally:
        """Give the tally of no groups at all."""
        tally = np.array([self.nothing() for _ in range(1 + n_kinds)], dtype=object)
        tally[0, 0] = 1
        return tally


@dataclass(frozen=True, eq=False)
class Kind:
    """Groups that are alike: their size, and their weights by how many of them violate."""

    size: int
    weights: list[tuple[Weight, Weight]]  # 0 to all violate: weight, weight times sensitive people

    @property
    def number(self) -> int:
        """How many groups are of this kind."""
        return len(self.weights) - 1

    @classmethod
    def of(
        cls, size: int, number: int, kept: tuple[Weight, Weight], hidden: tuple[Weight, Weight]
    ) -> Kind:
        """Weigh so many groups, of each of which it is known what is kept and what is hidden."""
        some_kept, some_hidden = (_powers(each[0], number) for each in (kept, hidden))
        weights = []
        for n_hidden in range(number + 1):
            n_kept, ways = number - n_hidden, math.comb(number, n_hidden)
            weight = times(some_kept[n_kept], some_hidden[n_hidden])
            people = weight * 0
            if n_kept:
                rest = times(some_kept[n_kept - 1], some_hidden[n_hidden])
                people = people + n_kept * times(rest, kept[1])
            if n_hidden:
                rest = times(some_kept[n_kept], some_hidden[n_hidden - 1])
                people = people + n_hidden * times(rest, hidden[1])
            weights.append((ways * weight, ways * people))
        return cls(size, weights)


def joined(tally: Tally, kind: int, weight: Weight, people: Weight) -> Tally:
    """Give the tally with the groups of one more kind."""
    more = times(tally, weight)
    more[1 + kind] = more[1 + kind] + times(tally[0], people)
    return more


def times(one: Weight | Tally, other: Weight) -> NDArray[Any]:
    """Multiply polynomials; what is beyond the degree is dropped."""
    product: NDArray[Any] = one * other[0]
    for d in range(1, len(other)):
        if other[d]:
            product[..., d:] += one[..., :-d] * other[d]
    return product


def _powers(weight: Weight, most: int) -> list[Weight]:
    found = [np.array([1] + [0] * (len(weight) - 1), dtype=object)]
    for _ in range(most):
        found.append(times(found[-1], weight))
    return found


def beliefs(sums: Sequence[Fraction], kinds: Sequence[Kind]) -> list[Fraction]:
    """Give how likely a person of each kind of group is sensitive, of a tally's sums."""
    weight, *people = sums
    return [n / (weight * kind.size * kind.number) for n, kind in zip(people, kinds, strict=True)]
