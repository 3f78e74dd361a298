"""Recoding in which some people are published with another sensitive value than they have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet, Grouping
from sfumato.data.groups import Counts
from sfumato.data.keys import Codes
from sfumato.data.labels.texts import Labels
from sfumato.data.recoding.base import SUPPRESSED, Placement, Recoding
from sfumato.data.recoding.best_so_far import BestSoFar
from sfumato.data.recoding.bucketing import Bucketing
from sfumato.data.recoding.instructions import Join
from sfumato.data.recoding.lots import Dealt


@dataclass(frozen=True, eq=False)
class Masked(Recoding):
    """Groups that another recoding makes, in which some sensitive values are changed.

    Who is in which group, and what is said of groups, is as `groups` has it, whether anything is
    changed or not: so nothing that is public tells whether it was. Of people who have the same
    quasi-identifiers and the same value, lots decide whose value is changed.
    """

    groups: Recoding  # of two tables a Bucketing, whose parts stand in the order of `placed`
    placed: Placement  # who is where, people with the same sensitive values apart
    attribute: str  # the sensitive column
    instead: Codes  # (n,) the value published instead of that of a key in `placed`; -1: its own

    @property
    def levels(self) -> Mapping[str, int] | None:
        """Those of the groups."""
        return self.groups.levels

    @property
    def levels_of_most(self) -> Mapping[str, int] | None:
        """Those of the groups."""
        return self.groups.levels_of_most

    @property
    def n_at_root(self) -> int:
        """As many as in the groups."""
        return self.groups.n_at_root

    @property
    def best_so_far(self) -> BestSoFar | None:
        """How far the search for groups got."""
        return self.groups.best_so_far

    @property
    def buckets(self) -> Bucketing | None:
        """The numbered groups, if they are, with the values that are published."""
        buckets = self.groups.buckets
        return None if buckets is None else replace(buckets, instead=self.changed)

    @property
    def changed(self) -> Mapping[str, Codes]:
        """The values published instead of people's own."""
        return {self.attribute: self.instead}

    @property
    def n_changed(self) -> int:
        """Number of people who are published with another value than they have."""
        return int(self.placed.people[self.instead >= 0].sum())

    @property
    def splits(self) -> bool:
        """Lots decide about people who are alike."""
        return True

    @property
    def has_one_box_each(self) -> bool:
        """Only the published table says who is published with which value."""
        return False

    @property
    def follows_quasi_identifiers(self) -> bool:
        """Sensitive values are dealt with, too."""
        return False

    def labels(self, domains: Mapping[str, Domain]) -> Mapping[str, Labels | None]:
        """Those of the groups."""
        return self.groups.labels(domains)

    def sides(self, column: str) -> NDArray[np.int32]:
        """Those of the groups."""
        return self.groups.sides(column)

    def label_of(self, column: str, frequencies: FrequencySet) -> NDArray[np.signedinteger]:
        """Those of the groups."""
        return self.groups.label_of(column, frequencies)

    def label_at(self, column: str, placed: Placement) -> NDArray[np.signedinteger]:
        """Those of the groups."""
        return self.groups.label_at(column, placed)

    def n_suppressed(self, frequencies: FrequencySet) -> int:
        """Number of people in no group."""
        return self.groups.n_suppressed(frequencies)

    def published_boxes(self, frequencies: FrequencySet) -> tuple[NDArray[np.int32], Counts]:
        """Those of the groups."""
        return self.groups.published_boxes(frequencies)

    def sizes(self, frequencies: FrequencySet) -> Counts:
        """Those of the groups."""
        return self.groups.sizes(frequencies)

    def placement(self, frequencies: FrequencySet) -> Placement:
        """Everybody in his box."""
        del frequencies
        return self.placed

    def grouping(self, frequencies: FrequencySet) -> Grouping:
        """Refuse: combinations do not have the values that are published of them."""
        del frequencies
        raise ValueError("values were changed; count the published table")

    def renumbered(self, secret: bytes) -> Masked:
        """Number the groups as they are published."""
        return replace(self, groups=self.groups.renumbered(secret))

    def application(
        self, domains: Mapping[str, Domain], published: Sequence[str], secret: bytes
    ) -> Join:
        """Deal people to places: a place is a group, and a value that is published there instead.

        Of people who are alike everybody is as likely to be dealt to each of their places.
        """
        placed, buckets = self.placed, self.buckets
        group = placed.box if buckets is None else buckets.parts[:, 1]
        rows = np.flatnonzero(placed.people > 0)
        rows = rows[np.argsort(placed.key[rows], kind="stable")]
        inside = rows[group[rows] != SUPPRESSED]
        counted = placed.frequencies
        n_values = len(counted.domains[self.attribute])
        pairs = group[inside].astype(np.int64) * (n_values + 1) + self.instead[inside] + 1
        _, first, number = np.unique(pairs, return_index=True, return_inverse=True)
        place = np.full(len(placed.key), SUPPRESSED, dtype=np.int64)
        place[inside] = number
        first = inside[first]  # somebody in every place
        texts = self.labels(domains)
        return Join(
            counted.layout,
            counted.columns,
            tuple(sorted(column for column in published if column not in counted.columns)),
            len(first),
            [],
            Dealt.of(placed.key[rows], place[rows], placed.people[rows], secret),
            {
                column: None if each is None else each.take(self.label_at(column, placed)[first])
                for column, each in texts.items()
            },
            {self.attribute: self.instead[first]},
            None if buckets is None else group[first] + buckets.first_number,
        )

    def as_table(self, domains: Mapping[str, Domain]) -> dict[str, list[Any]]:
        """List every combination with what it is published as; None: suppressed."""
        placed, counted = self.placed, self.placed.frequencies
        inside = placed.box != SUPPRESSED
        table: dict[str, list[Any]] = {}
        for column in counted.columns:
            values = list(Labels.of(domains[column].labels))
            table[column] = [values[code] for code in counted.codes(column)[placed.key]]
        for column, texts in self.labels(domains).items():
            position = self.label_at(column, placed)
            table[f"published {column}"] = [
                None if not kept else own if texts is None else texts[j]
                for kept, own, j in zip(inside, table[column], position, strict=True)
            ]
        values = list(Labels.of(domains[self.attribute].labels))
        table[f"published {self.attribute}"] = [
            None if not kept else own if code < 0 else values[code]
            for kept, own, code in zip(inside, table[self.attribute], self.instead, strict=True)
        ]
        table["suppressed"] = (~inside).tolist()
        table["people"] = placed.people.tolist()
        return table
