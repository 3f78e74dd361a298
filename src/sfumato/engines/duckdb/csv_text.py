"""Fields of a CSV file: how they are read, and written so that no spreadsheet runs one.

What a spreadsheet would run as a formula gets a leading apostrophe, wherever a cell may begin: at
the beginning of a text field, of a line in it, and after a semicolon, a tab or a bar, before what
it passes over; so does what has an apostrophe there already: so the marks can be taken off again.
Numbers are no formulas.
"""

from __future__ import annotations

from sfumato.engines import sql
from sfumato.engines.csv_formulas import CELL, FORMULA
from sfumato.engines.csv_header import Header

NUMBER = r"^[+\-]?(\d+(\.\d*)?|\.\d+)([eE][+\-]?\d+)?$"


def reading_csv(file: str, header: Header, quote: str = '"') -> str:
    """Read everything as text; an empty field is missing, a quoted empty field is empty.

    Where no row can be found from the middle of a file (see `csv_quotes`), it is read from its
    beginning. file: as SQL has it; quote: what stands around fields, or nothing.
    """
    columns = ", ".join(f"'v{j}': 'VARCHAR'" for j in range(len(header.columns)))
    return (
        f"read_csv({file}, columns = {{{columns}}}, auto_detect = false, "
        "compression = 'none', hive_partitioning = false, header = false, skip = 1, "
        f"delim = {sql.text(header.delimiter)}, quote = {sql.text(quote)}, "
        f"escape = {sql.text(quote)}, nullstr = '', "
        "allow_quoted_nulls = false, null_padding = false, strict_mode = true, "
        f"parallel = {str(not header.in_order).lower()})"
    )


def as_text(value: str) -> str:
    """Give SQL for a value's text."""
    return f"CAST({value} AS VARCHAR)"


def defused(value: str) -> str:
    """Give SQL for a value's text that no spreadsheet runs."""
    text = as_text(value)
    marked = f"regexp_replace({text}, '{CELL}({FORMULA}|'')', '\\1''\\2', 'g')"
    marked = f"regexp_replace({marked}, '^([\t\r])', '''\\1')"
    return f"CASE WHEN regexp_matches({text}, '{NUMBER}') THEN {text} ELSE {marked} END"


def undone(text: str) -> str:
    """Give SQL for a text without the apostrophes that `defused` gave it; few texts have any."""
    without = f"regexp_replace({text}, '{CELL}''', '\\1', 'g')"
    return f"CASE WHEN contains({text}, '''') THEN {without} ELSE {text} END"
