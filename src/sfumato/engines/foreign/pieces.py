"""What the values of a column are: one kind, or several, which together are text."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.errors import BadInput

BOOLEAN, WHOLE, LONG, REAL, DATE, MOMENT, TIME, TEXT, OTHER = (
    "truth value",
    "whole number",
    "long number",
    "number",
    "date",
    "date with a time",
    "time",
    "text",
    "other",
)
TYPES = {
    BOOLEAN: pa.bool_(),
    WHOLE: pa.int64(),
    LONG: pa.int64(),
    REAL: pa.float64(),
    DATE: pa.date32(),
    MOMENT: pa.timestamp("us"),
    TIME: pa.time64("us"),
    TEXT: pa.string(),
}
KINDS: Mapping[type, str] = {
    bool: BOOLEAN,
    int: WHOLE,
    float: REAL,
    datetime.date: DATE,
    datetime.datetime: MOMENT,
    datetime.time: TIME,
    str: TEXT,
}
WIDER = {
    frozenset({WHOLE, REAL}): REAL,
    frozenset({WHOLE, LONG}): LONG,
    frozenset({DATE, MOMENT}): MOMENT,
}
EXACT = 2**53  # whole numbers up to that are told apart as floating ones; longer ones are LONG
MIDNIGHT = datetime.time()


@dataclass(frozen=True)
class Piece:
    """Values of one column, with the number of each kind; None: all are missing.

    >>> piece = Piece.of([1.0, None, 2])
    >>> piece.kind, piece.values.to_pylist()
    ('whole number', [1, None, 2])
    >>> piece = Piece.of([1.5, "01234", datetime.date(2026, 11, 17)])
    >>> piece.kind, piece.values.to_pylist()
    ('text', ['1.5', '01234', '2026-11-17'])
    """

    kind: str | None
    values: pa.Array
    counts: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, values: Sequence[object]) -> Piece:
        """See what some values are; what is not of one kind becomes text."""
        there = Counter(map(type, values))
        n_missing = there.pop(type(None), 0)
        if not there:
            return cls(None, pa.nulls(n_missing))
        if not KINDS.keys() >= there.keys():
            return cls(OTHER, _inferred(values), {OTHER: there.total()})
        if there.keys() == {float}:
            return cls._of_floats(pa.array(values, pa.float64(), from_pandas=True))
        if there.keys() == {str}:
            return cls(TEXT, pa.array(values, pa.string()), {TEXT: there[str]})
        simple = _simplified(values, there)
        found = Counter(map(_kind, simple))
        found.pop("", None)
        kind = _joined(list(found))
        if kind != TEXT:
            of_kind = list(map(_moment, simple)) if kind == MOMENT and DATE in found else simple
            with suppress(pa.ArrowException, OverflowError):
                return cls(kind, pa.array(of_kind, TYPES[str(kind)]), dict(found))
        return cls(TEXT, pa.array(list(map(as_text, simple)), pa.string()), dict(found))

    @classmethod
    def _of_floats(cls, values: pa.Array) -> Piece:
        n_there = len(values) - values.null_count
        if not n_there:
            return cls(None, pa.nulls(len(values)))
        numbers = values.drop_null().to_numpy()
        n_whole = int(np.count_nonzero((np.trunc(numbers) == numbers) & (abs(numbers) <= EXACT)))
        if n_whole == n_there:
            return cls(WHOLE, pc.cast(values, pa.int64()), {WHOLE: n_whole})
        counts = {WHOLE: n_whole, REAL: n_there - n_whole}
        return cls(REAL, values, {kind: n for kind, n in counts.items() if n})


def as_text(value: object) -> str | None:
    """Write a value as text, as it stands in a CSV file.

    >>> as_text(True), as_text(2.5), as_text(datetime.datetime(2026, 11, 17, 8, 30))
    ('true', '2.5', '2026-11-17 08:30:00')
    """
    if value is None or type(value) is str:
        return value
    if type(value) is bool:
        return "true" if value else "false"
    if type(value) is float and _is_whole(value):
        return str(int(value))
    if type(value) is datetime.datetime and value.time() == MIDNIGHT and value.tzinfo is None:
        return str(value.date())
    return str(value)


def joined(pieces: Sequence[Piece]) -> str | None:
    """Name the kind that holds the values of all pieces."""
    return _joined([piece.kind for piece in pieces if piece.kind is not None])


def mixed(counts: Mapping[str, int]) -> bool:
    """Whether values were of kinds that only text holds together."""
    return len(counts) > 1 and _joined(list(counts)) == TEXT


def widened(values: pa.Array, kind: str | None) -> pa.Array:
    """Turn the values of a piece into those of a kind that holds them."""
    target = pa.string() if kind is None else TYPES.get(kind)
    if target is None or values.type == target:
        return values
    if target == pa.string() and not pa.types.is_null(values.type):
        return pa.array(list(map(as_text, values.to_pylist())), target)
    return pc.cast(values, target)


def _joined(kinds: Sequence[str]) -> str | None:
    distinct = frozenset(kinds)
    if len(distinct) <= 1:
        return next(iter(distinct), None)
    return WIDER.get(distinct, TEXT)


def _is_whole(value: float) -> bool:
    return value.is_integer() and abs(value) <= EXACT


def _kind(value: object) -> str:
    if value is None:
        return ""
    return LONG if type(value) is int and abs(value) > EXACT else KINDS[type(value)]


def _moment(value: object) -> object:
    """See a date as its midnight."""
    return datetime.datetime.combine(value, MIDNIGHT) if type(value) is datetime.date else value


def _simplified(values: Sequence[object], there: Collection[type]) -> Sequence[object]:
    """See NaN as missing, whole numbers as such, and moments as dates if none has a time."""
    if float in there:
        values = [
            v if type(v) is not float else None if v != v else int(v) if _is_whole(v) else v  # noqa: PLR0124
            for v in values
        ]
    if datetime.datetime in there:
        moments = (v for v in values if type(v) is datetime.datetime)
        if all(v.time() == MIDNIGHT and v.tzinfo is None for v in moments):
            values = [v.date() if type(v) is datetime.datetime else v for v in values]
    return values


def _inferred(values: Sequence[object]) -> pa.Array:
    try:
        return pa.array(values)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise BadInput(
            "a column holds values of different types, or of a type that cannot be read; give it "
            "one type",
            [str(error)],
        ) from None
