"""What keeps a column as a whole general: values that too few people have.

A cut replaces a node by its children for everybody at once. So one child of a root with fewer than
k people keeps the root, and nothing is left of the column. So does one with fewer than k newcomers,
where an earlier release told how many of its people were there before: the difference is what the
backward attack leaves (Fung 2008, theorem 4.4). Where that release told the child only together
with others, newcomers are counted in all of these. All of this depends on quasi-identifiers alone,
never on a sensitive value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

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


@dataclass(frozen=True, eq=False)
class Told:
    """What an earlier release, a cut, tells of a column."""

    older: Counts  # (n,) its people by rank
    sides: NDArray[np.int32]  # (m, 2) first and last rank of what it publishes

    def around(self, first: int, last: int) -> tuple[int, int]:
        """Give the ranks that it publishes together with all of these; else these."""
        for low, high in self.sides.tolist():
            if low <= first and last <= high:
                return low, high
        return first, last


def obstacle(
    taxonomy: Taxonomy, new: Counts, stay: Counts, k: int, earlier: Sequence[Told] = ()
) -> Obstacle:
    """Find what is in the way of a column's root.

    Args:
        taxonomy: Of the column.
        new: (n,) people by rank who are new in the release.
        stay: (n,) people by rank who cannot be left out: published already, or waiting.
        k: Records that every attack has to leave.
        earlier: The earlier releases in their order; the last has everybody who is published.

    >>> from sfumato import Intervals
    >>> ages, _ = Intervals(10, 20).grow("age", [25, 35, 45, 55, 85])
    >>> obstacle(ages.taxonomy, np.array([9, 9, 9, 9, 1]), np.zeros(5, dtype=int), k=5)
    Obstacle(why='rare', nodes=((4, 4),))
    """
    new = np.array(new)
    published = earlier[-1].older if earlier else np.zeros_like(new)
    low, high = 0, taxonomy.size - 1
    rare: list[tuple[int, int]] = []
    while low < high:
        children = _children(taxonomy, low, high)
        for first, last in children:
            inside = slice(first, last + 1)
            if 0 < new[inside].sum() < k and not stay[inside].any():
                rare.append((first, last))
                new[inside] = 0  # if they were left out
        common = [each for each in children if (new + stay)[each[0] : each[1] + 1].any()]
        n_all = np.append(0, np.cumsum(new + published))
        since = [np.append(0, np.cumsum(new + published - told.older)) for told in earlier]
        for first, last in common:
            parts = [told.around(first, last) for told in earlier]
            least = [int(n[b + 1] - n[a]) for n, (a, b) in zip(since, parts, strict=True)]
            if min([int(n_all[last + 1] - n_all[first]), *least]) < k:
                return Obstacle("few new" if stay[first : last + 1].any() else "few")
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
