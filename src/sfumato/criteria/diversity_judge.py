"""Diversities other than a number of values, judged by compiled loops."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.compiled import suited
from sfumato.criteria.judge import Judge
from sfumato.data.groups import Counts, Groups, Histogram
from sfumato.formulas.exact import CLEAR, below, entropy_at_least, log
from sfumato.formulas.measures import value_kernels
from sfumato.formulas.measures.diversity import SUMMED

LARGEST = 2**62
LOOKS = 4  # at every count, about


@dataclass(frozen=True, eq=False)
class EntropyJudge(Judge):
    """Entropy at least log l: by floats far from a tie, exactly near one."""

    l: Fraction
    codes: NDArray[np.int32]  # (n_values,) what each value counts as

    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        """Compare every group's entropy with log l."""
        histogram = groups.histogram.counted_as(self.codes)
        found, even = _loops(histogram).entropies(histogram.starts, histogram.counts)
        threshold = log(self.l)
        # m values that are equally frequent have the entropy log m; without values it is log 1.
        different = np.maximum(histogram.n_distinct(), 1)
        held = np.where(even, different >= math.ceil(self.l), found >= threshold)
        near = ~even & (np.abs(found - threshold) <= self._clear)
        for group in np.flatnonzero(near):
            held[group] = entropy_at_least(histogram.row(int(group)), self.l)
        return np.asarray(held, dtype=bool)

    def surplus(self, groups: Groups, held: NDArray[np.bool_]) -> Counts:
        """Those above the cap of frequencies that makes the rest diverse."""
        histogram = groups.histogram.counted_as(self.codes)
        entries = (histogram.starts, histogram.counts)
        return np.asarray(
            _loops(histogram).entropy_surplus(*entries, log(self.l), self._clear, ~held)
        )

    @property
    def _clear(self) -> float:
        """How far from log l floats decide: more widely where many of them are added up."""
        return CLEAR * max(1.0, len(self.codes) / SUMMED) * max(1.0, log(self.l))


@dataclass(frozen=True, eq=False)
class RecursiveJudge(Judge):
    """The most frequent value has fewer people than c times those without the l - 1 first."""

    c: Fraction
    l: int

    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        """Compare head and tail of every group."""
        histogram = groups.histogram
        l = min(self.l, histogram.n_values + 1)
        head, tail = _loops(histogram).heads_and_tails(histogram.starts, histogram.counts, l)
        return below(head, tail, self.c)

    def surplus(self, groups: Groups, held: NDArray[np.bool_]) -> Counts:
        """Those above the largest frequency that leaves enough others."""
        c, histogram = self.c, groups.histogram
        people = int(groups.sizes.max(initial=1))
        if max(c.numerator, c.denominator) * people >= LARGEST:
            return (~held).astype(np.int64)
        l = min(self.l, histogram.n_values + 1)
        fraction = (c.numerator, c.denominator)
        entries = (histogram.starts, histogram.counts)
        return np.asarray(_loops(histogram).recursive_surplus(*entries, l, *fraction, ~held))


def _loops(histogram: Histogram) -> Any:
    return suited(value_kernels, LOOKS * (len(histogram.counts) + len(histogram.starts)))
