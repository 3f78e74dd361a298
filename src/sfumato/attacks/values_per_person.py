"""What one person can have of a sensitive column: one value, a set, or a multiset."""

from __future__ import annotations

from sfumato.attacks.target import Target
from sfumato.criteria import Skyline
from sfumato.errors import BadInput
from sfumato.formulas.knowledge.breach import Case


def case_of(target: Target, attribute: str, asked: Case | None = None) -> Case:
    """Give what one person can have: as asked or promised, else as the column is.

    Published values do not say whose they are; that somebody has one twice shows in the original,
    or where a group has more of it than people.
    """
    if target.set_valued == attribute:
        target.refuse_whole_sets()
    for case in [asked] if asked else [part.case for part in promised_skylines(target, attribute)]:
        if case == "single" and target.set_valued == attribute:
            raise BadInput(
                f'people have any number of values of {attribute!r}: ask with case="set" or '
                '"multiset"'
            )
        return case
    if target.set_valued != attribute:
        return "single"
    groups, known = target.seen.groups(attribute), target.seen.frequencies
    if target.original is not None:
        known = target.original.frequencies()
    members = known.domains[attribute].members
    twice = (groups.histogram.largest() > groups.sizes).any()
    return "multiset" if twice or (members is not None and members.repeated) else "set"


def promised_skylines(target: Target, attribute: str | None) -> list[Skyline]:
    """Give what was promised of a sensitive column against amounts of knowledge."""
    if attribute is None:
        return []
    parts = target.parts(attribute, others=False)
    return [known for part in parts if (known := part.skyline()) is not None]
