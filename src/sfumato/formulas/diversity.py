"""Diversity of sensitive values inside groups (Ciriani 2008, section 5)."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.data.groups import Counts, Histogram
from sfumato.formulas.exact import CLEAR, entropy_at_least


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
    threshold = float(np.log(l.numerator) - np.log(l.denominator))
    found = entropy(histogram)
    diverse = found >= threshold
    for group in np.flatnonzero(np.abs(found - threshold) <= CLEAR * max(1.0, threshold)):
        counts = histogram.row(int(group))
        diverse[group] = entropy_at_least(counts, l) if len(counts) else l <= 1
    return diverse


def most_frequent(sizes: Counts, histogram: Histogram) -> Fraction | None:
    """Give the largest share that a value has in any group; None without groups."""
    largest = histogram.largest()
    # The float picks the candidates, fractions decide among them.
    shares = largest / np.maximum(sizes, 1)
    if not len(shares):
        return None
    near = np.flatnonzero(shares >= shares.max() - CLEAR)
    return max(Fraction(int(largest[g]), int(sizes[g])) for g in near)
