"""A table on a server, of which columns are fetched when somebody needs them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from sfumato.address import Name
from sfumato.engines import sql
from sfumato.engines.duckdb.connection.session import Session
from sfumato.engines.duckdb.reading.opening import Relation, Remote
from sfumato.engines.postgres.columns import TOO_LATE, Column, columns_of, refuse
from sfumato.engines.postgres.server import Server
from sfumato.errors import BadInput, nearest

NOT_FETCHED = "error('internal error: a column was not fetched')"
HERE = """
SELECT c.oid::int8 AS oid, n.nspname::text AS schema, c.relname::text AS name,
  has_schema_privilege(n.oid, 'USAGE') AS entered,
  has_any_column_privilege(c.oid, 'SELECT') AS readable
FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'v', 'm', 'f', 'p') AND {where}
"""
ON_THE_WAY = "array_position(current_schemas(true), n.nspname)"


@dataclass(eq=False)
class RemoteTable(Remote):
    """A table or view, and what has been fetched of it.

    The server groups rows by all columns that are needed, and each combination comes once, with its
    number of rows; so all that is ever seen of them is one answer, of one moment. Here rows are
    repeated again. Where a column that tells people apart is needed, rows come one by one.
    """

    server: Server
    table: Name  # with its schema
    name: str  # what messages call it
    columns: Mapping[str, Column]
    _fetched: set[str] = field(default_factory=set)
    _session: Session | None = None

    @classmethod
    def of(cls, server: Server, named: Name, name: str) -> RemoteTable:
        """Find a table; refuse one that is not there, or that nobody may read."""
        oid, table = found(server, named, name)
        columns = columns_of(server, oid, table.quoted)
        if not columns:
            raise BadInput(f"{name}: no columns")
        return cls(server, table, name, {each.name: each for each in columns})

    def again(self) -> RemoteTable:
        """Give the same table, as long as nothing is fetched of it; seen at the same moment."""
        return RemoteTable(self.server, self.table, self.name, self.columns)

    def opened(self, session: Session) -> Relation:
        """Let a session see the table: all columns, and rows when they are fetched."""
        session.alone()
        session.name = self.name
        self._session = session
        with session.explained():
            place = sql.text(session.directory / "fetched.db")
            session.connection.execute(f"ATTACH {place} AS fetched")
            self._show("(SELECT 1 WHERE false)")
        return Relation("remote_rows", list(self.columns), typed=True)

    def fetch(self, columns: Collection[str], *, grouped: bool = True) -> None:
        """Have some columns, beside those that are there already."""
        for name in columns:
            refuse(self.columns[name], str(self.table))
        self._fetch(columns, grouped=grouped)

    def fetch_all(self) -> None:
        """Have all columns, those that cannot be read as text."""
        self._fetch([name for name, c in self.columns.items() if c.has_text], grouped=False)

    def has(self, column: str) -> bool:
        """Whether a column has been fetched."""
        return column in self._fetched

    def _fetch(self, columns: Collection[str], *, grouped: bool) -> None:
        session = self._session
        if session is None:
            raise RuntimeError("a table is fetched by whoever opened it")
        needed = self._fetched.union(columns)
        if needed == self._fetched:
            return
        places = [j for j, name in enumerate(self.columns) if name in needed]
        every = list(self.columns.values())
        selected = ", ".join(f"{every[j].selected} AS c{j}" for j in places)
        query = f"SELECT {selected}, 1::int8 AS n FROM {self.table.quoted} AS t"
        if grouped:
            numbers = ", ".join(str(j + 1) for j in range(len(places)))
            query = (
                f"SELECT {selected}, count(*) AS n FROM {self.table.quoted} AS t GROUP BY {numbers}"
            )
        connection, fresh = session.connection, f"fetched.rows{len(needed)}"
        parts = sql.in_parts("batch")
        with self.server.streamed(query) as (schema, batches), session.explained():
            connection.register("batch", schema.empty_table())
            connection.execute(f"CREATE OR REPLACE TABLE {fresh} AS {parts}")
            for batch in batches:
                connection.register("batch", pa.Table.from_batches([batch]))
                connection.execute(f"INSERT INTO {fresh} {parts}")
            connection.unregister("batch")
        with session.explained():
            self._refuse_too_late(fresh, places)
            self._show(sql.repeated(fresh), places)
            if self._fetched:
                connection.execute(f"DROP TABLE fetched.rows{len(self._fetched)}")
        self._fetched = needed

    def _show(self, rows: str, fetched: Sequence[int] = ()) -> None:
        """Let the session see rows under the same names, and whatever is not there as an error."""
        values = [
            f"CAST({f'c{j}' if j in fetched else NOT_FETCHED} AS {column.kind}) AS v{j}"
            for j, column in enumerate(self.columns.values())
        ]
        if self._session is not None:
            self._session.connection.execute(
                f"CREATE OR REPLACE TEMP VIEW remote_rows AS SELECT {', '.join(values)} FROM {rows}"
            )

    def _refuse_too_late(self, rows: str, places: Sequence[int]) -> None:
        every = list(self.columns.values())
        for j in places:
            if self._session is None or not every[j].may_be_too_late:
                continue
            (n_late,) = self._session.connection.execute(
                f"SELECT count(*) FROM {rows} WHERE c{j} >= CAST('{TOO_LATE}' AS {every[j].kind})"
            ).fetchall()[0]
            if n_late:
                raise BadInput(
                    f"column {every[j].name!r}: a date is infinite, or after the year 294245; make "
                    "a view that says what is meant"
                )


def looked_up(server: Server, named: Name) -> list[dict[str, Any]]:
    """Give what the catalogue says of a table or view, the nearest first; none: nothing."""
    where = f"c.relname = {sql.text(named.table)} AND " + (
        f"{ON_THE_WAY} IS NOT NULL"
        if named.schema is None
        else f"n.nspname = {sql.text(named.schema)}"
    )
    return server.asked(f"{HERE.format(where=where)} ORDER BY {ON_THE_WAY}")


def found(server: Server, named: Name, name: str) -> tuple[int, Name]:
    """Give a table's number in the catalogue, and its name with its schema; refuse an unknown one.

    name: What messages call it.
    """
    rows = looked_up(server, named)
    if not rows:
        shown = "n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'"
        others = [
            str(Name(row["name"], None if named.schema is None and row["near"] else row["schema"]))
            for row in server.asked(
                f"SELECT *, schema = ANY(current_schemas(false)::text[]) AS near FROM "
                f"({HERE.format(where=shown)}) AS every"
            )
        ]
        raise BadInput(f"{name}: no such table or view{nearest(str(named), others)}")
    table = Name(rows[0]["name"], rows[0]["schema"])
    if not rows[0]["entered"]:
        schema = sql.name(str(table.schema))
        raise BadInput(f"{name}: no right to read it; GRANT USAGE ON SCHEMA {schema} TO the role")
    if not rows[0]["readable"]:
        raise BadInput(f"{name}: no right to read it; GRANT SELECT ON {table} TO the role")
    return rows[0]["oid"], table
