"""Parameters as people give them: each kind is read, and refused, in one way.

A refusal names the owner, the parameter, the range and what was given:
`KAnonymity: k must be an integer >= 1, got 0`.
"""

from __future__ import annotations

import operator
import os
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.address import Address, is_address, refuse_other_forms
from sfumato.errors import BadInput, shown

LARGEST_DENOMINATOR = 10**9
ROUNDED = Fraction(1, 2**40)  # what a few roundings can have done to a float, relative
LONGEST = 330  # digits of a threshold: what a float can still hold
LONGEST_SEED = 256  # bits
MOST_COUNTED = 2**63 - 1  # people, rows or steps
MOST_KNOWN = 10**9  # people or values that an adversary may know of


def refusal(owner: str, name: str, range_: str, value: object, remedy: str = "") -> BadInput:
    """Say that a parameter is not in its range."""
    end = f"; {remedy}" if remedy else ""
    return BadInput(f"{owner}: {name} must be {range_}, got {shown(value)}{end}")


def whole(
    owner: str,
    name: str,
    value: object,
    least: int = 1,
    most: int | None = None,
    most_is: str = "",
) -> int:
    """Read a whole number; most_is: what the largest one is.

    >>> whole("KAnonymity", "k", 5)
    5
    >>> whole("KAnonymity", "k", 0)
    Traceback (most recent call last):
    sfumato.errors.BadInput: KAnonymity: k must be an integer >= 1, got 0
    >>> whole("cross_validate", "folds", 9, least=2, most=8, most_is="the number of rows")
    Traceback (most recent call last):
    sfumato.errors.BadInput: cross_validate: folds must be at most 8, the number of rows, got 9
    """
    if not is_whole(value) or (number := operator.index(value)) < least:  # type: ignore[arg-type]
        raise refusal(owner, name, f"an integer >= {least}", value)
    if most is not None and number > most:
        raise refusal(owner, name, f"at most {most}" + (f", {most_is}" if most_is else ""), value)
    if number > 10**LONGEST:
        raise BadInput(f"{owner}: {name} must have at most {LONGEST} digits")
    return int(number)


def is_whole(value: object) -> bool:
    """Whether a value is a whole number: 2.0 and True are none."""
    if isinstance(value, bool) or type(value).__name__ == "bool_":  # of NumPy before 2
        return False
    try:
        operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return False
    return True


def is_count(value: object) -> bool:
    """Whether a value is a number of people, rows or steps: whole, from 0 up to what is counted."""
    return is_whole(value) and 0 <= operator.index(value) <= MOST_COUNTED  # type: ignore[arg-type]


def counts(owner: str, name: str, value: object, n: int, what: str) -> list[int]:
    """Read n numbers of people or rows; what: what they are.

    >>> counts("posterior", "sizes", [2], 2, "of both groups")
    Traceback (most recent call last):
    sfumato.errors.BadInput: posterior: sizes must be 2 numbers >= 0, of both groups, got a list
    """
    if not isinstance(value, Sequence) or len(value) != n or not all(map(is_count, value)):
        raise refusal(owner, name, f"{n} numbers >= 0, {what}", value)
    return [int(each) for each in value]


def counted_array(owner: str, what: str, value: ArrayLike) -> NDArray[np.int64]:
    """Read an array of numbers of people, of any shape.

    >>> counted_array("Groups", "size", [2, 0.5])
    Traceback (most recent call last):
    sfumato.errors.BadInput: Groups: a size must be a whole number, got float64
    """
    try:
        given = np.asarray(value)
    except ValueError:  # rows of different lengths
        raise BadInput(f"{owner}: a {what} must be a whole number, got {shown(value)}") from None
    if given.size and not np.issubdtype(given.dtype, np.integer):
        raise BadInput(f"{owner}: a {what} must be a whole number, got {given.dtype}")
    if (given < 0).any():
        raise BadInput(f"{owner}: a {what} must not be negative")
    if given.dtype == np.uint64 and int(given.max(initial=0)) > MOST_COUNTED:
        raise BadInput(f"{owner}: a {what} must be below 2^63")
    return given.astype(np.int64)


def amount(owner: str, name: str, value: object) -> int:
    """Read how many facts of one kind an adversary knows."""
    return whole(owner, name, value, least=0, most=MOST_KNOWN)


def number(
    owner: str,
    name: str,
    value: object,
    *,
    least: Fraction | int | None = None,
    above: int | None = None,
    most: int | None = None,
    below: int | None = None,
    remedy: str = "",
) -> Fraction:
    """Read a number exactly; it lies between a bound from below and perhaps one from above.

    >>> number("TCloseness", "t", 0.1 + 0.2, least=0, most=1)
    Fraction(3, 10)
    >>> number("TCloseness", "t", 1.5, least=0, most=1)
    Traceback (most recent call last):
    sfumato.errors.BadInput: TCloseness: t must be a number from 0 to 1, got 1.5
    >>> number("CKSafety", "c", 0, above=0, most=1)
    Traceback (most recent call last):
    sfumato.errors.BadInput: CKSafety: c must be a number above 0 and at most 1, got 0
    """
    try:
        exact = fraction(value)
    except (ValueError, ZeroDivisionError, OverflowError):
        exact = None
    if (
        exact is None
        or (least is not None and exact < least)
        or (above is not None and exact <= above)
        or (most is not None and exact > most)
        or (below is not None and exact >= below)
    ):
        bounds = _range(least, above, most, below)
        raise refusal(owner, name, f"a number {bounds}", value, remedy)
    return exact


