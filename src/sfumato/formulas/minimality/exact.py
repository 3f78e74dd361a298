"""Credibility in whole numbers, where these stay small (Wong 2009, definition 10).

The ways in which no class breaks the rule are the coefficients of a product of short polynomials,
one factor per class; all ways together have a closed form. Python's integers are exact, and so is
the difference of the two: the ways in which some class breaks the rule.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

ROUNDING = 1e-9  # relative error of floats, at most
CLOSE = 1e-8  # floats nearer to a threshold than this, relatively, do not tell its side
MOST_STEPS = 20_000  # some milliseconds
MOST_STEPS_NEAR = 50_000_000  # some seconds, where floats do not tell

Polynomial = list[int]  # coefficients from x^0 on, those beyond what is looked for left out


class ClassKind(NamedTuple):
    """Classes with as many people to deal to, that break the rule from the same number on."""

    size: int
    allowed: int  # sensitive among them: more break the rule; -1: it is broken anyway


def near(expected: NDArray[np.float64], sizes: NDArray[np.int64], l: Fraction) -> bool:
    """Whether floats do not tell on which side of 1/l a share is."""
    return bool((np.abs(expected * float(l) - sizes) <= CLOSE * sizes).any())


def n_steps(kinds: Sequence[ClassKind], n_sensitive: int) -> int:
    """About how many multiplications of short numbers `expected` needs."""
    factors = [kind.allowed for kind in kinds if kind.allowed > 0]
    longer = 1 + n_sensitive // 100
    return longer * n_sensitive * (3 * sum(factors) + n_sensitive * max(len(factors) - 1, 0))


def expected(
    kinds: Sequence[ClassKind], counts: Sequence[int], n_sensitive: int
) -> tuple[list[int], int]:
    """Expected number of sensitive people in a class of each kind, given that some class breaks.

    counts: classes of each kind. Gives numerators and their common denominator: the ways in which
    some class breaks the rule, or a share of them; 0 if there is none.

    >>> expected([ClassKind(2, 1), ClassKind(10, 5)], [2, 1], 5)
    ([530, 1090], 430)
    """
    total = sum(kind.size * n for kind, n in zip(kinds, counts, strict=True))
    allowed = sum(kind.allowed * n for kind, n in zip(kinds, counts, strict=True))
    if allowed < n_sensitive or any(kind.allowed < 0 for kind in kinds):
        return [kind.size * n_sensitive for kind in kinds], max(total, 1)  # some class always does
    fine: Polynomial = [1]
    for kind, n in zip(kinds, counts, strict=True):
        if kind.allowed:
            fine = _product(fine, _power(_factor(kind), n, n_sensitive), n_sensitive)
    broken = math.comb(total, n_sensitive) - (fine[n_sensitive] if n_sensitive < len(fine) else 0)
    in_one = math.comb(total - 1, n_sensitive - 1) if n_sensitive else 0  # ways, one person given
    numerators = []
    for kind in kinds:
        factor = _factor(kind)
        others = _quotient(fine, factor, n_sensitive)
        not_broken = sum(
            m * ways_of_m * others[n_sensitive - m]
            for m, ways_of_m in enumerate(factor)
            if 0 <= n_sensitive - m < len(others)
        )
        numerators.append(kind.size * in_one - not_broken)
    return numerators, broken


def _factor(kind: ClassKind) -> Polynomial:
    """Ways to choose m of a class's people, as long as it does not break the rule."""
    return [math.comb(kind.size, m) for m in range(kind.allowed + 1)]


def _power(factor: Polynomial, n: int, degree: int) -> Polynomial:
    """Raise a polynomial that begins with 1 to a power, by Euler's recurrence.

    >>> _power([1, 2], 3, 5), _power([1, 2], 3, 1)
    ([1, 6, 12, 8], [1, 6])
    """
    coefficients = [1]
    for k in range(1, min(degree, n * (len(factor) - 1)) + 1):
        terms = range(1, min(k, len(factor) - 1) + 1)
        coefficients.append(
            sum((n * m - k + m) * factor[m] * coefficients[k - m] for m in terms) // k
        )
    return coefficients


def _product(one: Polynomial, other: Polynomial, degree: int) -> Polynomial:
    coefficients = [0] * min(degree + 1, len(one) + len(other) - 1)
    for i, a in enumerate(one):
        for j, b in enumerate(other[: len(coefficients) - i]):
            coefficients[i + j] += a * b
    return coefficients


def _quotient(whole: Polynomial, factor: Polynomial, degree: int) -> Polynomial:
    """Divide by a factor that begins with 1, as power series.

    >>> _quotient([1, 6, 12, 8], [1, 2], 5)
    [1, 4, 4, 0]
    """
    coefficients: Polynomial = []
    for k in range(min(degree + 1, len(whole))):
        terms = range(1, min(k, len(factor) - 1) + 1)
        coefficients.append(whole[k] - sum(factor[m] * coefficients[k - m] for m in terms))
    return coefficients
