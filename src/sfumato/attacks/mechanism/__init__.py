"""The mechanism attack: what a method gives away to somebody who can run it (Wong 2009, 5.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from sfumato.algorithms import Algorithm
from sfumato.attacks.attack import INTERRUPTED, Attack, Threat
from sfumato.attacks.correspondence.known_cells import KnownCells
from sfumato.attacks.correspondence.whole_series import among_others, named
from sfumato.attacks.finding import KNOWN, Finding
from sfumato.attacks.known_method.membership import (
    Membership,
    PossibleMembers,
    listed,
    located,
    members_of,
)
from sfumato.attacks.known_method.solver import LearnedBeliefs, Solver
from sfumato.attacks.known_method.verdict import Verdict, is_within_others, worst_finding
from sfumato.attacks.mechanism.budget import chosen_by_values
from sfumato.attacks.mechanism.following import Following, published_groups
from sfumato.attacks.mechanism.masked import masked_finding
from sfumato.attacks.mechanism.promise import Promise
from sfumato.attacks.mechanism.replaying import Replay
from sfumato.attacks.mechanism.replaying_two_tables import TwoTablesReplay
from sfumato.attacks.mechanism.series import SeriesReplay, provenances_of
from sfumato.attacks.mechanism.superset import ListReplay
from sfumato.attacks.remedy import Remedy
from sfumato.attacks.target import Target
from sfumato.attacks.told_apart import unless_told_apart
from sfumato.attacks.what_helps import against_knowing_method
from sfumato.criteria import Criterion
from sfumato.criteria.judging import guarding_column, is_monotone
from sfumato.errors import CannotRun, DoesNotApply
from sfumato.parameters import one_of, optional_column, optional_seed, whole
from sfumato.release import Release
from sfumato.table import Table
from sfumato.text import people

WORLDS = 20_000
BLIND = (
    "who has which value had no part in what the method decided: however those of a group are "
    "dealt to its people, and whatever suppressed people have, the same is published"
)
BLIND_SERIES = (
    "values had no part in what was decided for any of the releases, so all worlds that explain "
    "them are alike"
)
NO_ORIGINAL = "it needs everybody's original quasi-identifiers"
GIVE_IT = "give the original table (original=, --original)"
ASIDE = "earlier releases were left aside"


@dataclass(frozen=True, eq=False)
class Mechanism(Attack):
    """The adversary runs the method himself, on every world that could have been.

    He knows everything in `release.json` (method, parameters, criterion, hierarchies), the
    published table, and the quasi-identifiers of all people, of suppressed ones too. A world deals
    each published group's values to its people; a suppressed person may have any published value,
    any that the criterion or the hierarchy names, or another one. A world counts as often as the
    method publishes on it what was published. What is found is the largest belief in a protected
    value of anybody, published or suppressed.

    Where the decisions of a method can be followed (`Algorithm.failed_steps`), worlds are counted
    without running it, group by group. Of what is too large for that, bounds on beliefs may show
    that a promise is kept; samples stand for the rest, and show nothing to be safe. Otherwise the
    method is run again on every world, if these are not too many. Where values had no part in its
    decisions (`Algorithm.joint`), all worlds count the same: a group's shares are what is believed
    of its people.

    A method that changes values (`Mask`) is not run again: tables and lots that lead to what was
    published are weighed, where these are few, with a prior by which everybody has one of the
    masked values alike. That may show somebody to be believed too much of, and nobody to be safe.

    With earlier releases of the same people he knows these, how they were made, and when people
    came: worlds explain all of them, and every release has to come about on a world.

    Args:
        attribute: The sensitive column, when there are several.
        who: Whose quasi-identifiers he has: "original": everybody's who is in the table.
            "external": those on a list of people, of whom some need not be in the table; every set
            of people who may be in it counts alike before, and what is believed is the expected
            share of listed people who are in the table and have the value.
        worlds: Run a method at most so often.
        seed: Repeats the samples. It is an experiment's, nobody is protected by it.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> release = sf.anonymize(patients, sf.KAnonymity(5) & sf.LDiversity(3), sf.Mondrian())
    >>> finding = sf.attacks.Mechanism().run(release)
    >>> finding.attack, finding.unit
    ('mechanism', 'belief')
    """

    attribute: str | None = None
    worlds: int = WORLDS
    seed: int | None = 0
    who: Literal["original", "external"] = "original"
    name: ClassVar[str] = "mechanism"
    threat: ClassVar[Threat | None] = "inference"
    knows_method: ClassVar[bool] = True

    def __post_init__(self) -> None:
        optional_column("Mechanism", "attribute", self.attribute)
        whole("Mechanism", "worlds", self.worlds, least=1)
        optional_seed("Mechanism", self.seed)
        one_of("Mechanism", "who", self.who, ("original", "external"))

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

    def run(self, subject: Release | Table | Target, original: object = None) -> Finding:
        """Attack a release, or a published table of any origin.

        What somebody believes who has a list alone decides nothing about those who know more.
        """
        finding = super().run(subject, original)
        return replace(finding, knows_method=self.who == "original")

    def remedy(self, target: Target, finding: Finding | None) -> Remedy:
        """A method that tells nothing."""
        return against_knowing_method(target, finding)

    def find(self, target: Target) -> Finding:
        """Find the value that is believed most, by somebody who can run the method."""
        view = target.view(self.attribute, others=False)
        attribute = view.attribute
        method = target.method
        masking = None if method is None else method.masking
        if method is not None and masking is not None and self._weighs_lots(target):
            return masked_finding(target, method, masking, attribute, self.called, _knows(target))
        method, enforced = _method(target)
        if target.interrupted and method.joint and not target.blind:
            raise CannotRun(INTERRUPTED)
        guard = guarding_column(enforced)
        if self.who == "external":
            return self._of_list(target, method, enforced, attribute)
        aside = None
        if target.previous:
            try:
                return self._in_series(target, method, enforced, attribute)
            except CannotRun as error:
                if method.series is not None and method.series.previous:
                    raise
                aside = f"{ASIDE}: {error.reason}"
        finding = self._alone(target, method, enforced, attribute, guard)
        if aside is None:
            return finding
        notes = [aside, *([finding.note] if finding.note else [])]
        return replace(finding, note="; ".join(notes))

    def _weighs_lots(self, target: Target) -> bool:
        """Whether it is about a masked release alone."""
        return self.who == "original" and not target.previous

    def _in_series(
        self, target: Target, method: Algorithm, enforced: Criterion, attribute: str
    ) -> Finding:
        """Find what is believed by somebody who has all releases of a series."""
        own = among_others(target)
        if guarding_column(enforced) is not None:
            raise CannotRun("what people guard is not worked out for several releases")
        provenances = provenances_of(own, target.previous, method, enforced)
        knows = f"{_knows(target)}; when people came; {named(target.previous)}, with their methods"
        if all(each.blind for each in provenances):
            finding = KnownCells(attribute=attribute).find(target)
            promised = target.parts(attribute, others=False)
            if finding.holds and any(is_within_others(part, target) for part in promised):
                finding = replace(finding, holds=None)  # by this column alone
            notes = [BLIND_SERIES, *([finding.note] if finding.note else [])]
            finding = replace(finding, attack=self.called, knows=knows, note="; ".join(notes))
        elif target.original is None:
            raise CannotRun(NO_ORIGINAL, remedy=GIVE_IT)
        else:
            replay = SeriesReplay(target.original, provenances, self.worlds)
            members, classes = replay.run(attribute)
            verdict = Verdict(target, members, LearnedBeliefs([]), attribute, classes)
            finding = verdict.finding(self.called, knows)
        return replace(finding, knows_earlier=True)

    def _of_list(
        self, target: Target, method: Algorithm, enforced: Criterion, attribute: str
    ) -> Finding:
        """Find what is believed of people on a list, of whom some may not be in the table."""
        possible = listed(target)
        assert target.external is not None  # noqa: S101  (else nothing is listed)
        others = people(target.external.n_rows)
        knows = f"a list of {others}, of whom some may not be in the table; {target.method}"
        if guarding_column(enforced) is not None:
            raise CannotRun("what people guard is neither published nor on the list")
        if not method.joint or target.blind:
            finding = self._finding(target, _seen(target), LearnedBeliefs([]), attribute)
            return replace(finding, knows=knows, note=f"{BLIND}; whoever is on the list, at most")
        replay = ListReplay(target, target.external, method, enforced, self.worlds)
        members, classes = possible.without_members(), replay.run(attribute)
        verdict = Verdict(target, members, LearnedBeliefs([]), attribute, classes)
        finding = verdict.finding(self.called, knows)
        return replace(finding, n_people=sum(each.people for each in classes))

    def _alone(
        self,
        target: Target,
        method: Algorithm,
        enforced: Criterion,
        attribute: str,
        guard: str | None,
    ) -> Finding:
        """Find what is believed by somebody who has this release alone."""
        if not method.joint or target.blind:
            if guard is None:
                return self._by_shares(target, attribute, BLIND)
            members = members_of(target, guard)
            finding = self._finding(target, members, LearnedBeliefs([]), attribute, BLIND)
            return unless_told_apart(finding, target)
        if guard is not None:
            raise CannotRun(
                "what people guard is not published, so nobody can run the method again on worlds"
            )
        if target.original is None:
            raise CannotRun(NO_ORIGINAL, remedy=GIVE_IT)
        if self._can_follow(target, method, enforced):
            followed = self._followed(target, method, enforced, attribute)
            if followed is not None:
                return followed
        rules = target.original.schema.hierarchies
        ground = target.original.combinations()
        kind = TwoTablesReplay if target.as_they_are else Replay
        replay = kind(target, ground, rules, method, enforced, self.worlds)
        members, classes = replay.run(attribute)
        n_unseen = target.n_suppressed  # whoever runs it sees nothing of their values
        verdict = Verdict(target, members, LearnedBeliefs([]), attribute, classes, n_unseen)
        return unless_told_apart(verdict.finding(self.called, _knows(target)), target)

    def _by_shares(self, target: Target, attribute: str, reason: str | None) -> Finding:
        """Find it where all worlds count alike: by the shares of the groups that people see."""
        finer = target.told_apart
        if finer is None or finer.untouched is None or attribute not in finer.sensitive:
            return self._finding(target, _seen(target), LearnedBeliefs([]), attribute, reason)
        finding = self._finding(finer, _seen(finer), LearnedBeliefs([]), attribute, reason)
        return replace(finding, knows=f"{finding.knows}; {finer.untouched.known}")

    def _followed(
        self, target: Target, method: Algorithm, enforced: Criterion, attribute: str
    ) -> Finding | None:
        """Find it from what failed on the way; None: the way cannot be told from the groups."""
        members = located(target, guarding_column(enforced))
        if isinstance(members, PossibleMembers) or members.splits:
            return None
        steps = method.failed_steps(published_groups(members), enforced)
        if steps is None:
            return None
        solver = Solver(
            members,
            enforced,
            np.random.default_rng(self.seed),
            together=max(1, len(members.people) * 2),
        )
        following = Following(members, steps, solver)
        if target.told_apart is not None and not (following.beliefs or following.large):
            return self._by_shares(target, attribute, None)
        finding = self._of_steps(target, members, following, attribute)
        return unless_told_apart(finding, target)

    def _of_steps(
        self, target: Target, members: Membership, following: Following, attribute: str
    ) -> Finding:
        """Find it exactly, by bounds, or by samples."""
        finding = self._finding(target, members, following.exactly(), attribute)
        if finding.holds is False or not following.large:
            return finding
        promise = Promise.of(target.parts(attribute, others=False), members, attribute)
        if promise is not None:
            following.bound(promise)
            if not following.large:
                return self._finding(target, members, following.exactly(), attribute)
        return self._finding(target, members, following.sampled(), attribute)

    def _can_follow(self, target: Target, method: Algorithm, enforced: Criterion) -> bool:
        """Whether everybody is published, and decisions can be told from groups.

        So they can where unions of safe groups are safe, or where values decided nothing but
        whether anything is published.
        """
        if target.n_suppressed or target.original is None or not method.deterministic:
            return False
        frequencies = target.original.frequencies(guarding_column(enforced))
        told = not method.joint or is_monotone(enforced, frequencies, suppression=False)
        return told and all(part.by_group for part in enforced.parts)

    def _finding(
        self,
        target: Target,
        members: Membership,
        learned: LearnedBeliefs,
        attribute: str,
        reason: str | None = None,
    ) -> Finding:
        knows = _knows(target)
        return worst_finding(target, members, learned, attribute, self.called, knows, reason)


def _method(target: Target) -> tuple[Algorithm, Criterion]:
    """Give the method and what it enforced, if it can be run again."""
    method, enforced = target.method, target.enforced or target.criterion
    if enforced is None:
        raise DoesNotApply("nobody said what was promised")
    promised = target.promises_of_values
    decidable = promised and target.blind and all(part.guarding is None for part in promised)
    if method is not None and method.changes_values:
        kind = CannotRun if promised else DoesNotApply
        about = "" if promised else "only numbers of people were promised; "
        raise kind(
            f"{about}{method} changes values, so that the published ones need not be those of any "
            "world; what somebody believes who knows the method is not worked out here"
        )
    if method is not None and method.reads_values:
        kind = CannotRun if promised else DoesNotApply
        about = "" if promised else "only numbers of people were promised; "
        raise kind(about + chosen_by_values(method))
    if not decidable and not any(part.looks_at_values for part in enforced.parts):
        raise DoesNotApply(
            "only numbers of people were promised, and these everybody can count: what the method "
            "did says nothing about values"
        )
    if method is None:
        raise CannotRun("nobody said by which method the release was made")
    if method.bucketized and not method.one_by_one and target.set_valued is not None:
        raise CannotRun(
            f"{method} publishes two tables, and people have any number of values; on which worlds "
            "it makes the same groups is not worked out here"
        )
    if method.one_by_one:
        raise DoesNotApply(
            f"people were put into groups one by one by {method}; what that tells is found by the "
            "attack on the method"
        )
    return method, enforced


def _seen(target: Target) -> Membership:
    seen = target.seen
    return Membership.of_groups(seen.frequencies, seen.boxes, seen.joint.counted)


def _knows(target: Target) -> str:
    other = target.enforced is not None and str(target.enforced) != str(target.criterion)
    enforced = f", {target.enforced} having been enforced" if other else ""
    return (
        f"{KNOWN}, and everybody's, of suppressed people too; the method with all its parameters "
        f"({target.method}){enforced}"
    )
