"""A source that is watched: errors name it, and a file that changes under way is refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sfumato.engines.file_versions import Versions, refuse_changed
from sfumato.engines.spark.cluster import Cluster


@dataclass(frozen=True)
class Watched:
    """What messages call a source, and the versions of its files."""

    cluster: Cluster
    name: str
    versions: Versions

    @contextmanager
    def explained(self, target: Path | None = None) -> Iterator[None]:
        """Turn errors into one line; refuse a file that is not what it was, whatever came of it."""
        try:
            with self.cluster.explained(self.name, target):
                yield
        finally:
            refuse_changed(self.name, self.versions)
