"""HTML that cannot be broken by what stands in it: text is escaped unless it was made here."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

from sfumato.errors import one_line

VOID = {"br", "hr", "meta"}


class Markup(str):
    """Text that is HTML already; everything else is escaped before it becomes a part of it."""

    __slots__ = ()


def escaped(content: object) -> Markup:
    r"""Give content as HTML; control characters are written as their escapes.

    >>> escaped("<b>"), escaped(Markup("<b>")), escaped("a\0b")
    ('&lt;b&gt;', '<b>', 'a\\x00b')
    """
    return content if isinstance(content, Markup) else Markup(html.escape(one_line(str(content))))


def tag(name: str, *content: object, **attributes: object) -> Markup:
    """Write an element; `class_` is the attribute class, `data_label` is data-label.

    >>> tag("p", "1 < 2 ", tag("b", "&"), class_="note")
    '<p class="note">1 &lt; 2 <b>&amp;</b></p>'
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{html.escape(one_line(str(value)))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in VOID:
        return Markup(f"<{name}{written}>")
    return Markup(f"<{name}{written}>{joined(content)}</{name}>")


def joined(content: Iterable[object]) -> Markup:
    """Put pieces one after the other."""
    return Markup("".join(map(escaped, content)))


def html_table(
    header: Sequence[object], rows: Iterable[Sequence[object]], caption: str | None = None
) -> Markup:
    """Write a table for a notebook; header, cells and caption are text, whatever they hold.

    >>> html_table(["column", "people"], [["<b>", 3]])
    '<table><tr><th>column</th><th>people</th></tr><tr><td>&lt;b&gt;</td><td>3</td></tr></table>'
    """
    above = "" if caption is None else tag("caption", caption)
    return tag("table", above, _row("th", header), *(_row("td", row) for row in rows))


def _row(name: str, cells: Sequence[object]) -> Markup:
    return tag("tr", *(tag(name, cell) for cell in cells))
