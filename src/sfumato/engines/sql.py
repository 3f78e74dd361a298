"""SQL text: quoting."""

from __future__ import annotations

from sfumato.address import quoted as name

__all__ = ["in_parts", "name", "repeated", "text"]

AT_ONCE = 4096  # times that a row is repeated by a list, which takes memory


def text(value: object) -> str:
    """Quote a string literal.

    >>> text("it's")
    "'it''s'"
    """
    return "'" + str(value).replace("'", "''") + "'"


def in_parts(rows: str) -> str:
    """Give SQL for rows that stand for n each as rows that stand for `AT_ONCE` at most."""
    return (
        f"SELECT * EXCLUDE (i) REPLACE (least(n - i, {AT_ONCE}) AS n) FROM "
        f"(SELECT *, unnest(range(0, n, {AT_ONCE})) AS i FROM {rows})"
    )


def repeated(rows: str) -> str:
    """Give SQL for every row n times, where n is at most `AT_ONCE`.

    >>> import duckdb
    >>> rows = "(VALUES ('a', 2), ('b', 1)) AS t(v, n)"
    >>> duckdb.sql(f"SELECT v FROM {repeated(rows)}").fetchall()
    [('a',), ('a',), ('b',)]
    """
    return f"(SELECT * EXCLUDE (n), unnest(range(n)) FROM {rows})"
