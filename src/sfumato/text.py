"""Numbers, shares, counts and lists, each written in one way: for people, and for JSON.

A share is never rounded to certain or to impossible: `100%` is everybody, `0%` nobody.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

Number = int | Fraction | float

RARE = 100  # from here on a share is easier to grasp as one in so many
SUMMED = 9  # digits of a sum of floats that roundings leave alone
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
        return f"{exact.numerator}%"
    near = min(abs(exact), abs(100 - exact))  # to one of the ends
    places = max(1, 1 - _magnitude(near))
    whole, rest = divmod(round(exact * 10**places), 10**places)
    return f"{whole}.{rest:0{places}}%"


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
        return f"1 in {value.denominator:,}"
    return percent(value)


def counted(n: Number, one: str, several: str | None = None) -> str:
    """Write how many there are of something.

    >>> counted(1, "person", "people"), counted(1200, "group"), counted(Fraction(5, 2), "value")
    ('1 person', '1,200 groups', '2.5 values')
    """
    number = f"{n:,}" if isinstance(n, int) else value_text(n)
    return f"{number} {plural(n, one, several)}"


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


def value_text(value: Number | tuple[Any, ...] | None) -> str:
    """Write a measured value: whole numbers whole, others to four digits.

    >>> value_text(3), value_text(Fraction(1, 3)), value_text((2, None)), value_text(math.inf)
    ('3', '0.3333', '(2, -)', 'infinite')
    """
    if value is None:
        return "-"
    if isinstance(value, tuple):
        return f"({', '.join(map(value_text, value))})"
    if value == math.inf:
        return INFINITE
    whole = isinstance(value, int) or (math.isfinite(value) and value == int(value))
    return str(int(value)) if whole else f"{float(value):.4g}"


def listed(names: Sequence[str]) -> str:
    """Write names as a person would.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


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
