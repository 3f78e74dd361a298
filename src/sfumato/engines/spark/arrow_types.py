"""Arrow's types, where Spark has none of that name, and timestamps of nanoseconds among them."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

WIDER = {pa.uint8(): pa.int16(), pa.uint16(): pa.int32(), pa.uint32(): pa.int64()}


def spark_type(kind: pa.DataType) -> pa.DataType:
    """Give the type that holds the same values, and that Spark reads from Parquet.

    >>> spark_type(pa.uint8()), spark_type(pa.timestamp("s")), spark_type(pa.null())
    (DataType(int16), TimestampType(timestamp[us]), DataType(string))
    """
    is_kind = pa.types
    if is_kind.is_null(kind) or is_kind.is_string_view(kind):
        return pa.string()
    if kind in WIDER:
        return WIDER[kind]
    if is_kind.is_uint64(kind):
        return pa.decimal128(20, 0)
    if is_kind.is_timestamp(kind) and kind.unit != "ns":
        return pa.timestamp("us", kind.tz)
    if is_kind.is_time32(kind):
        return pa.time64("us")
    if is_kind.is_date64(kind):
        return pa.date32()
    if is_kind.is_dictionary(kind) or is_kind.is_run_end_encoded(kind):
        return spark_type(kind.value_type)
    if isinstance(kind, pa.BaseExtensionType):  # no text, and so none that is counted
        return pa.binary()
    if is_kind.is_list(kind) or is_kind.is_large_list(kind) or is_kind.is_fixed_size_list(kind):
        return pa.list_(spark_type(kind.value_type))
    return kind


def is_plain(schema: pa.Schema) -> bool:
    """Whether Spark takes a table of such columns from memory, and nothing of it is lost.

    >>> is_plain(pa.schema({"a": pa.int64()})), is_plain(pa.schema({"a": pa.timestamp("ns")}))
    (True, False)
    """
    return all(spark_type(each.type) == each.type and not _nanos(each.type) for each in schema)


def is_read(schema: pa.Schema) -> bool:
    """Whether Spark reads such columns from Parquet files."""
    return not any(
        pa.types.is_time32(each.type)
        or pa.types.is_float16(each.type)
        or isinstance(each.type, pa.BaseExtensionType)
        for each in schema
    )


def nanoseconds(schema: pa.Schema) -> dict[str, str]:
    """Give the columns of nanoseconds, which Spark reads as whole numbers, with their kinds.

    >>> nanoseconds(pa.schema({"a": pa.int64(), "b": pa.list_(pa.timestamp("ns", "UTC"))}))
    {'b': 'array<nanos>'}
    """
    kinds: Mapping[str, str | None] = {each.name: _nanos(each.type) for each in schema}
    return {name: kind for name, kind in kinds.items() if kind is not None}


def _nanos(kind: pa.DataType) -> str | None:
    if pa.types.is_timestamp(kind) and kind.unit == "ns":
        return "nanos_ntz" if kind.tz is None else "nanos"
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        element = _nanos(kind.value_type)
        return None if element is None else f"array<{element}>"
    return "time(9)" if pa.types.is_time64(kind) and kind.unit == "ns" else None
