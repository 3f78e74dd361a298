"""t-closeness judged by compiled loops, in integers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.compiled import suited
from sfumato.criteria.judge import Definition, Judge, whole_people
from sfumato.data.groups import Counts, Groups
from sfumato.formulas.exact import at_most
from sfumato.formulas.measures import value_kernels

LARGEST = 2**62


@dataclass(frozen=True, eq=False)
class TreeJudge(Judge):
    """The distance over the levels of a tree; with the ground level alone the equal one."""

    t: Fraction
    node_of: NDArray[np.int64]  # (n_levels, n_values): numbers of nodes, different in each level
    expected: Counts  # (n_nodes,)
    total: int

    @classmethod
    def of(
        cls,
        definition: Definition,
        t: Fraction,
        lows: Sequence[NDArray[np.int32]],
        reference: Counts,
    ) -> Judge:
        """Number the nodes; `lows` gives for every level the first value of each value's node."""
        total = int(reference.sum())
        if not _fits(total, 2 * len(lows)):
            return Judge(definition)
        n_values = len(reference)
        node_of = np.stack([low + n_values * level for level, low in enumerate(lows)])
        expected = np.zeros(node_of.size, dtype=np.int64)
        for nodes in node_of:
            np.add.at(expected, nodes, reference)
        return cls(definition, t, node_of.astype(np.int64), expected, total)

    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        """Compare every group's distance with t."""
        loops = _loops(groups, self.node_of.size)
        found = loops.tree_numerators(*_entries(groups), self.node_of, self.expected, self.total)
        return at_most(found, groups.sizes * (self.total * 2 * len(self.node_of)), self.t)

    def surplus(self, groups: Groups, held: NDArray[np.bool_]) -> Counts:
        """Those who keep nodes from having their share."""
        allowed = float(self.t * len(self.node_of))
        table = (self.node_of, self.expected, self.total)
        loops = _loops(groups, self.node_of.size)
        surplus = loops.tree_surplus(*_entries(groups), *table, allowed, ~held)
        return whole_people(surplus, groups.sizes, held)


@dataclass(frozen=True, eq=False)
class LineJudge(Judge):
    """The distance of values on a line, one step apart."""

    t: Fraction
    upto: Counts  # (n_values,) people of the table who have a value or one before it
    total: int

    @classmethod
    def of(cls, definition: Definition, t: Fraction, reference: Counts) -> Judge:
        """Add the table up along the line."""
        total = int(reference.sum())
        if not _fits(total, 2 * len(reference)):
            return Judge(definition)
        return cls(definition, t, np.cumsum(reference), total)

    @property
    def steps(self) -> int:
        """From one end of the line to the other; 1 where there is one value."""
        return max(1, len(self.upto) - 1)

    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        """Compare every group's distance with t."""
        loops = _loops(groups, len(self.upto))
        found = loops.line_numerators(*_entries(groups), self.upto, self.total)
        return at_most(found, groups.sizes * (self.total * self.steps), self.t)

    def surplus(self, groups: Groups, held: NDArray[np.bool_]) -> Counts:
        """Those who keep both sides of a place on the line from having their share."""
        allowed = float(self.t * self.steps)
        loops = _loops(groups, len(self.upto))
        surplus = loops.line_surplus(*_entries(groups), self.upto, self.total, allowed, ~held)
        return whole_people(surplus, groups.sizes, held)


def _fits(total: int, terms: int) -> bool:
    """Whether sums of so many products of two numbers of people fit into 64 bits."""
    return total * total * terms < LARGEST


def _loops(groups: Groups, n_places: int) -> Any:
    return suited(value_kernels, len(groups.sizes) * n_places)


def _entries(groups: Groups) -> tuple[Counts, NDArray[np.int32], Counts, Counts]:
    histogram = groups.histogram
    return histogram.starts, histogram.codes, histogram.counts, groups.sizes
