"""Who would be given away, and by which knowledge: where the worst case is reached."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sfumato.data.groups import Counts, Histogram
from sfumato.errors import BadInput
from sfumato.formulas.knowledge.breach import Case, Exactly, Point, entries_of, five_of
from sfumato.formulas.knowledge.exact import Statistics


@dataclass(frozen=True)
class Witness:
    """Knowledge with which somebody in a group is believed to have a value as firmly as possible.

    Anybody of the group may be the target, and anybody else of the groups named may be the others
    and the family. No more knowledge is named than is needed: where that says less than the point
    allows, more would not raise the belief.

    >>> from sfumato.attacks import knowledge
    >>> knowledge.witness([(5, {"Flu": 4, "AIDS": 1})], "AIDS", 0, 4, 0).value
    'AIDS'
    """

    value: object  # here and below its code, or its label where the caller knows labels
    group: int  # of the target
    ruled_out: tuple[object, ...]  # values the target does not have (sets: only together with it)
    others_group: int | None  # None: nothing is known of others
    n_others: int
    others_have: tuple[tuple[object, int], ...]  # (value, people); empty for sets
    family_group: int | None  # None: nothing is known of a family
    n_family: int
    breach: Fraction


def witness(
    histogram: Histogram, sizes: Counts, value: int, point: Point, case: Case = "single"
) -> Witness:
    """Find who is worst protected against this much knowledge, and what gives them away."""
    entries = entries_of(histogram, sizes, point.l, case, value)
    if not len(entries.codes):
        raise BadInput("a value that occurs nowhere cannot be given away", [value])
    exact = Exactly(histogram, entries, five_of(entries, point, case), point, case)
    by_entry = {entry: exact.of(entry) for entry in sorted(exact.candidates(value))}
    least = exact.minima(value)

    def entry_with(statistic: str) -> int:
        lowest = getattr(least, statistic)
        return next(e for e, own in by_entry.items() if getattr(own, statistic) == lowest)

    targets, families, others = _placed(least)
    target, family = entry_with(targets), entry_with(families)
    if targets == families:
        family = target
    with_others = {"target": target, "family": family}[others]
    place = int(entries.group[target])
    ruled_out = _most_frequent(histogram, place, value, point.l)
    own = by_entry[target]
    certain = (own.alone if others == "family" else own.kept) == 0

    def limits(entry: int) -> tuple[int, int]:
        """People in the group, and how many of them lack the value for sure."""
        n, having = int(entries.n[entry]), int(entries.having[entry])
        return n, n - (1 if case == "multiset" else having)

    n_others = min(point.k, limits(with_others)[1])
    if others == "target" and case == "single":
        n_others = min(n_others, limits(target)[1] - int(entries.ruled_out[target]))
    if others == "family" and certain:
        n_others = 0
    n_family = 0
    if point.m and not certain:
        room = limits(family)[1] - (n_others if with_others == family else 0)
        n_family = min(point.m, room + (0 if family == target else 1))
    have: tuple[tuple[object, int], ...] = ()
    if case == "single":
        kept_out = {value, *(ruled_out if with_others == target else ())}
        have = _dealt(histogram, int(entries.group[with_others]), kept_out, n_others)
    return Witness(
        value,
        place,
        ruled_out,
        int(entries.group[with_others]) if n_others else None,
        n_others,
        have,
        int(entries.group[family]) if n_family else None,
        n_family,
        least.breach,
    )


def _placed(least: Statistics) -> tuple[str, str, str]:
    """Which statistics place the target and the family, and whose group the others are in."""
    ratio = least.negated_ratio
    if least.together == ratio:
        return "together", "together", "target"
    if least.alone is not None and least.alone * least.family_beside_others == ratio:
        return "alone", "family_beside_others", "family"
    return "kept", "family", "target"


def _most_frequent(histogram: Histogram, group: int, value: int, l: int) -> tuple[int, ...]:
    part = slice(histogram.starts[group], histogram.starts[group + 1])
    codes, counts = histogram.codes[part], histogram.counts[part]
    order = np.argsort(-counts, kind="stable")
    return tuple(int(code) for code in codes[order] if code != value)[:l]


def _dealt(
    histogram: Histogram, group: int, kept_out: set[int], people: int
) -> tuple[tuple[object, int], ...]:
    """Let people have values of the group, others than these."""
    part = slice(histogram.starts[group], histogram.starts[group + 1])
    dealt: list[tuple[object, int]] = []
    for code, count in zip(histogram.codes[part], histogram.counts[part], strict=True):
        if int(code) not in kept_out and people:
            taken = min(int(count), people)
            dealt.append((int(code), taken))
            people -= taken
    return tuple(dealt)
