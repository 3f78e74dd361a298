"""A table, a job or a release held against the safe harbour: objections, with what speaks for them.

It looks for reasons against. That there is none in sight is no statement that the rule is met.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from sfumato.data.frequency import sum_by
from sfumato.data.read_settings import Settings
from sfumato.data.schema import Schema
from sfumato.data.values import published_text
from sfumato.engines.look import MOST_COMMON, ColumnLook
from sfumato.engines.protocol import Engine, Source
from sfumato.errors import BadInput
from sfumato.hipaa.columns import LOOKED_FOR, Column
from sfumato.hipaa.kinds import KINDS, RULE, Noticed
from sfumato.hipaa.zip_codes import read_populations
from sfumato.html import html_table
from sfumato.progress import report
from sfumato.proposal.build import open_guessed, refuse_values_as_names
from sfumato.release import Release
from sfumato.table import Table
from sfumato.text import counted, listed

LIMITS = (
    "What no program sees: free text and pictures, codes that only their owner knows to be codes, "
    "names and places that stand under other headings, and what stands in other files.",
    "(b)(2)(ii), that nobody has actual knowledge that the rest could identify a person, alone or "
    "with other information, is yours to say.",
    "That nothing is objected to here does not mean that the rule is met: a person decides that.",
)
AS_READ = (
    "Quasi-identifiers are looked at as they were read, with bottom and top codes, before "
    "anonymize makes them coarser: look at the release, too."
)
Populations = Mapping[str, int] | None


@dataclass(frozen=True, repr=False)
class SafeHarbor:
    """What the safe harbour would object to, what could not be checked, and where nothing was seen.

    >>> import sfumato as sf
    >>> found = sf.safe_harbor(sf.datasets.patients())
    >>> [(each.column, each.letter) for each in found.objections]
    [('name', 'A'), ('age', 'C'), ('zip', 'B')]
    >>> found.nothing_seen
    ('sex', 'disease')
    """

    name: str  # of what was looked at
    n_rows: int
    objections: tuple[Noticed, ...]
    not_checked: tuple[Noticed, ...]
    nothing_seen: tuple[str, ...]  # columns
    left_out: tuple[str, ...] = ()  # columns that are not published, as roles say
    notes: tuple[str, ...] = ()

    @property
    def heading(self) -> str:
        """What was looked at, and how much of it speaks against it."""
        columns = {each.column for each in (*self.objections, *self.not_checked)}
        n_columns = len(columns) + len(self.nothing_seen)
        said = counted(len(self.objections), "objection")
        unchecked = f", {len(self.not_checked)} not checked" if self.not_checked else ""
        return (
            f"{counted(n_columns, 'column')} of {counted(self.n_rows, 'row')} held against the "
            f"{len(KINDS)} kinds of identifiers of {RULE}(i): {said}{unchecked}"
        )

    def sentences(self, *, values: bool = False) -> Iterator[str]:
        """Say everything; values of the table only if asked for."""
        for each in self.objections:
            yield f"Objection: {each.sentence(values=values)}"
        for each in self.not_checked:
            yield f"Open: {each.sentence(values=values)}"
        if self.nothing_seen:
            yield f"Nothing seen in: {listed(self.nothing_seen)}."
        if self.left_out:
            yield f"Not published, and not looked at: {listed(self.left_out)}."
        yield from self.notes
        yield from LIMITS

    def to_json(self, *, values: bool = False) -> dict[str, Any]:
        """Plain values for a machine; values of the table only if asked for."""
        return {
            "rule": RULE,
            "source": self.name,
            "rows": self.n_rows,
            "objections": [each.to_json(values=values) for each in self.objections],
            "not_checked": [each.to_json(values=values) for each in self.not_checked],
            "nothing_seen": list(self.nothing_seen),
            "left_out": list(self.left_out),
            "notes": list(self.notes),
            "limits": list(LIMITS),
        }

    def __repr__(self) -> str:
        return "\n".join([f"{self.name}: {self.heading}", *self.sentences()])

    def _repr_html_(self) -> str:
        rows = [
            (said, each.column, each.letter or "", each.kind, each.evidence, each.remedy)
            for said, several in (("objection", self.objections), ("open", self.not_checked))
            for each in several
        ]
        header = ("", "column", "", "identifier", "what speaks for it", "what to do")
        noted = enumerate([*self.notes, *LIMITS], 1)
        return html_table(header, rows, f"{self.name}: {self.heading}") + html_table(
            ("", "what this does not say"), noted
        )


def safe_harbor(
    source: object,
    zip_populations: str | Path | None = None,
    engine: str | Engine | None = None,
    **settings: Unpack[Settings],
) -> SafeHarbor:
    """Say what HIPAA's safe harbour, 45 CFR 164.514(b)(2), would object to.

    Names of columns and their values are held against its eighteen kinds of identifiers: names,
    places smaller than a state, dates but their year, ages over 89, numbers, and so on. It is a
    list of reasons against, for a person who decides.

    Args:
        source: A release; a table from `sf.read`, of which only what has a role that is published
            is looked at; or what `sf.read` takes, of which every column is.
        zip_populations: A CSV file with the columns `zip3` and `population`: how many people live
            where ZIP codes begin with three digits. Without it that is not checked.
        engine: What works on the rows, as in `sf.read`.
        settings: What is known about how the file is read, as in `sf.read`; the rest is guessed, as
            by `sf.propose`.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20, top=90), "zip": sf.Prefix(3)},
    ...     sensitive="disease",
    ... )
    >>> release = sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati())
    >>> sf.safe_harbor(release).objections
    ()
    """
    populations = None if zip_populations is None else read_populations(zip_populations)
    report("looking at columns")
    if isinstance(source, (Release, Table)) and (settings or engine is not None):
        raise BadInput("safe_harbor: a table or a release is read already; leave settings out")
    if isinstance(source, Release):
        return _of_release(source, populations)
    if isinstance(source, Table):
        schema = source.schema
        shown = schema.published_columns
        left_out = tuple(column for column in schema.columns if column not in shown)
        found = _of_source(source.source, populations, {*shown})
        return replace(found, left_out=left_out, notes=(AS_READ,))
    opened, _ = open_guessed(source, engine, settings)
    return _of_source(opened, populations, {*opened.columns})


def _of_source(source: Source, populations: Populations, columns: set[str]) -> SafeHarbor:
    look = source.look(LOOKED_FOR)
    looks = [each for each in look.columns.values() if each.column in columns]
    if not looks or not looks[0].n_rows:
        raise BadInput(f"{source.name}: no rows")
    refuse_values_as_names(source.name, looks)
    return _found(source.name, looks[0].n_rows, _looked_at(source, looks, populations))


def _of_release(release: Release, populations: Populations) -> SafeHarbor:
    """Look at the published files; numbers that stand for a text are read as that text."""
    description = release.description
    numbers = {name for each in description.numbers.values() for name in each.names}
    columns: list[Column] = []
    n_rows = 0
    for table in description.tables:
        source = release.written.files.open(table)
        looks = [
            each
            for each in source.look(LOOKED_FOR).columns.values()
            if each.column not in numbers and each.column != description.group
        ]
        columns += _looked_at(source, looks, populations)
        n_rows = max(n_rows, *(each.n_rows for each in looks))
    for name, each in description.numbers.items():
        if each.instead:
            columns.append(_of_texts(name, _texts(release, name), populations))
    return _found("the release", n_rows, columns)


def _looked_at(source: Source, looks: list[ColumnLook], populations: Populations) -> list[Column]:
    def values(column: str) -> dict[object, int]:
        table = Table(source, Schema.of(source.columns, [column]))
        return table.people_by_value(column)

    year = datetime.now(UTC).year
    return [
        # Values of lists, and of other kinds, cannot be counted: these columns are not looked into.
        Column(each, partial(values, each.column), populations, year)
        if not each.is_list and each.kind != "other"
        else Column(each, dict, populations, year)
        for each in looks
    ]


def _texts(release: Release, column: str) -> dict[object, int]:
    """Count the rows of every text that numbers of a release stand for."""
    counts = release.published.frequencies.combinations
    labels = counts.domains[column].labels
    n_rows = sum_by(counts.codes(column).astype(np.intp), counts.counts, len(labels))
    return {label: int(n) for label, n in zip(labels, n_rows, strict=True) if n}


def _of_texts(name: str, texts: Mapping[object, int], populations: Populations) -> Column:
    """Look at texts that stand in no file."""
    present = {published_text(text): n for text, n in texts.items() if text is not None}
    matching = {
        what: sum(n for text, n in present.items() if re.fullmatch(pattern, str(text)))
        for what, pattern in LOOKED_FOR.items()
    }
    common = sorted(present.items(), key=lambda each: (-each[1], str(each[0])))[:MOST_COMMON]
    n_rows, n_present = sum(texts.values()), sum(present.values())
    look = ColumnLook(
        column=name,
        kind="text",
        n_rows=n_rows,
        n_missing=n_rows - n_present,
        n_values=len(present),
        n_alone=sum(n == 1 for n in present.values()),
        longest=max((len(str(text)) for text in present), default=0),
        n_blanks=0,
        n_matching=matching,
        numbers=None,
        quantiles=(),
        common=tuple((str(text), n) for text, n in common),
    )
    return Column(look, lambda: texts, populations, datetime.now(UTC).year)


def _found(name: str, n_rows: int, columns: list[Column]) -> SafeHarbor:
    noticed = [(column.name, [*column.noticed()]) for column in columns]
    pairs = [pair for _, several in noticed for pair in several]
    return SafeHarbor(
        name,
        n_rows,
        tuple(each for objects, each in pairs if objects),
        tuple(each for objects, each in pairs if not objects),
        tuple(column for column, several in noticed if not several),
    )
