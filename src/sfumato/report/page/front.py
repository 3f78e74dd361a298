"""The first sheet, for a board that reads one page, and the contents of the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sfumato.html import Markup, joined, tag
from sfumato.html.page import cut, data_table, facts_list, key_figures, shortened
from sfumato.release.description import AS_THEY_ARE, MAY_BE_CHANGED
from sfumato.report.page.frameworks import Framework
from sfumato.report.page.pieces import Document, badge, names, told_by_publisher
from sfumato.text import count, counted, people, to_a_tenth

COLOURS = {"safe": "good", "failed": "bad", "undecided": "open"}
OUTCOMES = {
    "failed": ("broken", "succeeds"),
    "open": ("open", "not shown"),
    "kept": ("kept", "promise kept"),
    "measured": ("open", "measured"),
    "not tried": ("open", "not tried"),
}
MOST = 3  # remarks and promises on the first sheet
LONGEST = 90  # characters of a name or a statement there: a line; below they stand whole
TWO_LINES = 170  # characters of a promise, a finding or a remark there
STATED = "Stated by the steward, not measured"
TO_SIGN = ("Decided by", "On", "Signature")


def first_sheet(document: Document, frame: Framework) -> Markup:
    """Write what fits on one printed page."""
    return tag(
        "header",
        tag("p", _kind(document), class_="eyebrow"),
        tag("h1", document["heading"], class_=COLOURS[document["verdict"]]),
        tag("p", _opening(document), class_="lead"),
        _facts(document),
        key_figures(_figures(document)),
        *_promises(document),
        threat_table(document, short=True),
        *_context(document),
        *_remarks(document["remarks"]),
        tag("p", frame.note, class_="note") if frame.note else "",
        tag("div", *(tag("span", each) for each in TO_SIGN), class_="sign"),
        class_="sheet",
    )


def contents(entries: Sequence[tuple[str, str]]) -> Markup:
    """List the sections."""
    links = [tag("li", tag("a", title, href=f"#{key}")) for key, title in entries]
    return tag("nav", tag("p", "Contents", class_="aside-title"), tag("ol", *links))


def threat_table(document: Document, *, short: bool = False) -> Markup:
    """Write what was tried of each threat; short: without what was not tried."""
    rows = []
    for each in document["threats"]:
        kind, outcome = OUTCOMES[each["outcome"]]
        asked = joined(
            [tag("b", each["threat"] or "other attacks"), tag("small", each["question"])]
        )
        said = shortened(each["words"], TWO_LINES) if short else _tried(each)
        rows.append((asked, badge(kind, outcome), said))
    return data_table(("threat", "outcome", "what was found"), rows, words=(0,))


def _tried(threat: Document) -> Markup:
    """Say what was found, by which attacks, and which were not tried."""
    parts: list[Markup] = [tag("span", threat["words"])]
    if threat["tried"]:
        attacks = counted(len(threat["tried"]), "attack")
        parts.append(tag("small", f"{attacks} tried: {names(threat['tried'], '; ')}."))
    if threat.get("told"):  # earlier versions counted it among what was tried
        parts.append(tag("small", f"The publisher’s word: {names(threat['told'], '; ')}."))
    for each in threat["not_tried"]:
        why = "not tried" if each["applies"] else "nothing to try"
        parts.append(tag("small", f"{cut(each['attack'])}: {why}: {each['reason']}."))
    return joined(parts)


def _kind(document: Document) -> str:
    whom = "Steward’s report" if document["private"] else "Public report"
    seeded = " · an experiment, not for publication" if document["experiment"] else ""
    return f"{whom} · audit of a {document['subject']}{seeded}"


def _opening(document: Document) -> str:
    n_told = len(told_by_publisher(document))
    n_tried = len(document["findings"]) - n_told
    attacks = counted(n_tried, "attack was", "attacks were")
    seen = (
        "with the original at hand"
        if document["private"] and document["steward"]["distributions"]
        else "with nothing but what is published"
    )
    told = f"; of {count(n_told)} more the publisher’s word is shown" if n_told else ""
    return (
        f"{attacks} tried on {people(document['people'])}, {seen}{told}: "
        "what an adversary believed before, what was promised, and what was found."
    )


def _facts(document: Document) -> Markup:
    """Say which release this is."""
    which = document["release"]
    facts: list[tuple[str, object]] = []
    if which["name"] is not None:
        what = "release" if document["subject"] == "release" else "file"
        facts.append((what, cut(which["name"], LONGEST)))
    elif document["subject"] == "release":
        facts.append(("release", "not saved yet, so it has no name and no digest"))
    if which["made"] is not None:
        facts.append(("made", f"{which['made']}, by sfumato {which['sfumato']}"))
    if which["digest"] is not None:
        facts.append(("digest", tag("code", which["digest"])))
    if document["published"]["tables"] == 2:
        facts.append(("two tables", AS_THEY_ARE))
    masked = document["published"].get("masked")
    if masked is not None:
        facts.append((f"values of {cut(masked, LONGEST)}", MAY_BE_CHANGED))
    return facts_list(facts)


def _figures(document: Document) -> list[tuple[str, object]]:
    published, sizes = document["published"], document["published"]["group_sizes"]
    figures: list[tuple[str, object]] = [
        ("rows published", count(published["rows"])),
        ("groups", count(document["groups"])),
        ("smallest group", count(sizes["smallest"])),
        ("average group", to_a_tenth(sizes["average"])),
    ]
    if published["suppressed"] is not None:
        figures.insert(1, ("rows suppressed", count(published["suppressed"])))
    if published.get("at_root"):
        figures.insert(1, ("of these with nothing told", count(published["at_root"])))
    return figures


def _promises(document: Document) -> Iterator[Markup]:
    parts = document["promise_in_words"]
    if not parts:
        return
    yield tag("p", "What was promised", class_="aside-title")
    shown = [tag("li", shortened(each["words"], TWO_LINES)) for each in parts[:MOST]]
    yield tag("ul", *shown, *_more(len(parts) - len(shown)))


def _context(document: Document) -> Iterator[Markup]:
    context = document["context"]
    if context is None:
        return
    yield tag("p", STATED, class_="aside-title")
    yield facts_list(
        [
            *((name, shortened(text, LONGEST)) for name, text in context["said"].items()),
            *((name, tag("span", "not stated", class_="faint")) for name in context["empty"]),
        ]
    )


def _remarks(remarks: Sequence[str]) -> Iterator[Markup]:
    if remarks:
        shown = [tag("li", shortened(remark, TWO_LINES)) for remark in remarks[:MOST]]
        yield tag(
            "div",
            tag("p", "What the verdict does not say", class_="aside-title"),
            tag("ul", *shown, *_more(len(remarks) - len(shown))),
            class_="remarks",
        )


def _more(n: int) -> list[Markup]:
    return [tag("li", f"{count(n)} more below.")] if n > 0 else []
