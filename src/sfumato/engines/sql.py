"""SQL text: quoting, and the canonical text of a row."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path


def name(identifier: str) -> str:
    """Quote an identifier.

    >>> name('a"b')
    '"a""b"'
    """
    return '"' + identifier.replace('"', '""') + '"'


def text(value: object) -> str:
    """Quote a string literal.

    >>> text("it's")
    "'it''s'"
    """
    return "'" + str(value).replace("'", "''") + "'"


def path(value: Path) -> str:
    """Quote a path for a function that would otherwise read it as a pattern.

    >>> path(Path("/data/d[1]*.csv"))
    "'/data/d[[]1][*].csv'"
    """
    return text(re.sub(r"([\[*?])", r"[\1]", str(value)))


def canonical(expression: str, kind: str) -> str:
    """Text of a value that is the same in every engine, for keyed hashing.

    Timestamps are microseconds since 1970 (UTC), floats have 17 significant digits, everything
    else (nanoseconds too) is what a cast to text gives; each value carries its length, so that
    no two rows run together, and a missing value differs from an empty one.
    """
    if kind.startswith("TIMESTAMP") and not kind.endswith("NS"):
        written = f"CAST(epoch_us({expression}) AS VARCHAR)"
    elif kind in ("FLOAT", "DOUBLE"):
        written = f"printf('%.17g', CAST({expression} AS DOUBLE))"
    else:
        written = f"CAST({expression} AS VARCHAR)"
    return f"coalesce(strlen({written}) || ':' || {written}, '-')"


def row_text(columns: Iterable[tuple[str, str]]) -> str:
    """Canonical text of a whole row; columns: (expression, type)."""
    return " || ".join(canonical(expression, kind) for expression, kind in columns) or "''"
