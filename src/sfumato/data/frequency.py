"""The frequency set: every distinct combination of codes, and how many people have it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.groups import Counts, Groups, Histogram
from sfumato.data.keys import Codes, Keys, Layout, distinct, order_of, runs
from sfumato.errors import BadInput, nearest

EXACT_IN_FLOAT = 2**53


@dataclass(frozen=True, eq=False)
class FrequencySet:
    """Counted combinations of quasi-identifiers and sensitive values, sorted by key.

    Sorting makes it the same whichever engine counted. Quasi-identifiers are the most significant
    fields, so the combinations that share them stand together.
    """

    domains: Mapping[str, Domain]
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    keys: Keys  # (n, n_words)
    counts: Counts  # (n,) people
    guard: str | None = None  # a column that is counted and never published

    @classmethod
    def from_codes(
        cls,
        domains: Mapping[str, Domain],
        quasi_identifiers: Sequence[str],
        sensitive: Sequence[str],
        codes: Mapping[str, Codes],
        counts: Counts,
        guard: str | None = None,
    ) -> FrequencySet:
        """Pack, sort and add up combinations given in any order."""
        columns = (*quasi_identifiers, *sensitive, *((guard,) if guard else ()))
        layout = Layout.of([len(domains[column]) for column in columns])
        keys = layout.pack([codes[column] for column in columns])
        keys, counts = _aggregate(keys, counts)
        kept = {column: domains[column] for column in columns}
        return cls(kept, tuple(quasi_identifiers), tuple(sensitive), keys, counts, guard)

    @property
    def columns(self) -> tuple[str, ...]:
        """All counted columns, in the order of their fields."""
        return tuple(self.domains)

    @cached_property
    def layout(self) -> Layout:
        """Where each column's bits stand."""
        return Layout.of([len(domain) for domain in self.domains.values()])

    @property
    def n_rows(self) -> int:
        """Number of people counted."""
        return int(self.counts.sum())

    def __len__(self) -> int:
        return len(self.counts)

    def __repr__(self) -> str:
        return f"<FrequencySet: {self.n_rows} people, {len(self)} distinct combinations>"

    def codes(self, column: str) -> Codes:
        """Codes of one column, one per combination."""
        return self.layout.unpack(self.keys, self.columns.index(column))

    def project(self, columns: Sequence[str]) -> FrequencySet:
        """Count again over some of the columns."""
        return FrequencySet.from_codes(
            self.domains,
            [column for column in self.quasi_identifiers if column in columns],
            [column for column in self.sensitive if column in columns],
            {column: self.codes(column) for column in columns},
            self.counts,
        )

    @cached_property
    def combinations(self) -> FrequencySet:
        """The distinct combinations of quasi-identifiers alone."""
        return self.project(self.quasi_identifiers)

    @cached_property
    def combination_of(self) -> NDArray[np.intp]:
        """For every key, the position of its quasi-identifiers in `combinations`."""
        codes = [self.codes(column) for column in self.quasi_identifiers]
        own = Layout.of([len(self.domains[column]) for column in self.quasi_identifiers])
        starts = runs(own.pack(codes))
        position = np.zeros(len(self), dtype=np.intp)
        position[starts[1:]] = 1
        return np.cumsum(position)

    def roll_up(self, intervals: Mapping[str, NDArray[np.int32]]) -> FrequencySet:
        """Generalize: replace each code by the first rank of the interval that holds it.

        intervals: column -> (n_values, 2), ground rank to [low, high].
        """
        codes = {column: self.codes(column) for column in self.columns}
        for column, interval in intervals.items():
            codes[column] = interval[codes[column], 0]
        keys = self.layout.pack([codes[column] for column in self.columns])
        keys, counts = _aggregate(keys, self.counts)
        return replace(self, keys=keys, counts=counts)

    def merge(self, other: FrequencySet) -> FrequencySet:
        """Add the people of another frequency set over the same columns and values."""
        for column, domain in self.domains.items():
            theirs = other.domains.get(column)
            if theirs is None or theirs.labels != domain.labels:
                raise BadInput(
                    f"merge: column {column!r} has other values in the two tables; "
                    "read both with the same values, for instance with a closed hierarchy"
                )
        keys, counts = _aggregate(
            np.concatenate([self.keys, other.keys]), np.concatenate([self.counts, other.counts])
        )
        return replace(self, keys=keys, counts=counts)

    def attribute(self, name: str | None) -> str | None:
        """Resolve which sensitive column a criterion speaks of; None if there is none."""
        if name is None:
            if len(self.sensitive) > 1:
                listed = ", ".join(repr(column) for column in self.sensitive)
                raise BadInput(
                    f"the table has several sensitive columns ({listed}); "
                    "say with attribute= which one the criterion is about"
                )
            return self.sensitive[0] if self.sensitive else None
        if name not in self.sensitive:
            raise BadInput(f"attribute {name!r} is not sensitive{nearest(name, self.sensitive)}")
        return name

    def groups(
        self, index: NDArray[np.intp], n_groups: int, attribute: str | None = None
    ) -> Groups:
        """Count groups; index: the group of every key, -1 for a suppressed one."""
        kept = index >= 0
        whole = bool(kept.all())
        group = index if whole else index[kept]
        counts = self.counts if whole else self.counts[kept]
        sizes = sum_by(group, counts, n_groups)
        name = self.attribute(attribute)
        if name is None:
            return Groups(sizes)
        codes = self.codes(name)
        domain = self.domains[name]
        histogram = Histogram.from_entries(
            group, codes if whole else codes[kept], counts, (n_groups, len(domain))
        )
        return Groups(sizes, histogram, domain, self.reference(name))

    def reference(self, attribute: str) -> Counts:
        """How many people of the whole table have each value of a sensitive column."""
        if attribute not in self._references:
            codes = self.codes(attribute).astype(np.intp)
            counted = sum_by(codes, self.counts, len(self.domains[attribute]))
            self._references[attribute] = counted
        return self._references[attribute]

    @cached_property
    def _references(self) -> dict[str, Counts]:
        return {}

    def as_it_is(self) -> Grouping:
        """Group the people whose quasi-identifiers are equal, without any recoding."""
        first = self.combinations
        lows = np.stack([first.codes(column) for column in self.quasi_identifiers], axis=1)
        return Grouping(self, np.stack([lows, lows], axis=2), self.combination_of)


