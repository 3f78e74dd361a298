"""A server that is asked within one transaction, and whose errors name no value and no query."""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from threading import Thread
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import pyarrow as pa

from sfumato.address import Address
from sfumato.errors import BadInput, NoRoom
from sfumato.progress import not_enough_memory

if TYPE_CHECKING:
    from adbc_driver_manager.dbapi import Connection

T = TypeVar("T")
OFTEN = 0.2  # seconds after which a signal is heard
PATIENCE = 10  # seconds that a query has to stop
EXTRA = (
    "PostgreSQL needs adbc-driver-postgresql; in a clone of sfumato, install it with: "
    ".venv/bin/pip install -e '.[postgres]'"
)
# One snapshot for all that is asked; times in UTC; rows that a policy hides are an error, not gone.
BEGINNING = (
    "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
    "SET LOCAL TIME ZONE 'UTC'",
    "SET LOCAL client_encoding TO 'UTF8'",
    "SET LOCAL standard_conforming_strings TO on",  # a backslash is one, whatever a role has set
    "SET LOCAL row_security TO off",
)
UNREAD = (  # an error without a state is the driver's
    "the driver cannot read what the server gave; a column may have a type that it does not know, "
    "such as arrays of arrays: leave it without a role, or read a view that casts it to text"
)
UNREACHABLE = [  # what libpq says, and what it means
    (r"password authentication failed|no password supplied|authentication failed", "refused the "
     "password of the role; put the right one into ~/.pgpass, PGPASSWORD or a service file"),
    (r'database "[^"]*" does not exist', "has no such database; look at the address"),
    (r'role "[^"]*" does not exist', "knows no such role; name another one, "
     "postgresql://role@host/database"),
    (r"no pg_hba\.conf entry", "does not let this role in from here; see its pg_hba.conf"),
    (r"permission denied for database", "does not let the role in; GRANT CONNECT ON DATABASE ..."),
    (r"too many (clients|connections)|remaining connection slots", "has too many connections; "
     "try again later"),
    (r"starting up|shutting down|in recovery", "is starting or stopping; try again later"),
    (r"translate host name", "has a name that nobody knows; look at the address"),
    (r"invalid URI|invalid connection option|invalid port|invalid .* value: ",
     "cannot be asked: the address is not as libpq writes it, or has an option it does not know"),
    (r"service file|definition of service", "is named by a service that is not in a service file"),
    (r"SSL|certificate", "could not agree with us on encryption (SSL); see sslmode"),
    (r"Connection refused|No such file|timed? ?out|No route|unreachable",
     "does not answer; is it running there?"),
]  # fmt: skip
LOST = "the connection to the server was lost, and nothing was released; start again"
REASONS = {  # SQLSTATE, or its class -> what it means
    "42501": "no right to read it; GRANT SELECT on it, and on what a view reads, to the role",
    "42P01": "it is gone since it was opened; start again",
    "25P03": f"{LOST} (the server ends idle transactions: idle_in_transaction_session_timeout)",
    "25": "the transaction has ended after an error; read the table again",
    "57014": "the server stopped the query (statement_timeout, or somebody cancelled it)",
    "53": "the server has too little memory, room on disk or connections",
    "57": LOST,
    "58": "the server met an error of its system; see its log",
    "08": LOST,
    "40": "the server ended the transaction; start again",
    "22": "a value cannot be read; the server's log says which, so make a view without it",
}
WITHOUT_STATE = [  # what comes in the middle of an answer has no SQLSTATE
    (r"server closed the connection|terminat|connection (not open|to server)|Failed to begin|"
     r"could not (receive|send) data|no connection", "08"),
    (r"canceling statement", "57014"),
    (r"in an error state", "25"),
    (r"ERROR:", "22"),
]  # fmt: skip


