"""What a group's counts give away about one of its people (Ciriani 2008, section 5).

Beliefs are pairs of integers, count and size: exact, for groups by the million.
"""

from __future__ import annotations

from fractions import Fraction
from math import prod

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


def held(count: int, size: int, *, repeated: bool) -> Fraction:
    """Give the belief that one of `size` people has a value that occurs among them `count` times.

    People have any number of values. repeated: perhaps one of them several times; then every
    occurrence is anybody's, else they are of different people.

    >>> held(2, 4, repeated=False), held(2, 4, repeated=True)
    (Fraction(1, 2), Fraction(7, 16))
    """
    return 1 - Fraction(size - 1, size) ** count if repeated else Fraction(count, size)


def most_held(sizes: Counts, histogram: Histogram, *, repeated: bool) -> tuple[int, Fraction]:
    """Find the entry of a value that somebody most likely has, where people have any number.

    >>> most_held(np.array([3, 5]), Histogram.from_dense([[2, 1], [4, 0]]), repeated=False)
    (2, Fraction(4, 5))
    """
    beliefs = _held(histogram.counts, sizes[histogram.group_of], repeated=repeated)
    near = np.flatnonzero(beliefs >= beliefs.max() - CLEAR)
    pairs = np.stack([histogram.counts[near], sizes[histogram.group_of[near]]], axis=1)
    distinct, first = np.unique(pairs, axis=0, return_index=True)
    exact = [held(c, n, repeated=repeated) for c, n in distinct.tolist()]
    best = max(range(len(exact)), key=lambda j: exact[j])
    return int(near[first[best]]), exact[best]


def held_after_excluding(
    sizes: Counts, histogram: Histogram, n: int, *, repeated: bool
) -> tuple[int, Fraction]:
    """Find who most likely has a value, where `n` others are excluded and some value is held.

    With beliefs p_1 >= p_2 >= ... in the values of a group, which somebody has independently of
    each other, it is p_1 / (1 - (1 - p_1)(1 - p_{n+2})(1 - p_{n+3}) ...): excluding the likeliest
    others helps most, and the likeliest value gains most. Returns the group and the belief.

    >>> groups = Histogram.from_dense([[2, 1, 1], [1, 0, 0]])
    >>> held_after_excluding(np.array([4, 9]), groups, 1, repeated=False)
    (1, Fraction(1, 1))
    """
    group = histogram.group_of
    order = np.lexsort((-histogram.counts, group))
    place = np.arange(len(order)) - histogram.starts[:-1][group]
    kept = (place == 0) | (place > n)
    beliefs = _held(histogram.counts[order], sizes[group], repeated=repeated)
    with np.errstate(divide="ignore"):
        lacking = np.where(kept, np.log1p(-beliefs), 0.0)
    none = np.exp(np.bincount(group, weights=lacking, minlength=histogram.n_groups))
    first = place == 0
    after = beliefs[first] / (1 - none[group[first]])
    near = group[first][after >= after.max() - CLEAR]
    exact: dict[tuple[int, ...], tuple[Fraction, int]] = {}
    for one in near.tolist():
        counts = np.sort(histogram.rows(one, one + 1).counts)[::-1]
        left = (int(sizes[one]), *counts[:1].tolist(), *counts[n + 1 :].tolist())
        if left not in exact:
            chances = [held(c, left[0], repeated=repeated) for c in left[1:]]
            exact[left] = chances[0] / (1 - prod(1 - p for p in chances)), one
    belief, best = max(exact.values(), key=lambda candidate: (candidate[0], -candidate[1]))
    return best, belief


def _held(counts: Counts, sizes: Counts, *, repeated: bool) -> NDArray[np.float64]:
    """`held`, of many, about."""
    shares = (1 - 1 / sizes) ** counts if repeated else 1 - counts / sizes
    return np.asarray(1 - shares)


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
