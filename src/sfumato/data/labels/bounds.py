"""Bounds of published ranges: simple values between two neighbours of an ordered column."""

from __future__ import annotations

import contextlib
import datetime
from decimal import Decimal, localcontext

from sfumato.data.decimals import DIGITS, as_number, floor_to, number_text


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
    """Give a short text b with below < b <= value, for two texts in order.

    It begins with what the two have in common. The next letter or digit is nobody's where there is
    room between theirs; else it is that of `value`, so that no code which begins as `below` does is
    above it.

    >>> shortest_between("divorced", "married"), shortest_between("A2", "A7")
    ('l', 'A6')
    >>> shortest_between("1", "10"), shortest_between("A6", "A7"), shortest_between("Ada", "Bob")
    ('10', 'A7', 'B')
    """
    shared = 0
    while shared < len(below) and below[shared] == value[shared]:
        shared += 1
    earlier = value[:shared] + chr(max(ord(value[shared]) - 1, 0))  # nothing is before NUL
    taken = below[shared : shared + 1]
    if taken < earlier[shared] and (value[shared] + earlier[shared]).isalnum():
        return earlier
    return value[: shared + 1]
