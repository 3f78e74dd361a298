"""Full-domain generalization: nodes, minimal ones, and what `Optimal` minimizes."""

import itertools
import math
from fractions import Fraction

from naive.groups import rows_by_group
from naive.hierarchies import base, coverage, label_at
from naive.loss import discernibility, value_loss


def heights_of(hierarchies):
    """Level of the root of each hierarchy."""
    return [len(hierarchy[0]) - 1 for hierarchy in hierarchies]


def all_nodes(heights):
    """Every vector of levels from the bottom to `heights`, lower sums first."""
    nodes = itertools.product(*(range(height + 1) for height in heights))
    return sorted(nodes, key=lambda node: (sum(node), node))


def generalize(rows, hierarchies, node):
    """Every row with its first columns at the levels of `node`, in the same order."""
    known = [{labels[0]: labels for labels in hierarchy} for hierarchy in hierarchies]
    return [
        tuple(known[j][row[j]][level] for j, level in enumerate(node)) + row[len(node) :]
        for row in rows
    ]


def groups_at(rows, hierarchies, node):
    """Groups of the rows generalized to `node`, in the published labels."""
    return rows_by_group(generalize(rows, hierarchies, node), range(len(node)))


def suppressed_at(rows, hierarchies, node, criterion):
    """Number of rows in groups that do not satisfy the criterion at `node`."""
    groups = groups_at(rows, hierarchies, node).values()
    return sum(len(group) for group in groups if not criterion(group))


def published_at(rows, hierarchies, node, criterion, suppress="rows"):
    """Every row as it is published at `node`; None: left out.

    suppress: "cells": rows of unsafe groups have every quasi-identifier at the root, if all of
    them together are a safe group.
    """
    generalized = generalize(rows, hierarchies, node)
    groups = groups_at(rows, hierarchies, node)
    width = len(node)
    outliers = [row for row in generalized if not criterion(groups[row[:width]])]
    root = ("*",) * width
    fate = None
    if suppress == "cells" and outliers and criterion([root + row[width:] for row in outliers]):
        fate = root
    return [
        row if criterion(groups[row[:width]]) else fate and fate + row[width:]
        for row in generalized
    ]


def safe_nodes(rows, hierarchies, criterion, max_suppressed=0):
    """Every node where leaving out at most `max_suppressed` rows makes all groups safe."""
    return [
        node
        for node in all_nodes(heights_of(hierarchies))
        if suppressed_at(rows, hierarchies, node, criterion) <= max_suppressed
    ]


def below(node, other):
    """Whether `node` is another one than `other` and nowhere more general."""
    return node != other and all(a <= b for a, b in zip(node, other, strict=True))


def minimal_nodes(rows, hierarchies, criterion, max_suppressed=0):
    """Safe nodes with no safe node below them (Ciriani 2008, definition 3.4)."""
    safe = safe_nodes(rows, hierarchies, criterion, max_suppressed)
    return {node for node in safe if not any(below(other, node) for other in safe)}


def price(rows, hierarchies, node, criterion, metric, weights=None, suppress="rows"):
    """What `Optimal` minimizes, from the definitions; weights: of the columns."""
    weights = weights or [1] * len(node)
    groups = list(groups_at(list(enumerate_rows(rows)), hierarchies, node).values())
    safe = [group for group in groups if criterion([row[:-1] for row in group])]
    kept = {row[-1] for group in safe for row in group}
    n, n_suppressed = len(rows), len(rows) - len(kept)
    sizes = [len(group) for group in safe]
    at_root = None not in published_at(rows, hierarchies, node, criterion, suppress)
    if n_suppressed and at_root:
        sizes, n_suppressed = [*sizes, n_suppressed], 0
    heights = heights_of(hierarchies)
    if metric == "height":
        return sum(node)
    if metric == "relative_height":
        return sum(Fraction(level, height) for level, height in zip(node, heights, strict=True))
    if metric == "discernibility":
        return discernibility(sizes, n_suppressed)
    if metric == "average_class":
        return Fraction(n, len(sizes)) if sizes else float("inf")
    if metric == "distinct":
        return -len(sizes)
    total = 0
    for j, row in enumerate(rows):
        for column, (hierarchy, level) in enumerate(zip(hierarchies, node, strict=True)):
            value = row[column]
            if metric == "entropy":
                level = level if j in kept else heights[column]  # noqa: PLW2901
                label = label_at(hierarchy, value, level)
                inside = sum(label_at(hierarchy, r[column], level) == label for r in rows)
                total += math.log2(inside / sum(r[column] == value for r in rows))
            else:
                level = level if j in kept else heights[column]  # noqa: PLW2901
                share = {
                    "loss": value_loss(coverage(hierarchy, value, level), base(hierarchy)),
                    "precision": Fraction(level, heights[column]),
                }[metric]
                published = j in kept or at_root
                total += (share if published else 1) * Fraction(weights[column], sum(weights) * n)
    return total


def three_phase(rows, hierarchies, criterion, metric, l, specialization="lattice"):
    """The node that Zhang's algorithm publishes (Wong 2009, section 5.2.3); None: nothing."""
    nodes = all_nodes(heights_of(hierarchies))
    prices = {n: price(rows, hierarchies, n, lambda group: True, metric) for n in nodes}
    sequence = sorted(nodes, key=lambda n: (prices[n], sum(n), n))
    safe = {n: suppressed_at(rows, hierarchies, n, criterion) == 0 for n in nodes}
    if not any(safe.values()):
        return None
    first = [safe[n] for n in sequence].index(True)
    for j in reversed(range(first + 1, len(sequence))):
        node = sequence[j]
        specializations = (
            [sequence[j - 1]]
            if specialization == "sequence"
            else [n for n in nodes if below(n, node) and sum(n) == sum(node) - 1]
        )
        if l > 1 and safe[node] and sum(not safe[n] for n in specializations) >= l:
            return node
    return sequence[first]


def enumerate_rows(rows):
    """Rows with their number at the end, so that equal ones can be told apart."""
    return [(*row, j) for j, row in enumerate(rows)]
