"""What `Optimal` minimizes: the price of a node, and a bound that never exceeds it.

Every metric also prices a suppressed row. A bound ignores suppression, which can only make a node
dearer, and grows along every path to the top; so a node whose bound is above the best price found
is settled without counting it.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.lattice.units import (
    MOST,
    Price,
    Units,
    additive,
    constant,
    rounded,
    squared,
)
from sfumato.data.frequency import sum_by
from sfumato.data.taxonomy import Taxonomy
from sfumato.errors import BadInput, nearest, shown
from sfumato.formulas.exact import sum_of_products
from sfumato.formulas.measures.loss import attribute_weights, discernibility, value_entropy

if TYPE_CHECKING:
    from sfumato.algorithms.lattice.lattice import Lattice, Node
    from sfumato.algorithms.lattice.rollup import NodeGroups


Weights = Mapping[str, float | Fraction | str]  # how much each column counts


class Metric(ABC):
    """A price to minimize."""

    weighted: ClassVar[bool] = False  # whether some columns may count more than others

    def __init__(self, lattice: Lattice, weights: Weights | None) -> None:
        del weights  # most prices are not sums over columns
        self.lattice = lattice
        self.n_rows = lattice.frequencies.n_rows

    def bound(self, node: Node) -> Price:
        """Give a price that no recoding at this node or above it goes below."""
        del node
        return -float("inf")

    @abstractmethod
    def units(self, least: int, *, at_root: bool) -> Units:
        """Give what bounds are added up in.

        least: people of a safe group, at least. at_root: whether all who are in none may be
        published as one group.
        """

    def told(self, price: Price) -> Fraction:
        """Give a price as it is told."""
        return Fraction(price)

    @abstractmethod
    def price(
        self, node: Node, groups: NodeGroups, safe: NDArray[np.bool_], n_at_root: int = 0
    ) -> Price:
        """Give the price of a node with its unsafe groups suppressed.

        n_at_root: people of unsafe groups who are published as one group at the root, or 0.
        """


class ByColumn(Metric):
    """A metric that adds up what each column loses at its level.

    Costs are whole numbers of a unit that all columns share, so that prices are exact.
    """

    weighted: ClassVar[bool] = True

    def __init__(self, lattice: Lattice, weights: Weights | None) -> None:
        super().__init__(lattice, weights)
        ground = lattice.frequencies.combinations
        self.codes = [ground.codes(name) for name in ground.columns]
        self.counts = ground.counts
        wholes = [self.whole(ground.domains[name].taxonomy) for name in ground.columns]
        shares = [
            weight / whole
            for weight, whole in zip(
                attribute_weights(ground.columns, weights), wholes, strict=True
            )
        ]
        self.suppressed = math.lcm(*(share.denominator for share in shares))  # all of every column
        self.unit_of = [int(share * self.suppressed) for share in shares]
        self.costs = []  # [column][level]: (n_values,) cost of a row with this ground value
        for name in ground.columns:
            taxonomy = ground.domains[name].taxonomy
            levels = range(taxonomy.height + 1)
            self.costs.append([self.cost(taxonomy, level) for level in levels])
        self.root = sum(  # a row at the root; a column with one value loses nothing there
            unit * int(levels[-1].max(initial=0))
            for unit, levels in zip(self.unit_of, self.costs, strict=True)
        )
        self.totals = [
            [unit * sum_of_products(self.counts, cost[codes]) for cost in levels]
            for unit, codes, levels in zip(self.unit_of, self.codes, self.costs, strict=True)
        ]

    @abstractmethod
    def whole(self, taxonomy: Taxonomy) -> int:
        """Give the cost of a row of a column that has lost everything."""

    @abstractmethod
    def cost(self, taxonomy: Taxonomy, level: int) -> NDArray[np.int64]:
        """Give the cost of one row per ground value at a level, out of `whole`."""

    def bound(self, node: Node) -> Price:
        """Add up the columns as if nobody were suppressed."""
        return sum(totals[level] for totals, level in zip(self.totals, node, strict=True))

    def units(self, least: int, *, at_root: bool) -> Units:
        """What everybody costs; a row at the root may cost less than one that is left out."""
        del least
        left_out = self.root if at_root else self.suppressed
        return additive(self.unit_of, self.costs, self.suppressed, self.n_rows, left_out)

    def told(self, price: Price) -> Fraction:
        """Give it as a sum over people, of whom one costs at most 1."""
        return Fraction(price) / self.suppressed

    def price(
        self, node: Node, groups: NodeGroups, safe: NDArray[np.bool_], n_at_root: int = 0
    ) -> Price:
        """Add up the columns of everybody who is published; everybody else costs all there is."""
        if safe.all():
            return self.bound(node)
        kept = groups.sizes[safe]
        published = sum(
            unit * sum_of_products(kept, levels[level][groups.lows(j)[safe]])
            for j, (unit, levels, level) in enumerate(
                zip(self.unit_of, self.costs, node, strict=True)
            )
        )
        n_suppressed = self.n_rows - int(kept.sum()) - n_at_root
        return published + n_at_root * self.root + n_suppressed * self.suppressed


class Loss(ByColumn):
    """Information loss of Wong 2009, definition 7; a suppressed row costs 1."""

    def whole(self, taxonomy: Taxonomy) -> int:
        """All other ground values."""
        return max(taxonomy.size - 1, 1)

    def cost(self, taxonomy: Taxonomy, level: int) -> NDArray[np.int64]:
        """Other ground values that the node covers."""
        return np.asarray(taxonomy.high[level] - taxonomy.low[level], dtype=np.int64)


class Precision(ByColumn):
    """1 minus Sweeney's precision: levels as shares of heights; a suppressed row costs 1."""

    def whole(self, taxonomy: Taxonomy) -> int:
        """All levels."""
        return taxonomy.height

    def cost(self, taxonomy: Taxonomy, level: int) -> NDArray[np.int64]:
        """Level, the same for all values."""
        return np.full(taxonomy.size, level, dtype=np.int64)


