"""Homogeneity: everybody who fits has the same value, or most of them do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.attack import Threat
from sfumato.attacks.column_attack import ColumnAttack
from sfumato.attacks.disclosure.holders import entries_of_all, holders
from sfumato.attacks.finding import NO_CERTAINTY, Finding
from sfumato.attacks.largest_belief import LargestBelief, largest_belief, worst_of
from sfumato.attacks.target import Target, View
from sfumato.criteria import Criterion
from sfumato.criteria.bound import Bound, FailedMeasure
from sfumato.criteria.judging import shown_to
from sfumato.formulas.measures.disclosure import held, most_held


@dataclass(frozen=True, eq=False)
class Homogeneity(ColumnAttack):
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
    threat: ClassVar[Threat | None] = "inference"
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
        verdict = _beside_promise(view, parts) if parts else self._without_promise(target, view)
        largest, unsafe = verdict.largest, verdict.unsafe
        return Finding(
            attack=self.called,
            attribute=view.attribute,
            knows=self._knows(),
            unit="belief",
            before=view.before(*largest.codes),
            found=largest.belief,
            promised=verdict.bound,
            holds=None if unsafe is None else not unsafe.any(),
            n_exceeding=0 if unsafe is None else view.n_in(unsafe),
            n_people=target.n_people,
            note=verdict.note,
            failed=verdict.failed,
            worst=None
            if not largest.codes
            else {
                "group": target.published_labels(int(view.owner[largest.group])),
                "value": view.label(*largest.codes),
                "belief": largest.belief,
                "people": int(view.sizes[largest.group]),
            },
        )

    def _without_promise(self, target: Target, view: View) -> _Verdict:
        """At least nobody's value should be certain, unless it was before."""
        largest = largest_belief(view, None)
        if self.others:
            return _Verdict(largest)
        certain = view.groups.histogram.largest() == view.sizes
        unseen = target.n_suppressed and target.original is None  # may have had others
        unsafe = certain & (bool(unseen) or np.count_nonzero(view.reference) > 1)
        return _Verdict(largest, NO_CERTAINTY, unsafe)

    def _of_sets(self, target: Target) -> Finding:
        """Find the value that somebody most likely has, where people have any number of values."""
        view, repeated = holders(target)
        histogram, owner = view.groups.histogram, view.groups.histogram.group_of
        entry, belief = most_held(view.sizes, histogram, repeated=repeated)
        group, code = int(owner[entry]), int(histogram.codes[entry])
        n_people = target.n_people if target.original is None else target.original.n_rows
        certain = entries_of_all(view, repeated=repeated)
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
class _Verdict:
    """The largest belief, beside what is allowed."""

    largest: LargestBelief
    bound: Bound | None = None
    unsafe: NDArray[np.bool_] | None = None  # (n_groups,); None: nothing is judged
    note: str | None = None
    failed: FailedMeasure | None = None


def _beside_promise(view: View, parts: Sequence[Criterion]) -> _Verdict:
    """Ask the parts of a promise, and show a broken one, or the one nearest to its limit."""
    kept = [part.holds(shown_to(part, view.groups)) for part in parts]
    beliefs = [largest_belief(view, part) for part in parts]
    bounds = [part.belief_allowed() for part in parts]
    worst = worst_of(
        [held.all() for held in kept],
        [each.belief - bound.number for each, bound in zip(beliefs, bounds, strict=True)],
    )
    largest, bound = beliefs[worst], bounds[worst]
    note = failed = None
    if not kept[worst].all() and bound.allows(largest.belief):
        part = parts[worst]
        note = f"{part} is more than that, and does not hold"
        found = part.measure(shown_to(part, view.groups))
        failed = FailedMeasure.of(part, part.promised(), found)
    return _Verdict(largest, bound, ~np.all(kept, axis=0), note, failed)


def _about_one_group(part: Criterion) -> Criterion | None:
    """Give what a promise says of how frequent values are in one group; None: nothing.

    What is about all groups, or about a range, other attacks are held against.
    """
    elsewhere = not part.by_group or part.range_wanted() is not None or part.guarding is not None
    return None if elsewhere else part.without_sizes()
