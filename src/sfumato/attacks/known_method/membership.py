"""Who of an original table is in which published group: how many people of each combination."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.matching import boxes_in
from sfumato.attacks.target import Target
from sfumato.data.frequency import FrequencySet, JointGroups, sum_by
from sfumato.data.groups import Counts, Histogram
from sfumato.data.keys import Codes, distinct_rows
from sfumato.data.labels.writer import interval_text
from sfumato.data.recoding import SUPPRESSED, Placement, Recoding, distinct_boxes
from sfumato.errors import CannotRun, DoesNotApply
from sfumato.formulas.boxes.fillings import MOST_PEOPLE, Fillings, Part
from sfumato.formulas.boxes.points import points_in_boxes

MOST_PAIRS = 1 << 33
MOST_IN_FLOW = 1 << 22  # pairs of a combination and a box
TOO_LARGE = (
    "the release is too large to find out who is in which group; attack it in the process that "
    "made it"
)
SEVERAL_FIT = (
    "published boxes overlap, and counts do not tell how many people of a kind are in which: only "
    "the process that made the release can"
)


@dataclass(frozen=True, eq=False)
class Membership:
    """The people of every published group by their original quasi-identifiers.

    The lists are sorted by group, and have a combination once in each group that it is in.
    """

    frequencies: FrequencySet  # of the original
    boxes: NDArray[np.int32]  # (n_groups, n_quasi_identifiers, 2) in ranks of the original
    combination: NDArray[np.intp]  # (n,) position in the original's combinations
    group: NDArray[np.intp]  # (n,)
    people: Counts  # (n,)
    histogram: Histogram  # (n_groups, combinations of sensitive values)

    @classmethod
    def of_groups(
        cls, frequencies: FrequencySet, boxes: NDArray[np.int32], histogram: Histogram
    ) -> Membership:
        """See groups of which it need not be known who is in them."""
        nobody = np.zeros(0, dtype=np.intp)
        return cls(frequencies, boxes, nobody, nobody, nobody, histogram)

    @cached_property
    def starts(self) -> NDArray[np.intp]:
        """Where each group begins; one more at the end."""
        return np.searchsorted(self.group, np.arange(len(self.boxes) + 1))

    @cached_property
    def sizes(self) -> Counts:
        """People in every group."""
        return sum_by(self.histogram.group_of, self.histogram.counts, len(self.boxes))

    @cached_property
    def codes(self) -> Codes:
        """The quasi-identifiers of the original's combinations: (n, n_quasi_identifiers)."""
        ground = self.frequencies.combinations
        return np.stack([ground.codes(name) for name in ground.columns], axis=1)

    def joint(self, chosen: NDArray[np.bool_] | None = None) -> JointGroups:
        """Give the groups, or some of them, with their sensitive values."""
        joint = JointGroups(self.frequencies, self.sizes, self.histogram)
        return joint if chosen is None else joint.part(chosen)

    @cached_property
    def n_groups_of(self) -> NDArray[np.intp]:
        """In how many groups each combination is."""
        return np.bincount(self.combination, minlength=len(self.codes))

    @property
    def splits(self) -> bool:
        """Whether the people of a combination are spread over several groups."""
        return bool((self.n_groups_of > 1).any())

    @property
    def group_of(self) -> NDArray[np.intp]:
        """The one group of each combination; -1: suppressed."""
        groups = np.full(len(self.codes), SUPPRESSED, dtype=np.intp)
        groups[self.combination] = self.group
        return groups

    def labels(self, group: int, target: Target) -> dict[str, str | None]:
        """The published quasi-identifiers of a group, as the release has them if it is found."""
        names, domains = self.frequencies.quasi_identifiers, self.frequencies.domains
        if target.as_they_are:
            return target.published_labels(group)
        if target.seen.frequencies.quasi_identifiers == names:
            with suppress(CannotRun):
                boxes = boxes_in(domains, target.seen)
                same = np.flatnonzero((boxes == self.boxes[group]).all(axis=(1, 2)))
                if len(same):
                    return target.published_labels(int(same[0]))
        sides = zip(names, self.boxes[group].tolist(), strict=True)
        return {name: interval_text(domains[name], low, high) for name, (low, high) in sides}

    def values(self, combination: int) -> dict[str, object]:
        """The original quasi-identifiers of a combination."""
        names = self.frequencies.quasi_identifiers
        codes = self.codes[combination].tolist()
        labels = [self.frequencies.domains[n].labels[c] for n, c in zip(names, codes, strict=True)]
        return dict(zip(names, labels, strict=True))


