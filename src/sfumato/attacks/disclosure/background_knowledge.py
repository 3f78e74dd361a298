"""Background knowledge: values that the adversary can rule out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import NoneType
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.attack import Threat
from sfumato.attacks.column_attack import ColumnAttack
from sfumato.attacks.disclosure.holders import entries_of_all, holders
from sfumato.attacks.finding import Finding
from sfumato.attacks.target import Target, View
from sfumato.criteria import Criterion
from sfumato.criteria.bound import Bound
from sfumato.data.frequency import sum_by
from sfumato.data.groups import Histogram
from sfumato.errors import BadInput, DoesNotApply, nearest, shown
from sfumato.formulas.exact import below, position_of_largest
from sfumato.formulas.measures.disclosure import (
    after_excluding,
    held,
    held_after_excluding,
    most_frequent,
)
from sfumato.parameters import is_whole, refusal, values_by_column, whole
from sfumato.text import counted, listed, people


@dataclass(frozen=True, eq=False)
class BackgroundKnowledge(ColumnAttack):
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
    threat: ClassVar[Threat | None] = "inference"
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
        return self._given(target, view, chosen, self.excludes)

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
            knows=self._knows(_number_text(fewest)),
            unit="values to rule out",
            before=int(np.count_nonzero(view.reference)) - 1,
            found=fewest,
            promised=Bound(">=", least) if least > 0 else None,
            holds=not unsafe.any() if least > 0 else None,
            n_exceeding=view.n_in(unsafe),
            n_people=target.n_people,
            note=f"so few are enough for {people(view.n_in(needed == fewest))}{certain}",
            worst={
                "group": target.published_labels(int(view.owner[group])),
                "rule out": [view.label(int(code)) for code in codes if code != rarest],
                "value": view.label(int(rarest)),
            },
        )

    def _given(
        self,
        target: Target,
        view: View,
        chosen: NDArray[np.bool_],
        excludes: int | Collection[object],
    ) -> Finding:
        histogram = view.groups.histogram
        bound = None
        if isinstance(excludes, int):
            counts, left = after_excluding(view.sizes, histogram, excludes)
            codes, _ = most_frequent(histogram)
            said = _number_text(excludes)
            bound = self._allowed(target.parts(view.attribute, others=self.others), excludes)
        else:
            excluded = _codes_of(excludes, view)
            gone = histogram.only(excluded)
            codes, counts = most_frequent(_without(histogram, excluded))
            left = view.sizes - sum_by(gone.group_of, gone.counts, len(view.sizes))
            said = _values_text(excluded, view)
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
        fits, certain = self._fitting(target), entries_of_all(view, repeated=repeated)
        histogram, said = view.groups.histogram, "; that the target has a value"
        if isinstance(self.excludes, Collection):
            excluded = _codes_of(self.excludes, view)
            everybody_has = certain[np.isin(histogram.codes[certain], excluded)]
            fits[histogram.group_of[everybody_has]] = False
            histogram = _without(histogram, excluded)
            said += _values_text(excluded, view)
        fits &= histogram.n_distinct() > 0
        if not fits.any():
            raise DoesNotApply("nobody in the release fits what the adversary knows")
        some = np.flatnonzero(fits)
        unit: str = "belief"
        before: int | Fraction
        amount: int | Fraction
        if self.excludes is None:
            needed = histogram.n_distinct() - 1
            needed[histogram.group_of[certain]] = 0
            group, unit = int(some[np.argmin(needed[some])]), "values to rule out"
            before, amount = int(np.count_nonzero(view.reference)) - 1, int(needed[group])
            said += _number_text(amount)
        else:
            n = self.excludes if isinstance(self.excludes, int) else 0
            said += _number_text(n) if n else ""
            place, amount = held_after_excluding(
                view.sizes[fits], histogram.part(fits), n, repeated=repeated
            )
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


def _codes_of(values: Collection[object], view: View) -> NDArray[np.int32]:
    """Find the values to rule out."""
    wrong = [value for value in values if not len(view.groups.codes_of([value]))]
    if wrong:
        raise BadInput(
            "BackgroundKnowledge: nobody has one of the values to rule out in column "
            f"{view.attribute!r}",
            wrong,
        )
    return np.unique(view.groups.codes_of(list(values)))


def _without(histogram: Histogram, excluded: NDArray[np.int32]) -> Histogram:
    return histogram.only(np.setdiff1d(np.arange(histogram.n_values, dtype=np.int32), excluded))


def _number_text(n: int) -> str:
    return f"; {counted(n, 'value')} the target does not have"


def _values_text(excluded: NDArray[np.int32], view: View) -> str:
    names = sorted(view.label(int(code)) for code in excluded)
    return f"; that it is not {listed(tuple(names))}" if names else ""
