"""The values one column can take, as integer codes in tree order."""

from __future__ import annotations

import contextlib
import datetime
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation, localcontext
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.data.keys import distinct_rows
from sfumato.data.labels.texts import Labels
from sfumato.data.taxonomy import Ranks, Taxonomy

MISSING_TEXT = "missing"
DIGITS = 1000  # of exact decimal arithmetic; longer texts are not read as numbers
EXPONENTS = 300  # what a float can hold
LARGEST = 10**EXPONENTS
TRUTHS = {"True": True, "true": True, "False": False, "false": False}


@dataclass(frozen=True, eq=False)
class SetMembers:
    """What whole sets of values consist of: the rows of a sparse matrix, codes x values."""

    starts: NDArray[np.int64]  # (n_codes + 1,)
    codes: NDArray[np.int32]  # (n_entries,) single values, ascending inside a set
    counts: NDArray[np.int64]  # (n_entries,) how often a person has the value
    values: Domain  # of the single values

    @property
    def repeated(self) -> bool:
        """Whether somebody has a value more than once: a multiset, and no set."""
        return bool((self.counts > 1).any())

    def of(
        self, codes: NDArray[np.integer]
    ) -> tuple[NDArray[np.intp], NDArray[np.int32], NDArray[np.int64]]:
        """List what some sets consist of; codes: (n,), repeated or not.

        Returns for every entry the position in `codes`, the single value, and how often it is in
        the set.
        """
        sizes = np.diff(self.starts)[codes]
        position = np.repeat(np.arange(len(codes)), sizes)
        entry = np.arange(len(position)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        entry += self.starts[codes[position]]
        return position, self.codes[entry], self.counts[entry]


@dataclass(frozen=True, eq=False)
class Domain:
    """Ground values of a column; a code is a rank in tree order.

    A missing value is a value: a leaf of its own under the root, and always the last rank.
    """

    labels: tuple[object, ...]
    taxonomy: Taxonomy
    numbers: NDArray[np.float64] | None = None  # (n,), NaN for the missing value; ordered columns
    closed: bool = False  # given by the steward, so its ground values may be published
    members: SetMembers | None = None  # set-valued: a code is one person's whole set

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        return f"<Domain: {len(self)} values, height {self.taxonomy.height}>"

    @property
    def has_missing(self) -> bool:
        """Whether the missing value is one of the values."""
        return self.labels[-1] is None

    @property
    def values(self) -> Domain:
        """The single values: of a set-valued column, what its sets consist of."""
        return self if self.members is None else self.members.values

    def span(self, low: Ranks, high: Ranks) -> NDArray[np.float64]:
        """Width of intervals as a share of the whole domain: 0 for one value, 1 for all.

        Numeric columns are measured in their own unit, others in ranks.
        """
        return np.asarray((self.axis[high] - self.axis[low]) / self.whole, dtype=np.float64)

    @cached_property
    def axis(self) -> NDArray[np.float64]:
        """Where each value lies: at its number, or else at its rank.

        The missing value has no place among numbers; it counts as lying at their upper end.
        """
        if self.numbers is None:
            return np.arange(len(self), dtype=np.float64)
        if np.isnan(self.numbers).all():
            return np.zeros(len(self))
        return np.where(np.isnan(self.numbers), np.nanmax(self.numbers), self.numbers)

    @property
    def whole(self) -> float:
        """Length of the axis; 1 where all values lie at one place."""
        return float(self.axis[-1] - self.axis[0]) or 1.0

    def code_of(self, value: object) -> int | None:
        """Code of a value given by a user, who may write a number for its text or the reverse."""
        if value is None:
            return len(self) - 1 if self.has_missing else None
        if isinstance(value, int) and abs(value) >= LARGEST:  # Python refuses to write it
            return None
        text = str(value)
        for code, label in enumerate(self.labels):
            if label is not None and str(label) == text:
                return code
        if text in TRUTHS:  # a file says true where Python says True
            texts = [str(label) for label in self.labels]
            return next(
                (c for c, each in enumerate(texts) if TRUTHS.get(each) == TRUTHS[text]), None
            )
        if self.numbers is None or not isinstance(value, (int, float, Decimal)):
            return None
        number = as_number(value)  # 1.0 for 1, in a column of numbers
        return next((c for c, label in enumerate(self.labels) if as_number(label) == number), None)

    def interval_labels(self, intervals: NDArray[np.int32]) -> Labels:
        """Published text of each interval of ranks; intervals: (m, 2).

        A single value is itself, the whole domain and the nodes of a tree carry their name. Any
        other side of a region is a range for ordered and for open columns, with bounds that are
        simple values between the last value inside and the first outside, never a tight extreme
        of the people in the region; for a closed tree it is the set of its largest nodes.
        """
        pairs, index = distinct_rows(intervals)
        return Labels(tuple(self._interval_label(low, high) for low, high in pairs.tolist()), index)

    def node_labels(self, intervals: NDArray[np.int32]) -> Labels:
        """Name of the node that each interval of ranks is; intervals: (m, 2).

        Of several nodes with the same values, in a closed tree the smallest; in an open one, whose
        values are those of the data, the largest, which says the least about the others.
        """
        pairs, index = distinct_rows(intervals)
        names = []
        for low, high in pairs.tolist():
            same = (self.taxonomy.low[:, low] == low) & (self.taxonomy.high[:, low] == high)
            levels = np.flatnonzero(same)
            label = self.taxonomy.labels[levels[0] if self.closed else levels[-1]][low]
            names.append(None if label is None else str(label))
        return Labels(tuple(names), index)

    def _interval_label(self, low: int, high: int) -> str | None:
        if low == high:
            return None if self.labels[low] is None else str(self.labels[low])
        level = self.node_level(low, high)
        if level is not None:
            return str(self.taxonomy.labels[level][low])
        missing = high == len(self) - 1 and self.has_missing
        if self.numbers is None and self.closed:
            labels = [self.taxonomy.labels[i][rank] for rank, i in self.largest_nodes(low, high)]
            texts = [MISSING_TEXT if label is None else str(label) for label in labels]
            return "{" + ", ".join(texts) + "}"
        last = high - 1 if missing else high
        if low == last:
            text = str(self.labels[low])
        else:
            top = len(self) - 1 - self.has_missing
            if low == 0 and last == top:
                return f"not {MISSING_TEXT}"
            text = range_text(
                None if low == 0 else self.bound(low), None if last == top else self.bound(last + 1)
            )
        return f"{text} or {MISSING_TEXT}" if missing else text

    def node_level(self, low: int, high: int) -> int | None:
        """Level of the node that an interval is published as, if it is published as one.

        A part of an ordered column never is: it reaches to its cuts, and a node that happens to
        have the same values in the data would say more.
        """
        if self.numbers is not None and (low > 0 or high < len(self) - 1):
            return None
        ends = np.array([[low], [high]], dtype=np.int32)
        level = int(self.taxonomy.enclosing_level(*ends)[0])
        same = self.taxonomy.low[level, low] == low and self.taxonomy.high[level, low] == high
        return level if same else None

    def bound(self, rank: int) -> str:
        """Give the simplest value above rank - 1 and not above rank."""
        below, value = self.labels[rank - 1], self.labels[rank]
        if self.numbers is None:
            return shortest_between(str(below), str(value))
        return simplest_between(below, value)

    def largest_nodes(self, low: int, high: int) -> list[tuple[int, int]]:
        """Cover an interval with the largest nodes inside it; each as (first rank, level)."""
        nodes = []
        while low <= high:
            level = self.taxonomy.height
            while self.taxonomy.low[level, low] != low or self.taxonomy.high[level, low] > high:
                level -= 1
            nodes.append((low, level))
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
    """Give a simple bound b with below < b <= value, for two neighbours of an ordered column.

    Where there is room, b is neither of the two, so that a bound is nobody's own value.

    >>> simplest_between(37, 62), simplest_between(37, 38), simplest_between("0.137", "0.152")
    ('60', '38', '0.15')
    >>> simplest_between(50, 100), simplest_between(17, 20), simplest_between(-5, 5)
    ('90', '19', '0')
    >>> simplest_between("2025-11-03", "2026-02-07"), simplest_between("2026-02-01", "2026-02-07")
    ('2026-01-01', '2026-02-06')
    >>> simplest_between("2026-02-07 10:00:00", "2026-02-07 17:31:12.345")
    '2026-02-07 17:00'
    >>> simplest_between("2026-02-07 10:00:00", "2026-02-07 10:00:20+00")
    '2026-02-07 10:00:19'
    """
    lower, upper = as_number(below), as_number(value)
    if lower is None or upper is None or lower >= upper:
        return _simplest_date(str(below), str(value))
    if lower < 0 < upper:
        return "0"
    with localcontext(prec=DIGITS):
        whole = lower == int(lower) and upper == int(upper)
        finest = 0 if whole else min(_exponent(lower), _exponent(upper)) - 1
        for exponent in range(max(lower.adjusted(), upper.adjusted()), finest - 1, -1):
            step = Decimal(1).scaleb(exponent)
            bound = floor_to(upper, step)
            if bound == upper:
                bound -= step
            if bound > lower:
                return number_text(bound)
    return number_text(upper)


def _exponent(number: Decimal) -> int:
    with localcontext(prec=DIGITS):
        exponent = number.normalize().as_tuple().exponent
    return exponent if isinstance(exponent, int) else 0


# How much of a time in ISO text names a year, a month, ..., and the rest of the text of its start.
CALENDAR = {4: "-01-01", 7: "-01", 10: "", 13: ":00", 16: "", 19: ""}


def _simplest_date(below: str, value: str) -> str:
    """Do the same for dates or times in ISO text: the start of a year, a month, ... between them.

    If there is none, the day or the second before.
    """
    is_day = len(value) <= 10
    with contextlib.suppress(ValueError, OverflowError):
        lower, upper = _moment(below), _moment(value)
        step = datetime.timedelta(days=1) if is_day else datetime.timedelta(seconds=1)
        written = upper.isoformat(value[10:11] or " ", "seconds")
        before = (upper - step).isoformat(value[10:11] or " ", "seconds")
        starts = [written[:length] + rest for length, rest in CALENDAR.items()]
        for text in [*starts[:2], before[:10]] if is_day else [*starts, before]:
            if below < text < value and lower < _moment(text) < upper:
                return text
    return value if is_day else shortest_between(below, value)


def _moment(text: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(text).replace(tzinfo=None)


def shortest_between(below: str, value: str) -> str:
    """Give the shortest text b with below < b <= value, for two texts in order.

    If that is the value itself, the letter or digit before its last one is taken where there is
    room, so that a bound is nobody's own value.

    >>> shortest_between("divorced", "married"), shortest_between("A2", "A7")
    ('m', 'A6')
    >>> shortest_between("1", "10"), shortest_between("A6", "A7")
    ('10', 'A7')
    """
    shared = 0
    while shared < len(below) and below[shared] == value[shared]:
        shared += 1
    bound = value[: shared + 1]
    earlier = value[:shared] + chr(max(ord(value[shared]) - 1, 0))  # nothing is before NUL
    if bound == value and below < earlier and (value[shared] + earlier[shared]).isalnum():
        return earlier
    return bound


def as_number(value: object) -> Decimal | None:
    """Read a number exactly; None when it is not a finite one that a float could hold."""
    if isinstance(value, int) and abs(value) >= LARGEST:
        return None
    text = float.__repr__(value) if isinstance(value, float) else str(value).strip()
    if len(text) > DIGITS // 2 or not text.isascii() or "_" in text:
        return None
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if number.is_finite() and abs(number.adjusted()) < EXPONENTS else None


def floor_to(number: Decimal, step: Decimal, steps: int = 0) -> Decimal:
    """Give the largest multiple of `step` not above `number`, and some steps more, exactly.

    >>> floor_to(Decimal(37), Decimal(5)), floor_to(Decimal("-0.1"), Decimal("0.25"))
    (Decimal('35'), Decimal('-0.25'))
    """
    with localcontext(prec=DIGITS):
        return ((number / step).to_integral_value(rounding="ROUND_FLOOR") + steps) * step


def number_text(number: Decimal) -> str:
    """Write a number without an exponent and without trailing zeros.

    >>> number_text(Decimal("1E+2")), number_text(Decimal("2.50")), number_text(Decimal("-0"))
    ('100', '2.5', '0')
    """
    text = format(number, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text
