"""An audit in few words: its verdict, three sentences at most, and a line for each attack."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from sfumato.attacks import Finding
from sfumato.report.in_words import bound, is_probability, measured
from sfumato.report.publishers_word import is_his_word
from sfumato.text import counted, listed, people

HEADER = ("attack", "promised", "found", "verdict")
LEGEND = (
    "Found is what the attack reaches for the person worst off: how sure it is of a value, or what "
    "its unit says. Promised is the limit; in brackets what is assumed where nothing was promised."
)
MOST = 3  # sentences
ALMOST_ALL = re.compile(r"99\.99\d*[1-9]\d*%")  # of which a line has no room for the digits
TOLD = "the publisher's word"
RULED_OUT = " to rule out"  # what a unit says of values, which a line has no room for


def line(finding: Finding, *, named: bool) -> tuple[str, str, str, str]:
    """Give one attack by `HEADER`; named: with the column that it is about."""
    name = finding.name if named else finding.attack
    promised, found = finding.promise, ALMOST_ALL.sub("> 99.99%", finding.briefly)
    verdict = f"{finding.verdict}, {TOLD}" if is_his_word(finding) else finding.verdict
    return name, promised.removesuffix(RULED_OUT), found.removesuffix(RULED_OUT), verdict


def sentences(
    findings: Sequence[Finding], remarks: Sequence[str], n_not_run: int
) -> tuple[str, ...]:
    """Say in three sentences at most what matters most."""
    failing = [each for each in findings if each.holds is False]
    told = max(failing, key=lambda each: each.n_exceeding) if failing else _strongest(findings)
    said = [] if told is None else [_reached(told)]
    if failing and told is not None:
        said[0] += f" That strikes {people(told.n_exceeding)}."
        others = [each.name for each in failing if each is not told]
        said += [f"It succeeds, and so do: {listed(others)}."] if others else []
    own = "" if told is None else f"{told.name}:"
    said += [_capital(each) for each in remarks if not (own and each.startswith(own))]
    if n_not_run and len(said) < MOST:
        attacks = counted(n_not_run, "attack was", "attacks were")
        said.append(f"{attacks} not run; --details says why.")
    return tuple(said[:MOST])


def _strongest(findings: Sequence[Finding]) -> Finding | None:
    """Find the attack that came nearest to what was promised."""
    nearest: tuple[float, Finding] | None = None
    for each in findings:
        found, promised = each.found, each.promised
        if not (each.holds and is_probability(each)) or promised is None or each.is_bound:
            continue
        if isinstance(found, (int, Fraction, float)):
            excess = float(found) - float(promised.number)
            if nearest is None or excess > nearest[0]:
                nearest = excess, each
    return None if nearest is None else nearest[1]


def _reached(finding: Finding) -> str:
    """Say what an attack reaches, beside what was promised."""
    found = measured(finding, finding.found)
    if finding.failed is not None:
        failed = finding.failed
        whose = "" if finding.attribute is None else f" for the {finding.attribute} of somebody"
        return (
            f"The attack '{finding.attack}' leaves {failed.criterion} at {failed.found}{whose}; "
            f"promised is {failed.promised}."
        )
    if finding.unit.startswith("share"):
        found = f"succeeds for {found} of the people"
    elif is_probability(finding):
        whom = (
            "who somebody is"
            if finding.attribute is None
            else f"the {finding.attribute} of somebody"
        )
        found = f"{'may be' if finding.is_bound else 'is'} {found} sure of {whom}"
    else:
        found = f"finds {found}"
    promised = "nothing was promised"
    if finding.promised is not None:
        assumed = finding.promised.assumed
        promised = f"{'assumed' if assumed else 'promised'} is {bound(finding)}"
    return f"The attack '{finding.attack}' {found}; {promised}."


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"
