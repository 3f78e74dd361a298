"""What a report says, as plain values: `report.json`, and all that the page shows.

The public document is made from an audit that never saw the original. It holds names of columns,
numbers that anybody can count in the published table, and words; no cell of the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib import import_module
from typing import Any

import numpy as np

from sfumato.attacks import Finding, Target
from sfumato.data.groups import Counts, GroupSizes
from sfumato.data.labels.grammar import is_everything
from sfumato.data.schema import Schema
from sfumato.formulas.measures.loss import average_group_size
from sfumato.release import Release
from sfumato.release.context import Context
from sfumato.release.people_by_risk import AFTER
from sfumato.release.people_by_risk import counted as counted_risk
from sfumato.release.wording import promise_in_words, published_as
from sfumato.report import in_words as words
from sfumato.report.parts.evidence import Evidence, commands_for, stated
from sfumato.report.parts.steward import steward_part
from sfumato.report.parts.techniques import of_the_table, techniques
from sfumato.report.parts.threats import threats
from sfumato.report.parts.which_release import which_release
from sfumato.report.publishers_word import is_his_word
from sfumato.report.verdict import NotRun
from sfumato.table import Table
from sfumato.text import counted

SCHEMA = "sfumato-report/2"
SUCCEEDED = (
    "Succeeded with everybody’s quasi-identifiers at hand: {}. What was found so is not published."
)
BINS = (1, 2, 3, 5, 10, 20, 50)  # where sizes of groups are cut, and so on in tens


def document(
    subject: Release | Table,
    target: Target,
    findings: Sequence[Finding],
    audited: Mapping[str, Any],
    not_run: Sequence[NotRun],
    *,
    private: bool,
    framework: str | None = None,
    evidence: Evidence | None = None,
) -> dict[str, Any]:
    """Write an audit down; `private`: for the steward, with what everybody else must not see.

    `audited` is what the audit says of itself, with or without what is private. The attacks that
    succeeded with everything that the auditor has are named in it, and on a page for everybody.

    framework: Whose headings the page has. evidence: What the steward keeps beside it.
    """
    is_release = isinstance(subject, Release)
    experiment = isinstance(subject, Release) and subject.method.experiment
    n_unseen = 0 if isinstance(subject, Release) else _n_unseen(subject.schema)
    shown = {finding.name for finding in findings if finding.holds is False}
    known = [name for name in audited["succeeded"] if name not in shown]
    which = which_release(subject)
    columns = [*_columns(subject, target)]
    kept = evidence or Evidence()
    written = {
        "schema": SCHEMA,
        "private": private,
        "sfumato": import_module("sfumato").__version__,
        "made": datetime.now(UTC).date().isoformat(),
        "subject": "release" if is_release else "table",
        "framework": framework,
        "release": which,
        "context": stated(_context(subject, kept, private=private), private=private)
        if is_release
        else None,
        "experiment": experiment,
        **audited,
        "heading": _heading(audited["verdict"], target, findings, known),
        "remarks": [
            *([SUCCEEDED.format("; ".join(known))] if known else []),
            *(f"Not shown: {reason}." for reason in audited["left_open"]),
            *words.remarks(findings),
            *_chosen_by_values(subject, target),
            *words.not_tried([each for each in not_run if each.name not in known]),
        ],
        "published": {
            "rows": target.n_people,
            "suppressed": target.n_suppressed + subject.description.n_left_out
            if isinstance(subject, Release)
            else None,
            "at_root": subject.n_at_root if isinstance(subject, Release) else None,
            "masked": subject.description.masked if isinstance(subject, Release) else None,
            "tables": 2 if target.as_they_are else 1,
            "group_sizes": _sizes(target.seen.sizes),
            "risk": counted_risk(AFTER, _alike(subject, target)),
            "columns": columns,
            "columns_not_looked_at": n_unseen,
            "untouched": None if target.untouched is None else target.untouched.to_json(),
            "untouched_identify": isinstance(subject, Release)
            and subject.description.untouched_identify,
        },
        "promise_in_words": [
            {
                "criterion": str(part),
                "words": promise_in_words(part, bucketized=bool(target.as_they_are)),
            }
            for part in (() if target.criterion is None else target.criterion.parts)
        ],
        "method_in_words": None
        if target.method is None
        else {
            "method": str(target.method),
            "words": words.method(target.method) + _cost(subject),
        },
        "techniques": {
            "columns": techniques(subject, columns, target.n_people),
            "table": of_the_table(subject),
        },
        "threats": threats(target, findings, not_run, known, audited["verdict"]),
        "evidence": {"commands": commands_for(which["name"]) if is_release else []},
        "assumptions": _assumptions(findings),
        "limits": words.limits(
            release=is_release,
            bucketized=bool(target.as_they_are),
            set_valued=target.set_valued,
            masked=subject.description.masked if isinstance(subject, Release) else None,
            n_unseen=n_unseen,
            n_earlier=len(target.previous.releases),
            experiment=experiment,
            private=private,
        ),
    }
    written["findings"] = [_finding(finding, private=private) for finding in findings]
    if private:
        written["steward"] = steward_part(subject, target) | kept.to_json()
    return written


def _context(subject: Release | Table, kept: Evidence, *, private: bool) -> Context:
    """Give the steward's statement: as the job has it now, as it was made with, or as published."""
    if not isinstance(subject, Release):
        return Context()
    if not private:
        return Context(**subject.description.context)
    return kept.context or subject.context


