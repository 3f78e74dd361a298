"""Ages, as numbers and as whatever tools make of them: which of them tell more than "90 or older".

"All ages over 89 and all elements of dates (including year) indicative of such age", but "such ages
may be aggregated into a single category of age 90 or older". So a category that reaches over 89 has
to be open, and must not begin above 90. A year of birth is an age.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal

from sfumato.data.decimals import as_number
from sfumato.data.labels.grammar import Members, Name, Range, calendar_days, parse

OLDEST = 90  # years; who is older is of the same age
HIGHEST = 130  # years of anybody: what has more is no age
_OPEN = re.compile(
    r"(?i)(?:(?P<sign>>=|≥|>|over|above) ?)?(?P<n>[0-9]+(?:\.[0-9]+)?)(?: ?(?P<more>\+|plus|"
    r"(?:years )?(?:or|and) (?:older|more|over|above|up)))?(?: years)?"
)
_BETWEEN = re.compile(r"(?i)(?P<low>[0-9]+) ?(?:-|–|to|bis) ?(?P<high>[0-9]+)(?: years)?")

Ages = tuple[Decimal, Decimal | None]  # from one age up to, and including, another; None: open


def over_89(values: Mapping[object, int], per_year: int = 1) -> int | None:
    """Count the rows whose age tells more than "90 or older"; None: they are no ages.

    values: Distinct ones with their rows. per_year: 12, where ages are counted in months.

    >>> over_89({"89": 3, "90+": 2, "[80, 90)": 4, ">=85": 1, "*": 1, None: 1})
    0
    >>> over_89({"91": 3, "[90, 95)": 2, "85-94": 1, "95+": 1}), over_89({"high": 3})
    (7, None)
    """
    n_found = 0
    known = False
    for value, n_rows in values.items():
        told = [*ages_in(value)]
        if any(low > HIGHEST * per_year for low, _ in told):
            return None
        known = known or bool(told)
        if any(
            _tells(low / per_year, None if high is None else high / per_year) for low, high in told
        ):
            n_found += n_rows
    return n_found if known else None


def _tells(low: Decimal, high: Decimal | None) -> bool:
    return low > OLDEST if high is None else high >= OLDEST


def ages_in(value: object) -> Iterator[Ages]:
    """Read what a value says of an age: one age, a range, an open end, or some of them."""
    if value is None or isinstance(value, bool):
        return
    text = str(value).strip()
    part = parse(text).part if text else None
    if isinstance(part, Range):
        low, high = (None if each is None else as_number(each) for each in part[:2])
        if low is not None or high is not None:
            # Up to, but not including: the last age of whole years is one less.
            yield low or Decimal(0), None if high is None else high - Decimal("0.01")
        return
    for name in part.names if isinstance(part, Members) else [part]:
        if isinstance(name, Name):
            yield from _ages(name.text)


def _ages(text: str) -> Iterator[Ages]:
    between = _BETWEEN.fullmatch(text)
    if between is not None:
        yield Decimal(between["low"]), Decimal(between["high"])
        return
    found = _OPEN.fullmatch(text)
    if found is not None:
        least, number = found["sign"] or found["more"], Decimal(found["n"])
        beyond = found["sign"] is not None and found["sign"].lower() in (">", "over", "above")
        yield number + beyond, None if least else number


def born_long_ago(values: Mapping[object, int], year: int) -> int:
    """Count the rows whose year of birth tells an age over 89 in a year, and more than that.

    >>> born_long_ago({"1990": 5, "1931": 2, "1920s": 3, "<1937": 4, "[1930, 1940)": 1}, 2026)
    6
    """
    last = year - OLDEST  # born then, somebody may be 90
    return sum(
        n for value, n in values.items() if any(first <= last for first in _first_years(value))
    )


def _first_years(value: object) -> Iterator[int]:
    """Give the first years of birth that a value speaks of; what has no first one tells none."""
    text = "" if value is None else str(value).strip()
    part = parse(text).part if text else None
    if isinstance(part, Range):
        names = [part.low] if part.low is not None else []
    elif isinstance(part, Members):
        names = [name.text for name in part.names if name is not None]
    else:
        names = [part.text] if isinstance(part, Name) else []
    for name in names:
        written = re.fullmatch(r"((?:1[89]|20)[0-9]{2})(?:\.0|-.*)?", name)
        days = calendar_days(name)
        if written is not None:
            yield int(written[1])
        elif days is not None:
            yield int(days[0][:4])
