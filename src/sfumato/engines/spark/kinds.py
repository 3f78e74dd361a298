"""Spark's types by their short names: which can be counted, how values are cleaned and compared.

Timestamps of nanoseconds are whole numbers here (`nanos`, and without a time zone `nanos_ntz`),
since pyspark has no type for them: they have their own one in files alone (`stored`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import partial

from pyspark.sql import Column, DataFrame, types
from pyspark.sql import functions as F

from sfumato.engines.arrow import uncountable
from sfumato.engines.spark.shortest import shortest
from sfumato.engines.spark.texts import text_of

WHOLE = r"(tinyint|smallint|int|bigint)"
TIMED = r"(timestamp|timestamp_ntz|time\(\d\)|nanos|nanos_ntz)"
COUNTABLE = re.compile(rf"(string|boolean|date|float|double|{TIMED}|{WHOLE}|decimal\(.*\))$")
UNSORTED = re.compile(r"(.*<)?(map|variant|interval|geo)|.*[<,](\w+:)?(map|variant|interval|geo)")
LIST = re.compile(r"array<(.+)>$")
UNCLEAN = re.compile(r"float|double|void|char|collate")  # what is changed inside lists and structs
KINDS = [
    (r"string$", "text"),
    (rf"{WHOLE}$", "integer"),
    (r"(float|double)$", "real"),
    (r"(boolean|date)$", None),
    (r"(timestamp(_ntz)?|nanos)$", "timestamp"),
    (r"nanos_ntz$", "nanoseconds"),
    (r"time\([0-6]\)$", "time"),
    (r"decimal\(", None),
]
IN_FILES = {"nanos": "timestamp_ltz(9)", "nanos_ntz": "timestamp_ntz(9)"}
# What a kind of values is in Spark: so texts of a CSV file are sorted that were no texts.
SORTED_AS = {
    "integer": "decimal(38,0)",
    "real": "double",
    "boolean": "boolean",
    "date": "date",
    "timestamp": "timestamp_ltz",
}


def kind_of(written: str) -> str:
    """Name a type without what does not matter: collations, and a column of nothing is text."""
    if written.startswith(("string", "void", "char", "varchar")):
        return "string"
    element = LIST.match(written)
    return f"array<{kind_of(element[1])}>" if element else written


def bare(frame: DataFrame) -> DataFrame:
    """Give a frame without what is said of its columns and of what is inside them.

    Comments and the metadata of models, which may list values, would go wherever a frame is
    written: Spark puts them into the footers of Parquet files.
    """
    values = [
        F.col(each.name).cast(inside).alias(each.name, metadata={})
        if (inside := _bare_type(each.dataType)) != each.dataType
        else F.col(each.name).alias(each.name, metadata={})
        for each in frame.schema.fields
    ]
    rows = frame.select(*values)
    for each in rows.schema.fields:
        if each.metadata:  # before Spark 4.1, where no metadata is none given
            rows = rows.withMetadata(each.name, {})
    return rows


def _bare_type(kind: types.DataType) -> types.DataType:
    """Give a type without what is said of its fields."""
    if isinstance(kind, types.ArrayType):
        return types.ArrayType(_bare_type(kind.elementType), kind.containsNull)
    if isinstance(kind, types.MapType):
        inside = _bare_type(kind.keyType), _bare_type(kind.valueType)
        return types.MapType(*inside, kind.valueContainsNull)
    if isinstance(kind, types.StructType):
        return types.StructType(
            [types.StructField(f.name, _bare_type(f.dataType), f.nullable) for f in kind.fields]
        )
    return kind


def named_kind(kind: str) -> str:
    """Name what a type holds as other engines do, too.

    >>> [named_kind(kind) for kind in ("bigint", "decimal(9,2)", "timestamp_ntz", "binary")]
    ['integer', 'decimal(9,2)', 'timestamp', 'other']
    >>> [named_kind(kind) for kind in ("nanos_ntz", "time(6)")]
    ['nanoseconds', 'time']
    """
    for pattern, name in KINDS:
        if re.match(pattern, kind):
            return kind if name is None else name
    return "other"


def sorted_as(kind: str) -> str | None:
    """Give the type that has the order of a kind of values; None: there is none."""
    return kind if kind.startswith("decimal") else SORTED_AS.get(kind)


def refuse_uncountable(column: str, kind: str) -> None:
    """Refuse a column whose values cannot be counted."""
    if not COUNTABLE.match(kind):
        raise uncountable(column, re.split(r"[<(]", kind)[0])


def refuse_unsorted(column: str, kind: str) -> None:
    """Refuse a column whose values have no order; others may be published as they are."""
    if UNSORTED.match(kind):
        raise uncountable(column, re.split(r"[<(]", kind)[0])


def cleaned(value: Column, kind: types.DataType) -> Column:
    """Give a value of the source as it is meant: of one type, one zero, what is no number missing.

    So are values inside lists and structs.
    """
    written = kind.simpleString()
    if isinstance(kind, types.FloatType | types.DoubleType):
        zero = F.lit(0.0).cast(kind)
        return F.when(value == 0, zero).when(~F.isnan(value), value)
    if kind_of(written) == "string":
        return value.cast("string")
    if not UNCLEAN.search(written):
        return value
    if isinstance(kind, types.ArrayType):
        return F.transform(value, lambda each: cleaned(each, kind.elementType))
    if isinstance(kind, types.StructType):
        fields = [
            cleaned(value.getField(each.name), each.dataType).alias(each.name)
            for each in kind.fields
        ]
        return F.when(value.isNotNull(), F.struct(*fields))
    return value


def sorted_by(frame: DataFrame, names: Iterable[str]) -> list[Column]:
    """Give the order of a frame's rows by some columns, missing values first."""
    kinds = {each.name: each.dataType for each in frame.schema.fields}
    return [comparable(F.col(name), kinds[name]).asc_nulls_first() for name in names]


