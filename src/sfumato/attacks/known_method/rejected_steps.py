"""The steps down that a minimal release did not take, by kind of recoding (Wong 2009).

Regions and local recoding: every group has steps of its own. Full-domain recoding and cuts: a
step is taken by all groups at once. Steps that fail by numbers of people alone, which everybody
can count, say nothing about values and are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.known_method.membership import Membership, levels_of, lows_of
from sfumato.attacks.target import Target
from sfumato.criteria.criterion import Criterion
from sfumato.criteria.judging import holding
from sfumato.data.frequency import JointGroups, group_keys, sum_by
from sfumato.data.groups import Counts, Histogram
from sfumato.data.taxonomy import Taxonomy
from sfumato.errors import CannotRun
from sfumato.formulas.minimality.posterior import RejectedStep

NOT_MINIMAL = (
    "a step down would have been safe, so the release does not follow the minimality principle for "
    "this criterion; somebody who believed it did would be wrong"
)


@dataclass(frozen=True, eq=False)
class Problem:
    """One published group and the specializations that the algorithm rejected for it.

    `step.children[c, m]` is True if member m of the group would have gone to child c.
    """

    group: int
    steps: tuple[RejectedStep, ...]  # values are the combinations of sensitive values
    numbers: tuple[int, ...] = ()  # of steps that are taken by all groups at once


@dataclass(frozen=True, eq=False)
class Problems:
    """Groups that values decide about, the small ones first, and how to state each."""

    groups: NDArray[np.intp]
    of: Callable[[int], Problem]

    @classmethod
    def by_size(
        cls, members: Membership, groups: NDArray[np.intp], of: Callable[[int], Problem]
    ) -> Problems:
        """Put the small groups first."""
        return cls(groups[np.argsort(members.sizes[groups], kind="stable")], of)


def least_people(criterion: Criterion) -> int:
    """People without whom no group is safe, whatever values they have."""
    return max(criterion.least_size, *(part.values_wanted() for part in criterion.parts))


# ---- Regions: any cut at any value of any column


def region_problems(members: Membership, least: int, *, widest_only: bool) -> Problems:
    """Give the cuts of strict regions that leave enough people on both sides."""
    groups, columns, boundaries = [], [], []
    widest = np.full(len(members.boxes), -1.0)
    chosen = np.full(len(members.boxes), -1)
    for j, name in enumerate(members.frequencies.quasi_identifiers):
        domain = members.frequencies.domains[name]
        cell, which = np.unique(
            members.group * len(domain) + members.codes[members.combination, j],
            return_inverse=True,
        )
        group, value = np.divmod(cell, len(domain))
        people = np.cumsum(sum_by(which, members.people, len(cell)))
        first = np.flatnonzero(np.diff(group, prepend=-1))
        last = np.append(first[1:], len(group)) - 1
        before = np.where(first > 0, people[first - 1], 0)
        left = people - before[group]  # every group has a member, so groups number the firsts
        right = members.sizes[group] - left
        inner = (left >= least) & (right >= max(least, 1))
        span = domain.span(value[first].astype(np.int32), value[last].astype(np.int32))
        wider = (span > widest) & (first < last)
        widest[wider], chosen[wider] = span[wider], j
        groups.append(group[inner])
        boundaries.append(value[inner])
        columns.append(np.full(int(inner.sum()), j))
    group = np.concatenate(groups)
    column, boundary = np.concatenate(columns), np.concatenate(boundaries)
    if widest_only:
        tried = column == chosen[group]
        group, column, boundary = group[tried], column[tried], boundary[tried]
    order = np.argsort(group, kind="stable")
    group, column, boundary = group[order], column[order], boundary[order]
    nobody = np.zeros((2, members.histogram.n_values), dtype=np.int64)

    def stated(g: int) -> Problem:
        start, end = np.searchsorted(group, [g, g + 1])
        own = members.codes[members.combination[members.starts[g] : members.starts[g + 1]]]
        below = (own[:, column[start:end]] <= boundary[start:end]).T  # (n_cuts, n_members)
        cuts = np.unique(np.stack([below, ~below], axis=1), axis=0)  # (n, 2, n_members)
        return Problem(g, tuple(RejectedStep(cut, nobody) for cut in cuts))

    return Problems.by_size(members, np.unique(group), stated)


# ---- Local recoding: one column of one group


def local_problems(members: Membership, least: int) -> Problems:
    """Give the steps of groups that could have gone down with those published below.

    A child is the group's people under one value, together with everybody who is published inside
    the box that this value would have made of the group's. Where nobody is published inside the
    group's box, no column took anybody down: each had a child that was not safe. Where somebody is,
    that was said of the one column along which people went down, and the others were not tried on
    those who stayed. So it is a column along which each group below is inside one child; if there
    are several such, of one of them some child was not safe.
    """
    lows, highs = members.boxes[:, :, 0], members.boxes[:, :, 1]
    names = members.frequencies.quasi_identifiers
    taxonomies = [members.frequencies.domains[name].taxonomy for name in names]

    def stated(g: int) -> Problem:
        start, end = members.starts[g : g + 2]
        own, people = members.codes[members.combination[start:end]], members.people[start:end]
        near = ((lows >= lows[g]) & (highs <= highs[g])).all(axis=1)
        near[g] = False
        inside_box = np.flatnonzero(near)
        steps: list[RejectedStep | None] = []  # None: too few people, whatever their values
        for j in np.flatnonzero(lows[g] < highs[g]).tolist():
            below = _child_lows(taxonomies[j], int(lows[g, j]), int(highs[g, j]), names[j])
            first, last = below[lows[inside_box, j]], below[highs[inside_box, j]]
            if (first != last).any():
                continue
            value = below[own[:, j]]  # the child that each member would go to
            children = value == np.unique(value)[:, np.newaxis]
            inside = [inside_box[first == low] for low in np.unique(value).tolist()]
            sizes = children @ people + [members.sizes[there].sum() for there in inside]
            enough = bool((sizes >= least).all())
            fixed = np.stack([_values_in(members.histogram, there) for there in inside])
            steps.append(RejectedStep(children, fixed) if enough else None)
        known = [step for step in steps if step is not None]
        if not len(inside_box) or len(steps) == 1:
            return Problem(g, tuple(known))
        return Problem(g, (_one_of(known),) if known and len(known) == len(steps) else ())

    return Problems.by_size(members, np.flatnonzero((lows < highs).any(axis=1)), stated)


def _one_of(steps: Sequence[RejectedStep]) -> RejectedStep:
    """Say that some child of one of several steps was not safe."""
    return RejectedStep(
        np.concatenate([step.children for step in steps]),
        np.concatenate([step.fixed for step in steps]),
    )


def _values_in(histogram: Histogram, groups: NDArray[np.intp]) -> Counts:
    total = np.zeros(histogram.n_values, dtype=np.int64)
    for g in groups.tolist():
        row = histogram.rows(g, g + 1)
        total[row.codes] += row.counts
    return total


def _child_lows(taxonomy: Taxonomy, low: int, high: int, name: str) -> NDArray[np.int32]:
    """Give the first rank of the child of a node that holds each rank; -1 outside the node."""
    level = int(taxonomy.enclosing_level(np.array([low]), np.array([high]))[0])
    if (int(taxonomy.low[level, low]), int(taxonomy.high[level, low])) != (low, high):
        raise CannotRun(
            f"column {name!r}: a published range is no node of the original's hierarchy, so there "
            "is no step down from it"
        )
    lows = np.full(taxonomy.size, -1, dtype=np.int32)
    lows[low : high + 1] = taxonomy.low[level - 1, low : high + 1]
    return lows


# ---- Steps that all groups take at once


@dataclass(frozen=True, eq=False)
class WideStep:
    """One column a level down, in the whole table or wherever one node of it is published."""

    column: int
    lows: NDArray[np.int32]  # (n_ranks,): first rank of the child of each rank; -1: not concerned


def full_domain_steps(target: Target, members: Membership) -> list[WideStep]:
    """One column one level down."""
    levels = levels_of(target, members)
    domains = members.frequencies.domains
    return [
        WideStep(j, domains[name].taxonomy.low[levels[name] - 1])
        for j, name in enumerate(members.frequencies.quasi_identifiers)
        if levels[name] > 0
    ]


def cut_steps(members: Membership) -> list[WideStep]:
    """One node of one column replaced by its children."""
    steps = []
    for j, name in enumerate(members.frequencies.quasi_identifiers):
        taxonomy = members.frequencies.domains[name].taxonomy
        nodes = np.unique(members.boxes[:, j], axis=0).tolist()
        steps += [
            WideStep(j, _child_lows(taxonomy, low, high, name)) for low, high in nodes if low < high
        ]
    return steps


@dataclass(frozen=True, eq=False)
class Children:
    """The children that a step would make of all groups."""

    of: NDArray[np.intp]  # (n_combinations,): the child of each; -1: not concerned
    owner: NDArray[np.intp]  # (n_children,): the group; -1: suppressed
    open: NDArray[np.bool_]  # (n_children,): whether values decide if it breaks
    limit: int  # the step breaks when more people than these are in open children that break
    truly: Counts  # (n_groups,): people of each group in open children that really break


@dataclass(frozen=True, eq=False)
class Wide:
    """Steps that all groups take at once, as far as values decide about them."""

    members: Membership
    steps: list[Children]

    @property
    def groups(self) -> NDArray[np.intp]:
        """The groups that a step concerns."""
        owners = [step.owner[step.open] for step in self.steps]
        return np.unique(np.concatenate(owners)) if owners else np.zeros(0, dtype=np.intp)

    def together(self, group: int) -> Problem:
        """Give a group's part in all steps."""
        return self._problem(group, [step.limit for step in self.steps])

    def alone(self) -> Problems:
        """Give the groups without whom some step would not have failed, the others as they are."""
        others = [int(step.truly.sum()) - step.truly for step in self.steps]
        matter = [rest <= step.limit for step, rest in zip(self.steps, others, strict=True)]
        some = np.flatnonzero(np.any(matter, axis=0)) if matter else np.zeros(0, dtype=np.intp)

        def stated(g: int) -> Problem:
            limits = zip(self.steps, others, strict=True)
            return self._problem(g, [step.limit - int(rest[g]) for step, rest in limits])

        return Problems.by_size(self.members, np.intersect1d(some, self.groups), stated)

    def _problem(self, group: int, limits: list[int]) -> Problem:
        start, end = self.members.starts[group : group + 2]
        own = self.members.combination[start:end]
        steps, numbers = [], []
        for number, (step, limit) in enumerate(zip(self.steps, limits, strict=True)):
            child = step.of[own]
            names = np.unique(child[child >= 0])
            names = names[step.open[names]]
            if limit >= 0 and len(names):
                nobody = np.zeros((len(names), self.members.histogram.n_values), dtype=np.int64)
                steps.append(RejectedStep(child == names[:, np.newaxis], nobody, limit))
                numbers.append(number)
        return Problem(group, tuple(steps), tuple(numbers))