@dataclass(frozen=True, eq=False)
class PossibleMembers:
    """Published groups of which counts do not say who is in which: they overlap."""

    frequencies: FrequencySet
    boxes: NDArray[np.int32]
    histogram: Histogram
    fillings: Fillings  # kinds are combinations, boxes are groups

    def without_members(self) -> Membership:
        """Give the groups."""
        return Membership.of_groups(self.frequencies, self.boxes, self.histogram)

    def with_filling(self, filling: Counts, part: Part | None = None) -> Membership:
        """Give the members of all groups, or of those in a part, by one filling of it."""
        pairs = (self.fillings if part is None else part.fillings).pairs
        kept = np.flatnonzero(filling)
        combination, group = pairs[kept].T
        boxes, histogram = self.boxes, self.histogram
        if part is not None:
            combination = part.kinds[combination]
            chosen = np.zeros(len(boxes), dtype=bool)
            chosen[part.boxes] = True
            boxes, histogram = boxes[chosen], histogram.part(chosen)
        members = _added_up(combination, group, filling[kept])
        return Membership(self.frequencies, boxes, *members, histogram)


def members_of(target: Target, guard: str | None = None) -> Membership:
    """Find out who is in which group: from the recoding, or else by boxes and counts.

    guard: a column that says what each person guards, which counts as one more value.
    """
    members = located(target, guard)
    if isinstance(members, PossibleMembers):
        raise CannotRun(SEVERAL_FIT)
    return members


def located(target: Target, guard: str | None = None) -> Membership | PossibleMembers:
    """Find out who is in which group, as far as that can be told; once for all attacks."""
    if guard not in target.located:
        target.located[guard] = _located(target, guard)
    found: Membership | PossibleMembers = target.located[guard]
    return found


def _located(target: Target, guard: str | None) -> Membership | PossibleMembers:
    if target.original is None:
        raise CannotRun(
            "it needs everybody's original quasi-identifiers",
            remedy="give the original table (original=, --original)",
        )
    frequencies = target.original.frequencies(guard)
    if target.as_they_are:
        return _in_two_tables(target, frequencies)
    if target.recoding is not None and target.recoding.has_one_box_each:
        return _whole(frequencies, target.recoding)
    if guard is not None:
        raise CannotRun(
            "what people guard is not published: only the process that made the release knows"
        )
    boxes = target.boxes_in(target.original)
    histogram = _values_of(target, frequencies)
    if target.recoding is not None:
        parts = _split(target.recoding.placement(frequencies), boxes)
        return Membership(frequencies, boxes, *parts, histogram)
    return _by_counts(frequencies, boxes, histogram, target.seen.sizes)


def _in_two_tables(target: Target, frequencies: FrequencySet) -> Membership:
    """See who is in which group by the table of people; boxes are those around them."""
    buckets = target.buckets
    if buckets is None:
        raise CannotRun(
            "who of the original is in which group cannot be told: the quasi-identifiers that are "
            "published are not the original's"
        )
    key, group, people = buckets.kept.T
    parts = _added_up(buckets.combinations.combination_of[key], group, people)
    ground, n_groups = frequencies.combinations, len(target.seen.sizes)
    boxes = np.empty((n_groups, len(ground.columns), 2), dtype=np.int32)
    for j, name in enumerate(ground.columns):
        codes = ground.codes(name)[parts[0]]
        low, high = np.full(n_groups, len(ground.domains[name])), np.full(n_groups, -1)
        np.minimum.at(low, parts[1], codes)
        np.maximum.at(high, parts[1], codes)
        boxes[:, j] = np.stack([low, high], axis=1)
    return Membership(frequencies, boxes, *parts, _values_of(target, frequencies))


