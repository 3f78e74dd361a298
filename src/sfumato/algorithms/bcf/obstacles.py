"""What keeps a column as a whole general: values that too few people have.

A cut replaces a node by its children for everybody at once. So one child of a root with fewer than
k people whom nothing tells apart, of those who are new in a release, keeps the root, and nothing is
left of the column. All of this depends on quasi-identifiers alone, never on a sensitive value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from sfumato.data.groups import Counts
from sfumato.data.taxonomy import Taxonomy

Why = Literal["free", "rare", "few new", "few"]


@dataclass(frozen=True)
class Obstacle:
    """Whether a column can be told in any detail, by itself.

    "free": it can, at least where nothing is told of the others. "rare": it could, if nobody had
    the values of some nodes. "few new": somebody has such values whom no later release can leave
    out again. "few": there are no two nodes with k people each.
    """

    why: Why
    nodes: tuple[tuple[int, int], ...] = ()  # "rare": first and last rank of each


def obstacle(taxonomy: Taxonomy, new: Counts, stay: Counts, k: int) -> Obstacle:
    """Find what is in the way of a column's root.

    Args:
        taxonomy: Of the column.
        new: (n,) people by rank who are new in the release.
        stay: (n,) people by rank who cannot be left out: published already, or waiting.
        k: Records that every attack has to leave.

    >>> from sfumato import Intervals
    >>> ages, _ = Intervals(10, 20).grow("age", [25, 35, 45, 55, 85])
    >>> obstacle(ages.taxonomy, np.array([9, 9, 9, 9, 1]), np.zeros(5, dtype=int), k=5)
    Obstacle(why='rare', nodes=((4, 4),))
    """
    n_new, n_stay = (np.append(0, np.cumsum(each)) for each in (new, stay))
    low, high = 0, taxonomy.size - 1
    rare: list[tuple[int, int]] = []
    while low < high:
        common = []
        for first, last in _children(taxonomy, low, high):
            here = int(n_new[last + 1] - n_new[first])
            staying = int(n_stay[last + 1] - n_stay[first])
            if here >= k:
                common.append((first, last))
            elif staying:
                return Obstacle("few new")
            elif here:
                rare.append((first, last))
        if len(common) > 1:
            return Obstacle("rare", tuple(rare)) if rare else Obstacle("free")
        if not common:
            break
        low, high = common[0]  # it holds everybody else
    return Obstacle("few")


def _children(taxonomy: Taxonomy, low: int, high: int) -> list[tuple[int, int]]:
    ends = np.array([[low], [high]], dtype=np.int32)
    level = int(taxonomy.enclosing_level(*ends)[0]) - 1
    ranks = slice(low, high + 1)
    sides = np.stack([taxonomy.low[level, ranks], taxonomy.high[level, ranks]], axis=1)
    return [(first, last) for first, last in np.unique(sides, axis=0).tolist()]
