"""SQL text: quoting."""

from __future__ import annotations

import re
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