def _range(
    least: Fraction | int | None, above: int | None, most: int | None, below: int | None
) -> str:
    if most is None and below is None:
        return f">= {least}" if above is None else f"> {above}"
    if above is not None:
        return f"above {above} and {f'at most {most}' if below is None else f'below {below}'}"
    return f"from {least} to {most if below is None else f'below {below}'}"


def fraction(value: object) -> Fraction:
    """Read a threshold exactly: a float is the nearest fraction with a small denominator.

    Unless it is a simpler number as it is written, or too small to have such a fraction near it.

    >>> fraction(1 / 3), fraction(0.1 + 0.2), fraction("2/7")
    (Fraction(1, 3), Fraction(3, 10), Fraction(2, 7))
    >>> fraction(99999.99), fraction(1e-12)
    (Fraction(9999999, 100), Fraction(1, 1000000000000))
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, (int, float, str, Fraction, Decimal)):
        raise ValueError(f"not a number: {shown(value)}")
    if isinstance(value, str) and (len(value) > LONGEST or re.search(r"[eE][+-]?\d{4}", value)):
        raise ValueError("too long a number")  # its fraction would fill the memory
    if isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) > LONGEST:
        raise ValueError("too long a number")
    exact = Fraction(value)
    if isinstance(value, float):
        near, written = exact.limit_denominator(LARGEST_DENOMINATOR), Fraction(repr(value))
        far = abs(near - exact) > abs(exact) * ROUNDED
        exact = written if far or written.denominator <= near.denominator else near
    if max(abs(exact.numerator), exact.denominator) > 10**LONGEST:
        raise ValueError("too long a number")
    return exact


def one_of(owner: str, name: str, value: object, known: Sequence[str]) -> None:
    """Refuse what is none of the known words."""
    if not isinstance(value, str) or value not in known:
        raise refusal(owner, name, f"one of {', '.join(known)}", value)


def true_or_false(owner: str, name: str, value: object) -> bool:
    """Refuse what is neither: the text "false" is no `False`."""
    if not isinstance(value, bool):
        raise refusal(owner, name, "true or false", value)
    return value


def values_by_column(owner: str, name: str, value: object) -> Mapping[str, object]:
    """Read what is known of somebody, or asked of some columns."""
    if not isinstance(value, Mapping):
        raise refusal(owner, name, "values by column", value)
    return value


def column_name(owner: str, name: str, value: object) -> str:
    """Read the name of a column."""
    if not isinstance(value, str):
        raise refusal(owner, name, "the name of a column", value)
    return value


def optional_column(owner: str, name: str, value: object) -> str | None:
    """Read the name of a column; None: not said."""
    return None if value is None else column_name(owner, name, value)


def column_order(owner: str, order: object) -> tuple[str, ...] | None:
    """Read the quasi-identifiers that people are sorted by; None: as in the table."""
    if order is None:
        return None
    names = [order] if isinstance(order, str) else order
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise refusal(owner, "order", "a list of quasi-identifiers", order)
    if len(set(names)) < len(names):
        raise BadInput(f"{owner}: order names a quasi-identifier twice")
    return tuple(names) or None


def seed(owner: str, value: object) -> int:
    """Read the seed of an experiment."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise refusal(owner, "seed", "an integer >= 0", value)
    if value.bit_length() > LONGEST_SEED:
        raise refusal(owner, "seed", f"below 2^{LONGEST_SEED}", value)
    return value


def optional_seed(owner: str, value: object) -> int | None:
    """Read a seed; None: the operating system's randomness."""
    return None if value is None else seed(owner, value)


def suppression_limit(owner: str, max_suppressed: object) -> None:
    """Refuse a limit that is neither a number of rows nor a share of them."""
    is_share = isinstance(max_suppressed, float) and 0 <= max_suppressed <= 1
    if not (is_share or is_count(max_suppressed)):
        raise refusal(
            owner,
            "max_suppressed",
            "a number of rows (an int >= 0) or a share of them (a float from 0.0 to 1.0)",
            max_suppressed,
        )


def release_place(owner: str, place: object) -> Path | Address:
    """Read where a release is: the path of a directory, or the address of a table."""
    if not is_address(place):
        return file_path(owner, place)
    address = Address.of(place)
    if address.table is None:
        raise BadInput(f"{owner}: {address}: name a table, {address}#schema.table")
    return address


def file_path(owner: str, path: object) -> Path:
    """Read a path; refuse what no file can be called."""
    refuse_other_forms(path)
    if is_address(path):
        raise BadInput(
            f"{owner}: expected the path of a file, got the address of a database; tables and "
            "releases are there, and nothing else"
        )
    name = os.fspath(path) if isinstance(path, (str, os.PathLike)) else None
    try:
        if isinstance(name, str) and b"\0" not in os.fsencode(name):
            return Path(name)
    except UnicodeEncodeError:  # half of a character
        pass
    raise BadInput(f"{owner}: expected the path of a file, got {shown(path)}")
