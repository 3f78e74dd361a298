"""Columns of numbers that are published instead of the texts of a column, or beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any, Literal, Protocol

from sfumato.data.decimals import as_number
from sfumato.data.labels.grammar import Reading
from sfumato.data.labels.spans import spans
from sfumato.text import count, counted

Numbers = Literal["text", "bounds", "midpoint"]
WAYS: tuple[Numbers, ...] = ("text", "bounds", "midpoint")
LARGEST_EXACT = 2**53  # integers up to it are floats
Plain = int | float | None  # None: an empty field
Exact = tuple[Decimal | None, ...]


@dataclass(frozen=True, eq=False)
class NumberColumns:
    """What stands in the columns of numbers for each published text of a column.

    >>> ages = NumberColumns(("age_low", "age_high"), {"[35, 40)": (35, 40), ">=90": (90, None)})
    >>> ages.instead, ages.kind, ages.text((90.0, None))
    (True, 'integer', '>=90')
    """

    names: tuple[str, ...]  # the two bounds, or the midpoint
    values: Mapping[str | None, tuple[Plain, ...]]  # by published text; None: missing

    @property
    def are_bounds(self) -> bool:
        """Whether they are the two ends, not the middle."""
        return len(self.names) == 2

    @property
    def instead(self) -> bool:
        """Whether the texts themselves are not published: the bounds tell all of them apart."""
        return self.are_bounds and self.alike is None

    def in_file(self, column: str) -> tuple[str, ...]:
        """The columns that stand in the file for a column of texts."""
        return self.names if self.instead else (column, *self.names)

    def what(self, name: str) -> str:
        """Say what one of the columns holds."""
        if not self.are_bounds:
            return "middles"
        return ("lower bounds", "upper bounds")[self.names.index(name)]

    @property
    def kind(self) -> str:
        """What the columns hold."""
        numbers = [each for row in self.values.values() for each in row if each is not None]
        return "integer" if all(isinstance(each, int) for each in numbers) else "real"

    @cached_property
    def _texts(self) -> dict[Exact, str | None]:
        return {exact(row): text for text, row in self.values.items()}

    @cached_property
    def alike(self) -> tuple[str | None, str | None] | None:
        """Two texts that have the same numbers; None: there are none."""
        first: dict[Exact, str | None] = {}
        for text, row in self.values.items():
            other = first.setdefault(exact(row), text)
            if other != text:
                return other, text
        return None

    def text(self, numbers: Sequence[object]) -> str | None:
        """Give the text that some numbers stand for; KeyError: they stand for none."""
        return self._texts[exact(numbers)]

    def in_words(self, column: str) -> str:
        """Say what is published for the texts of a column, and how many of these have open ends."""
        said = f"{' and '.join(self.names)} {'instead of' if self.instead else 'beside'} {column}"
        if self.are_bounds and self.alike is not None:
            one, other = ("missing values" if text is None else text for text in self.alike)
            said += f", since {one} and {other} have the same bounds"
        n_open = sum(None in row for text, row in self.values.items() if text is not None)
        if n_open == 0:
            return said
        values = f"{count(n_open)} of {counted(len(self.values), 'published value')}"
        return f"{said}; empty where the end is open ({values}), which a declared domain closes"

    def spec(self) -> dict[str, Any]:
        """Write it down."""
        return {"columns": [*self.names], "values": [[t, *row] for t, row in self.values.items()]}


def exact(numbers: Sequence[object]) -> Exact:
    """Give numbers, in whatever way they are written, so that equal ones are equal."""
    return tuple(None if each is None else as_number(each) for each in numbers)


class Rule(Protocol):
    """What a release says of a column's hierarchy."""

    @property
    def texts(self) -> Reading | None:
        """How what it publishes is read."""

    @property
    def public_paths(self) -> tuple[tuple[str, ...], ...]:
        """Ways from published nodes up to the root."""

    @property
    def extent(self) -> tuple[Decimal | None, Decimal | None]:
        """The smallest and the largest number there can be."""


def number_columns(
    column: str, texts: Sequence[str | None], rule: Rule | None, way: Numbers
) -> NumberColumns | None:
    """Say which numbers stand for the texts of a column; None: these are no numbers."""
    if rule is None or rule.texts == "calendar":
        return None
    ends = spans(texts, rule.texts, rule.public_paths, rule.extent)
    if ends is None:
        return None
    bounds: list[tuple[Any, Any]]
    bounds = [(None, None) if each is None else (each.low, each.high) for each in ends]
    if way == "bounds":
        rows = {text: tuple(map(_plain, each)) for text, each in zip(texts, bounds, strict=True)}
        return NumberColumns((f"{column}_low", f"{column}_high"), _alike(rows))
    middles = [None if None in each else (each[0] + each[1]) / 2 for each in bounds]
    rows = {text: (_plain(each),) for text, each in zip(texts, middles, strict=True)}
    return NumberColumns((f"{column}_mid",), _alike(rows))


def _plain(number: Decimal | None) -> Plain:
    if number is None:
        return None
    whole = number == number.to_integral_value() and abs(number) <= LARGEST_EXACT
    return int(number) if whole else float(number)


def _alike(rows: Mapping[str | None, tuple[Plain, ...]]) -> Mapping[str | None, tuple[Plain, ...]]:
    """Make all numbers floats unless all are whole."""
    numbers = [each for row in rows.values() for each in row if each is not None]
    if all(isinstance(each, int) for each in numbers):
        return rows
    return {t: tuple(None if v is None else float(v) for v in row) for t, row in rows.items()}
