"""Published texts of numbers and dates as their two ends, for whoever computes with them.

What a text stands for is public, so nothing but the texts and what `release.json` says of the
column's hierarchy is needed.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Generic, TypeVar

from sfumato.data.decimals import as_number
from sfumato.data.labels.grammar import (
    Name,
    Range,
    Reading,
    calendar_beginning,
    calendar_days,
    is_everything,
    parse,
)

Place = TypeVar("Place", Decimal, datetime.datetime)
Number = Decimal | None  # None: open, or no number
Moment = datetime.datetime | None

# What follows the beginning of an ISO text; the first that makes it a time makes it the earliest.
EARLIEST = ("0000-00-00 00:00:00", "0000-00-01 00:00:00", "0000-01-01 00:00:00")
FINER_THAN_MICROSECONDS = re.compile(r"\.\d{6}\d*[1-9]")
A_MICROSECOND = datetime.timedelta(microseconds=1)


@dataclass(frozen=True)
class Span(Generic[Place]):
    """From one place up to another one; None: open on that side.

    It holds all values that a text stands for, but not the missing one, if that is one of them.
    """

    low: Place | None
    high: Place | None
    closed: bool = False  # whether the upper end is in it


Spans = list[Span[Decimal] | None] | list[Span[datetime.datetime] | None]  # None: missing


def spans(
    texts: Sequence[str | None],
    reading: Reading | None,
    paths: Collection[Sequence[str]] = (),
    extent: tuple[Number, Number] = (None, None),
) -> Spans | None:
    """Give the ends of every text of a column; None: they are no numbers or dates, or not all.

    Args:
        texts: The distinct texts of the column.
        reading: How its hierarchy says that they are read.
        paths: Ways from published nodes up to the root, of a closed tree.
        extent: The smallest and the largest number that there can be, if that was declared.

    >>> for span in spans(["[35, 40)", "41", ">=90"], "numbers", extent=(None, Decimal(120))):
    ...     print(span.low, span.high, span.closed)
    35 40 False
    41 41 True
    90 120 True
    >>> spans(["2026-12"], "calendar")[0].high, spans(["130**"], "masks")
    (datetime.datetime(2027, 1, 1, 0, 0), None)
    """
    roots = {path[-1] for path in paths}
    if reading == "calendar":
        return _all_read(texts, roots, _days)
    if reading == "numbers" or _tells_numbers(texts, reading, paths):
        number = cache(as_number)  # there are fewer bounds than ranges between them
        return _all_read(texts, roots, lambda text: _within(_number(text, number), *extent))
    return None


def _tells_numbers(
    texts: Sequence[str | None], reading: Reading | None, paths: Collection[Sequence[str]]
) -> bool:
    """Whether a column that may be of numbers is: a range says so, unless it is a node's name.

    Without one, `7` may be the name of something, and `*` stand for what is no number.
    """
    if reading not in ("values", "ordered", "nodes") or (reading == "nodes" and not paths):
        return False
    named = {name for path in paths for name in path}
    parts = [parse(text).part for text in texts if text is not None and text not in named]
    return any(isinstance(part, Range) and part.of_numbers for part in parts)


def _all_read(
    texts: Sequence[str | None],
    roots: Collection[str],
    read: Callable[[str], Span[Place] | None],
) -> list[Span[Place] | None] | None:
    found: list[Span[Place] | None] = []
    for text in texts:
        everything = is_everything(text, roots)
        span = None if text is None else read("*" if everything else text)
        if span is None and text is not None:
            return None
        found.append(span)
    return found


def _number(text: str, read: Callable[[str], Number]) -> Span[Decimal] | None:
    match parse(text).part:
        case Name(name):
            number = read(name)
            return None if number is None else Span(number, number, closed=True)
        case Range(low, high, quoted) if not quoted:
            first = None if low is None else read(low)
            last = None if high is None else read(high)
            unread = (first is None and low is not None) or (last is None and high is not None)
            return None if unread else Span(first, last)
    return None


def _within(span: Span[Decimal] | None, first: Number, last: Number) -> Span[Decimal] | None:
    """Close what is open, or reaches further, at the ends of what there can be."""
    if span is None:
        return None
    low, high, closed = span.low, span.high, span.closed
    if first is not None and (low is None or low < first):
        low = first
    if last is not None and (high is None or high > last):
        high, closed = last, True
    return Span(low, high, closed)


def _days(text: str) -> Span[datetime.datetime] | None:
    match parse(text).part:
        case Range(low, high):
            return Span(_earliest(low), _earliest(high, rounded_up=True))
        case Name(name, quoted):
            beginning = None if quoted else calendar_beginning(name)
            if beginning is not None:
                days = calendar_days(name)
                return Span(_earliest(beginning), None if days is None else _earliest(days[1]))
            first = _earliest(name) if len(name) >= len("2026-11-15") else None
            if first is None:
                return None
            if len(name) > len("2026-11-15"):
                return Span(first, _earliest(name, rounded_up=True), closed=True)
            with suppress(OverflowError):
                return Span(first, first + datetime.timedelta(days=1))
            return Span(first, None)
    return None


def _earliest(beginning: str | None, *, rounded_up: bool = False) -> Moment:
    """Give the earliest time, in UTC, whose ISO text begins so; None: there is none, or no bound.

    >>> print(_earliest("2026-1"), _earliest("2026-02-1"), _earliest("2026-02-07 10:00:2"))
    2026-10-01 00:00:00 2026-02-10 00:00:00 2026-02-07 10:00:20
    """
    text = "" if beginning is None else beginning.rstrip(" T:.-+")
    for rest in EARLIEST if text else ():
        with suppress(ValueError, OverflowError):
            moment = datetime.datetime.fromisoformat(text + rest[len(text) :])
            if moment.tzinfo is not None:
                moment = moment.astimezone(datetime.UTC).replace(tzinfo=None)
            finer = rounded_up and FINER_THAN_MICROSECONDS.search(text)
            return moment + A_MICROSECOND if finer else moment
    return None
