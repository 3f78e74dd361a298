"""Recoding by combination: the people of each counted combination go to one group or several."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet
from sfumato.data.labels.texts import Labels
from sfumato.data.recoding.base import SUPPRESSED, Placement, Recoding
from sfumato.data.recoding.instructions import Join
from sfumato.data.recoding.lots import Dealt


class PartsRecoding(Recoding):
    """People are put into groups by parts: a part is some of the people of one combination."""

    combinations: FrequencySet  # what the first column of `parts` points into
    parts: NDArray[np.int64]  # (n, 3): combination, group (-1: suppressed), people

    @property
    @abstractmethod
    def first_number(self) -> int:
        """The number of the first group where groups are joined to rows."""

    @property
    def turns(self) -> NDArray[np.signedinteger]:
        """In which order the groups of a combination come when people are dealt out to them.

        Groups that are published alike may have the same turn.
        """
        return np.arange(int(self.parts[:, 1].max(initial=SUPPRESSED)) + 1)

    @cached_property
    def splits(self) -> bool:
        """Whether the people of some combination are spread over several groups."""
        return bool(np.bincount(self.parts[:, 0]).max(initial=0) > 1)

    @property
    def kept(self) -> NDArray[np.int64]:
        """The parts that are published: (n, 3)."""
        published = self.parts[:, 1] != SUPPRESSED
        return self.parts if published.all() else self.parts[published]

    def label_of(self, column: str, frequencies: FrequencySet) -> NDArray[np.signedinteger]:
        """Give the group of each combination, none of which is split."""
        del column
        combination, group, _ = self.parts.T
        groups = np.empty(len(self.combinations), dtype=np.intp)
        groups[combination] = group
        return groups[frequencies.combination_of]

    def label_at(self, column: str, placed: Placement) -> NDArray[np.signedinteger]:
        """Give each one's box: labels are listed by these."""
        del column
        return placed.box

    def n_suppressed(self, frequencies: FrequencySet) -> int:
        """Number of people in no group."""
        del frequencies
        return int(self.parts[self.parts[:, 1] == SUPPRESSED, 2].sum())

    def application(
        self, domains: Mapping[str, Domain], published: Sequence[str], secret: bytes
    ) -> Join:
        """Join every combination to its group, or its people to the groups they are dealt to."""
        parts = self.parts[self.parts[:, 2] > 0]
        order = parts[:, 0]
        if self.splits:
            turns = np.append(self.turns, SUPPRESSED)  # the last is for those in no group
            order = order * (len(turns) + 1) + turns[parts[:, 1]]
        combination, group, people = parts[np.argsort(order, kind="stable")].T
        group[group != SUPPRESSED] += self.first_number
        counted, dealt = self.combinations, None
        n_groups = int(group.max(initial=-1)) + 1
        joined = []
        if self.splits:
            dealt = Dealt.of(combination, group, people, secret)
        else:
            joined.append((counted.keys[combination], group))
        return Join(
            counted.layout,
            counted.columns,
            tuple(sorted(column for column in published if column not in counted.columns)),
            n_groups,
            joined,
            dealt,
            self.labels(domains),
        )

    def _ground_values(self, domains: Mapping[str, Domain]) -> dict[str, list[Any]]:
        """Give the values of the combination of every part, column by column."""
        table: dict[str, list[Any]] = {}
        for column in self.combinations.columns:
            values = list(Labels.of(domains[column].labels))
            codes = self.combinations.codes(column)[self.parts[:, 0]]
            table[column] = [values[code] for code in codes]
        return table
