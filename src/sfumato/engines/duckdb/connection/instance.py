"""One DuckDB for all sources that are open at a time: starting one takes longer than small tables.

Sources see nothing of each other: each has a connection of its own, and what it makes is temporary,
which belongs to the connection. They share a private directory to spill into that goes with the
last of them, and a DuckDB that has spilled goes along.
"""

from __future__ import annotations

import os
import threading
from fractions import Fraction
from pathlib import Path

import duckdb

from sfumato.files.private_directory import PrivateDirectory, scratch, spill_parent
from sfumato.memory import left, left_in_groups

MEMORY_LIMIT = "1GB"  # beyond that DuckDB spills
PLENTY = 8 << 30  # bytes that a process may ask for and never comes near to
SHARE = Fraction(1, 8)  # of less than that
FILLED = 4 << 30  # bytes of which a DuckDB fills no larger share than it should
SHARE_FILLED = Fraction(1, 4)  # of less than that
# In this order. Files may be anywhere on this machine, as sources and releases are; nothing comes
# from elsewhere, no extension, and no variable of Python that happens to have a table's name.
SETTLED = {
    "TimeZone": "'UTC'",  # one instant, one text, anywhere
    "allow_community_extensions": "false",
    "python_enable_replacements": "false",
    "allowed_directories": "['/']",
    "enable_external_access": "false",
    "lock_configuration": "true",
}

_lock = threading.RLock()  # a source may go while its own thread opens another


class Instance:
    """A DuckDB, and the private directory that it spills into while sources use it."""

    def __init__(self) -> None:
        self.usable = True
        self._n_sources = 0
        self._scratch: PrivateDirectory | None = None
        self._place: Path | None = None  # of the last private directory, which the DuckDB knows
        self._connection: duckdb.DuckDBPyConnection | None = None

    def enter(self) -> tuple[duckdb.DuckDBPyConnection, Path]:
        """Give a source a connection and the private directory; `leave` ends it."""
        with _lock:
            self._n_sources += 1  # first: others may leave at any moment
            try:
                if self._scratch is None:
                    self._scratch = scratch(None if self._place is None else self._place.name)
                if self._connection is None or self._scratch.path != self._place:
                    self._place = self._scratch.path
                    self._connection = _started(self._place)
                return self._connection.cursor(), self._place
            except BaseException:
                self.leave()
                raise

    def leave(self) -> None:
        """Let a source go; the last one takes the directory along."""
        with _lock:
            self._n_sources -= 1
            if self._n_sources or self._scratch is None:
                return
            if _spill(self._scratch.path).exists():  # DuckDB keeps to the directory that it used
                self.usable = False
            self._scratch.close()
            self._scratch = None

    @property
    def fits(self) -> bool:
        """Whether a source that is opened now can use it: it spills where it should."""
        if not self.usable or self._scratch is None:
            return self.usable
        place = self._scratch.path
        return place.parent == spill_parent() and place.is_dir()


def shared() -> Instance:
    """Give the DuckDB of this process; a new one where the last is of no use any more."""
    with _lock:
        instance = _instances.get(os.getpid())
        if instance is None or not instance.fits:
            instance = _instances[os.getpid()] = Instance()
        return instance


_instances: dict[int, Instance] = {}  # by process: a forked child cannot use its parent's


def _spill(place: Path) -> Path:
    return place / "spill"


def _within(room: int | None, filled: int | None) -> dict[str, str]:
    """Say how much memory a DuckDB takes: much less than the system allows the whole process.

    What it asks for beyond a limit of its own it spills, or says so; what the system refuses to it
    or to libraries beside it may end the process.

    room: bytes that the process may ask for; a thread asks for many that it never fills.
    filled: bytes that it may fill.
    """
    shares = []
    if room is not None and room < PLENTY:
        shares.append(room * SHARE)
    threads = {"threads": "1"} if shares else {}
    if filled is not None and filled < FILLED:
        shares.append(filled * SHARE_FILLED)
    limit = f"{int(min(shares)) >> 20}MB" if shares else MEMORY_LIMIT
    return {"memory_limit": limit, **threads}


def _started(place: Path) -> duckdb.DuckDBPyConnection:
    """Start a DuckDB that reads and writes files of this machine, and can be told nothing else."""
    connection = duckdb.connect(
        config={
            "temp_directory": str(_spill(place)),
            **_within(left(), left_in_groups()),
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "preserve_insertion_order": "false",
            # Nobody knows how many rows a CSV file has, so the larger side of a join is ours
            # to say: always the left one.
            "disabled_optimizers": "join_order,build_side_probe_side",
        }
    )
    for name, value in SETTLED.items():
        connection.execute(f"SET GLOBAL {name} = {value}")
    return connection
