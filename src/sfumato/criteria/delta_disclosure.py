"""delta-disclosure privacy (Brickell and Shmatikov, The cost of privacy, 2008)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.criteria.bound import Bound, Value
from sfumato.criteria.criterion import Criterion
from sfumato.data.groups import Groups
from sfumato.formulas.measures.likeness import difference, differs_by_less, likeness
from sfumato.parameters import number, optional_column
from sfumato.text import value_text


@dataclass(frozen=True)
class DeltaDisclosure(Criterion):
    """Every sensitive value of a group is about as frequent there as in the ORIGINAL table.

    With p the share of a value in the group and q its share in the original, suppressed rows and
    all, |log2(p / q)| is less than delta. This is asked of the values that the group has: a value
    that is absent would be infinitely far away, and the paper's definition, which asks for all,
    would need every value in every group. So a union of safe groups need not be safe: a value of
    one of them may become too rare.

    Args:
        delta: What the logarithm to base 2 has to stay below.
        attribute: The sensitive column, when there are several.

    >>> groups = Groups([2, 4], [[2, 0], [1, 3]], values=["a", "b"], reference=[3, 3])
    >>> DeltaDisclosure("1.1").holds(groups), DeltaDisclosure(1).holds(groups)
    (array([ True,  True]), array([False, False]))
    >>> DeltaDisclosure(1).measure(groups)
    1.0
    """

    delta: Fraction
    attribute: str | None = None
    needs_original: ClassVar[bool] = True

    def __init__(self, delta: float | Fraction | str, attribute: str | None = None) -> None:
        named = optional_column("DeltaDisclosure", "attribute", attribute)
        object.__setattr__(self, "delta", number("DeltaDisclosure", "delta", delta, above=0))
        object.__setattr__(self, "attribute", named)

    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        """Compare every value of a group with delta."""
        here, there = likeness(groups.sizes, groups.histogram, groups.original("DeltaDisclosure"))
        known = np.asarray(there > 0, dtype=bool)
        kept = np.zeros(len(here), dtype=bool)
        kept[known] = differs_by_less(here[known], there[known], self.delta)
        held = np.ones(len(groups), dtype=bool)
        held[groups.histogram.group_of[~kept]] = False
        return held

    def measure(self, groups: Groups) -> Value:
        """The largest logarithm, whatever its sign; infinite for a value the table lacks."""
        if not len(groups):
            return None
        here, there = likeness(groups.sizes, groups.histogram, groups.original("DeltaDisclosure"))
        if (there == 0).any():
            return float("inf")
        return float(difference(here, there).max(initial=0))

    def promised(self) -> Value:
        """The delta."""
        return self.delta

    @classmethod
    def examples(cls) -> tuple[Criterion, ...]:
        """All are of one kind."""
        return (cls(2),)

    def distance_allowed(self) -> Bound:
        """Less than delta."""
        return Bound("<", self.delta)

    def without_sizes(self) -> Criterion:
        """It says nothing of sizes."""
        return self

    def in_words(self) -> str:
        """Say between which multiples of its share in the table."""
        most = 2 ** float(min(self.delta, Fraction(1000)))
        return (
            "Every sensitive value of a group is about as frequent there as in the whole table: "
            f"more than {value_text(1 / most)} and less than {value_text(most)} times as frequent."
        )
