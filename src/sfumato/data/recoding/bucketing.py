"""Recoding by numbered groups, published as two tables."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet, Grouping, sum_by
from sfumato.data.groups import Counts, Histogram
from sfumato.data.keys import Codes, distinct_rows
from sfumato.data.labels.texts import Labels
from sfumato.data.recoding.base import SUPPRESSED, Placement
from sfumato.data.recoding.parts import PartsRecoding


@dataclass(frozen=True, eq=False)
class BucketMembers:
    """The people of each bucket by their quasi-identifiers, and the values of the bucket."""

    members: NDArray[np.int32]  # (n, 2): combination of quasi-identifiers, bucket
    people: Counts  # (n,)
    histogram: Histogram  # (n_buckets, n_values)


@dataclass(frozen=True, eq=False)
class Bucketing(PartsRecoding):
    """People are put into numbered groups, and two tables are published (Wong 2009, section 6.2).

    One has the quasi-identifiers as they are and the number of the group, the other the number of
    the group and the sensitive values: what belongs together within a group is not said.
    """

    combinations: FrequencySet  # what the first column of `parts` points into
    parts: NDArray[np.int64]  # (n, 3): combination, group (-1: suppressed), people
    # (n, 2): where finished groups were partitioned further, the one that each part was in until
    # then, and the bucket (or half) of it
    formed: NDArray[np.int64] | None = None
    # of a sensitive column, (n,): the values published instead of those of `parts`; -1: their own
    instead: Mapping[str, Codes] = field(default_factory=dict)

    @property
    def first_number(self) -> int:
        """The first of the published group numbers, which start at 1."""
        return 1

    @property
    def buckets(self) -> Bucketing:
        """The numbered groups."""
        return self

    @property
    def has_one_box_each(self) -> bool:
        """Two tables have no boxes."""
        return False

    @property
    def follows_quasi_identifiers(self) -> bool:
        """Sensitive values are dealt with, too."""
        return False

    def labels(self, domains: Mapping[str, Domain]) -> dict[str, Labels | None]:
        """Say that every quasi-identifier is published as it is."""
        del domains
        return dict.fromkeys(self.combinations.quasi_identifiers)

    def sides(self, column: str) -> NDArray[np.int32]:
        """Every value stands for itself."""
        ranks = np.arange(len(self.combinations.domains[column]), dtype=np.int32)
        return np.stack([ranks, ranks], axis=1)

    @cached_property
    def group_sizes(self) -> Counts:
        """Number of people in every group."""
        return sum_by(self.kept[:, 1], self.kept[:, 2], int(self.kept[:, 1].max(initial=-1)) + 1)

    def sizes(self, frequencies: FrequencySet) -> Counts:
        """Give the number of people in every group."""
        del frequencies
        return self.group_sizes

    def published_boxes(self, frequencies: FrequencySet) -> tuple[NDArray[np.int32], Counts]:
        """Give the combinations that somebody is published with, and how many people."""
        del frequencies
        return self._published_boxes

    @cached_property
    def _published_boxes(self) -> tuple[NDArray[np.int32], Counts]:
        ground, of = self.combinations.combinations, self.combinations.combination_of
        people = sum_by(of[self.kept[:, 0]], self.kept[:, 2], len(ground))
        return self._points[people > 0], people[people > 0]

    @property
    def _points(self) -> NDArray[np.int32]:
        """Every combination of quasi-identifiers as a box: (n, n_quasi_identifiers, 2)."""
        ground = self.combinations.combinations
        codes = np.stack([ground.codes(name) for name in ground.columns], axis=1)
        return np.stack([codes, codes], axis=2)

    def grouping(self, frequencies: FrequencySet) -> Grouping:
        """Refuse: people of one combination can be in several groups."""
        del frequencies
        raise ValueError("two tables have no boxes; count the published ones")

    def placement(self, frequencies: FrequencySet) -> Placement:
        """Everybody who is published has a box of single values."""
        del frequencies
        key, group, people = self.parts.T
        box = np.where(group == SUPPRESSED, SUPPRESSED, self.combinations.combination_of[key])
        return Placement(self.combinations, key, box, people, self._points)

    def members(self, attribute: str) -> BucketMembers:
        """Say who is in each bucket, and which values it has; suppressed people are in none."""
        counted = self.combinations
        combination, number, people = self.kept.T
        numbers, group = np.unique(number, return_inverse=True)
        shape = (len(numbers), len(counted.domains[attribute]))
        codes = counted.codes(attribute)[combination]
        if attribute in self.instead:
            changed = self.instead[attribute][self.parts[:, 1] != SUPPRESSED]
            codes = np.where(changed < 0, codes, changed)
        histogram = Histogram.from_entries(group, codes, people, shape)
        # The people of a group whose quasi-identifiers are equal are one entry.
        own = counted.combination_of[combination]
        members, index = distinct_rows(np.stack([own, group], axis=1))
        return BucketMembers(members, sum_by(index, people, len(members)), histogram)

    def renumbered(self, secret: bytes) -> Bucketing:
        """Number groups as they are published.

        They stand in the order of their first combination of quasi-identifiers, which everybody
        sees; where that is the same, chance decides, so that the numbers say nothing else.
        """
        first = np.full(len(self.group_sizes), len(self.combinations), dtype=np.int64)
        np.minimum.at(first, self.kept[:, 1], self.combinations.combination_of[self.kept[:, 0]])
        lots = np.frombuffer(
            hashlib.shake_256(b"groups" + secret).digest(8 * len(first)), dtype="<u8"
        )
        number = np.full(len(first) + 1, SUPPRESSED, dtype=np.int64)  # the last is for -1
        number[np.lexsort((lots, first))] = np.arange(len(first))
        combination, group, people = self.parts.T
        parts = np.stack([combination, number[group], people], axis=1)
        return replace(self, parts=parts)

    def as_table(self, domains: Mapping[str, Domain]) -> dict[str, list[Any]]:
        """List every combination with the number of its group; None: suppressed."""
        table = self._ground_values(domains)
        group = [None if g == SUPPRESSED else g + 1 for g in self.parts[:, 1].tolist()]
        for name, column in (("group", group), ("people", self.parts[:, 2].tolist())):
            while name in table:
                name += "_"  # noqa: PLW2901  (a quasi-identifier has it)
            table[name] = column
        return table
