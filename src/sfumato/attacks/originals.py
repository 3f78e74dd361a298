"""Tables given beside a release: read with its roles, and refused if they are others."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from sfumato.attacks.matching import fitting
from sfumato.data.frequency import FrequencySet, Grouping, sum_by
from sfumato.data.hierarchy import Hierarchy
from sfumato.data.keys import distinct_rows
from sfumato.data.labels.grammar import EVERYTHING, Members, parse
from sfumato.data.recoding import SUPPRESSED, Bucketing
from sfumato.errors import BadInput, BrokenPromise, CannotRun
from sfumato.release import Release
from sfumato.release.columns.naming import naming_many, naming_what_is_named
from sfumato.spec import name_of
from sfumato.table import Table, read
from sfumato.text import count, counted, listed

BY_JOB = "or give its job file (--original job.toml)"
READ_AS_THEN = (
    "is it the table that was released? If it is, read it as it was read then: with the same "
    f"options (--missing, --decimal, --skip-rows and others), {BY_JOB}"
)


def opened(subject: object, given: object, *, sensitive: bool) -> Table | None:
    """Read what is no table yet, with the roles of the columns in the release.

    An original that is one already is seen with its columns in the order of the release.
    """
    if given is None:
        return None
    if isinstance(subject, Release):
        columns = subject.description.quasi_identifiers
        values = subject.description.sensitive
        known = subject.description.rules()
    elif isinstance(subject, Table):
        columns, values = subject.schema.quasi_identifiers, subject.schema.sensitive
        known = dict(subject.schema.hierarchies)
    else:
        return given if isinstance(given, Table) else None  # refused with a better message
    if isinstance(given, Table):
        table = _in_order(given, columns, values) if sensitive else given
    else:
        rules = {name: rule for name, rule in known.items() if sensitive or name in columns}
        table = read(given, columns, values if sensitive else None, hierarchies=rules)
    return _as_named(table, subject, sensitive=sensitive) if isinstance(subject, Release) else table


def _as_named(table: Table, release: Release, *, sensitive: bool) -> Table:
    """See a table as the release names its texts."""
    description, own = release.description, release.original
    if description.method.bucketized or table is own:
        return table
    if {*description.quasi_identifiers} - {*table.schema.quasi_identifiers}:
        return table  # refused later, by the name of the column
    known = description.categories is None or table.categories is not None
    if sensitive and description.method.publishes != "given" and known:
        return naming_many(table, description.criterion, description.method)
    return naming_what_is_named(table, release.public_view)


def _in_order(table: Table, columns: Sequence[str], values: Sequence[str]) -> Table:
    """See a table by the quasi-identifiers and sensitive columns of a release, in their order."""
    schema = table.schema
    wanted = tuple(columns), tuple(values)
    if (schema.quasi_identifiers, schema.sensitive) == wanted:
        return table
    known = set(schema.quasi_identifiers).issuperset(columns)
    if not known or not set(schema.sensitive).issuperset(values):
        return table  # refused later, by the name of the column
    ordered = replace(schema, quasi_identifiers=wanted[0], sensitive=wanted[1])
    return Table(table.source, ordered, table.spelling_rules, table.memory)


def seen_with(
    given: Table, seen: Grouping, n_suppressed: int, subject: Release | Table
) -> Grouping:
    """See a published table with the values of the original given; refuse a wrong one."""
    released = isinstance(subject, Release)
    by = published_as_they_are(subject) if isinstance(subject, Release) else ()
    published = seen.frequencies
    refuse_other_columns("original", given, by or published.quasi_identifiers, published.sensitive)
    sets = any(published.domains[name].members is not None for name in published.sensitive)
    if sets != (given.set_valued is not None):
        several, one = ("release", "original") if sets else ("original", "release")
        raise BadInput(
            f"original: people have any number of values of {published.sensitive[0]!r} in the "
            f"{several} and one each in the {one}; read it with sf.read as it was read for the "
            "release, with person= if it has several rows for a person"
        )
    n_rows = int(seen.sizes.sum()) + n_suppressed
    if given.n_rows < n_rows or (released and given.n_rows > n_rows):
        n_left_out = subject.description.n_left_out if isinstance(subject, Release) else 0
        if n_left_out and given.n_rows == n_rows + n_left_out:
            raise BadInput(
                f"original: it has the {counted(n_left_out, 'row')} that were left out of the "
                "series, too; give it without them, or attack the series as a whole (sfumato "
                "series audit)"
            )
        raise BadInput(
            f"original: it has {counted(given.n_rows, 'row')}, and {count(n_rows)} were released "
            f"or suppressed; {READ_AS_THEN}"
        )
    try:
        seen = seen.with_values_of(given.frequencies())
    except BrokenPromise:
        raise BadInput(
            "original: a published sensitive value is not in it; "
            f"{_read_otherwise(given, published)}"
        ) from None
    if isinstance(subject, Release):
        _refuse_strangers(subject, given, seen)
    return seen


def _refuse_strangers(release: Release, given: Table, seen: Grouping) -> None:
    """Refuse an original whose people do not fit, unless its hierarchies are not known."""
    if release.description.group is not None:
        if not release.method.changes_values:
            _refuse_other_values(given, seen)
        return
    rules = release.description.rules()
    unknown = [n for n in release.description.quasi_identifiers if n not in rules]
    if any(given.domains[name].taxonomy.height < 2 for name in unknown):
        return
    try:
        fits = not (fitting(given, seen) < seen.sizes).any()
    except CannotRun:
        _refuse_other_rules(rules, given)
        raise
    if not fits:
        _refuse_other_rules(rules, given)
        raise BadInput(
            "original: its people do not fit the published rows; "
            f"{_read_otherwise(given, seen.frequencies)}"
        )


def _read_otherwise(given: Table, published: FrequencySet) -> str:
    """Ask whether it is another table, or read in another way; say what shows the latter.

    How the original was read is not published.
    """
    gone = [
        name
        for name in (*published.quasi_identifiers, *published.sensitive)
        if not given.domains[name].has_missing
        and any(map(_is_of_missing, published.domains[name].labels))
    ]
    if gone:
        return (
            f"the release has missing values of {listed([repr(name) for name in gone])}, and the "
            "table has none as it is read here: name the codes that stand for missing "
            f"(--missing, missing=), {BY_JOB}"
        )
    return READ_AS_THEN


def _is_of_missing(label: object) -> bool:
    """Whether a label says of somebody that the value is missing, or may be."""
    if not isinstance(label, str):
        return label is None
    read_as = parse(label)
    if isinstance(read_as.part, Members):
        return None in read_as.part.names
    return read_as.or_missing and read_as != EVERYTHING


def _refuse_other_rules(rules: Mapping[str, Hierarchy], given: Table) -> None:
    """Refuse an original that does not fit since its columns have other hierarchies."""
    for column in given.schema.quasi_identifiers:
        then, here = rules.get(column), given.schema.hierarchies[column]
        if then is not None and then.spec() != here.spec():
            raise BadInput(
                f"original: its people do not fit the published rows: {column!r} is "
                f"{_written(here)} here, and the release was made with {_written(then)}; read it so"
            )


def _written(rule: Hierarchy) -> str:
    """Write a rule as a job file has it."""
    written = rule.parameter
    if isinstance(written, Mapping):
        fields = ", ".join(f"{name} = {json.dumps(value)}" for name, value in written.items())
        return f"{name_of(type(rule))} = {{ {fields} }}"
    return f"{name_of(type(rule))} = {json.dumps(written)}"


def _refuse_other_values(given: Table, seen: Grouping) -> None:
    """Refuse an original in which fewer people have a sensitive value than were published."""
    known = given.frequencies()
    for name in known.sensitive:
        occurrences, had = seen.frequencies.occurrences(name), known.reference(name)
        published = sum_by(occurrences.codes.astype(np.intp), occurrences.counts, len(had))
        if (published > had).any():
            raise BadInput(
                "original: fewer of its people have a sensitive value than were published; is it "
                "the table that was released?"
            )


def buckets_of(release: Release, given: Table, seen: Grouping) -> Bucketing | None:
    """Find out who of an original is in which of two tables' groups: the first table says it.

    None: groups were partitioned after they were formed, or its values are not the original's.
    """
    if release.description.group is None or release.method.anatomize or given.set_valued:
        return None
    ground, by_group = given.combinations(), release.people_by_group
    columns = []
    for name in ground.quasi_identifiers:
        there = [given.domains[name].code_of(label) for label in by_group.domains[name].labels]
        if None in there:
            return None
        columns.append(np.array(there, dtype=np.int32)[by_group.codes(name)])
    (numbers,) = seen.frequencies.quasi_identifiers
    group_of = {seen.frequencies.domains[numbers].labels[low]: g for g, low in _lows(seen)}
    labels = by_group.domains[by_group.quasi_identifiers[-1]].labels
    group = np.array([group_of[label] for label in labels], dtype=np.intp)
    own = np.stack([ground.codes(name) for name in ground.quasi_identifiers], axis=1)
    rows, index = distinct_rows(np.concatenate([own, np.stack(columns, axis=1)]))
    if len(rows) > len(own):
        return None
    place = np.empty(len(rows), dtype=np.intp)
    place[index[: len(own)]] = np.arange(len(own))
    who = place[index[len(own) :]]
    left = ground.counts - sum_by(who, by_group.counts, len(own))
    if (left < 0).any():
        return None
    gone = np.flatnonzero(left)
    inside = group[by_group.codes(by_group.quasi_identifiers[-1])]
    parts = np.concatenate(
        [
            np.stack([who, inside, by_group.counts], axis=1),
            np.stack([gone, np.full(len(gone), SUPPRESSED), left[gone]], axis=1),
        ]
    )
    return Bucketing(ground, parts.astype(np.int64))


def _lows(seen: Grouping) -> Iterator[tuple[int, int]]:
    """Give every group with the code of its number."""
    return iter(enumerate(seen.boxes[:, 0, 0].tolist()))


def published_as_they_are(release: Release) -> tuple[str, ...]:
    """Give the quasi-identifiers that two tables publish as they are."""
    return () if release.description.group is None else release.description.quasi_identifiers


def refuse_other_columns(
    what: str, table: Table, quasi_identifiers: Sequence[str], sensitive: Sequence[str] = ()
) -> None:
    """Refuse a table that lacks a column of the release, or has it in another role."""
    schema = table.schema
    wanted = [
        (quasi_identifiers, schema.quasi_identifiers, "quasi-identifier"),
        (sensitive, schema.sensitive, "sensitive column"),
    ]
    for there, here, kind in wanted:
        missing = [name for name in there if name not in here]
        if missing:
            raise BadInput(f"{what}: {missing[0]!r} is a {kind} of the release, but not of it")
