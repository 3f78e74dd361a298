"""The groups of a k-anonymous table as readers tell them apart, and people in them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.mask.changes import Changes, Entries
from sfumato.data.frequency import FrequencySet, sum_by
from sfumato.data.keys import distinct_rows
from sfumato.data.recoding import Bucketing, Masked, Placement, Recoding


@dataclass(frozen=True, eq=False)
class Groups:
    """Who is in which group of a k-anonymous table, people with the same values together."""

    frequencies: FrequencySet
    attribute: str
    decided: Recoding
    placed: Placement
    group: NDArray[np.intp]  # (n,) of everybody in `placed`; -1: suppressed

    def bucketized(self) -> Groups:
        """The same groups, to be published as two tables."""
        decided = _buckets(self.placed, self.group)
        placed = decided.placement(self.frequencies)
        return Groups(self.frequencies, self.attribute, decided, placed, self.group)

    def entries(self, sensitive: NDArray[np.bool_]) -> tuple[Entries, NDArray[np.intp]]:
        """Give the people who are published, and where they stand; sensitive: of every value."""
        inside = np.flatnonzero((self.group >= 0) & (self.placed.people > 0))
        value = self.frequencies.codes(self.attribute)[self.placed.key[inside]]
        people = self.placed.people[inside]
        return Entries(self.group[inside], people, value, sensitive[value]), inside

    def masked(self, changes: Changes) -> Masked:
        """Publish some people with other values than their own."""
        placed = self.placed
        left = placed.people - sum_by(changes.entry, changes.people, len(placed.people))
        of = np.concatenate([np.arange(len(left)), changes.entry])
        people = np.concatenate([left, changes.people])
        instead = np.concatenate([np.full(len(left), -1), changes.value]).astype(np.int32)
        some = np.flatnonzero(people)
        of, people, instead = of[some], people[some], instead[some]
        placed = replace(placed, key=placed.key[of], box=placed.box[of], people=people)
        two_tables = self.decided.buckets is not None
        decided = _buckets(placed, self.group[of]) if two_tables else self.decided
        return Masked(decided, placed, self.attribute, instead)


def _buckets(placed: Placement, group: NDArray[np.intp]) -> Bucketing:
    parts = np.stack([placed.key, group, placed.people], axis=1)
    return Bucketing(placed.frequencies, parts.astype(np.int64))


def told_groups(decided: Recoding, placed: Placement) -> NDArray[np.intp]:
    """Number the groups that readers tell apart, in the order of their boxes.

    Boxes that were given texts of their own are told apart by these, too. Returns (n_boxes,): the
    group of every box of `placed`; -1 where nobody is in it.
    """
    used = np.zeros(len(placed.boxes) + 1, dtype=bool)  # the last is for -1
    used[placed.box[placed.people > 0]] = True
    boxes = np.flatnonzero(used[:-1])
    told = placed.boxes[boxes].reshape(len(boxes), -1)
    texts = [each.index[boxes] for each in decided.own_texts.values() if each is not None]
    told = np.column_stack([told, *texts])
    group = np.full(len(placed.boxes), -1, dtype=np.intp)
    _, group[boxes] = distinct_rows(told)
    return group
