"""The cheapest groups there are, by dynamic programming over all sets of a few people."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.cell_suppression.kernels import best_partition
from sfumato.algorithms.cell_suppression.points import Parts, Points
from sfumato.errors import BadInput
from sfumato.text import count, counted

MOST_ROWS = 16


def optimal_groups(points: Points, k: int) -> Parts:
    """Give a partition of least cost.

    A group of 2k people or more is two groups that lose no more, so only those of k to 2k - 1 are
    considered.
    """
    n = int(points.people.sum())
    if n > MOST_ROWS:
        raise BadInput(
            "CellSuppression: algorithm 'optimal' goes through all sets of people, so it takes at "
            f"most {counted(MOST_ROWS, 'row')}, got {count(n)}; algorithm='forest' takes any number"
        )
    last = best_partition(_costs(points, n, k), n)
    group = np.zeros(n, dtype=np.int64)
    left, n_groups = (1 << n) - 1, 0
    while left:
        members = int(last[left])
        group[[i for i in range(n) if members >> i & 1]] = n_groups
        left, n_groups = left ^ members, n_groups + 1
    return points.parts_of_rows(group)


def _costs(points: Points, n: int, k: int) -> NDArray[np.float64]:
    """Give what every set of rows loses as a group, by its bits; infinite where it is none."""
    rows = points.rows
    sets = np.arange(1 << n)
    inside = (sets[:, np.newaxis] >> np.arange(n)) & 1 == 1  # (n_sets, n)
    sizes = inside.sum(axis=1)
    first = inside.argmax(axis=1)
    lost = np.zeros(1 << n)
    for j in range(points.codes.shape[1]):
        one, other = np.divmod(np.arange(n * n), n)
        levels = points.levels(rows[one], rows[other])[:, j].reshape(n, n)
        lost += np.where(inside, levels[first], 0).max(axis=1) / points.heights[j]
    return np.where((sizes >= k) & (sizes < 2 * k), sizes * lost, np.inf)
