"""p-sensitive k-anonymity (Truta et al.; Ciriani 2008, section 5)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sfumato.criteria.bound import Value
from sfumato.criteria.criterion import Criterion
from sfumato.criteria.l_diversity import different_values
from sfumato.criteria.thresholds import Thresholds
from sfumato.data.groups import Groups
from sfumato.parameters import optional_column, refusal, whole
from sfumato.text import people


@dataclass(frozen=True)
class PSensitiveKAnonymity(Criterion):
    """At least k people and at least p different sensitive values in every group.

    >>> groups = Groups([3, 3], [[2, 1], [0, 3]], values=["a", "b"])
    >>> PSensitiveKAnonymity(2, 3).holds(groups), PSensitiveKAnonymity(2, 3).measure(groups)
    (array([ True, False]), (1, 3))
    """

    p: int
    k: int
    attribute: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "p", whole("PSensitiveKAnonymity", "p", self.p))
        object.__setattr__(self, "k", whole("PSensitiveKAnonymity", "k", self.k))
        optional_column("PSensitiveKAnonymity", "attribute", self.attribute)
        if self.p > self.k:
            raise refusal("PSensitiveKAnonymity", "p", f"from 1 to k = {self.k}", self.p)

    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        """Count people and values."""
        return (groups.sizes >= self.k) & (groups.histogram.n_distinct() >= self.p)

    def measure(self, groups: Groups) -> Value:
        """The fewest values, and the size of the smallest group."""
        if not len(groups):
            return None
        return (int(groups.histogram.n_distinct().min()), int(groups.sizes.min()))

    def promised(self) -> Value:
        """The p and the k."""
        return (self.p, self.k)

    @classmethod
    def examples(cls) -> tuple[Criterion, ...]:
        """It has no kinds."""
        return (cls(2, 3),)

    def monotone(self, *, suppression: bool) -> bool:
        """More people take away neither people nor values."""
        del suppression
        return True

    def thresholds(self) -> Thresholds:
        """The p and the k."""
        return Thresholds(people=self.k, values=self.p)

    @property
    def exchangeable(self) -> bool:
        """Values are counted, whichever they are."""
        return True

    def without_sizes(self) -> Criterion:
        """The different values: no more people than these need."""
        return replace(self, k=self.p)

    def in_words(self) -> str:
        """Say how many people and values."""
        return f"Every group has at least {people(self.k)} and {different_values(self.p)}."
