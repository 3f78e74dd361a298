"""Recoding by boxes that was decided piece by piece: who is in which box stands on disk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from sfumato.data.condensed import Condensed
from sfumato.data.domain import Domain
from sfumato.data.keys import Layout
from sfumato.data.recoding.assignment import Assignment
from sfumato.data.recoding.instructions import Join
from sfumato.data.recoding.kept_parts import KeptParts
from sfumato.data.recoding.lots import Dealt


@dataclass(frozen=True, eq=False, kw_only=True)
class Piecewise(Assignment):
    """Combinations are assigned to boxes, whole or by counts; here a box stands for one of them.

    So everything that is said of groups is said as of any assignment, and the combinations
    themselves are read when rows are written.
    """

    on_disk: KeptParts
    columns: tuple[str, ...]  # in the keys on disk
    people: Condensed  # by groups, with sensitive values if they were counted
    dealt_out: bool  # whether people of some key on disk are in several groups
    halved: bool  # whether those who have a value may be in two boxes, that share it

    @cached_property
    def splits(self) -> bool:
        """Whether the people of some combination are spread over several groups."""
        return self.dealt_out

    @property
    def boxes_may_meet(self) -> bool:
        """Those between values do not; halves do."""
        return self.halved

    def application(
        self, domains: Mapping[str, Domain], published: Sequence[str], secret: bytes
    ) -> Join:
        """Join every combination to its group, or its people to the groups they are dealt to."""
        return Join(
            Layout.of([len(self.people.domains[column]) for column in self.columns]),
            self.columns,
            tuple(sorted(column for column in published if column not in self.columns)),
            len(self.boxes),
            [] if self.splits else self.on_disk,
            Dealt(partial(self.on_disk.by_key, self.turns), secret) if self.splits else None,
            self.labels(domains),
        )
