"""DuckDB, the embedded engine: CSV, Parquet and anything that speaks the Arrow C stream."""

from __future__ import annotations

from pathlib import Path

from sfumato.data.read_settings import ReadSettings
from sfumato.engines.duckdb.source import DuckDBSource
from sfumato.engines.protocol import Engine


class DuckDB(Engine):
    """An embedded DuckDB for each source, which spills into a private directory.

    >>> import sfumato as sf
    >>> sf.engines.DuckDB().open(sf.datasets.patients()).columns
    ('name', 'age', 'zip', 'sex', 'disease')
    """

    name = "duckdb"

    def open(self, source: object, settings: ReadSettings | None = None) -> DuckDBSource:
        """Open a file, several as one, a data frame or stream, or batches of a series."""
        return DuckDBSource(self, source, settings)

    def open_published(self, path: Path) -> DuckDBSource:
        """Open a file of a release: delimited by commas, marks of formulas taken off."""
        return DuckDBSource(self, path, published=True)
