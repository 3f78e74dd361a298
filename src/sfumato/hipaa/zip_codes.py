"""ZIP codes: three digits at most, and those only where more than 20,000 people live."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from sfumato.data.labels.grammar import Mask, Members, Name, Part, Range, parse
from sfumato.errors import BadInput
from sfumato.files.paths import reason
from sfumato.hipaa.kinds import Noticed
from sfumato.parameters import file_path
from sfumato.text import counted

ENOUGH = 20_000  # people: more must live where three digits are published
THREE = 3
HEADER = ("zip3", "population")
NOTHING_KNOWN = "000"
_CODE = re.compile(r"([0-9]{1,5})(?:-?[0-9]{4})?")
_MASKED = re.compile(r"([0-9]+)[*xX#_.-]+")
_NUMBER = re.compile(r"([0-9]{1,5})\.0")


def zip_codes(
    column: str, values: Mapping[object, int], populations: Mapping[str, int] | None
) -> Iterator[tuple[bool, Noticed]]:
    """Say what speaks against postal codes, and what was not checked (False)."""
    told = _digits(values)
    fine = sum(
        n for several, n in told if any(d and len(d) > THREE and d.strip("0") for d in several)
    )
    if fine:
        yield (
            True,
            Noticed(
                column,
                "B",
                f"{counted(fine, 'row')} with more than three digits of a ZIP code",
                "cut them to three digits before the table is read, and write 000 where 20,000 "
                "people or fewer live",
            ),
        )
    other = sum(n for several, n in told if None in several)
    if other:
        yield (
            True,
            Noticed(
                column,
                "B",
                f"{counted(other, 'row')} with postal codes that are no ZIP codes",
                "take the column out, or publish the state",
            ),
        )
    areas: dict[str, int] = {}
    for several, n in told:
        for d in several:
            if d and len(d) == THREE and d.strip("0"):
                areas[d] = areas.get(d, 0) + n
    if areas:
        yield from _areas(column, areas, populations)


def _areas(
    column: str, areas: Mapping[str, int], populations: Mapping[str, int] | None
) -> Iterator[tuple[bool, Noticed]]:
    """Compare the people of three-digit areas with what the rule asks for."""
    if populations is None:
        yield (
            False,
            Noticed(
                column,
                "B",
                f"not checked: whether more than 20,000 people live in each of "
                f"{counted(len(areas), 'three-digit area')}",
                "give their populations: --zip-populations FILE",
            ),
        )
        return
    small = {d: n for d, n in areas.items() if populations.get(d, ENOUGH + 1) <= ENOUGH}
    unknown = {d: n for d, n in areas.items() if d not in populations}
    if small:
        yield (
            True,
            Noticed(
                column,
                "B",
                f"{counted(len(small), 'three-digit area')} of 20,000 people or fewer, in "
                f"{counted(sum(small.values()), 'row')}",
                "write 000 instead of their three digits",
                tuple(sorted(small)),
            ),
        )
    if unknown:
        yield (
            False,
            Noticed(
                column,
                "B",
                f"not checked: {counted(len(unknown), 'three-digit area')} of which the file of "
                f"populations says nothing, in {counted(sum(unknown.values()), 'row')}",
                "add them to the file, or write 000",
                tuple(sorted(unknown)),
            ),
        )


def _digits(values: Mapping[object, int]) -> list[tuple[set[str | None], int]]:
    """Give the digits that every value tells, with its rows; None: letters, no ZIP code.

    A number has lost the zeros in front: 501 is 00501, unless none has more than three digits.
    """
    told = [([*_told(value)], n) for value, n in values.items()]
    parts = [part for several, _ in told for part in several]
    ranges = [part for part in parts if isinstance(part, Range)]
    numbers = any(_of_numbers(part) for part in ranges)
    bounds = [bound for part in ranges for bound in _bounds(part) if bound] if numbers else []
    codes = [part.text for part in parts if isinstance(part, Name)]
    width = 5 if max(map(len, [*codes, *bounds]), default=0) > THREE else THREE

    def digits(part: Part | None) -> str | None:
        match part:
            case Name(text, _):
                return text.zfill(width)
            case Mask(beginning):
                return beginning
            case Range():
                return _in_common(part, width if numbers else 0)
        return None

    return [({digits(part) for part in several}, n) for several, n in told]


def _told(value: object) -> Iterator[Part | None]:
    """Give the codes that a value stands for, as digits: whole, masked, or from one to another."""
    text = "" if value is None else str(value).strip()
    if not text:
        return
    part = parse(text).part
    if isinstance(part, Range):
        bounds = [None if bound is None else bound.strip() for bound in part[:2]]
        said = [bound for bound in bounds if bound is not None]
        if all(_whole(bound) for bound in said):
            low, high = (None if bound is None else _whole(bound) for bound in bounds)
            yield Range(low, high, part.quoted)
        elif any(re.search("[0-9]", bound) for bound in said):
            yield None
        return
    for name in part.names if isinstance(part, Members) else [part]:
        if isinstance(name, Mask):
            yield name if name.beginning.isdecimal() else None
        elif isinstance(name, Name):
            yield from _code(name.text)


def _code(text: str) -> Iterator[Part | None]:
    masked, whole = _MASKED.fullmatch(text), _whole(text)
    if masked is not None:
        yield Mask(masked[1])
    elif whole is not None:
        yield Name(whole)
    elif re.search("[0-9]", text):
        yield None


def _whole(text: str) -> str | None:
    """Give the digits of a code without those behind its fifth; None: it is no code."""
    whole = _CODE.fullmatch(text) or _NUMBER.fullmatch(text)
    return None if whole is None else whole[1]


def _bounds(part: Range) -> list[str]:
    """Give the bounds of a range of codes; where there is none, an empty text."""
    return [bound or "" for bound in part[:2]]


def _of_numbers(part: Range) -> bool:
    """Whether a range shows that numbers are meant: 9000 to 10000, or a bound such as 13000.

    Codes are compared character by character, and no bound of codes is longer than it has to be.
    """
    low, high = (bound.rstrip("0") for bound in _bounds(part))
    longer = any(len(bound) > THREE and bound.endswith("0") for bound in _bounds(part))
    return not part.quoted and (longer or (part.high is not None and low >= high))


def _in_common(part: Range, width: int) -> str | None:
    """Give the digits that tell most of a range: more than three, those of one area, or fewer.

    width: Of numbers, with the zeros in front; 0: they are codes. Zeros behind the last digit of a
    bound say nothing: from 60600 on is from 606 on. None: nothing lies between the bounds.

    >>> _in_common(Range("13000", "14000"), 5), _in_common(Range("6061", "60615"), 0)
    ('', '60615')
    >>> _in_common(Range("606", "607"), 0), _in_common(Range("606", "608"), 0)
    ('606', '')
    >>> _in_common(Range(None, "60604"), 0), _in_common(Range("999", None), 0)
    ('60604', '999')
    """
    low, high = (bound.zfill(width if bound else 0).rstrip("0") for bound in _bounds(part))
    finest = max(low, high, key=len)
    if part.high is not None and low >= high:
        return None
    if len(finest) > THREE:
        return finest
    first = int(low.ljust(THREE, "0"))
    behind = 1000 if part.high is None else int(high.ljust(THREE, "0"))
    return f"{first:03d}" if behind - first == 1 else ""


def read_populations(path: str | Path) -> dict[str, int]:
    """Read a CSV file that says how many people live where ZIP codes begin with three digits.

    Its header is `zip3,population`; other columns may stand beside them.
    """
    place = file_path("zip_populations", path)
    try:
        with place.open(encoding="utf-8-sig", newline="") as file:
            lines = [*csv.reader(file, strict=True)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        said = reason(error) if isinstance(error, OSError) else "not a CSV file in UTF-8"
        raise BadInput(f"{place}: cannot read the populations: {said}") from None
    header, rows = (lines[0], lines[1:]) if lines else ([], [])
    names = [name.strip().lower() for name in header]
    if any(names.count(name) != 1 for name in HEADER):
        raise BadInput(
            f"{place}: the populations need a first line with the columns {' and '.join(HEADER)}, "
            "delimited by commas"
        )
    at = [names.index(name) for name in HEADER]
    found: dict[str, int] = {}
    for number, row in enumerate(rows, 2):
        if not any(cell.strip() for cell in row):
            continue
        digits, people = (row[j].strip() if j < len(row) else "" for j in at)
        if not re.fullmatch("[0-9]{3}", digits):
            raise BadInput(
                f"{place}, line {number}: zip3 must be three digits, such as 036; is it a number "
                "that has lost its zeros?",
                [digits],
            )
        if not re.fullmatch("[0-9]{1,12}", people):
            raise BadInput(
                f"{place}, line {number}: population must be a whole number without separators",
                [people],
            )
        if digits in found:
            raise BadInput(f"{place}, line {number}: these three digits stand twice", [digits])
        found[digits] = int(people)
    if not found:
        raise BadInput(f"{place}: the file of populations has no rows")
    return found
