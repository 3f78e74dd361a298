"""Breach probabilities in fractions: what decides near a threshold (Chen 2009, 7.1)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

CERTAIN = Fraction(1)


def exact_odds(n: int, having: int, others: Sequence[int], k: int, case: str) -> Fraction:
    """Give T: the least odds against the value, for somebody in a group of n people.

    Args:
        n: People in the group.
        having: Occurrences of the value among them, at least 1.
        others: Occurrences of each value known about the target: the l most frequent others.
        k: Other people of the group who are known.
        case: "single", "set" or "multiset".

    >>> exact_odds(4, 1, [2], 0, "single"), exact_odds(4, 1, [2], 0, "set")
    (Fraction(1, 1), Fraction(3, 2))
    """
    if case == "single":
        return Fraction(max(n - having - sum(others) - k, 0), having)
    if case == "set":
        none = math.prod(n - count for count in others)
        return Fraction(max(n - having - k, 0) * none, having * n ** len(others))
    if n - k <= 1:
        return Fraction(0)
    without, total = (n - k - 1) ** having, (n - k) ** having
    return Fraction(without, total - without) * Fraction(n - 1, n) ** sum(others)


def exact_lacking(n: int, having: int, m: int, k: int, case: str) -> Fraction:
    """Give V: the least probability that none of m people of a group has the value.

    >>> exact_lacking(4, 1, 2, 1, "single"), exact_lacking(4, 2, 1, 0, "multiset")
    (Fraction(1, 3), Fraction(9, 16))
    """
    if m <= 0 or having <= 0:
        return CERTAIN
    left = n - k
    if case == "multiset":
        return Fraction(left - m, left) ** having if left > m else Fraction(0)
    if left - having < m:
        return Fraction(0)
    fewer, more = min(m, having), max(m, having)
    return Fraction(
        math.prod(left - more - i for i in range(fewer)), math.prod(left - i for i in range(fewer))
    )


@dataclass(frozen=True)
class Statistics:
    """The five sufficient statistics of one value and one point (Chen 2009, section 6.1).

    Minima over groups. None: no group has the value.
    """

    together: Fraction | None = None  # minNR: target, others and family in one group
    alone: Fraction | None = None  # T without others
    kept: Fraction | None = None  # T with them
    family: Fraction = CERTAIN  # V without others
    family_beside_others: Fraction = CERTAIN  # V with them

    def merge(self, other: Statistics) -> Statistics:
        """Join what was found in two parts of a release."""
        return Statistics(
            _less(self.together, other.together),
            _less(self.alone, other.alone),
            _less(self.kept, other.kept),
            min(self.family, other.family),
            min(self.family_beside_others, other.family_beside_others),
        )

    @property
    def negated_ratio(self) -> Fraction | None:
        """The least odds against the value (theorem 2); None where nobody can have it."""
        if self.together is None or self.alone is None or self.kept is None:
            return None
        return min(self.together, self.alone * self.family_beside_others, self.kept * self.family)

    @property
    def breach(self) -> Fraction:
        """The breach probability."""
        ratio = self.negated_ratio
        return Fraction(0) if ratio is None else 1 / (ratio + 1)


def _less(one: Fraction | None, other: Fraction | None) -> Fraction | None:
    if one is None or other is None:
        return one if other is None else other
    return min(one, other)
