"""Elements of dates that are not their year: days, months, and parts of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from sfumato.data.labels.grammar import Range, parse
from sfumato.engines.look import ColumnLook
from sfumato.proposal.names import meaning
from sfumato.proposal.patterns import (
    DATES,
    DAY_OF_YEAR,
    FINER,
    MONTH,
    RANGE,
    SHORT_DATE,
    WORDED_DATE,
)
from sfumato.proposal.roles import MOST, date_format
from sfumato.proposal.vocabulary import SUBJECTS, VALUES

# Up to which number parts of a date are counted.
PARTS = {"month": 12, "monat": 12, "mois": 12, "monthof": 12, "day": 31, "dayof": 31, "weekof": 53}
OTHER_PARTS = 7  # days of weeks, quarters and seasons
DATE_PARTS = tuple(subject for subject in SUBJECTS if subject.letter == "C")
CALENDAR_WORDS = tuple(subject for subject in VALUES if subject.about == "time")
_DAY_OR_MONTH = re.compile(r"(?<![0-9])(?:1[89]|20)[0-9]{2}(-[0-9]{2}(?:-[0-9]{2})?)")
_RANGE = re.compile(FINER[RANGE])
_QUARTER = re.compile("[Qq][1-4]")
_SHORT_NAME = re.compile(  # of a month or of a day of the week
    "(?i:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec|mon|tues?|wed|thu(rs?)?|fri|sat|sun"
    "|mrz|mai|okt|dez|mo|di|mi|do|fr|sa|so)[.]?"
)
_SEASONS = ("spring", "summer", "autumn", "winter")
TOLD = 3  # letters of a name that tell it by themselves: MO is Missouri, too
DAYS = 100  # of a year, from which on 03-17 is no range, score or fraction


def finer_than_years(look: ColumnLook, values: Callable[[], Mapping[object, int]]) -> int:
    """Count the rows with days or months of dates, by how they are written."""
    if date_format(look) is not None:
        return look.n_present
    told = meaning(look.column)
    dated = told is not None and told.about in ("time", "birth")
    n = sum(look.n_matching[form] for form in DATES if form != "YYYYMMDD")
    n += look.n_matching[WORDED_DATE]
    n += sum(
        look.n_matching[form] for form in (SHORT_DATE, MONTH) if dated or look.share(form) >= MOST
    )
    if dated or (look.share(DAY_OF_YEAR) >= MOST and look.n_values >= DAYS):
        n += look.n_matching[DAY_OF_YEAR]
    if look.n_matching[RANGE]:
        n += sum(rows for value, rows in values().items() if _is_fine_range(value))
    return min(n, look.n_present)


def _is_fine_range(value: object) -> bool:
    """Whether a published range or set is of dates, and tells more of them than years.

    >>> [_is_fine_range(text) for text in ("[2020-01-01, 2022-01-01)", "[2020-03, 2021)")]
    [False, True]
    >>> _is_fine_range("{2020-01-01, 2020-04-01}"), _is_fine_range("2020-03-01 to 2020-06-30")
    (True, True)
    """
    text = "" if value is None else str(value)
    if _RANGE.fullmatch(text) is None:
        return False
    ends = isinstance(parse(text).part, Range)  # which may be the first days of years
    found = _DAY_OR_MONTH.findall(text)
    return any(not (ends and each in ("-01", "-01-01")) for each in found)


def part_of_a_date(look: ColumnLook) -> str | None:
    """Give the word by which a column is a part of dates, if its values are those of such a part.

    A day of a study, which may be the two hundredth, is none.
    """
    part = meaning(look.column, DATE_PARTS)
    if part is None:
        return None
    numbers = look.numbers
    if numbers is not None and numbers.n_rows == look.n_present:
        most = PARTS.get(part.word, OTHER_PARTS)
        fits = numbers.lowest >= 0 and numbers.highest <= most and look.n_values > 1
        return part.word if fits and numbers.n_whole == numbers.n_rows else None
    n_words = sum(
        n
        for value, n in look.common
        if _QUARTER.fullmatch(value)
        or _SHORT_NAME.fullmatch(value)
        or meaning(value, CALENDAR_WORDS) is not None
    )
    return part.word if n_words >= look.n_present / 2 else None


def names_months_or_days(look: ColumnLook) -> bool:
    """Whether values are names of months, or of days of the week, whatever the column is called."""
    if look.n_values < 2:
        return False
    n_words = 0
    for value, n in look.common:
        word = meaning(value, CALENDAR_WORDS) if value.isalpha() else None
        n_words += n if word is not None and word.word not in _SEASONS else 0
        short = word is None and _SHORT_NAME.fullmatch(value) is not None
        n_words += n if short and len(value) >= TOLD else 0
    return n_words >= MOST * look.n_present
