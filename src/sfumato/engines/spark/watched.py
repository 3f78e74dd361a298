"""A source that is watched: errors name it, and a file that changes under way is refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sfumato.engines.spark.cluster import Cluster
from sfumato.errors import BadInput
from sfumato.files.paths import reason, version


@dataclass(frozen=True)
class Watched:
    """What messages call a source, and the versions of its files."""

    cluster: Cluster
    name: str
    versions: Mapping[Path, tuple[int, ...]]

    @contextmanager
    def explained(self, target: Path | None = None) -> Iterator[None]:
        """Turn errors into one line; refuse a file that is not what it was, whatever came of it."""
        try:
            with self.cluster.explained(self.name, target):
                yield
        finally:
            self.refuse_changed()

    def refuse_changed(self) -> None:
        """Refuse to go on with a file that is not what it was."""
        for path, opened in self.versions.items():
            try:
                current = version(path)
            except OSError as error:
                raise BadInput(f"{self.name}: a file is gone: {reason(error)}") from None
            if current != opened:
                raise BadInput(
                    f"{self.name}: the file has changed since it was opened; start again, and let "
                    "nobody write to it meanwhile"
                ) from None