class Entropy(Metric):
    """Non-uniform entropy in bits; a suppressed row costs what the roots of all columns cost."""

    def __init__(self, lattice: Lattice, weights: Weights | None) -> None:
        super().__init__(lattice, weights)
        ground = lattice.frequencies.combinations
        self.codes = [ground.codes(name) for name in ground.columns]
        self.counts = ground.counts
        self.bits = []  # [column][level]: (n_values,) to get from the node back to the value
        for name, codes in zip(ground.columns, self.codes, strict=True):
            rows = sum_by(codes.astype(np.intp), self.counts, len(ground.domains[name]))
            lows = ground.domains[name].taxonomy.low
            self.bits.append([value_entropy(rows, low) for low in lows])
        self.totals = [
            [float(self.counts @ bits[codes]) for bits in levels]
            for codes, levels in zip(self.codes, self.bits, strict=True)
        ]

    def bound(self, node: Node) -> Price:
        """Add up the columns as if nobody were suppressed."""
        return sum(totals[level] for totals, level in zip(self.totals, node, strict=True))

    def units(self, least: int, *, at_root: bool) -> Units:
        """What all columns cost; of floats, rounded down."""
        del least, at_root
        return rounded(self.totals)

    def price(
        self, node: Node, groups: NodeGroups, safe: NDArray[np.bool_], n_at_root: int = 0
    ) -> Price:
        """Add up combination by combination: the bits depend on the value, not the node alone."""
        del groups, n_at_root  # at the root all is lost as well
        if safe.all():
            return self.bound(node)
        left_out = self.lattice.unsafe_combinations(node)
        bits = 0.0
        for codes, levels, level in zip(self.codes, self.bits, node, strict=True):
            bits += float(self.counts @ np.where(left_out, levels[-1][codes], levels[level][codes]))
        return bits


