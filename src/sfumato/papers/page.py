"""A reproduction as one page that opens offline, with the same means as a report."""

from __future__ import annotations

from collections.abc import Iterator

from sfumato.html import Markup, tag
from sfumato.html.page import data_table, section
from sfumato.papers.reproduction import Panel, Reproduction
from sfumato.report.page import offline
from sfumato.report.page.line_chart import figure, legend
from sfumato.report.page.pieces import chart_place


def page(reproduction: Reproduction) -> str:
    """Write the page."""
    drawn = {
        _place(number): figure(panel.chart)
        for number, panel in enumerate(reproduction.panels)
        if panel.chart is not None
    }
    return offline(f"{reproduction.paper} · sfumato", _sections(reproduction), drawn)


def _place(number: int) -> str:
    return f"chart-{number}"


def _sections(reproduction: Reproduction) -> Iterator[Markup]:
    yield tag(
        "header",
        tag("p", "A paper's tables and figures, ours beside theirs", class_="eyebrow"),
        tag("h1", reproduction.paper),
        tag("p", reproduction.citation, class_="lead"),
        tag("p", f"{reproduction.heading}."),
    )
    for number, panel in enumerate(reproduction.panels):
        yield section(panel.title, *_panel(_place(number), panel))
    yield tag(
        "footer",
        f"Made by sfumato: sfumato reproduce {reproduction.paper}"
        f"{' --quick' if reproduction.quick else ''}. "
        f"This page is one file and asks nothing of any network. The same in numbers: "
        f"{reproduction.paper}.json.",
    )


def _panel(place: str, panel: Panel) -> Iterator[Markup]:
    if panel.remark:
        yield tag("p", panel.remark)
    if panel.chart is not None:
        yield legend(panel.chart)
        yield chart_place(place, f"{panel.chart.y} over {panel.chart.x}")
    numbers = [
        j
        for j in range(len(panel.header))
        if all(not isinstance(row[j], str) for row in panel.rows)
    ]
    yield data_table(panel.header, panel.texts, numbers=numbers)
    if panel.claims:
        rows = [
            [
                claim.paper,
                claim.ours,
                tag("span", "open", class_="badge")
                if claim.agrees is None
                else tag("span", "agrees", class_="badge kept")
                if claim.agrees
                else tag("span", "differs", class_="badge broken"),
            ]
            for claim in panel.claims
        ]
        yield data_table(("the paper says", "what comes out", ""), rows)
