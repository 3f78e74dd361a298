"""Small pieces that several sections have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from sfumato.html import Markup, joined, tag
from sfumato.html.page import NONE, cut
from sfumato.report.publishers_word import HIS_WORD
from sfumato.text import count, told_apart

Document = Mapping[str, Any]

OPTION = re.compile(r"(--?[a-z][\w-]*|\w+=)")  # of a command line, or of Python


def chart_place(place: str, said: str) -> Markup:
    """Leave room for a chart, and say in words what it shows."""
    return tag("div", id=place, class_="chart", role="img", aria_label=said)


def legend(*entries: tuple[str, str]) -> Markup:
    """Say which mark is what."""
    marks = [tag("span", tag("i", class_=f"mark {kind}"), text) for kind, text in entries]
    return tag("p", *marks, class_="legend")


def as_table(content: Markup) -> Markup:
    """Hide the numbers of a chart behind a line, until somebody opens it or prints the page."""
    return tag("details", tag("summary", "The same as a table"), content)


def names(each: Iterable[object], between: str = ", ") -> str:
    """Write names one after the other, cut where they would fill a page."""
    return told_apart(map(cut, each), between)


def told_by_publisher(document: Document) -> list[str]:
    """Name what was not tried here: findings that are the publisher's word."""
    return [each["name"] for each in document["findings"] if each["note"] == HIS_WORD]


def unbroken(text: str) -> Markup:
    """Write text in which options are not parted at their dashes.

    >>> unbroken("give one (external=, --external)")
    'give one (<span class="unbroken">external=</span>, <span class="unbroken">--external</span>)'
    """
    parts = OPTION.split(text)
    return joined(
        tag("span", part, class_="unbroken") if j % 2 else part for j, part in enumerate(parts)
    )


def counted_or_none(number: int | None) -> str:
    """Write a number, or that there is none."""
    return NONE if number is None else count(number)


def cell(value: object) -> str:
    """Write a value of a cell."""
    return "missing" if value is None else cut(value)


def badge(kind: str, text: str) -> Markup:
    """Write a verdict: kept, broken or open."""
    signs = {"kept": "✓", "broken": "✗", "open": "–"}
    return tag("span", f"{signs[kind]} {text}", class_=f"badge {kind}")
