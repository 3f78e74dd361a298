"""Rows written, read back as any reader would, and judged: before that nothing is handed over."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from sfumato.criteria import Criterion
from sfumato.criteria.judging import guarding_column
from sfumato.data.condensed import Condensed
from sfumato.data.frequency import FrequencySet, Grouping, sum_by
from sfumato.data.groups import Counts, GroupSizes
from sfumato.data.hierarchy import Hierarchy
from sfumato.data.recoding import Recoding
from sfumato.data.schema import Schema
from sfumato.engines.look import TextCounts
from sfumato.engines.protocol import Format, Source
from sfumato.errors import BrokenPromise
from sfumato.files.failpoints import reached
from sfumato.files.private_directory import PrivateDirectory
from sfumato.progress import report
from sfumato.published.public_view import PublicView, not_known
from sfumato.release.check import checked
from sfumato.release.columns.untouched import Alike, Untouched, published_untouched
from sfumato.release.context import Context
from sfumato.release.description import Description
from sfumato.release.earlier_releases.compare import judged_beside
from sfumato.release.earlier_releases.previous import Previous
from sfumato.release.files.as_decided import (
    CHANGED,
    refuse_other_files,
    refuse_other_rows,
    refuse_other_tables,
)
from sfumato.release.files.number_columns import as_texts
from sfumato.release.files.saved import Files, Written
from sfumato.release.files.space import refuse_too_little
from sfumato.release.guarding_nodes import decided
from sfumato.release.set_valued import apart
from sfumato.table import DATA, SENSITIVE, Table
from sfumato.text import rows_in_groups

OFTEN = 8  # times that a combination is there on average, so that combinations are few


@dataclass(frozen=True, eq=False)
class Private:
    """What never leaves the steward's machine."""

    table: Table
    frequencies: FrequencySet  # what was decided by: without sensitive values where none mattered
    recoding: Recoding
    secret: bytes = field(repr=False)  # deals out split combinations, the same at every save
    context: Context = field(default_factory=Context)  # as the steward states it, controls too

    def untouched(self, description: Description) -> Untouched:
        """Count who is told apart by the columns that will be published untouched."""

        def alike(groupings: Sequence[Sequence[str]]) -> list[GroupSizes]:
            return self.table.published_alike(groupings, self.recoding, self.secret)

        n_values = {name: len(self.table.domains[name]) for name in description.sensitive}
        return published_untouched(description, alike, n_values)

    def __reduce__(self) -> str:
        raise TypeError(
            "the private part of a release is neither pickled nor copied; save the release, and "
            "load it where it is needed"
        )


def least_bytes(description: Description, private: Private, kind: Format) -> int:
    """Give a number of bytes that the published tables have at least.

    Of a CSV file: delimiters, ends of lines, and the texts of what was generalized. A Parquet file
    may say the same in very few bytes, so it is only known to have a head and a tail.
    """
    if kind == "parquet":
        return 12 * len(description.tables)
    recoding = private.recoding
    n_bytes = description.n_rows * len(description.columns_of(DATA))
    placed = recoding.placement(private.frequencies)
    rows = np.flatnonzero(placed.box >= 0)
    for name, texts in recoding.labels(private.table.domains).items():
        if texts is not None:
            lengths = np.array([len((text or "").encode()) for text in texts.texts])
            position = recoding.label_at(name, placed)[rows]
            n_bytes += int(lengths[texts.index][position] @ placed.people[rows])
    return n_bytes


def needs_values(criterion: Criterion) -> bool:
    """Whether sensitive values matter at all."""
    return any(
        part.looks_at_values or part.by_series or part.attribute is not None
        for part in criterion.parts
    )


