"""Numbers that usually stand for a missing value: -99 among ages, 9999 among incomes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from decimal import Decimal

from sfumato.data.decimals import canonical_numbers

NEGATIVE = ("-9", "-99", "-999", "-9999", "-99999", "-1", "-8", "-77", "-88", "-888")
LARGE = ("999", "9999", "99999", "888", "777")
CODES = (*NEGATIVE, *LARGE)
NUMBERS = {*map(Decimal, CODES)}
NINES = {"-9", "-99", "-999", "-9999", "-99999", *LARGE}  # without which others are numbers


def usual_codes(there: Collection[str], least: float | Decimal, most: float | Decimal) -> list[str]:
    """Give the codes for missing among the numbers of a column: negative ones, or far too large.

    -1 is one only beside another such code.

    Args:
        there: Of `CODES`, those that the column has.
        least: The smallest of its other numbers.
        most: The largest of them.

    >>> usual_codes(["-99", "-1"], 18, 90), usual_codes(["-1"], 18, 90), usual_codes(["-99"], -5, 5)
    (['-1', '-99'], [], [])
    """
    codes = [code for code in there if code in NEGATIVE and least >= 0]
    codes += [code for code in there if code in LARGE and 0 < most * 3 < int(code)]
    return sorted(codes) if NINES & {*codes} else []


def codes_in(values: Sequence[object]) -> list[str]:
    """Give the codes for missing among the distinct values of a column; none if it has texts.

    >>> codes_in(["34", "-99", None, "61"]), codes_in([34.5, 9999.0]), codes_in(["-99", "B"])
    (['-99'], ['9999'], [])
    >>> codes_in(["34.5", "-99.0"])
    ['-99']
    """
    numbers = {*(canonical_numbers(values) or {}).values()}
    there = [code for code in CODES if Decimal(code) in numbers]
    others = numbers - NUMBERS
    return usual_codes(there, min(others), max(others)) if there and others else []
