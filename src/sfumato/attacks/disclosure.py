"""What is wrong with this person? Attribute disclosure (Ciriani 2008, section 5)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from types import NoneType
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.attack import Attack, each_attribute
from sfumato.attacks.believed import case_of, most_believed, worst_of
from sfumato.attacks.finding import KNOWN, NO_CERTAINTY, Finding, text_of
from sfumato.attacks.target import Target, View
from sfumato.criteria import Criterion
from sfumato.criteria.bound import Bound
from sfumato.criteria.judging import shown_to, surely
from sfumato.data.domain import Domain
from sfumato.data.frequency import sum_by
from sfumato.data.groups import Histogram
from sfumato.errors import BadInput, DoesNotApply, nearest, shown
from sfumato.formulas.exact import below, position_of_largest
from sfumato.formulas.measures.disclosure import (
    after_excluding,
    held,
    held_after_excluding,
    largest_rise,
    most_frequent,
    most_held,
    under_node,
)
from sfumato.formulas.ranges import as_fractions, ranges
from sfumato.parameters import (
    is_whole,
    optional_column,
    refusal,
    true_or_false,
    values_by_column,
    whole,
)
from sfumato.text import counted, listed, people


@dataclass(frozen=True, eq=False)
class _AboutValues(Attack):
    """An attack on one sensitive column, perhaps by somebody who knows people's other ones."""

    attribute: str | None = None
    others: bool = False  # the adversary knows the other sensitive columns of the target too

    def __post_init__(self) -> None:
        optional_column(type(self).__name__, "attribute", self.attribute)
        true_or_false(type(self).__name__, "others", self.others)

    @classmethod
    def against(cls, target: Target) -> Iterator[Attack]:
        """Every sensitive column, without and with knowing the others."""
        for attribute, others in each_attribute(target):
            yield cls(attribute=attribute, others=others)

    @property
    def called(self) -> str:
        """The name, and whether other values are known."""
        return f"{self.name}, other values known" if self.others else self.name

    def _knows(self, more: str = "") -> str:
        known = f"{KNOWN} and other sensitive values" if self.others else KNOWN
        return f"{known}; that the target is in the table{more}"