def write(
    description: Description,
    private: Private,
    sizes: Counts,
    previous: Previous,
    directory: Path,
    kind: Format,
    staging: PrivateDirectory | None = None,
    carry: Callable[[Files], None] | None = None,
    *,
    looked_at: bool = False,
) -> Written:
    """Write the published tables, read them back, and judge what was read.

    Args:
        description: What is said of the release.
        private: What it is made of.
        sizes: Number of people in every group, as it was decided.
        previous: The earlier releases of the same people.
        directory: Where the files go.
        kind: Of the files.
        staging: What the directory is in, if it is for the moment only.
        carry: Brings the tables to where they are published, if that is elsewhere, and puts what
            is read there into the place of the files.
        looked_at: Whether somebody waits for the groups with their sensitive values, which are
            then read at once, even if sizes are all that was promised. Of a table that was decided
            in pieces they are not: beside what is checked there may be no room for them.

    Raises:
        BrokenPromise: What was written is not what was decided, in any column, row or value, or
            it fails the promise.
    """
    criterion = description.criterion
    files = Files(directory, kind, private.table.source.engine, scratch=staging)
    table, recoding = private.table, private.recoding
    refuse_too_little(directory, files.path(DATA), least_bytes(description, private, kind))
    digests = table.write(recoding, files.path(DATA), kind, private.secret, description.numbers)
    reached("save.applied")
    if carry is not None:
        carry(files)
    report("reading back")
    sources = files.opened(description.tables)
    two_tables = description.group is not None
    by_value = needs_values(criterion) or two_tables or description.method.changes_values
    in_pieces = isinstance(private.frequencies, Condensed)
    values_read = by_value or (looked_at and not in_pieces)
    columns = {*description.quasi_identifiers, *(description.sensitive if values_read else ())}
    often = len(private.frequencies) * OFTEN <= description.n_rows
    few = often and columns == {*sources[DATA].columns}
    kinds = refuse_other_files(description, sources, kind, table, digests, few)
    back = read_back(description, sources, values=values_read)
    published = back.grouping
    seen = with_original(published, private) if values_read else published
    guarded = None
    if guarding_column(criterion) is not None:
        guarded = decided(private.recoding, private.frequencies)
        if guarded is None:
            raise BrokenPromise("internal error: it is not known who guards what in a group")
    verdict = checked(seen, criterion, guarded)
    counted = (description.method, private.frequencies)
    verdict, beside = judged_beside(
        verdict, view_of(description, published), criterion, previous, counted
    )
    planned = (description.n_rows, len(sizes))
    if (verdict.n_rows, verdict.n_groups) != planned:
        raise BrokenPromise(
            f"internal error: {rows_in_groups(*planned)} were to be published, "
            f"{rows_in_groups(verdict.n_rows, verdict.n_groups)} were written; {CHANGED}"
        )
    texts = {} if two_tables else _texts(published.frequencies)
    values, people = back.values if by_value else back.values.combinations, back.people
    # Whoever asks for groups with values reads them then: there may be many. Groups by nothing else
    # are kept where everybody's combinations are, which are no fewer.
    kept = values_read or not (description.sensitive or (in_pieces and not looked_at))
    groups = (published, seen) if kept else (None, None)
    del back, published, seen
    if recoding.buckets is None or people is None:
        refuse_other_rows(values, table, recoding)
    else:
        refuse_other_tables(people, values, table, recoding)
    if verdict.failed:
        raise BrokenPromise(f"internal error: the written table fails: {verdict!r}")
    verdict = replace(verdict, experiment=description.method.experiment)
    files = files.known(description.tables)
    beside = beside if by_value else ()
    return Written(files, groups[0], groups[1], verdict, beside, kinds, texts)


def _texts(counted: FrequencySet) -> TextCounts:
    """Give the texts of all columns that hold nothing else, each with its number of rows."""
    texts = {}
    for name, domain in counted.domains.items():
        labels = [label for label in domain.labels if label is None or isinstance(label, str)]
        if len(labels) == len(domain) and domain.members is None:
            code = counted.codes(name).astype(np.intp)
            texts[name] = labels, sum_by(code, counted.counts, len(labels))
    return texts


@dataclass(frozen=True, eq=False)
class ReadBack:
    """The published tables as their readers count them."""

    grouping: Grouping  # with sensitive values, if they were asked for
    values: FrequencySet  # the table that has them
    people: FrequencySet | None = None  # of two tables the other, by group and quasi-identifiers


