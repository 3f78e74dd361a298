"""The sections of the page, from a document: words, tables, and places for charts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from sfumato.html import Markup, escaped, joined, tag
from sfumato.html.page import NONE, cut, data_table, facts_list, section
from sfumato.release.people_by_risk import AFTER, BEFORE, TWO_TABLES
from sfumato.report.page.charts import on_the_scale
from sfumato.report.page.for_the_steward import for_the_steward
from sfumato.report.page.frameworks import TITLES, framework
from sfumato.report.page.front import contents, first_sheet, threat_table
from sfumato.report.page.pieces import (
    Document,
    as_table,
    badge,
    chart_place,
    counted_or_none,
    legend,
    names,
    told_by_publisher,
    unbroken,
)
from sfumato.report.page.risk_chart import risk_chart
from sfumato.report.parts.techniques import MEANING as TECHNIQUES
from sfumato.text import count, counted, people, percent, to_a_tenth, told_apart

ALWAYS_KNOWN = (
    "Every adversary has the published rows, knows the method with its parameters and what was "
    "promised, and has read the source code of sfumato. Beyond that:"
)
ALWAYS_KNOWN_OF_A_TABLE = "Every adversary has the published rows. Beyond that:"
SAY_NOTHING = (
    "Rows that say nothing have the most general value of the column (*, or what its hierarchy "
    "calls everything): nothing is told of these people there."
)
MEANING = {
    True: ("kept", "found, promise kept"),
    False: ("broken", "found, promise broken"),
    None: ("open", "found, nothing promised or not decided"),
}
RISKS: dict[str, Callable[[Document], str]] = {
    "people": lambda state: count(state["people"]),
    "groups of people who are alike": lambda state: count(state["groups"]),
    "people who are like nobody else": lambda state: count(state["sizes"][0]["people"]),
    "average risk: groups to people": lambda state: percent(
        Fraction(state["groups"], state["people"] or 1)
    ),
}
NOT_MEASURED = "This is the steward’s own statement. Nothing of it was measured."

Section = tuple[str, list[object]]  # its key, and what is in it


def sections(document: Document) -> Iterator[Markup]:
    """Write the whole page, section by section."""
    frame = framework(document["framework"])
    written = [(key, content) for key, content in _all(document) if content]
    yield first_sheet(document, frame)
    yield contents([(key, frame.heading(key)) for key, _ in written])
    for key, content in written:
        heading = frame.heading(key)
        plain = tag("p", TITLES[key], class_="plain") if heading != TITLES[key] else ""
        yield section(heading, plain, *content, place=key)
    yield tag(
        "footer",
        f"Made by sfumato {document['sfumato']} on {document['made']}. This page is one file and "
        "asks nothing of any network. ",
        "The same in numbers: ",
        tag("span", f"report{'-steward' if document['private'] else ''}.json.", class_="unbroken"),
    )


def _all(document: Document) -> Iterator[Section]:
    yield "release", [*_release(document)]
    yield "context", [*_context(document)]
    if document["remarks"]:
        yield "remarks", [tag("ul", *(tag("li", each) for each in document["remarks"]))]
    yield (
        "threats",
        [
            tag("p", "What was not tried says nothing: it is neither safe nor unsafe."),
            threat_table(document),
        ],
    )
    yield "published", [*_published(document)]
    yield "techniques", [*_techniques(document)]
    yield "promised", [_promised(document)]
    yield "risk", [*_risk(document)]
    yield "found", [*_found(document)]
    yield "not_run", [_not_run(document)]
    yield "adversary", [*_adversary(document)]
    if document["private"]:
        yield from for_the_steward(document)
    yield "limits", [tag("ul", *(tag("li", each) for each in document["limits"]))]
    yield "evidence", [*_evidence(document)]


def _release(document: Document) -> Iterator[Markup]:
    which = document["release"]
    what = "release" if document["subject"] == "release" else "file"
    facts: list[tuple[str, object]] = [
        (what, "not known by a name" if which["name"] is None else which["name"])
    ]
    if document["subject"] == "release":
        digest = which["digest"]
        facts += [
            ("made on", which["made"] or "not told"),
            ("made by", f"sfumato {which['sfumato']}" if which["sfumato"] else "not told"),
            (
                "digest of release.json",
                tag("code", digest) if digest else "none: the release is not saved",
            ),
        ]
    facts.append(("this report", f"{document['made']}, by sfumato {document['sfumato']}"))
    yield facts_list(facts)
    if which["digest"]:
        yield tag(
            "p",
            "The digest is the SHA-256 that stands in release.json, taken of all else that it "
            "says, the digests of the tables too.",
            class_="note",
        )


def _context(document: Document) -> Iterator[Markup]:
    context = document["context"]
    if context is None:
        return
    yield tag("p", NOT_MEASURED)
    yield facts_list([*context["said"].items()])
    if context["empty"]:
        yield tag("p", f"Not stated: {', '.join(context['empty'])}.")
    if context["not_published"]:
        yield tag(
            "p", f"Not published, whether stated or not: {', '.join(context['not_published'])}."
        )


def _who_is_together(published: Document) -> str:
    if published["tables"] == 1:
        return "People with the same published quasi-identifiers are a group"
    return "Two tables are published, which share the number of a group"


def _published(document: Document) -> Iterator[Markup]:
    published = document["published"]
    method = document["method_in_words"]
    if method is not None:
        yield tag("p", method["words"], " ", tag("code", method["method"]))
    elif document["subject"] == "table":
        yield tag("p", "A table read from a file: how it was made is not known.")
    if published["columns_not_looked_at"]:
        further = "further column of the file was", "further columns of the file were"
        columns = counted(published["columns_not_looked_at"], *further)
        yield tag("p", f"{columns} not looked at.")
    yield from (tag("p", said) for said in _untouched(published))
    rows = [
        (
            tag("b", cut(each["name"])),
            each["role"],
            each["published_as"],
            counted_or_none(each["distinct"]),
            counted_or_none(each["rows_hidden"]),
        )
        for each in published["columns"]
    ]
    header = ("column", "role", "published", "distinct values", "rows that say nothing")
    yield data_table(header, rows, numbers=(3, 4), words=(1, 2))
    if any(each["rows_hidden"] for each in published["columns"]):
        yield tag("p", SAY_NOTHING, class_="note")


def _risk(document: Document) -> Iterator[Markup]:
    """Say how recognizable people are, as published; before, too, to the steward."""
    published = document["published"]
    sizes = published["group_sizes"]
    before = document["steward"]["risk_before"] if document["private"] else None
    yield tag(
        "p",
        f"{_who_is_together(published)}: "
        f"{counted(document['groups'], 'group')} of {count(sizes['smallest'])} to "
        f"{people(sizes['largest'])}, "
        f"{to_a_tenth(sizes['average'])} on average.",
    )
    if published["tables"] == 2:
        yield tag("p", TWO_TABLES)
    states = (
        {AFTER: published["risk"]}
        if before is None
        else {BEFORE: before} | {AFTER: published["risk"]}
    )
    yield data_table(
        ("", *states),
        [
            (tag("b", said), *(measure(state) for state in states.values()))
            for said, measure in RISKS.items()
        ],
        numbers=(*range(1, len(states) + 1),),
        words=(0,),
    )
    yield from risk_chart(published["risk"], before, published["suppressed"])
    yield as_table(
        data_table(
            ("size of group", "groups", "people"),
            [
                (_range(each), count(each["groups"]), count(each["people"]))
                for each in sizes["bins"]
            ],
            numbers=(1, 2),
        )
    )


def _untouched(published: Document) -> Iterator[str]:
    """Say whom columns tell apart that are published untouched."""
    part = published["untouched"]
    if part is not None and part["smallest_group"] is not None:
        allowed = (
            " Whoever made the release allowed that." if published["untouched_identify"] else ""
        )
        columns = names(part["columns"])
        told = "; ".join(
            f"{names([name])} goes together with {names(others)}"
            if others
            else f"{names([name])} says who people are"
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
            f"Different for most people: {names(part['sensitive'])}. "
            "Most of their values are one person’s alone: measured, or too few to say more."
        )


def _techniques(document: Document) -> Iterator[Markup]:
    part = document["techniques"]
    if part["columns"] is None:
        yield tag("p", "How the table was made is not known, so nothing is known of this.")
        return
    yield tag("p", "In the words of ISO/IEC 20889:2018, for each published column:")
    roles = {each["name"]: each["role"] for each in document["published"]["columns"]}
    rows = [
        (
            tag("b", cut(each["name"])),
            roles[each["name"]],
            ", ".join(each["techniques"]) or "none: published as it is",
        )
        for each in part["columns"]
    ]
    yield data_table(("column", "role", "technique"), rows, words=(1, 2))
    used = dict.fromkeys([*(t for each in part["columns"] for t in each["techniques"])])
    n_left_out = document["published"]["suppressed"]
    if part["table"]:
        yield tag(
            "p",
            f"Of the table as a whole: {', '.join(part['table'])}, of "
            f"{counted(n_left_out, 'row')}.",
        )
    if document["private"] and document["steward"]["dropped"]:
        yield tag("h3", "Columns that are not published")
        dropped = [
            (tag("b", cut(each["name"])), each["technique"], each["reason"])
            for each in document["steward"]["dropped"]
        ]
        yield data_table(("column", "technique", "why"), dropped, words=(1, 2))
        used |= dict.fromkeys(each["technique"] for each in document["steward"]["dropped"])
    used |= dict.fromkeys(part["table"])
    said = [(tag("b", name), TECHNIQUES[name]) for name in used]
    if said:
        yield tag("h3", "What these words mean here")
        yield data_table(("technique", "what was done"), said, words=(0, 1))


def _promised(document: Document) -> Markup:
    parts = document["promise_in_words"]
    if not parts:
        return tag(
            "p",
            "Nothing is known to have been promised. What nobody would want is measured all the "
            "same: that a row, or a person’s value, is certain.",
        )
    said = (tag("li", each["words"], " ", tag("code", each["criterion"])) for each in parts)
    return tag("ul", *said, class_="promise")


def _found(document: Document) -> Iterator[Markup]:
    findings = document["findings"]
    yield tag(
        "p",
        "Found is what an adversary can believe about the person who is worst off; before is "
        "what could be believed without the release, or without the adversary’s extra "
        "knowledge. People exceeding are those for whom the promise is not kept.",
    )
    if not findings:
        yield tag("p", "No attack could be run.")
        return
    off_scale = [each["name"] for each in findings if not on_the_scale(each)]
    verdicts = {each["holds"] for each in findings if on_the_scale(each)}
    if len(off_scale) < len(findings):
        yield tag("h3", "Belief before, promised, found")
        yield legend(
            ("before", "before"),
            ("promised", "the limit promised"),
            *(MEANING[holds] for holds in MEANING if holds in verdicts),
        )
        yield chart_place("chart-beliefs", "Belief before, promised and found, for each attack")
        if off_scale:
            yield tag(
                "p",
                f"Not from 0 to 100%, so only in the table: {names(off_scale, '; ')}.",
                class_="note",
            )
    rows = [
        (
            joined([tag("b", each["name"]), tag("small", each["about"] or "")]),
            each["shown"]["before"],
            _promise_cell(each),
            joined([tag("b", each["shown"]["found"]), _interval(each)]),
            NONE if each["holds"] is None else count(each["people_exceeding"]),
            joined([_badge(each), *_added(each)]),
        )
        for each in findings
    ]
    header = ("attack", "before", "promised", "found", "people exceeding", "verdict")
    yield data_table(header, rows, numbers=(1, 2, 3, 4))


def _added(finding: Mapping[str, Any]) -> Iterator[Markup]:
    """Write what there is to add to a finding, and what to do about it."""
    if finding["note"]:
        yield tag("small", unbroken(finding["note"]))
    if finding["remedy"]:
        yield tag("small", unbroken(finding["remedy"]["advice"]))


def _promise_cell(finding: Mapping[str, Any]) -> Markup:
    promised = finding["promised"]
    if promised is None and finding["failed"] is None:
        return tag("span", "nothing", class_="faint")
    assumed = finding["failed"] is None and promised["assumed"]
    said = tag("small", "not promised, but assumed") if assumed else ""
    return joined([finding["shown"]["promised"], said])


def _interval(finding: Mapping[str, Any]) -> Markup:
    """Write between what a sampled or a bounded answer lies."""
    between = finding["shown"].get("between")
    return Markup("") if between is None else tag("small", between)


def _badge(finding: Mapping[str, Any]) -> Markup:
    kinds = {True: "kept", False: "broken", None: "open"}
    return badge(kinds[finding["holds"]], finding["verdict"])


def _not_run(document: Document) -> Markup:
    rows = [
        (
            tag("b", each["attack"]),
            "yes" if each["applies"] else "no",
            joined([unbroken(each["reason"]), *_hints(each)]),
        )
        for each in document["not_run"]
    ]
    if not rows:
        return tag("p", "Every attack that sfumato knows could be run.")
    return data_table(("attack", "applies", "why not"), rows, words=(1,))


def _hints(not_run: Mapping[str, Any]) -> Iterator[Markup]:
    if not_run["hint"]:
        yield tag("small", unbroken(not_run["hint"]))
    if not_run["remedy"]:
        yield tag("small", unbroken(not_run["remedy"]["advice"]))


def _adversary(document: Document) -> Iterator[Markup]:
    yield tag("p", ALWAYS_KNOWN if document["subject"] == "release" else ALWAYS_KNOWN_OF_A_TABLE)
    rows = [
        (f"The adversary knows {each['knows']}.", told_apart(each["attacks"], "; "))
        for each in document["assumptions"]
    ]
    if rows:
        yield data_table(("what is known", "attacks"), rows)


def _evidence(document: Document) -> Iterator[Markup]:
    if document["release"]["files"]:
        yield tag("p", "The tables that were attacked:")
        yield _digests(document["release"]["files"])
    commands = document["evidence"]["commands"]
    if commands:
        told = told_by_publisher(document)
        besides = f", all but {names(told, '; ')}, which is the publisher’s word" if told else ""
        yield tag(
            "p",
            f"Measured by sfumato {document['sfumato']}. Whoever has the release measures it "
            f"again{besides}, beside its directory, with:",
        )
        yield _lines(commands)
    if document["private"]:
        yield from _private_evidence(document["steward"])
    elif not commands:
        yield tag("p", f"Measured by sfumato {document['sfumato']}.")


def _digests(files: Iterable[Mapping[str, str]]) -> Markup:
    rows = [(tag("b", cut(each["name"])), tag("code", each["sha256"])) for each in files]
    return data_table(("file", "SHA-256"), rows)


def _private_evidence(steward: Document) -> Iterator[Markup]:
    if steward["sources"]:
        yield tag("p", "The source, as it was when this report was made:")
        yield _digests(steward["sources"])
    if steward["command"]:
        yield tag("p", "This report was asked for by:")
        yield _lines([steward["command"]])
    if steward["job"]:
        yield tag("h3", f"The job file {cut(steward['job']['name'])}")
        yield _lines(steward["job"]["text"].splitlines())


def _lines(texts: Iterable[str]) -> Markup:
    """Give lines as they are typed, each escaped."""
    return tag("pre", Markup("\n".join(map(escaped, texts))))


def _range(each: Mapping[str, int]) -> str:
    low, high = count(each["from"]), count(each["to"])
    return low if low == high else f"{low} to {high}"
