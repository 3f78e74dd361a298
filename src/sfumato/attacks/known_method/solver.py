"""Beliefs about the people of published groups, given the steps that were not taken."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.known_method.interchangeable import (
    apart,
    as_one,
    bound_of,
    lumps,
    one_column,
    share_of,
)
from sfumato.attacks.known_method.membership import Membership
from sfumato.attacks.known_method.rejected_steps import Problem, Problems, Wide
from sfumato.criteria import Criterion
from sfumato.criteria.judging import holding
from sfumato.data.frequency import JointGroups
from sfumato.data.groups import Counts, Histogram
from sfumato.data.keys import distinct_rows
from sfumato.errors import CannotRun
from sfumato.formulas.minimality.coupled import GroupPart, coupled
from sfumato.formulas.minimality.posterior import (
    BUDGET,
    Breaks,
    Posterior,
    RejectedStep,
    merged,
    posterior,
)
from sfumato.formulas.minimality.posterior import (
    MOST_TABLES as MOST_ENUMERATED,
)
from sfumato.text import counted

MOST_TOGETHER = 256  # groups whose steps are followed together
MOST_LOOKED_AT = 5_000  # groups of which it is found out whether they can break anything
MOST_TABLES = 100_000  # tables of counts of all these groups
MOST_GROUPS = 50_000  # groups that are looked at, the small ones first
NO_WORLD = (
    "no world is possible in which the release is minimal for this criterion; it was made another "
    "way"
)
WORK = 120_000_000  # counts that are looked at over all groups


@dataclass(frozen=True, eq=False)
class GroupBeliefs:
    """What is believed of one group's people, member by member; alike ones share a row."""

    group: int
    row: NDArray[np.intp]  # (n_members,)
    people: Counts  # (n_rows,)
    codes: NDArray[np.int32]  # (n_codes,) combinations of sensitive values
    shares: list[list[Fraction]]  # (n_rows, n_codes)
    # (n_rows, n_codes): between what a share is, where sampled or computed in floats
    low: NDArray[np.float64] | None = None
    high: NDArray[np.float64] | None = None
    sampled: bool = False
    alike: NDArray[np.intp] | None = None  # groups of which the same is believed, this one included


@dataclass(frozen=True, eq=False)
class LearnedBeliefs:
    """What was learned from all groups; groups that nothing was learned from are not listed."""

    beliefs: list[GroupBeliefs]
    unknown: Sequence[int] = ()  # groups with too few samples, or one too many to look at
    # True: groups were solved one by one, as if all other people's values were known. A lower
    # bound on belief, so no verdict "holds" may be drawn from it. The two below likewise.
    others_known: bool = False
    n_unexplained: int = 0  # groups that the steps do not explain
    suppressed_known: bool = False  # suppressed people's values taken as known
    judged_alone: bool = False  # each group for itself, though others matter to it
    kept: Fraction | None = None  # share of worlds that are possible; None: not counted
    bounded: Sequence[int] = ()  # groups of which no more is believed than was promised
    last_step_only: bool = False  # of all that a method did, only what it did not do in the end

    @property
    def answers(self) -> bool:
        """Whether nobody who knows the method can believe more than was found."""
        lower_bound = self.others_known or self.suppressed_known or self.judged_alone
        return not (self.unknown or lower_bound or self.last_step_only)

    @property
    def notes(self) -> list[str]:
        """Say what was taken as known, and what was learned in spite of it."""
        notes = []
        if self.others_known:
            notes.append(
                "one group at a time, by somebody who knows everybody else's values; who does not "
                "may believe more"
            )
        elif not (self.beliefs or self.unknown or self.bounded or self.last_step_only):
            notes.append("nothing is learned from the method")
        if self.bounded:
            groups = counted(len(self.bounded), "group")
            notes.append(f"{groups} shown to be safe by bounds, what is believed there not found")
        if self.suppressed_known:
            notes.append("the values of suppressed people are taken as known")
        if self.judged_alone:
            notes.append(
                "a group that was not published is taken to have been unsafe by itself, where it "
                "might have been so by what is known of people in others"
            )
        return notes

    @property
    def n_unknown(self) -> int:
        """Number of groups of which it is not known what can be learned."""
        return len(self.unknown)


