"""Beliefs of somebody who follows the decisions of a method, from what failed on the way.

Every failed step says that some child of it breaks the criterion. Groups that no such step
slices are not concerned; those that are hang together where a step slices several. Each such
component is solved for itself: worlds factor over components.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.failed_steps import FailedStep, PublishedGroups
from sfumato.attacks.known_method.membership import Membership
from sfumato.attacks.known_method.solver import GroupBeliefs, LearnedBeliefs, Solver
from sfumato.attacks.mechanism.bounds import shown_safe
from sfumato.attacks.mechanism.component import Component
from sfumato.attacks.mechanism.promise import Promise
from sfumato.criteria.judging import is_monotone
from sfumato.data.groups import Counts
from sfumato.errors import CannotRun
from sfumato.formulas.minimality.posterior import RejectedStep
from sfumato.progress import report

if TYPE_CHECKING:
    from sfumato.attacks.known_method.counted_components import CountedComponents

COMPILED = 5_000  # members of groups from which on compiled code pays for its start
AT_ONCE = 1 << 20  # people and values of steps that are looked at together
IMPOSSIBLE = (
    "a step that was not taken can break in no world, so the release was made another way than it "
    "says"
)


def _counted(solver: Solver) -> CountedComponents | None:
    """Count components by compiled loops, where there are many people and these know how."""
    if len(solver.members.people) <= COMPILED:
        return None
    from sfumato.attacks.known_method.counted_components import CountedComponents  # noqa: PLC0415  (a compiler)

    return CountedComponents.of(solver)


def published_groups(members: Membership) -> PublishedGroups:
    """See everybody's quasi-identifiers with the one group of each combination."""
    return PublishedGroups(members.frequencies.combinations, members.group_of)


class Following:
    """What failed steps tell: components that are solved exactly, and those that are too large."""

    def __init__(self, members: Membership, steps: Iterable[FailedStep], solver: Solver) -> None:
        self.solver = solver
        slices = _Slices(members, solver)
        open_steps = list(slices.opened(steps))
        self.beliefs: list[GroupBeliefs] = []
        self.bounded: list[int] = []  # groups for which a promise is shown to be kept
        self.large: list[_Large] = []
        solver.samples = False
        components = list(_components(open_steps, len(members.boxes)))
        counted = _counted(solver)
        for done, (groups, own) in enumerate(components):
            report("following the method", done, len(components))
            beliefs = None
            solver.enumerates = counted is None or not counted.takes(groups)
            if counted is not None and not solver.enumerates:
                beliefs = counted.beliefs(groups, [step.children for step in own])
            if beliefs is None:
                rejected = slices.rejected(groups, own)
                beliefs = solver.component(groups, rejected)
            if beliefs is None:
                component = Component(members, solver, groups, rejected)
                self.large.append(_Large(component, set(groups.tolist())))
            else:
                self.beliefs += beliefs

    def bound(self, promise: Promise) -> None:
        """Set groups apart, of components that are too large, for which a promise is kept."""
        for done, large in enumerate(self.large):
            report("bounding beliefs", done, len(self.large))
            safe = shown_safe(large.component, promise, self.solver.rng)
            shown = large.component.groups[safe].tolist()
            self.bounded += shown
            large.unknown.difference_update(shown)
        self.large = [large for large in self.large if large.unknown]

    def exactly(self) -> LearnedBeliefs:
        """Give what is known for certain."""
        unknown = [g for large in self.large for g in sorted(large.unknown)]
        return LearnedBeliefs(self.beliefs, unknown, bounded=self.bounded)

    def sampled(self) -> LearnedBeliefs:
        """Give what samples tell besides."""
        self.solver.samples, self.solver.enumerates = True, False  # all of these are too large
        beliefs: list[GroupBeliefs] = list(self.beliefs)
        unknown: list[int] = []
        for done, large in enumerate(self.large):
            report("sampling worlds", done, len(self.large))
            sampled = None
            if self.solver.work > 0:
                sampled = self.solver.component(large.component.groups, large.component.steps)
            if sampled is None:
                unknown += sorted(large.unknown)
            else:
                beliefs += [each for each in sampled if each.group in large.unknown]
        return LearnedBeliefs(beliefs, unknown, bounded=self.bounded)


@dataclass(frozen=True, eq=False)
class _Large:
    """A component that is too large to enumerate."""

    component: Component
    unknown: set[int]  # groups of which no bound shows anything


@dataclass(frozen=True, eq=False)
class _OpenStep:
    """A failed step of which values decide which child broke."""

    children: list[NDArray[np.intp]]  # combinations, of children that can break
    sliced: NDArray[np.intp]  # groups that some of these children have a part of


