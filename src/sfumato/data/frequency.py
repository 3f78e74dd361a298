"""The frequency set: every distinct combination of codes, and how many people have it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.groups import Counts, Digests, Groups, Guards, Histogram
from sfumato.data.guarding_nodes import guarding_nodes
from sfumato.data.keys import Codes, Keys, Layout, distinct, distinct_rows, order_of, runs
from sfumato.data.set_valued import over_values
from sfumato.errors import BadInput, BrokenPromise, nearest, shown
from sfumato.text import counted, people

EXACT_IN_FLOAT = 2**53
TOO_MANY = 2**62  # people: twice as many still have to fit into 64 bits


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
    # What is told of the people of a combination: columns -> (n,) digests of what they have there.
    digests: Mapping[tuple[str, ...], Digests] = field(default_factory=dict)

    @classmethod
    def from_codes(
        cls,
        domains: Mapping[str, Domain],
        quasi_identifiers: Sequence[str],
        sensitive: Sequence[str],
        codes: Mapping[str, Codes],
        counts: Counts,
        guard: str | None = None,
        digests: Mapping[tuple[str, ...], Digests] | None = None,
    ) -> FrequencySet:
        """Pack, sort and add up combinations given in any order."""
        columns = (*quasi_identifiers, *sensitive, *((guard,) if guard else ()))
        layout = Layout.of([len(domains[column]) for column in columns])
        keys = layout.pack([codes[column] for column in columns])
        return cls.from_keys(domains, quasi_identifiers, sensitive, keys, counts, guard, digests)

    @classmethod
    def from_keys(
        cls,
        domains: Mapping[str, Domain],
        quasi_identifiers: Sequence[str],
        sensitive: Sequence[str],
        keys: Keys,
        counts: Counts,
        guard: str | None = None,
        digests: Mapping[tuple[str, ...], Digests] | None = None,
    ) -> FrequencySet:
        """Sort and add up packed combinations given in any order."""
        columns = (*quasi_identifiers, *sensitive, *((guard,) if guard else ()))
        keys, counts, digests = aggregated(keys, counts, digests or {})
        kept = {column: domains[column] for column in columns}
        return cls(kept, tuple(quasi_identifiers), tuple(sensitive), keys, counts, guard, digests)

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
        return (
            f"<FrequencySet: {people(self.n_rows)}, {counted(len(self), 'distinct combination')}>"
        )

    def codes(self, column: str) -> Codes:
        """Codes of one column, one per combination."""
        return self.layout.unpack(self.keys, self._field(column))

    def _field(self, column: str) -> int:
        """Where a column stands in the layout."""
        return self.columns.index(column)

    def project(self, columns: Sequence[str]) -> FrequencySet:
        """Count again over some of the columns."""
        return FrequencySet.from_codes(
            self.domains,
            [column for column in self.quasi_identifiers if column in columns],
            [column for column in self.sensitive if column in columns],
            {column: self.codes(column) for column in columns},
            self.counts,
            digests=self.digests,
        )

    @property
    def combinations(self) -> FrequencySet:
        """The distinct combinations of quasi-identifiers alone; itself where no more is counted."""
        return self if self.columns == self.quasi_identifiers else self._combinations

    @cached_property
    def _combinations(self) -> FrequencySet:
        own, starts = self._quasi_keys
        domains = {column: self.domains[column] for column in self.quasi_identifiers}
        counts = np.add.reduceat(self.counts, starts) if len(starts) else self.counts
        digests = {told: np.add.reduceat(each, starts) for told, each in self.digests.items()}
        return FrequencySet(
            domains, self.quasi_identifiers, (), own[starts], counts, digests=digests
        )

    @cached_property
    def combination_of(self) -> NDArray[np.intp]:
        """For every key, the position of its quasi-identifiers in `combinations`."""
        if self.columns == self.quasi_identifiers:
            return np.arange(len(self))
        _, starts = self._quasi_keys
        return np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(self))))

    @property
    def _quasi_keys(self) -> tuple[Keys, NDArray[np.intp]]:
        """The keys without what follows the quasi-identifiers, and where each begins.

        Quasi-identifiers are the most significant fields, so these are sorted too.
        """
        keys = self.layout.leading(self.keys, self._field(self.quasi_identifiers[-1]) + 1)
        return keys, runs(keys)

    def roll_up(self, intervals: Mapping[str, NDArray[np.int32]]) -> FrequencySet:
        """Generalize: replace each code by the first rank of the interval that holds it.

        intervals: column -> (n_values, 2), ground rank to [low, high].
        """
        codes = {column: self.codes(column) for column in self.columns}
        for column, interval in intervals.items():
            codes[column] = interval[codes[column], 0]
        keys = self.layout.pack([codes[column] for column in self.columns])
        keys, counts, digests = aggregated(keys, self.counts, self.digests)
        return replace(self, keys=keys, counts=counts, digests=digests)

    def merged(self, leaves: Mapping[str, tuple[Domain, Codes]]) -> FrequencySet:
        """See several values as one: column -> its new domain, and the new code of each old one."""
        codes = {column: self.codes(column) for column in self.columns}
        codes |= {c: code[codes[c]] for c, (_, code) in leaves.items() if c in codes}
        domains = {c: leaves[c][0] if c in leaves else d for c, d in self.domains.items()}
        return FrequencySet.from_codes(
            domains,
            self.quasi_identifiers,
            self.sensitive,
            codes,
            self.counts,
            self.guard,
            self.digests,
        )

    def some(self, n: int) -> NDArray[np.intp]:
        """Give the keys of n people at even distances, or of all if they are no more."""
        total = self.n_rows
        if total <= n:
            return np.repeat(np.arange(len(self)), self.counts)
        places = [total * (2 * j + 1) // (2 * n) for j in range(n)]
        return np.searchsorted(np.cumsum(self.counts), np.array(places), side="right")

    def merge(self, other: FrequencySet) -> FrequencySet:
        """Add the people of another frequency set over the same columns and values."""
        roles = (self.quasi_identifiers, self.sensitive, self.guard)
        if roles != (other.quasi_identifiers, other.sensitive, other.guard):
            raise BadInput("merge: the two tables have other columns, or in another order")
        for column, domain in self.domains.items():
            if other.domains[column].labels != domain.labels:
                raise BadInput(
                    f"merge: column {column!r} has other values in the two tables; "
                    "read both with the same values, for instance with a closed hierarchy"
                )
        both = {
            told: np.concatenate([each, other.digests[told]])
            for told, each in self.digests.items()
            if told in other.digests
        }
        keys, counts, digests = aggregated(
            np.concatenate([self.keys, other.keys]),
            np.concatenate([self.counts, other.counts]),
            both,
        )
        return replace(self, keys=keys, counts=counts, digests=digests)

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
        if not isinstance(name, str) or name not in self.sensitive:
            raise BadInput(
                f"attribute {shown(name)} is not sensitive{nearest(name, self.sensitive)}"
            )
        return name

    @property
    def personal(self) -> tuple[str, ...]:
        """The columns that follow the quasi-identifiers: sensitive ones, and the guard."""
        return self.columns[len(self.quasi_identifiers) :]

    @cached_property
    def persons_values(self) -> PersonsValues:
        """The combinations of sensitive values that people have, and which one each key has.

        The guard, if there is one, counts as the last of the values.
        """
        if len(self.personal) == 1:
            codes = self.codes(self.personal[0])
            every = np.arange(len(self.domains[self.personal[0]]), dtype=np.int32)
            return PersonsValues(every[:, np.newaxis], codes.astype(np.intp))
        columns = [self.codes(name) for name in self.personal]
        rows = np.stack(columns, axis=1) if columns else np.zeros((len(self), 1), dtype=np.int32)
        return PersonsValues(*distinct_rows(rows))

    def occurrences(self, attribute: str) -> Occurrences:
        """Every sensitive value that people of a combination have, and how often.

        Where everybody has one value, the occurrences of a combination are its people. Of a
        set-valued column each value in a person's set occurs for itself.
        """
        codes, members = self.codes(attribute), self.domains[attribute].members
        if members is None:
            return Occurrences(self.combination_of, codes, self.counts)
        key, values, each = members.of(codes)
        return Occurrences(self.combination_of[key], values, self.counts[key] * each)

    def reference(self, attribute: str) -> Counts:
        """How often each value of a column occurs in the whole table: once for every person.

        In a set-valued column a person's values occur each for itself.
        """
        if attribute not in self.references:
            occurrences = self.occurrences(attribute)
            counted = sum_by(
                occurrences.codes.astype(np.intp),
                occurrences.counts,
                len(self.domains[attribute].values),
            )
            self.references[attribute] = counted
        return self.references[attribute]

    @cached_property
    def references(self) -> dict[str, Counts]:
        """What `reference` gives, where it is known already."""
        return {}

    def guarded(self, attribute: str) -> NDArray[np.int32]:
        """Give the node of a sensitive column that each value of the guard names.

        Returns (n_values of the guard, 2): [low, high]; empty where a person guards nothing.
        """
        if self.guard is None:
            raise BadInput(
                "these people were counted without what they guard; count them with "
                "table.frequencies(guard=...)"
            )
        if attribute not in self._guarded:
            self._guarded[attribute] = guarding_nodes(
                self.guard, self.domains[self.guard], attribute, self.domains[attribute]
            )
        return self._guarded[attribute]

    @cached_property
    def _guarded(self) -> dict[str, NDArray[np.int32]]:
        return {}

    def with_values_of(self, original: FrequencySet) -> FrequencySet:
        """See a published table with the sensitive values, and their shares, of its original.

        Criteria such as t-closeness are about the original's distribution, which suppressed
        people are a part of.
        """
        domains = dict(self.domains)
        renamed = {}
        for column in self.sensitive:
            own, other = self.domains[column], original.domains[column]
            if (own.members is None) != (other.members is None):
                raise BadInput(
                    f"column {column!r}: people have one value each in one of the two tables, and "
                    "any number of values in the other"
                )
            code = same_values(own.values, other.values)
            if own.members is not None:  # no key changes, only what the sets consist of
                domains[column] = over_values(own, other.values, code)
                continue
            domains[column] = other
            if len(code) < len(domains[column]) or not np.array_equal(code, np.arange(len(code))):
                renamed[column] = code
        seen = replace(self, domains=domains)
        if renamed:
            codes = {column: self.codes(column) for column in self.columns}
            codes |= {column: code[codes[column]] for column, code in renamed.items()}
            seen = FrequencySet.from_codes(
                domains, self.quasi_identifiers, self.sensitive, codes, self.counts
            )
        seen.references.update({name: original.reference(name) for name in self.sensitive})
        return seen

    def as_it_is(self) -> Grouping:
        """Group the people whose quasi-identifiers are equal, without any recoding."""
        first = self.combinations
        shape = (len(first), len(self.quasi_identifiers))
        ranks = np.empty(shape, dtype=np.int32)
        for j, column in enumerate(self.quasi_identifiers):
            ranks[:, j] = first.codes(column)
        both_ends = np.broadcast_to(ranks[:, :, np.newaxis], (*shape, 2))
        return Grouping(self, both_ends, self.combination_of)


@dataclass(frozen=True, eq=False)
class Occurrences:
    """Sensitive values of people with the same quasi-identifiers; a pair may stand here twice."""

    combination: NDArray[np.intp]  # (n,) position in `combinations`
    codes: Codes  # (n,) single values: of `domain.values`
    counts: Counts  # (n,)


@dataclass(frozen=True, eq=False)
class PersonsValues:
    """Combinations of sensitive values; with one sensitive column simply its values."""

    codes: Codes  # (n_combinations, n_sensitive), and one more column for the guard
    of_key: NDArray[np.intp]  # (n,) the combination of every key of the frequency set


@dataclass(frozen=True, eq=False)
class JointGroups:
    """Groups with all sensitive columns at once, from which any one of them can be seen."""

    frequencies: FrequencySet
    sizes: Counts  # (n_groups,)
    # (n_groups, combinations of sensitive values), or how to count it; None: not counted
    histogram: Histogram | Callable[[], Histogram] | None

    def by(self, attribute: str, *, guarded: bool = False) -> Groups:
        """See the groups by one sensitive column; `guarded`: with what their people guard there."""
        groups = self._seen(attribute, np.arange(len(self.sizes)), self.sizes)
        if not guarded:
            return groups
        nodes = self.frequencies.guarded(attribute)
        histogram = self.counted
        guard = self.frequencies.persons_values.codes[histogram.codes, -1]
        guarding = nodes[guard, 0] <= nodes[guard, 1]
        counted = Histogram.from_entries(
            histogram.group_of[guarding],
            guard[guarding],
            histogram.counts[guarding],
            (len(self.sizes), len(nodes)),
        )
        return Groups(
            groups.sizes, groups.counted, groups.values, groups.reference, Guards(counted, nodes)
        )

    def part(self, chosen: NDArray[np.bool_]) -> JointGroups:
        """Keep some of the groups."""
        histogram = None if self.histogram is None else lambda: self.counted.part(chosen)
        return JointGroups(self.frequencies, self.sizes[chosen], histogram)

    def joined(self, chosen: NDArray[np.bool_]) -> JointGroups:
        """See some of the groups as one, which is the last."""
        kept = ~chosen
        number = np.where(chosen, int(kept.sum()), np.cumsum(kept) - 1)
        sizes = np.append(self.sizes[kept], self.sizes[chosen].sum())

        def histogram() -> Histogram:
            own = self.counted
            shape = (len(sizes), own.n_values)
            return Histogram.from_entries(number[own.group_of], own.codes, own.counts, shape)

        return JointGroups(self.frequencies, sizes, None if self.histogram is None else histogram)

    def within(self, attribute: str) -> tuple[Groups, NDArray[np.intp]]:
        """Split the groups by all other sensitive columns, and see them by one.

        Returns the finer groups, and for each the group it is a part of (Ciriani 2008, section 5:
        with several sensitive columns, the others count among the quasi-identifiers).
        """
        histogram = self.counted
        column = self.frequencies.sensitive.index(attribute)
        codes = self.frequencies.persons_values.codes[:, : len(self.frequencies.sensitive)]
        others = np.delete(codes, column, axis=1)
        _, other = distinct_rows(others)
        part = histogram.group_of * (int(other.max(initial=0)) + 1) + other[histogram.codes]
        distinct_parts, finer = np.unique(part, return_inverse=True)
        sizes = sum_by(finer, histogram.counts, len(distinct_parts))
        owner = np.empty(len(distinct_parts), dtype=np.intp)
        owner[finer] = histogram.group_of
        return self._seen(attribute, finer, sizes, by_entry=True), owner

    @cached_property
    def counted(self) -> Histogram:
        """Give the histogram, counted when first asked for."""
        if self.histogram is None:
            raise BadInput("the table has no sensitive column; name one with sensitive=")
        return self.histogram if isinstance(self.histogram, Histogram) else self.histogram()

    def _seen(
        self, attribute: str, group: NDArray[np.intp], sizes: Counts, *, by_entry: bool = False
    ) -> Groups:
        histogram = self.counted
        frequencies = self.frequencies
        domain = frequencies.domains[attribute]
        if len(frequencies.personal) > 1 or domain.members is not None:
            column = frequencies.sensitive.index(attribute)
            codes = frequencies.persons_values.codes[histogram.codes, column]
            owner = group if by_entry else group[histogram.group_of]
            counts = histogram.counts
            if domain.members is not None:  # people stay people, values count each for itself
                entry, codes, each = domain.members.of(codes)
                owner, counts = owner[entry], counts[entry] * each
            shape = (len(sizes), len(domain.values))
            histogram = Histogram.from_entries(owner, codes, counts, shape)
        return Groups(sizes, histogram, domain.values, frequencies.reference(attribute))


@dataclass(frozen=True, eq=False)
class Grouping:
    """Which box, if any, each counted combination is published as."""

    frequencies: FrequencySet
    boxes: NDArray[np.int32]  # (n_groups, n_quasi_identifiers, 2): [low, high] ground ranks
    index: NDArray[np.intp]  # (n,) group of every key of the frequency set; -1: suppressed
    # (n_groups,) people per group; set only for set-valued columns, where the counts of
    # `frequencies` count values, not people
    people: Counts | None = None

    @property
    def n_suppressed(self) -> int:
        """Number of people in no group."""
        return int(self.frequencies.counts[self.index < 0].sum())

    def groups(self, attribute: str | None = None) -> Groups:
        """See the groups by one sensitive column; by none where there is none."""
        name = self.frequencies.attribute(attribute)
        return Groups(self.sizes) if name is None else self.joint.by(name)

    @cached_property
    def sizes(self) -> Counts:
        """Number of people in every group."""
        if self.people is not None:
            return self.people
        kept = self.index >= 0
        return sum_by(self.index[kept], self.frequencies.counts[kept], len(self.boxes))

    @cached_property
    def joint(self) -> JointGroups:
        """See the groups by all sensitive columns; values are counted when a criterion asks."""
        has_values = bool(self.frequencies.sensitive)
        return JointGroups(self.frequencies, self.sizes, self._histogram if has_values else None)

    def _histogram(self) -> Histogram:
        kept = np.flatnonzero(self.index >= 0)
        values = self.frequencies.persons_values
        return Histogram.from_entries(
            self.index[kept],
            values.of_key[kept].astype(np.int32),
            self.frequencies.counts[kept],
            (len(self.boxes), len(values.codes)),
        )

    def without(self, unsafe: NDArray[np.bool_]) -> Grouping:
        """Suppress some of the groups."""
        renamed = np.append(np.where(unsafe, -1, np.cumsum(~unsafe) - 1), -1)  # the last is for -1
        index = renamed[self.index]
        people = None if self.people is None else self.people[~unsafe]
        return Grouping(self.frequencies, self.boxes[~unsafe], index, people)

    def with_values_of(self, original: FrequencySet) -> Grouping:
        """See a published table, as it is, with the sensitive values of its original."""
        seen = self.frequencies.with_values_of(original)
        return seen.as_it_is() if self.people is None else replace(self, frequencies=seen)


def same_values(published: Domain, original: Domain) -> Codes:
    """Find each published value among the original ones, in whatever way it is written."""
    codes = [original.code_of(label) for label in published.labels]
    known = [code for code in codes if code is not None]
    if len(known) < len(codes):
        raise BrokenPromise("internal error: a value was published that nobody has")
    return np.array(known, dtype=np.int32)


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


def aggregated(
    keys: Keys, counts: Counts, digests: Mapping[tuple[str, ...], Digests]
) -> tuple[Keys, Counts, dict[tuple[str, ...], Digests]]:
    """Sort keys given in any order, and add up what belongs to equal ones."""
    if int(counts.max(initial=0)) * len(counts) >= TOO_MANY and sum(counts.tolist()) >= TOO_MANY:
        raise BadInput("the table has more people than can be counted: 2^62 or more")
    order = order_of(keys)
    keys, counts = keys[order], counts[order]
    sums = {told: each[order] for told, each in digests.items()}
    starts = runs(keys)
    if len(starts) == len(keys):
        return keys, counts, sums
    sums = {told: np.add.reduceat(each, starts) for told, each in sums.items()}
    return keys[starts], np.add.reduceat(counts, starts), sums
