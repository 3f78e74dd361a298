"""Numbers read and written exactly, as decimals."""

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence
from contextlib import suppress
from decimal import Decimal, InvalidOperation, localcontext

DIGITS = 1000  # of exact decimal arithmetic; longer texts are not read as numbers
EXPONENTS = 300  # what a float can hold
LARGEST = 10**EXPONENTS


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


def number_text(number: Decimal) -> str:
    """Write a number without an exponent and without trailing zeros.

    >>> number_text(Decimal("1E+2")), number_text(Decimal("2.50")), number_text(Decimal("-0"))
    ('100', '2.5', '0')
    """
    text = format(number, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def floor_to(number: Decimal, step: Decimal, steps: int = 0) -> Decimal:
    """Give the largest multiple of `step` not above `number`, and some steps more, exactly.

    >>> floor_to(Decimal(37), Decimal(5)), floor_to(Decimal("-0.1"), Decimal("0.25"))
    (Decimal('35'), Decimal('-0.25'))
    """
    with localcontext(prec=DIGITS):
        return ((number / step).to_integral_value(rounding="ROUND_FLOOR") + steps) * step


def canonical_numbers(values: Sequence[object]) -> dict[object, Decimal] | None:
    """Read all values as numbers, if each is written as a number would be.

    Text such as 01234, +5 or 1e3 is a code, not a number: it stays text. What a float is written
    as, such as 1e-07, is a number.
    """
    numbers: dict[object, Decimal] = {}
    for value in values:
        if value is None:
            continue
        if isinstance(value, str):
            if not _is_canonical(value):
                return None
        elif isinstance(value, (bool, datetime.date)):
            return None
        number = as_number(value)
        if number is None:
            return None
        numbers[value] = number
    return numbers


def _is_canonical(text: str) -> bool:
    """Whether a number is written in this way and in no other."""
    digits = text.removeprefix("-")
    whole, _, decimals = digits.partition(".")
    if (whole + decimals).isascii() and (whole + "0" + decimals).isdigit() and whole:
        return (whole == "0" or whole[0] != "0") and ("." not in digits or bool(decimals))
    with suppress(ValueError):
        number = float(text)
        return math.isfinite(number) and repr(number) == text
    return False
