"""Numbers, shares, counts and lists, each written in one way: for people, and for JSON.

A share is never rounded to certain or to impossible: `100%` is everybody, `0%` nobody.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

Number = int | Fraction | float

RARE = 100  # from here on a share is easier to grasp as one in so many
SUMMED = 9  # digits of a sum of floats that roundings leave alone
LONGEST = 40  # decimals of a per cent, where it takes as many to tell it from 0 or 100
PLACES = 12  # decimals of a value, where it takes as many to tell it from a whole number
LONG = 10**20  # from here on a number is written by its first digits and a power of ten
SMALL = Fraction(1, 10**4)  # and below this
NOISE = Fraction(1, 10**12)  # relative: what roundings do to floats
INFINITE = "infinite"


def percent(share: Number) -> str:
    """Write a share in per cent: to a tenth, or to two digits of what is there or missing.

    Without decimals it is exact.

    >>> percent(Fraction(1, 3)), percent(0.2), percent(Fraction(2001, 10_000)), percent(2.5)
    ('33.3%', '20%', '20.0%', '250%')
    >>> percent(1), percent(Fraction(2999, 3000)), percent(Fraction(1, 48842)), percent(0)
    ('100%', '99.967%', '0.0020%', '0%')
    """
    exact = 100 * (Fraction(repr(float(share))) if isinstance(share, float) else Fraction(share))
    if exact.denominator == 1:
        return f"{value_text(exact.numerator)}%"
    near = min(abs(exact), abs(100 - exact))  # to one of the ends
    places = max(1, 1 - _magnitude(near))
    if places > LONGEST:
        tiny = f"{_as_power_of_ten(near, 2)}%"
        return tiny if exact < 1 else f"100% {'-' if exact < 100 else '+'} {tiny}"
    whole, rest = divmod(round(exact * 10**places), 10**places)
    return f"{count(whole)}.{rest:0{places}}%"


def percent_lost(loss: float) -> str:
    """Write a share that was added up from floats: what is lost of information.

    >>> percent_lost(0.1 + 0.2), percent_lost(1 - 1e-15)
    ('30%', '100%')
    """
    return percent(round(loss, SUMMED))


def _magnitude(value: Fraction) -> int:
    """Give the power of ten of a number's first digit.

    >>> _magnitude(Fraction(999, 1000)), _magnitude(Fraction(1, 1000)), _magnitude(Fraction(25))
    (-1, -3, 1)
    """
    power = len(str(value.numerator)) - len(str(value.denominator))
    return power if value >= Fraction(10) ** power else power - 1


def share(value: Number) -> str:
    """Write a share where it may be rare: in per cent, or as one in so many.

    >>> share(Fraction(1, 10)), share(Fraction(1, 48842)), share(Fraction(3, 48842))
    ('10%', '1 in 48,842', '0.0061%')
    """
    if isinstance(value, Fraction) and value.numerator == 1 and value.denominator > RARE:
        return f"1 in {value_text(value.denominator)}"
    return percent(value)


def counted(n: Number, one: str, several: str | None = None) -> str:
    """Write how many there are of something.

    >>> counted(1, "person", "people"), counted(1200, "group"), counted(Fraction(5, 2), "value")
    ('1 person', '1,200 groups', '2.5 values')
    """
    return f"{value_text(n)} {plural(n, one, several)}"


def plural(n: Number, one: str, several: str | None = None) -> str:
    """Give the form of a noun for so many.

    >>> plural(1, "release"), plural(2, "release"), plural(0, "person", "people")
    ('release', 'releases', 'people')
    """
    return one if n == 1 else several or f"{one}s"


def people(n: int) -> str:
    """Write a number of people.

    >>> people(1), people(48842)
    ('1 person', '48,842 people')
    """
    return counted(n, "person", "people")


def rows_in_groups(n_rows: int, n_groups: int) -> str:
    """Write how large a table is.

    >>> rows_in_groups(2000, 1)
    '2,000 rows in 1 group'
    """
    return f"{counted(n_rows, 'row')} in {counted(n_groups, 'group')}"


def value_text(value: Number | tuple[Any, ...] | None) -> str:
    """Write a measured value: whole numbers whole, others to four digits or a tenth.

    What is no whole number is not written as one: what it has more or less stays in sight.

    >>> value_text(3), value_text(Fraction(1, 3)), value_text((2, None)), value_text(math.inf)
    ('3', '0.3333', '(2, -)', 'infinite')
    >>> value_text(48842), value_text(Fraction(100_001, 100_000)), value_text(1234.56)
    ('48,842', '1.00001', '1,234.6')
    >>> value_text(10**300), value_text(1 - Fraction(1, 10**40))
    ('1e+300', '1 - 1e-40')
    """
    if value is None:
        return "-"
    if isinstance(value, tuple):
        return f"({', '.join(map(value_text, value))})"
    if isinstance(value, float) and not math.isfinite(value):
        return INFINITE if value == math.inf else str(value)
    exact = Fraction(value)
    nearest = round(exact)
    beyond = exact - nearest
    if isinstance(value, float) and abs(beyond) < abs(nearest) * NOISE:
        exact, beyond = Fraction(nearest), Fraction(0)
    if abs(exact) >= LONG or 0 < abs(exact) < SMALL:
        return _as_power_of_ten(exact, 4)
    if not beyond:
        return count(nearest)
    places = max(1, 3 - _magnitude(abs(exact)))
    if round(exact, places).denominator == 1:  # it would seem to be whole
        places = 1 - _magnitude(abs(beyond))
        if places > PLACES:
            sign = "-" if beyond < 0 else "+"
            return f"{count(nearest)} {sign} {_as_power_of_ten(abs(beyond), 2)}"
    shift = 10**places
    whole, decimals = divmod(abs(round(exact * shift)), shift)
    sign = "-" if exact < 0 else ""
    return f"{sign}{count(whole)}.{decimals:0{places}}".rstrip("0")


def count(n: int) -> str:
    """Write a whole number.

    >>> count(48842)
    '48,842'
    """
    return f"{n:,}"


def gigabytes(n: int) -> str:
    """Write a number of bytes.

    >>> gigabytes(4_000_000_000), gigabytes(260_000_000)
    ('4.0 GB', '0.3 GB')
    """
    return f"{to_a_tenth(n / 1e9)} GB"


def to_a_tenth(value: float) -> str:
    """Write an average.

    >>> to_a_tenth(1234.56), to_a_tenth(3)
    ('1,234.6', '3.0')
    """
    return f"{value:,.1f}"


def _as_power_of_ten(value: Fraction, digits: int) -> str:
    """Write a number of any size by its first digits.

    >>> _as_power_of_ten(Fraction(-10**400, 3), 4), _as_power_of_ten(Fraction(1, 10**40), 2)
    ('-3.333e+399', '1e-40')
    """
    with localcontext(prec=digits):
        rounded = (Decimal(value.numerator) / Decimal(value.denominator)).normalize()
    return f"{rounded:e}"


def listed(names: Sequence[str]) -> str:
    """Write names as a person would.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def told_apart(names: Iterable[str], between: str = ", ") -> str:
    """Write names one after the other; one that has what stands between them stands in quotes.

    >>> told_apart(["age", "pay, monthly"]), told_apart(["a, b", "c"], "; ")
    ('age, “pay, monthly”', 'a, b; c')
    """
    return between.join(f"“{name}”" if between.strip() in name else name for name in names)


