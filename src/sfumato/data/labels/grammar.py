"""The language of published texts: one writing, and one reading, of every kind of label.

    label  = "*"                          everything, missing values too
           | "not missing"                every value
           | part [" or missing"]
    part   = name                         a value, or a node of the hierarchy
           | name "*" ...                 a code whose end is masked: 130**
           | "[" name ", " name ")"       a range from a bound up to, not including, another one
           | "<" name | ">=" name         all below a bound; all that are not
           | "{" name {", " name} "}"     a set of nodes; `missing` is the missing value
    name   = the text itself, or the text in double quotes, with quotes in it doubled

A missing value alone has no text: its field is empty. A name stands without quotes wherever it can
be read as nothing else: `*`, `<5` and `Smith, John` are values if they are quoted. Whether `35` is
a number, or `2026` a year, is not the grammar's to say: see `reader` for a column that is known,
and `in_common` for releases without their originals.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Collection, Sequence
from typing import Literal, NamedTuple

from sfumato.data.decimals import canonical_numbers
from sfumato.data.values import MISSING_TEXT

ROOT = "*"
NOT_MISSING = f"not {MISSING_TEXT}"
OR_MISSING = f" or {MISSING_TEXT}"
OTHER = "other"  # texts without an order that are not named
BETWEEN = ", "
OPENING, CLOSING = '"[{<>', ROOT + MISSING_TEXT[-1]  # some form but a name begins or ends so
QUOTED = re.compile(r'"((?:[^"]|"")*)"')
BARE = re.compile(r'(?!["=]|, ).(?:(?!, ).)*', re.DOTALL)  # no name begins with =: not <=5
# Names of which nothing is to be asked, and ranges between two of them, as most are:
PLAIN = re.compile(r"[\w.:+-]+")
PLAIN_RANGE = re.compile(rf"\[({PLAIN.pattern}), ({PLAIN.pattern})\)")
CALENDAR = re.compile(r"(\d{3})0s|(\d{4})|(\d{4}-\d\d)")  # a decade, a year, a month
OPENS_MONTH = re.compile(r"(\d{4})-(\d\d)(?:-01)?")


# How the texts of a column are read by somebody who has no table of it:
Reading = Literal[
    "values",  # single values, and sets of them
    "ordered",  # values that have an order, and ranges of them
    "numbers",  # numbers and ranges of them
    "masks",  # codes, and codes whose end is masked
    "calendar",  # days, months, years and decades
    "nodes",  # nodes of a closed tree, whose ways up to the root are published
    "any",  # of a table about which nobody says anything: values, ranges and masks
]


class Name(NamedTuple):
    """The text of a value or of a node; in quotes it is a value, if there is one."""

    text: str
    quoted: bool = False


class Mask(NamedTuple):
    """All codes that begin so and are longer."""

    beginning: str


class Range(NamedTuple):
    """All values from a bound up to another one; None: no bound on that side.

    Where a bound is quoted, the order is that of text, even if it looks like a number.
    """

    low: str | None
    high: str | None
    quoted: bool = False

    @property
    def of_numbers(self) -> bool:
        """Whether its bounds are numbers: written so, and not quoted."""
        bounds = [bound for bound in (self.low, self.high) if bound is not None]
        return bool(bounds) and not self.quoted and canonical_numbers(bounds) is not None


class Members(NamedTuple):
    """Several nodes; None: the missing value."""

    names: tuple[Name | None, ...]


Part = Name | Mask | Range | Members


class Label(NamedTuple):
    """A published text taken apart."""

    part: Part
    or_missing: bool = False


EVERY_VALUE = Range(None, None)
EVERYTHING = Label(EVERY_VALUE, or_missing=True)


def parse(text: str) -> Label:
    """Take a published text apart; whatever has no other form is a name.

    >>> parse("[35, 40)").part
    Range(low='35', high='40', quoted=False)
    >>> parse("130** or missing")
    Label(part=Mask(beginning='130'), or_missing=True)
    >>> parse('{"Smith, John", Zoe}').part.names
    (Name(text='Smith, John', quoted=True), Name(text='Zoe', quoted=False))
    """
    if text[:1] not in OPENING and text[-1:] not in CLOSING:  # as most texts
        return Label(Name(text))
    plain = PLAIN_RANGE.fullmatch(text)
    if plain is not None:
        return Label(Range(plain[1], plain[2]))
    if text == ROOT:
        return EVERYTHING
    if text == NOT_MISSING:
        return Label(EVERY_VALUE)
    rest = text.removesuffix(OR_MISSING)
    return Label(_part(rest), or_missing=rest != text)


def names_in(label: Label) -> tuple[Name, ...]:
    """Give the names that a label has: its own, or those of its set without the missing value.

    >>> names_in(parse("{Green, other, missing}")), names_in(parse("<5"))
    ((Name(text='Green', quoted=False), Name(text='other', quoted=False)), ())
    """
    names = label.part.names if isinstance(label.part, Members) else (label.part,)
    return tuple(name for name in names if isinstance(name, Name))


def is_everything(label: object, roots: Collection[str] = ()) -> bool:
    """Whether a published label says nothing; roots: names that the column's tree has for it.

    >>> is_everything("*"), is_everything('"*"'), is_everything("World"), is_everything(7)
    (True, False, False, False)
    >>> is_everything("World", {"World"})
    True
    """
    return isinstance(label, str) and (label == ROOT or label in roots)


def _part(text: str) -> Part:
    if text.startswith("{") and text.endswith("}"):
        names = _names(text[1:-1])
        if names:
            return Members(tuple(None if n == Name(MISSING_TEXT) else n for n in names))
    if text.startswith("[") and text.endswith(")"):
        names = _names(text[1:-1])
        if len(names) == 2:
            return Range(names[0].text, names[1].text, names[0].quoted or names[1].quoted)
    for sign in (">=", "<"):
        names = _names(text.removeprefix(sign)) if text.startswith(sign) else []
        if len(names) == 1:
            bound = names[0].text
            low, high = (bound, None) if sign == ">=" else (None, bound)
            return Range(low, high, names[0].quoted)
    quoted, beginning = QUOTED.fullmatch(text), text.rstrip(ROOT)
    if quoted is not None:
        return Name(quoted[1].replace('""', '"'), quoted=True)
    if 0 < len(beginning) < len(text):
        quoted = QUOTED.fullmatch(beginning)
        return Mask(beginning if quoted is None else quoted[1].replace('""', '"'))
    return Name(text)


def _names(text: str) -> list[Name]:
    """Read names with commas between them; none: there stands something else."""
    names: list[Name] = []
    end = 0
    while not names or text.startswith(BETWEEN, end):
        start = end + len(BETWEEN) if names else 0
        name = QUOTED.match(text, start) or BARE.match(text, start)
        if name is None:
            return []
        if name.re is QUOTED:
            names.append(Name(name[1].replace('""', '"'), quoted=True))
        else:
            names.append(Name(name[0]))
        end = name.end()
    return names if end == len(text) else []


def quoted_text(text: str) -> str:
    """Write a name in quotes."""
    return '"' + text.replace('"', '""') + '"'


def name_text(text: str) -> str:
    """Write a name that stands alone.

    >>> name_text("flu"), name_text("*"), name_text("<5"), name_text("5 or missing")
    ('flu', '"*"', '"<5"', '"5 or missing"')
    """
    return text if parse(text) == Label(Name(text)) else quoted_text(text)


def mask_text(beginning: str, n_masked: int) -> str:
    """Write a code whose last characters are masked.

    >>> mask_text("130", 2), mask_text("13*", 2)
    ('130**', '"13*"**')
    """
    stars = ROOT * n_masked
    bare = parse(beginning + stars) == Label(Mask(beginning))
    return (beginning if bare else quoted_text(beginning)) + stars


def range_text(low: str | None, high: str | None, *, of_text: bool = False) -> str:
    """Write a half-open range; None: no bound on that side.

    of_text: The order is that of text although nothing else says so; a bound that looks like a
    number is quoted.

    >>> range_text("20", "40"), range_text(None, "40"), range_text("20", None)
    ('[20, 40)', '<40', '>=20')
    >>> range_text("10", "2", of_text=True), range_text("a", "m", of_text=True)
    ('["10", "2")', '[a, m)')
    """
    if low is None and high is None:
        return NOT_MISSING
    if low is None:
        return f"<{_bound_text(str(high), of_text=of_text)}"
    if high is None:
        return f">={_bound_text(low, of_text=of_text)}"
    return f"[{_bound_text(low, of_text=of_text)}, {_bound_text(high, of_text=of_text)})"


def _bound_text(bound: str, *, of_text: bool) -> str:
    alone = Range(None, bound)
    plain = PLAIN.fullmatch(bound) is not None or parse(f"<{bound}") == Label(alone)
    bare = plain and not (of_text and alone.of_numbers)
    return bound if bare else quoted_text(bound)


def set_text(names: Sequence[Name | None]) -> str:
    """Write a set of nodes; None: the missing value.

    >>> set_text([Name("male"), Name("Smith, John"), Name("missing"), None])
    '{male, "Smith, John", "missing", missing}'
    """
    return "{" + BETWEEN.join(map(_member_text, names)) + "}"


def _member_text(name: Name | None) -> str:
    if name is None:
        return MISSING_TEXT
    if name.quoted or name.text == MISSING_TEXT:
        return quoted_text(name.text)
    plain = PLAIN.fullmatch(name.text) is not None
    bare = plain or parse("{" + name.text + "}") == Label(Members((name,)))
    return name.text if bare else quoted_text(name.text)


def calendar_texts(date: datetime.date) -> list[str]:
    """Write the month, the year and the decade of a day.

    >>> calendar_texts(datetime.date(2026, 11, 15))
    ['2026-11', '2026', '2020s']
    """
    return [date.isoformat()[:7], f"{date.year:04d}", f"{date.year // 10:03d}0s"]


def calendar_days(text: str) -> tuple[str, str] | None:
    """Give the first day of a month, a year or a decade, and the first day behind it.

    None: it is none of them, or the calendar ends there.

    >>> calendar_days("2026-12"), calendar_days("2026")
    (('2026-12-01', '2027-01-01'), ('2026-01-01', '2027-01-01'))
    >>> calendar_days("2020s"), calendar_days("2026-11-15"), calendar_days("9990s")
    (('2020-01-01', '2030-01-01'), None, None)
    """
    part = CALENDAR.fullmatch(text)
    if part is None:
        return None
    decade, year, month = part.groups()
    if month is not None:
        first, n_months = 12 * int(month[:4]) + int(month[5:]) - 1, 1
    else:
        first, n_months = (12 * int(year), 12) if decade is None else (120 * int(decade), 120)
    ends = [divmod(months, 12) for months in (first, first + n_months)]
    if ends[1][0] > datetime.MAXYEAR:
        return None
    begin, behind = (f"{year:04d}-{month + 1:02d}-01" for year, month in ends)
    return begin, behind


def calendar_place(bound: str) -> str:
    """Give the shortest text behind all earlier days: the month or year that a bound opens, if any.

    >>> calendar_place("2026-12-01"), calendar_place("2026-01-01"), calendar_place("2030-01-01")
    ('2026-12', '2026', '203')
    >>> calendar_place("2026-01"), calendar_place("2026-12-02"), calendar_place("2026-12-01 10:00")
    ('2026', '2026-12-02', '2026-12-01 10:00')
    """
    month = OPENS_MONTH.fullmatch(bound)
    if month is None:
        return bound
    year, number = month.groups()
    if number != "01":
        return f"{year}-{number}"
    return str(year[:3] if year[3] == "0" else year)


def calendar_beginning(text: str) -> str | None:
    """Give what all days of a month, a year or a decade begin with; None: it is none of them.

    >>> calendar_beginning("2020s"), calendar_beginning("2026-11"), calendar_beginning("2026-11-15")
    ('202', '2026-11', None)
    """
    part = CALENDAR.fullmatch(text)
    return None if part is None else part[part.lastindex or 0]
