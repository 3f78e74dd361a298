"""Engines: the only rooms that see rows. An engine joins by being defined."""

from __future__ import annotations

from inspect import signature
from typing import TYPE_CHECKING, Any

from sfumato.data.recoding.instructions import Join, Lookup
from sfumato.data.spellings import Spellings
from sfumato.engines.protocol import (
    ENGINES,
    Batches,
    BatchReceipt,
    Engine,
    People,
    Source,
    WritingPlan,
)
from sfumato.errors import BadInput, nearest, shown

if TYPE_CHECKING:
    from sfumato.engines.duckdb import DuckDB

__all__ = [
    "BatchReceipt",
    "Batches",
    "DuckDB",
    "Engine",
    "Join",
    "Lookup",
    "People",
    "Source",
    "Spellings",
    "WritingPlan",
]
EMBEDDED = "duckdb"


def engine_of(engine: str | Engine | None = None) -> Engine:
    """Give the engine that is meant: by an object, by a name, or the embedded one.

    >>> engine_of("duckdb").name
    'duckdb'
    """
    if isinstance(engine, Engine):
        return engine
    if engine is not None and not isinstance(engine, str):
        raise BadInput(
            f"engine: give a name, or an engine such as sf.engines.DuckDB(), got {shown(engine)}"
        )
    kind = ENGINES.find(EMBEDDED if engine is None else engine, None, "engine")
    try:
        signature(kind).bind()
    except TypeError as error:
        raise BadInput(
            f"engine: {engine!r} cannot be had by its name alone ({error}); make one in Python, "
            f"{kind.__name__}(...), and give that"
        ) from None
    return kind()


def __getattr__(name: str) -> Any:
    if name == "DuckDB":
        from sfumato.engines.duckdb import DuckDB  # noqa: PLC0415  (heavy, so imported when used)

        return DuckDB
    raise AttributeError(f"sfumato.engines has no {name!r}{nearest(name, __all__)}")


def __dir__() -> list[str]:
    return sorted(__all__)