@dataclass(frozen=True, eq=False)
class Homogeneity(_AboutValues):
    """Everybody who fits has the same value, or most of them do.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> release = sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati())
    >>> finding = sf.attacks.Homogeneity().run(release)
    >>> finding.found, finding.n_exceeding
    (Fraction(32, 87), 0)
    """

    name: ClassVar[str] = "homogeneity"
    sets: ClassVar[bool] = True

    def find(self, target: Target) -> Finding:
        """Find the value that is believed most."""
        view = target.view(self.attribute, others=self.others)
        if target.set_valued is not None:
            return self._of_sets(target)
        promised = target.parts(view.attribute, others=self.others)
        parts = [
            part
            for part in map(_about_one_group, promised)
            if part is not None and not part.belief_allowed().allows(Fraction(1))
        ]
        bound: Bound | None = None
        unsafe: NDArray[np.bool_] | None = None
        note = None
        if parts:
            kept = [part.holds(shown_to(part, view.groups)) for part in parts]
            unsafe = ~np.all(kept, axis=0)
            beliefs = [most_believed(view, part) for part in parts]
            shown_part = worst_of(
                [held.all() for held in kept],
                [
                    each.belief - p.belief_allowed().number
                    for p, each in zip(parts, beliefs, strict=True)
                ],
            )
            bound, believed = parts[shown_part].belief_allowed(), beliefs[shown_part]
            if not kept[shown_part].all() and bound.allows(believed.belief):
                note = f"{parts[shown_part]} is more than that, and does not hold"
        else:
            believed = most_believed(view, None)
            if not self.others:  # at least nobody's value should be certain, unless it was before
                bound = NO_CERTAINTY
                certain = view.groups.histogram.largest() == view.sizes
                unseen = target.n_suppressed and target.original is None  # may have had others
                unsafe = certain & (bool(unseen) or np.count_nonzero(view.reference) > 1)
        return Finding(
            attack=self.called,
            attribute=view.attribute,
            knows=self._knows(),
            unit="belief",
            before=view.before(*believed.codes),
            found=believed.belief,
            promised=bound,
            holds=None if unsafe is None else not unsafe.any(),
            n_exceeding=0 if unsafe is None else view.n_in(unsafe),
            n_people=target.n_people,
            note=note,
            worst=None
            if not believed.codes
            else {
                "group": target.published_labels(int(view.owner[believed.group])),
                "value": view.label(*believed.codes),
                "belief": believed.belief,
                "people": int(view.sizes[believed.group]),
            },
        )

    def _of_sets(self, target: Target) -> Finding:
        """Find the value that somebody most likely has, where people have any number of values."""
        view, repeated = holders(target)
        histogram, owner = view.groups.histogram, view.groups.histogram.group_of
        entry, belief = most_held(view.sizes, histogram, repeated=repeated)
        group, code = int(owner[entry]), int(histogram.codes[entry])
        n_people = target.n_people if target.original is None else target.original.n_rows
        certain = _certain(view, repeated=repeated)
        if not (target.n_suppressed and target.original is None):  # else they may have lacked it
            had = view.reference[histogram.codes[certain]]
            certain = certain[np.full(len(had), n_people > 1) if repeated else had < n_people]
        unsafe = np.zeros(len(view.sizes), dtype=bool)
        unsafe[owner[certain]] = True
        return Finding(
            attack=self.called,
            attribute=view.attribute,
            knows=self._knows(),
            unit="belief",
            before=held(int(view.reference[code]), n_people, repeated=repeated),
            found=belief,
            promised=NO_CERTAINTY,
            holds=not unsafe.any(),
            n_exceeding=view.n_in(unsafe),
            n_people=target.n_people,
            worst={
                "group": target.published_labels(group),
                "value": view.label(code),
                "belief": belief,
                "people": int(view.sizes[group]),
            },
        )