def listed(target: Target) -> PossibleMembers:
    """See who on a list of people may be in which group; some of them may be in none."""
    if target.external is None:
        raise DoesNotApply("it needs a list of people", remedy="give one (external=, --external)")
    target.refuse_bucketized()
    seen = target.seen.frequencies
    frequencies = _with_values(target.external.combinations(), seen)
    boxes = boxes_in(frequencies.domains, target.seen)
    ground = frequencies.combinations
    fillings = Fillings(ground.counts, target.seen.sizes, fitting_pairs(ground, boxes))
    if len(fillings.pairs) > MOST_IN_FLOW or int(target.seen.sizes.sum()) > MOST_PEOPLE:
        raise CannotRun(TOO_LARGE)
    if fillings.one() is None:
        raise CannotRun("the people on the list do not fill the published groups")
    return PossibleMembers(frequencies, boxes, _values_of(target, frequencies), fillings)


def _with_values(people: FrequencySet, seen: FrequencySet) -> FrequencySet:
    """Count people by the quasi-identifiers of a release, with values that nobody has yet."""
    names, values = seen.quasi_identifiers, seen.persons_values.codes
    n, n_values = len(people), len(values)
    who = np.concatenate([np.arange(n), np.zeros(n_values, dtype=np.intp)])
    value = np.concatenate([np.zeros(n, dtype=np.intp), np.arange(n_values)])
    codes = {name: people.codes(name)[who] for name in names}
    codes |= {name: values[value, j] for j, name in enumerate(seen.sensitive)}
    domains = {name: people.domains[name] for name in names}
    domains |= {name: seen.domains[name] for name in seen.sensitive}
    counts = np.concatenate([people.counts, np.zeros(n_values, dtype=np.int64)])
    frequencies = FrequencySet.from_codes(domains, names, seen.sensitive, codes, counts)
    frequencies.references.update({name: seen.reference(name) for name in seen.sensitive})
    return frequencies


def _by_counts(
    frequencies: FrequencySet, boxes: NDArray[np.int32], histogram: Histogram, sizes: Counts
) -> Membership | PossibleMembers:
    """Find out who is in which box; where boxes overlap, by how many people each has."""
    fillings = Fillings(
        frequencies.combinations.counts, sizes, fitting_pairs(frequencies.combinations, boxes)
    )
    possible = PossibleMembers(frequencies, boxes, histogram, fillings)
    kinds = fillings.pairs[:, 0]
    everybody = fillings.people[kinds]
    if len(np.unique(kinds)) == len(kinds) and np.array_equal(
        sum_by(fillings.pairs[:, 1], everybody, len(boxes)), sizes
    ):
        return possible.with_filling(everybody)
    if len(kinds) > MOST_IN_FLOW or int(sizes.sum()) > MOST_PEOPLE:
        raise CannotRun(TOO_LARGE)
    filling = fillings.one()
    if filling is None:
        raise CannotRun("the people of the original do not fill the published groups")
    return possible.with_filling(filling) if fillings.is_only(filling) else possible


def _whole(frequencies: FrequencySet, recoding: Recoding) -> Membership:
    grouping = recoding.grouping(frequencies)
    kept = grouping.index >= 0
    parts = _added_up(
        frequencies.combination_of[kept], grouping.index[kept], frequencies.counts[kept]
    )
    return Membership(frequencies, grouping.boxes, *parts, grouping.joint.counted)


