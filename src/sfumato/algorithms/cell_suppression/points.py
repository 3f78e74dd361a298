"""Combinations as points, and how many cells two of them cannot keep in common."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.data.frequency import FrequencySet
from sfumato.data.groups import Counts

Integers = NDArray[np.int64]
Parts = NDArray[np.int64]  # (n, 3): point, group, people of the point in the group


class Points(NamedTuple):
    """Distinct combinations of quasi-identifiers with their people, and the trees of the columns.

    The weight between two points is the sum over the columns of h / l: l is the height of the
    column's tree, h that of the nearest node that holds both values. A tree of height 1, whose
    root stands for a suppressed cell, makes that the number of columns in which they differ.
    """

    codes: NDArray[np.int32]  # (n_points, n_columns)
    people: Counts  # (n_points,)
    heights: Integers  # (n_columns,)
    nodes: NDArray[np.int32]  # the node of every value, level after level, column after column
    begin: Integers  # (n_columns,) where a column's nodes begin
    n_values: Integers  # (n_columns,)

    @classmethod
    def of_combinations(cls, ground: FrequencySet, *, hierarchies: bool) -> Points:
        """See combinations as points; hierarchies: whether values have nodes below the root."""
        trees = [ground.domains[name].taxonomy for name in ground.columns]
        nodes = [tree.low.ravel() for tree in trees]
        return cls(
            np.stack([ground.codes(name) for name in ground.columns], axis=1).astype(np.int32),
            np.ascontiguousarray(ground.counts, dtype=np.int64),
            np.array([max(tree.height, 1) if hierarchies else 1 for tree in trees], dtype=np.int64),
            np.concatenate(nodes).astype(np.int32),
            np.cumsum([0, *(len(each) for each in nodes[:-1])], dtype=np.int64),
            np.array([tree.size for tree in trees], dtype=np.int64),
        )

    def levels(self, one: Integers, other: Integers) -> NDArray[np.int32]:
        """Give the heights of the nearest nodes that hold both; (n, n_columns)."""
        levels = np.zeros((len(one), self.codes.shape[1]), dtype=np.int32)
        for j, height in enumerate(self.heights):
            a, b = self.codes[one, j], self.codes[other, j]
            apart = a != b
            levels[apart, j] = 1
            for level in range(1, height):
                at = self.begin[j] + level * self.n_values[j]
                apart &= self.nodes[at + a] != self.nodes[at + b]
                levels[apart, j] = level + 1
        return levels

    def weights(self, one: Integers, other: Integers) -> NDArray[np.float64]:
        """Give the weights between points."""
        return np.asarray((self.levels(one, other) / self.heights).sum(axis=1))

    def group_levels(
        self, point: Integers, group: Integers, n_groups: int
    ) -> tuple[NDArray[np.int32], Integers]:
        """Give the nearest nodes that hold whole groups, by height, and a member of each group.

        Nodes are nested: the largest that one member needs with another serves them all.
        """
        member = np.zeros(n_groups, dtype=np.int64)
        member[group[::-1]] = point[::-1]
        levels = np.zeros((n_groups, self.codes.shape[1]), dtype=np.int32)
        np.maximum.at(levels, group, self.levels(member[group], point))
        return levels, member

    def cost(self, parts: Parts) -> float:
        """Give what groups lose: cells of people, each by the share of its tree that it goes up."""
        point, group, people = parts.T
        n_groups = int(group.max()) + 1
        levels, _ = self.group_levels(point, group, n_groups)
        sizes = np.zeros(n_groups, dtype=np.int64)
        np.add.at(sizes, group, people)
        return float(sizes @ (levels / self.heights).sum(axis=1))

    @property
    def rows(self) -> Integers:
        """The point of every person."""
        return np.repeat(np.arange(len(self.people)), self.people)

    def parts_of_rows(self, group: Integers) -> Parts:
        """Count the people of every point in every group; group: (n_people,), as `rows`."""
        pairs, people = np.unique(np.stack([self.rows, group]), axis=1, return_counts=True)
        return np.column_stack([*pairs, people]).astype(np.int64)
