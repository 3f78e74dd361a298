"""A server of our own: started as an unprivileged user, in a directory of its own, and stopped."""

import contextlib
import itertools
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import pyarrow as pa
from adbc_driver_postgresql import dbapi

BINARIES = max(Path("/usr/lib/postgresql").glob("*/bin"), default=None)
HBA = """
local all with_password scram-sha-256
host all with_password 127.0.0.1/32 scram-sha-256
local all all trust
host all all 127.0.0.1/32 trust
"""
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "fsync": "off",
    "shared_buffers": "16MB",
    "log_statement": "all",
    "log_connections": "on",
    "log_min_error_statement": "debug5",
    "lc_messages": "C",
    "lock_timeout": "10s",
}
PASSWORD = "correct-horse-battery"


class Server:
    """A running server."""

    def __init__(self, place: Path, port: int) -> None:
        self.place, self.port = place, port
        self.log = place / "log"
        self.password = PASSWORD  # of the role with_password
        self.numbers = itertools.count(1)  # of tables; one that was read is locked for a while

    def address(self, table: str | None = None, database="postgres", role="postgres") -> str:
        """Give the address of a table, by the socket."""
        where = f"postgresql://{role}@/{database}?host={self.place}&port={self.port}"
        return where if table is None else f"{where}#{table}"

    def by_tcp(self, table: str, role="postgres") -> str:
        return f"postgresql://{role}@127.0.0.1:{self.port}/postgres#{table}"

    @contextlib.contextmanager
    def cursor(self, **where):
        with (
            dbapi.connect(self.address(**where), autocommit=True) as connection,
            connection.cursor() as cursor,
        ):
            yield cursor

    def run(self, *statements: str, **where) -> None:
        with self.cursor(**where) as cursor:
            for statement in statements:
                cursor.execute(statement)

    def ask(self, query: str, **where) -> list:
        with self.cursor(**where) as cursor:
            cursor.execute(query)
            return cursor.fetchall()

    def put(self, frame: pa.Table, table: str | None = None, schema: str = "public") -> str:
        """Make a table of a frame, and give its address."""
        table = f"made{next(self.numbers)}" if table is None else table
        with self.cursor() as cursor:
            cursor.adbc_ingest(table, frame, mode="create", db_schema_name=schema)
        for field in frame.schema:
            if pa.types.is_decimal(field.type):
                fixed = f"numeric({field.type.precision},{field.type.scale})"
                name = field.name.replace('"', '""')
                self.run(f'ALTER TABLE {schema}."{table}" ALTER "{name}" TYPE {fixed}')
        return self.address(f'{schema}."{table}"')

    def n_connections(self) -> int:
        ((n,),) = self.ask(
            "SELECT count(*) FROM pg_stat_activity "
            "WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
        )
        return n


def _unprivileged() -> dict:
    """Say who runs the server: it refuses to run as root."""
    if os.getuid():
        return {}
    names = [each.pw_name for each in pwd.getpwall()]
    user = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@contextlib.contextmanager
def running():
    """Start a real server, and stop it."""
    who, place = _unprivileged(), Path(tempfile.mkdtemp(prefix="sfumato-postgres-"))
    if who:
        os.chown(place, who["user"], who["group"])
    process = None
    try:
        data, port = place / "data", _free_port()
        made = ["-D", data, "-U", "postgres", "-E", "UTF8", "--locale=C.UTF-8", "-A", "trust", "-N"]
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
        subprocess.run(
            [f"{BINARIES}/initdb", *made],
            check=True,
            capture_output=True,
            cwd=place,
            env=environment,
            **who,
        )
        (data / "pg_hba.conf").write_text(HBA)
        settings = [part for pair in SETTINGS.items() for part in ("-c", "=".join(pair))]
        with (place / "log").open("wb") as log:
            process = subprocess.Popen(
                [f"{BINARIES}/postgres", "-D", data, "-k", place, "-p", str(port), *settings],
                stdout=log,
                stderr=log,
                cwd=place,
                env=environment,
                **who,
            )
        server = Server(place, port)
        _wait(server, process)
        server.run(
            "CREATE SCHEMA clinic",
            "CREATE ROLE reader LOGIN",
            f"CREATE ROLE with_password LOGIN PASSWORD '{PASSWORD}'",
        )
        yield server
    finally:
        if process is not None:
            process.send_signal(signal.SIGINT)  # which ends connections, too
            process.wait(timeout=30)
        shutil.rmtree(place, ignore_errors=True)


def _wait(server: Server, process: subprocess.Popen) -> None:
    for _ in range(600):
        try:
            server.run("SET client_min_messages TO warning")
        except dbapi.Error:
            if process.poll() is not None:
                raise RuntimeError(server.log.read_text()) from None
            time.sleep(0.05)
        else:
            return
    raise RuntimeError("the server does not start")