@dataclass(frozen=True, eq=False)
class _Parts:
    """The groups that each of several children has people of, sorted by child."""

    child: NDArray[np.intp]  # (n,)
    group: NDArray[np.intp]  # (n,)
    inside: Counts  # (n,)
    outside: Counts  # (n,): people of the group who are not in the child

    @property
    def sliced(self) -> NDArray[np.bool_]:
        """(n,): whether a child has a part of a group only."""
        return self.outside > 0

    def of(self, chosen: NDArray[np.bool_]) -> _Parts:
        """Take some children, under the same numbers."""
        kept = chosen[self.child]
        return _Parts(self.child[kept], self.group[kept], self.inside[kept], self.outside[kept])


class _Slices:
    """Tells which children of failed steps can break, by the groups they have parts of."""

    def __init__(self, members: Membership, solver: Solver) -> None:
        self.members, self.solver = members, solver
        self.group_of = members.group_of
        self.counts = members.frequencies.combinations.counts
        self.place = np.zeros(len(self.counts), dtype=np.intp)
        self.place[members.combination] = np.arange(len(members.combination))
        wanted = solver.bounded_values()
        # People of every group with each value that is bounded.
        self.histogram = members.histogram
        if wanted is not None:
            self.histogram = members.histogram.counted_as(wanted[1])
        self.unions_are_safe = is_monotone(solver.enforced, members.frequencies, suppression=False)
        # Joining people break nothing: then whoever is with a whole group is safe.
        self.stays_safe = is_monotone(solver.enforced, members.frequencies, suppression=True)

    def opened(self, steps: Iterable[FailedStep]) -> Iterator[_OpenStep]:
        """Give steps with the children that can break, unless one breaks in every world."""
        for some in _batches(steps, self.histogram.n_values):
            yield from self._open(some)

    def _open(self, steps: list[FailedStep]) -> Iterator[_OpenStep]:
        children = [child for step in steps for child in step.children]
        step_of = np.repeat(np.arange(len(steps)), [len(step.children) for step in steps])
        parts = self._parts(children)
        n_parts = np.bincount(parts.child[parts.sliced], minlength=len(children))
        n_groups = np.bincount(parts.child, minlength=len(children))
        asked = n_parts > 0  # whole groups are safe together, or judged now
        done = np.zeros(len(steps), dtype=bool)
        if not self.unions_are_safe:
            for c in np.flatnonzero(~asked).tolist():
                done[step_of[c]] |= self._breaks(parts.group[parts.child == c])
        if self.stays_safe:
            asked &= n_parts == n_groups
        can, must = self._ends(parts.of(asked), len(children))
        done[step_of[asked & must]] = True
        able = asked & can & ~done[step_of]
        n_able = np.bincount(step_of[able], minlength=len(steps))
        if (~done & (n_able == 0)).any():
            raise CannotRun(IMPOSSIBLE)
        kept = parts.sliced & able[parts.child]
        whose = step_of[parts.child[kept]]
        ends = np.searchsorted(whose, np.arange(len(steps) + 1))
        child_ends = np.searchsorted(step_of, np.arange(len(steps) + 1))
        sliced = parts.group[kept]
        for i in np.flatnonzero(~done).tolist():
            own = [children[c] for c in range(child_ends[i], child_ends[i + 1]) if able[c]]
            yield _OpenStep(own, np.unique(sliced[ends[i] : ends[i + 1]]))

    def _breaks(self, groups: NDArray[np.intp]) -> bool:
        """Whether whole groups together break the criterion, which is the same in all worlds."""
        if self.unions_are_safe:
            return False
        every = np.arange(self.members.histogram.n_values, dtype=np.int32)
        values = np.zeros(len(every), dtype=np.int64)
        for g in groups.tolist():
            row = self.members.histogram.rows(g, g + 1)
            values[row.codes] += row.counts
        return bool(self.solver.breaks(values[np.newaxis], every)[0])

    def _parts(self, children: list[NDArray[np.intp]]) -> _Parts:
        """Give the groups that children have people of, and how many."""
        n_groups = len(self.members.boxes)
        who = np.concatenate(children)
        child = np.repeat(np.arange(len(children)), [len(each) for each in children])
        pairs, index = np.unique(child * n_groups + self.group_of[who], return_inverse=True)
        inside = np.bincount(index, weights=self.counts[who]).astype(np.int64)
        child, group = np.divmod(pairs, n_groups)
        return _Parts(child, group, inside, self.members.sizes[group] - inside)

    def _ends(self, parts: _Parts, n_children: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Say which children can break in some world, and which do in all.

        Where shares are bounded and nothing else, by the fewest and the most people of a child who
        can have a value; where so many different values are asked for, by the most people who can
        have one less.
        """
        n_people = np.bincount(parts.child, parts.inside, n_children).astype(np.int64)
        must = n_people < self.solver.enforced.least_size
        wanted, different = self.solver.bounded_values(), self.solver.values_wanted()
        if wanted is None and different is None:
            return np.ones(n_children, dtype=bool), must
        histogram = self.histogram
        n = histogram.starts[parts.group + 1] - histogram.starts[parts.group]
        entry = np.arange(int(n.sum())) - np.repeat(np.cumsum(n) - n, n)
        entry += np.repeat(histogram.starts[parts.group], n)
        counts = histogram.counts[entry]
        place = np.repeat(parts.child, n) * histogram.n_values + histogram.codes[entry]
        shape = (n_children, histogram.n_values)

        def summed(people: Counts) -> Counts:
            return np.bincount(place, people, shape[0] * shape[1]).astype(np.int64).reshape(shape)

        most = summed(np.minimum(counts, np.repeat(parts.inside, n)))
        if wanted is None:
            assert different is not None  # noqa: S101  (or nothing is known)
            first = max(0, most.shape[1] - max(0, different - 1))
            fewer = np.sort(most, axis=1)[:, first:]
            return must | (fewer.sum(axis=1) >= n_people), must
        fewest = summed(np.maximum(counts - np.repeat(parts.outside, n), 0))
        share, _ = wanted
        limit = share.numerator * n_people
        can = share.denominator * most.max(axis=1, initial=0) > limit
        return must | can, must | (share.denominator * fewest.max(axis=1, initial=0) > limit)

    def rejected(self, groups: NDArray[np.intp], steps: list[_OpenStep]) -> list[RejectedStep]:
        """State steps for the members of some groups, the others' people with their values."""
        members = self.members
        first, end = members.starts[groups], members.starts[groups + 1]
        offset = np.cumsum(end - first) - (end - first)
        n_cells = int((end - first).sum())
        distinct_steps: dict[bytes, RejectedStep] = {}
        for step in steps:
            cells: list[NDArray[np.intp]] = []
            fixed = np.zeros((len(step.children), members.histogram.n_values), dtype=np.int64)
            for around, child in zip(fixed, step.children, strict=True):
                where = np.minimum(np.searchsorted(groups, self.group_of[child]), len(groups) - 1)
                own = groups[where] == self.group_of[child]
                g = where[own]
                cells.append(np.unique(offset[g] + self.place[child[own]] - first[g]))
                for whole in np.unique(self.group_of[child[~own]]).tolist():
                    values = members.histogram.rows(whole, whole + 1)
                    around[values.codes] += values.counts
            said = [np.array([len(own) for own in cells]), *cells, fixed.ravel()]
            key = np.concatenate(said).tobytes()
            if key not in distinct_steps:
                children = np.zeros((len(cells), n_cells), dtype=bool)
                for row, own in zip(children, cells, strict=True):
                    row[own] = True
                distinct_steps[key] = RejectedStep(children, fixed)
        return list(distinct_steps.values())


def _batches(steps: Iterable[FailedStep], n_values: int) -> Iterator[list[FailedStep]]:
    """Take steps together, as many as there is room for."""
    some: list[FailedStep] = []
    work = 0
    for step in steps:
        some.append(step)
        work += sum(len(child) + n_values for child in step.children)
        if work > AT_ONCE:
            yield some
            some, work = [], 0
    if some:
        yield some


def _components(
    steps: list[_OpenStep], n_groups: int
) -> Iterator[tuple[NDArray[np.intp], list[_OpenStep]]]:
    """Give groups that hang together with their steps, the small components first."""
    parent = list(range(n_groups))

    def root(g: int) -> int:
        while parent[g] != g:
            parent[g] = parent[parent[g]]
            g = parent[g]
        return g

    for step in steps:
        first, *others = step.sliced.tolist()
        for g in others:
            parent[root(g)] = root(first)
    own: dict[int, list[_OpenStep]] = {}
    for step in steps:
        own.setdefault(root(int(step.sliced[0])), []).append(step)
    components = [
        (np.unique(np.concatenate([step.sliced for step in mine])), mine) for mine in own.values()
    ]
    components.sort(key=lambda each: (len(each[0]), int(each[0][0])))
    yield from components
