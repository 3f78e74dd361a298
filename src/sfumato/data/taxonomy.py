"""The tree of one column, laid out so that every node is an interval of ground ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import BadInput

Ranks = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Taxonomy:
    """Ground values in tree order, and the node that holds each of them at every level.

    Level 0 is the ground, level `height` the root. In a tree whose branches end at different
    depths, level i cuts the tree at depth `height - i`, and a leaf above that depth stays itself.
    """

    low: Ranks  # (height + 1, n): first rank of the node that holds rank j at level i
    high: Ranks  # (height + 1, n): last rank of it
    # [level][rank]; None: the missing value
    labels: tuple[Sequence[object], ...] = field(repr=False)

    @property
    def height(self) -> int:
        """Number of generalization steps from the ground to the root."""
        return len(self.labels) - 1

    @property
    def size(self) -> int:
        """Number of ground values (Wong 2009, definition 6: the base)."""
        return len(self.labels[0])

    @classmethod
    def from_levels(cls, levels: Sequence[Sequence[object]], where: str) -> Taxonomy:
        """Compile labels per level, ground values already in tree order.

        Refused: a level that does not nest in the one above, and a label of two nodes with
        different ground values.
        """
        n = len(levels[0])
        low = np.empty((len(levels), n), dtype=np.int32)
        high = np.empty((len(levels), n), dtype=np.int32)
        named: dict[object, tuple[int, int]] = {}
        for level, labels in enumerate(levels):
            starts = [0] + [j for j in range(1, n) if labels[j] != labels[j - 1]]
            ends = [*starts[1:], n]
            for start, end in zip(starts, ends, strict=True):
                low[level, start:end] = start
                high[level, start:end] = end - 1
                label = labels[start]
                if label is not None and level > 0:  # a ground value may be named like its parent
                    known = named.setdefault(label, (start, end))
                    if known != (start, end):
                        raise BadInput(
                            f"{where}: level {level}: one label stands for two different sets of "
                            "values; give each node a name of its own",
                            [label],
                        )
        broken = np.flatnonzero((low[1:] > low[:-1]).any(axis=0) | (high[1:] < high[:-1]).any(0))
        if broken.size:
            raise BadInput(
                f"{where}: not nested: values that share a node at one level are apart at a "
                "higher one",
                [levels[0][broken[0]]],
            )
        return cls(low, high, tuple(tuple(labels) for labels in levels))

    def names(self, *, ground: bool) -> Mapping[str, tuple[int, int]]:
        """First and last rank of the nodes by their names; of several with one name the largest.

        ground: with the values themselves.
        """
        names: dict[str, tuple[int, int]] = {}
        for level, labels in enumerate(self.labels):
            if level == 0 and not ground:
                continue
            for rank, name in enumerate(labels):
                if name is not None and self.low[level, rank] == rank:
                    names[str(name)] = rank, int(self.high[level, rank])
        return names

    def enclosing_level(self, low: Ranks, high: Ranks) -> Ranks:
        """Level of the smallest node around each interval `[low, high]`."""
        inside = (self.low[:, low] <= low) & (self.high[:, low] >= high)  # (height + 1, m)
        return np.asarray(np.argmax(inside, axis=0), dtype=np.int32)

    def largest_nodes(self, low: Ranks, high: Ranks) -> tuple[Ranks, Ranks]:
        """Find the largest nodes inside intervals `[low, high]` that cover them.

        Returns those of all intervals together, each node once, in order: first ranks and levels.
        """
        found = np.zeros(self.low.shape[::-1], dtype=bool)  # (n, height + 1)
        while len(low):
            level = np.zeros(len(low), dtype=np.intp)
            for above in range(1, self.height + 1):
                fits = (self.low[above, low] == low) & (self.high[above, low] <= high)
                level[fits] = above
            found[low, level] = True
            following = self.high[level, low] + 1
            further = following <= high
            low, high = following[further], high[further]
        first, level = np.nonzero(found)
        return first.astype(np.int32), level.astype(np.int32)

    def common_coverage(self, one: Ranks, other: Ranks) -> Ranks:
        """Give the number of ground values below the nearest common ancestor of each two."""
        low, high = np.minimum(one, other), np.maximum(one, other)
        level = self.enclosing_level(low, high)
        return np.asarray(self.high[level, low] - self.low[level, low] + 1, dtype=np.int32)


def in_tree_order(paths: Sequence[Sequence[object]]) -> list[int]:
    """Order rows `(ground, level 1, ..., root)` so that every node is contiguous.

    Nodes and ground values keep the order of their first appearance.
    """
    first: dict[tuple[int, object], int] = {}
    for row, path in enumerate(paths):
        for level, label in enumerate(path):
            first.setdefault((level, label), row)
    top_down = [
        tuple(first[level, path[level]] for level in range(len(path) - 1, -1, -1)) for path in paths
    ]
    return sorted(range(len(paths)), key=top_down.__getitem__)
