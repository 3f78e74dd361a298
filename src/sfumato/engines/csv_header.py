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

from sfumato.data.hierarchy import reason
from sfumato.errors import BadInput

DELIMITERS = ",;\t|"
FIRST_BYTES = 1 << 20
LAST_BYTES = 4 << 20


@dataclass(frozen=True)
class Header:
    """Delimiter and column names."""

    delimiter: str
    columns: tuple[str, ...]


def read_header(path: Path, delimiters: str = DELIMITERS) -> Header:
    """Read names from the first record; the delimiter is the one that makes most of them."""
    try:
        with path.open("rb") as file:
            start = file.read(FIRST_BYTES)
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - LAST_BYTES))
            last = file.read()
    except OSError as error:
        raise BadInput(f"{path}: cannot read: {reason(error)}") from None
    if start[:2] == b"\x1f\x8b":
        raise BadInput(f"{path}: the file is compressed; unpack it first")
    if not start.strip(b"\r\n\xef\xbb\xbf "):
        raise BadInput(f"{path}: the file is empty; expected a line with the column names")
    if size > LAST_BYTES and not re.search(rb"[\r\n]", last.rstrip(b"\r\n")):
        # DuckDB 2.0 passes over such a line at the end of a file without a word.
        raise BadInput(
            f"{path}, line {_n_lines(path)}: the line is too long; a quote may be missing, or "
            "split the line"
        )
    whole = len(start) < FIRST_BYTES
    end = len(start) if whole else max(start.rfind(b"\n"), start.rfind(b"\r")) + 1
    if not end:
        raise BadInput(f"{path}, line 1: cannot read the column names")
    complete = start[:end]
    try:
        text = complete.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = complete[: error.start].count(b"\n") + 1
        raise BadInput(f"{path}, line {line}: not UTF-8 text; convert the file first") from None
    records: dict[str, list[str]] = {}
    ends: dict[str, int] = {}
    for delimiter in delimiters:
        source = io.StringIO(text, newline="")
        reader = csv.reader(source, delimiter=delimiter, strict=True)
        with contextlib.suppress(csv.Error, StopIteration):
            records[delimiter] = next(reader)
            ends[delimiter] = source.tell()
    if not records:
        raise BadInput(f"{path}, line 1: cannot read the column names")
    delimiter = max(records, key=lambda each: len(records[each]))
    names = records[delimiter]
    if not names:
        raise BadInput(f"{path}, line 1: the line is empty; expected the column names")
    breaks = re.findall(r"\r\n|\r|\n", text[: ends[delimiter]])
    if len(set(breaks)) > 1:  # the engine would lose its way
        raise BadInput(
            f"{path}, line 1: a column name holds a line break of another kind than the lines end "
            "with; rename the column"
        )
    if "" in names:
        raise BadInput(f"{path}, line 1: column {names.index('') + 1} has no name")
    return Header(delimiter, tuple(names))


def _n_lines(path: Path) -> int:
    """Count the lines of a file, the last one included whether or not it ends."""
    n_ends = 0
    with path.open("rb") as file:
        while chunk := file.read(FIRST_BYTES):
            n_ends += chunk.count(b"\n")
            last = chunk
    return n_ends + (not last.endswith(b"\n"))


def refuse_alike(names: Sequence[str], where: str) -> None:
    """Refuse names that are empty, equal, or equal but for upper and lower case.

    Databases and data frames do not agree on whether `Age` and `age` are one column.
    """
    seen: dict[str, int] = {}
    for j, name in enumerate(names):
        if not name:
            raise BadInput(f"{where}: column {j + 1} has no name")
        other = seen.get(name.casefold())
        if other is not None:
            but = "" if names[other] == name else " but for upper and lower case"
            raise BadInput(
                f"{where}: columns {other + 1} and {j + 1} have the same name{but}; rename one",
                [names[other], name],
            )
        seen[name.casefold()] = j