class Height(Metric):
    """Sum of the levels; suppressed rows are free."""

    def bound(self, node: Node) -> Price:
        """The price itself."""
        return sum(node)

    def units(self, least: int, *, at_root: bool) -> Units:
        """Levels; suppression costs nothing."""
        del least, at_root
        return constant([range(height + 1) for height in self.lattice.heights])

    def price(
        self, node: Node, groups: NodeGroups, safe: NDArray[np.bool_], n_at_root: int = 0
    ) -> Price:
        """Add up the levels."""
        del groups, safe, n_at_root
        return self.bound(node)


class RelativeHeight(Height):
    """Sum of the levels, each as a share of its hierarchy's height; suppressed rows are free."""

    def bound(self, node: Node) -> Price:
        """The price itself."""
        heights = self.lattice.heights
        return sum((Fraction(a, b) for a, b in zip(node, heights, strict=True)), Fraction(0))

    def units(self, least: int, *, at_root: bool) -> Units:
        """Shares of heights; suppression costs nothing."""
        del least, at_root
        heights = self.lattice.heights
        return constant([[Fraction(a, b) for a in range(b + 1)] for b in heights])


class Discernibility(Metric):
    """Sum of squared group sizes; a suppressed row costs the number of rows of the table."""

    def units(self, least: int, *, at_root: bool) -> Units:
        """A row costs the size of its group, which is no smaller than below, and not too small."""
        fewest, suppressed = (1, 0) if at_root else (least, self.n_rows)
        return squared(self.n_rows, suppressed, fewest)

    def price(
        self, node: Node, groups: NodeGroups, safe: NDArray[np.bool_], n_at_root: int = 0
    ) -> Price:
        """Add up squares."""
        del node
        kept = groups.sizes[safe]
        n_suppressed = self.n_rows - int(kept.sum()) - n_at_root
        return discernibility(np.append(kept, n_at_root), n_suppressed)


class AverageClass(Metric):
    """Rows of the table per published group; a suppressed row counts as a row in no group."""

    def units(self, least: int, *, at_root: bool) -> Units:
        """There are no more groups than shares of the least size, and one at the root."""
        n = self.n_rows * least

        def price(units: int) -> Price:
            groups = least * at_root - units
            return Fraction(n, groups) if groups > 0 else float("inf")

        def most(price: Price) -> int:
            return MOST if isinstance(price, float) else least * at_root + math.floor(-n / price)

        return Units("groups", price, most, least=least)

    def price(
        self, node: Node, groups: NodeGroups, safe: NDArray[np.bool_], n_at_root: int = 0
    ) -> Price:
        """Divide."""
        del node, groups
        n_groups = int(safe.sum()) + (n_at_root > 0)
        return Fraction(self.n_rows, n_groups) if n_groups else float("inf")


class Distinct(Metric):
    """As many groups as possible; a suppressed row costs nothing but its group."""

    def units(self, least: int, *, at_root: bool) -> Units:
        """There are no more groups than shares of the least size, and one at the root."""

        def price(units: int) -> Price:
            return -((least * at_root - units) // least)

        def most(price: Price) -> int:
            return least * at_root + math.floor(Fraction(price) * least)

        return Units("groups", price, most, least=least)

    def price(
        self, node: Node, groups: NodeGroups, safe: NDArray[np.bool_], n_at_root: int = 0
    ) -> Price:
        """Count, and turn the sign, since prices are minimized."""
        del node, groups
        return -int(safe.sum()) - (n_at_root > 0)


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


def known_metric(owner: str, metric: object) -> None:
    """Refuse an unknown metric."""
    if not isinstance(metric, str) or metric not in METRICS:
        raise BadInput(f"{owner}: unknown metric {shown(metric)}{nearest(metric, METRICS)}")
