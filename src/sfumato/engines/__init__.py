"""Engines: the only rooms that see rows. Each knows one source and a few complete verbs."""

from __future__ import annotations

from pathlib import Path

from sfumato.engines.protocol import Engine
from sfumato.errors import BadInput, shown


def open_source(source: object, engine: str | None = None) -> Engine:
    """Open a source with the engine that fits it."""
    if engine is not None and (not isinstance(engine, str) or engine != "duckdb"):
        raise BadInput(f"engine: known is 'duckdb', got {shown(engine)}")
    from sfumato.engines.duckdb import DuckDBEngine  # noqa: PLC0415  (heavy, so imported when used)

    return DuckDBEngine(source)


def open_published(path: Path) -> Engine:
    """Open a file that an engine wrote as part of a release."""
    from sfumato.engines.duckdb import DuckDBEngine  # noqa: PLC0415

    return DuckDBEngine(path, published=True)
