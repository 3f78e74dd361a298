"""One source read by an embedded DuckDB."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from itertools import count
from pathlib import Path

import duckdb
import pyarrow as pa

from sfumato.address import is_address
from sfumato.data.read_counts import ReadCounts
from sfumato.data.read_settings import NUMBER, ReadSettings
from sfumato.data.spellings import Spellings
from sfumato.engines.csv_header import numbered, refuse_alike
from sfumato.engines.csv_shape import noticed_in
from sfumato.engines.duckdb.connection.session import Session
from sfumato.engines.duckdb.counting import DuckDBPeople
from sfumato.engines.duckdb.csv_text import undone
from sfumato.engines.duckdb.kinds import LIST, cleaned, kind_of, named_kind, sorted_as
from sfumato.engines.duckdb.reading.batches import keep_rows
from sfumato.engines.duckdb.reading.converting import AsWritten, Converted
from sfumato.engines.duckdb.reading.guessing import Found, Guesser
from sfumato.engines.duckdb.reading.looking import look_at
from sfumato.engines.duckdb.reading.one_row_each import one_row_each
from sfumato.engines.duckdb.reading.opening import open_relation
from sfumato.engines.duckdb.reading.spellings import respelled, spellings_of
from sfumato.engines.duckdb.rows import ALIKE, Rows, written_as
from sfumato.engines.look import SourceLook, TextCounts
from sfumato.engines.protocol import BatchReceipt, Engine, Source
from sfumato.errors import BadInput

ROWS_AT_ONCE = 1 << 16  # of a batch that is handed on


class DuckDBSource(Source):
    """The rows of a file, of a data frame, or of batches."""

    def __init__(
        self,
        engine: Engine,
        source: object,
        settings: ReadSettings | None = None,
        *,
        published: bool = False,
    ) -> None:
        self._session = session = Session()
        self._settings = session.settings = settings = settings or ReadSettings()
        relation = open_relation(session, source, settings, published=published)
        if settings.names == NUMBER:
            relation = replace(relation, columns=numbered(relation.columns))
        try:
            if is_address(session.name):
                refuse_alike(relation.columns, session.name, "or read a view that names it anew")
            refuse_alike(relation.columns, session.name)
        except BadInput as error:
            mended = "" if relation.typed else session.remedy()
            raise BadInput(f"{error}{mended}", error.values) from None
        self._relation = relation
        inner = [f"v{j}" for j in range(len(relation.columns))]
        with session.explained():
            aliased = f"{relation.text} AS t({', '.join(inner)})"
            described = session.connection.sql(f"DESCRIBE SELECT * FROM {aliased}").fetchall()
            types = [str(row[1]) for row in described]
            selected = ", ".join(
                f"{cleaned(v, kind, defused=published and not relation.typed)} AS {v}"
                for v, kind in zip(inner, types, strict=True)
            )
            first = "as_written" if settings.convert_values else "rows"
            session.connection.execute(
                f"CREATE TEMP VIEW {first} AS SELECT {selected} FROM {aliased}"
            )
        self.engine = engine
        self.name = session.name
        self.files = session.watched
        self.columns = tuple(relation.columns)
        self.typed = relation.typed
        self.format = "parquet" if relation.typed and not relation.of_office else "csv"
        by_name = dict(zip(self.columns, inner, strict=True))
        kinds = {name: kind_of(kind) for name, kind in zip(self.columns, types, strict=True)}
        self._written = AsWritten(session, first, by_name, kinds, settings)
        self._converted = Converted({})
        if settings.convert_values:
            with session.explained():
                self._converted = self._written.converted()
                selected = ", ".join(f"{how} AS {v}" for v, how in self._converted.values.items())
                session.connection.execute(
                    f"CREATE TEMP VIEW rows AS SELECT {selected} FROM {first}"
                )
        self._rows = Rows(session, "rows", by_name, kinds, relation.typed)
        self._numbers = count(1)  # of views, for whoever asks
        self._published = published
        # Texts of a CSV file are sorted with the marks that formulas have there.
        self._marked = published and not relation.typed
        self._as_written = aliased if self._marked else "rows"
        self._cleaned = selected
        self._runs: str | None = None  # a view of what is different, and how often it is there

    def remedy(self) -> str:
        """Say which setting would read other column names, as the end of a message."""
        return "" if self.typed else self._session.remedy()

    def read_counts(self, columns: Sequence[str]) -> ReadCounts:
        """Count what the settings did to some columns."""
        with self._session.explained():
            missing, trimmed = self._written.counts(columns)
            unfound = self._written.unfound(columns)
        skipped, foreign = self._relation.skipped, self._relation.foreign
        for name, n in foreign.missing.items() if foreign is not None else ():
            if name in columns:
                missing[name] = missing.get(name, 0) + n
        if foreign is not None:  # whose codes were seen before, and counted by column
            seen = sum(missing.values())
            unfound = {c: each for c, each in unfound.items() if not missing.get(c, seen)}
        return ReadCounts(
            self._settings,
            self._relation.delimiter,
            skipped.n_start,
            skipped.n_end,
            missing,
            trimmed,
            tuple(name for name in self._converted.numbers if name in columns),
            (*(foreign.notices if foreign is not None else ()), *self._noticed()),
            unfound=unfound,
        )

    def _noticed(self) -> Iterator[tuple[str, str]]:
        """Say what may be no row at the end of text files."""
        places = self._relation.places
        noticed = [noticed_in(place, d, self._settings) for _, place, d in places]
        said = [
            f"{text} in {name}" if len(places) > 1 else text
            for (name, _, _), each in zip(places, noticed, strict=True)
            for _, text in each
        ]
        if said:
            yield "at the end", "; ".join(said)

    def guessed(self) -> Found:
        """Say what a person would declare about the values."""
        with self._session.explained():
            rows = self._rows
            guesser = Guesser(self._session, rows.view, rows.inner, rows.types)
            return guesser.found(self._relation.delimiter)

    def spellings(self, column: str, known: Collection[str | None] = ()) -> Spellings:
        """Compare the distinct values of a column."""
        with self._session.explained():
            return spellings_of(self._rows, column, known)

    def respelled(self, spellings: Mapping[str, Mapping[object, str | None]]) -> DuckDBSource:
        """See some values as texts, by the same connection."""
        other = copy(self)
        with self._session.explained():
            other._rows = respelled(self._rows, spellings, f"respelled{next(self._numbers)}")
        return other

    def people(
        self, person: str | None, sensitive: Sequence[str], kept: Sequence[str]
    ) -> DuckDBPeople:
        """See one row for each person, and a person's several values as a list in some order."""
        rows, owner = self._one_row_each(person, sensitive, kept)
        return DuckDBPeople(rows, owner, self._runs if rows is self._rows else None)

    def _one_row_each(
        self, person: str | None, sensitive: Sequence[str], kept: Sequence[str]
    ) -> tuple[Rows, str]:
        owner = f"people{next(self._numbers)}"
        with self._session.explained():
            return one_row_each(self._rows, person, sensitive, kept, owner), owner

    def keep(
        self,
        columns: Sequence[str],
        person: str | None,
        key: bytes,
        target: Path,
        earlier: Sequence[Path],
        *,
        as_spelled: bool = False,
        without: Mapping[str, Collection[object]] | None = None,
    ) -> BatchReceipt:
        """Write some columns into a Parquet file of a series, a person as a keyed hash."""
        with self._session.explained(target):
            return keep_rows(
                self._rows,
                columns,
                person,
                key,
                target,
                earlier,
                as_spelled=as_spelled,
                without=without or {},
            )

    def to_batches(self, text: Collection[str]) -> pa.RecordBatchReader:
        """Read batch by batch, columns without a type as what they hold; a release in its order."""
        inner = self._rows.inner
        with self._session.explained():
            types = self._rows.types_of_numbers([name for name in inner if name not in text])
            selected = ", ".join(
                f"CAST({v} AS {types[name]}) AS {v}" if name in types else v
                for name, v in inner.items()
            )
            rows = self._rows.view
            if self._published:  # one after the other: a window without an order is in that of rows
                rows = f"(SELECT *, row_number() OVER () AS place FROM {rows}) WHERE place > 0"
            relation = self._session.connection.sql(f"SELECT {selected} FROM {rows}")
            reader = relation.to_arrow_reader(ROWS_AT_ONCE)
        fields = zip(inner, reader.schema, strict=True)
        schema = pa.schema([field.with_name(name) for name, field in fields])
        return pa.RecordBatchReader.from_batches(schema, self._batches(reader, schema))

    def kinds(self, numbers: Collection[str]) -> dict[str, str]:
        """Name what each column holds; of a column of lists, what stands in them."""
        with self._session.explained():
            derived = self._rows.types_of_numbers(list(numbers))
        types = {**self._rows.types, **derived}
        return {name: named_kind(LIST.sub(r"\1", kind)) for name, kind in types.items()}

    def look(self, patterns: Mapping[str, str], counted: TextCounts | None = None) -> SourceLook:
        """Count every column, a few of them in each pass over the rows."""
        with self._session.explained():
            look = look_at(self._rows, patterns, counted)
        foreign = self._relation.foreign
        return look if foreign is None else replace(look, meanings=foreign.meanings)

    def is_sorted(
        self, kinds: Mapping[str, str], numbers: Collection[str] = (), *, few: bool = False
    ) -> bool:
        """Compare every row with the one before: a window without an order is in that of rows.

        Of rows that are alike and follow each other, where there are few others, only the last.
        """
        new = self._rows.without_type(numbers)
        values = []
        for name, kind in kinds.items():
            value = self._rows.inner[name]
            if not self.typed and kind != "text":
                typed = sorted_as(kind)
                if typed is None:
                    break
                value = f"CAST({value} AS {typed})"
            values += [f"{value} IS NOT NULL", value]
        looked_at = [f"ROW({', '.join(values)}) AS this"]
        looked_at += [f"{written_as(f'u{j}')} AS n{j}" for j in range(len(new))]
        texts = ["*"]
        for j, column in enumerate(new):
            text = self._rows.inner[column]
            texts.append(f"{undone(text) if self._marked else text} AS u{j}")
        told = ["count(*) FILTER (this < last)", *(ALIKE.format(j) for j in range(len(new)))]
        with self._session.explained():
            rows, order = self._as_written, ""
            if few:
                rows, order = self._take_runs(), "ORDER BY ends"
                looked_at.append("ends")
            n_before, *found = self._session.connection.execute(
                f"SELECT {', '.join(told)} FROM (SELECT *, lag(this) OVER ({order}) AS last FROM "
                f"(SELECT {', '.join(looked_at)} FROM (SELECT {', '.join(texts)} FROM {rows})))"
            ).fetchall()[0]
        self._rows.remember(new, found)
        return not n_before

    def _take_runs(self) -> str:
        """Make a table of the last of all rows that are alike and follow each other.

        With its place, from 1 on, as `ends`. Whoever counts the rows does so from there.
        """
        connection, values = self._session.connection, list(self._rows.inner.values())
        after = ", ".join(f"lead({value}) OVER () AS after_{value}" for value in values)
        differs = " OR ".join(f"{value} IS DISTINCT FROM after_{value}" for value in values)
        connection.execute(
            f"CREATE OR REPLACE TEMP TABLE runs AS SELECT {', '.join(values)}, ends FROM "
            f"(SELECT *, {after}, lead(true) OVER () AS follows, row_number() OVER () AS ends "
            f"FROM {self._as_written}) WHERE {differs} OR follows IS NULL"
        )
        connection.execute(
            f"CREATE OR REPLACE TEMP VIEW counted_runs AS SELECT {self._cleaned}, "
            "ends - lag(ends, 1, 0) OVER (ORDER BY ends) AS n FROM runs"
        )
        self._runs = "counted_runs"
        return "runs"

    def _batches(self, reader: pa.RecordBatchReader, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        with self._session.explained():
            try:
                for batch in reader:
                    yield pa.RecordBatch.from_arrays(batch.columns, schema=schema)
            except (OSError, pa.ArrowException) as error:  # how Arrow passes on what DuckDB says
                raise duckdb.Error(str(error)) from None
