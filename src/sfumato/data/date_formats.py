"""Formats in which offices write dates: `DD.MM.YYYY`, `M/D/YYYY`, `YYYYMMDD`, `MM.YYYY`.

YYYY is a year of four digits, MM and DD a month and a day of two, M and D of one or two; hh, mm and
ss are a time of day. Everything else stands for itself. Years of two digits are refused: nobody can
tell 1924 from 2024.
"""

from __future__ import annotations

import datetime
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from sfumato.errors import BadInput, shown

DIGITS = {"YYYY": (4, 4), "MM": (2, 2), "M": (1, 2), "DD": (2, 2), "D": (1, 2)}
TIME = ("hh", "mm", "ss")
DIGITS |= dict.fromkeys(TIME, (2, 2))
UNITS = {"MM": "M", "DD": "D"}  # what two letters stand for
DIRECTIVES = {"YYYY": "%Y", "M": "%m", "D": "%d", "hh": "%H", "mm": "%M", "ss": "%S"}
PART = re.compile(r"Y+|M+|D+|h+|m+|s+|[^YMDhms]+")
ISO = "YYYY-MM-DD"
COMMON = (  # how files write dates: of two that read the same, the first is meant more often
    "YYYY-MM-DD",
    "DD.MM.YYYY",
    "D.M.YYYY",
    "DD-MM-YYYY",
    "D-M-YYYY",
    "DD/MM/YYYY",
    "D/M/YYYY",
    "MM/DD/YYYY",
    "M/D/YYYY",
    "MM-DD-YYYY",
    "M-D-YYYY",
    "YYYY/MM/DD",
    "YYYY.MM.DD",
    "YYYYMMDD",
    "DD.MM.YYYY hh:mm",
    "DD.MM.YYYY hh:mm:ss",
    "YYYY/MM/DD hh:mm",
    "YYYY/MM/DD hh:mm:ss",
    "DD/MM/YYYY hh:mm",
    "DD/MM/YYYY hh:mm:ss",
    "MM/DD/YYYY hh:mm",
    "MM/DD/YYYY hh:mm:ss",
    "YYYY-MM-DD hh:mm",
    "YYYY-MM-DD hh:mm:ss",
    "YYYY-MM-DDThh:mm:ss",
    "MM.YYYY",
    "MM/YYYY",
)


