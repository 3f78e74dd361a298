"""Whose value is believed most, among those that a promise is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sfumato.attacks.target import Target, View
from sfumato.criteria import Criterion, Skyline
from sfumato.errors import BadInput
from sfumato.formulas.exact import position_of_largest
from sfumato.formulas.knowledge.breach import Case
from sfumato.formulas.measures.disclosure import most_frequent


@dataclass(frozen=True)
class Believed:
    """A group and a value that are believed to belong together."""

    group: int
    codes: tuple[int, ...]  # of the value, or of all that count as one
    belief: Fraction


def most_believed(view: View, part: Criterion | None) -> Believed:
    """Find where belief is largest, among the values that a part of a promise protects.

    Where the promise pools values, they are one value here too. None: all values.
    """
    groups = view.groups
    counted_as = np.arange(len(groups.values), dtype=np.int32)
    if part is not None:
        counted_as = part.protects(groups.values)
    codes, counts = most_frequent(groups.histogram.counted_as(counted_as))
    if not counts.any():
        return Believed(0, (), Fraction(0))
    group = position_of_largest(counts, view.sizes)
    same = np.flatnonzero(counted_as == codes[group])
    belief = Fraction(int(counts[group]), int(view.sizes[group]))
    return Believed(group, tuple(same.tolist()), belief)


def worst_of(kept: Sequence[np.bool_], excess: Sequence[Fraction | float]) -> int:
    """Choose which of several promises to show: a broken one, and the one nearest to its limit."""
    return max(range(len(kept)), key=lambda j: (not kept[j], excess[j]))


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
