"""All groups of k to 2k - 1 people, the tightest first (Meyerson and Williams 2004).

Groups of least diameter for each person whom they cover anew are chosen until everybody is covered;
then people in several groups leave the largest of them, and groups of k that share somebody are
joined. The sum of the diameters is at most 1 + ln 2k times the least, so the cost is within
O(k log k) of it; the number of groups to choose from is exponential in k.
"""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.cell_suppression.kernels import all_groups, cheapest_group, diameters
from sfumato.algorithms.cell_suppression.points import Integers, Parts, Points
from sfumato.errors import BadInput
from sfumato.progress import report
from sfumato.text import count, counted

MOST_GROUPS = 10_000_000


def covering_groups(points: Points, k: int) -> Parts:
    """Give the groups that a greedy cover is reduced to."""
    n = int(points.people.sum())
    return points.parts_of_rows(reduced(chosen_groups(points, k), n, k))


def chosen_groups(points: Points, k: int) -> list[set[int]]:
    """Choose groups of people, by their places in `rows`, until everybody is in one."""
    rows = points.rows
    n = len(rows)
    sizes = range(k, min(2 * k - 1, n) + 1)
    n_groups = sum(comb(n, size) for size in sizes)
    if n_groups > MOST_GROUPS:
        raise BadInput(
            "CellSuppression: algorithm 'meyerson-williams' goes through all groups of "
            f"{count(k)} to {counted(2 * k - 1, 'person', 'people')}, of which "
            f"{counted(n, 'row')} have {count(n_groups)}, and at most {count(MOST_GROUPS)} are "
            "taken; use algorithm='meyerson-williams-balls' or 'forest'"
        )
    one, other = np.divmod(np.arange(n * n), n)
    weights = points.weights(rows[one], rows[other]).reshape(n, n)
    choices = [all_groups(n, size, comb(n, size)) for size in sizes]
    return _cover(choices, [diameters(members, weights) for members in choices], n)


def _cover(
    choices: list[NDArray[np.int32]], diameter: list[NDArray[np.float64]], n: int
) -> list[set[int]]:
    """Choose the tightest groups; choices: by size, (n_groups, size)."""
    covered = np.zeros(n, dtype=bool)
    cover: list[set[int]] = []
    while not covered.all():
        report("covering", int(covered.sum()), n)
        found = [
            cheapest_group(members, wide, covered)
            for members, wide in zip(choices, diameter, strict=True)
        ]
        size = min(range(len(found)), key=lambda s: found[s][1])
        members = choices[size][found[size][0]]
        covered[members] = True
        cover.append(set(members.tolist()))
    return cover


def reduced(cover: list[set[int]], n: int, k: int) -> Integers:
    """Make a partition of groups that share people; give the group of every row.

    Somebody in two groups leaves the larger if that keeps k; two of k each are joined, and have at
    most 2k - 1.
    """
    group = np.zeros(n, dtype=np.int64)
    for row in range(n):
        while len(sharing := [each for each in cover if row in each]) > 1:
            larger, other = sorted(sharing, key=len, reverse=True)[:2]
            if len(larger) > k:
                larger.remove(row)
            else:
                larger |= other
                cover = [each for each in cover if each is not other]
    for number, members in enumerate(cover):
        group[list(members)] = number
    return group
