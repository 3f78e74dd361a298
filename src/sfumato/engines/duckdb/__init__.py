"""DuckDB, the embedded engine: CSV, Parquet and anything that speaks the Arrow C stream."""

from sfumato.engines.duckdb.engine import DuckDBEngine

__all__ = ["DuckDBEngine"]
