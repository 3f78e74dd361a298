"""(k, e)-anonymity for numeric sensitive values (Zhang et al., as Wong 2009 uses it)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.criteria.bound import Value
from sfumato.criteria.criterion import Criterion
from sfumato.data.decimals import as_number
from sfumato.data.domain import Domain
from sfumato.data.groups import Groups
from sfumato.errors import BadInput
from sfumato.formulas.ranges import as_fractions, ranges
from sfumato.parameters import number, optional_column, whole
from sfumato.text import people, value_text


@dataclass(frozen=True)
class KEAnonymity(Criterion):
    """At least k people, and sensitive numbers that spread over a range of at least e.

    k counts rows, as Wong 2009 uses it. A missing value has no place in the range.

    >>> groups = Groups([2, 2], [[1, 0, 1], [1, 1, 0]], values=[10, 20, 50])
    >>> KEAnonymity(2, 30).holds(groups), KEAnonymity(2, 30).measure(groups)
    (array([ True, False]), (2, Fraction(10, 1)))
    """

    k: int
    e: Fraction
    attribute: str | None = None

    def __init__(self, k: int, e: float | Fraction | str, attribute: str | None = None) -> None:
        object.__setattr__(self, "k", whole("KEAnonymity", "k", k))
        object.__setattr__(self, "e", number("KEAnonymity", "e", e, least=0))
        object.__setattr__(
            self, "attribute", optional_column("KEAnonymity", "attribute", attribute)
        )

    @property
    def least_size(self) -> int:
        """The k."""
        return self.k

    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        """Compare sizes with k and ranges with e."""
        different, which = ranges(_numbers(groups), groups.histogram)
        wide = np.array([value >= self.e for value in different], dtype=bool)
        return np.asarray((groups.sizes >= self.k) & wide[which])

    def measure(self, groups: Groups) -> Value:
        """The size of the smallest group, and the smallest range."""
        if not len(groups):
            return None
        different, _ = ranges(_numbers(groups), groups.histogram)
        return (int(groups.sizes.min()), different[0])

    def refuse(self, attribute: str, domain: Domain) -> None:
        """Only numbers have a range."""
        wrong = [v for v in domain.labels if v is not None and as_number(v) is None]
        if wrong:
            raise BadInput(
                f"{self}: column {attribute!r} does not hold numbers alone; name the column that "
                "does with attribute=",
                wrong,
            )

    def promised(self) -> Value:
        """The k and the e."""
        return (self.k, self.e)

    @classmethod
    def examples(cls) -> tuple[Criterion, ...]:
        """It has no kinds."""
        return (cls(3, 1),)

    def monotone(self, *, suppression: bool) -> bool:
        """More people never make a range smaller."""
        del suppression
        return True

    def values_wanted(self) -> int:
        """Two, unless a range of 0 is enough."""
        return 2 if self.e > 0 else 0

    @property
    def looks_at_shares(self) -> bool:
        """The range is from the least value to the largest, however frequent."""
        return False

    def range_wanted(self) -> Fraction:
        """The e."""
        return self.e

    def without_sizes(self) -> Criterion:
        """The range: k = 1."""
        return replace(self, k=1)

    def in_words(self) -> str:
        """Say how many people, and how wide their numbers spread."""
        return (
            f"Every group has at least {people(self.k)}, and its sensitive numbers spread over a "
            f"range of at least {value_text(self.e)}."
        )


def _numbers(groups: Groups) -> list[Fraction | None]:
    numbers = as_fractions(groups.labels)
    if numbers is None:
        wrong = [v for v in groups.labels if v is not None and as_number(v) is None]
        raise BadInput("KEAnonymity: the sensitive values are not all numbers", wrong)
    return numbers
