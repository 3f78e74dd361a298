"""The charts of a report, as Plotly's own plain description of a figure.

Colours of text and lines come from the page's style sheet, so that light, dark and paper look
right without drawing anew; only the marks have colours here, and these suit all three. Labels stand
above their marks, so that a narrow page has room for both.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from sfumato.errors import one_line
from sfumato.text import count, percent, percent_lost

BEFORE, PROMISED = "#8b939e", "#4b7fc0"
KEPT, BROKEN, OPEN = "#2c9183", "#cf4a3c", "#b08a35"
ORIGINAL, PUBLISHED = "#8b939e", "#2c9183"
LONGEST_LABEL = 44  # characters that fit a narrow page
ROW = 54  # pixels of a labelled row
WITH_NUMBERS = 70  # of one with its numbers under the label
MOST_BARS = 12
ROOM = 1.18  # of an axis, so that numbers stand beside the longest bar
CLEAR = "rgba(0,0,0,0)"

Figure = dict[str, Any]


def label(text: object) -> str:
    """Write text for Plotly, which reads some tags and entities.

    >>> label("<b>R&D</b>")
    '&lt;b&gt;R&amp;D&lt;/b&gt;'
    """
    line = one_line(str(text))
    short = line if len(line) <= LONGEST_LABEL else f"{line[: LONGEST_LABEL - 1]}…"
    return html.escape(short, quote=False)  # Plotly knows no entity for a quotation mark


def figures(document: Mapping[str, Any]) -> dict[str, Figure]:
    """Draw every chart that a report has something to show for, by the place it goes to."""
    drawn: dict[str, Figure] = {}
    on_scale = [each for each in document["findings"] if on_the_scale(each)]
    if on_scale:
        drawn["chart-beliefs"] = beliefs(on_scale)
    steward = document.get("steward")
    if steward and steward["loss"]:
        drawn["chart-loss"] = loss(steward["loss"]["attributes"])
    for j, each in enumerate(steward["distributions"] if steward else ()):
        drawn[f"chart-distribution-{j}"] = distribution(each)
    return drawn


def on_the_scale(finding: Mapping[str, Any]) -> bool:
    """Whether a finding is a number from 0 to 1, and can stand beside others of that kind."""
    return bool(finding["probability"]) and all(
        isinstance(finding[key], (int, float)) for key in ("before", "found")
    )


def beliefs(findings: Sequence[Mapping[str, Any]]) -> Figure:
    """Draw belief before, promised and found, one line for each finding."""
    rows = range(len(findings))
    lines: dict[str, list[Any]] = {"x": [], "y": []}
    for row, finding in zip(rows, findings, strict=True):
        lines["x"] += [finding["before"], finding["found"], None]
        lines["y"] += [row, row, None]
    bounded = [
        (row, finding)
        for row, finding in zip(rows, findings, strict=True)
        if finding["promised"] and isinstance(finding["promised"]["value"], (int, float))
    ]
    colours = {True: KEPT, False: BROKEN, None: OPEN}
    marker = {
        "color": [colours[finding["holds"]] for finding in findings],
        "size": 13,
        "line": {"width": 0},
    }
    data = [
        _marks(lines["x"], lines["y"], None, mode="lines", line={"color": BEFORE, "width": 2}),
        _marks(
            [finding["promised"]["value"] for _, finding in bounded],
            [row for row, _ in bounded],
            [f"promised: {finding['shown']['promised']}" for _, finding in bounded],
            marker={
                "symbol": "line-ns-open",
                "size": 18,
                "color": PROMISED,
                "line": {"width": 3, "color": PROMISED},
            },
        ),
        _marks(
            [finding["before"] for finding in findings],
            [*rows],
            [f"before: {finding['shown']['before']}" for finding in findings],
            marker={"symbol": "circle-open", "size": 11, "color": BEFORE, "line": {"width": 2.5}},
        ),
        _marks(
            [finding["found"] for finding in findings],
            [*rows],
            [f"found: {finding['shown']['found']}" for finding in findings],
            marker=marker,
        ),
    ]
    numbers = [
        f"found {shown['found']}, promised {shown['promised']}, before {shown['before']}"
        for shown in (finding["shown"] for finding in findings)
    ]
    return {"data": data, "layout": _rows_layout([each["name"] for each in findings], numbers)}


def loss(attributes: Sequence[Mapping[str, Any]]) -> Figure:
    """Draw what a row has lost on average in each quasi-identifier."""
    bars = _bars(
        [each["loss"] for each in attributes],
        [f"{percent_lost(each['loss'])} lost" for each in attributes],
        PROMISED,
        width=0.3,
        offset=-0.02,
        numbers=[percent_lost(each["loss"]) for each in attributes],
    )
    layout = _rows_layout([each["name"] for each in attributes])
    layout["xaxis"]["range"] = [0, ROOM]
    return {"data": [bars], "layout": layout}


def distribution(column: Mapping[str, Any]) -> Figure:
    """Draw the shares of a sensitive column's values, or bins, in the original and as published."""
    values = column["bins"] or column["values"][:MOST_BARS]
    data = []
    for key, colour, offset in (("original", ORIGINAL, -0.04), ("published", PUBLISHED, 0.2)):
        rows = column[f"rows_{key}"] or 1
        texts = [f"{key}: {count(each[key])} of {count(rows)}" for each in values]
        shares = [each[key] / rows for each in values]
        numbers = [percent(Fraction(each[key], rows)) for each in values]
        data.append(_bars(shares, texts, colour, width=0.2, offset=offset, numbers=numbers))
    layout = _rows_layout([_label_of(each) for each in values])
    largest = max((share for bars in data for share in bars["x"]), default=1)
    del layout["xaxis"]["tickvals"]
    layout["xaxis"] |= {"range": [0, (largest or 1) * ROOM], "nticks": 5}
    return {"data": data, "layout": layout}