def read_back(
    description: Description, sources: Mapping[str, Source], *, values: bool = True
) -> ReadBack:
    """Group the published table as its reader would; `values`: with sensitive values."""
    sensitive = description.sensitive if values else ()
    rules = {name: rule for name, rule in description.rules().items() if name in sensitive}
    if description.group is None:
        counted = _counted(
            description, sources[DATA], description.quasi_identifiers, sensitive, rules
        )
        return ReadBack(counted.as_it_is(), counted)
    group = description.group
    counted = _counted(description, sources[SENSITIVE], [group], sensitive, rules)
    people = _counted(description, sources[DATA], [group, *description.quasi_identifiers])
    in_groups = people.project([group])
    if description.set_valued is not None:
        return ReadBack(apart(in_groups.as_it_is(), counted.as_it_is()), counted, people)
    groups = counted.combinations
    if (
        in_groups.domains[group].labels != groups.domains[group].labels
        or (in_groups.counts != groups.counts).any()
    ):
        raise BrokenPromise("the two published tables do not have the same groups")
    return ReadBack(counted.as_it_is(), counted, people)


def read_apart(description: Description, files: Files) -> Grouping:
    """Group published values as who also knows what tells people apart (`telling_apart`)."""
    values = [name for name in description.sensitive if name not in description.telling]
    rules = {name: rule for name, rule in description.rules().items() if name in values}
    two_tables = description.group is not None
    by = [str(description.group)] if two_tables else list(description.quasi_identifiers)
    source = files.open(SENSITIVE if two_tables else DATA)
    return _counted(
        description, source, [*by, *description.telling_apart], values, rules
    ).as_it_is()


def people_by_group(description: Description, files: Files) -> FrequencySet:
    """Count who is in which group of two tables: quasi-identifiers, and the group's number last."""
    return _counted(
        description, files.open(DATA), [*description.quasi_identifiers, str(description.group)]
    )


def alike_in(files: Files, description: Description) -> Alike:
    """Count groups of rows in the files of a release, as any reader can."""

    def alike(groupings: Sequence[Sequence[str]]) -> list[GroupSizes]:
        columns = {column for each in groupings for column in each}
        apart = description.group is not None and columns <= {*description.sensitive}
        rows = files.open(SENSITIVE if apart else DATA).people(None, (), ())
        in_file = [[n for c in each for n in description.in_file(c)] for each in groupings]
        return [GroupSizes(*sizes) for sizes in rows.alike(in_file)]

    return alike


def view_of(description: Description, published: Grouping) -> PublicView:
    """Give what everybody sees of the release, who has no more than its files."""
    best = description.best_so_far
    interrupted = best is not None and best.interrupted  # by what method, no other run would tell
    return PublicView(
        published,
        description.n_suppressed,
        description.insensitive,
        not_known,
        description.hierarchies,
        None if interrupted else description.method.in_public,
        description.criterion,
        description.categories,
        None if description.rest is None else frozenset(description.rest),
        description.masked is None,
    )


def with_original(published: Grouping, private: Private | None) -> Grouping:
    """Code sensitive values as in the original, if that is at hand; see `Release.seen`."""
    if private is None:
        return published
    return published.with_values_of(private.table.values_of_people())


def _counted(
    description: Description,
    source: Source,
    by: Sequence[str],
    sensitive: Sequence[str] = (),
    rules: Mapping[str, Hierarchy] | None = None,
) -> FrequencySet:
    """Count a published table by what its rows have in common; bounds as the texts they are of."""
    instead = {c: each for c, each in description.numbers.items() if c in by and each.instead}
    columns = [name for c in by for name in (instead[c].names if c in instead else (c,))]
    beside = [name for each in description.numbers.values() for name in each.names]
    named = {*columns, *sensitive, *beside}
    rest = [column for column in source.columns if column not in named]
    schema = Schema.of(source.columns, columns, sensitive, insensitive=rest, hierarchies=rules)
    counted = Table(source, schema).frequencies()
    return as_texts(counted, by, instead, source.name) if instead else counted
