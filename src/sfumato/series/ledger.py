"""The ledger: which batches came and which releases were made of them, in SQLite.

A release has two entries in time: it is *prepared* before its directory gets its public name, and
*published* after that. So whoever finds a prepared one after a crash knows what to do: the public
directory is there, and the release is complete, or it is not, and all is as before. A batch is
entered before its file gets its name, and *kept* after that.

Every entry carries a digest by the key of the series, and all of them a seal. Both are compared
whenever a ledger is opened, before anything in it is believed.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from types import TracebackType
from typing import Any

from sfumato.errors import BadInput
from sfumato.files.formats import refuse_other_format
from sfumato.series.entries import Batch, Chain, ReleaseEntry
from sfumato.series.seal import Seal, Value

FORMAT = 5  # of the tables, and of the terms in them
TABLES = {
    "series": """CREATE TABLE series (
    format INTEGER NOT NULL,    -- in this table and column, whatever the format is
    known_key TEXT NOT NULL,    -- keyed digest of nothing: tells another key from damage
    seal TEXT NOT NULL          -- keyed digest of the format and of all entries
)""",
    "chains": """CREATE TABLE chains (
    number INTEGER PRIMARY KEY,
    terms TEXT NOT NULL,        -- JSON
    started TEXT NOT NULL,      -- UTC
    sealed TEXT NOT NULL        -- keyed digest of the entry
)""",
    "batches": """CREATE TABLE batches (
    number INTEGER PRIMARY KEY,
    digest TEXT NOT NULL,       -- SHA-256 of the file
    n_rows INTEGER NOT NULL,
    n_left_out INTEGER NOT NULL,
    fingerprint TEXT NOT NULL,
    types TEXT NOT NULL,        -- JSON: column -> type
    typed INTEGER NOT NULL,     -- 0: read from CSV, as text
    received TEXT NOT NULL,
    kept INTEGER NOT NULL,      -- 0: the file may not have its name yet
    sealed TEXT NOT NULL
)""",
    "releases": """CREATE TABLE releases (
    number INTEGER PRIMARY KEY,
    chain INTEGER NOT NULL REFERENCES chains,
    first_batch INTEGER NOT NULL REFERENCES batches,
    last_batch INTEGER NOT NULL REFERENCES batches,
    own_batch INTEGER,          -- the batch that came with it
    digest TEXT NOT NULL,       -- SHA-256 of release.json, which has those of the tables
    n_rows INTEGER NOT NULL,
    n_suppressed INTEGER NOT NULL,
    made TEXT NOT NULL,
    published INTEGER NOT NULL, -- 0: prepared
    recipient TEXT,             -- whom it was made for; NULL: nobody in particular
    withdrawn TEXT,             -- since when; NULL: it is not
    sealed TEXT NOT NULL
)""",
}
ENTRIES = {"chains": "chain", "batches": "batch", "releases": "release"}  # as messages call them
RESTORE = "restore the newest copy of private/"


class Ledger:
    """An open ledger; every change is one transaction.

    chains: All chains, the first first.
    batches: All batches in the order in which they came.
    releases: All releases, prepared and withdrawn ones too, in their order.
    """

    chains: list[Chain]
    batches: list[Batch]
    releases: list[ReleaseEntry]

    def __init__(self, path: Path, key: bytes) -> None:
        self._path = path
        self._seal = Seal(key)
        if not path.is_file():
            raise BadInput(f"{path}: the ledger is missing; this is no series, or a damaged one")
        with self._explained():
            # Autocommit: transactions begin where we say so.
            self._connection = sqlite3.connect(path, isolation_level=None, timeout=10)
        try:
            self._read()
        except BaseException:
            self._connection.close()
            raise

    @staticmethod
    def create(path: Path, chain: Chain, key: bytes) -> None:
        """Write a new ledger with its first chain."""
        path.touch(mode=0o600)
        seal = Seal(key)
        connection = sqlite3.connect(path, isolation_level=None)
        try:
            connection.execute("PRAGMA journal_mode = DELETE")  # a read-only copy can be opened
            connection.execute("PRAGMA synchronous = EXTRA")
            connection.execute("BEGIN")
            for table in TABLES.values():
                connection.execute(table)
            written = _written(chain)
            sealed = seal.of("chains", written)
            connection.execute("INSERT INTO chains VALUES (?, ?, ?, ?)", (*written, sealed))
            values = (FORMAT, seal.of("key", []), seal.of("series", [FORMAT, sealed]))
            connection.execute("INSERT INTO series VALUES (?, ?, ?)", values)
            connection.execute("COMMIT")
        finally:
            connection.close()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._connection.close()

    def terms_of(self, entry: ReleaseEntry) -> dict[str, Any]:
        """Give the terms of the chain that a release is in."""
        (chain,) = (each for each in self.chains if each.number == entry.chain)
        return chain.terms

    def enter(self, batch: Batch) -> None:
        """Enter a batch before its file gets its name."""
        with self._transaction():
            self._put("batches", batch)

    def keep(self, batch: Batch) -> None:
        """Enter that a batch is kept, and waits for a release."""
        with self._transaction():
            self._put("batches", replace(batch, kept=True))

    def drop(self, batch: Batch) -> None:
        """Take a batch out again that is not kept."""
        with self._transaction():
            self._connection.execute("DELETE FROM batches WHERE number = ?", (batch.number,))

    def prepare(self, release: ReleaseEntry, batch: Batch | None, chain: Chain | None) -> None:
        """Enter a release before it becomes public, with a batch and a chain that are new."""
        with self._transaction():
            for table, entry in (("chains", chain), ("batches", batch), ("releases", release)):
                if entry is not None:
                    self._put(table, entry)

    def publish(self, entry: ReleaseEntry) -> None:
        """Enter that a prepared release is public."""
        with self._transaction():
            self._put("releases", replace(entry, published=True))
            for batch in self.batches:
                if batch.number == entry.own_batch:
                    self._put("batches", replace(batch, kept=True))

    def take_back(self, entry: ReleaseEntry) -> None:
        """Take a prepared release out again, with the batch and the chain that came with it."""
        with self._transaction():
            run = self._connection.execute
            run("DELETE FROM releases WHERE number = ? AND published = 0", (entry.number,))
            run("DELETE FROM batches WHERE number = ?", (entry.own_batch,))
            run(
                "DELETE FROM chains WHERE number = ? AND number > 1 "
                "AND number NOT IN (SELECT chain FROM releases)",
                (entry.chain,),
            )

    def withdraw(self, entry: ReleaseEntry, since: str) -> ReleaseEntry:
        """Enter that a release is withdrawn."""
        withdrawn = replace(entry, withdrawn=since)
        with self._transaction():
            self._put("releases", withdrawn)
        return withdrawn

    def _put(self, table: str, entry: Chain | Batch | ReleaseEntry) -> None:
        values = _written(entry)
        row = [*values, self._seal.of(table, values)]
        places = ", ".join("?" * len(row))
        self._connection.execute(f"INSERT OR REPLACE INTO {table} VALUES ({places})", row)

    def _read(self) -> None:
        """Read everything at one moment, and refuse what is not as it was written."""
        with self._explained():
            run = self._connection.execute
            run("PRAGMA synchronous = EXTRA")
            run("PRAGMA foreign_keys = ON")
            run("BEGIN")
            try:
                formats = run("SELECT format FROM series").fetchall()
                refuse_other_format(self._path, formats[0][0] if formats else None, FORMAT)
                self._refuse_other_tables()
                rows = {name: self._rows(name) for name in ENTRIES}
                seals = self._rows("series")
            finally:
                if self._connection.in_transaction:
                    run("COMMIT")
        self._refuse_changed(rows, seals)
        self.chains = [
            Chain(**row | {"terms": json.loads(row["terms"])})
            for row in _by_name(Chain, rows["chains"])
        ]
        self.batches = [
            Batch(
                **row
                | {"types": json.loads(row["types"])}
                | {name: bool(row[name]) for name in ("typed", "kept")}
            )
            for row in _by_name(Batch, rows["batches"])
        ]
        self.releases = [
            ReleaseEntry(**row | {"published": bool(row["published"])})
            for row in _by_name(ReleaseEntry, rows["releases"])
        ]

    def _rows(self, table: str) -> list[Any]:
        order = "number" if table in ENTRIES else "rowid"
        return self._connection.execute(f"SELECT * FROM {table} ORDER BY {order}").fetchall()

    def _refuse_other_tables(self) -> None:
        """Refuse a damaged file, and one with other tables or with triggers."""
        run = self._connection.execute
        ((found,), *_) = run("PRAGMA integrity_check(1)").fetchall()
        if found != "ok":
            raise self._damaged(f"SQLite says: {found}")
        ((mode,),) = run("PRAGMA journal_mode").fetchall()
        schema = run(
            "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY rowid"
        ).fetchall()
        expected = [("table", name, name, sql) for name, sql in TABLES.items()]
        if mode != "delete" or schema != expected:
            raise self._damaged("its tables are not those that were made")

    def _refuse_changed(self, rows: dict[str, list[Any]], seals: list[Any]) -> None:
        """Refuse entries whose digests do not fit, and others than those that were sealed."""
        changed = [
            f"{ENTRIES[table]} {row[0]}"
            for table, entries in rows.items()
            for row in entries
            if not self._seal.fits(row[-1], table, row[:-1])
        ]
        sealed = [row[-1] for entries in rows.values() for row in entries]
        known = len(seals) == 1 and self._seal.fits(seals[0][1], "key", [])
        whole = len(seals) == 1 and self._seal.fits(seals[0][2], "series", [FORMAT, *sealed])
        if not known and not whole and len(changed) == len(sealed):
            key = self._path.with_name("key")
            raise BadInput(
                f"{key}: not the key of this series, since nothing in the ledger was written with "
                "it; restore it, or people cannot be told apart"
            )
        if changed:
            raise self._damaged(f"not as it was entered: {', '.join(changed)}")
        if not whole or not known:
            raise self._damaged("entries are missing, or are not those that were sealed")

    def _damaged(self, what: str) -> BadInput:
        return BadInput(f"{self._path}: the ledger was changed, or is damaged: {what}; {RESTORE}")

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._explained():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                sealed = [row[-1] for table in ENTRIES for row in self._rows(table)]
                seal = self._seal.of("series", [FORMAT, *sealed])
                self._connection.execute("UPDATE series SET seal = ?", (seal,))
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:  # else SQLite has taken it back by itself
                    self._connection.execute("ROLLBACK")
                raise
        self._read()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, UnicodeError, OverflowError) as error:
            raise BadInput(f"{self._path}: the ledger cannot be used: {error}") from None


def _by_name(kind: type, rows: list[Any]) -> Iterator[dict[str, Any]]:
    """Give the values of entries by the names of their fields, which are those of the columns."""
    names = [field.name for field in fields(kind)]
    for row in rows:
        yield dict(zip(names, row[:-1], strict=True))


def _written(entry: Chain | Batch | ReleaseEntry) -> list[Value]:
    """Give the values of an entry as SQLite has them, in the order of the columns."""
    return [
        json.dumps(each)
        if isinstance(each, dict)
        else int(each)
        if each is True or each is False
        else each
        for each in vars(entry).values()
    ]
