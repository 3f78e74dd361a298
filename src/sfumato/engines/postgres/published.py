"""Tables of a release in a database: read back as anybody would who may read them.

Rows are copied into a Parquet file in the order in which a release is published, since a table has
none. The digest of a table is the SHA-256 of its rows as `COPY ... TO STDOUT` writes them, sorted
byte by byte; so it can be taken without us, too (docs/engines.md).
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np
import pyarrow as pa

from sfumato.address import Address, Name
from sfumato.engines import sql
from sfumato.engines.postgres.columns import columns_of
from sfumato.engines.postgres.server import BEGINNING, Server
from sfumato.engines.postgres.source import PostgresSource
from sfumato.engines.postgres.table import RemoteTable, found, looked_up
from sfumato.engines.protocol import Engine

# How values are written, whatever the role or the database prefers.
WRITTEN = ("SET LOCAL DateStyle TO 'ISO, YMD'", "SET LOCAL extra_float_digits TO 1")
ESCAPED = {"\\": "\\\\", **{chr(8 + j): f"\\{letter}" for j, letter in enumerate("btnvfr")}}
NUMBERS = ("SMALLINT", "INTEGER", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL")
FILE, CONTENT = "file", "content"  # the columns of a table of texts


class PublishedTables(Server):
    """A connection that reads the tables of a release, all at one moment."""

    beginning: ClassVar[Sequence[str]] = (*BEGINNING, *WRITTEN)

    def __init__(self, engine: Engine, address: Address) -> None:
        super().__init__(address)
        self._engine = engine

    def copy(self, name: Name, target: Path, order: Sequence[str], whole: Collection[str]) -> None:
        """Copy a table into a Parquet file, sorted by some columns, if it has them.

        whole: Columns of whole numbers, which are numeric where they are larger than a bigint.
        """
        source = PostgresSource(self._engine, RemoteTable.of(self, name, self._called(name)))
        columns = source.columns
        source.write_sorted(
            target, [c for c in order if c in columns], [c for c in whole if c in columns]
        )

    def digest(self, name: Name) -> str:
        """Give the SHA-256 of the rows of a table."""
        oid, table = found(self, name, self._called(name))
        columns = columns_of(self, oid, table.quoted)
        line = " || E'\\t' || ".join(_written(each.name, each.kind) for each in columns)
        lines = f'SELECT ({line}) COLLATE "C" AS line FROM {table.quoted} AS t'
        # Of UTF-8, as the lines are read here: in its own encoding a database has another order.
        order = "ORDER BY convert_to(line, 'UTF8')"
        query = f"SELECT line || E'\\n' AS whole FROM ({lines}) AS t {order}"
        sha256 = hashlib.sha256()
        with self.streamed(query) as (_, batches):
            for batch in batches:
                sha256.update(_bytes(batch.column(0)))
        return sha256.hexdigest()

    def texts(self, name: Name) -> dict[str, str] | None:
        """Give the texts that a table keeps by the names of files; None: it is no such table."""
        if not looked_up(self, name):
            return None
        oid, table = found(self, name, self._called(name))
        columns = columns_of(self, oid, table.quoted)
        if [each.name for each in columns] != [FILE, CONTENT]:
            return None
        rows = self.asked(f'SELECT "{FILE}", "{CONTENT}" FROM {table.quoted}')
        return {str(row[FILE]): str(row[CONTENT]) for row in rows}

    def _called(self, name: Name) -> str:
        return str(Address(self.address.database, name))


def _written(name: str, kind: str) -> str:
    """Give SQL for a value as COPY writes it."""
    value = f"t.{sql.name(name)}"
    if kind == "BOOLEAN":
        text = f"CASE WHEN {value} THEN 't' WHEN NOT {value} THEN 'f' END"
    else:
        text = f"{value}::text"
    if not kind.startswith(NUMBERS) or kind.endswith("[]"):
        for character, escaped in ESCAPED.items():
            text = f"replace({text}, {_literal(character)}, {_literal(escaped)})"
    return f"coalesce({text}, {_literal(chr(92) + 'N')})"


def _literal(text: str) -> str:
    """Quote text in which a backslash is one, whatever the server takes it for elsewhere."""
    codes: Mapping[int, str] = {j: f"\\x{j:02x}" for j in (*range(32), ord("\\"), ord("'"))}
    return f"E'{text.translate(codes)}'"


def _bytes(texts: pa.StringArray) -> memoryview:
    """Give the bytes of all texts of an array, one after the other."""
    large = texts.cast(pa.large_string())
    _, ends, data = large.buffers()
    if data is None or not len(large):
        return memoryview(b"")
    bounds = np.frombuffer(ends, dtype=np.int64)
    first, last = bounds[large.offset], bounds[large.offset + len(large)]
    return memoryview(data)[first:last]
