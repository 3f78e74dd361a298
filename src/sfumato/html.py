"""HTML for notebooks: plain tables in which nothing of a cell is read as markup."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def html_table(
    header: Sequence[object], rows: Iterable[Sequence[object]], caption: str | None = None
) -> str:
    """Write a table; header, cells and caption are text, whatever they hold.

    >>> html_table(["column", "people"], [["<b>", 3]])
    '<table><tr><th>column</th><th>people</th></tr><tr><td>&lt;b&gt;</td><td>3</td></tr></table>'
    """
    above = "" if caption is None else f"<caption>{escape(caption)}</caption>"
    lines = [_row("th", header), *(_row("td", row) for row in rows)]
    return f"<table>{above}{''.join(lines)}</table>"


def _row(tag: str, cells: Sequence[object]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(str(cell))}</{tag}>' for cell in cells)}</tr>"
