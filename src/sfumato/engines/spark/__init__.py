"""Spark, for tables that outgrow one machine: counted, recoded and read back on a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter

from sfumato.data.read_settings import ReadSettings
from sfumato.engines.protocol import ENGINES, Batches, Engine, Source
from sfumato.errors import BadInput

if TYPE_CHECKING:
    from sfumato.engines.spark.cluster import Cluster

MISSING = "engine 'spark': pyspark is not installed; pip install 'sfumato[spark]'"


class Spark(Engine):
    """A Spark session, classic or Connect: that of a user, the active one, or a new one.

    It needs the extra `spark`, and Java 17 where the session runs. Nothing is started before a
    source is opened.

    >>> import sfumato as sf
    >>> sf.engines.Spark().name
    'spark'
    """

    name = "spark"

    def __init__(self, session: Any = None) -> None:
        self._session = session
        self._cluster: Cluster | None = None

    def open(self, source: object, settings: ReadSettings | None = None) -> Source:
        """Open a Spark frame, a table by name, Parquet, a CSV file, or any Arrow data frame."""
        if isinstance(source, Batches):  # of a series, which the embedded engine keeps
            return ENGINES["duckdb"]().open(source, settings)
        self._refuse_without_pyspark()
        with _silent():
            from sfumato.engines.spark.opening import opened  # noqa: PLC0415  (imports pyspark)
            from sfumato.engines.spark.source import SparkSource  # noqa: PLC0415

        cluster = self._on(source)
        return SparkSource(self, cluster, opened(cluster, source, settings or ReadSettings()))

    def open_published(self, path: Path) -> Source:
        """Open a table of a release: a file, or a directory of part files."""
        self._refuse_without_pyspark()
        with _silent():
            from sfumato.engines.spark.opening import opened_published  # noqa: PLC0415
            from sfumato.engines.spark.source import SparkSource  # noqa: PLC0415

        cluster = self._on(path)
        return SparkSource(self, cluster, opened_published(cluster, path))

    def _on(self, source: object) -> Cluster:
        """Give the cluster that a source is read on; a frame may say which."""
        if self._cluster is None:
            from sfumato.engines.spark.cluster import Cluster  # noqa: PLC0415

            self._cluster = Cluster.of(self._session, source)
        return self._cluster

    def _refuse_without_pyspark(self) -> None:
        if find_spec("pyspark") is None:
            raise BadInput(MISSING)


@contextmanager
def _silent() -> Iterator[None]:
    """Import pyspark without what it says of versions of pandas, which we do not use there."""
    with catch_warnings():
        simplefilter("ignore", FutureWarning)
        yield
