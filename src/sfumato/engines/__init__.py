"""Engines: the only rooms that see rows. Each knows one source and a few complete verbs."""

from __future__ import annotations

from sfumato.engines.protocol import ENGINES, Engine
from sfumato.errors import BadInput, shown

EMBEDDED = "duckdb"


def engine_of(engine: str | Engine | None = None) -> Engine:
    """Give the engine that is meant: by an object, by a name, or the embedded one."""
    if isinstance(engine, Engine):
        return engine
    if engine is not None and not isinstance(engine, str):
        raise BadInput(f"engine: give the name of one, got {shown(engine)}")
    return ENGINES.find(EMBEDDED if engine is None else engine, None, "engine")()
