"""(c,k)-safety (Martin et al.; Chen 2009, section 5.1)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.criteria.bound import Bound, Value
from sfumato.criteria.criterion import Criterion
from sfumato.criteria.skyline import Skyline
from sfumato.data.groups import Groups
from sfumato.formulas.knowledge.implications import exposed, exposed_alone, largest_belief
from sfumato.parameters import amount, number, optional_column


@dataclass(frozen=True)
class CKSafety(Criterion):
    """Nobody can be said to have a value with confidence c, by knowing k implications.

    Each implication says that if some person has some value, then the target has the value in
    question. The people may be in any group, the target among them. With k of at least the number
    of values less one nothing is safe.

    Args:
        c: The confidence that has to be stayed below, strictly.
        k: How many implications the adversary knows, at least 0.
        attribute: The sensitive column, when there are several.

    >>> groups = Groups([4, 4], [[2, 1, 1], [1, 2, 1]], values=["a", "b", "c"])
    >>> CKSafety(0.8, 1).holds(groups), CKSafety(0.75, 1).holds(groups)
    (array([ True,  True]), array([False, False]))
    """

    c: Fraction
    k: int
    attribute: str | None = None
    by_group: ClassVar[bool] = False

    def __init__(self, c: float | Fraction | str, k: int, attribute: str | None = None) -> None:
        object.__setattr__(self, "c", number("CKSafety", "c", c, above=0, most=1))
        object.__setattr__(self, "k", amount("CKSafety", "k", k))
        object.__setattr__(self, "attribute", optional_column("CKSafety", "attribute", attribute))

    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        """Say of every group whether nobody in it is exposed, wherever the knowledge comes from."""
        return ~exposed(groups.histogram, groups.sizes, self.c, self.k)

    def alone(self, groups: Groups) -> NDArray[np.bool_]:
        """The same, where all implications are about the target's group."""
        return ~exposed_alone(groups.histogram, groups.sizes, self.c, self.k)

    def measure(self, groups: Groups) -> Value:
        """The largest confidence."""
        if not len(groups):
            return None
        return largest_belief(groups.histogram, groups.sizes, self.k)

    def promised(self) -> Value:
        """The c."""
        return self.c

    @classmethod
    def examples(cls) -> tuple[Criterion, ...]:
        """It has no kinds."""
        return (cls("9/10", 1),)

    def monotone(self, *, suppression: bool) -> bool:
        """A union of safe groups is safe; a safe group joined by others may not be."""
        return not suppression

    def belief_allowed(self) -> Bound:
        """Less than c, also of who knows no implication."""
        return Bound("<", self.c)

    def implications(self) -> tuple[int, Fraction]:
        """The k and the c."""
        return self.k, self.c

    def without_sizes(self) -> Criterion:
        """It says nothing of sizes."""
        return self

    def without_others(self) -> Criterion:
        """K values that the target has not: each is an implication about the target alone."""
        return Skyline([(self.k, 0, 0, self.c)], attribute=self.attribute) if self.k else self
