"""Groups joined until a criterion about values holds of all of them."""

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


def with_cheapest(points: Points, group: Integers, unsafe: NDArray[np.bool_]) -> Integers:
    """Join unsafe groups with those where that costs least.

    The cheapest come first, and whom another has joined need not join a third: perhaps the two
    are safe.
    """
    from sfumato.algorithms.cell_suppression.kernels import cheapest_partners  # noqa: PLC0415  (a compiler)

    n_groups = len(unsafe)
    levels, member = points.group_levels(np.arange(len(group)), group, n_groups)
    sizes = np.bincount(group, weights=points.people, minlength=n_groups).astype(np.int64)
    codes, _, *trees = points
    partner, cost = cheapest_partners(codes[member], levels, sizes, *trees, unsafe)
    together = np.zeros(n_groups, dtype=bool)
    joining = []
    for own in np.argsort(cost, kind="stable"):
        if partner[own] >= 0 and not together[own]:
            together[own] = together[partner[own]] = True
            joining.append(own)
    asking = np.array(joining, dtype=np.int64)
    return _numbered(joined(n_groups, asking, partner[asking])[group])


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
