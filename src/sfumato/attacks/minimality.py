"""The minimality attack: what "generalized only because it had to be" gives away.

Wong 2009, sections 3 to 5.1, for every kind of recoding and every criterion. The formulas for one
attribute and one sensitive value are here too, under the names of the paper.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.base import allowed_rows, check_seed
from sfumato.attacks.base import KNOWN, NO_CERTAINTY, Attack, Bound, Finding, Target, View
from sfumato.attacks.beliefs import Learned, Solver
from sfumato.attacks.classes import ClassBelief, class_beliefs, keeps, most_believed_class
from sfumato.attacks.members import Members, members_of
from sfumato.attacks.promises import (
    Believed,
    limit,
    most_believed,
    of_values_alone,
    share_allowed,
    worst_of,
)
from sfumato.attacks.steps import (
    cut_steps,
    full_domain_steps,
    least_people,
    local_problems,
    region_problems,
    wide_steps,
)
from sfumato.criteria import Criterion
from sfumato.criteria.base import column_name, guarding_column, validate
from sfumato.data.frequency import JointGroups
from sfumato.data.groups import Histogram
from sfumato.errors import BadInput, CannotRun, shown
from sfumato.formulas.credibility import credibility, credibility_local, credibility_superset
from sfumato.formulas.worlds import credibility_enumerated

__all__ = [
    "Minimality",
    "credibility",
    "credibility_enumerated",
    "credibility_local",
    "credibility_superset",
]

STEPS = {
    "full-domain": "one column one level down",
    "regions": "one more cut of a region",
    "local": "one column of one group one level down",
    "cut": "one node of one column replaced by its children",
}


@dataclass(frozen=True, eq=False)
class Minimality(Attack):
    """The adversary knows that no step further down was safe, and what that rules out.

    He knows the published table, everybody's original quasi-identifiers, the hierarchies, the
    criterion, the kind of recoding, and how many people of each kind are in which group. A world
    deals each group's sensitive values to its people; it is possible when every step down that was
    not taken would have broken the criterion. What is found is the credibility of the paper's
    definition 10: the expected share of a value among the people with the same quasi-identifiers.

    Args:
        attribute: The sensitive column, when there are several.
        enforced: The criterion that the publisher kept to, where it is stricter than what was
            promised ("near to minimality"). None: the promised one.
        seed: Repeats the samples that stand for what cannot be enumerated. It is an experiment's,
            nobody is protected by it.
    """

    attribute: str | None = None
    enforced: Criterion | None = None
    seed: int | None = 0
    name: ClassVar[str] = "minimality"

    def __post_init__(self) -> None:
        column_name("Minimality", self.attribute)
        check_seed("Minimality", self.seed)
        if self.enforced is not None and not isinstance(self.enforced, Criterion):
            raise BadInput(f"Minimality: enforced must be a criterion, got {shown(self.enforced)}")

    @classmethod
    def against(cls, target: Target) -> Iterator[Attack]:
        """Every sensitive column."""
        for attribute in target.sensitive or (None,):
            yield cls(attribute=attribute)

    def find(self, target: Target) -> Finding:
        """Find the value that is believed most, by somebody who knows what was not published."""
        attribute = target.view(self.attribute, others=False).attribute
        enforced = self._enforced(target)
        members = members_of(target)
        learned = self._learned(target, members, enforced)
        return _Verdict(target, members, learned, attribute).finding(self)

    def _enforced(self, target: Target) -> Criterion:
        enforced = target.criterion if self.enforced is None else self.enforced
        if enforced is None or target.method is None:
            raise CannotRun("nobody said what was promised, and by which method")
        if guarding_column(enforced) is not None:
            raise CannotRun("what people guard is not published, and worlds would have to deal it")
        if self.enforced is not None:
            validate(enforced, target.seen.frequencies, values=False)
        if not any(part.looks_at_values for part in enforced.parts):
            raise CannotRun(
                "only numbers of people were promised, and these everybody can count: that no step "
                "further was safe says nothing about values"
            )
        if target.method.minimality is None:
            raise CannotRun(
                f"{target.method} does not say that no step further would have been safe; there is "
                "no minimality to reason from"
            )
        return enforced

    def _learned(self, target: Target, members: Members, enforced: Criterion) -> Learned:
        method = target.method
        assert method is not None  # noqa: S101  (looked at already)
        solver = Solver(members, enforced, np.random.default_rng(self.seed))
        if method.minimality == "regions":
            widest_only = getattr(method, "dimensions", "all") == "widest"
            problems = region_problems(members, least_people(enforced), widest_only=widest_only)
            return solver.each(problems, others_known=False)
        if method.minimality == "local":
            problems = local_problems(members, least_people(enforced))
            return solver.each(problems, others_known=False)
        full_domain = method.minimality == "full-domain"
        steps = full_domain_steps(target, members) if full_domain else cut_steps(members)
        most = getattr(method, "max_suppressed", 0)
        n_rows = members.frequencies.n_rows
        wide = wide_steps(target, members, steps, enforced, allowed_rows(most, n_rows))
        return solver.together(wide)


@dataclass(frozen=True, eq=False)
class _Verdict:
    """Holds what was learned against what was promised."""

    target: Target
    members: Members
    learned: Learned
    attribute: str

    def finding(self, attack: Minimality) -> Finding:
        everybody = self._view(np.ones(len(self.members.boxes), dtype=bool))
        classes, covered = class_beliefs(self.members, self.learned.beliefs, self.attribute)
        others = self._view(~covered)
        promised = self.target.parts(self.attribute, others=False)
        parts = [of_values_alone(part) for part in promised]
        failing = np.zeros(len(classes), dtype=bool)
        unsafe = np.zeros(len(others.sizes), dtype=bool)
        for part in parts:
            failing |= ~keeps(part, classes, everybody.groups)
            unsafe |= ~part.holds(others.groups)
        bounded = [part for part in parts if not share_allowed(part).allows(Fraction(1))]
        shown_part = self._shown(bounded, everybody, others, classes)
        bound: Bound | None = None if shown_part is None else share_allowed(shown_part)
        if not parts:
            bound = NO_CERTAINTY
            known_before = np.count_nonzero(everybody.reference) < 2
            certain = [each.largest == 1 and not known_before for each in classes]
            failing |= np.array(certain, dtype=bool)
            sure = others.groups.histogram.largest() == others.sizes
            unsafe |= sure & (not known_before)
        before = most_believed(everybody, shown_part)
        found, worst = self._found(shown_part, others, classes)
        open_ = np.zeros(len(classes), dtype=bool)  # a sample does not tell on which side it is
        if bound is not None:
            mine = [each.interval(shown_part, everybody.groups) for each in classes]
            top = float(limit(bound))
            open_ = np.array([i is not None and i[0] <= top < i[1] for i in mine], dtype=bool)
        n_exceeding = sum(each.people for each in _chosen(classes, failing & ~open_))
        n_exceeding += int(others.sizes[unsafe].sum())
        n_open = sum(each.people for each in _chosen(classes, open_))
        holds: bool | None = not n_exceeding
        if not n_exceeding and (n_open or self.learned.n_unknown):
            holds = None
        return Finding(
            attack=attack.called,
            attribute=self.attribute,
            knows=self._knows(attack),
            unit="belief",
            before=before.belief,
            found=found.belief,
            promised=bound,
            holds=holds,
            n_exceeding=n_exceeding,
            n_people=self.target.n_people,
            note=self._note(parts, bound, found, n_exceeding, n_open),
            interval=None if worst is None else worst.interval(shown_part, everybody.groups),
            worst=self._worst(found, worst, others, everybody),
        )

    def _shown(
        self, parts: list[Criterion], everybody: View, others: View, classes: list[ClassBelief]
    ) -> Criterion | None:
        """Choose which of several bounds to show: a broken one, the one nearest to its limit."""
        if not parts:
            return None
        kept, excess = [], []
        for part in parts:
            held = keeps(part, classes, everybody.groups).all() and part.holds(others.groups).all()
            found, _ = self._found(part, others, classes)
            kept.append(np.bool_(held))
            excess.append(found.belief - limit(share_allowed(part)))
        return parts[worst_of(kept, excess)]

    def _found(
        self, part: Criterion | None, others: View, classes: list[ClassBelief]
    ) -> tuple[Believed, ClassBelief | None]:
        """Give the largest belief, and the class it is about where something was learned of it."""
        found = most_believed(others, part) if len(others.sizes) else Believed(0, (), Fraction(0))
        best = most_believed_class(part, classes, others.groups)
        if best is None or best[0].belief < found.belief:
            return found, None
        return best

    def _view(self, chosen: NDArray[np.bool_]) -> View:
        """See some of the groups by the attribute."""
        whole = self.members.histogram
        name = np.cumsum(chosen) - 1
        kept = chosen[whole.group_of]
        histogram = Histogram.from_entries(
            name[whole.group_of[kept]],
            whole.codes[kept],
            whole.counts[kept],
            (int(chosen.sum()), whole.n_values),
        )
        joint = JointGroups(self.members.frequencies, self.members.sizes[chosen], histogram)
        return View(self.attribute, joint.by(self.attribute), np.flatnonzero(chosen))

    def _knows(self, attack: Minimality) -> str:
        method = self.target.method
        assert method is not None  # noqa: S101  (looked at already)
        enforced = "" if attack.enforced is None else f", {attack.enforced} having been enforced"
        return (
            f"{KNOWN}, and everybody's; how many of a kind are in which group; that no step down "
            f"was safe ({STEPS[str(method.minimality)]}){enforced}"
        )

    def _note(
        self,
        parts: list[Criterion],
        bound: Bound | None,
        found: Believed,
        n_exceeding: int,
        n_open: int,
    ) -> str | None:
        notes = []
        if not self.learned.beliefs and not self.learned.n_unknown:
            notes.append("nothing is learned from the method")
        elif self.learned.others_known:
            notes.append("one group at a time, by somebody who knows everybody else's values")
        if self.target.n_suppressed and self.learned.beliefs:
            notes.append("the values of suppressed people are taken as known")
        if n_exceeding and (bound is None or bound.allows(found.belief)):
            said = " & ".join(str(part) for part in parts)
            notes.append(f"{said} does not hold of what is believed")
        sampled = [each for each in self.learned.beliefs if each.low is not None]
        if sampled:
            notes.append(f"{len(sampled)} groups were sampled, with 95 % intervals")
        if n_open:
            notes.append(f"no verdict for {n_open} people, whose intervals hold the limit")
        if self.learned.n_unknown:
            notes.append(f"{self.learned.n_unknown} groups unknown: too many, or too few samples")
        return "; ".join(notes) or None

    def _worst(
        self, found: Believed, worst: ClassBelief | None, others: View, everybody: View
    ) -> dict[str, object] | None:
        if not found.codes:
            return None
        if worst is None:
            group = int(others.owner[found.group])
            who: dict[str, object] = {"group": self.members.labels(group)}
            people = int(others.sizes[found.group])
        else:
            who = {
                "group": self.members.labels(worst.group),
                "who": self.members.values(worst.combination),
            }
            people = worst.people
        value = everybody.label(*found.codes)
        return who | {"value": value, "belief": found.belief, "people": people}


def _chosen(classes: list[ClassBelief], which: NDArray[np.bool_]) -> list[ClassBelief]:
    return [classes[i] for i in np.flatnonzero(which).tolist()]
