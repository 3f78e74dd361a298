"""Groups joined with their nearest until a criterion about values holds of all of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.cell_suppression.points import Integers, Parts, Points


def whole_combinations(parts: Parts, n_points: int) -> Integers:
    """Join groups that have people of the same combination; give the group of every point."""
    point, group, _ = parts.T
    first = np.full(n_points, -1, dtype=np.int64)
    first[point[::-1]] = group[::-1]
    number = joined(int(group.max()) + 1, group, first[point])
    return _numbered(number[first])


def with_nearest(points: Points, group: Integers, unsafe: NDArray[np.bool_]) -> Integers:
    """Join every unsafe group with that of the point which is nearest to one of its own."""
    from sfumato.algorithms.cell_suppression.kernels import nearest_outside  # noqa: PLC0415  (a compiler)

    codes, _, *trees = points
    nearest = nearest_outside(codes, *trees, group, unsafe)
    some = np.flatnonzero(nearest >= 0)
    return _numbered(joined(len(unsafe), some, nearest[some])[group])


def joined(n_groups: int, one: Integers, other: Integers) -> Integers:
    """Number groups that are joined, directly or by others, by the least of their numbers."""
    number = np.arange(n_groups)
    while True:
        before = number.copy()
        ends = np.minimum(number[one], number[other])
        np.minimum.at(number, one, ends)
        np.minimum.at(number, other, ends)
        number = number[number]
        if (number == before).all():
            return number


def _numbered(group: Integers) -> Integers:
    return np.unique(group, return_inverse=True)[1].astype(np.int64)
