"""The ledger: which batches came and which releases were made of them, in SQLite.

A release has two entries in time: it is *prepared* before its directory gets its public name, and
*published* after that. So whoever finds a prepared one after a crash knows what to do: the public
directory is there, and the release is complete, or it is not, and all is as before.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from sfumato.errors import BadInput
from sfumato.files.formats import refuse_other_format

FORMAT = 3  # of the tables, and of the terms in them
TABLES = """
CREATE TABLE series (format INTEGER NOT NULL);
CREATE TABLE chains (
    number INTEGER PRIMARY KEY,
    terms TEXT NOT NULL,        -- JSON
    started TEXT NOT NULL       -- UTC
);
CREATE TABLE batches (
    number INTEGER PRIMARY KEY,
    digest TEXT NOT NULL,       -- SHA-256 of the file
    n_rows INTEGER NOT NULL,
    n_left_out INTEGER NOT NULL,
    fingerprint TEXT NOT NULL UNIQUE,
    types TEXT NOT NULL,        -- JSON: column -> type
    typed INTEGER NOT NULL,     -- 0: read from CSV, as text
    received TEXT NOT NULL
);
CREATE TABLE releases (
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
    recipient TEXT              -- whom it was made for; NULL: nobody in particular
);
CREATE TABLE keys (digest TEXT NOT NULL);  -- SHA-256 of the key
"""


@dataclass(frozen=True)
class Chain:
    """Releases that cover the same people and more; another chain is about other people."""

    number: int
    terms: dict[str, Any]
    started: str


@dataclass(frozen=True)
class Batch:
    """Rows that came together."""

    number: int
    digest: str
    n_rows: int
    n_left_out: int
    fingerprint: str
    types: dict[str, str]
    typed: bool
    received: str


@dataclass(frozen=True)
class ReleaseEntry:
    """A release of all batches from the first to the last."""

    number: int
    chain: int
    first_batch: int
    last_batch: int
    own_batch: int | None
    digest: str
    n_rows: int
    n_suppressed: int
    made: str
    published: bool
    recipient: str | None = None  # nobody in particular

    @property
    def name(self) -> str:
        """How messages call it."""
        to = "" if self.recipient is None else f" for {self.recipient!r}"
        return f"{self.number:03d}{to}"

    def covers(self, batch: Batch) -> bool:
        """Whether the rows of a batch are in it."""
        return self.first_batch <= batch.number <= self.last_batch


class Ledger:
    """An open ledger; every change is one transaction."""

    def __init__(self, path: Path) -> None:
        self._path = path
        if not path.is_file():
            raise BadInput(f"{path}: the ledger is missing; this is no series, or a damaged one")
        with self._explained():
            # Autocommit: transactions begin where we say so.
            self._connection = sqlite3.connect(path, isolation_level=None, timeout=10)
        try:
            with self._explained():
                self._connection.execute("PRAGMA synchronous = EXTRA")
                self._connection.execute("PRAGMA foreign_keys = ON")
                formats = self._connection.execute("SELECT format FROM series").fetchall()
            refuse_other_format(path, formats[0][0] if formats else None, FORMAT)
        except BaseException:
            self._connection.close()
            raise

    @staticmethod
    def create(path: Path, chain: Chain, key: str) -> None:
        """Write a new ledger with its first chain; key: SHA-256 of the key."""
        path.touch(mode=0o600)
        connection = sqlite3.connect(path, isolation_level=None)
        try:
            connection.execute("PRAGMA journal_mode = DELETE")  # a read-only copy can be opened
            connection.execute("PRAGMA synchronous = EXTRA")
            connection.executescript(f"BEGIN; {TABLES} COMMIT;")
            connection.execute("INSERT INTO series VALUES (?)", (FORMAT,))
            connection.execute("INSERT INTO keys VALUES (?)", (key,))
            connection.execute(*_inserted("chains", chain))
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

    @property
    def key(self) -> str:
        """SHA-256 of the key of the series."""
        with self._explained():
            return str(self._connection.execute("SELECT max(digest) FROM keys").fetchone()[0])

    @property
    def chains(self) -> list[Chain]:
        """All chains, the first first."""
        return [Chain(**row | {"terms": json.loads(row["terms"])}) for row in self._rows("chains")]

    @property
    def batches(self) -> list[Batch]:
        """All batches in the order in which they came."""
        return [
            Batch(**row | {"types": json.loads(row["types"]), "typed": bool(row["typed"])})
            for row in self._rows("batches")
        ]

    @property
    def releases(self) -> list[ReleaseEntry]:
        """All releases, prepared ones too, in their order."""
        return [
            ReleaseEntry(**row | {"published": bool(row["published"])})
            for row in self._rows("releases")
        ]

    def keep(self, batch: Batch) -> None:
        """Enter a batch that waits for a release."""
        with self._transaction():
            self._connection.execute(*_inserted("batches", batch))

    def prepare(self, release: ReleaseEntry, batch: Batch | None, chain: Chain | None) -> None:
        """Enter a release before it becomes public, with a batch and a chain that are new."""
        with self._transaction():
            for table, entry in (("chains", chain), ("batches", batch), ("releases", release)):
                if entry is not None:
                    self._connection.execute(*_inserted(table, entry))

    def publish(self, number: int) -> None:
        """Enter that a prepared release is public."""
        with self._transaction():
            self._connection.execute(
                "UPDATE releases SET published = 1 WHERE number = ?", (number,)
            )

    def withdraw(self, entry: ReleaseEntry) -> None:
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

    def damage(self) -> str | None:
        """Say what SQLite finds wrong with the file, if anything."""
        with self._explained():
            ((message,),) = self._connection.execute("PRAGMA quick_check(1)").fetchall()
        return None if message == "ok" else str(message)

    def _rows(self, table: str) -> list[dict[str, Any]]:
        with self._explained():
            cursor = self._connection.execute(f"SELECT * FROM {table} ORDER BY number")
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._explained():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:  # else SQLite has taken it back by itself
                    self._connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise BadInput(f"{self._path}: the ledger cannot be used: {error}") from None


def _inserted(table: str, entry: Chain | Batch | ReleaseEntry) -> tuple[str, list[Any]]:
    values = [
        json.dumps(each)
        if isinstance(each, dict)
        else int(each)
        if each is True or each is False
        else each
        for each in vars(entry).values()
    ]
    return f"INSERT INTO {table} VALUES ({', '.join('?' * len(values))})", values
