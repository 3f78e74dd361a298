"""Beliefs of somebody who follows the decisions of a method, from what failed on the way.

Every failed step says that some child of it breaks the criterion. Groups that no such step
slices are not concerned; those that are hang together where a step slices several. Each such
component is solved for itself: worlds factor over components.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

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

IMPOSSIBLE = (
    "a step that was not taken can break in no world, so the release was made another way than it "
    "says"
)


def published_groups(members: Membership) -> PublishedGroups:
    """See everybody's quasi-identifiers with the one group of each combination."""
    return PublishedGroups(members.frequencies.combinations, members.group_of)


class Following:
    """What failed steps tell: components that are solved exactly, and those that are too large."""

    def __init__(self, members: Membership, steps: Iterable[FailedStep], solver: Solver) -> None:
        self.solver = solver
        slices = _Slices(members, solver)
        open_steps = [stated for step in steps if (stated := slices.open(step)) is not None]
        self.beliefs: list[GroupBeliefs] = []
        self.bounded: list[int] = []  # groups for which a promise is shown to be kept
        self.large: list[_Large] = []
        solver.samples = False
        components = list(_components(open_steps, len(members.boxes)))
        for done, (groups, own) in enumerate(components):
            report("following the method", done, len(components))
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
        self.solver.samples = True
        beliefs: list[GroupBeliefs] = list(self.beliefs)
        unknown: list[int] = []
        for done, large in enumerate(self.large):
            report("sampling worlds", done, len(self.large))
            found = None
            if self.solver.work > 0:
                found = self.solver.component(large.component.groups, large.component.steps)
            if found is None:
                unknown += sorted(large.unknown)
            else:
                beliefs += [each for each in found if each.group in large.unknown]
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


class _Slices:
    """Tells which children of failed steps can break, by the groups they have parts of."""

    def __init__(self, members: Membership, solver: Solver) -> None:
        self.members, self.solver = members, solver
        self.group_of = members.group_of
        self.counts = members.frequencies.combinations.counts
        self.place = np.zeros(len(self.counts), dtype=np.intp)
        self.place[members.combination] = np.arange(len(members.combination))
        wanted = solver.bounded_values()
        if wanted is not None:  # people of every group with each value that is bounded
            self.bounded_counts = members.histogram.counted_as(wanted[1])
        self.unions_are_safe = is_monotone(solver.enforced, members.frequencies, suppression=False)
        # Joining people break nothing: then whoever is with a whole group is safe.
        self.stays_safe = is_monotone(solver.enforced, members.frequencies, suppression=True)

    def open(self, step: FailedStep) -> _OpenStep | None:
        """Keep the children that can break; None: one breaks in every world."""
        children, sliced = [], []
        for child in step.children:
            groups, inside = self._inside(child)
            parts = inside < self.members.sizes[groups]
            if not parts.any():
                if self._breaks(groups):
                    return None
                continue
            if self.stays_safe and not parts.all():
                continue
            can, must = self._ends(groups, inside)
            if must:
                return None
            if can:
                children.append(child)
                sliced.append(groups[parts])
        if not children:
            raise CannotRun(IMPOSSIBLE)
        return _OpenStep(children, np.unique(np.concatenate(sliced)))

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

    def _inside(self, child: NDArray[np.intp]) -> tuple[NDArray[np.intp], Counts]:
        """Give the groups that a child has people of, and how many."""
        groups, index = np.unique(self.group_of[child], return_inverse=True)
        return groups, np.bincount(index, weights=self.counts[child]).astype(np.int64)

    def _ends(self, groups: NDArray[np.intp], inside: Counts) -> tuple[bool, bool]:
        """Say whether a child can break in some world, and whether it does in all.

        Where shares are bounded and nothing else, by the fewest and the most people of a child who
        can have a value.
        """
        wanted = self.solver.bounded_values()
        if wanted is None:
            return True, False
        share, codes = wanted
        histogram, outside = self.bounded_counts, self.members.sizes[groups] - inside
        n = histogram.starts[groups + 1] - histogram.starts[groups]
        entry = np.arange(int(n.sum())) - np.repeat(np.cumsum(n) - n, n)
        entry += np.repeat(histogram.starts[groups], n)
        counts, value = histogram.counts[entry], histogram.codes[entry]
        most = np.bincount(value, np.minimum(counts, np.repeat(inside, n)), len(codes))
        fewest = np.bincount(value, np.maximum(counts - np.repeat(outside, n), 0), len(codes))
        limit = share.numerator * int(inside.sum())
        can = share.denominator * int(most.max(initial=0)) > limit
        return can, share.denominator * int(fewest.max(initial=0)) > limit

    def rejected(self, groups: NDArray[np.intp], steps: list[_OpenStep]) -> list[RejectedStep]:
        """State steps for the members of some groups, the others' people with their values."""
        members = self.members
        first, end = members.starts[groups], members.starts[groups + 1]
        offset = np.cumsum(end - first) - (end - first)
        position = np.full(len(members.boxes), -1, dtype=np.intp)
        position[groups] = np.arange(len(groups))
        n_cells = int((end - first).sum())
        found: dict[bytes, RejectedStep] = {}
        for step in steps:
            children = np.zeros((len(step.children), n_cells), dtype=bool)
            fixed = np.zeros((len(step.children), members.histogram.n_values), dtype=np.int64)
            for row, around, child in zip(children, fixed, step.children, strict=True):
                where = position[self.group_of[child]]
                own = where >= 0
                g = where[own]
                row[offset[g] + self.place[child[own]] - first[g]] = True
                for whole in np.unique(self.group_of[child[~own]]).tolist():
                    values = members.histogram.rows(whole, whole + 1)
                    around[values.codes] += values.counts
            found.setdefault(children.tobytes() + fixed.tobytes(), RejectedStep(children, fixed))
        return list(found.values())


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
