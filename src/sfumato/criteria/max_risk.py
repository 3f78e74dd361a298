"""The risk of being recognized, bounded for everybody."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.criteria.bound import Value
from sfumato.criteria.criterion import Criterion
from sfumato.criteria.thresholds import Thresholds
from sfumato.data.groups import Groups
from sfumato.parameters import number, optional_column
from sfumato.text import people, share


@dataclass(frozen=True)
class MaxRisk(Criterion):
    """Nobody is recognized with a probability above `risk`: 1 by the size of the group.

    This is k-anonymity by its other name, and exact: 0.09 takes groups of 12, since 1/11 is more.

    >>> MaxRisk("0.09").holds(Groups(sizes=[11, 12]))
    array([False,  True])
    """

    risk: Fraction
    attribute: str | None = None
    looks_at_values: ClassVar[bool] = False

    def __init__(self, risk: float | Fraction | str, attribute: str | None = None) -> None:
        object.__setattr__(self, "risk", number("MaxRisk", "risk", risk, above=0, most=1))
        object.__setattr__(self, "attribute", optional_column("MaxRisk", "attribute", attribute))

    @property
    def k(self) -> int:
        """People that every group has to have."""
        return math.ceil(1 / self.risk)

    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        """Compare each group's size with what the risk asks for."""
        return np.asarray(groups.sizes >= self.k)

    def measure(self, groups: Groups) -> Value:
        """The risk in the smallest group."""
        return Fraction(1, int(groups.sizes.min())) if len(groups) else None

    def promised(self) -> Value:
        """The risk."""
        return self.risk

    @classmethod
    def examples(cls) -> tuple[Criterion, ...]:
        """It has no kinds."""
        return (cls("0.4"),)

    def monotone(self, *, suppression: bool) -> bool:
        """More people never make a group smaller."""
        del suppression
        return True

    def thresholds(self) -> Thresholds:
        """The size of groups."""
        return Thresholds(people=self.k)

    def in_words(self) -> str:
        """Say how probable it is, and how many are alike."""
        return (
            "Whoever knows a person's quasi-identifiers recognizes the person's row with a "
            f"probability of at most {share(self.risk)}: at least {people(self.k)} are alike."
        )
