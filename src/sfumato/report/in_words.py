"""Plain words for what was promised, how it was made, and how far the claim goes."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from inspect import cleandoc

from sfumato.algorithms import Algorithm
from sfumato.attacks import Finding
from sfumato.attacks.attack import ATTACKS
from sfumato.criteria.bound import Value
from sfumato.release.description import MAY_BE_CHANGED
from sfumato.report.verdict import NotRun
from sfumato.spec import headline
from sfumato.text import counted, share

PROBABILITIES = ("belief", "share")  # how units begin that are measured from 0 to 1
STRONG = Fraction(1, 2)  # a belief that deserves a remark even where it was allowed


def method(algorithm: Algorithm) -> str:
    """Say what a method does."""
    return headline(algorithm)


def attack(finding: Finding) -> str | None:
    """Say what an attack does; None where nobody says so."""
    kinds = [kind for kind in ATTACKS.values() if finding.attack.startswith(kind.name)]
    if not kinds:
        return None
    kind = max(kinds, key=lambda each: len(each.name))
    return cleandoc(kind.__doc__ or "").split("\n\n")[0].replace("\n", " ") or None


def is_probability(finding: Finding) -> bool:
    """Whether a finding is measured from 0 (impossible) to 1 (certain)."""
    return finding.unit.startswith(PROBABILITIES)


def measured(finding: Finding, value: Value) -> str:
    """Write a value of a finding for a person."""
    if is_probability(finding) and isinstance(value, (int, Fraction, float)) and 0 <= value <= 1:
        return share(value)
    return finding.text(value)


def bound(finding: Finding) -> str:
    """Write what was promised; the relation in words."""
    if finding.failed is not None:
        return f"{finding.failed.criterion}: {finding.failed.promised}"
    if finding.promised is None:
        return "nothing"
    relations = {"<=": "at most", "<": "less than", ">=": "at least", ">": "more than"}
    relation = relations.get(finding.promised.relation, finding.promised.relation)
    return f"{relation} {measured(finding, finding.promised.value)}"


def remarks(findings: Sequence[Finding]) -> list[str]:
    """Say what verdicts alone would hide: promises that were kept, and allowed much."""
    said: dict[tuple[str | None, float], str] = {}
    failing = {finding.attribute for finding in findings if finding.holds is False}
    for finding in findings:
        found = finding.found
        if not isinstance(found, (int, Fraction, float)) or not STRONG <= found <= 1:
            continue
        if not is_probability(finding) or finding.attribute in {None, *failing}:
            continue
        if finding.promised is None or finding.promised.assumed:
            allowed = "nothing was promised about this"
        elif finding.holds is None:
            allowed = f"whether that breaks the promise, {bound(finding)}, is not settled"
        elif finding.is_less(finding.found):
            continue  # a bound that says nothing; less was shown another way
        else:
            allowed = f"the promise, {bound(finding)}, allows it"
        text = f"{finding.name}: belief {_reached(finding)} for somebody; {allowed}."
        said.setdefault((finding.attribute, float(found)), text)
    return [said[key] for key in sorted(said, key=lambda key: -key[1])]


def _reached(finding: Finding) -> str:
    """Say how far belief goes, no further than is known: exactly, at most, or between two ends."""
    if finding.interval is not None:
        low, high = (measured(finding, end) for end in finding.interval)
        return f"reaches {low} to {high}" if low != high else f"reaches {low}"
    reaches = "may reach" if finding.is_bound else "reaches"
    return f"{reaches} {measured(finding, finding.found)}"


def not_tried(not_run: Sequence[NotRun]) -> list[str]:
    """Name the attacks that apply, or that the original would let run, and say what is missing."""
    names: dict[str, list[str]] = {}
    for each in not_run:
        if each.applies or each.with_original:
            names.setdefault(each.said, []).append(each.name)
    return [f"Not tried here: {'; '.join(those)}: {reason}." for reason, those in names.items()]


def limits(
    *,
    release: bool,
    bucketized: bool,
    set_valued: str | None,
    masked: str | None,
    n_unseen: int,
    n_earlier: int,
    experiment: bool,
    private: bool,
) -> list[str]:
    """Say what the numbers are not about."""
    beside = f"and {counted(n_earlier, 'earlier release')}" if n_earlier else "alone"
    said = [
        "The numbers hold against adversaries who know what is stated here. Somebody who knows "
        "more, of one person or of how values go together, can learn more: this is no "
        "differential privacy.",
        "Columns that were not named quasi-identifiers are taken to be unknown to the adversary. "
        f"{'Insensitive' if masked is not None else 'Sensitive and insensitive'} columns are "
        "published as they are; where others know them, they are quasi-identifiers, and the "
        "numbers are too low.",
        f"Only the attacks on this page were tried, on this table {beside}. Other releases about "
        "the same people, earlier or later, here or elsewhere, can be combined with it.",
        "The adversary is taken to know that the person is in the table. Whether somebody is in "
        "it is not protected, and if the table is a sample, nothing is said about the people it "
        "was drawn from: what the rows show of people in general can be applied to anybody.",
        "Rows are counted as people: one row each.",
    ]
    if bucketized:
        said.append(
            "Quasi-identifiers and insensitive columns are published as they are: who is in the "
            "table, and in which group, is there for everybody to see. Only which sensitive value "
            "of a group is whose is hidden."
        )
    if masked is not None:
        said.append(
            f"Values of {masked} {MAY_BE_CHANGED}. Attacks that do not know the method take the "
            "published values for people's own. Which values were changed, how many, and whether "
            "any was, is known to whoever made the release, and raises what can be believed."
        )
    if set_valued is not None:
        said.append(
            f"People have any number of values of {set_valued}. How many somebody has, and which "
            "of them go together, is not published; attacks that count on one value for each "
            "person say nothing here."
        )
    if not release:
        said.append(
            "The table was read as it is. Roles and promise are what the auditor said; who made "
            "it, how, and what was left out is not known."
        )
    if n_unseen:
        said.append(
            f"{counted(n_unseen, 'column')} of the file had no part in the audit. "
            "If they are published, an adversary has them."
        )
    if not private:
        said.append(
            "How much detail was lost, and how many people could be recognized before, is measured "
            "on the original, which is not published; so neither stands here."
        )
    if experiment:
        said.append(
            "This is an experiment made with a seed: whoever knows the seed can repeat its "
            "chances. It is not for publication."
        )
    return said
