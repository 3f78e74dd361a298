"""The lattice of full-domain generalizations (Ciriani 2008, section 3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.criteria.base import Criterion, holding
from sfumato.data.frequency import FrequencySet, Grouping
from sfumato.data.keys import Keys, distinct
from sfumato.data.recoding import Cut, Recoding

Node = tuple[int, ...]  # a level per quasi-identifier: the distance vector


@dataclass(frozen=True, eq=False)
class Judged:
    """A node with the people that would have to be suppressed there."""

    node: Node
    unsafe: NDArray[np.bool_]  # (n_groups,)
    n_suppressed: int


@dataclass(frozen=True, eq=False)
class Lattice:
    """All nodes over the hierarchies of a frequency set, judged by one criterion."""

    frequencies: FrequencySet
    criterion: Criterion

    @cached_property
    def heights(self) -> Node:
        """Height of every quasi-identifier's hierarchy."""
        names = self.frequencies.quasi_identifiers
        return tuple(self.frequencies.domains[name].taxonomy.height for name in names)

    @property
    def height(self) -> int:
        """Height of the top node."""
        return sum(self.heights)

    def at_height(self, height: int) -> Iterator[Node]:
        """Give the nodes whose levels add up to `height`, in lexicographic order."""
        return _nodes(self.heights, height)

    def judge(self, node: Node) -> Judged:
        """Count the people in groups that break the criterion."""
        key = np.bitwise_or.reduce([self._fields[j][level] for j, level in enumerate(node)])
        _, index = distinct(key)
        n_groups = int(index.max(initial=-1)) + 1
        # The boxes are not needed to judge: an empty one per group stands for them.
        boxes = np.zeros((n_groups, 0, 2), dtype=np.int32)
        grouping = Grouping(self.frequencies, boxes, index[self.frequencies.combination_of])
        unsafe = ~holding(self.criterion, grouping)
        return Judged(node, unsafe, int(grouping.sizes[unsafe].sum()))

    def grouping(self, node: Node) -> Grouping:
        """Give the groups of a node, nobody suppressed."""
        return self._cut(node).grouping(self.frequencies)

    def recoding(self, judged: Judged) -> Recoding:
        """Give the recoding of a judged node, its unsafe groups suppressed."""
        boxes = self.grouping(judged.node).boxes
        return Recoding(replace(self._cut(judged.node), suppressed=boxes[judged.unsafe][:, :, 0]))

    def _cut(self, node: Node) -> Cut:
        levels = dict(zip(self.frequencies.quasi_identifiers, node, strict=True))
        return Cut.at_levels(self.frequencies.domains, levels)

    @cached_property
    def _fields(self) -> list[list[Keys]]:
        """The bits of every column at every level: a node's keys are their disjunction."""
        ground = self.frequencies.combinations
        fields = []
        for j, name in enumerate(ground.columns):
            taxonomy, codes = ground.domains[name].taxonomy, ground.codes(name)
            blank = [np.zeros_like(codes)] * len(ground.columns)
            levels = [
                ground.layout.pack([*blank[:j], taxonomy.low[level][codes], *blank[j + 1 :]])
                for level in range(taxonomy.height + 1)
            ]
            fields.append(levels)
        return fields


def _nodes(heights: Node, height: int) -> Iterator[Node]:
    if not heights:
        if height == 0:
            yield ()
        return
    rest = sum(heights[1:])
    for level in range(max(0, height - rest), min(heights[0], height) + 1):
        for below in _nodes(heights[1:], height - level):
            yield (level, *below)
