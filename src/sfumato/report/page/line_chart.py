"""Lines, steps or bars over the same places, with their legend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sfumato.html import Markup, tag
from sfumato.report.page.charts import bare_layout, label
from sfumato.text import value_text

COLOURS = ("#4b7fc0", "#2c9183", "#cf4a3c", "#b08a35", "#7d63b8", "#8b939e", "#3f9fb0", "#a8567a")
HEIGHT = 320
TICKS = 6
TICKS_BELOW = 10
SHAPES = {"lines": "linear", "steps": "hvh"}  # a step is half-way, where no number of facts is


@dataclass(frozen=True)
class Chart:
    """Lines, steps or bars over the same places; steps change half-way between these."""

    kind: Literal["lines", "steps", "bars"]
    x: str
    y: str
    places: tuple[float, ...]
    series: Mapping[str, Sequence[float | None]]


def legend(chart: Chart) -> Markup:
    """Say which colour is what."""
    marks = [
        tag("span", tag("i", class_="mark", style=f"background: {colour}"), name)
        for name, colour in zip(chart.series, _colours(chart), strict=True)
    ]
    return tag("p", *marks, tag("span", f"{chart.y}, over {chart.x}"), class_="legend")


def _colours(chart: Chart) -> list[str]:
    return [COLOURS[j % len(COLOURS)] for j in range(len(chart.series))]


def _whole_steps(places: Sequence[float]) -> dict[str, Any]:
    """Mark whole numbers that are not too close to each other, with room for points at the ends."""
    step = max(1, -(-round(max(places)) // TICKS_BELOW))
    margin = max(0.5, max(places) / 40)
    return {
        "tickvals": [place for place in places if round(place) % step == 0],
        "range": [-margin, max(places) + margin],
    }


def figure(chart: Chart) -> dict[str, Any]:
    """Draw a chart, as Plotly's own plain description of a figure."""
    data = []
    for (name, values), colour in zip(chart.series.items(), _colours(chart), strict=True):
        texts = [
            None if y is None else label(f"{name}, {value_text(x)}: {value_text(y)}")
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
            else {
                "type": "scatter",
                "mode": "lines+markers",
                "line": {"color": colour, "width": 2, "shape": SHAPES[chart.kind]},
                "connectgaps": chart.kind == "lines",  # where one of the lines has no number
                "cliponaxis": False,  # points at an end are whole
            }
        )
        data.append(drawn | look)
    layout = bare_layout(HEIGHT)
    layout["xaxis"] |= {"tickvals": [*chart.places]}
    if chart.kind == "steps":
        layout["xaxis"] |= _whole_steps(chart.places)
    layout["yaxis"] |= {
        "showticklabels": True,
        "showgrid": True,
        "rangemode": "tozero",
        "automargin": True,
        "nticks": TICKS,
    }
    numbers = [y for values in chart.series.values() for y in values if y is not None]
    if chart.kind == "steps":  # points on the ground are not over the numbers below it
        highest = max(numbers, default=0) or 1
        layout["yaxis"]["range"] = [-highest / 10, highest * 1.1]
    if all(isinstance(y, int) for y in numbers):  # no ticks between whole numbers
        layout["yaxis"]["dtick"] = max(1, -(-max(numbers, default=1) // TICKS))
    return {"data": data, "layout": layout}
