"""What a single value is written as in a published file, and the ways in which it is found there.

A boolean is `true` or `false`, a number has neither an exponent nor idle zeros, a date is ISO text,
and text is itself. Files of several formats, and people, write the same value in other ways, such
as `True`, `1.0` or `1e3`. They mean the same one, unless the column is of texts: there 01 and 1 are
two codes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from sfumato.data.decimals import LARGEST, as_number, canonical_numbers, number_text

MISSING_TEXT = "missing"
TRUTHS = {"true": "True", "false": "False", "True": "true", "False": "false"}
Interval = tuple[int, int]  # first and last rank


def published_text(value: object) -> str | None:
    """Write a value as it is published; None: missing.

    >>> [published_text(value) for value in (True, 1.0, 1e-07, "01", None)]
    ['true', '1', '0.0000001', '01', None]
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    number = as_number(value) if isinstance(value, (int, float, Decimal)) else None
    return str(value) if number is None else number_text(number)


def natural_order(value: object) -> tuple[tuple[object, ...], str]:
    """Give what texts are sorted by if numbers in them count as numbers.

    >>> sorted(["A10", "A5", "B1", "A05"], key=natural_order)
    ['A05', 'A5', 'A10', 'B1']
    """
    text = str(published_text(value))
    parts = re.split(r"(\d+)", text, flags=re.ASCII)
    digits = [part.lstrip("0") if j % 2 else part for j, part in enumerate(parts)]
    # A number of any length: the longer one is the larger one.
    return tuple((len(d), d) if j % 2 else d for j, d in enumerate(digits)), text


def text_in_all_formats(value: object) -> str | None:
    """Write a value of a published file so that the same one is the same text in all formats.

    A file of text alone does not tell numbers from texts that look like them.

    >>> text_in_all_formats(1e-07), text_in_all_formats("1e-07"), text_in_all_formats("01")
    ('0.0000001', '0.0000001', '01')
    """
    numbers = canonical_numbers([value]) if isinstance(value, str) else None
    return number_text(numbers[value]) if numbers else published_text(value)


class KnownValues:
    """The ground values of a column, found in whatever way they are written.

    >>> known = KnownValues([False, True, None])
    >>> [known.code(value) for value in (True, "true", "True", None, "yes")]
    [1, 1, 1, 2, None]
    """

    def __init__(self, labels: Sequence[object], *, numeric: bool = False) -> None:
        """List the values.

        Args:
            labels: The values, by code; the missing one, None, is the last if there is one.
            numeric: The column is of numbers, even if they are written as text.
        """
        self.missing = len(labels) - 1 if len(labels) and labels[-1] is None else None
        self.texts: dict[str, int] = {}
        self.numbers: dict[Decimal, Interval] = {}  # texts of one number stand side by side
        for code, label in enumerate(labels):
            text = published_text(label)
            if text is None:
                continue
            self.texts.setdefault(text, code)
            typed = isinstance(label, (int, float, Decimal)) and not isinstance(label, bool)
            number = as_number(label) if typed or numeric else None
            if number is not None:
                self.numbers[number] = self.numbers.get(number, (code, code))[0], code

    def interval(self, value: object) -> Interval | None:
        """Give the ranks of a value: one, or those of the texts of a number; None: none has it."""
        if value is None:
            return None if self.missing is None else (self.missing, self.missing)
        if isinstance(value, int) and abs(value) >= LARGEST:  # Python refuses to write it
            return None
        text = str(published_text(value))
        for way in (text, TRUTHS.get(text)):
            if way in self.texts:
                return self.texts[way], self.texts[way]
        number = as_number(value) if self.numbers else None
        return None if number is None else self.numbers.get(number)

    def code(self, value: object) -> int | None:
        """Give the code of a value; None: the column has no such value."""
        ranks = self.interval(value)
        return None if ranks is None else ranks[0]


def texts_in_common(columns: Sequence[Sequence[object]]) -> list[list[str | None]]:
    """Write the values of one column of several files so that the same value is the same text.

    What is a number in one of them is a number in all.

    >>> texts_in_common([[1e-07, None], ["1e-07", "01", "a"]])
    [['0.0000001', None], ['0.0000001', '01', 'a']]
    """
    numbers = {
        published_text(value)
        for column in columns
        for value in column
        if isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)
    }

    def text(value: object) -> str | None:
        own = published_text(value)
        number = as_number(value) if isinstance(value, str) and own not in numbers else None
        plain = None if number is None else number_text(number)
        return plain if plain in numbers and plain is not None else own

    return [[text(value) for value in column] for column in columns]
