"""What knowing the method tells, beside what was promised."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.finding import NO_CERTAINTY, Finding
from sfumato.attacks.known_method.by_class import (
    ClassBelief,
    Protected,
    believed_groups,
    class_beliefs,
    keeps,
    most_believed_class,
    undecided,
)
from sfumato.attacks.known_method.membership import Membership
from sfumato.attacks.known_method.personalized import guarded_finding
from sfumato.attacks.known_method.solver import LearnedBeliefs
from sfumato.attacks.largest_belief import LargestBelief, largest_belief, worst_of
from sfumato.attacks.target import Target, View
from sfumato.criteria import Criterion
from sfumato.criteria.bound import Bound, FailedMeasure
from sfumato.criteria.judging import shown_to, surely
from sfumato.text import counted, people

BESIDE_OTHERS = (
    "for what the method tells somebody who knows other people's values, too, is not worked out"
)
WITHIN_OTHERS = (
    "for what the method tells somebody who knows the other sensitive values of a person is not "
    "worked out"
)
OTHERS_KNOWN = "of whom too much is believed only by who knows everybody else's values"
SEVERITY = (False, None, True)
UNSEEN_DISTRIBUTION = "for want of the original's distribution, suppressed rows and all"


@dataclass(frozen=True, eq=False)
class Verdict:
    """Holds what was learned from a method against what was promised."""

    target: Target
    members: Membership
    learned: LearnedBeliefs
    attribute: str
    everybody: list[ClassBelief] | None = None  # where beliefs of all people are known already
    n_unseen: int = 0  # people whom the distribution of the whole table lacks, as he sees it

    def _classes(self) -> tuple[list[ClassBelief], NDArray[np.bool_]]:
        """Give what is believed by class, and which groups have nobody else."""
        if self.everybody is not None:
            return self.everybody, np.ones(len(self.members.boxes), dtype=bool)
        return class_beliefs(self.members, self.learned.beliefs, self.attribute)

    def finding(self, called: str, knows: str, reason: str | None = None) -> Finding:
        """Find the value that is believed most, and for whom the promise is not kept."""
        everybody = self._view(np.ones(len(self.members.boxes), dtype=bool))
        classes, covered = self._classes()
        others = self._view(~covered)
        promised = self.target.parts(self.attribute, others=False)
        stated = [(part, part.without_sizes()) for part in promised if part.guarding is None]
        parts = [alone for _, alone in stated if alone is not None]
        unstated = [part for part, alone in stated if alone is None]
        failing, open_ = self._judge_classes(parts, classes, everybody)
        unsafe, unseen = self._judge_others([*unstated, *parts], others)
        bounded = [part for part in parts if not part.belief_allowed().allows(Fraction(1))]
        shown_part = self._shown(bounded, everybody, others, classes)
        bound: Bound | None = None if shown_part is None else shown_part.belief_allowed()
        if len(stated) == len(parts) == 1:  # also where it bounds nothing: it says what matters
            shown_part = parts[0]
        if not (bounded or failing.any() or unsafe.any()):
            bound = NO_CERTAINTY
            if np.count_nonzero(everybody.reference) > 1:  # else it was certain before
                certain = np.array([each.largest == 1 for each in classes], dtype=bool)
                inexact = np.array([each.low is not None for each in classes], dtype=bool)
                inexact |= self.learned.others_known
                failing |= certain & ~inexact
                open_ |= certain & inexact
                unsafe |= others.groups.histogram.largest() == others.sizes
        open_ &= ~failing
        before = largest_belief(everybody, shown_part)
        largest, worst = self._largest_belief(shown_part, others, classes)
        n_exceeding = sum(each.people for each in _chosen(classes, failing))
        n_exceeding += int(others.sizes[unsafe].sum())
        n_open = sum(each.people for each in _chosen(classes, open_))
        n_open += int(others.sizes[unseen & ~unsafe].sum())
        n_unjudged = sum(each.people for each in classes) if unstated else 0
        holds: bool | None = not n_exceeding
        if not n_exceeding and (n_open or n_unjudged or not self.learned.answers):
            holds = None
        failed = None
        if n_exceeding and (bound is None or bound.allows(largest.belief)):
            failed = self._failed(parts, unstated, (classes, failing), everybody, (others, unsafe))
        note = self._note(reason, [*parts, *unstated], failed, n_open)
        if n_unjudged:
            names = " & ".join(str(part) for part in unstated)
            whom = people(n_unjudged)
            unjudged = f"no verdict for {whom}: what {names} asks of beliefs is not stated"
            note = unjudged if note is None else f"{note}; {unjudged}"
        return Finding(
            attack=called,
            attribute=self.attribute,
            knows=knows,
            unit="belief",
            before=before.belief,
            found=largest.belief,
            promised=bound,
            holds=holds,
            n_exceeding=n_exceeding,
            n_people=self.target.n_people,
            note=note,
            failed=failed,
            interval=self._interval(
                largest,
                None
                if worst is None or not worst.sampled
                else worst.interval(Protected.by(shown_part, everybody.groups)),
                bound,
            ),
            worst=self._worst(largest, worst, others, everybody),
        )

    def _judge_classes(
        self, parts: list[Criterion], classes: list[ClassBelief], everybody: View
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Say for which classes a promise is broken, and for which a sample does not tell."""
        failing = np.zeros(len(classes), dtype=bool)
        open_ = np.zeros(len(classes), dtype=bool)
        for part in parts:
            kept, broken = keeps(part, classes, everybody.groups, self._n_unseen)
            if is_within_others(part, self.target):
                kept = np.zeros(len(classes), dtype=bool)
            untold = undecided(part, classes, everybody.groups, kept)
            untold |= broken & self.learned.others_known  # by true values, which nobody knows
            failing |= broken & ~untold
            open_ |= untold | (~kept & ~broken)
        return failing, open_

    @property
    def _n_unseen(self) -> int:
        return max(self.n_unseen, self.target.n_unseen)

    def _judge_others(
        self, parts: list[Criterion], others: View
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Ask a promise as it is of groups of which nothing was learned.

        Says which break it, and of which only the original's distribution would tell.
        """
        unsafe = np.zeros(len(others.sizes), dtype=bool)
        unseen = np.zeros(len(others.sizes), dtype=bool)
        for part in parts:
            safe, broken = surely(part, others.groups, self._n_unseen, alone=True)
            unsafe |= broken
            unseen |= ~safe & ~broken
        return unsafe, unseen

    def _failed(
        self,
        parts: list[Criterion],
        unstated: list[Criterion],
        judged: tuple[list[ClassBelief], NDArray[np.bool_]],
        everybody: View,
        unlearned: tuple[View, NDArray[np.bool_]],
    ) -> FailedMeasure | None:
        """Measure what does not hold, where it is not the largest belief.

        judged: classes, and which of them fail; unlearned: the groups of which nothing was learned.
        """
        classes, failing = judged
        for part in parts:
            broken = failing & keeps(part, classes, everybody.groups, self._n_unseen)[1]
            if broken.any():
                alone = part.without_others()
                believed = believed_groups(alone, _chosen(classes, broken), everybody.groups)
                return FailedMeasure.of(
                    part, alone.promised(), alone.measure(shown_to(alone, believed))
                )
        others, unsafe = unlearned
        for part in (*unstated, *parts):
            if (unsafe & surely(part, others.groups, self._n_unseen, alone=True)[1]).any():
                found = part.measure(shown_to(part, others.groups))
                return FailedMeasure.of(part, part.promised(), found)
        return None

    def _interval(
        self, largest: LargestBelief, sampled: tuple[float, float] | None, bound: Bound | None
    ) -> tuple[float, float] | None:
        """Say between what the largest belief is, where groups were sampled or only bounded."""
        if not self.learned.bounded:
            return sampled
        low, high = sampled or (float(largest.belief), float(largest.belief))
        return low, max(high, 1.0 if bound is None else float(bound.number))

    def _shown(
        self, parts: list[Criterion], everybody: View, others: View, classes: list[ClassBelief]
    ) -> Criterion | None:
        """Choose which of several bounds to show: a broken one, the one nearest to its limit."""
        if len(parts) < 2:
            return parts[0] if parts else None
        kept, excess = [], []
        for part in parts:
            held = (
                keeps(part, classes, everybody.groups)[0].all()
                and part.alone(shown_to(part, others.groups)).all()
            )
            largest, _ = self._largest_belief(part, others, classes)
            kept.append(np.bool_(held))
            excess.append(largest.belief - part.belief_allowed().number)
        return parts[worst_of(kept, excess)]

    def _largest_belief(
        self, part: Criterion | None, others: View, classes: list[ClassBelief]
    ) -> tuple[LargestBelief, ClassBelief | None]:
        """Give the largest belief, and the class it is about where something was learned of it."""
        largest = (
            largest_belief(others, part) if len(others.sizes) else LargestBelief(0, (), Fraction(0))
        )
        best = most_believed_class(part, classes, others.groups)
        if best is None or best[0].belief < largest.belief:
            return largest, None
        return best

    def _view(self, chosen: NDArray[np.bool_]) -> View:
        """See some of the groups by the attribute."""
        groups = self.members.joint(chosen).by(self.attribute)
        return View(self.attribute, groups, np.flatnonzero(chosen))

    def _note(
        self,
        reason: str | None,
        parts: list[Criterion],
        failed: FailedMeasure | None,
        n_open: int,
    ) -> str | None:
        notes = [] if reason is None else [reason]
        if self.everybody is None:
            notes += self.learned.notes
        if failed is not None:
            notes.append(f"{failed.criterion} does not hold of what is believed")
        sampled = [each for each in self.learned.beliefs if each.sampled]
        if sampled:
            groups = counted(len(sampled), "group was", "groups were")
            notes.append(f"{groups} sampled, with 95% intervals")
        if n_open:
            unseen = self._n_unseen and any(part.needs_original for part in parts)
            why = UNSEEN_DISTRIBUTION if unseen else "whose intervals do not tell"
            why = (
                WITHIN_OTHERS if any(is_within_others(part, self.target) for part in parts) else why
            )
            why = BESIDE_OTHERS if any(part.without_others() != part for part in parts) else why
            why = OTHERS_KNOWN if self.learned.others_known else why
            notes.append(f"no verdict for {people(n_open)}, {why}")
        if self.learned.n_unexplained:
            groups = counted(self.learned.n_unexplained, "group")
            notes.append(f"{groups} could have gone further down, so somebody may be misled there")
        if self.learned.n_unknown:
            notes.append(f"{counted(self.learned.n_unknown, 'group')} unknown")
        return "; ".join(notes) or None

    def _worst(
        self, largest: LargestBelief, worst: ClassBelief | None, others: View, everybody: View
    ) -> dict[str, object] | None:
        if not largest.codes:
            return None
        if worst is None:
            group = int(others.owner[largest.group])
            who: dict[str, object] = {"group": self.members.labels(group, self.target)}
            people = int(others.sizes[largest.group])
        else:
            who = {
                "group": "suppressed"
                if worst.group < 0
                else self.members.labels(worst.group, self.target),
                "who": self.members.values(worst.combination),
            }
            people = worst.people
        value = everybody.label(*largest.codes)
        return who | {"value": value, "belief": largest.belief, "people": people}


def worst_finding(
    target: Target,
    members: Membership,
    learned: LearnedBeliefs,
    attribute: str,
    called: str,
    knows: str,
    reason: str | None = None,
) -> Finding:
    """Hold what was learned against all parts of a promise, and tell of the one worst off.

    What people guard is held against what is believed of each of them.
    """
    promised = target.parts(attribute, others=False)
    findings = [
        guarded_finding(target, members, learned, part, called, knows)
        for part in promised
        if part.guarding is not None
    ]
    if len(findings) < len(promised) or not promised:
        verdict = Verdict(target, members, learned, attribute)
        findings.append(verdict.finding(called, knows, reason))
    return min(findings, key=lambda each: SEVERITY.index(each.holds))


def is_within_others(part: Criterion, target: Target) -> bool:
    """Whether a part is promised against who knows a person's other sensitive values, too."""
    return part.attribute is None and len(target.sensitive) > 1


def _chosen(classes: list[ClassBelief], which: NDArray[np.bool_]) -> list[ClassBelief]:
    return [classes[i] for i in np.flatnonzero(which).tolist()]
