"""What an adversary with background knowledge would believe (Chen 2009).

`groups` is a release as the paper sees it: `[(people, {value: occurrences}), ...]`, or `sf.Groups`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import cast

import numpy as np

from sfumato.data.groups import MOST, Counts, Groups, Histogram
from sfumato.errors import BadInput, one_of, shown
from sfumato.formulas import knowledge_skyline as skylines
from sfumato.formulas import named_knowledge
from sfumato.formulas import witness as witnesses
from sfumato.formulas.exact import fraction
from sfumato.formulas.knowledge import CASES, Case, Point, of_value, refuse_impossible
from sfumato.formulas.witness import Witness

__all__ = [
    "Witness",
    "attribute_skyline",
    "breach_probability",
    "knowledge_skyline",
    "posterior",
    "witness",
]

Released = Sequence[tuple[int, Mapping[object, int]]] | Groups
Person = tuple[int, int]


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
    release, point = _read(groups, case), _point(l, k, m)
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
    release = _read(groups, case)
    code = release.code_of(value)
    if code is None or code not in release.histogram.codes:
        raise BadInput("knowledge_skyline: the value occurs in no group", [value])
    c = confidence_of("knowledge_skyline", confidence)
    return _skyline(release, c, case, [code])


def attribute_skyline(
    groups: Released, confidence: float | Fraction, case: Case = "single"
) -> list[tuple[int, int, int]]:
    """Give the largest amounts of knowledge (l, k, m) that give no value away at all."""
    release = _read(groups, case)
    c = confidence_of("attribute_skyline", confidence)
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
    release, point = _read(groups, case), _point(l, k, m)
    code = release.code_of(value)
    if code is None or code not in release.histogram.codes:
        raise BadInput("witness: the value occurs in no group", [value])
    found = witnesses.witness(release.histogram, release.sizes, code, point, case)
    labels: dict[object, object] = dict(enumerate(release.labels))
    return replace(
        found,
        value=labels[code],
        ruled_out=tuple(labels[each] for each in found.ruled_out),
        others_have=tuple((labels[each], people) for each, people in found.others_have),
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
    release = _read(groups, case)
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


@dataclass(frozen=True, eq=False)
class _Release:
    """What is published: groups as arrays, and the values' codes."""

    histogram: Histogram
    sizes: Counts
    codes: Mapping[object, int] | Groups

    @property
    def labels(self) -> Sequence[object]:
        """The values, by code."""
        return self.codes.labels if isinstance(self.codes, Groups) else list(self.codes)

    def code_of(self, value: object) -> int | None:
        """Look a value up; None: nobody has it."""
        if isinstance(self.codes, Groups):
            found = self.codes.codes_of([value])
            return int(found[0]) if len(found) else None
        try:
            return self.codes.get(value)
        except TypeError:  # it cannot be a key
            return None

    def row(self, group: int) -> named_knowledge.Row:
        """One group: people, and occurrences by code."""
        part = slice(self.histogram.starts[group], self.histogram.starts[group + 1])
        codes, counts = self.histogram.codes[part], self.histogram.counts[part]
        return int(self.sizes[group]), dict(zip(codes.tolist(), counts.tolist(), strict=True))

    def person(self, name: str, person: object) -> Person:
        """Read `(group, member)`."""
        if not isinstance(person, Sequence) or len(person) != 2 or not all(map(_whole, person)):
            raise BadInput(
                f"posterior: in {name} a person must be (group, member), two whole numbers from 0, "
                f"got {shown(person)}"
            )
        group, member = int(person[0]), int(person[1])
        if not group < len(self.sizes) or not member < self.sizes[group]:
            people = f" of {self.sizes[group]} people" if group < len(self.sizes) else ""
            raise BadInput(
                f"posterior: in {name} there is no member {member} in group {group}{people}; there "
                f"are {len(self.sizes)} groups, and groups and members are counted from 0"
            )
        return group, member


def _skyline(
    release: _Release, c: Fraction, case: Case, codes: Sequence[int]
) -> list[tuple[int, int, int]]:
    points = skylines.knowledge_skyline(release.histogram, release.sizes, c, case, codes)
    return sorted((point.l, point.k, point.m) for point in points)


def _read(groups: Released, case: Case) -> _Release:
    one_of("knowledge", "case", case, CASES)
    if isinstance(groups, Groups):
        release = _Release(groups.histogram, groups.sizes, groups)
    else:
        release = _read_list(groups)
    refuse_impossible(release.histogram, release.sizes, case)
    return release


def _read_list(groups: object) -> _Release:
    if not isinstance(groups, Iterable) or isinstance(groups, (str, Mapping)):
        raise BadInput(f"groups must be a list of (people, {{value: n}}), got {shown(groups)}")
    codes: dict[object, int] = {}
    sizes, places, values, counts = [], list[int](), list[int](), list[int]()
    for place, group in enumerate(groups):
        pair = tuple(group) if isinstance(group, Sequence) and not isinstance(group, str) else ()
        if len(pair) != 2 or not _whole(pair[0]) or not isinstance(pair[1], Mapping):
            raise BadInput(
                f"group {place} must be (people, {{value: occurrences}}), got {shown(group)}"
            )
        sizes.append(pair[0])
        for value, count in pair[1].items():
            if not _whole(count):
                raise BadInput(f"group {place}: occurrences must be whole numbers >= 0", [value])
            if count:
                places.append(place)
                values.append(codes.setdefault(value, len(codes)))
                counts.append(count)
    if max(sum(sizes), sum(counts)) > MOST:
        raise BadInput("groups: people and occurrences must add up to less than 2^63")
    histogram = Histogram.from_entries(
        np.array(places, dtype=np.intp),
        np.array(values, dtype=np.int32),
        np.array(counts, dtype=np.int64),
        (len(sizes), len(codes)),
    )
    return _Release(histogram, np.array(sizes, dtype=np.int64), codes)


def _whole(number: object) -> bool:
    whole = isinstance(number, (int, np.integer)) and not isinstance(number, bool)
    return whole and cast("int", number) >= 0


def _point(l: int, k: int, m: int) -> Point:
    for name, amount in (("l", l), ("k", k), ("m", m)):
        if not _whole(amount):
            raise BadInput(f"knowledge: {name} must be an integer >= 0, got {shown(amount)}")
    return Point(int(l), int(k), int(m))


def confidence_of(owner: str, value: object) -> Fraction:
    """Read a confidence exactly."""
    try:
        c = fraction(value)
    except (ValueError, OverflowError):
        c = Fraction(0)
    if not 0 < c <= 1:
        raise BadInput(f"{owner}: confidence must be above 0 and at most 1, got {shown(value)}")
    return c
