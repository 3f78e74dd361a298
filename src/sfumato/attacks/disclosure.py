"""What is wrong with this person? Attribute disclosure (Ciriani 2008, section 5)."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.base import (
    KNOWN,
    NO_CERTAINTY,
    Attack,
    Bound,
    Finding,
    Target,
    View,
    each_attribute,
    listed,
)
from sfumato.criteria import (
    AlphaKAnonymity,
    Criterion,
    KEAnonymity,
    LDiversity,
    PSensitiveKAnonymity,
    RecursiveDiversity,
    TCloseness,
)
from sfumato.data.domain import Domain
from sfumato.data.groups import Histogram
from sfumato.errors import BadInput, CannotRun, shown
from sfumato.formulas.disclosure import after_excluding, largest_rise, most_frequent, under_node
from sfumato.formulas.exact import position_of_largest
from sfumato.formulas.ranges import as_fractions, ranges

DIVERSITY = (LDiversity, RecursiveDiversity, AlphaKAnonymity, PSensitiveKAnonymity)


@dataclass(frozen=True, eq=False)
class _AboutValues(Attack):
    """An attack on one sensitive column, perhaps by somebody who knows people's other ones."""

    attribute: str | None = None
    others: bool = False  # the adversary knows the other sensitive columns of the target too

    @classmethod
    def against(cls, target: Target) -> Iterator[Attack]:
        """Every sensitive column, without and with knowing the others."""
        for attribute, others in each_attribute(target):
            yield cls(attribute=attribute, others=others)

    @property
    def _called(self) -> str:
        return f"{self.name}, other values known" if self.others else self.name

    def _knows(self, more: str = "") -> str:
        known = f"{KNOWN} and other sensitive values" if self.others else KNOWN
        return f"{known}, that the target is in the table{more}"


@dataclass(frozen=True, eq=False)
class Homogeneity(_AboutValues):
    """Everybody who fits has the same value, or most of them do."""

    name: ClassVar[str] = "homogeneity"

    def find(self, target: Target) -> Finding:
        """Find the value that is believed most."""
        view = target.view(self.attribute, others=self.others)
        promised = target.parts(view.attribute, others=self.others)
        parts = [part for part in promised if isinstance(part, DIVERSITY)]
        group, code, believed = _most_believed(view, parts)
        before = view.before(code) if code >= 0 else Fraction(0)
        if parts:
            bound: Bound | None = min((_share(part) for part in parts), key=_strictness)
            unsafe: NDArray[np.bool_] | None = ~np.all(
                [part.holds(view.groups) for part in parts], axis=0
            )
        elif self.others:
            bound = unsafe = None
        else:  # at least nobody's value should be certain, unless it was so before
            bound = NO_CERTAINTY
            certain = view.groups.histogram.largest() == view.sizes
            unsafe = certain & (np.count_nonzero(view.reference) > 1)
        return Finding(
            attack=self._called,
            attribute=view.attribute,
            knows=self._knows(),
            unit="belief",
            before=before,
            found=believed,
            promised=bound,
            holds=None if unsafe is None else not unsafe.any(),
            n_exceeding=0 if unsafe is None else view.n_in(unsafe),
            n_people=target.n_people,
            worst=None
            if code < 0
            else {
                "group": target.published(int(view.owner[group])),
                "value": view.label(code),
                "belief": believed,
                "people": int(view.sizes[group]),
            },
        )


