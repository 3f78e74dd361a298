"""How much more or less frequent a value is in a group than in the whole table, in integers.

c_i of the n people in the group have value i, and r_i of the N people in the table. With the shares
p = c_i / n and q = r_i / N, everything here is about p / q = c_i N / (n r_i).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.data.groups import Counts, Histogram
from sfumato.formulas.exact import CLEAR, Exact, largest_ratio
from sfumato.formulas.logarithms import compare_ln, compare_log2, log2_beside

FAR = Fraction(10**300)  # a float still, and larger than the logarithm of any ratio


def likeness(sizes: Counts, histogram: Histogram, reference: Counts) -> tuple[Exact, Exact]:
    """Give p / q of every value that a group has, as numerators and denominators: (n_entries,).

    A denominator is 0 where nobody in the table has the value.
    """
    total = int(reference.sum())
    fits = max(1, int(sizes.max(initial=1))) * max(1, total) < 2**62
    exact = np.int64 if fits else object
    people = sizes[histogram.group_of].astype(exact)
    return histogram.counts.astype(exact) * total, people * reference[histogram.codes].astype(exact)


def rises_at_most_information(
    here: Exact, there: Exact, had: Counts, total: int
) -> NDArray[np.bool_]:
    """Decide (p - q) / q <= -ln q for every p / q = here / there and q = had / total, all above 0.

    >>> here, there, had = np.array([2, 5, 1]), np.array([1, 4, 1]), np.array([1, 1, 2])
    >>> rises_at_most_information(here, there, had, 2)
    array([False,  True,  True])
    """
    rises = (here / there).astype(np.float64) - 1
    information = -np.log(had / total)
    held = rises <= information
    near = np.abs(rises - information) <= CLEAR * np.maximum(1, np.abs(rises))

    def is_held(n: int, m: int, r: int) -> bool:
        return compare_ln(Fraction(r, total), 1 - Fraction(n, m)) <= 0

    return _decided(held, near, is_held, here, there, had)


def differs_by_less(here: Exact, there: Exact, delta: Fraction) -> NDArray[np.bool_]:
    """Decide |log2 (p / q)| < delta for every p / q = here / there, both above 0.

    >>> differs_by_less(np.array([3, 4, 1, 1]), np.array([2, 2, 2, 1]), Fraction(1))
    array([ True, False, False,  True])
    """
    differences, limit = np.abs(_log2(here) - _log2(there)), float(min(delta, FAR))
    near = np.abs(differences - limit) <= CLEAR * max(1.0, limit)

    def is_held(n: int, m: int) -> bool:
        return compare_log2(Fraction(max(n, m), min(n, m)), delta) < 0

    return _decided(differences < limit, near, is_held, here, there)


def largest_difference(here: Exact, there: Exact, delta: Fraction) -> float:
    """Give the largest |log2 (p / q)| of all p / q = here / there, both above 0; 0 without any.

    It is less than delta if and only if all of them are.

    >>> largest_difference(np.array([8, 1]), np.array([1, 4]), Fraction(3))
    3.0
    """
    ratio = largest_ratio(np.maximum(here, there), np.minimum(here, there))
    return 0.0 if ratio is None else log2_beside(Fraction(ratio), delta)


def _log2(numbers: Exact) -> NDArray[np.float64]:
    if numbers.dtype == object:
        return np.array([math.log2(number) for number in numbers], dtype=np.float64)
    return np.log2(numbers)


def _decided(
    held: NDArray[np.bool_],
    near: NDArray[np.bool_],
    is_held: Callable[..., bool],
    *numbers: Exact,
) -> NDArray[np.bool_]:
    """Decide again what is near a tie, equal numbers once."""
    known: dict[tuple[int, ...], bool] = {}
    for j in np.flatnonzero(near):
        case = tuple(int(each[j]) for each in numbers)
        if case not in known:
            known[case] = is_held(*case)
        held[j] = known[case]
    return held
