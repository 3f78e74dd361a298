"""A table of people: a source, the roles of its columns, and what has been counted of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Unpack

import numpy as np

from sfumato.data.codes_for_missing import codes_in
from sfumato.data.condensed import MORE_MEMORY, NOT_HERE, Condensed
from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet, sum_by
from sfumato.data.groups import Counts, GroupSizes
from sfumato.data.hierarchy import Flat, Hierarchy
from sfumato.data.keys import Codes, Layout
from sfumato.data.labels.numbers import NumberColumns
from sfumato.data.naming import FixedNames, Leaves, Publishes, with_names_of_many
from sfumato.data.read_counts import ReadCounts
from sfumato.data.read_settings import ReadSettings, Settings, undeclared
from sfumato.data.recoding import Recoding
from sfumato.data.schema import Schema
from sfumato.data.set_valued import grow_sets
from sfumato.data.spellings import SpellingCounts, Spellings
from sfumato.data.values import published_text
from sfumato.engines import engine_of
from sfumato.engines.protocol import Engine, Format, People, Source, WritingPlan
from sfumato.errors import BadInput, BrokenPromise, CannotRun
from sfumato.html import html_table
from sfumato.memory import allowed
from sfumato.progress import report
from sfumato.stored_counts import StoredCounts, most_keys
from sfumato.text import count

MERGE, KEEP = ALIKE = "merge", "keep"  # what becomes of texts that only look different
DATA, SENSITIVE = "data", "sensitive"  # the files of a release; the second where there are two


def read(
    source: object,
    quasi_identifiers: Mapping[str, Hierarchy] | Sequence[str],
    sensitive: str | Sequence[str] | None = None,
    identifiers: Sequence[str] = (),
    insensitive: Sequence[str] = (),
    person: str | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    engine: str | Engine | None = None,
    alike: str | Mapping[str, str] | None = None,
    describe: Mapping[str, str] | None = None,
    memory: str | int | None = None,
    **settings: Unpack[Settings],
) -> Table:
    """Open a table of personal records.

    Args:
        source: Path of a CSV, Parquet, Excel, SPSS, Stata or SAS file, a data frame that speaks
            the Arrow C stream (pandas, Polars, PyArrow, DuckDB), a lazy frame of Polars, or a list
            of dictionaries; several paths are one table. CSV is read as text:
            01234 stays 01234, an empty field is missing, a quoted empty field is empty. It may be
            packed (.csv.gz). Or the address of a table in PostgreSQL,
            `"postgresql://host/database#schema.table"` (docs/engines.md).
        quasi_identifiers: Columns that others may know, with a hierarchy each; or only their names
            (then `hierarchies`, or else `Flat()`).
        sensitive: Columns that must not become known about a person. A column of lists is
            set-valued: a person has any number of values. A missing list is an empty one, and a
            missing value in a list is none.
        identifiers: Columns that name a person; dropped.
        insensitive: Columns published untouched. A column without any role is dropped.
        person: Column that tells people apart. Dropped. Where somebody has several rows, the
            sensitive column is set-valued, and the rows of a person may differ in it alone; a row
            in which it is missing adds no value.
        hierarchies: Further hierarchies, also for sensitive columns.
        engine: What works on the rows: the name of an engine, or an engine such as
            `sf.engines.DuckDB()`, which is the default.
        alike: What becomes of texts that only look different, such as "HIV", "hiv " and the same in
            other Unicode letters, or "1" and "1.0": of all columns, or by column. "merge": they are
            one value, written as it is most often, or as the hierarchy has it. "keep": they are
            different values. Unless told, they are named, and a promise that would rest on the
            difference is refused.
        describe: What columns mean, in your words: `{"age": "age in years at admission"}`. It is
            published with those that are published (docs/package.md).
        memory: What this process may use: a number of bytes, or a text such as "4GB". By default
            three quarters of what the machine has. Where the distinct combinations of a table do
            not fit into that, methods that can work in pieces do (docs/engines.md), and the others
            refuse.
        settings: What is declared about the source, which nothing guesses: `encoding`,
            `delimiter`, `quote`, `decimal`, `thousands`, `dates` (`{"born": "DD.MM.YYYY"}`),
            `missing` (`["-99", "k.A."]`, or by column), `skip_rows`, `skip_end`, `trim`, `names`,
            `sheet`, `labels`; see docs/reading.md.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     identifiers=["name"],
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "zip": sf.Prefix()},
    ...     sensitive="disease",
    ... )
    >>> patients.frequencies().n_rows
    2000
    """
    declared = ReadSettings.of(settings)
    room = allowed(memory)
    if isinstance(source, Source):
        if declared.spec():
            raise BadInput(f"{min(declared.spec())}: the source is open already; take it out")
        opened = source
    else:
        opened = engine_of(engine, source).open(source, declared)
    try:
        schema = Schema.of(
            opened.columns,
            quasi_identifiers,
            sensitive,
            identifiers,
            insensitive,
            person,
            hierarchies,
            describe,
        )
    except BadInput as error:
        mended = opened.remedy()
        raise BadInput(f"{error}{mended}", error.values) from None
    table = Table(opened, schema, schema.by_column("alike", alike, ALIKE), room)
    return table.merged().rewritten()


def spelling_counts(domain: Domain) -> SpellingCounts:
    """Count the values of a column that only look different."""
    return SpellingCounts.of(Spellings.of(dict.fromkeys(domain.values.labels, 1)).alike)


class Table:
    """Rows somewhere, roles for their columns; counted once, when first asked.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> patients.schema.quasi_identifiers, patients.schema.sensitive
    (('age', 'sex'), ('disease',))
    """

    def __init__(
        self,
        source: Source,
        schema: Schema,
        spelling_rules: Mapping[str, str] | None = None,
        memory: int | None = None,
    ) -> None:
        self.source = source
        self.schema = schema
        self.memory = memory  # bytes that may be used; None: nobody asks
        self.spelling_rules: Mapping[str, str] = spelling_rules or {}  # column -> "merge" or "keep"
        self.n_merged: dict[str, SpellingCounts] = {}  # of columns that had several
        self.categories: FixedNames | None = None  # that releases have in common
        self.n_left_out = 0  # people of a series who are not in it, since their values are rare
        self._coding: tuple[dict[str, Domain], dict[str, Codes]] = ({}, {})
        self._guarded: dict[str, FrequencySet] = {}
        self._codes_for_missing: dict[str, int] = {}  # column -> values that usually mean missing
        self._too_many: dict[tuple[str, ...], int] = {}  # columns -> combinations that do not fit
        self._whole: Table | None = None  # where its people are seen by groups
        self._ground: Table | None = None  # where several values are seen as one here
        self._as_read: Table | None = None  # where hierarchies see values otherwise from the ground
        self._leaves: Mapping[str, Leaves] = {}

    def __repr__(self) -> str:
        schema = self.schema
        parts = [f"quasi-identifiers {', '.join(schema.quasi_identifiers)}"]
        if schema.sensitive:
            parts.append(f"sensitive {', '.join(schema.sensitive)}")
        if schema.without_role:
            parts.append(f"dropped for want of a role: {', '.join(schema.without_role)}")
        return f"<Table {self.source.name}: {'; '.join(parts)}>"

    def _repr_html_(self) -> str:
        schema = self.schema
        roles = {
            "quasi-identifier": schema.quasi_identifiers,
            "sensitive": schema.sensitive,
            "insensitive": schema.insensitive,
            "identifier, dropped": schema.identifiers,
            "person, dropped": (schema.person,) if schema.person else (),
            "dropped for want of a role": schema.without_role,
        }
        rules = {name: type(rule).__name__ for name, rule in schema.hierarchies.items()}
        rows = [
            (name, role, rules.get(name, "")) for role, names in roles.items() for name in names
        ]
        return html_table(("column", "role", "hierarchy"), rows, f"Table {self.source.name}")

    def without_insensitive(self) -> Table:
        """See the table without the columns that were to be published untouched."""
        if not self.schema.insensitive:
            return self
        table = Table(
            self.source, self.schema.without_insensitive(), self.spelling_rules, self.memory
        )
        table.n_merged, table.categories = self.n_merged, self.categories
        table.n_left_out, table._as_read = self.n_left_out, self._as_read
        return table

    def merged(self, known: Mapping[str, Collection[str | None]] | None = None) -> Table:
        """See the spellings of a value as one in all columns where that was asked for.

        known: Column -> texts that its values are written as, if they are spellings of them; None:
            as a missing one.
        """
        instead: dict[str, dict[object, str | None]] = {}
        counts = {}
        for column in (c for c, what in self.spelling_rules.items() if what == MERGE):
            found = self.source.spellings(column, (known or {}).get(column, ())).alike
            chosen = [self._best(column, spellings) for spellings in found]
            if found:
                counts[column] = SpellingCounts.of(found)
                instead[column] = {
                    text: best
                    for spellings, best in zip(found, chosen, strict=True)
                    for text in spellings
                    if text != best
                }
        source = self.source.respelled(instead) if instead else self.source
        table = Table(source, self.schema, self.spelling_rules, self.memory)
        table.n_merged = counts
        return table

    def rewritten(self) -> Table:
        """See values as the hierarchies of their columns do: dates as ISO texts, tails as one."""
        rules = {c: rule for c, rule in self.schema.hierarchies.items() if rule.rewrites}
        if not rules:
            return self
        report("reading")
        instead: dict[str, dict[object, str | None]] = {}
        codes: dict[str, int] = {}
        for c, values in self.source.people(None, (), tuple(rules)).domains([*rules], ()).items():
            try:
                changed = rules[c].rewritten(values)
            except BadInput as error:
                raise BadInput(f"column {c!r}: {error}", error.values) from None
            codes[c] = len(codes_in(values)) if rules[c].codes_ends else 0
            texts = {value: changed.get(value, published_text(value)) for value in values}
            instead[c] = {value: text for value, text in texts.items() if value != text}
        # A column of numbers becomes one of texts whoever is in it: so are batches of one type.
        table = Table(self.source.respelled(instead), self.schema, self.spelling_rules, self.memory)
        table.n_merged, table._as_read = self.n_merged, self
        table._codes_for_missing = codes
        return table

    def _best(self, column: str, spellings: Sequence[str | None]) -> str | None:
        """Give the first spelling that a column's hierarchy takes; of all, the first."""
        rule = self.schema.hierarchies.get(column, Flat())
        for text in spellings if rule.closed else ():
            with suppress(BadInput):
                rule.grow(column, [text])
                return text
        return spellings[0]

    def naming_many(
        self,
        fewest: int,
        publishes: Publishes,
        named: Callable[[str], frozenset[str] | None] = lambda _: None,
        *,
        in_groups: int = 0,
    ) -> Table:
        """See those texts as one that a release must not name; see `with_names_of_many`."""
        if self._ground is not None:
            return self._ground.naming_many(fewest, publishes, named, in_groups=in_groups)
        leaves = {}
        for column in self.schema.quasi_identifiers:
            domain, having = self.domains[column], self.people_having(column)
            frozen = None if self.categories is None else self.categories.names
            names = named(column) if frozen is None else frozen.get(column)
            least = max(fewest, self.schema.hierarchies[column].fewest_named)
            mark = None if self.categories is None else self.categories.mark
            joined = with_names_of_many(
                domain, having, least, publishes, names, in_groups=in_groups, mark=mark
            )
            if joined is not None:
                leaves[column] = joined
        return self._with_leaves(leaves) if leaves else self

    def people_having(self, column: str) -> Counts:
        """Count the people who have each value of a counted column, by code."""
        by_value = column in self.schema.sensitive
        domain, codes = self.domains[column], self._coding[1][column]
        if self._is_here(by_value=by_value):
            people = self.frequencies() if by_value else self.combinations()
            return sum_by(people.codes(column).astype(np.intp), people.counts, len(domain))
        layout = Layout.of([len(domain)])
        keys, counts, _ = self._people.count({column: codes}, layout)
        return sum_by(layout.unpack(keys, 0).astype(np.intp), counts, len(domain))

    @property
    def before_naming(self) -> Table:
        """The table as it was before several values were seen as one."""
        return self if self._ground is None else self._ground

    @cached_property
    def by_values(self) -> Table:
        """See the values themselves where several are seen as one.

        Of texts without an order, those that are not named are the last.
        """
        if self._ground is None:
            return self
        finer = {}
        for column, (domain, _) in self._leaves.items():
            place = {label: rank for rank, label in enumerate(domain.ground.labels)}
            labels = self._ground.domains[column].labels
            code = np.array([place[label] for label in labels], dtype=np.int32)
            finer[column] = Leaves(domain.ground, code)
        return self._ground._with_leaves(finer)

    def _with_leaves(self, leaves: Mapping[str, Leaves]) -> Table:
        table = Table(self.source, self.schema, self.spelling_rules, self.memory)
        table.n_merged, table.categories = self.n_merged, self.categories
        table.n_left_out = self.n_left_out
        table._ground, table._leaves = self, leaves
        table._too_many = self._too_many
        domains, codes = self._coding
        table._coding = (
            domains | {c: each.domain for c, each in leaves.items()},
            codes | {c: each.code[codes[c]] for c, each in leaves.items()},
        )
        return table

    @cached_property
    def read_counts(self) -> ReadCounts:
        """What the settings by which it was read did to the columns that have a role.

        With a notice of flat columns that look like numbers or dates nobody declared, and one of
        numbers that usually stand for missing.
        """
        schema = self.schema
        roles = (
            *schema.published_columns,
            *schema.identifiers,
            *(schema.person,) * bool(schema.person),
        )
        counts = self.source.read_counts([c for c in dict.fromkeys(roles) if c])
        flat = [c for c in schema.counted if schema.hierarchies.get(c, Flat()) == Flat()]
        looks = [undeclared(c, self.domains[c].values.labels) for c in flat]
        said = ", ".join(look for look in looks if look is not None)
        notices = (("read as text", said),) if said else ()
        return replace(
            counts,
            notices=(*counts.notices, *notices),
            may_be_missing=self._may_be_missing,
        )

    @property
    def _may_be_missing(self) -> Mapping[str, int]:
        """Columns of numbers -> how many of their values usually stand for missing."""
        read_as_it_is = self.before_naming
        read_as_it_is._coded(self.schema.counted)  # which sees all values
        return read_as_it_is._codes_for_missing

    @cached_property
    def look_alikes(self) -> Mapping[str, SpellingCounts]:
        """Of counted columns and of people, those with texts that only look different."""
        if self._ground is not None:
            return self._ground.look_alikes
        found = {column: spelling_counts(self.domains[column]) for column in self.schema.counted}
        person = self.schema.person
        if person is not None:
            found[person] = SpellingCounts.of(self.source.spellings(person).alike)
        return {column: counts for column, counts in found.items() if counts.n_values}

    @cached_property
    def repeated_identifiers(self) -> Mapping[str, int]:
        """Identifiers by which rows are of the same people, with the number of such rows.

        None where a column tells people apart: then people are counted, not rows; and none where
        an identifier is of one row each, beside which a name may be that of several people.
        """
        if self.schema.person is not None:
            return {}
        n_repeated = {c: self.source.spellings(c).n_repeated for c in self.schema.identifiers}
        return n_repeated if all(n_repeated.values()) else {}

    @cached_property
    def domains(self) -> Mapping[str, Domain]:
        """The values of every counted column."""
        domains, _ = self._coded(self.schema.counted)
        return {column: domains[column] for column in self.schema.counted}

    def people_by_value(self, column: str) -> dict[object, int]:
        """Give the number of people who have each value of a counted column (None: missing).

        Nothing is asked of its hierarchy. In a set-valued column people have any number of values.
        """
        schema = self.schema
        people = self.source.people(schema.person, schema.sensitive, schema.published_columns)
        values = people.domains([column], [column])[column]
        codes = np.arange(len(values), dtype=np.int32)
        layout = Layout.of([len(values)])
        keys, counts, _ = people.count({column: codes}, layout)
        n_people: dict[object, int] = {}
        for code, n in zip(layout.unpack(keys, 0).tolist(), counts.tolist(), strict=True):
            value = values[code]
            for each in dict.fromkeys(value) if isinstance(value, list) else [value]:
                n_people[each] = n_people.get(each, 0) + n
        return n_people

    @property
    def set_valued(self) -> str | None:
        """The sensitive column of which people have any number of values; None: one each."""
        return self._people.set_valued

    @cached_property
    def _people(self) -> People:
        if self._ground is not None:
            return self._ground._people
        schema = self.schema
        return self.source.people(schema.person, schema.sensitive, schema.published_columns)

    @property
    def n_rows(self) -> int:
        """Number of people: of rows, unless the rows of a person were put together."""
        return self.combinations().n_rows

    def frequencies(self, guard: str | None = None) -> FrequencySet:
        """Every distinct combination of counted columns with its number of people.

        `guard`: a column without a role that is counted too, and never published: what each
        person guards.
        """
        if guard is None:
            return self._frequencies
        if self.set_valued is not None:
            raise BadInput(
                f"guarding: people have any number of values of {self.set_valued!r}, and what they "
                "guard is one; leave the guarding column out"
            )
        if guard not in self._guarded and self._ground is not None:
            self._guarded[guard] = self._ground.frequencies(guard).merged(self._leaves)
        if guard not in self._guarded:
            self.schema.refuse_as_guard(guard)
            self._guarded[guard] = self._count(self.schema.sensitive, guard)
        return self._guarded[guard]

    def too_many(self, guard: str | None = None, *, by_value: bool) -> int | None:
        """Count distinct combinations that do not fit into the memory allowed; None: they do.

        by_value: with sensitive values.
        """
        if self.memory is None or self._is_here(guard, by_value=by_value):
            return None
        if guard is not None:
            self.schema.refuse_as_guard(guard)
        columns = self._counted_columns(self.schema.sensitive if by_value else (), guard)
        if columns not in self._too_many:
            most = most_keys(self.memory, len(columns))
            if self._is_here(by_value=False) and self.n_rows <= most:
                return None  # there are no more combinations than people
            self._coded(columns)
            n = self._people.n_counted(columns)
            if n is None or n <= most:
                return None
            self._too_many[columns] = n
        return self._too_many[columns]

    def _is_here(self, guard: str | None = None, *, by_value: bool) -> bool:
        """Whether everybody's combination has been counted, and is in memory."""
        known = [self.__dict__.get("_frequencies"), *self._guarded.values()]
        if guard is not None:
            known = [self._guarded.get(guard)]
        elif not by_value:
            known.append(self.__dict__.get("_combinations"))
        return any(each is not None and not isinstance(each, Condensed) for each in known)

    @property
    def before_groups(self) -> Table:
        """The table as it was before people were seen by groups."""
        return self if self._whole is None else self._whole

    def values_of_people(self) -> FrequencySet:
        """See how often each sensitive value is in the table; who has which is not counted."""
        if self._is_here(by_value=True):
            return self.frequencies()
        seen = self.nobody(by_value=True)
        seen.references.update({name: self.people_having(name) for name in seen.sensitive})
        return seen

    def stored(self, guard: str | None = None, *, by_value: bool) -> StoredCounts:
        """Count the combinations, and leave them where they are: they do not fit."""
        sensitive = self.schema.sensitive if by_value else ()
        columns = self._counted_columns(sensitive, guard)
        domains, codes = self._coding
        layout = Layout.of([len(domains[column]) for column in columns])
        kept = self._people.kept({c: codes[c] for c in columns}, layout, self._told)
        most = most_keys(self.memory or 0, len(columns))
        elsewhere = kept.most_in_a_piece(len(columns))
        return StoredCounts(
            kept,
            {column: domains[column] for column in columns},
            self.schema.quasi_identifiers,
            sensitive,
            guard,
            tuple(self._told),
            most if elsewhere is None else min(most, elsewhere),
        )

    def nobody(self, guard: str | None = None, *, by_value: bool) -> FrequencySet:
        """See the columns that would be counted, with nobody in them."""
        sensitive = self.schema.sensitive if by_value else ()
        domains, _ = self._coding
        none = dict.fromkeys(self._counted_columns(sensitive, guard), np.zeros(0, np.int32))
        return FrequencySet.from_codes(
            domains, self.schema.quasi_identifiers, sensitive, none, np.zeros(0, np.int64), guard
        )

    def by_groups(self, people: Condensed) -> Table:
        """See the people of each group as one combination, since their own are too many."""
        table = copy(self)
        table._whole, table._guarded = self.before_groups, {}
        for name in ("_frequencies", "_combinations"):
            table.__dict__.pop(name, None)
        if people.guard is not None:
            table._guarded, people = {people.guard: people}, people.without_guard()
        if people.sensitive == self.schema.sensitive:
            table.__dict__["_frequencies"] = people
        if not people.sensitive:
            table.__dict__["_combinations"] = people
        return table

    def _counted_columns(self, sensitive: tuple[str, ...], guard: str | None) -> tuple[str, ...]:
        return (*self.schema.quasi_identifiers, *sensitive, *((guard,) if guard else ()))

    def combinations(self) -> FrequencySet:
        """Every distinct combination of quasi-identifiers; cheaper, where nothing else matters."""
        if "_frequencies" in self.__dict__:
            return self._frequencies.combinations
        for counted in self._guarded.values():
            return counted.combinations
        return self._combinations

    def some_people(self, n: int) -> FrequencySet:
        """Count n people, chosen without regard to what they have; or all if that was done."""
        if self._is_here(by_value=True):
            return self.frequencies()
        if self._ground is not None:
            return self._ground.some_people(n).merged(self._leaves)
        return self._count(self.schema.sensitive, at_most=n)

    def alike(self, groupings: Sequence[Sequence[str]]) -> list[GroupSizes]:
        """Count the groups of people who have the same values in all of some columns."""
        return [GroupSizes(*sizes) for sizes in self._people.alike(groupings)]

    def alike_as_read(self) -> GroupSizes:
        """Count the groups of people alike in the quasi-identifiers as they were read.

        Bottom and top codes, and whatever else a hierarchy makes of values from the ground on, are
        not there yet; texts that were to be merged are one.
        """
        ground = self.before_naming
        if ground._as_read is not None:
            return ground._as_read.alike([self.schema.quasi_identifiers])[0]
        if ground.too_many(by_value=False) is not None:
            return ground.alike([self.schema.quasi_identifiers])[0]
        return GroupSizes.of(ground.combinations().counts)

    def published_alike(
        self, groupings: Sequence[Sequence[str]], recoding: Recoding, secret: bytes
    ) -> list[GroupSizes]:
        """Count the groups of rows that a recoding publishes with the same values; see `write`.

        groupings: columns that stand in one file.
        """
        self.combinations()
        columns = {column for each in groupings for column in each}
        plans = [plan for plan, _ in self._plans(recoding, secret)]
        plan = next(each for each in plans if columns <= {*each.columns})
        return [GroupSizes(*sizes) for sizes in self._people.alike(groupings, plan)]

    def write(
        self,
        recoding: Recoding,
        target: Path,
        kind: Format,
        secret: bytes,
        numbers: Mapping[str, NumberColumns] | None = None,
    ) -> dict[str, int]:
        """Apply a recoding to all rows; where there are two tables, `sensitive` stands beside.

        numbers: Columns of numbers for the texts of others, where there is one table.

        Returns the digest of each table's rows, where chance dealt them out.
        """
        digests = {}
        self.combinations()
        report("applying")
        for plan, name in self._plans(recoding, secret):
            place = target if name == DATA else target.with_name(f"{name}{target.suffix}")
            told = replace(plan, numbers=numbers or {})
            self._people.apply(told, place, kind)
            if recoding.splits:
                digests[name] = self._people.digest(told)
        return digests

    def _plans(self, recoding: Recoding, secret: bytes) -> Iterator[tuple[WritingPlan, str]]:
        """Say what stands in each file."""
        columns, in_one_table = self.schema.published_columns, recoding.buckets is None
        if self.set_valued is not None and in_one_table:
            raise BrokenPromise("internal error: whole sets of values were about to be published")
        how = recoding.application(self.domains, columns, secret)
        plan = WritingPlan(columns, self.schema.quasi_identifiers, how, self._coding[1], self.codes)
        if in_one_table:
            yield plan, DATA
            return
        sensitive = self.schema.sensitive
        plan = replace(plan, group=self.schema.group)
        yield replace(plan, columns=tuple(c for c in columns if c not in sensitive)), DATA
        values = replace(plan, columns=tuple(c for c in columns if c in sensitive))
        yield values, SENSITIVE

    @property
    def codes(self) -> frozenset[str]:
        """Counted columns that are no numbers, even where they look like some: 13053 is a code."""
        return frozenset(c for c in self.schema.counted if self.domains[c].values.numbers is None)

    def _coded(self, jointly: Sequence[str]) -> tuple[dict[str, Domain], dict[str, Codes]]:
        """Find the values of all counted columns; at the first time, count some jointly."""
        domains, codes = self._coding
        new = [c for c in dict.fromkeys((*self.schema.counted, *jointly)) if c not in domains]
        if new:
            report("reading")
            values_by_column = self._people.domains(new, jointly, self._told)
            if not values_by_column[new[0]]:
                raise BadInput(f"{self.source.name}: no rows")
            rules = self.schema.hierarchies
            grown = {
                c: grow_sets(rules[c], c, values)  # type: ignore[arg-type]  # lists
                if c == self.set_valued
                else rules.get(c, Flat()).grow(c, values)
                for c, values in values_by_column.items()
            }
            domains |= {column: domain for column, (domain, _) in grown.items()}
            for column, values in values_by_column.items():
                known = column in self._codes_for_missing or column == self.set_valued
                if not known and domains[column].numbers is not None:
                    self._codes_for_missing[column] = len(codes_in(values))
            codes |= {column: coded for column, (_, coded) in grown.items()}
        return self._coding

    @cached_property
    def _frequencies(self) -> FrequencySet:
        for counted in self._guarded.values():
            return counted.project(self.schema.counted)
        if self._ground is not None:
            return self._ground.frequencies().merged(self._leaves)
        return self._count(self.schema.sensitive)

    @cached_property
    def _combinations(self) -> FrequencySet:
        if self._ground is not None:
            return self._ground.combinations().merged(self._leaves)
        return self._count(())

    def _count(
        self,
        sensitive: tuple[str, ...],
        guard: str | None = None,
        at_most: int | None = None,
    ) -> FrequencySet:
        quasi_identifiers = self.schema.quasi_identifiers
        columns = self._counted_columns(sensitive, guard)
        domains, codes = self._coded(columns)
        if at_most is None:
            self._refuse_too_many(columns)
        report("counting")
        layout = Layout.of([len(domains[column]) for column in columns])
        coded = {column: codes[column] for column in columns}
        told = self._told if at_most is None else []
        keys, counts, digests = self._people.count(coded, layout, told, at_most)
        return FrequencySet.from_keys(
            domains,
            quasi_identifiers,
            sensitive,
            keys,
            counts,
            guard,
            dict(zip(told, digests, strict=True)),
        )

    def _refuse_too_many(self, columns: tuple[str, ...]) -> None:
        """Refuse to count what is known not to fit; what is counted first is asked about."""
        n = max((n for c, n in self._too_many.items() if {*c} <= {*columns}), default=None)
        if n is None and self.memory is not None and not self._is_here(by_value=False):
            counted = self._people.n_counted(columns) or 0
            n = counted if counted > most_keys(self.memory, len(columns)) else None
        if n is not None:
            raise CannotRun(NOT_HERE.format(count(n)), remedy=MORE_MEMORY)

    @property
    def _told(self) -> list[tuple[str, ...]]:
        """What is told of the people of a combination: what will be published beside it.

        Where two tables are published, sensitive values do not stand beside the other columns. Of
        a set of values nothing is told: each of them is counted.
        """
        beside = self.schema.beside
        insensitive = tuple(column for column in beside if column in self.schema.insensitive)
        told = (() if self.set_valued else beside, insensitive)
        return [each for each in dict.fromkeys(told) if each]