@dataclass(frozen=True, eq=False)
class _Stated:
    """A group's part in steps that all groups take at once, ready to be dealt."""

    problem: Problem
    values: NDArray[np.int32]
    histogram: Counts
    rare: NDArray[np.bool_] | None  # values that are dealt as one
    part: GroupPart

    def apart(self, lumped: Posterior) -> Posterior:
        """Give every rare value its part again."""
        return lumped if self.rare is None else apart(lumped, self.histogram, self.rare)


@dataclass(frozen=True, eq=False)
class Dealt:
    """Values of several groups as they are dealt: those that count alike as one."""

    column: NDArray[np.intp]  # (n_values,): where each value is counted
    histograms: Counts  # (n_groups, n_columns)
    steps: list[RejectedStep]  # by these columns
    breaks: Breaks

    def shares(
        self, group: int, codes: NDArray[np.int32], counts: Counts
    ) -> tuple[NDArray[np.intp], NDArray[np.object_]]:
        """Give the column of a group's values, and the share that each has in its column."""
        column = self.column[codes]
        wholes = self.histograms[group, column].tolist()
        parts = [Fraction(n, whole) for n, whole in zip(counts.tolist(), wholes, strict=True)]
        return column, np.array(parts, dtype=object)


class Solver:
    """Finds beliefs for one criterion; equal problems are solved once.

    Values that the criterion counts together, or not at all, are dealt as one: who of them has
    which is anybody's guess.
    """

    def __init__(
        self,
        members: Membership,
        enforced: Criterion,
        rng: np.random.Generator,
        *,
        bounded_only: bool = False,
        together: int = 1,
    ) -> None:
        self.members, self.enforced, self.rng = members, enforced, rng
        self.bounded_only = bounded_only  # beliefs about other values are not wanted
        self.samples = True  # may stand for what is too large
        self.enumerates = True  # False: whoever asks did that already, and there was too much
        self.z = NormalDist().inv_cdf(1 - 0.025 / together)  # so many intervals hold together
        self.frequencies = members.frequencies
        self.lump = lumps(enforced, self.frequencies)  # (n_values,): the code that stands for each
        self.share = share_of(enforced, self.frequencies, self.lump)
        self.bound = bound_of(enforced, self.frequencies)
        self.symmetric = one_column(self.frequencies) and all(
            part.exchangeable or not part.looks_at_values for part in enforced.parts
        )
        stated = [part.thresholds() for part in enforced.parts]
        known = [each for each in stated if each is not None]
        # Where a few counts decide, of values that are all alike.
        self.thresholds = known if self.symmetric and len(known) == len(stated) else None
        self.known: dict[object, Posterior] = {}
        self.work = WORK

    def each(
        self, problems: Problems, *, others_known: bool, all_explained: bool = True
    ) -> LearnedBeliefs:
        """Solve problems of groups that are independent, or taken for it.

        all_explained: refuse a release with a group that cannot have come about by these steps;
        otherwise nothing is learned from such a group.
        """
        beliefs, unknown, n_unexplained = [], [], 0
        kept: Fraction | None = Fraction(1)
        groups = problems.groups.tolist()
        for done, group in enumerate(groups):
            if done == MOST_GROUPS or self.work <= 0:
                unknown += groups[done:]
                break
            problem = problems.of(group)
            if not problem.steps:
                continue
            values, histogram = self._values(problem)
            try:
                solution = self._solved(problem, values, histogram)
            except CannotRun:
                if all_explained:
                    raise
                n_unexplained += 1
                possible = self._possible(problem, values, histogram)
                if possible is None:
                    continue
                solution = possible
            kept = None if kept is None or solution.kept is None else kept * solution.kept
            if solution.expected is None:
                unknown.append(group)
            elif len(solution.people) > 1:
                beliefs.append(self._beliefs(problem, values, histogram, solution))
        return LearnedBeliefs(beliefs, unknown, others_known, n_unexplained, kept=kept)

    def _possible(
        self, problem: Problem, values: NDArray[np.int32], histogram: Counts
    ) -> Posterior | None:
        """Solve a problem without the steps that break in no world: they do not explain it."""
        kept = []
        for step in problem.steps:
            with suppress(CannotRun):
                self._solved(Problem(problem.group, (step,)), values, histogram)
                kept.append(step)
        if not kept:
            return None
        with suppress(CannotRun):
            return self._solved(Problem(problem.group, tuple(kept)), values, histogram)
        return None

    def together(self, wide: Wide, *, values_known: bool = True) -> LearnedBeliefs:
        """Solve all groups together where that can be done, else one at a time.

        Groups that break nothing in any world are left out: nothing is learned from or about them.
        One at a time, somebody knows everybody else's values. Who does not may believe more, so
        that is no answer to whether a promise is kept; and it cannot be done unless these values
        are known.
        """
        groups = wide.groups.tolist()
        others_known = True
        if len(groups) <= MOST_LOOKED_AT:
            stated = [self._stated(wide.together(group)) for group in groups]
            able = [each for each in stated if self._able(each)]
            others_known = len(able) > 1  # a single one needs nobody else's
            posteriors = None
            if len(able) <= MOST_TOGETHER:
                parts = [each.part for each in able]
                try:
                    posteriors = coupled(parts, [step.limit for step in wide.steps], MOST_TABLES)
                except ValueError:
                    raise CannotRun(NO_WORLD) from None
            if posteriors is not None:
                beliefs = [
                    self._beliefs(each.problem, each.values, each.histogram, each.apart(posterior))
                    for each, posterior in zip(able, posteriors, strict=True)
                    if len(posterior.people) > 1
                ]
                return LearnedBeliefs(
                    beliefs, kept=posteriors[0].kept if posteriors else Fraction(1)
                )
        if not values_known:
            return LearnedBeliefs([], groups)
        return self.each(wide.alone(), others_known=others_known)

    def _stated(self, problem: Problem) -> _Stated:
        """Put a group's part in common steps into numbers."""
        values, histogram = self._values(problem)
        steps = [self._lumped(step, values) for step in problem.steps]
        start, end = self.members.starts[problem.group : problem.group + 2]
        people = self.members.people[start:end]
        rare = self._rare(people, histogram, steps)
        breaks = self._breaks(values)
        counts = histogram
        if rare is not None:
            steps = [step.with_fixed(as_one(step.fixed, rare)) for step in steps]
            counts, breaks = as_one(histogram, rare), self._exceeds
        own = dict(zip(problem.numbers, steps, strict=True))
        return _Stated(problem, values, histogram, rare, GroupPart(people, counts, own, breaks))

    def _able(self, stated: _Stated) -> bool:
        """Whether some child may break in some world; True where that is not seen at once."""
        part = stated.part
        if self.bound is not None:
            l, counts = self.bound, stated.histogram
        elif self.share is not None:
            l, counts = self.share[1], stated.histogram[stated.values == self.share[0]]
        else:
            return True
        for step in part.steps.values():
            inside = (step.children @ part.sizes)[:, np.newaxis]  # (n_children, 1)
            most = np.minimum(counts, inside)
            if step.fixed.any() or (l.numerator * most > l.denominator * inside).any():
                return True
        return False

    def signature(self, group: int) -> object:
        """Give what tells a group from others of which something else is believed."""
        row = self.members.histogram.rows(group, group + 1)
        size = int(self.members.sizes[group])
        if self.share is not None:
            return size, int(row.counts[self.lump[row.codes] == self.share[0]].sum())
        if self.symmetric:
            return size, np.sort(row.counts).tobytes()
        return size, row.codes.tobytes(), row.counts.tobytes()

    def bounded_values(self) -> tuple[Fraction, NDArray[np.int32]] | None:
        """Give the largest share allowed, and the code that each value counts as.

        Codes below 0 are not bounded. None: the criterion says more than that.
        """
        if self.bound is not None:
            return 1 / self.bound, np.arange(len(self.lump), dtype=np.int32)
        if self.share is not None:
            value, l = self.share
            return 1 / l, np.where(self.lump == value, value, -1).astype(np.int32)
        return None

    def values_wanted(self) -> int | None:
        """Give how many different values are asked for; None: more is asked of values than that."""
        if self.thresholds is None or any(each.share is not None for each in self.thresholds):
            return None
        return max(each.values for each in self.thresholds)

    def breaks(self, histograms: Counts, values: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Say which histograms over some values, (n, n_values), break the criterion."""
        return self._breaks(values)(histograms)

    def component(
        self, groups: NDArray[np.intp], steps: Sequence[RejectedStep]
    ) -> list[GroupBeliefs] | None:
        """Solve groups that steps hold together; None: too few samples.

        steps: of all their members. Groups of which nothing is learned are left out.
        """
        if len(groups) == 1:
            problem = Problem(int(groups[0]), tuple(steps))
            values, histogram = self._values(problem)
            solution = self._solved(problem, values, histogram)
            if solution.expected is None:
                return None
            own = [self._beliefs(problem, values, histogram, solution)]
            return own if len(solution.people) > 1 else []
        return self.parts(groups, steps) if self.enumerates or self.samples else None

    def parts(
        self, groups: NDArray[np.intp], steps: Sequence[RejectedStep]
    ) -> list[GroupBeliefs] | None:
        """Solve groups whose values are dealt apart, under common steps of all their members.

        None: too few samples.
        """
        members = self.members
        problems = [Problem(group, tuple(steps)) for group in groups.tolist()]
        starts, ends = members.starts[groups], members.starts[groups + 1]
        pool = np.repeat(np.arange(len(groups)), ends - starts)
        mine = np.concatenate([np.arange(a, b) for a, b in zip(starts, ends, strict=True)])
        values, histograms = self._values_together(problems)
        lumped = [self._lumped(step, values) for step in steps]
        joint = self._posterior(members.people[mine], histograms, lumped, values, pool)
        if joint.expected is None:
            return None
        beliefs = []
        for problem, row, start, end in zip(problems, histograms, starts, ends, strict=True):
            rows, cell = np.unique(joint.cell[(mine >= start) & (mine < end)], return_inverse=True)
            beliefs.append(self._beliefs(problem, values, row, joint.rows(rows, cell)))
        return beliefs

    def dealt(
        self,
        groups: NDArray[np.intp],
        steps: Sequence[RejectedStep],
        people: Counts,
        pool: NDArray[np.intp],
    ) -> Dealt:
        """State what is dealt to the cells of some groups under common steps.

        people: (n_cells,) of all these groups; pool: (n_cells,), the number of each cell's group.
        """
        problems = [Problem(group, tuple(steps)) for group in groups.tolist()]
        values, histograms = self._values_together(problems)
        lumped = [self._lumped(step, values) for step in steps]
        column = np.searchsorted(values, self.lump)
        rare = self._rare(people, histograms, lumped, pool)
        if rare is None:
            return Dealt(column, histograms, lumped, self._breaks(values))
        lumped = [step.with_fixed(as_one(step.fixed, rare)) for step in lumped]
        renamed = np.where(rare, np.count_nonzero(~rare), np.cumsum(~rare) - 1)
        renamed = np.append(renamed, -1)  # of values that nobody here has
        return Dealt(renamed[column], as_one(histograms, rare), lumped, self._exceeds)

    def _values_together(self, problems: list[Problem]) -> tuple[NDArray[np.int32], Counts]:
        """Give the values that are dealt in some of several groups, and how many in each."""
        dealt = [self._values(problem) for problem in problems]
        values = np.unique(np.concatenate([codes for codes, _ in dealt]))
        histograms = np.zeros((len(problems), len(values)), dtype=np.int64)
        for row, (codes, counts) in zip(histograms, dealt, strict=True):
            row[np.searchsorted(values, codes)] = counts
        return values, histograms

    def _values(self, problem: Problem) -> tuple[NDArray[np.int32], Counts]:
        """Give the values to deal, as codes that stand for what counts alike, and how many."""
        row = self.members.histogram.rows(problem.group, problem.group + 1)
        outside = [np.flatnonzero(step.fixed.any(axis=0)) for step in problem.steps]
        codes = np.concatenate([row.codes, *outside]).astype(np.intp)
        values = np.unique(self.lump[codes])
        histogram = np.zeros(len(values), dtype=np.int64)
        np.add.at(histogram, np.searchsorted(values, self.lump[row.codes]), row.counts)
        return values, histogram

    def _lumped(self, step: RejectedStep, values: NDArray[np.int32]) -> RejectedStep:
        fixed = np.zeros((len(step.fixed), len(values)), dtype=np.int64)
        child, code = np.nonzero(step.fixed)
        if len(code):
            place = np.searchsorted(values, self.lump[code])
            np.add.at(fixed, (child, place), step.fixed[child, code])
        return RejectedStep(step.children, fixed, step.limit, step.weight)

    def _solved(self, problem: Problem, values: NDArray[np.int32], histogram: Counts) -> Posterior:
        start, end = self.members.starts[problem.group : problem.group + 2]
        steps = [self._lumped(step, values) for step in problem.steps]
        cell, people, steps = merged(self.members.people[start:end], steps)
        order = np.arange(len(values))
        if self.symmetric and not any(step.fixed.any() for step in steps):
            order = np.argsort(-histogram, kind="stable")
        named = None if self.symmetric else values.tobytes()
        key = (
            self.samples,
            people.tobytes(),
            histogram[order].tobytes(),
            named,
            tuple((s.children.tobytes(), s.fixed.tobytes(), s.limit, s.weight) for s in steps),
        )
        if key not in self.known:
            self.known[key] = self._posterior(people, histogram[order], steps, values[order])
        solution = self.known[key]
        back = np.argsort(order)
        return Posterior(
            solution.cell[cell],
            solution.people,
            None if solution.expected is None else solution.expected[:, back],
            solution.n_effective,
            None if solution.low is None else solution.low[:, back],
            None if solution.high is None else solution.high[:, back],
            kept=solution.kept,
        )

    def _posterior(
        self,
        people: Counts,
        histogram: Counts,
        steps: list[RejectedStep],
        values: NDArray[np.int32],
        pool: NDArray[np.intp] | None = None,
    ) -> Posterior:
        share = None
        if self.share is not None and self.share[0] in values:
            share = (int(np.flatnonzero(values == self.share[0])[0]), self.share[1])
        rare = self._rare(people, histogram, steps, pool)
        if rare is not None:
            share = None
            if len(values) - rare.sum() == 1:
                assert self.bound is not None  # noqa: S101  (or nothing is rare)
                share = (0, self.bound)
        try:
            solution = posterior(
                people,
                histogram if rare is None else as_one(histogram, rare),
                steps if rare is None else [s.with_fixed(as_one(s.fixed, rare)) for s in steps],
                self._breaks(values) if rare is None else self._exceeds,
                pool=pool,
                share=share,
                rng=self.rng,
                z=self.z,
                samples=self.samples,
                most_tables=MOST_ENUMERATED if self.enumerates else 0,
                budget=min(BUDGET, self.work),
            )
        except ValueError:
            raise CannotRun(NO_WORLD) from None
        self.work -= solution.work
        return solution if rare is None else apart(solution, histogram, rare, pool)

    def _rare(
        self,
        people: Counts,
        histogram: Counts,
        steps: Sequence[RejectedStep],
        pool: NDArray[np.intp] | None = None,
    ) -> NDArray[np.bool_] | None:
        """Say which values have too few people to break any child; None: one at most.

        Where shares are bounded and nothing else, it does not matter which of them a person has.
        """
        if self.bound is None or not steps:
            return None
        children = np.concatenate([step.children for step in steps])
        most = np.concatenate([step.fixed for step in steps])
        sizes = most.sum(axis=1)
        for number, row in enumerate(np.atleast_2d(histogram)):
            mine = slice(None) if pool is None else np.flatnonzero(pool == number)
            inside = children[:, mine] @ people[mine]
            most = most + np.minimum(row, inside[:, np.newaxis])
            sizes = sizes + inside
        limit = self.bound.denominator * sizes[:, np.newaxis]
        rare = np.asarray((self.bound.numerator * most <= limit).all(axis=0))
        return rare if rare.sum() > 1 else None

    def _exceeds(self, histograms: Counts) -> NDArray[np.bool_]:
        """Say in which histograms a value exceeds the bound; the last stands for rare ones."""
        assert self.bound is not None  # noqa: S101  (or nothing is rare)
        sizes = histograms.sum(axis=1)
        limit = self.bound.denominator * sizes[:, np.newaxis]
        exceeds = (self.bound.numerator * histograms[:, :-1] > limit).any(axis=1)
        return np.asarray(exceeds | (sizes < self.enforced.least_size))

    def _beyond_thresholds(self, found: Counts) -> NDArray[np.bool_]:
        """Say which histograms are beyond a threshold on their counts."""
        assert self.thresholds is not None  # noqa: S101  (the caller looked)
        broken = np.zeros(len(found), dtype=bool)
        for each in self.thresholds:
            broken |= each.broken(found)
        return broken

    def _breaks(self, values: NDArray[np.int32]) -> Breaks:
        """Say which histograms over some of the values break the criterion."""
        if self.thresholds is not None:
            return self._beyond_thresholds
        order = np.argsort(values)

        def breaks(found: Counts) -> NDArray[np.bool_]:
            different, which = distinct_rows(found[:, order])
            rows, columns = np.nonzero(different)
            histogram = Histogram.from_entries(
                rows,
                values[order][columns],
                different[rows, columns].astype(np.int64),
                (len(different), self.members.histogram.n_values),
            )
            sizes = different.sum(axis=1, dtype=np.int64)
            groups = JointGroups(self.frequencies, sizes, histogram)
            return ~holding(self.enforced, groups, alone=True)[which]

        return breaks

    def _beliefs(
        self, problem: Problem, values: NDArray[np.int32], histogram: Counts, solution: Posterior
    ) -> GroupBeliefs:
        row = self.members.histogram.rows(problem.group, problem.group + 1)
        codes, counts = row.codes, row.counts
        if self.bounded_only and self.share is not None:
            wanted = self.lump[codes] == self.share[0]
            codes, counts = codes[wanted], counts[wanted]
        place = np.searchsorted(values, self.lump[codes])
        part = [Fraction(int(n), int(histogram[p])) for n, p in zip(counts, place, strict=True)]
        assert solution.expected is not None  # noqa: S101  (the caller looked)
        shares = []
        for expected, n in zip(solution.expected, solution.people.tolist(), strict=True):
            lumped = {
                p: expected[p] / n if solution.exact else Fraction(float(expected[p])) / n
                for p in set(place.tolist())
            }
            shares.append([lumped[p] * own for p, own in zip(place.tolist(), part, strict=True)])
        ends = solution.interval
        if ends is not None:
            wide = np.array([float(own) for own in part])
            ends = ends[0][:, place] * wide, ends[1][:, place] * wide
        low, high = ends or (None, None)
        sampled = solution.n_effective is not None
        return GroupBeliefs(
            problem.group, solution.cell, solution.people, codes, shares, low, high, sampled
        )
