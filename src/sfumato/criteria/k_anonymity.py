"""k-anonymity (Ciriani 2008, definition 2.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.criteria.bound import Value
from sfumato.criteria.criterion import Criterion
from sfumato.criteria.thresholds import Thresholds
from sfumato.data.groups import Groups
from sfumato.parameters import optional_column, whole
from sfumato.text import people


@dataclass(frozen=True)
class KAnonymity(Criterion):
    """Every published combination of quasi-identifiers is shared by at least k people.

    >>> KAnonymity(2).holds(Groups(sizes=[3, 1]))
    array([ True, False])
    """

    k: int
    attribute: str | None = None
    looks_at_values: ClassVar[bool] = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole("KAnonymity", "k", self.k))
        optional_column("KAnonymity", "attribute", self.attribute)

    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        """Compare each group's size with k."""
        return np.asarray(groups.sizes >= self.k)

    def measure(self, groups: Groups) -> Value:
        """Size of the smallest group."""
        return int(groups.sizes.min()) if len(groups) else None

    def promised(self) -> Value:
        """The k."""
        return self.k

    @classmethod
    def examples(cls) -> tuple[Criterion, ...]:
        """It has no kinds."""
        return (cls(3),)

    def monotone(self, *, suppression: bool) -> bool:
        """More people never make a group smaller."""
        del suppression
        return True

    def thresholds(self) -> Thresholds:
        """The k."""
        return Thresholds(people=self.k)

    def in_words(self) -> str:
        """Say how many are alike."""
        return (
            f"Whoever knows a person's quasi-identifiers finds at least {people(self.k)} with the "
            "same published ones, that person among them."
        )