@dataclass(frozen=True, eq=False)
class BackgroundKnowledge(_AboutValues):
    """The adversary can rule some values out for the target.

    Args:
        excludes: A number: the belief after so many values have been ruled out, whichever help
            most. Values: the belief after these have been. None: how many values have to be ruled
            out before somebody's value is certain.
        who: For whom: the target's quasi-identifiers, as published or as they are (then the
            original is needed). None: anybody.
        attribute: The sensitive column, when there are several.
        others: The adversary knows the other sensitive columns of the target too.
    """

    excludes: int | Collection[str] | None = None
    who: Mapping[str, object] | None = None
    name: ClassVar[str] = "background knowledge"

    def __post_init__(self) -> None:
        number = isinstance(self.excludes, int) and not isinstance(self.excludes, bool)
        values = isinstance(self.excludes, Collection) and not isinstance(self.excludes, str)
        fits = self.excludes is None or values or (number and int(str(self.excludes)) >= 0)
        if not fits:
            raise BadInput(
                "BackgroundKnowledge: excludes must be a number of values or a list of values, "
                f"got {shown(self.excludes)}"
            )
        if self.who is not None and not isinstance(self.who, Mapping):
            raise BadInput(
                f"BackgroundKnowledge: who must be values by column, got {shown(self.who)}"
            )

    def find(self, target: Target) -> Finding:
        """Find the least knowledge that discloses somebody, or what the given one discloses."""
        view = target.view(self.attribute, others=self.others)
        chosen = self._fitting(target)[view.owner]
        if self.excludes is None:
            return self._least(target, view, chosen)
        return self._given(target, view, chosen)

    def _least(self, target: Target, view: View, chosen: NDArray[np.bool_]) -> Finding:
        n_values = view.groups.histogram.n_distinct()
        open_groups = chosen & (n_values > 1)
        if not open_groups.any():
            raise CannotRun("everybody's value is certain already, by homogeneity")
        needed = np.where(open_groups, n_values - 1, np.iinfo(np.int64).max)
        found = int(needed.min())
        group = int(np.argmin(needed))
        codes = view.groups.histogram.rows(group, group + 1).codes
        rarest = codes[np.argmin(view.reference[codes])]
        parts = target.parts(view.attribute, others=self.others)
        least = max((_values(part) for part in parts), default=0) - 1
        unsafe = open_groups & (n_values - 1 < least)
        return Finding(
            attack=self._called,
            attribute=view.attribute,
            knows=self._knows(f", {_values_text(found)} the target does not have"),
            unit="values to rule out",
            before=int(np.count_nonzero(view.reference)) - 1,
            found=found,
            promised=Bound(">=", least) if least > 0 else None,
            holds=not unsafe.any() if least > 0 else None,
            n_exceeding=view.n_in(unsafe),
            n_people=target.n_people,
            note=f"so little for {view.n_in(needed == found)} people",
            worst={
                "group": target.published(int(view.owner[group])),
                "rule out": [view.label(int(code)) for code in codes if code != rarest],
                "value": view.label(int(rarest)),
            },
        )

    def _given(self, target: Target, view: View, chosen: NDArray[np.bool_]) -> Finding:
        histogram = view.groups.histogram
        if isinstance(self.excludes, int):
            counts, left = after_excluding(view.sizes, histogram, self.excludes)
            codes, _ = most_frequent(histogram)
            said = f", {_values_text(self.excludes)} the target does not have"
        else:
            names = sorted(map(str, self.excludes or ()))
            excluded = view.groups.codes_of(names)
            if len(excluded) < len(names):
                raise BadInput(
                    "BackgroundKnowledge: nobody has one of the values to rule out in column "
                    f"{view.attribute!r}",
                    names,
                )
            kept = np.setdiff1d(np.arange(histogram.n_values, dtype=np.int32), excluded)
            codes, counts = most_frequent(histogram.only(kept))
            left = view.sizes.copy()
            gone = histogram.only(excluded)
            np.subtract.at(left, gone.group_of, gone.counts)
            said = f", that it is not {listed(tuple(names))}"
        possible = np.flatnonzero(chosen & (left > 0))
        if not len(possible):
            raise CannotRun("nobody in the release fits what the adversary knows")
        group = int(possible[position_of_largest(counts[possible], left[possible])])
        top = int(histogram.largest()[group])
        found = Fraction(int(counts[group]), int(left[group]))
        return Finding(
            attack=self._called,
            attribute=view.attribute,
            knows=self._knows(said),
            unit="belief",
            before=Fraction(top, int(view.sizes[group])),
            found=found,
            promised=None,
            holds=None,
            n_exceeding=0,
            n_people=target.n_people,
            worst={
                "group": target.published(int(view.owner[group])),
                "value": view.label(int(codes[group])),
                "belief": found,
            },
        )

    def _fitting(self, target: Target) -> NDArray[np.bool_]:
        """Say which groups the target may be in."""
        fitting = np.ones(len(target.seen.sizes), dtype=bool)
        for column, value in (self.who or {}).items():
            if column not in target.quasi_identifiers:
                raise BadInput(f"BackgroundKnowledge: {column!r} is not a quasi-identifier")
            j = target.quasi_identifiers.index(column)
            domain = target.seen.frequencies.domains[column]
            inside = target.seen.boxes[:, j, 0] == domain.code_of(value)
            if target.original is not None and not inside.any():
                rank = target.original.domains[column].code_of(value)
                side = target.boxes_in(target.original)[:, j]
                inside = (side[:, 0] <= rank) & (rank <= side[:, 1]) if rank is not None else inside
            fitting &= inside
        if not fitting.any():
            raise CannotRun("nobody in the release fits what the adversary knows")
        return fitting


