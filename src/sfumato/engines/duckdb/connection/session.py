"""A connection that spills into a private directory, and whose errors name no value."""

from __future__ import annotations

import errno
import os
import re
import secrets
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import duckdb

from sfumato.data.read_settings import ReadSettings
from sfumato.engines import sql
from sfumato.engines.csv_shape import remedy
from sfumato.engines.duckdb.connection.explain import (
    OTHER_FIELDS,
    about_storage,
    explanation,
    lacks_memory,
    met_lack_of_memory,
)
from sfumato.engines.duckdb.connection.instance import Instance, shared
from sfumato.engines.file_versions import refuse_changed
from sfumato.errors import BadInput, NoRoom
from sfumato.files.paths import version
from sfumato.files.private_directory import no_room
from sfumato.progress import not_enough_memory

ABOUT_LINES = ("skip_end", "skip_rows", "delimiter", "quote")  # what wrong lines may come from
DAMAGED = "the Parquet file is damaged"
INTERRUPTED = re.compile(r"failed: (KeyboardInterrupt|Stopped)")
# After these a DuckDB may refuse whatever comes, or have less room than it should.
BROKEN = (
    duckdb.FatalException,
    duckdb.InternalException,
    duckdb.IOException,
    duckdb.OutOfMemoryException,
)


class Session:
    """A connection of one source."""

    def __init__(self) -> None:
        self.name = "the table"  # what messages call the source
        self.is_parquet = False
        self.settings = ReadSettings()  # what is declared about the source
        self._versions: dict[Path, tuple[int, ...]] = {}  # of files, to notice when they change
        self._links: dict[Path, Path] = {}  # to the files that it reads, and copies of them
        self._first_lines: dict[Path, int] = {}  # of copies that begin with a later line
        self._begin(shared())

    def alone(self) -> None:
        """Go on with a DuckDB that no other source has: what is attached to it goes with it."""
        self._leave()
        self._begin(Instance())

    def _begin(self, instance: Instance) -> None:
        self._instance = instance
        self.connection, self.directory = instance.enter()
        self._leave = weakref.finalize(self, _left, instance, self._links)

    def linked(self, path: Path) -> str:
        """Quote a file for SQL: a link to it, so that no part of its name is read as a pattern."""
        link = self.directory / f"file-{secrets.token_hex(8)}"
        try:
            link.symlink_to(path.absolute())
        except OSError as error:
            raise no_room(error) from None
        self._links[link] = path
        return sql.text(link)

    def copy_of(self, path: Path, first_line: int) -> Path:
        """Name a private file for what a file holds from some line on; it goes with the source."""
        copy = self.directory / f"copy-{secrets.token_hex(8)}"
        self._links[copy], self._first_lines[path] = path, first_line
        return copy

    def private_file(self) -> Path:
        """Name a private file that goes with the source."""
        place = self.directory / f"copy-{secrets.token_hex(8)}"
        self._links[place] = place
        return place

    @property
    def watched(self) -> tuple[Path, ...]:
        """The files that it reads."""
        return tuple(self._versions)

    def watch(self, path: Path) -> None:
        """Refuse from now on to go on with a file that has changed."""
        self._versions[path] = version(path)

    @contextmanager
    def explained(self, target: Path | None = None) -> Iterator[None]:
        """Turn the engine's errors into one line that names the place and no value.

        A file that is not what it was when it was opened is refused, whatever became of the query:
        what was decided about the old rows does not hold for new ones.
        """
        try:
            yield
        except duckdb.Error as error:
            if isinstance(error, BROKEN):
                self._instance.usable = False
            message = str(error)
            for link, path in self._links.items():
                message = message.replace(str(link), str(path))
            if INTERRUPTED.search(message):  # how DuckDB passes one on that met Python
                raise KeyboardInterrupt from None
            self.refuse_changed()
            if not self.directory.is_dir():
                gone = FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), self.directory)
                raise no_room(gone) from None
            if met_lack_of_memory(error):
                raise NoRoom(f"{self.name}: {not_enough_memory()}") from None
            refused = about_storage(message, self.directory, target)
            if refused is not None:
                raise NoRoom(refused) from None
            kind = DAMAGED if self.is_parquet and target is None else None
            name, file = self._place_in(message)
            first_line = 1 if file is None else self._first_lines.get(file, 1)
            explained = explanation(message, name, target, kind, first_line)
            if OTHER_FIELDS in explained:
                explained += remedy(file, self.settings, ABOUT_LINES)
            raise (NoRoom if lacks_memory(message) else BadInput)(explained) from None
        except RuntimeError as error:
            if "interrupted" in str(error):  # how DuckDB passes on a Ctrl-C
                raise KeyboardInterrupt from None
            if lacks_memory(str(error)):
                raise NoRoom(f"{self.name}: {not_enough_memory()}") from None
            raise
        self.refuse_changed()

    def _place_in(self, message: str) -> tuple[str, Path | None]:
        """Give the file that a message is about, and what it is called."""
        for path in self._versions:
            if f"file = {path}\n" in message or len(self._versions) == 1:
                return (self.name if len(self._versions) == 1 else str(path)), path
        return self.name, None

    def remedy(self) -> str:
        """Say which setting would find other names in the first file."""
        path = next(iter(self._versions), None)
        return remedy(path, self.settings, ("skip_rows", "delimiter", "quote"))

    def refuse_changed(self) -> None:
        """Refuse to go on with a file that is not what it was."""
        refuse_changed(self.name, self._versions)


def _left(instance: Instance, links: Iterable[Path]) -> None:
    """Let a source go, with its links."""
    for link in links:
        with suppress(OSError):
            link.unlink()
    instance.leave()
