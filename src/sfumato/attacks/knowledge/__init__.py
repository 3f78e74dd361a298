"""What an adversary with background knowledge would believe (Chen 2009).

`groups` is a release as the paper sees it: `[(people, {value: occurrences}), ...]`, or `sf.Groups`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from sfumato.attacks.knowledge.families import Belief, same_value_families
from sfumato.attacks.knowledge.given_groups import (
    GivenGroups,
    Person,
    Released,
    point_of,
    read_groups,
)
from sfumato.attacks.knowledge.uncertain import uncertain_posterior
from sfumato.errors import BadInput, shown
from sfumato.formulas.knowledge import named as named_knowledge
from sfumato.formulas.knowledge import skyline as skylines
from sfumato.formulas.knowledge import witness as witnesses
from sfumato.formulas.knowledge.breach import Case, of_value
from sfumato.formulas.knowledge.witness import Witness
from sfumato.parameters import number

__all__ = [
    "Belief",
    "Witness",
    "attribute_skyline",
    "breach_probability",
    "knowledge_skyline",
    "posterior",
    "same_value_families",
    "uncertain_posterior",
    "witness",
]


def __dir__() -> list[str]:
    return sorted(__all__)


def breach_probability(
    groups: Released, value: object, l: int, k: int, m: int, case: Case = "single"
) -> Fraction:
    """Give the largest belief that anybody has the value, over all that could be known.

    Args:
        groups: `[(people, {value: occurrences}), ...]`, or `sf.Groups`.
        value: The sensitive value; 0 if it occurs nowhere.
        l: Up to so many values that the target does not have; for sets, that the target has only
            together with the value.
        k: Up to so many other people whose value is known; for sets, who lack the value.
        m: Up to so many people who have the value only if the target has it.
        case: "single": everybody has exactly one value; "set"; "multiset".

    >>> table_1b = [(4, {"AIDS": 2, "Flu": 2}), (4, {"AIDS": 1, "Cancer": 1, "Flu": 2})]
    >>> breach_probability(table_1b, "AIDS", 0, 0, 0), breach_probability(table_1b, "AIDS", 1, 0, 0)
    (Fraction(1, 2), Fraction(1, 1))
    """
    release, point = read_groups(groups, case), point_of(l, k, m)
    code = release.code_of(value)
    if code is None:
        return Fraction(0)
    return of_value(release.histogram, release.sizes, code, point, case).breach


def knowledge_skyline(
    groups: Released, value: object, confidence: float | Fraction, case: Case = "single"
) -> list[tuple[int, int, int]]:
    """Give the largest amounts of knowledge (l, k, m) that do not give the value away.

    With any amount beneath one of these points nobody is believed to have the value with
    `confidence` or more; with any other amount somebody is. An empty list: already the release
    alone gives it away. For sets and multisets l ends at the number of other values in the
    release, since nobody can know more, and there it stands for every l.

    Raises:
        BadInput: The value occurs nowhere.

    >>> knowledge_skyline([(5, {"Flu": 4, "AIDS": 1})], "AIDS", 0.5)
    [(0, 0, 2), (0, 1, 1), (0, 2, 0)]
    """
    release = read_groups(groups, case)
    code = release.code_of(value)
    if code is None or code not in release.histogram.codes:
        raise BadInput("knowledge_skyline: the value occurs in no group", [value])
    c = number("knowledge_skyline", "confidence", confidence, above=0, most=1)
    return _skyline(release, c, case, [code])


def attribute_skyline(
    groups: Released, confidence: float | Fraction, case: Case = "single"
) -> list[tuple[int, int, int]]:
    """Give the largest amounts of knowledge (l, k, m) that give no value away at all.

    >>> from sfumato.attacks import knowledge
    >>> knowledge.attribute_skyline([(6, {"Flu": 3, "AIDS": 3})], confidence=0.9)
    [(0, 1, 1), (0, 2, 0)]
    """
    release = read_groups(groups, case)
    c = number("attribute_skyline", "confidence", confidence, above=0, most=1)
    values = np.unique(release.histogram.codes).tolist()
    if not values:
        raise BadInput("attribute_skyline: no value occurs in any group")
    return _skyline(release, c, case, values)


def witness(
    groups: Released, value: object, l: int, k: int, m: int, case: Case = "single"
) -> Witness:
    """Tell in which group somebody is worst protected, and which knowledge gives them away.

    >>> witness([(5, {"Flu": 4, "AIDS": 1})], "AIDS", 0, 4, 0).others_have
    (('Flu', 4),)
    """
    release, point = read_groups(groups, case), point_of(l, k, m)
    code = release.code_of(value)
    if code is None or code not in release.histogram.codes:
        raise BadInput("witness: the value occurs in no group", [value])
    worst = witnesses.witness(release.histogram, release.sizes, code, point, case)
    labels: dict[object, object] = dict(enumerate(release.labels))
    return replace(
        worst,
        value=labels[code],
        ruled_out=tuple(labels[each] for each in worst.ruled_out),
        others_have=tuple((labels[each], people) for each, people in worst.others_have),
    )


def posterior(
    groups: Released,
    target: Person,
    value: object,
    excluded: Iterable[object] = (),
    others: Iterable[object] = (),
    family: Iterable[Person] = (),
    case: Case = "single",
) -> Fraction:
    """Give the belief that one person has the value, with knowledge about people by name.

    A person is `(group, member)`, both counted from 0.

    Args:
        groups: `[(people, {value: occurrences}), ...]`, or `sf.Groups`.
        target: Whom it is about.
        value: The sensitive value.
        excluded: Values that the target does not have. For sets and multisets such knowledge alone
            says nothing about another value; there it means that the target has them only together
            with `value` (the paper's definition 2).
        others: `[(person, value), ...]` that other people have; for sets and multisets
            `[person, ...]` who do not have `value`.
        family: People who have `value` only if the target has it.
        case: "single", "set" or "multiset".

    Raises:
        BadInput: What is known cannot be true at once.

    >>> table_1b = [(4, {"AIDS": 2, "Flu": 2}), (4, {"AIDS": 1, "Cancer": 1, "Flu": 2})]
    >>> tom, gary = (1, 3), (1, 2)
    >>> posterior(table_1b, tom, "AIDS", ["Cancer"], [(gary, "Flu")])
    Fraction(1, 2)
    """
    release = read_groups(groups, case)
    whom = release.person("target", target)
    relatives = [release.person("family", person) for person in family]
    known: dict[Person, int] = {}
    lacking: list[Person] = []
    if case == "single":
        for each in others:
            if not isinstance(each, Sequence) or len(each) != 2:
                raise BadInput(
                    f"posterior: others must be (person, value) pairs, got {shown(each)}"
                )
            person, has = release.person("others", each[0]), release.code_of(each[1])
            if known.setdefault(person, -1 if has is None else has) != (-1 if has is None else has):
                raise BadInput("posterior: others say two different values of the same person")
    else:
        lacking = [release.person("others", person) for person in others]
    if whom in known or whom in lacking or whom in relatives:
        raise BadInput("posterior: the target cannot be one of the others or of the family")
    code = release.code_of(value)
    codes = [release.code_of(each) for each in excluded]
    named = {person[0] for person in (whom, *known, *lacking, *relatives)}
    return named_knowledge.posterior(
        {group: release.row(group) for group in named},
        whom,
        -2 if code is None else code,  # which nobody has
        [each for each in codes if each is not None],
        known,
        lacking,
        relatives,
        case,
    )


def _skyline(
    release: GivenGroups, c: Fraction, case: Case, codes: Sequence[int]
) -> list[tuple[int, int, int]]:
    points = skylines.knowledge_skyline(release.histogram, release.sizes, c, case, codes)
    return sorted((point.l, point.k, point.m) for point in points)
