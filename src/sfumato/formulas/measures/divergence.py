"""How far the distribution that a release describes is from that of the table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.data.groups import Counts, Histogram

CELLS = 1 << 20  # terms that are looked up at a time

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PossibleGroups:
    """Which groups people with each combination of quasi-identifiers may be in, and how likely."""

    starts: NDArray[np.int64]  # (n_combinations + 1,)
    groups: NDArray[np.intp]  # (n_pairs,)
    shares: Floats  # (n_pairs,) of a group's people, those who have the combination

    @classmethod
    def of(
        cls,
        combination: NDArray[np.signedinteger],
        groups: NDArray[np.signedinteger],
        shares: Floats,
        n_combinations: int,
    ) -> PossibleGroups:
        """Sort pairs of a combination and a group that are given in any order."""
        order = np.argsort(combination, kind="stable")
        starts = np.searchsorted(combination[order], np.arange(n_combinations + 1))
        return cls(starts.astype(np.int64), groups[order].astype(np.intp), shares[order])

    def expected(
        self, combination: NDArray[np.intp], values: NDArray[np.int32], histogram: Histogram
    ) -> Floats:
        """Expect how many people have a combination and a value, for many such questions.

        Within a group, having a value says nothing about having a combination: the sum over groups
        of the combination's share times the group's people with the value.
        """
        cells = histogram.group_of * histogram.n_values + histogram.codes  # ascending
        padded = np.append(cells, -1)
        counts = np.append(histogram.counts, 0)  # the last: nobody in the group has the value
        n_groups = np.diff(self.starts)[combination]
        upto = np.cumsum(n_groups)
        expectations = np.zeros(len(combination))
        first = 0
        while first < len(combination):
            limit = (upto[first - 1] if first else 0) + CELLS
            last = max(first + 1, int(np.searchsorted(upto, limit, side="right")))
            some = slice(first, last)
            question = np.repeat(np.arange(last - first), n_groups[some])
            pair = np.arange(len(question)) - np.searchsorted(question, question)
            pair += self.starts[combination[some]][question]
            cell = self.groups[pair] * histogram.n_values + values[some][question]
            place = np.searchsorted(cells, cell)
            known = padded[place] == cell
            terms = self.shares[pair] * counts[np.where(known, place, -1)]
            expectations[some] = np.bincount(question, weights=terms, minlength=last - first)
            first = last
        return expectations


def kl_divergence(counts: Counts, expected: Floats) -> float:
    """Give the sum of p log(p / p*) over what occurs; natural logarithm (Kullback and Leibler).

    counts: people in each cell of the table, none of them 0; expected: in the same cells, by a
    release of as many people. Infinite where somebody is in a cell that the release rules out.

    >>> kl_divergence(np.array([1, 1]), np.array([1.0, 1.0]))
    0.0
    >>> float(round(kl_divergence(np.array([2, 2]), np.array([1.0, 1.0])), 6))  # log 2
    0.693147
    """
    with np.errstate(divide="ignore"):
        logs = np.log(counts / expected)
    return float(counts @ logs / counts.sum())
