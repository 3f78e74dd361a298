"""What nodes cost in whole numbers, for bounds that compiled loops add up."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.data.groups import Counts

Price = int | Fraction | float  # exact where it can be
MOST = 1 << 61  # units of a table
ROUNDING = 1e-9  # of a sum of floats, relative
BELOW = 1 - 2.0**-50  # more than what a product of two whole numbers as floats may be too large


@dataclass(frozen=True, eq=False)
class Units:
    """A lower bound of prices as a sum over columns and over kinds of people.

    Every node of a box costs at least `constants` of its lowest levels, and for each kind of people
    at its lowest node either what they cost there, or more if they are suppressed in the whole box.
    """

    by: Literal["codes", "sizes", "groups"]  # what people cost by: their values, groups' sizes, ...
    price: Callable[[int], Price]  # the least price with so many units
    most: Callable[[Price], int]  # the units that a price is not below
    suppressed: int = 0  # a person who is left out
    costs: Sequence[Sequence[NDArray[np.int64]]] = ()  # [column][level]: (n_values,) a person's
    constants: Sequence[Sequence[int]] = ()  # [column][level]: everybody's together
    least: int = 1  # people that a group has at least
    scale: float = 1  # how many squares a unit by "sizes" is, a power of two
    exact: bool = False  # whether a node costs just that, and who is left out what it says

    def of_people(
        self, counts: Counts, per_person: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Give what kinds of people cost at the lowest node, and what more if suppressed.

        counts: (n,) people of each kind. per_person: (n,) what a person costs by values.
        """
        if self.by == "codes":
            return counts * per_person, counts * (self.suppressed - per_person)
        if self.by == "sizes":
            own = np.maximum(counts, self.least)
            more = np.maximum(self.suppressed - own, 0)
            return self._product(counts, own), self._product(counts, more)
        # A group of at least so many people has at least one whole share of `least`.
        shares = np.minimum(counts, self.least)
        return -shares, shares

    def _product(self, counts: Counts, per_person: NDArray[np.int64]) -> NDArray[np.int64]:
        """Multiply, rounded down where the products of a table do not fit into a word."""
        if self.scale == 1:
            return counts * per_person
        products = counts.astype(float) * per_person.astype(float)
        return np.asarray(np.floor(products * (BELOW / self.scale)), dtype=np.int64)


def squared(n_rows: int, suppressed: int, least: int) -> Units:
    """Give the units of squares of sizes, rounded down where that of the table does not fit."""
    scale = 1 << max(0, 2 * n_rows.bit_length() - MOST.bit_length() + 1)
    return Units(
        "sizes",
        lambda units: units * scale,
        lambda price: math.floor(price) // scale,
        suppressed,
        least=min(least, n_rows),
        scale=float(scale),
    )


def additive(
    units: Sequence[int],
    costs: Sequence[Sequence[NDArray[np.int64]]],
    whole: int,
    n_rows: int,
    left_out: int,
) -> Units:
    """Give the units of a metric that adds up columns, rounded down where they are too many.

    whole: what a person costs at most. left_out: what one costs at least who is in no safe group.
    """
    scale = -(-whole * n_rows // MOST) or 1

    def scaled(unit: int, cost: NDArray[np.int64]) -> NDArray[np.int64]:
        if unit * whole < MOST and scale == 1:
            return unit * cost
        return np.array([unit * each // scale for each in cost.tolist()], dtype=np.int64)

    tables = [[scaled(unit, cost) for cost in own] for unit, own in zip(units, costs, strict=True)]
    return Units(
        "codes",
        lambda units: units * scale,
        lambda price: _floor(price, Fraction(1, scale)),
        left_out // scale,
        costs=tables,
        exact=left_out == whole,
    )


def constant(constants: Sequence[Sequence[Fraction | int]]) -> Units:
    """Give the units of a metric that adds up levels, whoever has which value."""
    whole = math.lcm(*(Fraction(each).denominator for own in constants for each in own))
    return Units(
        "codes",
        lambda units: Fraction(units, whole) if whole > 1 else units,
        lambda price: _floor(price, Fraction(whole)),
        constants=[[int(each * whole) for each in own] for own in constants],
        exact=True,
    )


def rounded(totals: Sequence[Sequence[float]]) -> Units:
    """Give the units of a metric that adds up floats: rounded down, with what they may be wrong."""
    largest = max((abs(each) for own in totals for each in own), default=0.0) * len(totals) + 1
    scale = 2.0 ** (60 - math.ceil(math.log2(largest)))

    def most(price: Price) -> int:
        if math.isinf(price):
            return MOST
        return math.ceil((float(price) + 4 * ROUNDING * max(abs(float(price)), 1e-12)) * scale)

    return Units(
        "codes",
        lambda units: units / scale,
        most,
        constants=[[math.floor(each * scale) for each in own] for own in totals],
    )


def _floor(price: Price, units_of_one: Fraction) -> int:
    """Give the units that are not above a price."""
    if isinstance(price, float):
        return MOST if math.isinf(price) else math.floor(Fraction(price) * units_of_one)
    return math.floor(price * units_of_one)
