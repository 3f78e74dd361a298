"""Fields of a CSV file: how they are read, and written so that no spreadsheet runs one.

A text field that a spreadsheet would run as a formula gets a leading apostrophe, and so does one
that has an apostrophe already: so the mark can be taken off again. Numbers are no formulas.
"""

from __future__ import annotations

from pathlib import Path

from sfumato.engines import sql
from sfumato.engines.csv_header import Header

FORMULA = r"^[=+\-@\t\r'']"
NUMBER = r"^[+\-]?(\d+(\.\d*)?|\.\d+)([eE][+\-]?\d+)?$"


def reading_csv(path: Path, header: Header) -> str:
    """Read everything as text; an empty field is missing, a quoted empty field is empty."""
    columns = ", ".join(f"'v{j}': 'VARCHAR'" for j in range(len(header.columns)))
    return (
        f"read_csv({sql.path(path)}, columns = {{{columns}}}, auto_detect = false, "
        "compression = 'none', hive_partitioning = false, header = false, skip = 1, "
        f"delim = {sql.text(header.delimiter)}, quote = '\"', escape = '\"', nullstr = '', "
        "allow_quoted_nulls = false, null_padding = false, strict_mode = true)"
    )


def as_text(value: str) -> str:
    """Give SQL for a value's text."""
    return f"CAST({value} AS VARCHAR)"


def defused(value: str) -> str:
    """Give SQL for a value's text that no spreadsheet runs."""
    text = as_text(value)
    return (
        f"CASE WHEN regexp_matches({text}, '{FORMULA}') AND NOT regexp_matches({text}, '{NUMBER}') "
        f"THEN '''' || {text} ELSE {text} END"
    )
