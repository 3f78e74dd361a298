"""delta-disclosure privacy (Brickell and Shmatikov, The cost of privacy, 2008)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.criteria.bound import Bound, Value
from sfumato.criteria.criterion import Criterion
from sfumato.data.groups import Groups
from sfumato.formulas.measures.likeness import differs_by_less, largest_difference, likeness
from sfumato.parameters import number, optional_column
from sfumato.text import value_text

GRASPED = 30  # the largest exponent whose power of two is written as a number
TINY = Fraction(1, 10**9)


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
        """The largest logarithm, whatever its sign; infinite for a value the table lacks.

        As a float it lies on the side of delta that the logarithm itself lies on.
        """
        if not len(groups):
            return None
        here, there = likeness(groups.sizes, groups.histogram, groups.original("DeltaDisclosure"))
        if (there == 0).any():
            return float("inf")
        return largest_difference(here, there, self.delta)

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
        least, most = _powers_of_two(self.delta)
        return (
            "Every sensitive value of a group is about as frequent there as in the whole table: "
            f"more than {least} and less than {most} times as frequent."
        )


def _powers_of_two(delta: Fraction) -> tuple[str, str]:
    """Write 2^-delta and 2^delta: as numbers where these are easy to grasp.

    >>> _powers_of_two(Fraction(3, 2)), _powers_of_two(Fraction(1, 10**30))
    (('0.3536', '2.828'), ('1 - 6.9e-31', '1 + 6.9e-31'))
    >>> _powers_of_two(Fraction(100))
    ('2^-100', '2^100')
    """
    if delta > GRASPED:
        return f"2^-{value_text(delta)}", f"2^{value_text(delta)}"
    if delta < TINY:  # 2^x - 1 is x ln 2, and the other the same below 1
        more = delta * Fraction(math.log(2))
        return value_text(1 - more), value_text(1 + more)
    if delta.denominator == 1:
        return value_text(Fraction(1, 2**delta.numerator)), value_text(2**delta.numerator)
    exponent = float(delta) * math.log(2)
    less, more = (Fraction(math.expm1(x)) for x in (-exponent, exponent))
    return value_text(1 + less), value_text(1 + more)
