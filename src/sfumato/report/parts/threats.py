"""Singling out, linkability, inference, membership: what was tried of each, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal

from sfumato.attacks import Finding, Target
from sfumato.attacks.attack import ATTACKS, Threat
from sfumato.report import in_words as words
from sfumato.report.definition import COUNTING_PEOPLE, COUNTING_VALUES
from sfumato.report.publishers_word import is_his_word
from sfumato.report.verdict import NotRun, Verdict
from sfumato.text import counted, people, told_apart

Outcome = Literal["failed", "open", "kept", "measured", "not tried"]

QUESTIONS: dict[Threat | None, str] = {
    "singling out": "Can a row be told to be one person’s?",
    "linkability": "Can rows be linked with a list of people, or with other releases?",
    "inference": "Can somebody’s value be told without finding the row?",
    "membership": "Can it be told whether somebody is in the table?",
    None: "Attacks of other packages, which do not say what they threaten.",
}
NO_ATTACK = {
    "membership": "There is no attack on this here. Adversaries are taken to know who is in the "
    "table, and whether somebody is in it is not protected."
}
MORE = "other attacks succeed"
WITH_MORE = "with everybody’s quasi-identifiers at hand"


def threat_of(name: str) -> Threat | None:
    """Which threat an attack tries, by the name of its finding.

    >>> threat_of("linkage, prosecutor"), threat_of("linkage, marketer")
    ('singling out', 'linkability')
    >>> threat_of("homogeneity, untouched columns (disease)"), threat_of("of nobody")
    ('inference', None)
    """
    if name.startswith((COUNTING_PEOPLE, COUNTING_VALUES)):
        return "singling out" if name.startswith(COUNTING_PEOPLE) else "inference"
    kinds = [kind for kind in ATTACKS.values() if name.startswith(kind.name)]
    return max(kinds, key=lambda each: len(each.name)).threat_of(name) if kinds else None


def threats(
    target: Target,
    findings: Sequence[Finding],
    not_run: Sequence[NotRun],
    known: Sequence[str],
    verdict: Verdict,
) -> list[dict[str, Any]]:
    """Write a row for each threat; known: attacks that succeeded with more than is shown here."""
    rows = []
    for threat, question in QUESTIONS.items():
        tried = [each for each in findings if threat_of(each.name) == threat]
        missed = [each for each in not_run if threat_of(each.name) == threat]
        more = [name for name in known if threat_of(name) == threat]
        missed = [each for each in missed if each.name not in more]
        if threat is None and not (tried or missed or more):
            continue
        rows.append(_row(threat, question, tried, missed, more, target, verdict))
    return rows


def _row(
    threat: Threat | None,
    question: str,
    tried: Sequence[Finding],
    missed: Sequence[NotRun],
    more: Sequence[str],
    target: Target,
    verdict: Verdict,
) -> dict[str, Any]:
    outcome = _outcome(threat, tried, missed, more, target, verdict)
    return {
        "threat": threat,
        "question": question,
        "outcome": outcome,
        "words": _words(threat, outcome, tried, missed, more),
        "tried": [each.name for each in tried if not is_his_word(each)],
        "told": [each.name for each in tried if is_his_word(each)],
        "not_tried": [
            {"attack": each.name, "reason": each.reason, "applies": each.applies} for each in missed
        ],
    }


def _outcome(
    threat: Threat | None,
    tried: Sequence[Finding],
    missed: Sequence[NotRun],
    more: Sequence[str],
    target: Target,
    verdict: Verdict,
) -> Outcome:
    """Say what was shown; kept is only what was promised, and shown to be kept."""
    if more or any(each.holds is False for each in tried):
        return "failed"
    promised = [each for each in tried if each.promised is not None and not each.promised.assumed]
    undecided = any(each.holds is None for each in promised)
    if verdict != "safe":
        undecided = undecided or any(each.applies for each in missed)
        undecided = undecided or (threat == "inference" and bool(target.promises_of_values))
    if undecided:
        return "open"
    if promised:
        return "kept"
    return "measured" if tried else "not tried"


def _words(
    threat: Threat | None,
    outcome: Outcome,
    tried: Sequence[Finding],
    missed: Sequence[NotRun],
    more: Sequence[str],
) -> str:
    if outcome == "failed":
        failing = [each for each in tried if each.holds is False]
        if not failing:
            return f"Succeeded {WITH_MORE}: {told_apart(more, '; ')}."
        worst = max(failing, key=lambda each: each.n_exceeding)
        others = len({each.name for each in failing} | {*more}) - 1
        beside = "" if not others else f" {counted(others, 'other attack succeeds', MORE)}, too."
        return f"{_found(worst)}. It concerns {people(worst.n_exceeding)}.{beside}"
    said = "" if (strongest := _strongest(tried)) is None else f"{_found(strongest)}."
    if outcome == "measured":
        return f"{said} Nothing was promised about it.".strip()
    said += _beyond(tried, strongest)
    if outcome == "kept":
        return said
    if outcome == "open":
        return f"{said} It was not shown that this cannot be done.".strip()
    if threat in NO_ATTACK and not missed:
        return NO_ATTACK[str(threat)]
    reasons = dict.fromkeys(each.reason for each in missed)
    return f"Not tried: {'; '.join(reasons)}." if reasons else "Not tried."


def _strongest(tried: Sequence[Finding]) -> Finding | None:
    """Find what comes nearest to what was promised; else the largest belief."""
    shares = [
        (float(each.found), each)
        for each in tried
        if words.is_probability(each) and isinstance(each.found, (int, float, Fraction))
    ]
    if not shares:
        return tried[0] if tried else None

    def excess(pair: tuple[float, Finding]) -> tuple[bool, bool, float]:
        found, each = pair
        bound = each.promised
        promised = bound is not None and not bound.assumed and each.holds is not None
        return (
            promised,
            not each.is_bound,
            found - (float(bound.number) if promised and bound is not None else 0),
        )

    return max(shares, key=excess)[1]


def _beyond(tried: Sequence[Finding], shown: Finding | None) -> str:
    """Say what was found where nothing was promised, if that is more than what is shown."""
    free = [
        (float(each.found), each)
        for each in tried
        if (each.promised is None or each.promised.assumed)
        and not each.is_bound
        and words.is_probability(each)
        and isinstance(each.found, (int, float, Fraction))
    ]
    if not free or shown is None:
        return ""
    most, largest = max(free, key=lambda pair: pair[0])
    known = not shown.is_bound and isinstance(shown.found, (int, float, Fraction))
    if largest is shown or (known and most <= float(shown.found)):  # type: ignore[arg-type]  # known
        return ""
    found = words.measured(largest, largest.found)
    return f" {found} by {told_apart([largest.name])}, nothing promised."


def _found(finding: Finding) -> str:
    """Say what an attack found, beside what was promised."""
    found = words.measured(finding, finding.found)
    if finding.is_bound or finding.failed is not None:
        found = finding.briefly
    said = f"{found} by {told_apart([finding.name])}"
    if finding.failed is None and (finding.promised is None or finding.promised.assumed):
        return f"Found {said}"
    return f"Found {said}, promised {words.bound(finding)}"
