"""Skewness: a group's values are distributed unlike the table's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.attack import Threat
from sfumato.attacks.column_attack import ColumnAttack
from sfumato.attacks.finding import Finding
from sfumato.attacks.largest_belief import worst_of
from sfumato.attacks.target import Target, View
from sfumato.criteria.bound import Bound
from sfumato.criteria.judging import shown_to, surely
from sfumato.formulas.measures.disclosure import largest_rise


@dataclass(frozen=True, eq=False)
class Skewness(ColumnAttack):
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
    threat: ClassVar[Threat | None] = "inference"

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