@dataclass(frozen=True, eq=False)
class BackgroundKnowledge(_AboutValues):
    """The adversary can rule some values out for the target.

    Args:
        excludes: A number: the belief after so many values have been ruled out, whichever help
            most. Values: the belief after these have been. None: how many values have to be ruled
            out before somebody's value is certain. Where people have any number of values, the
            adversary also knows that the target has one.
        who: For whom: the target's quasi-identifiers, as published or as they are (then the
            original is needed). None: anybody.
        attribute: The sensitive column, when there are several.
        others: The adversary knows the other sensitive columns of the target too.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> release = sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati())
    >>> finding = sf.attacks.BackgroundKnowledge(excludes=["flu"]).run(release)
    >>> finding.knows
    "the target's quasi-identifiers; that the target is in the table; that it is not flu"
    """

    excludes: int | Collection[object] | None = None
    who: Mapping[str, object] | None = None
    name: ClassVar[str] = "background knowledge"
    sets: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if is_whole(self.excludes):
            n = whole("BackgroundKnowledge", "excludes", self.excludes, least=0)
            object.__setattr__(self, "excludes", n)
        elif not isinstance(self.excludes, (list, tuple, set, frozenset, NoneType)):
            kinds = "a number of values or a list of values"
            raise refusal("BackgroundKnowledge", "excludes", kinds, self.excludes)
        if self.who is not None:
            values_by_column("BackgroundKnowledge", "who", self.who)

    def find(self, target: Target) -> Finding:
        """Find the least knowledge that discloses somebody, or what the given one discloses."""
        view = target.view(self.attribute, others=self.others)
        if target.set_valued is not None:
            return self._of_sets(target)
        chosen = self._fitting(target)[view.owner]
        if self.excludes is None:
            return self._least(target, view, chosen)
        return self._given(target, view, chosen)

    def _least(self, target: Target, view: View, chosen: NDArray[np.bool_]) -> Finding:
        n_values = view.groups.histogram.n_distinct()
        open_groups = chosen & (n_values > 1)
        if not open_groups.any():
            raise DoesNotApply("the value of everybody who fits is certain already, by homogeneity")
        needed = np.where(open_groups, n_values - 1, np.iinfo(np.int64).max)
        fewest = int(needed.min())
        group = int(np.argmin(needed))
        codes = view.groups.histogram.rows(group, group + 1).codes
        rarest = codes[np.argmin(view.reference[codes])]
        parts = target.parts(view.attribute, others=self.others)
        least = max((part.values_wanted() for part in parts), default=0) - 1
        unsafe = open_groups & (n_values - 1 < least)
        n_certain = view.n_in(chosen & ~open_groups)
        certain = f"; {people(n_certain)} certain already, by homogeneity" if n_certain else ""
        return Finding(
            attack=self.called,
            attribute=view.attribute,
            knows=self._knows(f"; {counted(fewest, 'value')} the target does not have"),
            unit="values to rule out",
            before=int(np.count_nonzero(view.reference)) - 1,
            found=fewest,
            promised=Bound(">=", least) if least > 0 else None,
            holds=not unsafe.any() if least > 0 else None,
            n_exceeding=view.n_in(unsafe),
            n_people=target.n_people,
            note=f"so little for {people(view.n_in(needed == fewest))}{certain}",
            worst={
                "group": target.published_labels(int(view.owner[group])),
                "rule out": [view.label(int(code)) for code in codes if code != rarest],
                "value": view.label(int(rarest)),
            },
        )

    def _given(self, target: Target, view: View, chosen: NDArray[np.bool_]) -> Finding:
        histogram = view.groups.histogram
        bound = None
        if isinstance(self.excludes, int):
            counts, left = after_excluding(view.sizes, histogram, self.excludes)
            codes, _ = most_frequent(histogram)
            said = f"; {counted(self.excludes, 'value')} the target does not have"
            bound = self._allowed(target.parts(view.attribute, others=self.others), self.excludes)
        else:
            excluded = self._excluded(view)
            gone = histogram.only(excluded)
            kept = np.setdiff1d(np.arange(histogram.n_values, dtype=np.int32), excluded)
            codes, counts = most_frequent(histogram.only(kept))
            left = view.sizes - sum_by(gone.group_of, gone.counts, len(view.sizes))
            named = sorted(view.label(int(code)) for code in excluded)
            said = f"; that it is not {listed(tuple(named))}" if named else ""
        possible = np.flatnonzero(chosen & (left > 0))
        if not len(possible):
            raise DoesNotApply("nobody in the release fits what the adversary knows")
        group = int(possible[position_of_largest(counts[possible], left[possible])])
        top = int(histogram.largest()[group])
        belief = Fraction(int(counts[group]), int(left[group]))
        unsafe = chosen & (left > 0)
        unsafe &= False if bound is None else ~below(counts, left, bound.number)
        return Finding(
            attack=self.called,
            attribute=view.attribute,
            knows=self._knows(said),
            unit="belief",
            before=Fraction(top, int(view.sizes[group])),
            found=belief,
            promised=bound,
            holds=None if bound is None else not unsafe.any(),
            n_exceeding=view.n_in(unsafe),
            n_people=target.n_people,
            worst={
                "group": target.published_labels(int(view.owner[group])),
                "value": view.label(int(codes[group])),
                "belief": belief,
            },
        )

    def _of_sets(self, target: Target) -> Finding:
        """Find what is certain, or believed, of somebody who has some value and lacks others."""
        target.refuse_whole_sets()
        view, repeated = holders(target)
        chosen, certain = self._fitting(target), _certain(view, repeated=repeated)
        histogram, said = view.groups.histogram, "; that the target has a value"
        if isinstance(self.excludes, Collection):
            excluded = self._excluded(view)
            everybody_has = certain[np.isin(histogram.codes[certain], excluded)]
            chosen[histogram.group_of[everybody_has]] = False
            left = np.setdiff1d(np.arange(histogram.n_values, dtype=np.int32), excluded)
            histogram = histogram.only(left)
            named = sorted(view.label(int(code)) for code in excluded)
            said += f"; that it is not {listed(tuple(named))}" if named else ""
        some = np.flatnonzero(chosen & (histogram.n_distinct() > 0))
        if not len(some):
            raise DoesNotApply("nobody in the release fits what the adversary knows")
        unit: str = "belief"
        before: int | Fraction
        amount: int | Fraction
        if self.excludes is None:
            needed = histogram.n_distinct() - 1
            needed[histogram.group_of[certain]] = 0
            group, unit = int(some[np.argmin(needed[some])]), "values to rule out"
            before, amount = int(np.count_nonzero(view.reference)) - 1, int(needed[group])
            said += f"; {counted(amount, 'value')} the target does not have"
        else:
            n = self.excludes if isinstance(self.excludes, int) else 0
            said += f"; {counted(n, 'value')} the target does not have" if n else ""
            parts = Histogram.from_entries(
                np.repeat(np.arange(len(some)), histogram.n_distinct()[some]),
                histogram.codes[np.isin(histogram.group_of, some)],
                histogram.counts[np.isin(histogram.group_of, some)],
                (len(some), histogram.n_values),
            )
            place, amount = held_after_excluding(view.sizes[some], parts, n, repeated=repeated)
            group = int(some[place])
            top = int(view.groups.histogram.largest()[group])
            before = held(top, int(view.sizes[group]), repeated=repeated)
        codes, _ = most_frequent(histogram)
        return Finding(
            attack=self.called,
            attribute=view.attribute,
            knows=self._knows(said),
            unit=unit,
            before=before,
            found=amount,
            promised=None,
            holds=None,
            n_exceeding=0,
            n_people=target.n_people,
            worst={
                "group": target.published_labels(group),
                "value": view.label(int(codes[group])),
            },
        )

    def _excluded(self, view: View) -> NDArray[np.int32]:
        """Find the values to rule out."""
        assert isinstance(self.excludes, Collection)  # noqa: S101  (for the type checker)
        wrong = [value for value in self.excludes if not len(view.groups.codes_of([value]))]
        if wrong:
            raise BadInput(
                "BackgroundKnowledge: nobody has one of the values to rule out in column "
                f"{view.attribute!r}",
                wrong,
            )
        return np.unique(view.groups.codes_of(list(self.excludes)))

    @staticmethod
    def _allowed(parts: Sequence[Criterion], n: int) -> Bound | None:
        """Give the belief that a promise allows when `n` values are ruled out."""
        bounds = [part.belief_after(n) for part in parts]
        bounds = [bound for bound in bounds if not bound.allows(Fraction(1))]
        return min(bounds, key=lambda bound: bound.number, default=None)

    def _fitting(self, target: Target) -> NDArray[np.bool_]:
        """Say which groups the target may be in."""
        fitting = np.ones(len(target.seen.sizes), dtype=bool)
        for column, value in (self.who or {}).items():
            if column not in target.quasi_identifiers:
                raise BadInput(
                    f"BackgroundKnowledge: who: {shown(column)} is not a quasi-identifier"
                    f"{nearest(column, target.quasi_identifiers)}"
                )
            fitting &= target.fits(column, value)
        if not fitting.any():
            raise DoesNotApply("nobody in the release fits what the adversary knows")
        return fitting


