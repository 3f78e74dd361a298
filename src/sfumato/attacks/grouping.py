"""What the way groups were formed gives away (Cormode 2010).

`bucket_risk` is the closed form for one sensitive value; the attack is for any criterion.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms import Algorithm
from sfumato.algorithms.formation import Formation
from sfumato.attacks.attack import Attack, Threat
from sfumato.attacks.finding import KNOWN, Finding
from sfumato.attacks.known_method.alike_people import told_apart
from sfumato.attacks.known_method.by_class import class_beliefs
from sfumato.attacks.known_method.left_over import LeftOver, can_be_followed, left_over
from sfumato.attacks.known_method.membership import Membership
from sfumato.attacks.known_method.possible_values import PossibleValues
from sfumato.attacks.known_method.rejected_steps import Problem, Problems
from sfumato.attacks.known_method.solver import GroupBeliefs, LearnedBeliefs, Solver
from sfumato.attacks.known_method.verdict import Verdict
from sfumato.attacks.remedy import Remedy
from sfumato.attacks.target import Target
from sfumato.attacks.told_apart import unless_told_apart
from sfumato.attacks.what_helps import against_knowing_method
from sfumato.criteria import Criterion
from sfumato.data.frequency import sum_by
from sfumato.data.groups import Counts
from sfumato.data.keys import distinct_rows
from sfumato.data.recoding import SUPPRESSED, Bucketing
from sfumato.errors import CannotRun, DoesNotApply
from sfumato.formulas.minimality.buckets import bucket_risk
from sfumato.parameters import optional_column, optional_seed

__all__ = ["MethodBased", "bucket_risk"]


def __dir__() -> list[str]:
    return sorted(__all__)


MANY = 50_000  # buckets from which on beliefs in values that are not bounded are left out


@dataclass(frozen=True, eq=False)
class MethodBased(Attack):
    """The adversary knows how groups were formed, and what would have been published instead.

    A world deals a group's sensitive values to its people. Worlds in which the method would have
    stopped earlier, or split the group, are impossible or less likely. People with equal
    quasi-identifiers stand in an order that nobody knows. Without the original it is not told here
    who stands in which order, so everybody's place is taken to be known: nobody can learn more.

    Three properties of a method say whether there is anything to learn: that it leaves nothing to
    chance, that it treats the people of a group differently, and that it looks at
    quasi-identifiers and sensitive values together.

    Args:
        attribute: The sensitive column, when there are several.
        seed: Repeats the samples that stand for what cannot be enumerated. It is an experiment's,
            nobody is protected by it.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> release = sf.anonymize(patients, sf.LDiversity(2, "frequency"), sf.GreedyGrouping())
    >>> finding = sf.attacks.MethodBased().run(release)
    >>> finding.promised.value, finding.holds
    (Fraction(1, 2), False)
    """

    attribute: str | None = None
    seed: int | None = 0
    name: ClassVar[str] = "method"
    threat: ClassVar[Threat | None] = "inference"
    knows_method: ClassVar[bool] = True

    def __post_init__(self) -> None:
        optional_column("MethodBased", "attribute", self.attribute)
        optional_seed("MethodBased", self.seed)

    @classmethod
    def against(cls, target: Target) -> Iterator[Attack]:
        """Every sensitive column; where people were not grouped, the reason says so."""
        for attribute in target.sensitive or (None,):
            yield cls(attribute=attribute)

    def remedy(self, target: Target, finding: Finding | None) -> Remedy:
        """A method that tells nothing."""
        return against_knowing_method(target, finding)

    def find(self, target: Target) -> Finding:
        """Find the value that is believed most, by somebody who knows how groups were formed."""
        attribute = target.view(self.attribute, others=False).attribute
        method, promised = target.method, target.criterion
        if promised is None:
            raise DoesNotApply("nobody said what was promised")
        if method is None:
            if not any(part.looks_at_values for part in promised.parts):
                raise DoesNotApply("only numbers of people were promised, and these can be counted")
            raise CannotRun("nobody said by which method the release was made")
        if not method.one_by_one:
            raise DoesNotApply(
                f"people were not grouped one by one by {method}; what can be learned from its "
                f"steps is the {'mechanism' if method.bucketized else 'minimality'} attack's"
            )
        # Who was left over is not among those whose values are dealt.
        learned = LearnedBeliefs([], suppressed_known=target.n_suppressed > 0)
        members, classes = _members(target, target.seen.sizes, None), None
        if method.joint and any(part.looks_at_values for part in promised.parts):
            learned, members = self._learned(target, method, promised)
            learned = replace(learned, suppressed_known=target.n_suppressed > 0)
            formation = method.formation(promised, target.seen.frequencies)
            if formation is not None and target.buckets is not None:
                members, learned = told_apart(members, learned, target.buckets, formation)
                gone = self._left_over(target, target.buckets, formation, len(members.people))
                if gone is not None:
                    learned = replace(learned, suppressed_known=False)
                    known, _ = class_beliefs(members, learned.beliefs, attribute, everybody=True)
                    classes = gone.added_to(known)
        knows = f"{KNOWN}, and everybody's; in which order people joined a group"
        verdict = Verdict(target, members, learned, attribute, classes)
        reason = properties(method)
        if method.anatomize and target.recoding is None:
            reason += "; which groups were one only the process that made the release tells"
        return unless_told_apart(verdict.finding(self.called, knows, reason), target)

    def _left_over(
        self, target: Target, buckets: Bucketing, formation: Formation, n: int
    ) -> LeftOver | None:
        """Find what is believed of people who were left over; n: places of all others."""
        original = target.original
        if not target.n_suppressed or original is None or n > MANY:
            return None
        if not can_be_followed(target, formation):
            return None
        values = PossibleValues.of(target, original.schema.hierarchies, formation.enforced)
        (domain,) = values.domains.values()
        published = set(values.rows[values.histogram.any(axis=0), 0].tolist())
        return left_over(target, buckets, formation, domain, values.prior, published)

    def _learned(
        self, target: Target, method: Algorithm, promised: Criterion
    ) -> tuple[LearnedBeliefs, Membership]:
        formation = method.formation(promised, target.seen.frequencies)
        if formation is None:
            raise CannotRun(
                f"{method} does not say how its groups are formed; there is nothing to reason from"
            )
        sizes = target.seen.sizes
        compares = any(part.needs_original for part in formation.enforced.parts)
        if target.n_unseen and compares:  # what was safe, only the original's distribution tells
            return LearnedBeliefs([], range(len(sizes))), _members(target, sizes, None)
        if not method.anatomize:
            members = _members(target, formation.people(sizes), formation.n_buckets(sizes))
            return _as_formed(formation, members, self._solver(formation, members)), members
        buckets = target.buckets
        if buckets is None or buckets.formed is None:
            return LearnedBeliefs([], range(len(sizes))), _members(target, sizes, None)
        members, before, bucket = _parts(target, buckets.parts, buckets.formed)
        solver = self._solver(formation, members)
        return _partitioned(formation, members, solver, before, bucket), members

    def _solver(self, formation: Formation, members: Membership) -> Solver:
        rng = np.random.default_rng(self.seed)
        many = len(members.people) > MANY
        return Solver(members, formation.enforced, rng, bounded_only=many)


def properties(method: Algorithm) -> str:
    """Say what makes a method vulnerable, or does not: the three properties of section 3."""
    if not method.joint:
        return "groups are formed without looking at quasi-identifiers"
    chance = "deterministic" if method.deterministic else "randomized"
    even = "symmetric" if method.symmetric else "asymmetric"
    apart = ", then partitioned" if method.anatomize else ""
    return f"{chance}, {even}, quasi-identifiers and sensitive values looked at together{apart}"


@dataclass(frozen=True, eq=False)
class _Buckets(Membership):
    """The people of groups by the bucket they joined at, instead of by what they are."""

    def values(self, combination: int) -> dict[str, object]:
        """Give the place of a bucket among those of its group, and how many there are."""
        group = int(self.group[combination])
        first, end = self.starts[group : group + 2].tolist()
        return {"bucket": f"{combination - first + 1} of {end - first}"}


def _members(target: Target, people: Counts, n: NDArray[np.intp] | None) -> Membership:
    """Give the buckets of all groups, group after group; n: of each, 1 if not given."""
    seen = target.seen
    group = np.arange(len(seen.sizes)) if n is None else np.repeat(np.arange(len(seen.sizes)), n)
    cell = np.arange(len(people))
    return _Buckets(seen.frequencies, seen.boxes, cell, group, people, seen.joint.counted)


def _as_formed(formation: Formation, members: Membership, solver: Solver) -> LearnedBeliefs:
    """Solve groups that are published as they were formed; those that are alike at once."""
    n_values = members.histogram.n_values
    alike: dict[object, list[int]] = {}
    for group in np.flatnonzero(np.diff(members.starts) > 1).tolist():
        alike.setdefault(solver.signature(group), []).append(group)

    def stated(group: int) -> Problem:
        first, end = members.starts[group : group + 2]
        people = members.people[first:end]
        return Problem(group, formation.steps(np.arange(end - first), people, n_values))

    some = np.array([groups[0] for groups in alike.values()], dtype=np.intp)
    representatives = solver.each(Problems.by_size(members, some, stated), others_known=False)
    sharing = {groups[0]: np.array(groups) for groups in alike.values()}
    beliefs = [replace(each, alike=sharing[each.group]) for each in representatives.beliefs]
    unknown = [group for one in representatives.unknown for group in sharing[one].tolist()]
    return replace(representatives, beliefs=beliefs, unknown=unknown)


def _parts(
    target: Target, parts: NDArray[np.int64], formed: NDArray[np.int64]
) -> tuple[Membership, NDArray[np.int64], NDArray[np.int64]]:
    """Give the people of each published group by the bucket of the group they had been in.

    Also, for each of these cells, that group and the bucket. formed: both, of each of the parts.
    """
    kept = parts[:, 1] != SUPPRESSED
    cells, cell = distinct_rows(np.column_stack([parts[kept, 1], formed[kept]]))
    people = sum_by(cell, parts[kept, 2], len(cells))
    members = _members(target, people, np.bincount(cells[:, 0]))
    return members, cells[:, 1].astype(np.int64), cells[:, 2].astype(np.int64)


def _partitioned(
    formation: Formation,
    members: Membership,
    solver: Solver,
    before: NDArray[np.int64],
    bucket: NDArray[np.int64],
) -> LearnedBeliefs:
    """Solve groups that were partitioned: values are dealt within the parts.

    That is a method of its own: the bounds for the groups as they were do not hold for it.
    """
    beliefs: list[GroupBeliefs] = []
    unknown: list[int] = []
    order = np.argsort(before, kind="stable")
    first = np.flatnonzero(np.diff(before[order], prepend=-1))
    for cells in np.split(order, first[1:]):
        steps = formation.steps(bucket[cells], members.people[cells], members.histogram.n_values)
        groups = np.unique(members.group[cells])
        if not steps or not len(groups):
            continue
        group_beliefs = solver.parts(groups, steps)
        if group_beliefs is None:
            unknown += groups.tolist()
        else:
            beliefs += group_beliefs
    return LearnedBeliefs(beliefs, unknown)
