"""What `Optimal` minimizes: the price of a node, and a bound that never exceeds it.

Every metric also prices a suppressed row. A bound ignores suppression, which can only make a node
dearer, and grows along every path to the top; so a node whose bound is above the best price found
is settled without counting it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.data.frequency import sum_by
from sfumato.formulas.loss import coverage_loss, discernibility, value_entropy

if TYPE_CHECKING:
    from sfumato.algorithms.lattice import Lattice, Node
    from sfumato.algorithms.rollup import NodeGroups


Price = int | Fraction | float  # exact where it can be


class Metric(ABC):
    """A price to minimize."""

    def __init__(self, lattice: Lattice) -> None:
        self.lattice = lattice
        self.n_rows = lattice.frequencies.n_rows

    def bound(self, node: Node) -> Price:
        """Give a price that no recoding at this node or above it goes below."""
        del node
        return -float("inf")

    @abstractmethod
    def price(self, node: Node, groups: NodeGroups, safe: NDArray[np.bool_]) -> Price:
        """Give the price of a node with its unsafe groups suppressed."""


class ByColumn(Metric):
    """A metric that adds up what each column loses at its level; a suppressed row costs 1."""

    def __init__(self, lattice: Lattice) -> None:
        super().__init__(lattice)
        frequencies = lattice.frequencies
        ground = frequencies.combinations
        self.codes = [ground.codes(name) for name in ground.columns]
        self.counts = ground.counts
        self.costs = []  # [column][level]: (n_values,) cost of a row with this ground value
        for name, codes in zip(ground.columns, self.codes, strict=True):
            rows = sum_by(codes.astype(np.intp), self.counts, len(ground.domains[name]))
            height = ground.domains[name].taxonomy.height
            self.costs.append([self.cost(name, rows, level) for level in range(height + 1)])
        self.totals = [
            [float(self.counts @ cost[codes]) for cost in levels]
            for codes, levels in zip(self.codes, self.costs, strict=True)
        ]

    @abstractmethod
    def cost(self, column: str, rows: NDArray[np.int64], level: int) -> NDArray[np.float64]:
        """Give the cost of one row per ground value; rows: how many people have each value."""

    def bound(self, node: Node) -> Price:
        """Add up the columns as if nobody were suppressed."""
        return sum(totals[level] for totals, level in zip(self.totals, node, strict=True))

    def price(self, node: Node, groups: NodeGroups, safe: NDArray[np.bool_]) -> Price:
        """Add up the columns of everybody who is published; everybody else costs all there is."""
        if safe.all():
            return self.bound(node)
        kept = groups.sizes[safe]
        published = sum(
            float(kept @ levels[level][groups.lows(j)[safe]])
            for j, (levels, level) in enumerate(zip(self.costs, node, strict=True))
        )
        return published + (self.n_rows - int(kept.sum())) / self.n_rows


class Loss(ByColumn):
    """Information loss of Wong 2009, definition 7, equal weights; a suppressed row costs 1."""

    def cost(self, column: str, rows: NDArray[np.int64], level: int) -> NDArray[np.float64]:
        """Share of the other ground values that the node covers."""
        del rows
        taxonomy = self.lattice.frequencies.domains[column].taxonomy
        boxes = np.stack([taxonomy.low[level], taxonomy.high[level]], axis=1)[:, np.newaxis]
        weight = 1 / (len(self.lattice.heights) * self.n_rows)
        return np.asarray(coverage_loss(boxes, [taxonomy.size])[:, 0] * weight)


class Precision(ByColumn):
    """1 minus Sweeney's precision: levels as shares of heights; a suppressed row costs 1."""

    def cost(self, column: str, rows: NDArray[np.int64], level: int) -> NDArray[np.float64]:
        """Level over height, the same for all values."""
        taxonomy = self.lattice.frequencies.domains[column].taxonomy
        share = level / taxonomy.height / (len(self.lattice.heights) * self.n_rows)
        return np.full(len(rows), share)


class Entropy(ByColumn):
    """Non-uniform entropy in bits; a suppressed row costs what the roots of all columns cost."""

    def cost(self, column: str, rows: NDArray[np.int64], level: int) -> NDArray[np.float64]:
        """Bits needed to get from the node back to the value, as common as they are."""
        return value_entropy(rows, self.lattice.frequencies.domains[column].taxonomy.low[level])

    def price(self, node: Node, groups: NodeGroups, safe: NDArray[np.bool_]) -> Price:
        """Add up combination by combination: the bits depend on the value, not the node alone."""
        del groups
        if safe.all():
            return self.bound(node)
        left_out = self.lattice.unsafe_combinations(node)
        bits = 0.0
        for codes, levels, level in zip(self.codes, self.costs, node, strict=True):
            bits += float(self.counts @ np.where(left_out, levels[-1][codes], levels[level][codes]))
        return bits


class Height(Metric):
    """Sum of the levels; suppressed rows are free."""

    def bound(self, node: Node) -> Price:
        """The price itself."""
        return sum(node)

    def price(self, node: Node, groups: NodeGroups, safe: NDArray[np.bool_]) -> Price:
        """Add up the levels."""
        del groups, safe
        return self.bound(node)


class RelativeHeight(Height):
    """Sum of the levels, each as a share of its hierarchy's height; suppressed rows are free."""

    def bound(self, node: Node) -> Price:
        """The price itself."""
        heights = self.lattice.heights
        return sum((Fraction(a, b) for a, b in zip(node, heights, strict=True)), Fraction(0))


class Discernibility(Metric):
    """Sum of squared group sizes; a suppressed row costs the number of rows of the table."""

    def price(self, node: Node, groups: NodeGroups, safe: NDArray[np.bool_]) -> Price:
        """Add up squares."""
        del node
        kept = groups.sizes[safe]
        return discernibility(kept, self.n_rows - int(kept.sum()))


class AverageClass(Metric):
    """Rows of the table per published group; a suppressed row counts as a row in no group."""

    def price(self, node: Node, groups: NodeGroups, safe: NDArray[np.bool_]) -> Price:
        """Divide."""
        del node, groups
        n_groups = int(safe.sum())
        return Fraction(self.n_rows, n_groups) if n_groups else float("inf")


class Distinct(Metric):
    """As many groups as possible; a suppressed row costs nothing but its group."""

    def price(self, node: Node, groups: NodeGroups, safe: NDArray[np.bool_]) -> Price:
        """Count, and turn the sign, since prices are minimized."""
        del node, groups
        return -int(safe.sum())


METRICS: dict[str, type[Metric]] = {
    "loss": Loss,
    "discernibility": Discernibility,
    "average_class": AverageClass,
    "precision": Precision,
    "height": Height,
    "relative_height": RelativeHeight,
    "distinct": Distinct,
    "entropy": Entropy,
}
