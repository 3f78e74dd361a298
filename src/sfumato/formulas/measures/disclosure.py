"""What a group's counts give away about one of its people (Ciriani 2008, section 5).

Beliefs are pairs of integers, count and size: exact, for groups by the million.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.data.groups import Counts, Histogram
from sfumato.formulas.exact import CLEAR


def most_frequent(histogram: Histogram) -> tuple[NDArray[np.int32], Counts]:
    """Give the most frequent value of every group, the first of several, and its count.

    A group without values has the code -1 and the count 0.

    >>> most_frequent(Histogram.from_dense([[1, 2, 2], [0, 0, 4]]))
    (array([1, 2], dtype=int32), array([2, 4]))
    """
    counts = histogram.largest()
    group = histogram.group_of
    top = np.flatnonzero(histogram.counts == counts[group])[::-1]  # the first is written last
    codes = np.full(histogram.n_groups, -1, dtype=np.int32)
    codes[group[top]] = histogram.codes[top]
    return codes, counts


def after_excluding(sizes: Counts, histogram: Histogram, n: int) -> tuple[Counts, Counts]:
    """Give the strongest belief in one value after `n` others have been excluded, per group.

    With counts r_1 >= r_2 >= ... it is r_1 / (size - r_2 - ... - r_{n+1}): excluding the most
    frequent others helps most, and the most frequent value gains most.

    >>> after_excluding(np.array([3, 6]), Histogram.from_dense([[2, 1, 0], [3, 2, 1]]), 1)
    (array([2, 3]), array([2, 4]))
    """
    group = histogram.group_of
    order = np.lexsort((-histogram.counts, group))
    place = np.arange(len(order)) - histogram.starts[:-1][group]
    excluded = np.where((place >= 1) & (place <= n), histogram.counts[order], 0)
    gone = np.zeros(histogram.n_groups, dtype=np.int64)
    np.add.at(gone, group, excluded)
    return histogram.largest(), sizes - gone


def largest_rise(sizes: Counts, histogram: Histogram, reference: Counts) -> int:
    """Find where the belief in a value rises most above its share in the table, exactly.

    With c of a group's n people and r of the table's N people having the value, belief rises by
    c/n - r/N. Returns the entry of the histogram; of several the one whose value is rarest.

    >>> histogram = Histogram.from_dense([[1, 2], [2, 0]])
    >>> largest_rise(np.array([3, 2]), histogram, np.array([3, 3]))
    2
    """
    total = int(reference.sum())
    people, everybody = sizes[histogram.group_of], reference[histogram.codes]
    rises = histogram.counts / people - everybody / total  # picks the candidates
    near = np.flatnonzero(rises >= rises.max() - CLEAR)
    triples = np.stack([histogram.counts[near], people[near], everybody[near]], axis=1)
    distinct, first = np.unique(triples, axis=0, return_index=True)
    exact = [Fraction(c, n) - Fraction(r, total) for c, n, r in distinct.tolist()]
    best = max(range(len(exact)), key=lambda j: (exact[j], -int(distinct[j, 2])))
    return int(near[first[best]])


def under_node(histogram: Histogram, lows: NDArray[np.int32]) -> Histogram:
    """Count the values of every group by the node that holds them; lows: (n_values,).

    >>> lows = np.array([0, 0, 2], dtype=np.int32)
    >>> under_node(Histogram.from_dense([[1, 2, 3]]), lows).to_dense()
    array([[3, 0, 3]])
    """
    shape = (histogram.n_groups, histogram.n_values)
    return Histogram.from_entries(
        histogram.group_of, lows[histogram.codes], histogram.counts, shape
    )
