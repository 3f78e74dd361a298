"""Columns of a table that is made in PostgreSQL: what type each gets, and how its values are sent.

A column has the type that it has in a Parquet file of the release, or the next larger one where
the server has none. What would come back as something else is refused before anything is made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from sfumato.engines import sql
from sfumato.errors import BadInput

TYPES = {  # of Arrow -> of the server, and what is sent to it
    "bool": ("boolean", pa.bool_()),
    "int8": ("smallint", pa.int16()),
    "int16": ("smallint", pa.int16()),
    "int32": ("integer", pa.int32()),
    "int64": ("bigint", pa.int64()),
    "uint8": ("smallint", pa.int16()),
    "uint16": ("integer", pa.int32()),
    "uint32": ("bigint", pa.int64()),
    "uint64": ("numeric(20,0)", pa.decimal128(20, 0)),
    "float": ("real", pa.float32()),
    "double": ("double precision", pa.float64()),
    "string": ("text", pa.string()),
    "large_string": ("text", pa.string()),
    "string_view": ("text", pa.string()),
    "date32[day]": ("date", pa.date32()),
    "time64[us]": ("time", pa.time64("us")),
}
NOT_WRITTEN = "are not written to a table of PostgreSQL, which has none; save to files"
NANOSECONDS, UUID, OTHER = "nanoseconds", "uuid", "other"


@dataclass(frozen=True)
class NewColumn:
    """One column."""

    name: str
    kind: str  # the server's type
    sent: pa.DataType
    sent_to: str  # the server's type while it is filled, if that is another one

    @property
    def declared(self) -> str:
        """What stands in CREATE TABLE."""
        return f"{sql.name(self.name)} {self.sent_to}"

    @property
    def altered(self) -> str | None:
        """What stands in ALTER TABLE once it is filled; None: nothing."""
        name = sql.name(self.name)
        if self.sent_to == self.kind:
            return None
        return f"ALTER {name} TYPE {self.kind} USING {name}::{self.kind}"


def new_columns(schema: pa.Schema, kinds: Mapping[str, str]) -> list[NewColumn]:
    """Give the columns of a table; kinds: what they hold, as `Source.kinds` names it."""
    return [_column(field, kinds[field.name]) for field in schema]


def _column(field: pa.Field, kind: str) -> NewColumn:
    name, arrow = field.name, field.type
    if kind == UUID and str(arrow) in TYPES:  # which comes as text
        return NewColumn(name, "uuid", pa.string(), "text")
    known = None if kind in (OTHER, NANOSECONDS) else TYPES.get(str(arrow))
    if known is None and kind == "timestamp":
        known = _timestamp(arrow)
    if known is None and pa.types.is_decimal(arrow) and 0 <= arrow.scale <= arrow.precision:
        known = (f"numeric({arrow.precision},{arrow.scale})", arrow)
    if known is None:
        raise BadInput(f"column {name!r}: values of type {arrow} {NOT_WRITTEN}")
    return NewColumn(name, known[0], known[1], known[0])


def _timestamp(arrow: pa.DataType) -> tuple[str, pa.DataType]:
    zone = "UTC" if arrow.tz is not None else None
    kind = "timestamp" if zone is None else "timestamp with time zone"
    return kind, pa.timestamp("us", zone)
