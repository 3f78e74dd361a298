"""Thresholds decided without floating-point luck."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.groups import Counts

Exact = NDArray[Any]  # integers: int64, or Python's own where those would overflow
CLEAR = 1e-9  # a float this far from a tie decides safely; closer, integers do


def at_most(counts: Exact, sizes: Exact, share: Fraction) -> NDArray[np.bool_]:
    """Decide counts / sizes <= share for every pair, in integers.

    >>> at_most(np.array([1, 34]), np.array([3, 100]), Fraction(1, 3))
    array([ True, False])
    """
    left, right = _scaled(counts, sizes, share)
    return np.asarray(left <= right, dtype=bool)


def below(counts: Exact, sizes: Exact, share: Fraction) -> NDArray[np.bool_]:
    """Decide counts < share * sizes for every pair, in integers.

    >>> below(np.array([1, 33]), np.array([3, 100]), Fraction(1, 3))
    array([False,  True])
    """
    left, right = _scaled(counts, sizes, share)
    return np.asarray(left < right, dtype=bool)


def largest_ratio(counts: Exact, sizes: Exact) -> Fraction | float | None:
    """Give the largest counts / sizes, exactly; None without any, infinite where a size is 0.

    >>> largest_ratio(np.array([1, 2]), np.array([3, 7]))
    Fraction(1, 3)
    """
    if not len(counts):
        return None
    if (sizes == 0).any():
        return float("inf")
    first = position_of_largest(counts, sizes)
    return Fraction(int(counts[first]), int(sizes[first]))


def position_of_largest(counts: Exact, sizes: Exact) -> int:
    """Give where counts / sizes is largest, exactly; of several the one with the largest size.

    >>> position_of_largest(np.array([1, 2, 1]), np.array([3, 6, 4]))
    1
    """
    ratios = (counts / sizes).astype(np.float64)  # picks the candidates; fractions decide
    near = np.flatnonzero(ratios >= ratios.max() * (1 - CLEAR))
    order = near[np.lexsort((sizes[near], counts[near]))]  # equal pairs stand together
    new = np.ones(len(order), dtype=bool)
    new[1:] = (np.diff(counts[order]) != 0) | (np.diff(sizes[order]) != 0)
    return int(max(order[new], key=lambda j: (Fraction(int(counts[j]), int(sizes[j])), sizes[j])))


def sum_of_products(counts: Exact, costs: Exact) -> int:
    """Add up counts times costs, in integers.

    >>> sum_of_products(np.array([2**62, 1]), np.array([8, 1])) == 2**65 + 1
    True
    """
    if int(counts.sum()) * int(costs.max(initial=0)) >= 2**63:
        counts, costs = counts.astype(object), costs.astype(object)
    return int(counts @ costs)


def _scaled(counts: Exact, sizes: Exact, share: Fraction) -> tuple[Exact, Exact]:
    largest = int(max(counts.max(initial=0), sizes.max(initial=0)))
    if max(largest, 1) * max(share.numerator, share.denominator) >= 2**63:
        counts, sizes = counts.astype(object), sizes.astype(object)
    return counts * share.denominator, sizes * share.numerator


def entropy_at_least(counts: Counts, l: Fraction) -> bool:
    """Decide whether the entropy of a distribution is at least log l.

    With n the sum of the counts c, this is n^n >= l^n * prod c^c. Far from a tie a float decides;
    near one both sides are written as powers of the same coprime numbers, which settles
    equality, and otherwise compared with as many digits as it takes.

    >>> entropy_at_least(np.array([7, 7, 7]), Fraction(3))
    True
    >>> entropy_at_least(np.array([10**9, 10**9 - 1]), Fraction(2))
    False
    """
    if not len(counts):  # nobody: entropy 0
        return l <= 1
    shared = int(np.gcd.reduce(counts))
    reduced = [int(count) // shared for count in counts]  # the comparison is to a power of this
    n = sum(reduced)
    left = n * math.log(n)
    right = n * log(l) + sum(c * math.log(c) for c in reduced)
    if abs(left - right) > CLEAR * max(1.0, abs(left), abs(right)):
        return left > right
    powers = _coprime([(n, n), (l.numerator, -n), (l.denominator, n), *((c, -c) for c in reduced)])
    digits = 50
    while powers:
        with localcontext(prec=digits):
            terms = [Decimal(base).ln() * power for base, power in powers.items()]
            difference = sum(terms, Decimal(0))
            wrong_by = sum((abs(term) for term in terms), Decimal(0)) * Decimal(10) ** (5 - digits)
            if abs(difference) > wrong_by:
                return difference > 0
        digits *= 2
    return True


def log(number: Fraction) -> float:
    """Natural logarithm of a fraction of any size."""
    return math.log(number.numerator) - math.log(number.denominator)


def _coprime(factors: list[tuple[int, int]]) -> dict[int, int]:
    """Write a product of powers with bases that have no common divisor; 1 is the empty product.

    >>> _coprime([(12, 1), (18, -1)])
    {2: 1, 3: -1}
    """
    todo = [(base, power) for base, power in factors if base > 1]
    done: dict[int, int] = {}
    while todo:
        base, power = todo.pop()
        for other in done:
            shared = math.gcd(base, other)
            if shared > 1:
                theirs = done.pop(other)
                parts = (
                    (shared, power + theirs),
                    (base // shared, power),
                    (other // shared, theirs),
                )
                todo += [(b, p) for b, p in parts if b > 1]
                break
        else:
            done[base] = power
    return {base: power for base, power in done.items() if power}
