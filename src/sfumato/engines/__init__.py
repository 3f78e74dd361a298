"""Engines: the only rooms that see rows. Each knows one source and a few complete verbs."""

from __future__ import annotations

from sfumato.engines.protocol import Engine
from sfumato.errors import BadInput, shown


def engine_of(engine: str | Engine | None = None) -> Engine:
    """Give the engine that is meant: by an object, by a name, or the embedded one."""
    if isinstance(engine, Engine):
        return engine
    if engine is not None and (not isinstance(engine, str) or engine != "duckdb"):
        raise BadInput(f"engine: known is 'duckdb', got {shown(engine)}")
    from sfumato.engines.duckdb import DuckDB  # noqa: PLC0415  (heavy, so imported when used)

    return DuckDB()
