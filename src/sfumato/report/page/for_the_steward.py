"""The sections that only the steward may see."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from sfumato.html import Markup, escaped, tag
from sfumato.html.page import NONE, cut, data_table
from sfumato.report.page.charts import MOST_BARS
from sfumato.report.page.pieces import Document, as_table, cell, chart_place, legend, unbroken
from sfumato.text import count, counted, percent, percent_lost, told_apart, value_text


def for_the_steward(document: Document) -> Iterator[tuple[str, list[object]]]:
    """Write the sections, each with its key."""
    steward = document["steward"]
    if document["way_out"]:
        yield "way_out", [*_way_out(document["way_out"])]
    if steward["missing"]:
        yield "missing", [tag("ul", *(tag("li", unbroken(each)) for each in steward["missing"]))]
    yield "worst", [*_witnesses(document)]
    if steward["loss"]:
        yield "lost", [*_lost(steward["loss"])]
    if steward["distributions"]:
        parts = [p for j, each in enumerate(steward["distributions"]) for p in _values(j, each)]
        yield "values", [*parts]
    if steward["drivers"]:
        yield "drivers", [*_driven(steward["drivers"])]
    if steward["summary"]:
        rows = [(tag("b", name), text) for name, text in steward["summary"]["lines"]]
        yield "summary", [data_table(("", ""), rows, words=(0,))]


def _way_out(tried: Document) -> Iterator[Markup]:
    yield tag("p", tried["words"].removeprefix("Way out: "))
    if tried["job"]:
        yield tag("p", "In the job file that is:")
        yield tag("pre", "\n".join(tried["job"]))
    rows = [
        (
            tag("code", each["called"]),
            each["verdict"] or NONE,
            NONE if (loss := each["information_loss"]) is None else percent_lost(loss),
            count(each["tables"]),
            each["reason"] or "",
        )
        for each in tried["methods"]
    ]
    if rows:
        header = ("method", "audit", "information loss", "tables", "")
        yield data_table(header, rows, numbers=(2, 3), words=(1,))


def _driven(drivers: Document) -> Iterator[Markup]:
    yield tag("p", f"The original: {drivers['heading']}.")
    for each in drivers["tables"]:
        yield tag("h3", each["caption"])
        rows = [[cut(text) for text in row] for row in each["rows"]]
        numbers = tuple(range(1, len(each["header"])))
        yield data_table(tuple(each["header"]), rows, numbers=numbers)


def _witnesses(document: Document) -> Iterator[Markup]:
    yield tag(
        "p", "Witnesses: for each attack a group, as it is published, in which it succeeds best."
    )
    cards = []
    for each in document["findings"]:
        if "worst" not in each:
            continue
        items = [
            tag("div", tag("dt", key), tag("dd", _witness(value)))
            for key, value in each["worst"].items()
        ]
        cards.append(tag("article", tag("h3", each["name"]), tag("dl", *items), class_="card"))
    yield tag("div", *cards, class_="cards") if cards else tag("p", "No attack named anybody.")


def _witness(value: Any) -> Markup:
    """Write what a finding says of whom it strikes worst."""
    if isinstance(value, Mapping):
        return tag(
            "ul",
            *(
                tag("li", tag("span", f"{cut(k)} ", class_="faint"), cell(v))
                for k, v in value.items()
            ),
            class_="plain",
        )
    if isinstance(value, (list, tuple)):
        return escaped(told_apart(map(cell, value)))
    return escaped(value_text(value) if isinstance(value, float) else cell(value))


def _lost(loss: Mapping[str, Any]) -> Iterator[Markup]:
    yield tag(
        "p",
        f"A row has lost {percent_lost(loss['information_loss'])} of its information on "
        "average: 0% is a value as it was, 100% is one that could be anything. A suppressed "
        "row has lost all.",
    )
    yield chart_place("chart-loss", "Average loss of a row in each quasi-identifier")
    rows = [
        (tag("b", cut(each["name"])), percent_lost(each["loss"])) for each in loss["attributes"]
    ]
    yield as_table(data_table(("column", "loss"), rows, numbers=(1,)))


def _values(number: int, column: Mapping[str, Any]) -> Iterator[Markup]:
    bins = column["bins"]
    yield tag("h3", cut(column["attribute"]))
    shown = min(len(column["values"]), MOST_BARS)
    if bins:
        yield tag(
            "p",
            f"{counted(column['values_in_all'], 'different number')}, drawn in "
            f"{counted(len(bins), 'bin')} of one width.",
            class_="note",
        )
    elif column["values_in_all"] > shown:
        yield tag(
            "p",
            f"Of {counted(column['values_in_all'], 'value')} the {count(shown)} most frequent are "
            f"drawn, and {count(len(column['values']))} stand in the table.",
            class_="note",
        )
    yield legend(("original", "in the original"), ("kept-bar", "as published"))
    yield chart_place(
        f"chart-distribution-{number}", f"Shares of the values of {column['attribute']}"
    )
    entries = [(each["label"], each) for each in bins or ()]
    entries = entries or [(cell(each["value"]), each) for each in column["values"]]
    rows = [
        (
            tag("b", said),
            _share(each["original"], column["rows_original"]),
            _share(each["published"], column["rows_published"]),
        )
        for said, each in entries
    ]
    yield as_table(data_table(("value", "original", "published"), rows, numbers=(1, 2)))


def _share(n: int, of: int) -> str:
    return f"{count(n)} ({percent(Fraction(n, of or 1))})"
