"""Recursive (c, l)-diversity (Machanavajjhala et al.; Ciriani 2008, section 5)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.criteria.bound import Bound, Value
from sfumato.criteria.criterion import Criterion
from sfumato.criteria.judge import Judge
from sfumato.data.domain import Domain
from sfumato.data.groups import Counts, Groups
from sfumato.formulas.exact import below, largest_ratio
from sfumato.formulas.measures.diversity import head_and_tail
from sfumato.parameters import number, optional_column, whole
from sfumato.text import value_text


@dataclass(frozen=True)
class RecursiveDiversity(Criterion):
    """The most frequent value is not too frequent, even when l - 2 others are ruled out.

    With the counts of a group in descending order, r_1 < c (r_l + ... + r_m), strictly.

    >>> groups = Groups(sizes=[6], histogram=[[3, 2, 1]], values=["a", "b", "c"])
    >>> RecursiveDiversity(2, 2).holds(groups), RecursiveDiversity(1, 2).holds(groups)
    (array([ True]), array([False]))
    """

    c: Fraction
    l: int
    attribute: str | None = None

    def __init__(self, c: float | Fraction | str, l: int, attribute: str | None = None) -> None:
        object.__setattr__(self, "c", number("RecursiveDiversity", "c", c, above=0))
        object.__setattr__(self, "l", whole("RecursiveDiversity", "l", l))
        object.__setattr__(
            self, "attribute", optional_column("RecursiveDiversity", "attribute", attribute)
        )

    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        """Compare head and tail of every group."""
        head, tail = head_and_tail(groups.histogram, self.l)
        return below(head, tail, self.c)

    def measure(self, groups: Groups) -> Value:
        """The largest r_1 / (r_l + ... + r_m): every c above it is satisfied."""
        head, tail = head_and_tail(groups.histogram, self.l)
        return largest_ratio(head, tail)

    def promised(self) -> Value:
        """The c."""
        return self.c

    @classmethod
    def examples(cls) -> tuple[Criterion, ...]:
        """It has no kinds."""
        return (cls(3, 2),)

    def monotone(self, *, suppression: bool) -> bool:
        """A union of safe groups is safe; a safe group joined by others may not be."""
        return not suppression

    def judge(self, values: Domain, reference: Counts) -> Judge:
        """Head and tail, by compiled loops."""
        del values, reference
        from sfumato.criteria.diversity_judge import RecursiveJudge  # noqa: PLC0415  (a compiler)

        return RecursiveJudge(self, self.c, self.l)

    def values_wanted(self) -> int:
        """The l."""
        return self.l

    def enough_different(self) -> int:
        """Each value once: 1 < c (n - l + 1)."""
        return math.floor(self.l - 1 + 1 / self.c) + 1

    def belief_allowed(self) -> Bound:
        """What r_1 < c (n - r_1) leaves, or with l = 1 the c itself."""
        if self.l > 1:
            return Bound("<", self.c / (1 + self.c))
        return Bound("<", self.c) if self.c <= 1 else Bound("<=", 1)

    def belief_after(self, n: int) -> Bound:
        """Just this is promised of up to l - 2 values."""
        return self.belief_allowed() if n <= self.l - 2 else super().belief_after(n)

    @property
    def exchangeable(self) -> bool:
        """Counts are compared, whichever their values."""
        return True

    def without_sizes(self) -> Criterion:
        """It says nothing of sizes."""
        return self

    def in_words(self) -> str:
        """Say what the most frequent value is compared with."""
        return (
            "In every group the most frequent sensitive value has fewer people than "
            f"{value_text(self.c)} times those that are left when it and the next "
            f"{value_text(self.l - 2)} are set aside."
        )
