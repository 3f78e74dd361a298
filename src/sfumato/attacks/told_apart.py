"""Verdicts on groups whose people other columns tell apart."""

from __future__ import annotations

from dataclasses import replace

from sfumato.attacks.finding import Finding
from sfumato.attacks.target import Target

TOLD_APART = (
    "no verdict, since {} tell people of a group apart, and what the method tells who knows them "
    "is not worked out"
)


def unless_told_apart(finding: Finding, target: Target) -> Finding:
    """Take the verdict "holds" from what was worked out for groups that can be told apart."""
    apart = target.told_apart
    if not finding.holds or target.untouched is None or apart is None:
        return finding
    if finding.attribute not in apart.sensitive:  # he knows it already
        return finding
    notes = [TOLD_APART.format(target.untouched.known), *([finding.note] if finding.note else [])]
    return replace(finding, holds=None, note="; ".join(notes))
