"""Engines: the only rooms that see rows. An engine joins by being defined."""

from __future__ import annotations

from inspect import signature
from typing import TYPE_CHECKING, Any, cast

from sfumato.address import Address, is_address, refuse_other_forms
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
    from sfumato.engines.postgres import Postgres
    from sfumato.engines.spark import Spark

__all__ = [
    "BatchReceipt",
    "Batches",
    "DuckDB",
    "Engine",
    "Join",
    "Lookup",
    "People",
    "Postgres",
    "Source",
    "Spark",
    "Spellings",
    "WritingPlan",
]
EMBEDDED = "duckdb"
HEAVY = {"DuckDB": EMBEDDED, "Postgres": "postgres", "Spark": "spark"}  # so imported when used


def engine_of(engine: str | Engine | None = None, source: object = None) -> Engine:
    """Give the engine that is meant: by an object, by a name, by an address, or the embedded one.

    >>> engine_of("duckdb").name, engine_of(source="postgresql://host/clinic#patients").name
    ('duckdb', 'postgres')
    """
    several = source if isinstance(source, (list, tuple)) else [source]
    for each in several:
        refuse_other_forms(each)
    if isinstance(source, (list, tuple)) and any(map(is_address, source)):
        raise BadInput("a table of a database is read alone; make a view that has several")
    if is_address(source):
        address = Address.of(source)
        if engine in (None, HEAVY["Postgres"]):
            return ENGINES.find(HEAVY["Postgres"], None, "engine")(address.database)  # type: ignore[call-arg]
        named = engine if isinstance(engine, str) else getattr(engine, "name", None)
        if named in (EMBEDDED, HEAVY["Spark"]):
            raise BadInput(f"engine: {named!r} reads no database; leave the engine out")
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


def database_of(address: Address) -> Postgres:
    """Give the database that an address names, in which releases can be tables."""
    engine = engine_of(source=address.database)
    return cast("Postgres", engine)


def __getattr__(name: str) -> Any:
    if name in HEAVY:
        return ENGINES[HEAVY[name]]
    raise AttributeError(f"sfumato.engines has no {name!r}{nearest(name, __all__)}")


def __dir__() -> list[str]:
    return sorted(__all__)
