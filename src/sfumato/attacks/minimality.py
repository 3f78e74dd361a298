"""The minimality attack: what "generalized only because it had to be" gives away.

Wong 2009, sections 3 to 5.1, for every kind of recoding and every criterion. The formulas for one
attribute and one sensitive value are here too, under the names of the paper.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from sfumato.algorithms import Algorithm
from sfumato.algorithms.algorithm import allowed_rows
from sfumato.attacks.attack import INTERRUPTED, Attack, Threat
from sfumato.attacks.finding import KNOWN, Finding
from sfumato.attacks.known_method.membership import (
    SEVERAL_FIT,
    Membership,
    PossibleMembers,
    listed,
    located,
)
from sfumato.attacks.known_method.rejected_steps import (
    counted_steps,
    cut_steps,
    full_domain_steps,
    least_people,
    local_problems,
    region_problems,
    wide_steps,
)
from sfumato.attacks.known_method.solver import LearnedBeliefs, Solver
from sfumato.attacks.known_method.verdict import Verdict, worst_finding
from sfumato.attacks.known_method.weighing import Weighing
from sfumato.attacks.remedy import Remedy
from sfumato.attacks.target import Target
from sfumato.attacks.what_helps import against_knowing_method
from sfumato.criteria import Criterion
from sfumato.criteria.judging import a_criterion, guarding_column, validate
from sfumato.errors import CannotRun, DoesNotApply
from sfumato.formulas.minimality.credibility import (
    credibility,
    credibility_local,
    credibility_superset,
)
from sfumato.formulas.minimality.worlds import credibility_enumerated
from sfumato.parameters import one_of, optional_column, optional_seed
from sfumato.text import people

__all__ = [
    "Minimality",
    "credibility",
    "credibility_enumerated",
    "credibility_local",
    "credibility_superset",
]


def __dir__() -> list[str]:
    return sorted(__all__)


STEPS = {
    "full-domain": "one column one level down",
    "regions": "one more cut of a region",
    "local": "one column of one group one level down",
    "cut": "one node of one column replaced by its children",
}
BESIDE_OTHERS = (
    "whether a step further was safe depended on earlier releases and on everybody's values in "
    "them; what that tells about values is not worked out here"
)
AT_ROOT = (
    "outliers are published at the root, not at the levels of everybody else; what it tells that "
    "no step down was safe is not worked out for them"
)
TWO_TABLES = (
    "quasi-identifiers are published as they are, so how far groups were generalized is not; what "
    "all steps of the method tell is the mechanism attack's"
)
LAST_STEP_ONLY = (
    "only the last step was looked at, so more may be believed: that a promise is kept only an "
    "attack can show that knows all steps (mechanism)"
)


@dataclass(frozen=True, eq=False)
class Minimality(Attack):
    """The adversary knows that no step further down was safe, and what that rules out.

    He knows the published table, everybody's original quasi-identifiers, the hierarchies, the
    criterion, the kind of recoding, and how many people of each kind are in which group. A world
    deals each group's sensitive values to its people; it is possible when every step down that was
    not taken would have broken the criterion. What is found is the credibility of the paper's
    definition 10: the expected share of a value among the people with the same quasi-identifiers.

    That is the last step only. Of a method that looks at quasi-identifiers and values together its
    earlier choices may tell more, so what is found is a lower bound: a promise can be shown broken
    by it, and not kept.

    Args:
        attribute: The sensitive column, when there are several.
        who: Whose quasi-identifiers the adversary has: "original": everybody's who is in the
            table. "external": those on a list of people, of whom some need not be in the table
            (the paper's superset case); what is believed is then the expected share of them who
            are in it and have the value.
        enforced: The criterion that the publisher kept to, where it is stricter than what was
            promised ("near to minimality"). None: the one of the release, or of the audit.
        seed: Repeats the samples that stand for what cannot be enumerated. It is an experiment's,
            nobody is protected by it.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> promise = sf.LDiversity(2, "frequency")
    >>> release = sf.anonymize(patients, promise, sf.Samarati())
    >>> finding = sf.attacks.Minimality().run(release)
    >>> finding.attack, finding.unit
    ('minimality', 'belief')
    """

    attribute: str | None = None
    enforced: Criterion | None = None
    seed: int | None = 0
    who: Literal["original", "external"] = "original"
    name: ClassVar[str] = "minimality"
    threat: ClassVar[Threat | None] = "inference"

    def __post_init__(self) -> None:
        optional_column("Minimality", "attribute", self.attribute)
        one_of("Minimality", "who", self.who, ("original", "external"))
        optional_seed("Minimality", self.seed)
        if self.enforced is not None:
            a_criterion(self.enforced, "Minimality: enforced")

    @classmethod
    def against(cls, target: Target) -> Iterator[Attack]:
        """Every sensitive column; with a list of people, if there is one, too."""
        for attribute in target.sensitive or (None,):
            yield cls(attribute=attribute)
            if target.external is not None:
                yield cls(attribute=attribute, who="external")

    @property
    def called(self) -> str:
        """The name, and whether it is a list that the adversary has."""
        return self.name if self.who == "original" else f"{self.name}, external"

    def remedy(self, target: Target, finding: Finding | None) -> Remedy:
        """A method that tells nothing."""
        return against_knowing_method(target, finding)

    def find(self, target: Target) -> Finding:
        """Find the value that is believed most, by somebody who knows what was not published."""
        attribute = target.view(self.attribute, others=False).attribute
        method, enforced = self._method(target)
        if self.who == "external":
            return self._of_list(target, method, enforced, attribute)
        members = located(target, guarding_column(enforced))
        if isinstance(members, PossibleMembers):
            return self._over_fillings(target, members, method, enforced, attribute)
        learned = self._learned(target, members, method, enforced)
        learned = self._with_what_is_known(target, learned, method, enforced)
        knows = self._knows(target, method)
        return _lower_bound(worst_finding(target, members, learned, attribute, self.called, knows))

    def _over_fillings(
        self,
        target: Target,
        possible: PossibleMembers,
        method: Algorithm,
        enforced: Criterion,
        attribute: str,
    ) -> Finding:
        """Find the same where counts do not tell who is in which group."""

        def solve(members: Membership) -> LearnedBeliefs:
            return self._learned(target, members, method, enforced)

        if method.minimality not in ("local", "regions"):
            raise CannotRun(SEVERAL_FIT)
        weighed = Weighing(possible, attribute, solve, one_by_one=True, absent=False).run()
        learned = self._with_what_is_known(target, weighed.learned, method, enforced)
        seen = possible.without_members()
        verdict = Verdict(target, seen, learned, attribute, weighed.classes)
        return _lower_bound(verdict.finding(self.called, self._knows(target, method), weighed.note))

    def _of_list(
        self, target: Target, method: Algorithm, enforced: Criterion, attribute: str
    ) -> Finding:
        """Find what is believed of people on a list, of whom some may not be in the table."""
        if target.n_suppressed:
            raise CannotRun(
                "rows were suppressed, so who on the list is in no group may be one of them; how "
                "that was decided is not worked out for lists"
            )
        if guarding_column(enforced) is not None:
            raise CannotRun("what people guard is neither published nor on the list")
        possible = listed(target)
        unmade = replace(target, recoding=None)  # its ranks are those of another table

        def solve(members: Membership) -> LearnedBeliefs:
            return self._learned(unmade, members, method, enforced)

        alone = method.minimality in ("local", "regions")
        weighed = Weighing(possible, attribute, solve, one_by_one=alone, absent=True).run()
        learned = self._with_what_is_known(target, weighed.learned, method, enforced)
        verdict = Verdict(target, possible.without_members(), learned, attribute, weighed.classes)
        finding = verdict.finding(self.called, self._knows(target, method), weighed.note)
        kinds = np.unique(possible.fillings.pairs[:, 0])
        return _lower_bound(replace(finding, n_people=int(possible.fillings.people[kinds].sum())))

    def _with_what_is_known(
        self, target: Target, learned: LearnedBeliefs, method: Algorithm, enforced: Criterion
    ) -> LearnedBeliefs:
        return replace(
            learned,
            suppressed_known=bool(target.n_suppressed),
            judged_alone=not all(part.by_group for part in enforced.parts),
            last_step_only=method.joint,
        )

    def _knows(self, target: Target, method: Algorithm) -> str:
        kept_to = self.enforced or target.enforced
        other = kept_to is not None and str(kept_to) != str(target.criterion)
        enforced = f", {kept_to} having been enforced" if other else ""
        known = f"{KNOWN}, and everybody's; how many of a kind are in which group"
        if target.external is not None and self.who == "external":
            listed_people = people(target.external.n_rows)
            known = f"a list of {listed_people}, of whom some may not be in the table"
        step = STEPS[str(method.minimality)]
        return f"{known}; that no step down was safe ({step}){enforced}"

    def _method(self, target: Target) -> tuple[Algorithm, Criterion]:
        """Give the method and what it enforced, if there is a last step to reason from."""
        method, enforced = target.method, self.enforced or target.enforced or target.criterion
        if enforced is None:
            raise DoesNotApply("nobody said what was promised")
        if self.enforced is not None:
            validate(enforced, target.seen.frequencies, values=False)
        series = None if method is None else method.series
        beside_others = series is not None and bool(series.previous)
        if not any(part.looks_at_values for part in enforced.parts):
            if beside_others:
                raise DoesNotApply(f"{BESIDE_OTHERS}; and nothing was promised about values")
            raise DoesNotApply(
                "only numbers of people were promised, and these everybody can count: that no step "
                "further was safe says nothing about values"
            )
        if method is None:
            raise CannotRun("nobody said by which method the release was made")
        if method.minimality is None:
            raise DoesNotApply(
                f"{method} does not say that no step further would have been safe; there is "
                "no minimality to reason from"
            )
        if target.interrupted:
            raise CannotRun(INTERRUPTED)
        if beside_others:
            raise CannotRun(BESIDE_OTHERS)
        if method.bucketized:
            raise DoesNotApply(TWO_TABLES)
        if any(part.skyline() is not None for part in enforced.parts):
            raise CannotRun(
                "a skyline is about all groups of a release together; what a step further would "
                "have exposed cannot be said of one group"
            )
        return method, enforced

    def _learned(
        self, target: Target, members: Membership, method: Algorithm, enforced: Criterion
    ) -> LearnedBeliefs:
        solver = Solver(members, enforced, np.random.default_rng(self.seed))
        if method.minimality == "regions":
            least = least_people(enforced)
            problems = region_problems(members, least, widest_only=method.widest_only)
            return solver.each(problems, others_known=False)
        if method.minimality == "local":
            problems = local_problems(members, least_people(enforced))
            return solver.each(problems, others_known=False, all_explained=False)
        full_domain = method.minimality == "full-domain"
        if full_domain and _has_outliers_at_root(members):
            raise CannotRun(AT_ROOT)
        steps = full_domain_steps(target, members) if full_domain else cut_steps(members)
        limit = allowed_rows(method.max_suppressed, target.n_people + target.n_suppressed)
        if self.who == "external":
            wide = counted_steps(target, members, steps, enforced, limit)
            return solver.together(wide, values_known=False)
        wide = wide_steps(target, members, steps, enforced, limit)
        return solver.together(wide)


def _has_outliers_at_root(members: Membership) -> bool:
    """Whether nothing is told of one group, and something of others."""
    sizes = [len(members.frequencies.domains[n]) for n in members.frequencies.quasi_identifiers]
    at_root = (members.boxes == [[0, size - 1] for size in sizes]).all(axis=(1, 2))
    return bool(at_root.any() and not at_root.all())


def _lower_bound(finding: Finding) -> Finding:
    """Say that only the last step was looked at, where that leaves it open."""
    if finding.holds is not None:
        return finding
    notes = [LAST_STEP_ONLY, *([finding.note] if finding.note else [])]
    return replace(finding, note="; ".join(notes))
