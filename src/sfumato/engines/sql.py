"""SQL text: quoting."""

from __future__ import annotations


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
