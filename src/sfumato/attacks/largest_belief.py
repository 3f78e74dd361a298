"""The largest belief in a value, among those that a promise is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sfumato.attacks.target import View
from sfumato.criteria import Criterion
from sfumato.formulas.exact import position_of_largest
from sfumato.formulas.measures.disclosure import most_frequent


@dataclass(frozen=True)
class LargestBelief:
    """A group and a value that are believed to belong together."""

    group: int
    codes: tuple[int, ...]  # of the value, or of all that count as one
    belief: Fraction


def largest_belief(view: View, part: Criterion | None) -> LargestBelief:
    """Find where belief is largest, among the values that a part of a promise protects.

    Where the promise pools values, they are one value here too. None: all values.
    """
    groups = view.groups
    counted_as = np.arange(len(groups.values), dtype=np.int32)
    if part is not None:
        counted_as = part.protects(groups.values)
    codes, counts = most_frequent(groups.histogram.counted_as(counted_as))
    if not counts.any():
        return LargestBelief(0, (), Fraction(0))
    group = position_of_largest(counts, view.sizes)
    same = np.flatnonzero(counted_as == codes[group])
    belief = Fraction(int(counts[group]), int(view.sizes[group]))
    return LargestBelief(group, tuple(same.tolist()), belief)


def worst_of(kept: Sequence[np.bool_], excess: Sequence[Fraction | float]) -> int:
    """Choose which of several promises to show: a broken one, and the one nearest to its limit."""
    return max(range(len(kept)), key=lambda j: (not kept[j], excess[j]))
