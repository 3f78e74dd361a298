"""ZIP codes: three digits at most, and those only where more than 20,000 people live."""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from sfumato.data.labels.grammar import Mask, Members, Name, Range, parse
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
    digits = _digits(values)
    fine = sum(n for d, n in digits.items() if d is not None and len(d) > THREE and d.strip("0"))
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
    other = digits.get(None, 0)
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
    areas = {d: n for d, n in digits.items() if d is not None and len(d) == THREE and d.strip("0")}
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


def _digits(values: Mapping[object, int]) -> dict[str | None, int]:
    """Count rows by the digits that a value tells; None: letters, no ZIP code.

    A number has lost the zeros in front: 501 is 00501, unless none has more than three digits.
    """
    told = [(d, n) for value, n in values.items() for d in _told(value)]
    widest = max((len(d) for (d, whole), _ in told if d is not None and whole), default=0)
    padded = {True: 5 if widest > THREE else THREE, False: 0}
    found: dict[str | None, int] = {}
    for (digits, whole), n in told:
        key = digits if digits is None else digits.zfill(padded[whole])
        found[key] = found.get(key, 0) + n
    return found


def _told(value: object) -> Iterator[tuple[str | None, bool]]:
    """Give the digits that every code a value stands for begins with, and whether they are all."""
    text = "" if value is None else str(value).strip()
    if not text:
        return
    part = parse(text).part
    if isinstance(part, Range):
        if part.low is not None and part.high is not None:
            yield _in_common(part.low, part.high), False
        return
    for name in part.names if isinstance(part, Members) else [part]:
        if isinstance(name, Mask):
            yield (name.beginning if name.beginning.isdecimal() else None), False
        elif isinstance(name, Name):
            yield from _code(name.text)


def _code(text: str) -> Iterator[tuple[str | None, bool]]:
    masked, whole = _MASKED.fullmatch(text), _CODE.fullmatch(text) or _NUMBER.fullmatch(text)
    if masked is not None:
        yield masked[1], False
    elif whole is not None:
        yield whole[1], True
    elif re.search("[0-9]", text):
        yield None, True


def _in_common(low: str, high: str) -> str:
    """Give the digits that all codes from one up to, not including, another begin with.

    >>> _in_common("13000", "14000"), _in_common("13050", "13060"), _in_common("13000", "20000")
    ('13', '1305', '1')
    """
    if not (low.isdecimal() and high.isdecimal()) or int(high) <= int(low):
        return ""
    last = str(int(high) - 1).zfill(len(low))
    same = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(low, last, strict=False))
    return "".join(digit for digit, _ in same) if len(last) == len(low) else ""


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