def described(value: object) -> str:
    """Write a value of any kind that a finding tells of: a number, a text, several, some by name.

    >>> described({"age": 34, "sex": "F"}), described([1, Fraction(1, 3), "x"])
    ('age 34, sex F', '1, 0.3333, x')
    """
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {each}" for name, each in value.items())
    if isinstance(value, (list, tuple)):
        between = "; " if any(isinstance(each, Mapping) for each in value) else ", "
        return between.join(map(described, value))
    return value_text(value) if isinstance(value, (int, float, Fraction)) else str(value)


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """Break a text into lines of so many cells at most, between words; a long word has its line.

    >>> wrapped("nobody is certain", 12), wrapped("nobody", 3), wrapped("", 80)
    (['nobody is', 'certain'], ['nobody'], [''])
    """
    first, *words = text.lstrip(" ").split(" ")
    lines = [f"{text[: len(text) - len(text.lstrip(' '))]}{first}"]
    for word in words:
        if cells(f"{lines[-1]} {word}") <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(f"{indent}{word}")
    return lines


def cells(text: str) -> int:
    """Count the cells that a text takes on a terminal: wide letters take two.

    >>> cells("flu"), cells("漢字")
    (3, 4)
    """
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return len(text) - sum(map(bool, map(unicodedata.combining, text))) + wide


def aligned(lines: Sequence[tuple[str, str]]) -> str:
    """Write names and texts below each other.

    >>> print(aligned([("rows", "8"), ("k", "2")]))
    rows  8
    k     2
    """
    width = max(len(name) for name, _ in lines)
    return "\n".join(f"{name:<{width}}  {text}" for name, text in lines)


def aligned_cells(rows: Sequence[Sequence[str]], indent: str = "  ") -> Iterator[str]:
    r"""Write cells below each other: the first column to the left, numbers to the right.

    >>> print("\n".join(aligned_cells([["", "n"], ["age", "12"]])))
            n
      age  12
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        yield f"{indent}{'  '.join(cells)}".rstrip()


def plain(value: Any) -> Any:
    """Give a value that JSON can hold: a fraction as a number, what is no number as text.

    >>> plain({"l": Fraction(4, 2), "found": (Fraction(1, 2), math.inf, None)})
    {'l': 2, 'found': [0.5, 'infinite', None]}
    """
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else float(value)
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return INFINITE if value == math.inf else str(value)
    return value
