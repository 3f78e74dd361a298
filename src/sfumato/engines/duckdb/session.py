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

from sfumato.engines import sql
from sfumato.engines.duckdb.explain import about_storage, explanation, lacks_memory
from sfumato.engines.duckdb.instance import Instance, shared
from sfumato.errors import BadInput, NoRoom
from sfumato.files.paths import reason, version
from sfumato.files.private_directory import no_room

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
        self._file: Path | None = None
        self._version: tuple[int, ...] = ()  # of the file, to notice when it changes
        self._links: dict[Path, Path] = {}  # to the files that it reads
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

    def watch(self, path: Path) -> None:
        """Refuse from now on to go on with a file that has changed."""
        self._file, self._version = path, version(path)

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
            self._refuse_changed()
            if not self.directory.is_dir():
                gone = FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), self.directory)
                raise no_room(gone) from None
            refused = about_storage(message, self.directory, target)
            if refused is not None:
                raise NoRoom(refused) from None
            kind = DAMAGED if self.is_parquet and target is None else None
            explained = explanation(message, self.name, target, kind)
            raise (NoRoom if lacks_memory(message) else BadInput)(explained) from None
        except RuntimeError as error:
            if "interrupted" in str(error):  # how DuckDB passes on a Ctrl-C
                raise KeyboardInterrupt from None
            raise
        self._refuse_changed()

    def _refuse_changed(self) -> None:
        if self._file is None:
            return
        try:
            current = version(self._file)
        except OSError as error:
            raise BadInput(f"{self.name}: the file is gone: {reason(error)}") from None
        if current != self._version:
            raise BadInput(
                f"{self.name}: the file has changed since it was opened; start again, and let "
                "nobody write to it meanwhile"
            ) from None  # whatever the engine says of the new rows


def _left(instance: Instance, links: Iterable[Path]) -> None:
    """Let a source go, with its links."""
    for link in links:
        with suppress(OSError):
            link.unlink()
    instance.leave()