@dataclass(frozen=True, eq=False)
class Skewness(_AboutValues):
    """A group's values are distributed unlike the table's, so belief in one of them rises."""

    name: ClassVar[str] = "skewness"

    def find(self, target: Target) -> Finding:
        """Find the value that the release makes more likely than anything else."""
        view = target.view(self.attribute, others=self.others)
        histogram = view.groups.histogram
        entry = largest_rise(view.sizes, histogram, view.reference)
        group, code = int(histogram.group_of[entry]), int(histogram.codes[entry])
        belief = Fraction(int(histogram.counts[entry]), int(view.sizes[group]))
        before = view.before(code)
        promised = target.parts(view.attribute, others=self.others)
        parts = [part for part in promised if isinstance(part, TCloseness)]
        worst = {
            "group": target.published(int(view.owner[group])),
            "value": view.label(code),
            "belief": belief,
            "before": before,
        }
        if not parts:
            return self._finding(target, view, ("belief", before, belief), worst=worst)
        if target.n_suppressed and target.original is None:
            note = "no verdict: the original's distribution is needed, suppressed rows and all"
            measured = ("distance", 0, parts[0].measure(view.groups))
            return self._finding(target, view, measured, worst=worst, note=note)
        part = min(parts, key=lambda each: each.t)
        unsafe = ~np.all([each.holds(view.groups) for each in parts], axis=0)
        return self._finding(
            target,
            view,
            ("distance", 0, part.measure(view.groups)),
            bound=Bound("<=", part.t),
            unsafe=unsafe,
            worst=worst,
        )

    def _finding(
        self,
        target: Target,
        view: View,
        measured: tuple[str, int | Fraction, object],
        *,
        worst: Mapping[str, object],
        bound: Bound | None = None,
        unsafe: NDArray[np.bool_] | None = None,
        note: str | None = None,
    ) -> Finding:
        unit, before, found = measured
        return Finding(
            attack=self._called,
            attribute=view.attribute,
            knows=self._knows(),
            unit=unit,
            before=before,
            found=found,  # type: ignore[arg-type]
            promised=bound,
            holds=None if unsafe is None else not unsafe.any(),
            n_exceeding=0 if unsafe is None else view.n_in(unsafe),
            n_people=target.n_people,
            note=note,
            worst=worst,
        )


