"""PostgreSQL: rows are grouped by the server, and what was grouped is worked on by DuckDB."""

from __future__ import annotations

from pathlib import Path

from sfumato.address import Address, Name, is_address
from sfumato.data.read_settings import ReadSettings
from sfumato.engines.duckdb.source import DuckDBSource
from sfumato.engines.postgres.new_tables import NewTables
from sfumato.engines.postgres.published import PublishedTables
from sfumato.engines.postgres.server import Server
from sfumato.engines.postgres.source import PostgresSource
from sfumato.engines.postgres.table import RemoteTable
from sfumato.engines.protocol import Engine
from sfumato.errors import BadInput


class Postgres(Engine):
    """A database of PostgreSQL, whose tables and views are sources.

    Args:
        address: As libpq reads it, without a password: that comes from `~/.pgpass`, `PGPASSWORD`
            or a service file.

    >>> Postgres("postgresql://ada@db.example/clinic")
    Postgres('postgresql://db.example/clinic')
    """

    name = "postgres"

    def __init__(self, address: str) -> None:
        self._address = Address.of(address)
        if self._address.table is not None:
            raise BadInput(
                "Postgres: the address names a table; name it where it is read, "
                "sf.read('schema.table', ..., engine=...)"
            )

    def __repr__(self) -> str:
        return f"Postgres({str(self._address)!r})"

    def open(self, source: object, settings: ReadSettings | None = None) -> PostgresSource:
        """Open a table or view, by its name as SQL writes it, or by its whole address."""
        if is_address(source):
            address = Address.of(source)
            if address.database != self._address.database:
                raise BadInput(f"{address}: the engine is for another database, {self._address}")
            name = address.table
        else:
            name = Name.of(source) if isinstance(source, str) else None
        if name is None:
            raise BadInput(
                f"{self._address}: expected the name of a table, such as clinic.patients, or "
                f"its address, {self._address}#clinic.patients"
            )
        if settings is not None and settings.spec():
            raise BadInput(
                f"{min(settings.spec())}: what is declared so is about files; a table of a "
                "database has types, so take it out, and make a view of what has to be changed"
            )
        address = Address(self._address.database, name)
        server = Server(address)
        try:
            return PostgresSource(self, RemoteTable.of(server, name, str(address)))
        except BaseException:  # else the transaction stays open for as long as somebody has this
            server.close()
            raise

    def publishing(self, table: Name) -> NewTables:
        """Begin a transaction that makes the tables of a release; `table`: for messages."""
        return NewTables(self, Address(self._address.database, table))

    def published(self, table: Name) -> PublishedTables:
        """Begin to read the tables of a release; `table`: for messages."""
        return PublishedTables(self, Address(self._address.database, table))

    def open_published(self, path: Path) -> DuckDBSource:
        """Open a file of a release, which the embedded engine wrote."""
        return DuckDBSource(self, path, published=True)
