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
    else (nanoseconds too) is what a cast to text gives.
    """
    if kind.startswith("TIMESTAMP") and not kind.endswith("NS"):
        return f"CAST(epoch_us({expression}) AS VARCHAR)"
    if kind in ("FLOAT", "DOUBLE"):
        return f"printf('%.17g', CAST({expression} AS DOUBLE))"
    return f"CAST({expression} AS VARCHAR)"


def row_text(columns: Iterable[tuple[str, str]], before: str = "''") -> str:
    """Canonical text of a whole row, behind another text; columns: (expression, type).

    Each value follows its length and a colon, so that no two rows run together; of a missing
    value there is the colon alone.
    """
    texts = [canonical(expression, kind) for expression, kind in columns]
    fields = [f"strlen({text}), ':', {text}" for text in texts]
    return f"concat({', '.join([before, *fields])})"
