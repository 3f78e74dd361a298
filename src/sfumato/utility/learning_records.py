"""Records as a learner sees them: distinct ones, with as many people as have each."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet, same_values
from sfumato.data.groups import Counts
from sfumato.data.hierarchy import Flat, Hierarchy, Tree
from sfumato.data.schema import Schema
from sfumato.data.values import published_text
from sfumato.errors import BadInput
from sfumato.release import Release
from sfumato.table import KEEP, Table, read
from sfumato.utility.published_boxes import intervals_of


@dataclass(frozen=True, eq=False)
class Records:
    """Distinct records: in every column an interval of ranks, [low, high]."""

    domains: Mapping[str, Domain]
    sides: Mapping[str, NDArray[np.int32]]  # (n, 2) each
    people: Counts  # (n,)

    @classmethod
    def of(cls, counted: FrequencySet, people: Counts | None = None) -> Records:
        """Take records as they are; people: other numbers of them than were counted."""
        number = counted.counts if people is None else people
        kept = np.flatnonzero(number)
        sides = {}
        for column in counted.columns:
            codes = counted.codes(column)[kept]
            sides[column] = np.stack([codes, codes], axis=1)
        return cls(counted.domains, sides, number[kept])

    @classmethod
    def of_release(cls, release: Release, seed: int) -> Records:
        """Read them from the published table; of two tables, values are dealt within groups."""
        shown = release.description
        rows = release.to_arrow() if shown.group is None else release.permuted(seed)
        known = (*shown.quasi_identifiers, *shown.insensitive)
        seen = read(rows, known, shown.sensitive).frequencies()
        domains = columns_of(release.table).domains
        sides = {}
        for column, domain in seen.domains.items():
            if column in shown.quasi_identifiers:
                meant = intervals_of(release, column, domain)
            else:
                meant = np.repeat(same_values(domain, domains[column])[:, np.newaxis], 2, axis=1)
            sides[column] = meant[seen.codes(column)]
        return cls(domains, sides, seen.counts)


def columns_of(table: Table, guard: str | None = None) -> Table:
    """See a table with all its published columns counted, insensitive ones among the others.

    guard: one more column, which is not published.
    """
    schema = table.schema
    if guard is not None:
        schema.refuse_as_guard(guard)
    for name in schema.sensitive:
        if table.domains[name].members is not None:
            raise BadInput(
                f"a decision tree cannot be learned from {name!r}, which holds a set of values for "
                "each person"
            )
    if not schema.insensitive and guard is None:
        return table
    by = (*schema.quasi_identifiers, *schema.insensitive, *((guard,) if guard else ()))
    rules = {name: schema.hierarchies[name] for name in schema.counted}
    whole = Schema.of(schema.columns, by, schema.sensitive, person=schema.person, hierarchies=rules)
    return Table(table.source, whole, table.spelling_rules, table.memory)


def part_of(table: Table, counted: FrequencySet, people: Counts) -> Table:
    """Open some people of a table as a table of their own, with the same roles.

    Sensitive values that none of them has stay known: a criterion may name them.
    """
    import pyarrow as pa  # noqa: PLC0415  (heavy, so imported when used)

    schema = table.schema
    row = np.repeat(np.arange(len(people)), people)
    columns: dict[str, Any] = {
        name: pa.array(domain.labels).take(pa.array(counted.codes(name)[row]))
        for name, domain in counted.domains.items()
    }
    return read(
        pa.table(columns),
        {name: schema.hierarchies[name] for name in schema.quasi_identifiers},
        schema.sensitive,
        insensitive=schema.insensitive,
        hierarchies={name: _complete(table, name, columns[name]) for name in schema.sensitive},
        alike=KEEP,  # for nobody else
    )


def _complete(table: Table, column: str, values: Any) -> Hierarchy:
    """Give the rule of a column; one without structure lists the values that would be missed."""
    rule, labels = table.schema.hierarchies[column], table.domains[column].labels
    if rule != Flat() or len(values.unique()) == len(labels):
        return rule
    return Tree([str(published_text(label)) for label in labels if label is not None])


def equal_parts(counts: Counts, n_parts: int, seed: int) -> Iterator[Counts]:
    """Deal people out to parts whose sizes differ by one at most, every way as likely.

    counts: people per combination; of each part the same is given.
    """
    n_people = int(counts.sum())
    part = np.random.default_rng(seed).permutation(np.arange(n_people) % n_parts)
    combination = np.repeat(np.arange(len(counts)), counts)
    for number in range(n_parts):
        yield np.bincount(combination[part == number], minlength=len(counts))


@dataclass(frozen=True, eq=False)
class Places:
    """Where the values of a column lie for two sets of records that need not have the same."""

    axis: NDArray[np.float64]  # from 0 to 1
    codes: tuple[NDArray[np.int32], NDArray[np.int32]]  # of each set's own ranks

    @classmethod
    def of(cls, column: str, one: Domain, other: Domain, rule: Hierarchy | None) -> Places:
        """Lay the values of both out together."""
        if one.labels == other.labels:
            every = np.arange(len(one), dtype=np.int32)
            return cls(_scaled(one), (every, every))
        written = [[published_text(label) for label in each.labels] for each in (one, other)]
        labels = dict(zip(written[1], other.labels, strict=True))
        labels |= dict(zip(written[0], one.labels, strict=True))
        domain, codes = (rule or Flat()).grow(column, list(labels.values()))
        code = dict(zip(labels, codes, strict=True))
        own = [np.array([code[text] for text in texts], dtype=np.int32) for texts in written]
        return cls(_scaled(domain), (own[0], own[1]))

    def middles(self, sides: NDArray[np.int32], which: int) -> NDArray[np.float64]:
        """Give the middle of every interval of the first (0) or the second (1) set."""
        ends = self.axis[self.codes[which][sides]]
        return np.asarray(ends.mean(axis=1))


def _scaled(domain: Domain) -> NDArray[np.float64]:
    """Measure the axis from its start in its length: trees compare numbers of 24 bits."""
    return np.asarray((domain.axis - domain.axis[0]) / domain.whole)


def features(
    learned: Records,
    tested: Records,
    rules: Mapping[str, Hierarchy],
    columns: Collection[str],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give a number for every column of every record of both; (n_records, n_columns) each."""
    pairs = []
    for column in columns:
        one, other = learned.domains[column], tested.domains[column]
        places = Places.of(column, one, other, rules.get(column))
        pairs.append([
            places.middles(records.sides[column], j) for j, records in enumerate((learned, tested))
        ])  # fmt: skip
    first, second = zip(*pairs, strict=True)
    return np.stack(first, axis=1), np.stack(second, axis=1)