def _heading(
    verdict: str, target: Target, findings: Sequence[Finding], known: Sequence[str]
) -> str:
    """Say in a line how it went; known: attacks that succeeded with all that the auditor has."""
    n_failed = sum(finding.holds is False for finding in findings)
    if n_failed:
        # What he saw succeed has succeeded, and is counted; what he says of others is no attack.
        n_tried = sum(each.holds is False or not is_his_word(each) for each in findings)
        return f"{n_failed} of {counted(n_tried, 'attack')} succeeded"
    if known:
        attacks = counted(len(known), "attack")
        return f"{attacks} succeeded with everybody’s quasi-identifiers at hand"
    if not findings:
        return "No attack could be run"
    if target.criterion is None:
        return "Nothing was promised, and no attack makes anybody certain"
    if verdict == "undecided":
        return "Not shown to be safe: no attack broke the promise, and it was not shown to be kept"
    return "Shown safe against every attack that applies"


def _finding(finding: Finding, *, private: bool) -> dict[str, Any]:
    return finding.to_json(private=private) | {
        "name": finding.name,
        "about": words.attack(finding),
        "probability": words.is_probability(finding),
        "shown": {
            "before": words.measured(finding, finding.before),
            "promised": words.bound(finding),
            "found": finding.briefly
            if finding.is_bound or finding.failed is not None
            else words.measured(finding, finding.found),
            **({} if finding.interval is None or finding.failed else {"between": finding.briefly}),
        },
    }


def _alike(subject: Release | Table, target: Target) -> GroupSizes:
    """Count people alike in what is published of their quasi-identifiers."""
    if isinstance(subject, Release) and target.as_they_are:
        return subject.alike()
    return GroupSizes.of(target.seen.sizes)


def _sizes(sizes: Counts) -> dict[str, Any]:
    """Summarize the sizes of groups, and count them in bins."""
    edges = list(BINS)
    while edges[-1] <= sizes.max(initial=0):
        edges.append(edges[-3] * 10)
    place = np.searchsorted(edges, sizes, side="right") - 1
    bins = [
        {
            "from": edges[j],
            "to": edges[j + 1] - 1,
            "groups": int((place == j).sum()),
            "people": int(sizes[place == j].sum()),
        }
        for j in (range(int(place.min()), int(place.max()) + 1) if len(sizes) else ())
    ]
    return {
        "smallest": int(sizes.min()) if len(sizes) else 0,
        "average": average_group_size(sizes),
        "largest": int(sizes.max(initial=0)),
        "bins": bins,
    }


def _cost(subject: Release | Table) -> str:
    """Say what a release costs that was searched for, and how near that is to the least."""
    best = subject.description.best_so_far if isinstance(subject, Release) else None
    return "" if best is None else f" Its cost: {best.in_words}."


def _chosen_by_values(subject: Release | Table, target: Target) -> list[str]:
    """Say where values had a part in choosing groups, and nothing was promised about them."""
    method = subject.description.method if isinstance(subject, Release) else None
    if method is None or not method.reads_values or target.promises_of_values:
        return []
    return [
        f"Which groups are published was chosen by values, too ({method}). Nothing was promised "
        "about these, so nobody asked what the choice tells of them."
    ]


def _columns(subject: Release | Table, target: Target) -> Iterator[dict[str, Any]]:
    """Describe every column that is published and has a role."""
    seen = target.seen
    release = subject if isinstance(subject, Release) else None
    for name in target.as_they_are:
        yield _as_it_is(name, "quasi-identifier", None)
    for j, name in enumerate(() if target.as_they_are else target.quasi_identifiers):
        codes = seen.boxes[:, j, 0]
        labels = seen.frequencies.domains[name].labels
        rule = None if release is None else release.description.hierarchies.get(name)
        roots = {path[-1] for path in (() if rule is None else rule.public_paths)}
        hidden = np.array([is_everything(label, roots) for label in labels], dtype=bool)
        yield {
            "name": name,
            "role": "quasi-identifier",
            "published_as": "as in the file"
            if release is None
            else published_as(release.description, name),
            "level": None if release is None else (release.levels or {}).get(name),
            "distinct": len(np.unique(codes)),
            "rows_hidden": int(seen.sizes[hidden[codes]].sum()),
        }
    for name in target.sensitive:
        values = np.unique(seen.frequencies.occurrences(name).codes)
        how = "as it is" if release is None else published_as(release.description, name)
        yield {**_as_it_is(name, "sensitive", len(values)), "published_as": how}
    taken = {*target.quasi_identifiers, *target.sensitive}
    for name in (
        subject.description.columns if isinstance(subject, Release) else subject.schema.insensitive
    ):
        if name not in taken:
            shown = {} if target.untouched is None else target.untouched.columns
            yield _as_it_is(name, "insensitive", shown.get(name))


def _as_it_is(name: str, role: str, distinct: int | None) -> dict[str, Any]:
    fixed = {"published_as": "as it is", "level": None, "distinct": distinct, "rows_hidden": None}
    return {"name": name, "role": role, **fixed}


def _assumptions(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """Give every adversary once, with the attacks that are his."""
    attacks: dict[str, list[str]] = {}
    for finding in findings:
        attacks.setdefault(finding.knows, []).append(finding.name)
    return [{"knows": knows, "attacks": names} for knows, names in attacks.items()]


def _n_unseen(schema: Schema) -> int:
    """Count the columns of a file that the audit did not look at."""
    return len(schema.columns) - len(schema.published_columns)
