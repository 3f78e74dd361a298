"""Criteria that are thresholds on a few counts of a group, as compiled loops judge them."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Thresholds(NamedTuple):
    """At least so many people, at most such a share of any value, at least so many values."""

    people: int = 1
    share: Fraction | None = None  # None: not bounded
    values: int = 0

    @property
    def least_values(self) -> int:
        """Values without which one of them would have a larger share, if all are bounded."""
        return 0 if self.share is None else math.ceil(1 / self.share)

    @property
    def enough_different(self) -> int:
        """People who satisfy both bounds on values, if all of theirs differ."""
        return max(1, self.values, self.least_values)

    def broken(self, histograms: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Say which histograms, (n, n_values) of values that count each for itself, are beyond."""
        sizes = histograms.sum(axis=1)
        found = sizes < self.people
        if self.share is not None:
            largest = histograms.max(axis=1, initial=0)
            found |= self.share.denominator * largest > self.share.numerator * sizes
        if self.values:
            found |= np.count_nonzero(histograms, axis=1) < self.values
        return np.asarray(found)
