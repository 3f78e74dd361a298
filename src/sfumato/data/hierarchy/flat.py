"""Flat: a value is published as it is, or with others, or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sfumato.data.decimals import canonical_numbers
from sfumato.data.domain import Domain
from sfumato.data.hierarchy.base import Hierarchy
from sfumato.data.hierarchy.domains import open_domain
from sfumato.data.keys import Codes
from sfumato.data.labels.grammar import Reading
from sfumato.data.values import natural_order, published_text
from sfumato.parameters import true_or_false


@dataclass(frozen=True)
class Flat(Hierarchy):
    """No structure: a value is published as it is, in a set or a range with others, or not at all.

    Numbers have an order. Texts have none, and are published in sets, unless told otherwise.

    Args:
        ordered: Texts have an order, and ranges of them are published: that of their letters, with
            numbers in them as numbers (A5 before A10).

    >>> import sfumato as sf
    >>> domain, _ = sf.Flat().grow("column", ["female", "male"])
    >>> for level in domain.taxonomy.labels:
    ...     print(*level, sep="  ")
    female  male
    *  *
    """

    ordered: bool = False

    def __post_init__(self) -> None:
        true_or_false("Flat", "ordered", self.ordered)

    @property
    def texts(self) -> Reading:  # type: ignore[override]  # of one object
        """How what it publishes is read."""
        return "ordered" if self.ordered else "values"

    @property
    def parameter(self) -> Any:
        """What is written behind the name: `flat = true`, or that there is an order."""
        return {"ordered": True} if self.ordered else True

    def grow(self, column: str, values: Sequence[object]) -> tuple[Domain, Codes]:
        """Order numbers as numbers; texts have an order only where that was said."""
        numbers = canonical_numbers(values)
        if numbers is None and self.ordered:
            domain, codes = open_domain(column, values, natural_order, lambda _: [])
            return replace(domain, order="natural"), codes
        if numbers is None:
            return open_domain(column, values, published_text, lambda _: [])
        return open_domain(column, values, numbers.__getitem__, lambda _: [], numbers.__getitem__)
