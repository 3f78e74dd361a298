"""Information loss and discernibility."""

from fractions import Fraction

from naive.hierarchies import base, coverage


def value_loss(covered, ground_values):
    """Loss of one published value: (coverage - 1) / (base - 1) (Wong 2009, definition 7)."""
    return Fraction(covered - 1, ground_values - 1) if ground_values > 1 else Fraction(0)


def information_loss(losses, weights, n_suppressed=0):
    """Average over rows of the weighted sum over columns; a suppressed row counts 1.

    losses: per published row the loss in every column.
    """
    each = [sum(w * loss for w, loss in zip(weights, row, strict=True)) for row in losses]
    n = len(each) + n_suppressed
    return (sum(each, Fraction(0)) + n_suppressed) / n if n else Fraction(0)


def loss_at(rows, hierarchies, node, weights=None):
    """Information loss of the rows generalized to `node`; weights: equal unless given."""
    weights = weights or [Fraction(1, len(node))] * len(node)
    losses = [
        [
            value_loss(coverage(hierarchy, value, level), base(hierarchy))
            for hierarchy, value, level in zip(hierarchies, row, node, strict=False)
        ]
        for row in rows
    ]
    return information_loss(losses, weights)


def column_loss(rows, hierarchies, column, level):
    """Average loss of a row in one column at a level."""
    hierarchy = hierarchies[column]
    losses = [value_loss(coverage(hierarchy, r[column], level), base(hierarchy)) for r in rows]
    return sum(losses, Fraction(0)) / len(rows)


def discernibility(sizes, n_suppressed=0):
    """Every row costs the size of its group, a suppressed one the number of all rows."""
    n = sum(sizes) + n_suppressed
    return sum(size for size in sizes for _ in range(size)) + n * n_suppressed
