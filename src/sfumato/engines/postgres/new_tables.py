"""Tables that are made in one transaction: until it is committed nobody else sees them.

Rows go to the server by COPY, so no value stands in a statement. Whatever ends the transaction in
another way, an error, a lost connection or a process that dies, leaves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import pyarrow as pa

from sfumato.address import Name, refuse_long
from sfumato.engines import sql
from sfumato.engines.postgres.new_columns import NewColumn, new_columns
from sfumato.engines.postgres.published import CONTENT, FILE, WRITTEN, PublishedTables
from sfumato.engines.postgres.server import BEGINNING, LOST, REASONS, waited_for
from sfumato.errors import BadInput

READ_ONLY, *OTHERS = BEGINNING
TAKEN = "exists already; a release is never overwritten, so choose another name"
HERE = """
SELECT n.oid::int8 AS oid, n.nspname::text AS schema,
  has_schema_privilege(n.oid, 'CREATE') AS allowed
FROM pg_catalog.pg_namespace AS n WHERE n.nspname = {schema}
"""
THERE = """
SELECT relname::text AS name FROM pg_catalog.pg_class
WHERE relnamespace = {oid}::oid AND relname IN ({names})
UNION SELECT typname::text FROM pg_catalog.pg_type
WHERE typnamespace = {oid}::oid AND typname IN ({names})
"""


class Sent:
    """Rows on their way to the server, in its types; whoever stops them ends the way.

    The driver reads them, and would say no more of an error of theirs than that there was one.
    """

    def __init__(self, rows: pa.RecordBatchReader, columns: Sequence[NewColumn]) -> None:
        self._rows = rows
        self._schema = pa.schema([pa.field(each.name, each.sent) for each in columns])
        self._error: BaseException | None = None
        self._stopped = False

    def reader(self) -> pa.RecordBatchReader:
        """Give the rows to the driver."""
        return pa.RecordBatchReader.from_batches(self._schema, self._batches())

    def stop(self, cancel: Callable[[], object]) -> None:
        """Send no further rows, and have the server stop."""
        self._stopped = True
        cancel()

    @contextmanager
    def own_errors(self) -> Iterator[None]:
        """Raise an error of the rows instead of what the driver makes of it."""
        try:
            yield
        except Exception:
            if self._error is not None:
                raise self._error from None
            raise

    def _batches(self) -> Iterator[pa.RecordBatch]:
        try:
            for batch in self._rows:
                if self._stopped:
                    return
                yield from pa.Table.from_batches([batch]).cast(self._schema).to_batches()
        except BaseException as error:
            self._error = error
            raise


class NewTables(PublishedTables):
    """A transaction in which tables are made, filled and read back."""

    # The check of what was written takes its time, and nothing is asked of the server meanwhile.
    beginning = (
        READ_ONLY.replace("READ ONLY", "READ WRITE"),
        "SET LOCAL idle_in_transaction_session_timeout TO 0",
        "SET LOCAL synchronous_commit TO on",
        *OTHERS,
        *WRITTEN,
    )
    reasons = REASONS | {
        "42501": "no right to make a table there; GRANT CREATE ON SCHEMA ... TO the role",
        "42P07": TAKEN,
        "42710": TAKEN,
        "23505": TAKEN,
        "55P03": "somebody else is making a table of that name; try again later",
        "25006": "the server only lets read; name one that tables can be made on",
        "0A000": "the server only lets read; name one that tables can be made on",
        "22021": "a text has a NUL character, which PostgreSQL does not take; save to files",
        "22P05": "a text has characters that the encoding of the database lacks; name a database "
        "in UTF8, or save to files",
        "54011": "a table of PostgreSQL has fewer columns than the release; save to files",
        "22": "a value does not fit into a table of PostgreSQL; save to files",
    }

    def place(self, name: Name, others: Sequence[Name] = ()) -> Name:
        """Say in which schema a table would be made; refuse where it cannot be, or is already.

        others: What is made beside it.
        """
        refuse_long([name.table, *(each.table for each in others), *filter(None, [name.schema])])
        schema = "current_schema()" if name.schema is None else sql.text(name.schema)
        rows = self.asked(HERE.format(schema=schema))
        if not rows:
            missing = "no schema is named, and none is in search_path; name one"
            if name.schema is not None:
                missing = f"there is no schema {sql.name(name.schema)}; CREATE SCHEMA, or name one"
            raise BadInput(f"{self.address}: {missing}")
        oid, found = rows[0]["oid"], str(rows[0]["schema"])
        if found.startswith("pg_temp"):
            raise BadInput(
                f"{self.address}: the table would be a temporary one, which goes with the "
                "connection; name a schema, or take pg_temp out of search_path"
            )
        if not rows[0]["allowed"]:
            raise BadInput(
                f"{self.address}: no right to make a table there; GRANT CREATE ON SCHEMA "
                f"{sql.name(found)} TO the role"
            )
        wanted = ", ".join(sql.text(each.table) for each in (name, *others))
        for row in self.asked(THERE.format(oid=oid, names=wanted)):
            raise BadInput(f"{self._called(Name(row['name'], found))}: {TAKEN}")
        return Name(name.table, found)

    def put(self, name: Name, rows: pa.RecordBatchReader, kinds: Mapping[str, str]) -> None:
        """Make a table of rows; kinds: what its columns hold, as `Source.kinds` names it."""
        columns = new_columns(rows.schema, kinds)
        refuse_long(each.name for each in columns)
        self._make(name, columns, Sent(rows, columns))

    def put_texts(self, name: Name, texts: Mapping[str, str]) -> None:
        """Make a table that keeps texts by the names of files."""
        named = pa.table({FILE: [*texts], CONTENT: [*texts.values()]})
        self.put(name, named.to_reader(), {FILE: "text", CONTENT: "text"})

    def commit(self) -> None:
        """Let everybody see the tables.

        It is not left half-way by a Ctrl-C: that is heard when the server has answered.
        """
        try:
            with self.explained():
                self._connection.commit()
        except BadInput as error:
            if LOST not in str(error):
                raise
            raise BadInput(
                f"{self.address}: the connection was lost while the server committed what was "
                "written and checked; look whether the table is there: if it is, it is complete"
            ) from None

    def _make(self, name: Name, columns: Sequence[NewColumn], rows: Sent) -> None:
        declared = ", ".join(each.declared for each in columns)
        altered = [each.altered for each in columns if each.altered is not None]
        with self.explained(), rows.own_errors():
            self._run(f"CREATE TABLE {name.quoted} ({declared})")
            with self._connection.cursor() as cursor:
                waited_for(
                    lambda: cursor.adbc_ingest(
                        name.table, rows.reader(), mode="append", db_schema_name=name.schema
                    ),
                    lambda: rows.stop(cursor.adbc_cancel),
                )
            if altered:
                self._run(f"ALTER TABLE {name.quoted} {', '.join(altered)}")