def wide_steps(
    target: Target, members: Membership, steps: list[WideStep], enforced: Criterion, limit: int
) -> Wide:
    """Give the children of all groups in every step that did not fail by numbers alone.

    A step fails when more people than may be suppressed are in children that break. Children of
    suppressed groups are taken as they are: what their people have is known to the adversary.
    """
    children = []
    for of, owner in _children(target, members, steps, np.ones(len(members.codes), dtype=bool)):
        joint = _counted(members, of, len(owner))
        breaks = ~holding(enforced, joint, alone=True)
        always = (joint.sizes < least_people(enforced)) | (breaks & (owner < 0))
        rest = limit - int(joint.sizes[always].sum())
        if rest < 0:
            continue
        by_values = ~always & (owner >= 0)
        broken = by_values & breaks
        truly = sum_by(owner[broken], joint.sizes[broken], len(members.boxes))
        if int(truly.sum()) <= rest:
            if not all(part.by_group for part in enforced.parts):
                continue  # what is known of others may have been the reason
            raise CannotRun(NOT_MINIMAL)
        children.append(Children(of, owner, by_values, rest, truly))
    return Wide(members, children)


def counted_steps(
    target: Target, members: Membership, steps: list[WideStep], enforced: Criterion, limit: int
) -> Wide:
    """Give the same by numbers of people alone, where nobody's values are known.

    Only those who are in a group are there; whoever is not says nothing.
    """
    children = []
    for of, owner in _children(target, members, steps, members.group_of >= 0):
        child = of[members.combination]
        sizes = sum_by(child[child >= 0], members.people[child >= 0], len(owner))
        always = sizes < least_people(enforced)
        rest = limit - int(sizes[always].sum())
        if rest >= 0:
            nobody = np.zeros(len(members.boxes), dtype=np.int64)
            children.append(Children(of, owner, ~always, rest, nobody))
    return Wide(members, children)


