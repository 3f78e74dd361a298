"""The first line of a CSV file, read by us: no engine may rename, guess or drop a column."""

from __future__ import annotations

import contextlib
import csv
import io
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from sfumato.engines.csv_quotes import in_order_only
from sfumato.engines.text_encodings import encoding_remedy
from sfumato.errors import BadInput
from sfumato.files.paths import reason

DELIMITERS = ",;\t|"
NUMBER_REMEDY = 'rename it, or add names = "number"'
FIRST_BYTES = 1 << 20
LONGEST_NAME = 1 << 17  # letters; Python's own limit is of the process, and others set it
# DuckDB refuses lines of 2 MB and more, but near the end of a file it may pass over one, and over
# all that follows, without a word. So no longer ones get to it.
LONGEST_LINE = 1_900_000
STEP, PROBE = LONGEST_LINE // 2, 1 << 16


@dataclass(frozen=True)
class Header:
    """Delimiter and column names."""

    delimiter: str
    columns: tuple[str, ...]
    in_order: bool  # whether the file is large and its rows are found one after the other only


def read_header(
    path: Path,
    delimiters: str = DELIMITERS,
    quote: str = '"',
    *,
    original: Path | None = None,
    line: int = 1,
    trim: bool = False,
    number: bool = False,
) -> Header:
    """Read names from the first record; the delimiter is the one that makes most of them.

    Args:
        path: The file; with `original`, a copy of it in UTF-8 that begins with a later `line`.
        delimiters: What may be the delimiter.
        quote: What stands around fields; empty: nothing.
        original: What messages call the file.
        line: The number of the first line in it.
        trim: Blanks around a name are no part of it.
        number: Names that are empty or not unique are numbered.
    """
    there = path if original is None else original
    try:
        with path.open("rb") as file:
            start = file.read(FIRST_BYTES)
            long_line = _long_line(file, b"\n" if b"\n" in start else b"\r")
    except OSError as error:
        raise BadInput(f"{there}: cannot read: {reason(error)}") from None
    if start[:4] == b"PK\x03\x04":
        raise BadInput(f"{there}: an Excel or zip file; export the table as CSV")
    if not start.strip(b"\r\n\xef\xbb\xbf "):
        raise BadInput(f"{there}: the file is empty; expected a line with the column names")
    whole = len(start) < FIRST_BYTES
    end = len(start) if whole else max(start.rfind(b"\n"), start.rfind(b"\r")) + 1
    if not end:
        raise BadInput(f"{there}, line {line}: cannot read the column names")
    if long_line is not None:
        raise BadInput(
            f"{there}, line {line - 1 + long_line}: the line is too long; a quote may be missing, "
            "or split the line"
        )
    complete = start[:end]
    try:
        text = complete.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line += complete[: error.start].count(b"\n")
        remedy = encoding_remedy(there)
        raise BadInput(f"{there}, line {line}: not UTF-8 text; {remedy}") from None
    records: dict[str, list[str]] = {}
    ends: dict[str, int] = {}
    source = io.StringIO(text, newline="")
    for delimiter in delimiters:
        source.seek(0)
        reader = csv.reader(source, **csv_format(delimiter, quote))
        with contextlib.suppress(csv.Error, StopIteration):
            record = next(reader)
            if all(len(name) <= LONGEST_NAME for name in record):
                records[delimiter], ends[delimiter] = record, source.tell()
    if not records:
        raise BadInput(f"{there}, line {line}: cannot read the column names")
    delimiter = max(records, key=lambda each: len(records[each]))
    names = records[delimiter]
    if not names:
        raise BadInput(f"{there}, line {line}: the line is empty; expected the column names")
    breaks = re.findall(r"\r\n|\r|\n", text[: ends[delimiter]])
    if len(set(breaks)) > 1:  # the engine would lose its way
        raise BadInput(
            f"{there}, line {line}: a column name holds a line break of another kind than "
            "the lines end with; rename the column"
        )
    if trim:
        names = [name.strip() for name in names]
    if number:
        names = numbered(names)
    if "" in names:
        raise BadInput(
            f"{there}, line {line}: column {names.index('') + 1} has no name; {NUMBER_REMEDY}"
        )
    in_order = not whole and bool(quote) and in_order_only(path, delimiter, quote, there, line)
    return Header(delimiter, tuple(names), in_order)


def csv_format(delimiter: str, quote: str) -> dict[str, Any]:
    """Tell `csv` how fields are delimited and quoted; quote: "" if they are not."""
    quoting = csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE
    return {"delimiter": delimiter, "quotechar": quote or None, "quoting": quoting, "strict": True}


def _long_line(file: BinaryIO, end: bytes) -> int | None:
    """Give the number of the first line that is too long, if there is one.

    Such a line holds a whole step without an end, so a look at the beginning of each step mostly
    does; only a file that has such a step is read line by line.
    """
    size = file.seek(0, os.SEEK_END)
    if all(_ends_within(file, start, end) for start in range(0, size - STEP, STEP)):
        return None
    file.seek(0)
    line, length = 1, 0
    while chunk := file.read(FIRST_BYTES):
        *ended, rest = chunk.split(end)
        for piece in ended:
            if length + len(piece) > LONGEST_LINE:
                return line
            line, length = line + 1, 0
        length += len(rest)
        if length > LONGEST_LINE:
            return line
    return None


def _ends_within(file: BinaryIO, start: int, end: bytes) -> bool:
    """Whether a line ends within a step of the file."""
    file.seek(start)
    return end in file.read(PROBE) or end in file.read(STEP - PROBE)


def refuse_alike(
    names: Sequence[str], where: str, instead: str = 'or add names = "number"'
) -> None:
    """Refuse names that are empty, equal, or equal but for upper and lower case.

    Databases and data frames do not agree on whether `Age` and `age` are one column.

    instead: What can be done where nobody may rename one.
    """
    seen: dict[str, int] = {}
    for j, name in enumerate(names):
        if not name:
            raise BadInput(f"{where}: column {j + 1} has no name; rename it, {instead}")
        other = seen.get(name.casefold())
        if other is not None:
            but = "" if names[other] == name else " but for upper and lower case"
            raise BadInput(
                f"{where}: columns {other + 1} and {j + 1} have the same name{but}; rename one, "
                f"{instead}",
                [names[other], name],
            )
        seen[name.casefold()] = j


def numbered(names: Sequence[str]) -> list[str]:
    """Give every column a name of its own: `column_3` to one without, `age_2` to a second `age`.

    >>> numbered(["", "age", "zip", "Age"])
    ['column_1', 'age', 'zip', 'Age_2']
    """
    taken = {name.casefold() for name in names if name}
    seen: set[str] = set()
    unique = []
    for j, name in enumerate(names):
        new, n = name or f"column_{j + 1}", 1
        first = bool(name)  # a name that was there goes to the first that has it
        while new.casefold() in seen or (not first and new.casefold() in taken):
            n, first = n + 1, False
            new = f"{name or f'column_{j + 1}'}_{n}"
        seen.add(new.casefold())
        unique.append(new)
    return unique