_Parts = tuple[NDArray[np.intp], NDArray[np.intp], Counts]


def _split(placed: Placement, boxes: NDArray[np.int32]) -> _Parts:
    kept = placed.box != SUPPRESSED
    combination = placed.frequencies.combination_of[placed.key[kept]]
    both, same = distinct_boxes(np.concatenate([boxes, placed.boxes]))
    group_of = np.full(len(both), -1, dtype=np.intp)
    group_of[same[: len(boxes)]] = np.arange(len(boxes))
    group = group_of[same[len(boxes) :]][placed.box[kept]]
    if (group < 0).any():
        raise CannotRun("a published box cannot be told from its labels")
    return _added_up(combination, group, placed.people[kept])


def _added_up(combination: NDArray[np.intp], group: NDArray[np.intp], people: Counts) -> _Parts:
    pairs, which = distinct_rows(np.stack([group, combination], axis=1))
    return (
        pairs[:, 1].astype(np.intp),
        pairs[:, 0].astype(np.intp),
        sum_by(which, people, len(pairs)),
    )


def fitting_pairs(ground: FrequencySet, boxes: NDArray[np.int32]) -> NDArray[np.intp]:
    """List the boxes that each combination lies in: (n, 2), a combination and a box, ascending."""
    codes = np.stack([ground.codes(name) for name in ground.columns], axis=1)
    if len(codes) * len(boxes) > MOST_PAIRS:
        raise CannotRun(TOO_LARGE)
    who, box = points_in_boxes(codes, boxes)
    order = np.lexsort([box, who])
    return np.stack([who[order], box[order]], axis=1)


def _values_of(target: Target, frequencies: FrequencySet) -> Histogram:
    """Count the published values of each group, as combinations that the original numbers."""
    histogram = target.seen.joint.counted
    here = target.seen.frequencies.persons_values.codes
    there = frequencies.persons_values.codes
    _, index = distinct_rows(np.concatenate([there, here]))
    position = np.full(int(index.max(initial=0)) + 1, -1, dtype=np.int32)
    position[index[: len(there)]] = np.arange(len(there))
    renamed = position[index[len(there) :]]
    if (renamed[histogram.codes] < 0).any():
        raise CannotRun("nobody in the original has some of the published values together")
    shape = (histogram.n_groups, len(there))
    return Histogram.from_entries(
        histogram.group_of, renamed[histogram.codes], histogram.counts, shape
    )


def levels_of(target: Target, members: Membership) -> Mapping[str, int]:
    """Give the level of every column of a full-domain release, as published or as it looks."""
    if target.recoding is not None and target.recoding.levels is not None:
        return target.recoding.levels
    by_column = {}
    for j, name in enumerate(members.frequencies.quasi_identifiers):
        taxonomy = members.frequencies.domains[name].taxonomy
        low, high = members.boxes[:, j, 0], members.boxes[:, j, 1]
        same = (taxonomy.low[:, low] == low) & (taxonomy.high[:, low] == high)
        levels = np.flatnonzero(same.all(axis=1))
        if not len(levels):
            raise CannotRun(
                f"column {name!r} is not published at one level of the original's hierarchy",
                remedy="read the original with the release's hierarchies",
            )
        by_column[name] = int(levels[0])
    return by_column


def lows_of(target: Target, members: Membership) -> list[NDArray[np.int32]]:
    """Give the first rank of the node that each ground value is published as, column by column."""
    by_column = []
    for j, name in enumerate(members.frequencies.quasi_identifiers):
        domain = members.frequencies.domains[name]
        decided = None if target.recoding is None else target.recoding.lows(name)
        if decided is not None:
            by_column.append(decided)
            continue
        lows = np.arange(len(domain), dtype=np.int32)  # what was never published stands for itself
        for low, high in distinct_rows(members.boxes[:, j])[0].tolist():
            lows[low : high + 1] = low
        by_column.append(lows)
    return by_column