@dataclass(frozen=True, eq=False)
class Similarity(_AboutValues):
    """A group's values differ but are close: in a narrow range, or under one node of a tree."""

    name: ClassVar[str] = "similarity"

    def find(self, target: Target) -> Finding:
        """Find the narrowest range, or the node that is believed most."""
        view = target.view(self.attribute, others=self.others)
        domain = view.groups.values
        if not isinstance(domain, Domain):
            raise CannotRun("the values have no order and no tree")
        numbers = None if domain.numbers is None else as_fractions(domain.labels)
        if numbers is not None:
            return self._narrowest(target, view, numbers)
        if domain.taxonomy.height > 1:
            return self._under_one_node(target, view, domain)
        raise CannotRun(
            f"no order or tree is known of {view.attribute!r}; read the original with a hierarchy "
            "for it (hierarchies=)"
        )

    def _narrowest(self, target: Target, view: View, numbers: list[Fraction | None]) -> Finding:
        parts = target.parts(view.attribute, others=self.others)
        promised = [part for part in parts if isinstance(part, KEAnonymity)]
        whole, _ = ranges(numbers, Histogram.from_dense(view.reference[np.newaxis]))
        different, which = ranges(numbers, view.groups.histogram)
        group = int(np.argmin(which))
        unsafe = (
            ~np.all([part.holds(view.groups) for part in promised], axis=0) if promised else None
        )
        codes = view.groups.histogram.rows(group, group + 1).codes
        return Finding(
            attack=self._called,
            attribute=view.attribute,
            knows=self._knows(),
            unit="apart",
            before=whole[0],
            found=different[0],
            promised=Bound(">=", max(part.e for part in promised)) if promised else None,
            holds=None if unsafe is None else not unsafe.any(),
            n_exceeding=0 if unsafe is None else view.n_in(unsafe),
            n_people=target.n_people,
            worst={
                "group": target.published(int(view.owner[group])),
                "from": view.label(int(codes[0])),
                "to": view.label(int(codes[-1])),
            },
        )

    def _under_one_node(self, target: Target, view: View, domain: Domain) -> Finding:
        best: tuple[Fraction, Fraction, int, int, int] | None = None
        taxonomy = domain.taxonomy
        for level in range(1, taxonomy.height):
            lows = taxonomy.low[level]
            nodes = under_node(view.groups.histogram, lows)
            expected = np.zeros(len(domain), dtype=np.int64)
            np.add.at(expected, lows, view.reference)
            entry = largest_rise(view.sizes, nodes, expected)
            group, node = int(nodes.group_of[entry]), int(nodes.codes[entry])
            belief = Fraction(int(nodes.counts[entry]), int(view.sizes[group]))
            before = Fraction(int(expected[node]), int(expected.sum()))
            if best is None or belief - before > best[0] - best[1]:
                best = (belief, before, group, node, level)
        assert best is not None  # noqa: S101  (the height is above 1)
        belief, before, group, node, level = best
        return Finding(
            attack=self._called,
            attribute=view.attribute,
            knows=self._knows(),
            unit="belief",
            before=before,
            found=belief,
            promised=None,
            holds=None,
            n_exceeding=0,
            n_people=target.n_people,
            worst={
                "group": target.published(int(view.owner[group])),
                "kind of value": str(taxonomy.labels[level][node]),
                "belief": belief,
            },
        )


def _most_believed(view: View, parts: Sequence[Criterion]) -> tuple[int, int, Fraction]:
    """Give group, value and belief where belief is largest, among the values that are protected.

    Where the promise pools values, they are one value here too; the code is the first of them.
    """
    best = (0, -1, Fraction(0))
    for values, pooled in {
        (getattr(part, "values", None), getattr(part, "pooled", False)) for part in parts
    } or {(None, False)}:
        codes, counts = most_frequent(view.groups.bounded(values, pooled=pooled))
        if not counts.any():
            continue
        group = position_of_largest(counts, view.sizes)
        belief = Fraction(int(counts[group]), int(view.sizes[group]))
        if belief > best[2]:
            best = (group, int(codes[group]), belief)
    return best


def _share(part: Criterion) -> Bound:
    """Give the belief in a single value that a part of a promise allows."""
    if isinstance(part, LDiversity) and part.kind == "frequency":
        return Bound("<=", 1 / part.l)
    if isinstance(part, AlphaKAnonymity):
        return Bound("<=", part.alpha)
    if isinstance(part, RecursiveDiversity) and part.l > 1:  # r_1 < c (n - r_1) at the least
        return Bound("<", part.c / (1 + part.c))
    return Bound("<", 1) if _values(part) > 1 else Bound("<=", 1)


def _strictness(bound: Bound) -> tuple[Fraction, bool]:
    assert isinstance(bound.value, (int, Fraction))  # noqa: S101
    return Fraction(bound.value), bound.relation == "<="


def _values(part: Criterion) -> int:
    """Give the number of different values that a part of a promise wants in every group."""
    if isinstance(part, (LDiversity, AlphaKAnonymity)) and part.values is not None:
        return 0
    if isinstance(part, (LDiversity, RecursiveDiversity)):
        return math.ceil(part.l)
    if isinstance(part, AlphaKAnonymity):
        return math.ceil(1 / part.alpha)
    if isinstance(part, PSensitiveKAnonymity):
        return part.p
    return 2 if isinstance(part, KEAnonymity) and part.e > 0 else 0


def _values_text(n: int) -> str:
    return "one value" if n == 1 else f"{n} values"