def one_more_fact(beliefs: Sequence[tuple[str, float]], confidence: float) -> Figure:
    """Draw how sure one fact more of each kind makes somebody, beside what is too sure."""
    numbers = [percent(belief) for _, belief in beliefs]
    colours = [BROKEN if belief >= confidence else KEPT for _, belief in beliefs]
    bars = _bars(
        [belief for _, belief in beliefs],
        [f"{name}: {n}" for (name, _), n in zip(beliefs, numbers, strict=True)],
        KEPT,
        width=0.3,
        offset=-0.02,
        numbers=numbers,
    )
    bars["marker"] = {"color": colours}
    layout = _rows_layout([name for name, _ in beliefs])
    layout["xaxis"]["range"] = [0, ROOM]
    limit = {"color": PROMISED, "width": 3}
    layout["shapes"] = [
        {"type": "line", "x0": confidence, "x1": confidence, "yref": "paper", "y0": 0, "y1": 1}
        | {"line": limit}
    ]
    return {"data": [bars], "layout": layout}


def _label_of(each: Mapping[str, Any]) -> object:
    if "label" in each:
        return each["label"]
    return "missing" if each["value"] is None else each["value"]


def _with_numbers(numbers: list[str]) -> dict[str, Any]:
    """Write numbers at the ends of bars, so that paper has them, too."""
    return {
        "text": [*map(label, numbers)],
        "textposition": "outside",
        "textangle": 0,
        "cliponaxis": False,
        "constraintext": "none",
    }


def _marks(x: list[Any], y: list[Any], texts: list[str] | None, **look: Any) -> dict[str, Any]:
    hover = (
        {"hoverinfo": "skip"}
        if texts is None
        else {"hovertext": [*map(label, texts)], "hoverinfo": "text"}
    )
    return (
        {"type": "scatter", "mode": "markers", "cliponaxis": False, "x": x, "y": y} | hover | look
    )


def _bars(
    x: list[float],
    texts: list[str],
    colour: str,
    *,
    width: float,
    offset: float,
    numbers: list[str],
) -> dict[str, Any]:
    return {
        "type": "bar",
        "orientation": "h",
        "x": x,
        "y": [*range(len(x))],
        "hovertext": [*map(label, texts)],
        "hoverinfo": "text",
        "marker": {"color": colour},
        "width": width,
        "offset": offset,
        **_with_numbers(numbers),
    }


def _rows_layout(names: Sequence[object], numbers: Sequence[str] = ()) -> dict[str, Any]:
    """Lay out rows on a scale from nothing to all, each with its name above it.

    numbers: What stands under each name, in small letters.
    """
    layout = bare_layout(54 + (WITH_NUMBERS if numbers else ROW) * len(names))
    layout["yaxis"]["range"] = [len(names) - 0.55, -0.7]
    layout["xaxis"] |= {
        "range": [0, 1],
        "tickvals": [0, 0.25, 0.5, 0.75, 1],
        "tickformat": ".0%",
    }
    shift = 26 if numbers else 11
    layout["annotations"] = [_annotation(label(name), row, shift) for row, name in enumerate(names)]
    for row, text in enumerate(numbers):
        small = _annotation(html.escape(text, quote=False), row, 9)
        layout["annotations"].append(small | {"font": {"size": 11}})
    return layout


def _annotation(text: str, row: int, shift: int) -> dict[str, Any]:
    return {
        "text": text,
        "x": 0,
        "xref": "paper",
        "xanchor": "left",
        "y": row,
        "yanchor": "bottom",
        "xshift": -8,
        "yshift": shift,
        "borderpad": 1,
        "bgcolor": "#ffffff",  # the style sheet has the last word
        "showarrow": False,
        "align": "left",
        "captureevents": False,
    }


def bare_layout(height: int) -> dict[str, Any]:
    """Lay out a chart without anything that the style sheet has a say in."""
    return {
        "height": height,
        "autosize": True,
        "showlegend": False,
        "dragmode": False,
        "hovermode": "closest",
        "paper_bgcolor": CLEAR,
        "plot_bgcolor": CLEAR,
        "margin": {"l": 14, "r": 22, "t": 8, "b": 40},
        "font": {"size": 13, "family": "inherit"},
        "hoverlabel": {
            "bgcolor": "#22262b",
            "bordercolor": "#22262b",
            "font": {"color": "#ffffff", "size": 13},
        },
        "xaxis": {"fixedrange": True, "zeroline": False, "ticks": "", "automargin": True},
        "yaxis": {
            "fixedrange": True,
            "zeroline": False,
            "showgrid": False,
            "showticklabels": False,
        },
    }