def comparable(value: Column, kind: types.DataType) -> Column:
    """Give what has the order of a value in the embedded engine.

    Inside lists and structs what is missing comes last there, and first in Spark.
    """
    if isinstance(kind, types.ArrayType):
        return F.transform(value, lambda each: _missing_last(each, kind.elementType))
    if isinstance(kind, types.StructType):
        fields = [_missing_last(value.getField(each.name), each.dataType) for each in kind.fields]
        return F.when(value.isNotNull(), F.struct(*fields))
    return value


def _missing_last(value: Column, kind: types.DataType) -> Column:
    return F.struct(value.isNull(), comparable(value, kind))


def compared(value: Column, kind: str) -> Column:
    """Give what stands for a value where values are compared with a list of them: no time."""
    if kind == "timestamp":
        return F.unix_micros(value)
    if kind.startswith("time("):
        return value.cast("string")
    if kind == "timestamp_ntz":
        return F.unix_micros(value.cast("timestamp_ltz"))  # the session's time zone is UTC
    element = LIST.match(kind)
    if element and element[1].startswith("time"):
        return F.transform(value, lambda each: compared(each, element[1]))
    return value


def restored(value: Column, kind: str) -> Column:
    """Give the value that `compared` stands for."""
    if kind == "timestamp":
        return F.timestamp_micros(value)
    if kind.startswith("time("):
        return value.cast(
            types.TimeType(int(kind[len("time(")]))
        )  # by name the user's session reads it
    return F.timestamp_micros(value).cast("timestamp_ntz") if kind == "timestamp_ntz" else value


def labelled(value: Column, kind: str) -> Column:
    """Give a compared value as Python takes it: itself, or its text."""
    if kind == "float":  # as written: 0.1, not the nearest float of 64 bits
        return shortest(value, kind).cast("double")
    if re.fullmatch(TIMED, kind):
        return text_of(restored(value, kind), kind)
    element = LIST.match(kind)
    if element and (element[1] == "float" or re.fullmatch(TIMED, element[1])):
        return F.transform(value, lambda each: labelled(each, element[1]))
    return value


def stored(frame: DataFrame, kinds: Mapping[str, str]) -> DataFrame:
    """Give columns the types that they have in files: nanoseconds their own one.

    kinds: by the names of the columns.
    """
    texts, values = {}, {}
    for name, kind in kinds.items():
        element = LIST.sub(r"\1", kind)
        if element not in IN_FILES:
            continue
        one = partial(text_of, kind=element)
        texts[name] = one(F.col(name)) if element == kind else F.transform(name, one)
        cast = f"CAST({{}} AS {IN_FILES[element]})"
        is_list = f"transform({name}, x -> {cast.format('x')})"
        values[name] = F.expr(cast.format(name) if element == kind else is_list)
    return frame.withColumns(texts).withColumns(values) if texts else frame


def type_inside(kind: str) -> str:
    """Give Spark's type of values that are worked with."""
    return "bigint" if kind in IN_FILES else kind