@dataclass(frozen=True, eq=False)
class Skewness(_AboutValues):
    """A group's values are distributed unlike the table's, so belief in one of them rises.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> release = sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati())
    >>> sf.attacks.Skewness().run(release).unit
    'belief'
    """

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
        bounds = [(part, part.distance_allowed()) for part in promised]
        parts = [(part, bound) for part, bound in bounds if bound is not None]
        worst = {
            "group": target.published_labels(int(view.owner[group])),
            "value": view.label(code),
            "belief": belief,
            "before": before,
        }
        if not parts:
            return self._finding(target, view, ("belief", before, belief), worst=worst)
        kept = [part.holds(shown_to(part, view.groups)) for part, _ in parts]
        distances = [part.measure(shown_to(part, view.groups)) for part, _ in parts]
        shown_part = worst_of(
            [held.all() for held in kept],
            [d - bound.number for (_, bound), d in zip(parts, distances, strict=True)],  # type: ignore[operator]
        )
        measured = ("distance", 0, distances[shown_part])
        bound = parts[shown_part][1]
        judged = [surely(part, view.groups, target.n_unseen) for part, _ in parts]
        unsafe = np.any([broken for _, broken in judged], axis=0)
        if not unsafe.any() and not np.all([safe for safe, _ in judged]):
            note = "no verdict: the original's distribution is needed, suppressed rows and all"
            return self._finding(target, view, measured, worst=worst, bound=bound, note=note)
        sure = "whatever the suppressed rows had" if target.n_unseen else None
        return self._finding(
            target, view, measured, worst=worst, bound=bound, unsafe=unsafe, note=sure
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
        unit, before, amount = measured
        return Finding(
            attack=self.called,
            attribute=view.attribute,
            knows=self._knows(),
            unit=unit,
            before=before,
            found=amount,  # type: ignore[arg-type]
            promised=bound,
            holds=None if unsafe is None else not unsafe.any(),
            n_exceeding=0 if unsafe is None else view.n_in(unsafe),
            n_people=target.n_people,
            note=note,
            worst=worst,
        )


@dataclass(frozen=True, eq=False)
class Similarity(_AboutValues):
    """A group's values differ but are close: in a narrow range, or under one node of a tree.

    >>> import pyarrow as pa
    >>> import sfumato as sf
    >>> ward = pa.table({"age": [30, 31, 60, 61], "income": [10, 11, 12, 900]})
    >>> table = sf.read(ward, quasi_identifiers={"age": sf.Intervals(10, 20)}, sensitive="income")
    >>> release = sf.anonymize(table, sf.KAnonymity(2), sf.Samarati())
    >>> finding = sf.attacks.Similarity().run(release)
    >>> finding.unit, finding.found
    ('apart', Fraction(1, 1))
    """

    name: ClassVar[str] = "similarity"

    def find(self, target: Target) -> Finding:
        """Find the narrowest range, or the node that is believed most."""
        view = target.view(self.attribute, others=self.others)
        domain = view.groups.values
        if not isinstance(domain, Domain):
            raise DoesNotApply("the values have no order and no tree")
        parts = target.parts(view.attribute, others=self.others)
        wide = [part.without_sizes() for part in parts if part.range_wanted() is not None]
        promised = [part for part in wide if part is not None]
        ordered = domain.numbers is not None or promised
        numbers = as_fractions(domain.labels) if ordered else None
        if numbers is not None:
            return self._narrowest(target, view, numbers, promised)
        if domain.taxonomy.height > 1:
            return self._under_one_node(target, view, domain)
        raise DoesNotApply(
            f"no order or tree is known of {view.attribute!r}; read the original with a hierarchy "
            "for it (hierarchies=, or columns.hierarchies in a job file)"
        )

    def _narrowest(
        self,
        target: Target,
        view: View,
        numbers: list[Fraction | None],
        promised: Sequence[Criterion],
    ) -> Finding:
        whole, _ = ranges(numbers, Histogram.from_dense(view.reference[np.newaxis]))
        different, which = ranges(numbers, view.groups.histogram)
        group = int(np.argmin(which))
        unsafe = (
            ~np.all([part.holds(shown_to(part, view.groups)) for part in promised], axis=0)
            if promised
            else None
        )
        codes = view.groups.histogram.rows(group, group + 1).codes.tolist()
        known = [code for code in codes if numbers[code] is not None] or codes
        known.sort(key=lambda code: numbers[code] or Fraction(0))
        wanted = [e for part in promised if (e := part.range_wanted()) is not None]
        return Finding(
            attack=self.called,
            attribute=view.attribute,
            knows=self._knows(),
            unit="apart",
            before=whole[0],
            found=different[0],
            promised=Bound(">=", max(wanted)) if wanted else None,
            holds=None if unsafe is None else not unsafe.any(),
            n_exceeding=0 if unsafe is None else view.n_in(unsafe),
            n_people=target.n_people,
            worst={
                "group": target.published_labels(int(view.owner[group])),
                "from": view.label(known[0]),
                "to": view.label(known[-1]),
            },
        )

    def _under_one_node(self, target: Target, view: View, domain: Domain) -> Finding:
        best: tuple[Fraction, Fraction, int, int, int] | None = None
        taxonomy = domain.taxonomy
        differ = view.groups.histogram.n_distinct() > 1
        certain = np.zeros(len(view.sizes), dtype=bool)  # of the kind, where the value is not
        for level in range(1, taxonomy.height):
            lows = taxonomy.low[level]
            nodes = under_node(view.groups.histogram, lows)
            expected = np.zeros(len(domain), dtype=np.int64)
            np.add.at(expected, lows, view.reference)  # (n_values,): people under each node
            kinds, counts = most_frequent(nodes)
            certain |= differ & (counts == view.sizes) & (expected[kinds] < expected.sum())
            entry = largest_rise(view.sizes, nodes, expected)
            group, node = int(nodes.group_of[entry]), int(nodes.codes[entry])
            belief = Fraction(int(nodes.counts[entry]), int(view.sizes[group]))
            before = Fraction(int(expected[node]), int(expected.sum()))
            if best is None or belief - before > best[0] - best[1]:
                best = (belief, before, group, node, level)
        assert best is not None  # noqa: S101  (the height is above 1)
        belief, before, group, node, level = best
        return Finding(
            attack=self.called,
            attribute=view.attribute,
            knows=self._knows(),
            unit="belief",
            before=before,
            found=belief,
            promised=None,
            holds=None,
            n_exceeding=0,
            n_people=target.n_people,
            note=_kind_text(view.n_in(certain)),
            worst={
                "group": target.published_labels(int(view.owner[group])),
                "kind of value": text_of(taxonomy.labels[level][node]),
                "belief": belief,
            },
        )


def holders(target: Target) -> tuple[View, bool]:
    """See groups by how often a value occurs among people who have any number of values.

    Also whether one person may have a value more than once. Where whole sets stand in the table a
    value counts once for everybody who has it.
    """
    name = str(target.set_valued)
    seen, repeated = target.seen, False
    if seen.people is None:
        domain = seen.frequencies.domains[name]
        assert domain.members is not None  # noqa: S101  (for the type checker)
        once = replace(domain.members, counts=np.ones_like(domain.members.counts))
        domains = {**seen.frequencies.domains, name: replace(domain, members=once)}
        seen = replace(seen, frequencies=replace(seen.frequencies, domains=domains))
    else:
        repeated = case_of(target, name) == "multiset"
    view = View(name, seen.joint.by(name), np.arange(len(seen.sizes)))
    if not len(view.groups.histogram.codes):
        raise DoesNotApply("nobody in the release has a value")
    return view, repeated


def _certain(view: View, *, repeated: bool) -> NDArray[np.intp]:
    """Give the entries of values that everybody in a group has: all have one, or there is one."""
    histogram = view.groups.histogram
    people = view.sizes[histogram.group_of]
    return np.flatnonzero(people == 1 if repeated else people == histogram.counts)


def _about_one_group(part: Criterion) -> Criterion | None:
    """Give what a promise says of how frequent values are in one group; None: nothing.

    What is about all groups, or about a range, other attacks are held against.
    """
    elsewhere = not part.by_group or part.range_wanted() is not None or part.guarding is not None
    return None if elsewhere else part.without_sizes()


def _kind_text(n: int) -> str | None:
    return f"the kind of value is certain for {people(n)}, though values differ" if n else None
