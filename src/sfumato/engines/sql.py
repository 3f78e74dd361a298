"""SQL text: quoting."""

from __future__ import annotations

from sfumato.address import quoted as name

__all__ = ["name", "text"]


def text(value: object) -> str:
    """Quote a string literal.

    >>> text("it's")
    "'it''s'"
    """
    return "'" + str(value).replace("'", "''") + "'"
