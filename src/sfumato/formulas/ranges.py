"""How far apart a group's numbers lie, exactly."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.data.decimals import as_number
from sfumato.data.groups import Histogram


def as_fractions(labels: Sequence[object]) -> list[Fraction | None] | None:
    """Read values as numbers, the missing one as None; None if one of them is no number."""
    exact = [None if label is None else as_number(label) for label in labels]
    if any(n is None and label is not None for n, label in zip(exact, labels, strict=True)):
        return None
    return [None if number is None else Fraction(number) for number in exact]


def ranges(
    numbers: Sequence[Fraction | None], histogram: Histogram
) -> tuple[list[Fraction], NDArray[np.intp]]:
    """Give the different ranges (largest minus smallest number), and which one each group has.

    A group without numbers has the range 0.

    >>> found, which = ranges([Fraction(1), Fraction(5), None], Histogram.from_dense([[1, 2, 0], [0, 1, 1]]))
    >>> found, which
    ([Fraction(0, 1), Fraction(4, 1)], array([1, 0]))
    """  # noqa: E501
    known = [code for code, number in enumerate(numbers) if number is not None]
    order = sorted(known, key=lambda code: numbers[code] or Fraction(0))
    position = np.full(len(numbers), -1, dtype=np.int64)
    position[order] = np.arange(len(order))
    counted = histogram.only(np.array(known, dtype=np.int32))
    ends = np.tile(np.array([0, 0], dtype=np.int64), (histogram.n_groups, 1))
    filled = np.flatnonzero(counted.n_distinct())
    if len(filled):
        places = position[counted.codes]
        ends[filled, 0] = np.minimum.reduceat(places, counted.starts[filled])
        ends[filled, 1] = np.maximum.reduceat(places, counted.starts[filled])
    in_order = [numbers[code] or Fraction(0) for code in order] or [Fraction(0)]
    shared = math.lcm(*(number.denominator for number in in_order))
    whole = [int(number * shared) for number in in_order]
    fits = max(map(abs, whole)) < 2**62
    scaled = np.array(whole, dtype=np.int64 if fits else object)
    different, which = np.unique(scaled[ends[:, 1]] - scaled[ends[:, 0]], return_inverse=True)
    return [Fraction(int(width), shared) for width in different], which
