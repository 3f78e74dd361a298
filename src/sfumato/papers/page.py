"""A reproduction as one page that opens offline, with the same means as a report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sfumato.html import Markup, tag
from sfumato.papers.reproduction import Chart, Panel, Reproduction
from sfumato.report.charts import bare_layout, label
from sfumato.report.page import offline
from sfumato.report.sections import chart_place, data_table, section

COLOURS = ("#4b7fc0", "#2c9183", "#cf4a3c", "#b08a35", "#7d63b8", "#8b939e", "#3f9fb0", "#a8567a")
HEIGHT = 320


def page(found: Reproduction) -> str:
    """Write the page."""
    drawn = {
        _place(number): figure(panel.chart)
        for number, panel in enumerate(found.panels)
        if panel.chart is not None
    }
    return offline(f"{found.paper} · sfumato", _sections(found), drawn)


def _place(number: int) -> str:
    return f"chart-{number}"


def _sections(found: Reproduction) -> Iterator[Markup]:
    yield tag(
        "header",
        tag("p", "A paper's tables and figures, ours beside theirs", class_="eyebrow"),
        tag("h1", found.paper),
        tag("p", found.citation, class_="lead"),
        tag("p", f"{found.heading}."),
    )
    for number, panel in enumerate(found.panels):
        yield section(panel.title, *_panel(_place(number), panel))
    yield tag(
        "footer",
        f"Made by sfumato: sfumato reproduce {found.paper}{' --quick' if found.quick else ''}. "
        f"This page is one file and asks nothing of any network. The same in numbers: "
        f"{found.paper}.json.",
    )


def _panel(place: str, panel: Panel) -> Iterator[Markup]:
    if panel.remark:
        yield tag("p", panel.remark)
    if panel.chart is not None:
        yield _legend(panel.chart)
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
                tag("span", "agrees", class_="badge kept")
                if claim.agrees
                else tag("span", "differs", class_="badge broken"),
            ]
            for claim in panel.claims
        ]
        yield data_table(("the paper says", "what comes out", ""), rows)


def _legend(chart: Chart) -> Markup:
    marks = [
        tag("span", tag("i", class_="mark", style=f"background: {colour}"), name)
        for name, colour in zip(chart.series, _colours(chart), strict=True)
    ]
    return tag("p", *marks, tag("span", f"{chart.y}, over {chart.x}"), class_="legend")


def _colours(chart: Chart) -> list[str]:
    return [COLOURS[j % len(COLOURS)] for j in range(len(chart.series))]


def figure(chart: Chart) -> dict[str, Any]:
    """Draw a chart, as Plotly's own plain description of a figure."""
    data = []
    for (name, values), colour in zip(chart.series.items(), _colours(chart), strict=True):
        texts = [
            None if y is None else label(f"{name}, {x:g}: {y:.4g}")
            for x, y in zip(chart.places, values, strict=True)
        ]
        drawn = {
            "x": [*chart.places],
            "y": [*values],
            "hovertext": texts,
            "hoverinfo": "text",
            "marker": {"color": colour, "size": 8},
        }
        look = (
            {"type": "bar"}
            if chart.kind == "bars"
            else {"type": "scatter", "mode": "lines+markers", "line": {"color": colour, "width": 2}}
        )
        data.append(drawn | look)
    layout = bare_layout(HEIGHT)
    layout["xaxis"] |= {"tickvals": [*chart.places]}
    layout["yaxis"] |= {
        "showticklabels": True,
        "showgrid": True,
        "rangemode": "tozero",
        "automargin": True,
        "nticks": 6,
    }
    return {"data": data, "layout": layout}
