"""The publisher's word: verdicts that need everybody's quasi-identifiers, where nobody has them.

An audit of a release in the process that made it leaves them in the release, and `save` writes them
into `release.json`; an audit without the original shows them instead of running blind.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

from sfumato.attacks import Finding, Target
from sfumato.attacks.finding import KNOWN
from sfumato.attacks.what_helps import against_knowing_method
from sfumato.release import Release
from sfumato.release.stated_verdicts import StatedVerdict
from sfumato.report.verdict import NotRun

HIS_WORD = "the publisher's word, from release.json: everybody's quasi-identifiers are his alone"


def is_his_word(finding: Finding) -> bool:
    """Whether a finding was not made here, but told by the publisher."""
    return finding.note == HIS_WORD


def given_word(findings: Iterable[Finding]) -> tuple[StatedVerdict, ...]:
    """Give what a release may say of itself: verdicts of attacks that know the method.

    Nothing of it depends on who has which value, so nobody who is worst off is named. Where the
    largest belief was only bounded, the bound is said.
    """
    return tuple(
        StatedVerdict(
            each.attack,
            each.attribute,
            each.unit,
            each.before,
            found,
            each.promised,
            each.holds,
            each.n_exceeding,
            each.knows_earlier,
            each.failed,
            is_bound=each.is_bound or found != each.found or each.is_less(found),
        )
        for each in findings
        for found in [each.interval[1] if each.holds and each.interval else each.found]
        if each.knows_method
        and isinstance(each.before, (int, Fraction, float))
        and isinstance(found, (int, Fraction, float))
    )


def with_publishers_word(
    release: Release, target: Target, findings: list[Finding], not_run: list[NotRun]
) -> tuple[list[Finding], list[NotRun]]:
    """Put the publisher's word where an attack that knows the method reached no verdict itself.

    An attack that he saw succeed has succeeded, whatever somebody finds who knows less. Of earlier
    releases he knew those that the release names.
    """
    if target.original is not None or target.criterion != release.criterion:
        return findings, not_run
    he_knew_all = target.previous.digests <= release.previous.digests
    reached = {each.name: each for each in findings if each.knows_method}
    for stated in release.description.verdicts:
        word = _finding(stated, target, knows_earlier=stated.knows_earlier and he_knew_all)
        own = reached.get(word.name)
        if own is not None and own.holds is not None and stated.holds is not False:
            continue
        findings = [each for each in findings if each is not own]
        not_run = [each for each in not_run if each.name != word.name]
        findings.append(word)
    return findings, not_run


def _finding(stated: StatedVerdict, target: Target, *, knows_earlier: bool) -> Finding:
    earlier = "; the earlier releases, and when people came" if knows_earlier else ""
    finding = Finding(
        attack=stated.attack,
        attribute=stated.attribute,
        knows=f"{KNOWN}, and everybody's; the method{earlier}",
        unit=stated.unit,
        before=stated.before,
        found=stated.found,
        promised=stated.promised,
        holds=stated.holds,
        n_exceeding=stated.n_exceeding,
        n_people=target.n_people,
        note=HIS_WORD,
        knows_method=True,
        knows_earlier=knows_earlier,
        failed=stated.failed,
        is_bound=stated.is_bound,
    )
    if not finding.needs_remedy:
        return finding
    return replace(finding, remedy=against_knowing_method(target, finding))
