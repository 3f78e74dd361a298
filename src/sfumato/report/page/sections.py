"""The sections of the page, from a document: words, tables, and places for charts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from sfumato.html import Markup, escaped, joined, tag
from sfumato.html.page import NONE, cut, data_table, key_figures, section
from sfumato.release.people_by_risk import TWO_TABLES
from sfumato.report.page.charts import MOST_BARS, on_the_scale
from sfumato.report.page.risk_chart import risk_chart
from sfumato.text import count, counted, people, percent, percent_lost, to_a_tenth, value_text

ALWAYS_KNOWN = (
    "Every adversary has the published rows, knows the method with its parameters and what was "
    "promised, and has read the source code of sfumato. Beyond that:"
)
ALWAYS_KNOWN_OF_A_TABLE = "Every adversary has the published rows. Beyond that:"
MEANING = {
    True: ("kept", "found, promise kept"),
    False: ("broken", "found, promise broken"),
    None: ("open", "found, nothing promised or not decided"),
}
COLOURS = {"safe": "good", "failed": "bad", "undecided": "open"}
Document = Mapping[str, Any]


def sections(document: Document) -> Iterator[Markup]:
    """Write the whole page, section by section."""
    yield _top(document)
    yield _published(document)
    yield _promised(document)
    yield _found(document)
    yield _not_run(document)
    yield _adversary(document)
    if document["private"]:
        yield from _for_the_steward(document)
    else:
        yield section(
            "What was lost",
            tag(
                "p",
                "How much the table lost is measured against the original, so it stands in the "
                "steward's report and not here.",
            ),
        )
    yield _limits(document)
    yield tag(
        "footer",
        f"Made by sfumato {document['sfumato']} on {document['made']}. This page is one file and "
        "asks nothing of any network. ",
        f"The same in numbers: {'report-steward' if document['private'] else 'report'}.json.",
    )


def _top(document: Document) -> Markup:
    published, sizes = document["published"], document["published"]["group_sizes"]
    figures = [
        ("rows published", count(published["rows"])),
        ("groups", count(document["groups"])),
        ("smallest group", count(sizes["smallest"])),
        ("average group", to_a_tenth(sizes["average"])),
    ]
    if published["suppressed"] is not None:
        figures.insert(1, ("rows suppressed", count(published["suppressed"])))
    remarks = document["remarks"]
    return tag(
        "header",
        tag("p", _kind(document), class_="eyebrow"),
        tag("h1", document["heading"], class_=COLOURS[document["verdict"]]),
        tag("p", _opening(document), class_="lead"),
        tag(
            "div",
            tag("p", "What the verdict does not say", class_="aside-title"),
            tag("ul", *(tag("li", remark) for remark in remarks)),
            class_="remarks",
        )
        if remarks
        else "",
        key_figures(figures),
    )


def _kind(document: Document) -> str:
    whom = "Steward’s report" if document["private"] else "Public report"
    seeded = " · an experiment, not for publication" if document["experiment"] else ""
    return f"{whom} · audit of a {document['subject']}{seeded}"


def _opening(document: Document) -> str:
    attacks = counted(len(document["findings"]), "attack was", "attacks were")
    seen = (
        "with the original at hand"
        if document["private"] and document["steward"]["distributions"]
        else "with nothing but what is published"
    )
    return (
        f"{attacks} tried on {people(document['people'])}, {seen}: "
        "what an adversary believed before, what was promised, and what was found."
    )


def _who_is_together(published: Document) -> str:
    if published["tables"] == 1:
        return "People with the same published quasi-identifiers are a group"
    return "Two tables are published, which share the number of a group"


def _published(document: Document) -> Markup:
    published = document["published"]
    method = document["method_in_words"]
    parts = []
    if method is not None:
        parts.append(tag("p", method["words"], " ", tag("code", method["method"])))
    elif document["subject"] == "table":
        parts.append(tag("p", "A table read from a file: how it was made is not known."))
    if published["columns_not_looked_at"]:
        further = "further column of the file was", "further columns of the file were"
        columns = counted(published["columns_not_looked_at"], *further)
        parts.append(tag("p", f"{columns} not looked at."))
    parts += [tag("p", said) for said in _untouched(published)]
    rows = [
        (
            tag("b", cut(each["name"])),
            each["role"],
            each["published_as"],
            _count(each["distinct"]),
            _count(each["rows_hidden"]),
        )
        for each in published["columns"]
    ]
    header = ("column", "role", "published", "distinct values", "rows hidden")
    sizes = published["group_sizes"]
    return section(
        "What was published, and how",
        *parts,
        data_table(header, rows, numbers=(3, 4), words=(1, 2)),
        tag("h3", "How many people share a group"),
        tag(
            "p",
            f"{_who_is_together(published)}: "
            f"{counted(document['groups'], 'group')} of {count(sizes['smallest'])} to "
            f"{people(sizes['largest'])}, "
            f"{to_a_tenth(sizes['average'])} on average.",
        ),
        tag("p", TWO_TABLES) if published["tables"] == 2 else "",
        *risk_chart(
            published["risk"],
            document["steward"]["risk_before"] if document["private"] else None,
            published["suppressed"],
        ),
        _details(
            "The same as a table",
            data_table(
                ("size of group", "groups", "people"),
                [
                    (_range(each), count(each["groups"]), count(each["people"]))
                    for each in sizes["bins"]
                ],
                numbers=(1, 2),
            ),
        ),
    )


def _untouched(published: Document) -> Iterator[str]:
    """Say whom columns tell apart that are published untouched."""
    part = published["untouched"]
    if part is not None and part["smallest_group"] is not None:
        allowed = (
            " Whoever made the release allowed that." if published["untouched_identify"] else ""
        )
        columns = ", ".join(map(cut, part["columns"]))
        told = "; ".join(
            f"{cut(name)} goes together with {', '.join(map(cut, others))}"
            if others
            else f"{cut(name)} says who people are"
            for name, others in part["telling"].items()
        )
        yield (
            (f"Published untouched: {columns}. " if columns else "")
            + (f"Sensitive, and known to others: {told}. " if told else "")
            + "People alike in these and in the quasi-identifiers are groups of "
            f"{count(part['smallest_group'])} or more; {people(part['alone'])} alone.{allowed}"
        )
    if part is not None and part["sensitive"]:
        yield (
            f"Different for most people: {', '.join(map(cut, part['sensitive']))}. "
            "Most of their values are one person’s alone: measured, or too few to say more."
        )


def _promised(document: Document) -> Markup:
    parts = document["promise_in_words"]
    if not parts:
        said: Markup = tag(
            "p",
            "Nothing is known to have been promised. What nobody would want is measured all the "
            "same: that a row, or a person’s value, is certain.",
        )
    else:
        said = tag(
            "ul",
            *(tag("li", each["words"], " ", tag("code", each["criterion"])) for each in parts),
            class_="promise",
        )
    return section("What was promised", said)


def _found(document: Document) -> Markup:
    findings = document["findings"]
    rows = [
        (
            joined([tag("b", each["name"]), tag("small", each["about"] or "")]),
            each["shown"]["before"],
            _promise_cell(each),
            joined([tag("b", each["shown"]["found"]), _interval(each)]),
            NONE if each["holds"] is None else count(each["people_exceeding"]),
            joined(
                [
                    _badge(each),
                    tag("small", each["note"]) if each["note"] else "",
                    tag("small", each["remedy"]["advice"]) if each["remedy"] else "",
                ]
            ),
        )
        for each in findings
    ]
    header = ("attack", "before", "promised", "found", "people exceeding", "verdict")
    off_scale = [each["name"] for each in findings if not on_the_scale(each)]
    verdicts = {each["holds"] for each in findings if on_the_scale(each)}
    chart: list[Markup] = []
    if len(off_scale) < len(findings):
        chart = [
            tag("h3", "Belief before, promised, found"),
            _legend(
                ("before", "before"),
                ("promised", "the limit promised"),
                *(MEANING[holds] for holds in MEANING if holds in verdicts),
            ),
            chart_place("chart-beliefs", "Belief before, promised and found, for each attack"),
        ]
        if off_scale:
            chart.append(
                tag(
                    "p",
                    f"Not from 0 to 100%, so only in the table: {', '.join(off_scale)}.",
                    class_="note",
                )
            )
    return section(
        "What the attacks found",
        tag(
            "p",
            "Found is what an adversary can believe about the person who is worst off; before is "
            "what could be believed without the release, or without the adversary’s extra "
            "knowledge.",
        ),
        *chart,
        data_table(header, rows, numbers=(1, 2, 3, 4))
        if rows
        else tag("p", "No attack could be run."),
    )


def _promise_cell(finding: Mapping[str, Any]) -> Markup:
    promised = finding["promised"]
    if promised is None and finding["failed"] is None:
        return tag("span", "nothing", class_="faint")
    assumed = finding["failed"] is None and promised["assumed"]
    assumed = tag("small", "not promised, but assumed") if assumed else ""
    return joined([finding["shown"]["promised"], assumed])


def _interval(finding: Mapping[str, Any]) -> Markup:
    """Write between what a sampled or a bounded answer lies."""
    between = finding["shown"].get("between")
    return Markup("") if between is None else tag("small", between)


def _badge(finding: Mapping[str, Any]) -> Markup:
    signs = {True: ("✓", "kept"), False: ("✗", "broken"), None: ("–", "open")}
    sign, kind = signs[finding["holds"]]
    return tag("span", f"{sign} {finding['verdict']}", class_=f"badge {kind}")


def _not_run(document: Document) -> Markup:
    rows = [
        (tag("b", each["attack"]), "yes" if each["applies"] else "no", each["reason"])
        for each in document["not_run"]
    ]
    said = (
        data_table(("attack", "applies", "why not"), rows, words=(1,))
        if rows
        else tag("p", "Every attack that sfumato knows could be run.")
    )
    return section("What could not be run, and why", said)


def _adversary(document: Document) -> Markup:
    known = ALWAYS_KNOWN if document["subject"] == "release" else ALWAYS_KNOWN_OF_A_TABLE
    rows = [
        (f"The adversary knows {each['knows']}.", ", ".join(each["attacks"]))
        for each in document["assumptions"]
    ]
    return section(
        "What the adversary is taken to know",
        tag("p", known),
        data_table(("what is known", "attacks"), rows) if rows else "",
    )


def _limits(document: Document) -> Markup:
    return section(
        "How far the claim goes", tag("ul", *(tag("li", each) for each in document["limits"]))
    )


def _for_the_steward(document: Document) -> Iterator[Markup]:
    steward = document["steward"]
    if document["way_out"]:
        yield _way_out(document["way_out"])
    if steward["missing"]:
        yield section(
            "What is missing here", tag("ul", *(tag("li", each) for each in steward["missing"]))
        )
    yield _witnesses(document)
    if steward["loss"]:
        yield _lost(steward["loss"])
    if steward["distributions"]:
        yield section(
            "Sensitive values, original and published",
            *(part for j, each in enumerate(steward["distributions"]) for part in _values(j, each)),
        )
    if steward["drivers"]:
        yield _driven(steward["drivers"])
    if steward["summary"]:
        rows = [(tag("b", name), text) for name, text in steward["summary"]["lines"]]
        yield section("Summary", data_table(("", ""), rows))


def _way_out(tried: Document) -> Markup:
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
    header = ("method", "audit", "information loss", "tables", "")
    return section(
        "A way out",
        tag("p", tried["words"].removeprefix("Way out: ")),
        data_table(header, rows, numbers=(2, 3), words=(1,)) if rows else "",
    )


def _driven(drivers: Document) -> Markup:
    parts = [tag("p", f"The original: {drivers['heading']}.")]
    for each in drivers["tables"]:
        parts.append(tag("h3", each["caption"]))
        rows = [[cut(cell) for cell in row] for row in each["rows"]]
        numbers = tuple(range(1, len(each["header"])))
        parts.append(data_table(tuple(each["header"]), rows, numbers=numbers))
    return section("What drives the risk", *parts)


def _witnesses(document: Document) -> Markup:
    cards = []
    for each in document["findings"]:
        if "worst" not in each:
            continue
        items = []
        for key, value in each["worst"].items():
            written = _witness(value)
            items.append(tag("div", tag("dt", key), tag("dd", written)))
        cards.append(tag("article", tag("h3", each["name"]), tag("dl", *items), class_="card"))
    return section(
        "Who is worst off",
        tag(
            "p",
            "Witnesses: for each attack a group, as it is published, in which it succeeds best.",
        ),
        tag("div", *cards, class_="cards") if cards else tag("p", "No attack named anybody."),
    )


def _witness(value: Any) -> Markup:
    """Write what a finding says of whom it strikes worst."""
    if isinstance(value, Mapping):
        return tag(
            "ul",
            *(
                tag("li", tag("span", f"{cut(k)} ", class_="faint"), _cell(v))
                for k, v in value.items()
            ),
            class_="plain",
        )
    if isinstance(value, (list, tuple)):
        return escaped(", ".join(map(_cell, value)))
    return escaped(value_text(value) if isinstance(value, float) else _cell(value))


def _lost(loss: Mapping[str, Any]) -> Markup:
    rows = [
        (tag("b", cut(each["name"])), percent_lost(each["loss"])) for each in loss["attributes"]
    ]
    return section(
        "What was lost",
        tag(
            "p",
            f"A row has lost {percent_lost(loss['information_loss'])} of its information on "
            "average: 0% is a value as it was, 100% is one that could be anything. A suppressed "
            "row has lost all.",
        ),
        chart_place("chart-loss", "Average loss of a row in each quasi-identifier"),
        _details("The same as a table", data_table(("column", "loss"), rows, numbers=(1,))),
    )


def _values(number: int, column: Mapping[str, Any]) -> Iterator[Markup]:
    original, published = column["rows_original"] or 1, column["rows_published"] or 1
    rows = [
        (
            tag("b", _cell(each["value"])),
            f"{count(each['original'])} ({percent(Fraction(each['original'], original))})",
            f"{count(each['published'])} ({percent(Fraction(each['published'], published))})",
        )
        for each in column["values"]
    ]
    yield tag("h3", cut(column["attribute"]))
    shown = min(len(column["values"]), MOST_BARS)
    if column["values_in_all"] > shown:
        yield tag(
            "p",
            f"Of {counted(column['values_in_all'], 'value')} the {count(shown)} most frequent are "
            f"drawn, and {count(len(column['values']))} stand in the table.",
            class_="note",
        )
    yield _legend(("original", "in the original"), ("kept-bar", "as published"))
    yield chart_place(
        f"chart-distribution-{number}", f"Shares of the values of {column['attribute']}"
    )
    header = ("value", "original", "published")
    yield _details("The same as a table", data_table(header, rows, numbers=(1, 2)))


# ------------------------------------------------------------------------------------------ pieces


def chart_place(place: str, said: str) -> Markup:
    """Leave room for a chart, and say in words what it shows."""
    return tag("div", id=place, class_="chart", role="img", aria_label=said)


def _legend(*entries: tuple[str, str]) -> Markup:
    marks = [tag("span", tag("i", class_=f"mark {kind}"), text) for kind, text in entries]
    return tag("p", *marks, class_="legend")


def _details(title: str, content: Markup) -> Markup:
    return tag("details", tag("summary", title), content)


def _range(each: Mapping[str, int]) -> str:
    low, high = count(each["from"]), count(each["to"])
    return low if low == high else f"{low} to {high}"


def _count(number: int | None) -> str:
    return NONE if number is None else count(number)


def _cell(value: object) -> str:
    return "missing" if value is None else cut(value)