@dataclass(frozen=True)
class DateFormat:
    """One way to write a date; it is read as an ISO text.

    >>> DateFormat("DD.MM.YYYY").iso("04.07.1994"), DateFormat("M/D/YYYY").iso("7/4/1994")
    ('1994-07-04', '1994-07-04')
    >>> DateFormat("MM.YYYY").iso("07.1994"), DateFormat("DD.MM.YYYY").iso("31.02.1994")
    ('1994-07', None)
    >>> DateFormat("DD.MM.YYYY hh:mm").strptime
    '%d.%m.%Y %H:%M'
    """

    text: str

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise _refused(self.text, f"give a text such as {ISO} or DD.MM.YYYY")
        if "YY" in self.parts:
            raise _refused(self.text, "a year of two digits may be of two centuries; write YYYY")
        unknown = [p for p in self.parts if p not in DIGITS and any(c.isalnum() for c in p)]
        if unknown and unknown != ["T"]:
            raise _refused(self.text, f"{unknown[0]!r} is none of {', '.join(DIGITS)}")
        if len(set(self.units)) < len(self.units):
            raise _refused(self.text, "a part stands in it twice")
        if not {"YYYY", "M"} <= {*self.units}:
            raise _refused(self.text, "a date needs YYYY and MM")
        times = tuple(unit for unit in self.units if unit in TIME)
        if times and (times != TIME[: len(times)] or not self.of_days):
            raise _refused(self.text, "a time is hh, hh:mm or hh:mm:ss, beside a day")
        if any(
            one in DIGITS and two in DIGITS and {"M", "D"} & {one, two}
            for one, two in itertools.pairwise(self.parts)
        ):
            raise _refused(self.text, "where nothing stands between them, write MM and DD")

    @cached_property
    def parts(self) -> list[str]:
        """Years, months, ..., and what stands between them."""
        return PART.findall(self.text)

    @cached_property
    def units(self) -> list[str]:
        """What its digits stand for, in their order."""
        return [UNITS.get(part, part) for part in self.parts if part in DIGITS]

    @cached_property
    def of_days(self) -> bool:
        """Whether it names days, and not only months."""
        return "D" in self.units

    @property
    def strptime(self) -> str:
        """The same in the language of `strptime`."""
        return "".join(DIRECTIVES.get(UNITS.get(p, p), p.replace("%", "%%")) for p in self.parts)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """A regular expression with a group for each unit."""
        fields = {part: rf"(\d{{{low},{high}}})" for part, (low, high) in DIGITS.items()}
        return re.compile("".join(fields.get(p, re.escape(p)) for p in self.parts), re.ASCII)

    def iso(self, text: str) -> str | None:
        """Read a text as 1994-07-04, 1994-07 or 1994-07-04 10:30:00; None: it is no such date."""
        found = self.pattern.fullmatch(text)
        if found is None:
            return None
        read = dict(zip(self.units, map(int, found.groups()), strict=True))
        hour, minute, second = (read.get(unit, 0) for unit in TIME)
        try:
            day = datetime.date(read["YYYY"], read["M"], read.get("D", 1))
            time = datetime.time(hour, minute, second)
        except ValueError:
            return None
        if "hh" in read:
            return f"{day} {time}"
        return day.isoformat()[: 10 if self.of_days else 7]

    def shape(self) -> Iterator[tuple[int, int] | str]:
        """Give how many digits follow each other, least and most, and what stands between."""
        least = most = 0
        for part in self.parts:
            if part in DIGITS:
                least, most = least + DIGITS[part][0], most + DIGITS[part][1]
                continue
            if most:
                yield least, most
            yield part
            least = most = 0
        if most:
            yield least, most


def read_formats(owner: str, formats: Sequence[object]) -> tuple[DateFormat, ...]:
    """Read several formats of one column; a text must be a date in one of them alone.

    >>> [each.text for each in read_formats("Dates", ["DD.MM.YYYY", "YYYY-MM-DD"])]
    ['DD.MM.YYYY', 'YYYY-MM-DD']
    >>> read_formats("Dates", ["DD/MM/YYYY", "M/D/YYYY"])
    Traceback (most recent call last):
    sfumato.errors.BadInput: Dates: 'DD/MM/YYYY' and 'M/D/YYYY' read one text as two dates; give one
    """
    read = []
    for text in formats:
        try:
            read.append(DateFormat(text))  # type: ignore[arg-type]  # refused unless it is text
        except BadInput as error:
            raise BadInput(f"{owner}: {error}") from None
    for one, other in itertools.combinations(read, 2):
        if _disagree(one, other):
            raise BadInput(
                f"{owner}: {one.text!r} and {other.text!r} read one text as two dates; give one"
            )
        if one.of_days != other.of_days:
            raise BadInput(
                f"{owner}: {one.text!r} and {other.text!r}: one has days, the other only months; "
                "give formats of one kind"
            )
    return tuple(read)


def _disagree(one: DateFormat, other: DateFormat) -> bool:
    """Whether some digits may be written in both, and mean something else."""
    shapes = [*one.shape()], [*other.shape()]
    return (
        one.units != other.units
        and len(shapes[0]) == len(shapes[1])
        and all(
            a == b
            if isinstance(a, str) or isinstance(b, str)
            else max(a[0], b[0]) <= min(a[1], b[1])
            for a, b in zip(*shapes, strict=True)
        )
    )


def _refused(text: object, why: str) -> BadInput:
    return BadInput(f"date format {shown(text)}: {why}")
