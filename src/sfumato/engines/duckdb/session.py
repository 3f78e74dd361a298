"""A connection that spills into a private directory, and whose errors name no value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from sfumato.engines.duckdb.explain import about_storage, explanation
from sfumato.errors import BadInput
from sfumato.files.paths import reason, version
from sfumato.files.private_directory import scratch

DAMAGED = "the Parquet file is damaged"
INTERRUPTED = re.compile(r"failed: (KeyboardInterrupt|Stopped)")
MEMORY_LIMIT = "1GB"  # beyond that DuckDB spills


class Session:
    """An embedded DuckDB with one source."""

    def __init__(self) -> None:
        self.scratch = scratch()
        self.connection = duckdb.connect(
            config={
                "temp_directory": str(self.scratch.path / "spill"),
                "memory_limit": MEMORY_LIMIT,
                "autoinstall_known_extensions": "false",
                "autoload_known_extensions": "false",
                "preserve_insertion_order": "false",
                # Nobody knows how many rows a CSV file has, so the larger side of a join is ours
                # to say: always the left one.
                "disabled_optimizers": "join_order,build_side_probe_side",
            }
        )
        self.name = "the table"  # what messages call the source
        self.is_parquet = False
        self._file: Path | None = None
        self._version: tuple[int, ...] = ()  # of the file, to notice when it changes
        with self.explained():
            self.connection.execute("SET TimeZone = 'UTC'")  # one instant, one text, anywhere
            self.connection.execute("SET enable_progress_bar = false")  # it would go to our output

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
            message = str(error)
            if INTERRUPTED.search(message):  # how DuckDB passes one on that met Python
                raise KeyboardInterrupt from None
            self._refuse_changed()
            explained = about_storage(message, self.scratch.path, target)
            if explained is None:
                kind = DAMAGED if self.is_parquet and target is None else None
                explained = explanation(message, self.name, target, kind)
            raise BadInput(explained) from None
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
