"""The lattice of full-domain generalizations (Ciriani 2008, section 3)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.algorithm import Suppress
from sfumato.algorithms.lattice.outliers import safe_at_root, told_at_root
from sfumato.criteria.criterion import Criterion
from sfumato.criteria.judging import is_monotone, staying, validate
from sfumato.criteria.repeated import RepeatedQuestion
from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet, Grouping
from sfumato.data.recoding import Cut, OutliersAtRoot
from sfumato.progress import report

if TYPE_CHECKING:
    from sfumato.algorithms.lattice.rollup import NodeGroups

Node = tuple[int, ...]  # a level per quasi-identifier: the distance vector


class Lattice:
    """All nodes over the hierarchies of a frequency set, judged by one criterion."""

    def __init__(self, frequencies: FrequencySet, criterion: Criterion) -> None:
        self.frequencies = frequencies
        self.criterion = validate(criterion, frequencies)
        from sfumato.algorithms.lattice.rollup import RollUp  # noqa: PLC0415  (brings a compiler along)

        self.question = RepeatedQuestion(criterion, frequencies)
        by_value = any(part.looks_at_values for part in criterion.parts)
        self.rollup = RollUp(frequencies, with_values=by_value)

    @cached_property
    def heights(self) -> Node:
        """Height of every quasi-identifier's hierarchy."""
        names = self.frequencies.quasi_identifiers
        return tuple(self.frequencies.domains[name].taxonomy.height for name in names)

    @property
    def height(self) -> int:
        """Height of the top node."""
        return sum(self.heights)

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return int(np.prod([height + 1 for height in self.heights], dtype=object))

    def monotone(self, limit: int) -> bool:
        """Whether no node above a safe one is unsafe, with so many rows suppressed at most."""
        return is_monotone(self.criterion, self.frequencies, suppression=limit > 0)

    def nodes(self) -> Iterator[Node]:
        """Give all nodes in lexicographic order, in which counting them costs least."""
        return itertools.product(*(range(height + 1) for height in self.heights))

    def at_height(self, height: int) -> Iterator[Node]:
        """Give the nodes whose levels add up to `height`, in lexicographic order."""
        return _nodes(self.heights, height)

    def n_at_height(self, height: int) -> int:
        """Number of nodes whose levels add up to `height`."""
        ways = [1]  # by height, of the first columns
        for own in self.heights:
            sums = range(len(ways) + own)
            ways = [sum(ways[max(0, total - own) : total + 1]) for total in sums]
        return ways[height]

    def search(self, limit: int, hopeless: Callable[[Node], bool]) -> Iterator[Node]:
        """Give, in lexicographic order, every node that may be within the limit of suppression.

        Whole branches are left out: those for which `hopeless` says so of their lowest node, and
        those whose highest node shows that every node below it is beyond the limit.
        """
        n_below = [1]  # nodes of a branch, by how many columns are still open
        for height in reversed(self.heights):
            n_below.append(n_below[-1] * (height + 1))
        waiting: list[Node] = [()]
        done = 0
        while waiting:
            levels = waiting.pop()
            rest = len(self.heights) - len(levels)
            report("searching", done, n_below[-1])
            if hopeless(levels + (0,) * rest):
                done += n_below[rest]
            elif not rest:
                done += 1
                yield levels
            elif levels and self._unsafe_below(levels, limit):
                done += n_below[rest]
            else:
                height = self.heights[len(levels)]
                waiting.extend((*levels, level) for level in range(height, -1, -1))

    def _unsafe_below(self, levels: Node, limit: int) -> bool:
        """Whether with these first levels too many people are left out, whatever the others are."""
        return self.question.more_left_out(self.rollup.with_rest_on_top(levels).joint, limit)

    def is_allowed(self, node: Node, limit: int) -> bool:
        """Whether no more people than the limit are in groups that break the criterion."""
        return self.question.staying(self.rollup.at(node).joint, limit) is not None

    def n_suppressed(self, node: Node) -> int:
        """Number of people in groups that break the criterion."""
        groups = self.rollup.at(node)
        return int(groups.sizes[~self.safe(groups)].sum())

    def safe(self, groups: NodeGroups) -> NDArray[np.bool_]:
        """Say for every group of a node whether the criterion holds."""
        safe = self.safe_within(groups, self.frequencies.n_rows)
        assert safe is not None  # noqa: S101  (no more people than there are)
        return safe

    def safe_within(self, groups: NodeGroups, limit: int) -> NDArray[np.bool_] | None:
        """Say which groups of a node are safe; None: more people than the limit are in others."""
        return self.question.staying(groups.joint, limit)

    def unsafe_combinations(self, node: Node) -> NDArray[np.bool_]:
        """Say which combinations of quasi-identifiers would be suppressed at a node."""
        grouping = self.grouping(node)
        unsafe = ~staying(self.criterion, grouping.joint)
        group = np.empty(len(self.frequencies.combinations), dtype=np.intp)
        group[self.frequencies.combination_of] = grouping.index
        return np.asarray(unsafe[group])

    def grouping(self, node: Node) -> Grouping:
        """Give the groups of a node, nobody suppressed."""
        return self._cut(node).grouping(self.frequencies)

    def recoding(self, node: Node, suppress: Suppress = "rows") -> Cut | OutliersAtRoot:
        """Give the recoding of a node, its unsafe groups suppressed.

        suppress: "cells": their people are published at the root, as one group, if that is safe.
        """
        grouping = self.grouping(node)
        unsafe = ~staying(self.criterion, grouping.joint)
        if suppress == "cells":
            at_root = told_at_root(self._domains, grouping.boxes)
            if safe_at_root(self.criterion, grouping.joint, unsafe, at_root):
                return OutliersAtRoot.of(grouping, unsafe, self._levels(node))
        return replace(self._cut(node), suppressed=grouping.boxes[unsafe][:, :, 0])

    def n_at_root(self, node: Node, groups: NodeGroups, safe: NDArray[np.bool_]) -> int:
        """Number of people of unsafe groups who can be published at the root."""
        sides = []
        for j, (domain, level) in enumerate(zip(self._domains.values(), node, strict=True)):
            low = groups.lows(j)
            sides.append(np.stack([low, domain.taxonomy.high[level, low]], axis=1))
        at_root = told_at_root(self._domains, np.stack(sides, axis=1))
        fits = safe_at_root(self.criterion, groups.joint, ~safe, at_root)
        return int(groups.sizes[~safe].sum()) if fits else 0

    @property
    def _domains(self) -> dict[str, Domain]:
        names = self.frequencies.quasi_identifiers
        return {name: self.frequencies.domains[name] for name in names}

    def _levels(self, node: Node) -> dict[str, int]:
        return dict(zip(self.frequencies.quasi_identifiers, node, strict=True))

    def _cut(self, node: Node) -> Cut:
        return Cut.at_levels(self.frequencies.domains, self._levels(node))


def right_below(node: Node) -> list[Node]:
    """Give the nodes with one column one level down, in the order of the columns.

    >>> right_below((2, 0, 1))
    [(1, 0, 1), (2, 0, 0)]
    """
    return [(*node[:j], level - 1, *node[j + 1 :]) for j, level in enumerate(node) if level > 0]


def _nodes(heights: Node, height: int) -> Iterator[Node]:
    if not heights:
        if height == 0:
            yield ()
        return
    rest = sum(heights[1:])
    for level in range(max(0, height - rest), min(heights[0], height) + 1):
        for below in _nodes(heights[1:], height - level):
            yield (level, *below)
