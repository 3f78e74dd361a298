"""beta-likeness (Cao and Karras, Publishing microdata with a robust privacy guarantee, 2012)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.criteria.bound import Bound, Value
from sfumato.criteria.criterion import Criterion
from sfumato.data.groups import Groups
from sfumato.formulas.exact import Exact, at_most, largest_ratio
from sfumato.formulas.measures.likeness import likeness, rises_at_most_information
from sfumato.parameters import number, one_of, optional_column
from sfumato.text import value_text

KINDS = ("basic", "enhanced")


@dataclass(frozen=True)
class BetaLikeness(Criterion):
    """No sensitive value is much more frequent in a group than in the ORIGINAL table.

    With p the share of a value in the group and q its share in the original, suppressed rows and
    all, the relative rise (p - q) / q is at most beta. It may fall as much as it likes.

    Args:
        beta: The largest relative rise allowed.
        kind: "basic": beta for every value. "enhanced": at most -ln q too, which bounds the rise
            of frequent values, whose p could otherwise reach 1.
        attribute: The sensitive column, when there are several.

    >>> groups = Groups([2, 4], [[2, 0], [1, 3]], values=["a", "b"], reference=[3, 3])
    >>> BetaLikeness(1).holds(groups), BetaLikeness(1, "enhanced").holds(groups)
    (array([ True,  True]), array([False,  True]))
    >>> BetaLikeness("1/2").measure(groups)
    Fraction(1, 1)
    """

    beta: Fraction
    kind: Literal["basic", "enhanced"] = "basic"
    attribute: str | None = None
    needs_original: ClassVar[bool] = True

    def __init__(
        self,
        beta: float | Fraction | str,
        kind: Literal["basic", "enhanced"] = "basic",
        attribute: str | None = None,
    ) -> None:
        one_of("BetaLikeness", "kind", kind, KINDS)
        named = optional_column("BetaLikeness", "attribute", attribute)
        object.__setattr__(self, "beta", number("BetaLikeness", "beta", beta, above=0))
        object.__setattr__(self, "kind", kind)
        object.__setattr__(self, "attribute", named)

    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        """Compare the rise of every value with what is allowed of it."""
        here, there = self._ratios(groups)
        kept = at_most(here, there, 1 + self.beta) & self._within_information(groups, here, there)
        held = np.ones(len(groups), dtype=bool)
        held[groups.histogram.group_of[~kept]] = False
        return held

    def measure(self, groups: Groups) -> Value:
        """The smallest beta that every group satisfies; infinite where -ln q forbids a rise."""
        if not len(groups):
            return None
        here, there = self._ratios(groups)
        if not self._within_information(groups, here, there).all():
            return float("inf")
        largest = largest_ratio(here, there)
        return 0 if largest is None else max(largest - 1, 0)

    def promised(self) -> Value:
        """The beta."""
        return self.beta

    @classmethod
    def examples(cls) -> tuple[Criterion, ...]:
        """One of each kind."""
        return (cls(2), cls(2, "enhanced"))

    def monotone(self, *, suppression: bool) -> bool:
        """A share in a union lies between those in its parts; joined by others it may rise."""
        return not suppression

    def distance_allowed(self) -> Bound:
        """The beta."""
        return Bound("<=", self.beta)

    def without_sizes(self) -> Criterion:
        """It says nothing of sizes."""
        return self

    def in_words(self) -> str:
        """Say how much more frequent."""
        less = (
            ", and less where it is frequent in the table already"
            if self.kind == "enhanced"
            else ""
        )
        return (
            "No sensitive value is much more frequent in a group than in the whole table: its "
            f"share there is at most {value_text(1 + self.beta)} times as large{less}."
        )

    def _ratios(self, groups: Groups) -> tuple[Exact, Exact]:
        return likeness(groups.sizes, groups.histogram, groups.original("BetaLikeness"))

    def _within_information(self, groups: Groups, here: Exact, there: Exact) -> NDArray[np.bool_]:
        """Say for every value of a group whether its rise is at most -ln q, if that matters."""
        if self.kind == "basic":
            return np.ones(len(here), dtype=bool)
        reference = groups.original("BetaLikeness")
        known = np.asarray(there > 0, dtype=bool)
        had = reference[groups.histogram.codes][known]
        kept = np.zeros(len(here), dtype=bool)
        kept[known] = rises_at_most_information(
            here[known], there[known], had, int(reference.sum())
        )
        return kept