class Server:
    """A connection, in a transaction that sees one state of the database and changes nothing."""

    beginning: ClassVar[Sequence[str]] = BEGINNING  # what the transaction begins with
    reasons: ClassVar[Mapping[str, str]] = REASONS

    def __init__(self, address: Address) -> None:
        self.address = address
        self._connection = connection = _connected(address)
        self._end = weakref.finalize(self, _close, connection)
        try:
            with self.explained():
                for statement in self.beginning:
                    self._run(statement)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the connection, and with it what was not committed."""
        self._end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def asked(self, query: str) -> list[dict[str, Any]]:
        """Give the rows of a short answer."""
        with self.streamed(query) as (schema, batches):
            rows: list[dict[str, Any]] = pa.Table.from_batches(batches, schema).to_pylist()
            return rows

    @contextmanager
    def streamed(self, query: str) -> Iterator[tuple[pa.Schema, Iterator[pa.RecordBatch]]]:
        """Give the rows of an answer batch by batch; whoever stops reading stops the query."""
        with self.explained(), self._connection.cursor() as cursor:
            try:
                waited_for(lambda: cursor.execute(query), cursor.adbc_cancel)
                reader = cursor.fetch_record_batch()
                yield _plain(reader.schema), _batches(reader, cursor.adbc_cancel)
            except BaseException:
                with suppress(Exception):  # the connection may be lost
                    cursor.adbc_cancel()
                raise

    def _run(self, statement: str) -> None:
        with self._connection.cursor() as cursor:
            waited_for(lambda: cursor.execute(statement), cursor.adbc_cancel)

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Turn the driver's errors, which repeat queries and values, into one line of ours."""
        from adbc_driver_manager import Error  # noqa: PLC0415  (of an extra)

        try:
            yield
        except (Error, OSError, pa.ArrowException) as error:
            raise _explanation(error, str(self.address), self.reasons) from None
        except MemoryError:
            raise NoRoom(f"{self.address}: {not_enough_memory()}") from None


def waited_for(work: Callable[[], T], stop: Callable[[], object] | None = None) -> T:
    """Do what may take long in another thread, so that a Ctrl-C is heard meanwhile.

    The driver would hear it itself, and say no more than that the query was cancelled. stop: What
    ends the work when somebody interrupts it; it is not left alone with what it works on.
    """
    outcome: Future[T] = Future()

    def run() -> None:
        try:
            outcome.set_result(work())
        except BaseException as error:
            outcome.set_exception(error)

    Thread(target=run, daemon=True).start()
    try:
        while not outcome.done():
            wait([outcome], timeout=OFTEN)
    except BaseException:
        if stop is not None:
            with suppress(Exception):
                stop()
            wait([outcome], timeout=PATIENCE)
        raise
    return outcome.result()


def _connected(address: Address) -> Connection:
    try:
        from adbc_driver_manager import Error  # noqa: PLC0415  (of an extra)
        from adbc_driver_postgresql import dbapi  # noqa: PLC0415
    except ImportError:
        raise BadInput(EXTRA) from None
    try:
        connection: Connection = waited_for(
            lambda: dbapi.connect(address.database, autocommit=False)
        )
    except Error as error:
        raise BadInput(_unreachable(str(error), address)) from None
    return connection


def _unreachable(message: str, address: Address) -> str:
    """Say why there is no connection, by what libpq says; of that only the place is repeated."""
    place = re.search(r'connection to server (?:at|on socket) "[^"]*"(?:[^:]*, port \d+)?', message)
    where = place[0].removeprefix("connection to ") if place else "server"
    for pattern, meaning in UNREACHABLE:
        if re.search(pattern, message):
            return f"{address}: the {where} {meaning}"
    return f"{address}: the {where} cannot be reached; try psql with the same address"


def _explanation(error: Exception, name: str, reasons: Mapping[str, str]) -> BadInput:
    state = getattr(error, "sqlstate", None) or ""
    message = str(error)
    if not state and (found := re.search(r"SQLSTATE: (\w{5})", message)):
        state = found[1]
    if not state:
        state = next((each for said, each in WITHOUT_STATE if re.search(said, message)), "")
    if "row-level security" in message:
        return BadInput(
            f"{name}: row-level security would hide rows from this role, and a release would be of "
            "some people only; read it as a role with BYPASSRLS, or have its owner make a view"
        )
    meaning = reasons.get(state) or reasons.get(state[:2])
    if meaning is None:
        meaning = f"the server refused a query (SQLSTATE {state}); see its log" if state else UNREAD
    return BadInput(f"{name}: {meaning}")


def _batches(reader: pa.RecordBatchReader, stop: Callable[[], object]) -> Iterator[pa.RecordBatch]:
    schema = _plain(reader.schema)
    while (batch := waited_for(lambda: next(reader, None), stop)) is not None:
        yield pa.RecordBatch.from_arrays(batch.columns, schema=schema)


def _plain(schema: pa.Schema) -> pa.Schema:
    """Leave out what the driver adds to names and types."""
    return pa.schema([pa.field(field.name, field.type) for field in schema])


def _close(connection: Connection) -> None:
    with suppress(Exception):  # it may be lost
        connection.close()
