"""The report as one page that opens offline: everything it needs is inside the file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import Any

from sfumato.html import tag
from sfumato.html.page import alone
from sfumato.report.page.charts import figures
from sfumato.report.page.sections import sections

PRIVATE = "private: for the steward, not for publication"


def page(document: Mapping[str, Any]) -> str:
    """Write the page that shows a document."""
    private = document["private"]
    return offline(
        f"{document['heading']} · sfumato",
        sections(document),
        figures(document),
        kind="steward" if private else "public",
        banner=tag("div", tag("span", PRIVATE), class_="banner") if private else "",
    )


def offline(
    title: str,
    content: Iterable[str],
    drawn: Mapping[str, Any],
    *,
    kind: str = "public",
    banner: str = "",
) -> str:
    """Write a page that opens alone, with Plotly's figures by the place they go to."""
    return alone(
        title,
        content,
        kind=kind,
        banner=banner,
        scripts=(plotly_js(), _own("page.js")),
        data=f'<script type="application/json" id="figures">{as_script_data(drawn)}</script>',
    )


def plotly_js() -> str:
    """Give Plotly's JavaScript, which its package carries; it cannot end a script element."""
    path = files("plotly") / "package_data" / "plotly.min.js"
    return (
        path.read_text(encoding="utf-8").replace("</script", "<\\/script").replace("<!--", "<\\!--")
    )


def as_script_data(value: object) -> str:
    r"""Write JSON that is safe inside a script element.

    >>> as_script_data("</script>")
    '"\\u003c/script\\u003e"'
    """
    text = json.dumps(value, ensure_ascii=True, allow_nan=False)
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _own(name: str) -> str:
    return (files("sfumato.report.page") / name).read_text(encoding="utf-8")
