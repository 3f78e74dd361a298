"""Diversity of sensitive values inside groups (Ciriani 2008, section 5)."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.data.groups import Counts, Histogram
from sfumato.formulas.exact import CLEAR, entropy_at_least, log

SUMMED = 10**5  # floats that can be added up without an error near CLEAR


def entropy(histogram: Histogram) -> NDArray[np.float64]:
    """Entropy of every group, in nats; 0 for a group without values.

    >>> entropy(Histogram.from_dense([[2, 2], [4, 0]])).round(4)
    array([0.6931, 0.    ])
    """
    counts = histogram.counts.astype(np.float64)
    group = histogram.group_of
    totals = np.bincount(group, weights=counts, minlength=histogram.n_groups)
    logs = np.bincount(group, weights=counts * np.log(counts), minlength=histogram.n_groups)
    filled = np.maximum(totals, 1)
    return np.asarray(np.maximum(np.log(filled) - logs / filled, 0.0))


def entropy_diverse(histogram: Histogram, l: Fraction) -> NDArray[np.bool_]:
    """Decide for every group whether its entropy is at least log l, exactly."""
    threshold = log(l)
    entropies = entropy(histogram)
    diverse = entropies >= threshold
    clear = CLEAR * np.maximum(1.0, histogram.n_distinct() / SUMMED) * max(1.0, threshold)
    for group in np.flatnonzero(np.abs(entropies - threshold) <= clear):
        diverse[group] = entropy_at_least(histogram.row(int(group)), l)
    return diverse


def head_and_tail(histogram: Histogram, l: int) -> tuple[Counts, Counts]:
    """Give r_1 and r_l + ... + r_m of every group, its counts in descending order.

    >>> head_and_tail(Histogram.from_dense([[3, 2, 1], [0, 4, 0]]), 2)
    (array([3, 4]), array([3, 0]))
    """
    group = histogram.group_of
    order = np.lexsort((-histogram.counts, group))
    place = np.arange(len(order)) - histogram.starts[:-1][group]  # 0 for the most frequent
    late = np.where(place >= l - 1, histogram.counts[order], 0)
    tail = np.zeros(histogram.n_groups, dtype=np.int64)
    np.add.at(tail, group, late)
    return histogram.largest(), tail
