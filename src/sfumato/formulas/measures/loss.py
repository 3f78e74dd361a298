"""What a release loses, from boxes and sizes alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.groups import Counts
from sfumato.errors import BadInput, nearest, shown
from sfumato.formulas.exact import sum_of_products
from sfumato.parameters import column_name, number


def coverage_loss(boxes: NDArray[np.int32], bases: Sequence[int]) -> NDArray[np.float64]:
    """Loss of every box in every column, from 0 (a ground value) to 1 (the root).

    (coverage - 1) / (base - 1), and 0 where the base is 1 (Wong 2009, definitions 6 and 7). The
    coverage of an interval is the number of ground values in it. boxes: (n, n_columns, 2).
    """
    coverage = boxes[:, :, 1] - boxes[:, :, 0] + 1
    return np.asarray((coverage - 1) / np.maximum(np.array(bases) - 1, 1), dtype=np.float64)


def losses(
    domains: Mapping[str, Domain], columns: Sequence[str], boxes: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Loss of every box in every column (see `coverage_loss`), counted in values themselves."""
    sides = [domains[column].ground_sides(boxes[:, j]) for j, column in enumerate(columns)]
    bases = [len(domains[column].ground) for column in columns]
    return coverage_loss(np.stack(sides, axis=1), bases)


def attribute_weights(
    columns: Sequence[str], weights: Mapping[str, object] | None
) -> tuple[Fraction, ...]:
    """Give the weight of each column: as asked, made to add up to 1, or all equal.

    A column that is not named weighs nothing.

    >>> attribute_weights(["age", "zip"], {"age": 3, "zip": 1})
    (Fraction(3, 4), Fraction(1, 4))
    """
    if weights is None:
        return (Fraction(1, len(columns)),) * len(columns)
    given = read_weights("weights", weights)
    for name in given:
        if name not in columns:
            raise BadInput(f"weights: unknown quasi-identifier {name!r}{nearest(name, columns)}")
    whole = sum(given.values())
    return tuple(given.get(name, Fraction(0)) / whole for name in columns)


def read_weights(owner: str, weights: object) -> dict[str, Fraction]:
    """Read a weight for each of some columns; not all of them are 0."""
    if not isinstance(weights, Mapping):
        raise BadInput(f"{owner}: expected a number per column, got {shown(weights)}")
    given = {
        column_name(owner, "each key", name): number(owner, repr(name), weight, least=0)
        for name, weight in weights.items()
    }
    if not any(given.values()):
        raise BadInput(f"{owner}: at least one must be above 0")
    return given


def information_loss(
    loss: NDArray[np.float64],
    sizes: Counts,
    weights: Sequence[Fraction],
    n_suppressed: int = 0,
) -> float:
    """Average loss of a row; a suppressed row has lost everything and counts 1.

    loss: (n_groups, n_columns). Wong 2009, definition 7, knows no suppression; leaving
    suppressed rows out would make them free.
    """
    n_rows = int(sizes.sum()) + n_suppressed
    shares = np.array([float(weight) for weight in weights])
    return float((sizes @ (loss @ shares) + n_suppressed) / n_rows) if n_rows else 0.0


def exact_loss(people: Counts, coverage: NDArray[np.int32], base: int) -> Fraction:
    """Average loss of a row in one column, as a fraction; Wong 2009, definition 7.

    people: with each ground value, or some of them; coverage: ground values under the node that
    each of these is published as.

    >>> exact_loss(np.array([2, 1]), np.array([2, 1]), base=3)
    Fraction(1, 3)
    """
    n_rows = int(people.sum())
    return Fraction(sum_of_products(people, coverage - 1), max(n_rows * (base - 1), 1))


def discernibility(sizes: Counts, n_suppressed: int = 0) -> int:
    """Sum of squared group sizes; a suppressed row costs as much as the table has rows.

    >>> discernibility(np.array([3, 3, 3]), n_suppressed=1)
    37
    """
    squares = sum(
        int(size) ** 2 * int(times)
        for size, times in zip(*np.unique(sizes, return_counts=True), strict=True)
    )
    return squares + n_suppressed * (int(sizes.sum()) + n_suppressed)


def value_entropy(rows: Counts, lows: NDArray[np.int32]) -> NDArray[np.float64]:
    """Bits that a row of each value loses when it is published as its node.

    -log2 of the value's share among the people of its node (non-uniform entropy: Gionis and Tassa;
    de Waal and Willenborg). rows: people with each ground value; lows: first rank of its node.

    >>> value_entropy(np.array([2, 2, 4]), np.array([0, 0, 2]))
    array([1., 1., 0.])
    """
    inside = np.zeros(len(rows), dtype=np.int64)
    np.add.at(inside, lows, rows)
    with np.errstate(divide="ignore"):
        bits = np.log2(np.maximum(inside[lows], 1)) - np.log2(np.maximum(rows, 1))
    return np.asarray(np.where(rows > 0, bits, 0.0))


def average_group_size(sizes: Counts) -> float:
    """People per group; 0 without groups."""
    return float(sizes.mean()) if len(sizes) else 0.0
