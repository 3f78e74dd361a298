"""DuckDB's types: which can be counted, which Python takes as they are, how values are cleaned."""

from __future__ import annotations

import re

import duckdb

from sfumato.engines.arrow import uncountable
from sfumato.engines.duckdb.csv_text import undone

_NUMBERS = r"(U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL\(.*\))$"
PLAIN = re.compile(rf"(VARCHAR|BOOLEAN|DATE)$|{_NUMBERS}")  # Python takes them as they are
COUNTABLE = re.compile(rf"(VARCHAR|BOOLEAN|DATE|TIME[^\[]*|UUID)$|{_NUMBERS}")
LIST = re.compile(r"(.+)\[\d*\]$")
REALS_INSIDE = re.compile(r"(?=STRUCT\(|.*\]$).*(FLOAT|DOUBLE)", re.DOTALL)  # a list or a struct
SAFE_IN_CSV = re.compile(rf"(BOOLEAN|DATE|TIME.*|UUID)$|{_NUMBERS}")  # no spreadsheet runs them

# What a kind of values is called in DuckDB: so texts of a CSV file are sorted that were no texts.
SORTED_AS = {
    "integer": "HUGEINT",
    "real": "DOUBLE",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "timestamp": "TIMESTAMP",
}
KINDS = [
    (r"VARCHAR$", "text"),
    (r"U?(TINY|SMALL|BIG|HUGE)INT$|U?INTEGER$", "integer"),
    (r"(FLOAT|DOUBLE)$", "real"),
    (r"(BOOLEAN|DATE|TIME|UUID)$", None),
    (r"TIMESTAMP_NS$", "nanoseconds"),
    (r"TIMESTAMP", "timestamp"),
    (r"DECIMAL", None),
]


def named_kind(kind: str) -> str:
    """Name what a type holds as other engines do, too.

    >>> [named_kind(kind) for kind in ("BIGINT", "DECIMAL(9,2)", "TIMESTAMP_S", "INTEGER[]")]
    ['integer', 'decimal(9,2)', 'timestamp', 'other']
    """
    for pattern, name in KINDS:
        if re.match(pattern, kind) and not LIST.match(kind):
            return kind.lower() if name is None else name
    return "other"


def sorted_as(kind: str) -> str | None:
    """Give the type that has the order of a kind of values; None: there is none."""
    return kind.upper() if kind.startswith("decimal") else SORTED_AS.get(kind)


def refuse_uncountable(column: str, kind: str) -> None:
    """Refuse a column whose values cannot be counted."""
    if not COUNTABLE.match(kind):
        raise uncountable(column, kind)


def kind_of(written: str) -> str:
    """Name a type without the values of an ENUM: those are text."""
    if written.startswith(("ENUM", '"NULL"')):
        return "VARCHAR" + written[len(written.rstrip("[0123456789]")) :]
    return written


def labelled(value: str, kind: str, ends: str = "") -> str:
    """Give SQL for a value as Python takes it: itself, or its text; ends: `[]` of a list."""
    if kind == "FLOAT":  # as written: 0.1, not the nearest float of 64 bits
        return f"CAST({value}::VARCHAR{ends} AS DOUBLE{ends})"
    return value if PLAIN.match(kind) else f"CAST({value} AS VARCHAR{ends})"


def cleaned(column: str, kind: str, *, defused: bool) -> str:
    """Give SQL for a value of the source; defused: without the apostrophe of a CSV file of ours."""
    if kind in ("FLOAT", "DOUBLE"):  # not a number: missing; and there is only one zero
        return f"CASE WHEN {column} = 0 THEN 0::{kind} ELSE nullif({column}, 'NaN'::{kind}) END"
    if kind.startswith(("ENUM", '"NULL"')):
        return f"CAST({column} AS {kind_of(kind)})"
    if defused and kind == "VARCHAR":
        return undone(column)
    return _cleaned_inside(column, kind) if REALS_INSIDE.match(kind) else column


def _cleaned_inside(value: str, kind: str) -> str:
    """Give SQL for a list or a struct, of the same type, in which every value is cleaned."""
    try:
        children = duckdb.sqltype(kind).children
    except duckdb.Error:  # fields without names, or told apart by case alone: no SQL names the type
        return value
    if LIST.match(kind):
        each = cleaned("x", str(children[0][1]), defused=False)
        return f"CAST(list_transform({value}, lambda x: {each}) AS {kind})"
    fields = [
        cleaned(f"struct_extract_at({value}, {j})", str(child), defused=False)
        for j, (_, child) in enumerate(children, 1)
    ]
    return f"CASE WHEN {value} IS NOT NULL THEN CAST(row({', '.join(fields)}) AS {kind}) END"
