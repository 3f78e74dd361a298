"""Flat: a value is published as it is or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.data.decimals import canonical_numbers
from sfumato.data.domain import Domain
from sfumato.data.hierarchy.base import Hierarchy
from sfumato.data.hierarchy.domains import open_domain
from sfumato.data.keys import Codes
from sfumato.data.values import published_text


@dataclass(frozen=True)
class Flat(Hierarchy):
    """No structure: a value is published as it is or not at all.

    >>> import sfumato as sf
    >>> domain, _ = sf.Flat().grow("column", ["female", "male"])
    >>> for level in domain.taxonomy.labels:
    ...     print(*level, sep="  ")
    female  male
    *  *
    """

    texts = "values"

    def grow(self, column: str, values: Sequence[object]) -> tuple[Domain, Codes]:
        """Order numbers as numbers and everything else as text."""
        numbers = canonical_numbers(values)
        if numbers is None:
            return open_domain(column, values, published_text, lambda _: [])
        return open_domain(column, values, numbers.__getitem__, lambda _: [], numbers.__getitem__)
