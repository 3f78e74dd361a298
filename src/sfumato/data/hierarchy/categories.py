"""Categories: values without an order, of which rare ones are one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.data.domain import Domain
from sfumato.data.hierarchy.base import Hierarchy
from sfumato.data.hierarchy.domains import open_domain
from sfumato.data.keys import Codes
from sfumato.data.values import published_text
from sfumato.parameters import whole


@dataclass(frozen=True)
class Categories(Hierarchy):
    """Values without an order, numbers too: published as they are, in sets, or as `other`.

    A release names a value only if `min_count` people have it, and as many as its promise says, and
    never fewer than five; all others are `other`. Use it for codes that look like numbers, or where
    many rare values would make sets long.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"zip": sf.Categories(min_count=80)},
    ...     sensitive="disease",
    ... )
    >>> release = sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati())
    >>> "other" in release.to_arrow()["zip"].unique().to_pylist()
    True
    """

    min_count: int = 0
    texts = "values"

    def __post_init__(self) -> None:
        whole("Categories", "min_count", self.min_count, least=0)

    @property
    def fewest_named(self) -> int:
        """Give `min_count`."""
        return self.min_count

    def grow(self, column: str, values: Sequence[object]) -> tuple[Domain, Codes]:
        """Take all values as they are."""
        return open_domain(column, values, published_text, lambda _: [])
