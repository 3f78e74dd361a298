"""A table of PostgreSQL as a source: its columns are fetched before DuckDB is asked about them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from sfumato.data.groups import Counts, Digests
from sfumato.data.keys import Codes, Keys, Layout
from sfumato.data.recoding.instructions import Join
from sfumato.data.spellings import Spellings
from sfumato.engines import sql
from sfumato.engines.duckdb.counting import DuckDBPeople
from sfumato.engines.duckdb.recode_and_suppress import PARQUET_FORMAT
from sfumato.engines.duckdb.rows import Rows
from sfumato.engines.duckdb.source import DuckDBSource
from sfumato.engines.look import SourceLook, TextCounts
from sfumato.engines.postgres.table import RemoteTable
from sfumato.engines.protocol import BatchReceipt, Engine, Format, WritingPlan

LARGE = ("DECIMAL(20,0)",)  # what whole numbers are that no bigint can be


class PostgresSource(DuckDBSource):
    """The rows of a table or view."""

    def __init__(self, engine: Engine, table: RemoteTable) -> None:
        self._table = table
        super().__init__(engine, table)

    def spellings(self, column: str, known: Collection[str | None] = ()) -> Spellings:
        """Compare the distinct values of a column, which are fetched alone: it may be of names."""
        if self._table.has(column) or self._is_respelled:
            self._table.fetch([column])
            return super().spellings(column, known)
        alone = PostgresSource(self.engine, self._table.again())
        alone._table.fetch([column])
        return alone.spellings(column, known)

    @property
    def _is_respelled(self) -> bool:
        return self._rows.view != "rows"

    def people(
        self, person: str | None, sensitive: Sequence[str], kept: Sequence[str]
    ) -> PostgresPeople:
        """See one row for each person; where `person` tells that, rows are fetched one by one."""
        if person is not None:
            self._table.fetch({person, *sensitive, *kept}, grouped=False)
        rows, owner = self._one_row_each(person, sensitive, kept)
        return PostgresPeople(rows, owner, self._table, kept)

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
        needed = {*columns, *(without or {}), *([] if person is None else [person])}
        self._table.fetch(needed, grouped=person is None)
        return super().keep(
            columns, person, key, target, earlier, as_spelled=as_spelled, without=without
        )

    def to_batches(self, text: Collection[str]) -> pa.RecordBatchReader:
        """Read batch by batch."""
        self._table.fetch_all()
        return super().to_batches(text)

    def write_sorted(self, target: Path, order: Sequence[str], whole: Collection[str]) -> None:
        """Write all rows into a Parquet file, sorted by some columns, missing values first.

        whole: Columns of whole numbers, which the server may keep as numeric.
        """
        self._table.fetch(self.columns)
        rows, session = self._rows, self._session
        values = dict(rows.inner)
        values |= {c: f"CAST({values[c]} AS UBIGINT)" for c in whole if rows.types[c] in LARGE}
        selected = ", ".join(f"{value} AS {sql.name(name)}" for name, value in values.items())
        by = ", ".join(f"{rows.inner[name]} NULLS FIRST" for name in order or self.columns)
        with session.explained(target):
            session.connection.execute(
                f"COPY (SELECT {selected} FROM {rows.view} ORDER BY {by}) "
                f"TO {sql.text(target)} ({PARQUET_FORMAT})"
            )

    def kinds(self, numbers: Collection[str]) -> dict[str, str]:
        """Name what each column holds; what cannot be read is something else."""
        return {**super().kinds(numbers), **dict.fromkeys(self._refused, "other")}

    def look(self, patterns: Mapping[str, str], counted: TextCounts | None = None) -> SourceLook:
        """Count every column."""
        self._table.fetch_all()
        look = super().look(patterns, counted)
        columns = {
            name: replace(each, kind="other") if name in self._refused else each
            for name, each in look.columns.items()
        }
        return replace(look, columns=columns)

    def is_sorted(
        self, kinds: Mapping[str, str], numbers: Collection[str] = (), *, few: bool = False
    ) -> bool:
        """Compare every row with the one before; those of a table stand in no order."""
        self._table.fetch_all()
        return super().is_sorted(kinds, numbers, few=few)

    @property
    def _refused(self) -> list[str]:
        return [name for name, column in self._table.columns.items() if column.refused]


class PostgresPeople(DuckDBPeople):
    """The rows of a table, one for each person; what is asked about them is fetched first."""

    def __init__(self, rows: Rows, owner: str, table: RemoteTable, kept: Sequence[str]) -> None:
        super().__init__(rows, owner)
        self._table, self._kept = table, kept

    def _fetch(self, *columns: Collection[str]) -> None:
        self._table.fetch({*self._kept, *(column for each in columns for column in each)})

    def domains(
        self, columns: Sequence[str], jointly: Sequence[str], told: Sequence[tuple[str, ...]] = ()
    ) -> dict[str, list[object]]:
        """Group the rows that the server has grouped."""
        self._fetch(columns, jointly, *told)
        return super().domains(columns, jointly, told)

    def count(
        self,
        codes: Mapping[str, Codes],
        layout: Layout,
        told: Sequence[tuple[str, ...]] = (),
        at_most: int | None = None,
    ) -> tuple[Keys, Counts, list[Digests]]:
        """Translate counted combinations into packed keys."""
        self._fetch(codes, *told)
        return super().count(codes, layout, told, at_most)

    def alike(
        self, groupings: Sequence[Sequence[str]], plan: WritingPlan | None = None
    ) -> list[tuple[Counts, Counts]]:
        """Group the rows twice: by what they have, and the groups by their size."""
        self._fetch(*groupings, () if plan is None else _needed(plan))
        return super().alike(groupings, plan)

    def apply(self, plan: WritingPlan, target: Path, kind: Format) -> None:
        """Write a table; who is dealt into which group is decided here, not on the server."""
        self._fetch(_needed(plan))
        super().apply(plan, target, kind)

    def digest(self, plan: WritingPlan | None = None) -> int:
        """Add up the hashes of all rows."""
        if plan is None:
            self._table.fetch_all()
        return super().digest(plan)


def _needed(plan: WritingPlan) -> set[str]:
    """Give the columns that rows are recoded by, and those that are published."""
    order = (*plan.how.columns, *plan.how.order) if isinstance(plan.how, Join) else ()
    return {*plan.columns, *plan.quasi_identifiers, *order}
