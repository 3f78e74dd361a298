"""(alpha, k)-anonymity (Wong et al.; Ciriani 2008, definition 5.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.criteria.bound import Value
from sfumato.criteria.criterion import Criterion
from sfumato.criteria.l_diversity import (
    codes_protected,
    protected_in_words,
    protected_values,
    renamed,
)
from sfumato.criteria.thresholds import Thresholds
from sfumato.data.domain import Domain
from sfumato.data.groups import Groups
from sfumato.formulas.exact import at_most, largest_ratio
from sfumato.parameters import number, optional_column, whole
from sfumato.text import people, share


@dataclass(frozen=True)
class AlphaKAnonymity(Criterion):
    """At least k people in every group, and no sensitive value has a share above alpha.

    `values` are the sensitive ones, all unless given; with `pooled` they count together. The name
    of a node of the column's hierarchy stands for all values below it, which count as one. With
    k = 1 this is confidence bounding.

    >>> groups = Groups([3, 3], [[2, 1], [0, 3]], values=["HIV", "none"])
    >>> AlphaKAnonymity(0.5, 3, values=["HIV"]).holds(groups)
    array([False,  True])
    """

    alpha: Fraction
    k: int
    values: tuple[object, ...] | None = None
    pooled: bool = False
    attribute: str | None = None
    takes_nodes: ClassVar[bool] = True

    def __init__(
        self,
        alpha: float | Fraction | str,
        k: int,
        values: Sequence[object] | set[object] | frozenset[object] | None = None,
        pooled: bool = False,
        attribute: str | None = None,
    ) -> None:
        exact = number("AlphaKAnonymity", "alpha", alpha, above=0, most=1)
        object.__setattr__(self, "alpha", exact)
        object.__setattr__(self, "k", whole("AlphaKAnonymity", "k", k))
        object.__setattr__(self, "values", protected_values("AlphaKAnonymity", values, pooled))
        object.__setattr__(self, "pooled", pooled)
        object.__setattr__(
            self, "attribute", optional_column("AlphaKAnonymity", "attribute", attribute)
        )

    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        """Compare sizes with k and shares with alpha."""
        largest = groups.histogram.counted_as(self.protects(groups.values)).largest()
        return (groups.sizes >= self.k) & at_most(largest, groups.sizes, self.alpha)

    def measure(self, groups: Groups) -> Value:
        """The largest share, and the size of the smallest group."""
        if not len(groups):
            return None
        largest = groups.histogram.counted_as(self.protects(groups.values)).largest()
        return (largest_ratio(largest, groups.sizes), int(groups.sizes.min()))

    def promised(self) -> Value:
        """The alpha and the k."""
        return (self.alpha, self.k)

    @classmethod
    def examples(cls) -> tuple[Criterion, ...]:
        """It has no kinds."""
        return (cls("2/3", 3),)

    def monotone(self, *, suppression: bool) -> bool:
        """A union of safe groups is safe; a safe group joined by others may not be."""
        return not suppression

    def thresholds(self) -> Thresholds:
        """The k, and the alpha of every value that is protected."""
        return Thresholds(people=self.k, share=self.alpha)

    def protects(self, values: Domain | Sequence[object]) -> NDArray[np.int32]:
        """The values given, with `pooled` as one; all unless given."""
        return codes_protected(values, self.values, pooled=self.pooled, others=False)

    @property
    def exchangeable(self) -> bool:
        """Unless values are named."""
        return self.values is None

    def without_sizes(self) -> Criterion:
        """The bound of shares: k = 1."""
        return replace(self, k=1)

    def named_values(self) -> tuple[object, ...]:
        """The values given."""
        return self.values or ()

    def respelled(self, names: Mapping[object, str]) -> Criterion:
        """With other names for the values given; two that become one are one."""
        return replace(self, values=renamed(self.values, names))

    def in_words(self) -> str:
        """Say how many people, and how frequent a value may be."""
        return (
            f"Every group has at least {people(self.k)}, and in none do more than "
            f"{share(self.alpha)} have {protected_in_words(self.values, pooled=self.pooled)}."
        )