@dataclass(frozen=True, eq=False)
class Grouping:
    """Which box, if any, each counted combination is published as."""

    frequencies: FrequencySet
    boxes: NDArray[np.int32]  # (n_groups, n_quasi_identifiers, 2): [low, high] ground ranks
    index: NDArray[np.intp]  # (n,) group of every key of the frequency set; -1: suppressed

    @property
    def n_suppressed(self) -> int:
        """Number of people in no group."""
        return int(self.frequencies.counts[self.index < 0].sum())

    def groups(self, attribute: str | None = None) -> Groups:
        """What a criterion about `attribute` sees."""
        return self.frequencies.groups(self.index, len(self.boxes), attribute)

    @cached_property
    def sizes(self) -> Counts:
        """Number of people in every group."""
        kept = self.index >= 0
        return sum_by(self.index[kept], self.frequencies.counts[kept], len(self.boxes))

    def without(self, unsafe: NDArray[np.bool_]) -> Grouping:
        """Suppress some of the groups."""
        renamed = np.where(unsafe, -1, np.cumsum(~unsafe) - 1)
        index = np.where(self.index >= 0, renamed[self.index], -1)
        return Grouping(self.frequencies, self.boxes[~unsafe], index)


def sum_by(index: NDArray[np.intp], counts: Counts, n: int) -> Counts:
    """Add counts up by index, exactly."""
    if int(counts.sum()) < EXACT_IN_FLOAT:
        return np.bincount(index, weights=counts, minlength=n).astype(np.int64)
    totals = np.zeros(n, dtype=np.int64)
    np.add.at(totals, index, counts)
    return totals


def group_keys(keys: Keys) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Number equal keys alike; return the numbers and one member of each group."""
    _, index = distinct(keys)
    n_groups = int(index.max()) + 1 if len(index) else 0
    member = np.empty(n_groups, dtype=np.intp)
    member[index] = np.arange(len(index))
    return index, member


def _aggregate(keys: Keys, counts: Counts) -> tuple[Keys, Counts]:
    order = order_of(keys)
    keys, counts = keys[order], counts[order]
    starts = runs(keys)
    if len(starts) == len(keys):
        return keys, counts
    return keys[starts], np.add.reduceat(counts, starts)
