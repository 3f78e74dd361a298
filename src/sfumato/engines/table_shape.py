"""Where the names of a table stand among its records, and where its rows end.

Of the lines of a text file and the rows of a sheet alike. Nothing is read by it: it says what a
person would declare, and what speaks for that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from sfumato.data.read_settings import ReadSettings
from sfumato.text import count, counted, plural

MOST_RECORDS = 2000  # at the beginning
NUMBER = re.compile(r"\s*[+-]?\d[\d.,' \u00a0\u202f]*\s*%?\s*")
DATE = re.compile(r"\s*\d{1,4}[./-]\d{1,2}[./-]\d{1,4}\b.*")
TOTAL = re.compile(
    r"\W*(grand ?|sub)?(total|totals|sum|overall|summe|gesamt|insgesamt|gesamtsumme|gesamtergebnis|"
    r"zusammen|totale|somme|suma|ensemble|totaal|i ?alt|samtliga)\b\W*(?P<more>\w.*)?",
    re.IGNORECASE,
)
Record = tuple[int, Sequence[str]]  # the number of the line that it begins with, and its fields


@dataclass(frozen=True)
class Shape:
    """What a person would declare about a file, and why."""

    settings: ReadSettings
    names: tuple[str, ...] = ()
    reasons: dict[str, str] = field(default_factory=dict)  # setting -> what speaks for it


def shape_of_records(
    first: Sequence[Record],
    last: Iterable[Sequence[str] | None],
    n_fields: int,
    *,
    whole: bool,
    skip_rows: int | None = None,
) -> Shape:
    """Find the names, and what is no row at the end.

    Args:
        first: The first records.
        last: The last ones, from the end on; None: one that cannot be told.
        n_fields: How many fields most of them have.
        whole: Whether the first are all.
        skip_rows: Lines above the names, where somebody said so.
    """
    given: dict[str, object] = {}
    reasons = {}
    header = place_of_names(first, n_fields, skip_rows)
    line, names = first[header] if first else (1, ())
    if line > 1:
        given["skip_rows"] = line - 1
        reasons["skip_rows"] = f"line {line} is the first with {n_fields} names"
    rows = [fields for _, fields in first[header + 1 :]]
    n_end, why = _footer(rows, last, n_fields, whole=whole)
    if n_end:
        given["skip_end"] = n_end
        reasons["skip_end"] = why
    folded = [name.strip().casefold() for name in names]
    if "" in folded or len(set(folded)) < len(folded):
        given["names"] = "number"
        empty, repeated = folded.count(""), len(folded) - len(set(folded))
        reasons["names"] = (
            f"{counted(empty, 'column has', 'columns have')} no name"
            if empty
            else f"{counted(repeated, 'name repeats', 'names repeat')} another"
        )
    return Shape(ReadSettings.of(given), tuple(names), reasons)


def noticed_at_end(shape: Shape, skip_end: int) -> list[tuple[str, str]]:
    """Say what was read as rows and may be none; skip_end: lines that were left out already.

    >>> found = Shape(ReadSettings(skip_end=1), (), {"skip_end": "the last line is blank"})
    >>> noticed_at_end(found, 0)
    [('at the end', 'the last line is blank: skip_end = 1 leaves it out')]
    """
    n = shape.settings.skip_end
    if not n:
        return []
    leaves = f"skip_end = {skip_end + n} leaves {plural(n, 'it', 'them')} out"
    return [("at the end", f"{shape.reasons['skip_end']}: {leaves}")]


def place_of_names(first: Sequence[Record], n_fields: int, skip_rows: int | None = None) -> int:
    """Give the place of the record with the names: the first that has about all of them."""
    if skip_rows is not None:
        return next((j for j, (line, _) in enumerate(first) if line > skip_rows), 0)
    least = max(2, n_fields // 2) if n_fields > 1 else 1
    sparse = None  # a record with few names, or a title in a line of empty fields
    for j, (_, fields) in enumerate(first):
        there = [text for text in fields if text.strip()]
        if len(fields) != n_fields or not there:
            continue
        is_index = n_fields == 2 and not fields[0].strip()  # a data frame's has no name
        if len(there) >= least or is_index:
            is_row = any(NUMBER.fullmatch(text) or DATE.fullmatch(text) for text in there)
            return sparse if is_row and sparse is not None else j
        sparse = j
    return 0


def _footer(
    rows: Sequence[Sequence[str]],
    last: Iterable[Sequence[str] | None],
    n_fields: int,
    *,
    whole: bool,
) -> tuple[int, str]:
    """Count the lines at the end that are no rows, and say what they look like."""
    if n_fields < 2:
        return 0, ""
    filled = sorted(sum(map(bool, fields)) for fields in rows)
    usual = filled[len(filled) // 2] if filled else 0
    n_end, why = 0, ""
    for fields in last:
        reason = None if fields is None else _no_row(fields, n_fields, usual)
        if reason is None:
            break
        n_end, why = n_end + 1, reason
    if not n_end and whole and len(rows) > 6 and _sums_up(rows[:-1], rows[-1]):
        return 1, "the last line has the sums of the others"
    several = f"the last {count(n_end)} lines are no rows: the first of them"
    return n_end, f"{plural(n_end, 'the last line', several)} {why}"


def _no_row(fields: Sequence[str], n_fields: int, usual: int) -> str | None:
    """Say why a record is none."""
    there = [field for field in fields if field.strip()]
    if len(fields) != n_fields:
        return f"has {counted(len(fields), 'field')} where others have {n_fields}"
    label = TOTAL.fullmatch(there[0]) if there else None
    if label and (len(there) < usual or label["more"] is None):
        return "looks like a total"
    if len(there) == 1 and usual > 2 and fields[0].strip() and not NUMBER.fullmatch(fields[0]):
        return "looks like a note"
    return None


def _sums_up(rows: Sequence[Sequence[str]], last: Sequence[str]) -> bool:
    """Whether the last row has nothing but sums of the numbers above it."""
    summed = 0
    for j, text in enumerate(last):
        total = _number(text)
        if total is None and text.strip():
            return False
        if total is None:
            continue
        numbers = [_number(row[j]) for row in rows if j < len(row) and row[j].strip()]
        if None in numbers:
            return False
        if sum(n for n in numbers if n is not None) != total or not total:
            return False
        summed += 1
    return summed > 0


def _number(text: str) -> Decimal | None:
    text = text.strip()
    if re.fullmatch(r"[+-]?\d{1,3}(\.\d{3})*,\d+", text):
        text = text.replace(".", "").replace(",", ".")
    return Decimal(text) if re.fullmatch(r"[+-]?\d+(\.\d+)?", text) else None
