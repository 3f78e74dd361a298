"""Ages, as numbers and as whatever tools make of them: which of them tell more than "90 or older".

"All ages over 89 and all elements of dates (including year) indicative of such age", but "such ages
may be aggregated into a single category of age 90 or older". So a category that reaches over 89 has
to be open, and must not begin above 90. A year of birth is an age.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal

from sfumato.data.decimals import as_number
from sfumato.data.labels.grammar import Members, Name, Range, calendar_days, parse

OLDEST = 90  # years; who is older is of the same age
HIGHEST = 130  # years of anybody: what has more is no age
_NUMBER = r"[0-9]+(?:\.[0-9]+)?"
_YEARS = "(?: ?(?:years?|yrs?|y))?"
_LEAST = re.compile(
    rf"(?i)(?:(?P<sign>>=|≥|>|over|above) ?)?(?P<n>{_NUMBER}){_YEARS} ?"
    rf"(?P<more>\+|plus|(?:or|and) (?:older|more|over|above|up))?{_YEARS}"
)
_MOST = re.compile(rf"(?i)(?:<=?|≤|under|below|up to|less than) ?(?P<n>{_NUMBER}){_YEARS}")
_BETWEEN = re.compile(
    rf"(?i)[\[(]?(?P<low>{_NUMBER}){_YEARS} ?(?:-|–|to|bis|,) ?(?P<high>{_NUMBER}){_YEARS}"
    r"(?P<end>[\])])?"
)
_EARLIER = re.compile(r"(?i)(<|≤|before|until|up to|bis|vor) ?[0-9]{4}.*")
_YEAR = re.compile(r"(?<![0-9])(?:1[89]|20)[0-9]{2}(?=(?:[0-9]{4})?(?![0-9]))")  # or 19300304
_BELOW = Decimal("0.01")  # up to, but not including

Ages = tuple[Decimal, Decimal | None]  # from one age up to, and including, another; None: open


def over_89(values: Mapping[object, int], per_year: int = 1) -> tuple[int, int]:
    """Count the rows whose age tells more than "90 or older", and those that were not understood.

    values: Distinct ones with their rows. per_year: 12, where ages are counted in months. Where a
    number is larger than that of any age they are no ages, and nothing is counted.

    >>> over_89({"89": 3, "90+": 2, "[80, 90)": 4, ">=85": 1, "*": 1, None: 1, "old": 1})
    (0, 0)
    >>> over_89({"91": 3, "[90, 95)": 2, "85-94": 1, "95+": 1, "(85, 95]": 1, "4/5": 2})
    (8, 2)
    """
    n_over = n_unread = 0
    for value, n_rows in values.items():
        ages = ages_in(value)
        if ages is None:
            n_unread += n_rows
            continue
        if any(low > HIGHEST * per_year for low, _ in ages):
            return 0, 0
        n_over += n_rows if any(_tells_more(*each, per_year) for each in ages) else 0
    return n_over, n_unread


def _tells_more(low: Decimal, high: Decimal | None, per_year: int) -> bool:
    return low > OLDEST * per_year if high is None else high >= OLDEST * per_year


def ages_in(value: object) -> list[Ages] | None:
    """Read what a value says of an age: one, a range, an open end, some; None: not understood.

    What has no digit says no age.
    """
    text = "" if value is None else str(value).strip()
    if not any(letter.isdigit() for letter in text):
        return []
    part = parse(text).part
    if isinstance(part, Range) and part.of_numbers:
        low, high = (None if each is None else as_number(each) for each in part[:2])
        return [(low or Decimal(0), None if high is None else high - _BELOW)]
    names = part.names if isinstance(part, Members) else (part,)
    ages = [_age(each.text) if isinstance(each, Name) else None for each in names if each]
    return None if None in ages else [each for each in ages if each is not None]


def _age(text: str) -> Ages | None:
    if between := _BETWEEN.fullmatch(text):
        return Decimal(between["low"]), Decimal(between["high"]) - (between["end"] == ")") * _BELOW
    if most := _MOST.fullmatch(text):
        return Decimal(0), Decimal(most["n"]) - _BELOW
    if least := _LEAST.fullmatch(text):
        number, sign = Decimal(least["n"]), (least["sign"] or "").lower()
        beyond = sign in (">", "over", "above")
        return number + beyond, None if sign or least["more"] else number
    return None


def born_long_ago(values: Mapping[object, int], year: int) -> int:
    """Count the rows whose day or year of birth tells an age over 89, and more than that.

    Who was born before a year is of any age; a range is as old as its first year.

    >>> born_long_ago({"1990": 5, "1931": 2, "1920s": 3, "<1937": 4, "[1930, 1940)": 1}, 2026)
    6
    >>> born_long_ago({"1930-03-04": 1, "04.03.1930": 1, "19300304": 1, "1990-03-04": 1}, 2026)
    3
    """
    last = year - OLDEST  # born then, somebody may be 90
    return sum(
        n for value, n in values.items() if any(first <= last for first in _first_years(value))
    )


def _first_years(value: object) -> list[int]:
    text = "" if value is None else str(value).strip()
    if _EARLIER.fullmatch(text):
        return []
    days = calendar_days(text)  # of a decade, too
    years = [int(each) for each in _YEAR.findall(text)]
    if days is not None:
        return [int(days[0][:4])]
    return years if isinstance(parse(text).part, Members) else years[:1]
