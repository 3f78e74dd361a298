"""People counted by groups, where their combinations are too many to be here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet, aggregated
from sfumato.data.groups import Counts, Digests
from sfumato.data.keys import Codes, Layout
from sfumato.errors import CannotRun
from sfumato.text import count

NOT_HERE = (
    "it needs everybody's own quasi-identifiers, and the {} distinct combinations of this table "
    "were looked at in pieces, since together they do not fit into the memory that is allowed"
)
MORE_MEMORY = "allow more (memory=), or give columns fewer values"


@dataclass(frozen=True, eq=False)
class Condensed(FrequencySet):
    """A frequency set in which the people of a group stand for one combination.

    Sizes, sensitive values and digests of groups are those of all their people. Of
    quasi-identifiers only those are known that everybody of a group has in common, in every group;
    whoever asks for others is refused. The number of the group stands first in a key, so groups
    are in the order of their numbers, and no two of them are one, whatever they have in common.
    """

    n_groups: int = 0
    n_combinations: int = 0  # that people have in truth
    known: frozenset[str] = frozenset()  # quasi-identifiers that are one value in every group
    # Whether people of one combination are in several groups, so that digests, which are of
    # combinations, are known of all groups together only.
    shared: bool = False

    @classmethod
    def of(
        cls,
        domains: Mapping[str, Domain],
        quasi_identifiers: Sequence[str],
        sensitive: Sequence[str],
        guard: str | None,
        first: NDArray[np.integer],
        group: NDArray[np.intp],
        personal: Sequence[Codes],
        counts: Counts,
        digests: Mapping[tuple[str, ...], Digests],
        n_combinations: int,
        known: frozenset[str],
        *,
        shared: bool,
    ) -> Condensed:
        """Put together who is in which group with which values.

        first: (n_groups, n_quasi_identifiers) ranks of somebody in each; the rest is of people:
        group, what they have of sensitive columns and the guard, their number, digests.
        """
        columns = (*quasi_identifiers, *sensitive, *((guard,) if guard else ()))
        kept = {column: domains[column] for column in columns}
        of_groups = (ranks[group] for ranks in first.T)
        packed = _layout(len(first), kept).pack(
            chain([group.astype(np.int32)], of_groups, personal)
        )
        keys, people, sums = aggregated(packed, counts, digests)
        return cls(
            kept, tuple(quasi_identifiers), tuple(sensitive), keys, people,
            guard, sums, len(first), n_combinations, known, shared,
        )  # fmt: skip

    def without_guard(self) -> Condensed:
        """Count again without what people guard."""
        kept = {column: self.domains[column] for column in self.columns if column != self.guard}
        fields = [0, *(self._field(column) for column in kept)]
        packed = _layout(self.n_groups, kept).pack(
            [self.layout.unpack(self.keys, field) for field in fields]
        )
        keys, counts, digests = aggregated(packed, self.counts, self.digests)
        return replace(self, domains=kept, keys=keys, counts=counts, digests=digests, guard=None)

    @cached_property
    def layout(self) -> Layout:
        """Where the group's and each column's bits stand."""
        return _layout(self.n_groups, self.domains)

    def _field(self, column: str) -> int:
        return 1 + super()._field(column)

    def codes(self, column: str) -> Codes:
        """Refuse what is not known of people."""
        if column in self.quasi_identifiers and column not in self.known:
            raise CannotRun(NOT_HERE.format(count(self.n_combinations)), remedy=MORE_MEMORY)
        return super().codes(column)

    def firsts(self, column: str) -> Codes:
        """Give the first rank of each one's group, which need not be anybody's own."""
        return super().codes(column)

    @cached_property
    def _combinations(self) -> Condensed:
        """The groups alone."""
        own = FrequencySet._combinations.func(self)  # type: ignore[attr-defined]
        return replace(
            self,
            domains=own.domains,
            sensitive=(),
            keys=own.keys,
            counts=own.counts,
            guard=None,
            digests=own.digests,
        )


def _layout(n_groups: int, domains: Mapping[str, Domain]) -> Layout:
    return Layout.of([n_groups, *(len(domain) for domain in domains.values())])
