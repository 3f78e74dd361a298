"""The values one column can take, as integer codes in tree order."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation, localcontext

import numpy as np
from numpy.typing import NDArray

from sfumato.data.taxonomy import Ranks, Taxonomy

MISSING_TEXT = "missing"
DIGITS = 1000  # of exact decimal arithmetic; longer texts are not read as numbers


@dataclass(frozen=True, eq=False)
class Domain:
    """Ground values of a column; a code is a rank in tree order.

    A missing value is a value: a leaf of its own under the root, and always the last rank.
    """

    labels: tuple[object, ...]
    taxonomy: Taxonomy
    numbers: NDArray[np.float64] | None = None  # (n,), NaN for the missing value; ordered columns
    closed: bool = False  # given by the steward, so its ground values may be published

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def has_missing(self) -> bool:
        """Whether the missing value is one of the values."""
        return self.labels[-1] is None

    def span(self, low: Ranks, high: Ranks) -> NDArray[np.float64]:
        """Width of intervals as a share of the whole domain: 0 for one value, 1 for all.

        Numeric columns are measured in their own unit, others in ranks.
        """
        top = len(self) - 1
        if top == 0:
            return np.zeros(len(low))
        if self.numbers is None:
            return np.asarray((high - low) / top, dtype=np.float64)
        # The missing value has no place on the axis; it counts as lying at its upper end.
        axis = np.where(np.isnan(self.numbers), np.nanmax(self.numbers), self.numbers)
        whole = axis[-1] - axis[0]
        if whole == 0:
            return np.zeros(len(low))
        return np.asarray((axis[high] - axis[low]) / whole, dtype=np.float64)

    def code_of(self, value: object) -> int | None:
        """Code of a value given by a user, who may write a number for its text or the reverse."""
        text = _text(value)
        for code, label in enumerate(self.labels):
            if label == value or (label is not None and _text(label) == text):
                return code
        return None

    def interval_labels(self, intervals: NDArray[np.int32]) -> list[str | None]:
        """Published text of each interval of ranks; intervals: (m, 2).

        A single value is itself, the whole domain and every node carry their name from the
        taxonomy. Any other side of a region is a range for ordered and for open columns, with
        bounds that are the simplest values between the last value inside and the first outside,
        never a tight extreme of the people in the region; for a closed tree it is the set of its
        largest nodes.
        """
        pairs, inverse = np.unique(intervals, axis=0, return_inverse=True)
        texts = [self._interval_label(int(low), int(high)) for low, high in pairs]
        return [texts[j] for j in inverse.reshape(-1)]

    def _interval_label(self, low: int, high: int) -> str | None:
        if low == high:
            return None if self.labels[low] is None else _text(self.labels[low])
        ends = np.array([[low], [high]], dtype=np.int32)
        level = int(self.taxonomy.enclosing_level(*ends)[0])
        if self.taxonomy.low[level, low] == low and self.taxonomy.high[level, low] == high:
            return _text(self.taxonomy.labels[level][low])
        missing = high == len(self) - 1 and self.has_missing
        if self.numbers is None and self.closed:
            return "{" + ", ".join(self._largest_nodes(low, high)) + "}"
        last = high - 1 if missing else high
        if low == last:
            text = _text(self.labels[low])
        else:
            top = len(self) - 1 - self.has_missing
            if low == 0 and last == top:
                return f"not {MISSING_TEXT}"
            text = range_text(
                None if low == 0 else self.bound(low), None if last == top else self.bound(last + 1)
            )
        return f"{text} or {MISSING_TEXT}" if missing else text

    def bound(self, rank: int) -> str:
        """Give the simplest value above rank - 1 and not above rank."""
        below, value = self.labels[rank - 1], self.labels[rank]
        if self.numbers is None:
            return shortest_between(_text(below), _text(value))
        return simplest_between(below, value)

    def _largest_nodes(self, low: int, high: int) -> list[str]:
        nodes = []
        while low <= high:
            level = self.taxonomy.height
            while self.taxonomy.low[level, low] != low or self.taxonomy.high[level, low] > high:
                level -= 1
            label = self.taxonomy.labels[level][low]
            nodes.append(MISSING_TEXT if label is None else _text(label))
            low = int(self.taxonomy.high[level, low]) + 1
        return nodes


def range_text(low: str | None, high: str | None) -> str:
    """Write a half-open range; None: no bound on that side.

    >>> range_text("20", "40"), range_text(None, "40"), range_text("20", None)
    ('[20, 40)', '<40', '>=20')
    """
    if low is None:
        return f"<{high}"
    if high is None:
        return f">={low}"
    return f"[{low}, {high})"


def simplest_between(below: object, value: object) -> str:
    """Give the simplest bound b with below < b <= value, for two neighbours of one column.

    >>> simplest_between(37, 62), simplest_between(37, 38), simplest_between("0.137", "0.152")
    ('60', '38', '0.15')
    >>> simplest_between(datetime.date(2025, 11, 3), datetime.date(2026, 2, 7))
    '2026-01-01'
    """
    if isinstance(value, datetime.date) and isinstance(below, datetime.date):
        for first in (f"{value:%Y}-01-01", f"{value:%Y-%m}-01"):
            if first > below.isoformat():
                return first
        return value.isoformat()
    lower, upper = as_number(below), as_number(value)
    if lower is None or upper is None or lower >= upper:  # dates as text, or 1.5 beside 1.50
        return _text(value)
    if lower < 0 <= upper:
        return "0"
    exponent = max(lower.adjusted(), upper.adjusted())
    while True:
        bound = floor_to(upper, Decimal(1).scaleb(exponent))
        if bound > lower:
            return number_text(bound)
        exponent -= 1


def shortest_between(below: str, value: str) -> str:
    """Give the shortest text b with below < b <= value, for two texts in order.

    >>> shortest_between("divorced", "married"), shortest_between("1", "10")
    ('m', '10')
    """
    shared = 0
    while shared < len(below) and below[shared] == value[shared]:
        shared += 1
    return value[: shared + 1]


def as_number(value: object) -> Decimal | None:
    """Read a number exactly; None when it is not a finite one that a float could hold."""
    text = repr(value) if isinstance(value, float) else str(value).strip()
    if len(text) > DIGITS // 2:
        return None
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if number.is_finite() and abs(number.adjusted()) < 300 else None


def floor_to(number: Decimal, step: Decimal) -> Decimal:
    """Give the largest multiple of `step` not above `number`, exactly.

    >>> floor_to(Decimal(37), Decimal(5)), floor_to(Decimal("-0.1"), Decimal("0.25"))
    (Decimal('35'), Decimal('-0.25'))
    """
    with localcontext(prec=DIGITS):
        return (number / step).to_integral_value(rounding="ROUND_FLOOR") * step


def number_text(number: Decimal) -> str:
    """Write a number without an exponent and without trailing zeros.

    >>> number_text(Decimal("1E+2")), number_text(Decimal("2.50")), number_text(Decimal("-0"))
    ('100', '2.5', '0')
    """
    text = format(number, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def _text(value: object) -> str:
    return str(value)


def labels_text(labels: Sequence[object]) -> list[str | None]:
    """Write labels as they are published: text, or None for the missing value."""
    return [None if label is None else _text(label) for label in labels]
