"""(k, e)-anonymity for numeric sensitive values (Zhang et al., as Wong 2009 uses it)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.criteria.base import Criterion, Value, at_least_one, column_name, positive
from sfumato.data.domain import Domain, as_number
from sfumato.data.groups import Groups
from sfumato.data.keys import distinct_rows
from sfumato.errors import BadInput


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
        object.__setattr__(self, "k", at_least_one("KEAnonymity", "k", k))
        object.__setattr__(self, "e", positive("KEAnonymity", "e", e, zero=True))
        object.__setattr__(self, "attribute", column_name("KEAnonymity", attribute))

    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        """Compare sizes with k and ranges with e."""
        numbers, low, high = _extremes(groups)
        # Pairs of extremes repeat: each pair is decided once, exactly.
        pairs, inverse = distinct_rows(np.stack([low, high], axis=1))
        wide = np.array([_range(numbers, a, b) >= self.e for a, b in pairs.tolist()], dtype=bool)
        return np.asarray((groups.sizes >= self.k) & wide[inverse])

    def measure(self, groups: Groups) -> Value:
        """The size of the smallest group, and the smallest range."""
        if not len(groups):
            return None
        numbers, low, high = _extremes(groups)
        pairs = distinct_rows(np.stack([low, high], axis=1))[0].tolist()
        return (int(groups.sizes.min()), min(_range(numbers, a, b) for a, b in pairs))

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

    def monotone(self, *, suppression: bool) -> bool:
        """More people never make a range smaller."""
        del suppression
        return True


def _extremes(
    groups: Groups,
) -> tuple[list[Fraction | None], NDArray[np.int64], NDArray[np.int64]]:
    """Give the numbers of all values in order, and each group's smallest and largest position.

    A group without numbers has the positions (0, -1).
    """
    labels = groups.labels
    exact = [None if label is None else as_number(label) for label in labels]
    wrong = [label for label, number in zip(labels, exact, strict=True) if number is None]
    if any(label is not None for label in wrong):
        raise BadInput("KEAnonymity: the sensitive values are not all numbers", wrong)
    fractions = [None if number is None else Fraction(number) for number in exact]
    known = [code for code, number in enumerate(fractions) if number is not None]
    order = sorted(known, key=lambda code: fractions[code] or Fraction(0))
    position = np.full(len(labels), -1, dtype=np.int64)
    position[order] = np.arange(len(order))
    histogram = groups.histogram.only(np.array(known, dtype=np.int32))
    low = np.zeros(len(groups), dtype=np.int64)
    high = np.full(len(groups), -1, dtype=np.int64)
    filled = np.flatnonzero(histogram.n_distinct())
    if len(filled):
        places = position[histogram.codes]
        low[filled] = np.minimum.reduceat(places, histogram.starts[filled])
        high[filled] = np.maximum.reduceat(places, histogram.starts[filled])
    return [fractions[code] for code in order], low, high


def _range(numbers: list[Fraction | None], low: int, high: int) -> Fraction:
    if high < low:
        return Fraction(0)
    top, bottom = numbers[high], numbers[low]
    return (top or Fraction(0)) - (bottom or Fraction(0))
