"""A page that opens alone and offline: its looks, and the pieces that all pages have."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from importlib.resources import files
from string import Template

from sfumato.html import Markup, escaped, tag

LONGEST_CELL = 160  # characters of a value
NONE = "–"
NOTHING = "'none'"  # in the language of policies


def alone(
    title: str,
    content: Iterable[str],
    *,
    kind: str = "public",
    banner: str = "",
    scripts: Sequence[str] = (),
    data: str = "",
) -> str:
    """Write a page that asks nothing of any network; `data`: what its scripts read, as markup."""
    return Template(_own("page.html")).substitute(
        policy=escaped(_policy(scripts)),
        title=escaped(title),
        style=_own("page.css"),
        kind=kind,
        banner=banner,
        content="\n".join(content),
        scripts="\n".join([data, *(f"<script>{script}</script>" for script in scripts)]),
    )


def _policy(scripts: Sequence[str]) -> str:
    """Let the browser run these scripts and no other, and ask nobody for anything."""
    digests = [hashlib.sha256(script.encode()).digest() for script in scripts]
    named = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    return (
        f"default-src 'none'; script-src {named or NOTHING}; "
        "style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def _own(name: str) -> str:
    return (files("sfumato.html") / name).read_text(encoding="utf-8")


# ------------------------------------------------------------------------------------------ pieces


def facts_list(facts: Sequence[tuple[str, object]]) -> Markup:
    """Write names and what is said of them, below each other."""
    rows = [tag("div", tag("dt", name), tag("dd", said)) for name, said in facts]
    return tag("dl", *rows, class_="facts") if rows else Markup("")


def section(title: str, *content: object, place: str | None = None) -> Markup:
    """Write a section under its title; place: by which name it is linked to."""
    return tag("section", tag("h2", title), *content, id=place)


def key_figures(figures: Sequence[tuple[str, object]]) -> Markup:
    """Write the few numbers that stand at the top of a page."""
    return tag(
        "dl", *(tag("div", tag("dt", n), tag("dd", v)) for n, v in figures), class_="figures"
    )


def data_table(
    header: Sequence[str],
    rows: Sequence[Sequence[object]],
    *,
    numbers: Sequence[int] = (),
    words: Sequence[int] = (),
) -> Markup:
    """Write a table; on a narrow page each row becomes a card, so cells carry their column.

    Columns of numbers are set flush right; these and columns of our own words are not broken
    inside a word, as names and values may be.
    """
    special = dict.fromkeys(numbers, "number") | dict.fromkeys(words, "words")
    kinds = [special.get(j) for j in range(len(header))]
    head = tag("tr", *(tag("th", n, class_=k) for n, k in zip(header, kinds, strict=True)))
    body = [
        tag(
            "tr",
            *(
                tag("td", tag("div", cell), class_=_classes(kind, cell), data_label=name)
                for name, kind, cell in zip(header, kinds, row, strict=True)
            ),
        )
        for row in rows
    ]
    return tag("table", tag("thead", head) if any(header) else "", tag("tbody", *body))


def _classes(kind: str | None, cell: object) -> str | None:
    return " ".join([*([kind] if kind else []), *(["empty"] if cell == NONE else [])]) or None


def shortened(text: str, most: int) -> str:
    """Shorten a text that stands whole below, between clauses or words.

    >>> shortened("Not run: no list; give one (--external).", 30)
    'Not run: no list; …'
    >>> shortened("one word after another", 12), shortened("short", 9)
    ('one word …', 'short')
    """
    if len(text) <= most:
        return text
    start = text[: most - 1]
    ends = [start.rfind(mark) + 1 for mark in ("; ", ". ", ": ")]
    end = max(ends) if max(ends) > most // 3 else start.rfind(" ")
    return f"{start[:end].rstrip()} …" if end > 0 else f"{start}…"


def cut(value: object, most: int = LONGEST_CELL) -> str:
    """Shorten a value that would fill a page."""
    text = str(value)
    return text if len(text) <= most else f"{text[: most - 1]}…"
