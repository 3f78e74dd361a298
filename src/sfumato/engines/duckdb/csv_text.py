"""Fields of a CSV file: how they are read, and written so that no spreadsheet runs one.

A text field that a spreadsheet would run as a formula gets a leading apostrophe, and so does one
that has an apostrophe already: so the mark can be taken off again. Numbers are no formulas.
"""

from __future__ import annotations

from sfumato.engines import sql
from sfumato.engines.csv_header import Header

FORMULA = r"^[=+\-@\t\r'']"
NUMBER = r"^[+\-]?(\d+(\.\d*)?|\.\d+)([eE][+\-]?\d+)?$"


def reading_csv(file: str, header: Header) -> str:
    """Read everything as text; an empty field is missing, a quoted empty field is empty.

    Where fields go over several lines no row can be found from the middle of a file, so it is read
    from its beginning. file: quoted.
    """
    columns = ", ".join(f"'v{j}': 'VARCHAR'" for j in range(len(header.columns)))
    return (
        f"read_csv({file}, columns = {{{columns}}}, auto_detect = false, "
        "compression = 'none', hive_partitioning = false, header = false, skip = 1, "
        f"delim = {sql.text(header.delimiter)}, quote = '\"', escape = '\"', nullstr = '', "
        "allow_quoted_nulls = false, null_padding = false, strict_mode = true, "
        f"parallel = {str(not header.goes_over_lines).lower()})"
    )


def as_text(value: str) -> str:
    """Give SQL for a value's text."""
    return f"CAST({value} AS VARCHAR)"


def undone(text: str) -> str:
    """Give SQL for a text without the apostrophe that `defused` gave it."""
    return f"CASE WHEN {text}[1] = '''' THEN {text}[2:] ELSE {text} END"


def defused(value: str) -> str:
    """Give SQL for a value's text that no spreadsheet runs."""
    text = as_text(value)
    return (
        f"CASE WHEN regexp_matches({text}, '{FORMULA}') AND NOT regexp_matches({text}, '{NUMBER}') "
        f"THEN '''' || {text} ELSE {text} END"
    )