def _children(
    target: Target, members: Membership, steps: list[WideStep], there: NDArray[np.bool_]
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Give for every step the child of each combination, and the group that each child is from.

    there: (n_combinations,): who takes the steps. Who does not has the child -1.
    """
    layout = members.frequencies.combinations.layout
    lows = lows_of(target, members)
    published = [low[members.codes[:, j]] for j, low in enumerate(lows)]
    for step in steps:
        child_low = step.lows[members.codes[:, step.column]]
        concerned = np.flatnonzero((child_low >= 0) & there)
        sides = list(published)
        sides[step.column] = child_low
        index, member = group_keys(layout.pack([side[concerned] for side in sides]))
        of = np.full(len(child_low), -1, dtype=np.intp)
        of[concerned] = index
        yield of, members.group_of[concerned[member]]


def _counted(members: Membership, child_of: NDArray[np.intp], n_children: int) -> JointGroups:
    frequencies = members.frequencies
    values = frequencies.persons_values
    child = child_of[frequencies.combination_of]
    kept = np.flatnonzero(child >= 0)
    histogram = Histogram.from_entries(
        child[kept],
        values.of_key[kept].astype(np.int32),
        frequencies.counts[kept],
        (n_children, len(values.codes)),
    )
    sizes = sum_by(child[kept], frequencies.counts[kept], n_children)
    return JointGroups(frequencies, sizes, histogram)
