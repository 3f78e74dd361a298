"""Spark's types by their short names: which can be counted, how values are cleaned and compared."""

from __future__ import annotations

import re

from pyspark.sql import Column
from pyspark.sql import functions as F

from sfumato.engines.spark.texts import text_of
from sfumato.errors import BadInput

WHOLE = r"(tinyint|smallint|int|bigint)"
COUNTABLE = re.compile(
    rf"(string|boolean|date|timestamp|timestamp_ntz|float|double|{WHOLE}|decimal\(.*\))$"
)
LIST = re.compile(r"array<(.+)>$")
KINDS = [
    (r"string$", "text"),
    (rf"{WHOLE}$", "integer"),
    (r"(float|double)$", "real"),
    (r"(boolean|date)$", None),
    (r"timestamp(_ntz)?$", "timestamp"),
    (r"decimal\(", None),
]
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


def named_kind(kind: str) -> str:
    """Name what a type holds as other engines do, too.

    >>> [named_kind(kind) for kind in ("bigint", "decimal(9,2)", "timestamp_ntz", "binary")]
    ['integer', 'decimal(9,2)', 'timestamp', 'other']
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
        named = re.split(r"[<(]", kind)[0]
        raise BadInput(
            f"column {column!r}: values of type {named} cannot be counted; turn them into text, "
            "numbers or dates"
        )


def cleaned(value: Column, kind: str) -> Column:
    """Give a value of the source as it is meant: of one type, one zero, what is no number missing.

    kind: as `kind_of` names it.
    """
    if kind in ("float", "double"):
        zero = F.lit(0.0).cast(kind)
        return F.when(value == 0, zero).when(~F.isnan(value), value)
    if kind == "string":
        return value.cast("string")
    element = LIST.match(kind)
    if element:
        return F.transform(value, lambda each: cleaned(each, element[1]))
    return value


def compared(value: Column, kind: str) -> Column:
    """Give what stands for a value where values are compared with a list of them: no timestamp."""
    if kind == "timestamp":
        return F.unix_micros(value)
    if kind == "timestamp_ntz":
        return F.unix_micros(value.cast("timestamp_ltz"))  # the session's time zone is UTC
    element = LIST.match(kind)
    if element and element[1].startswith("timestamp"):
        return F.transform(value, lambda each: compared(each, element[1]))
    return value


def restored(value: Column, kind: str) -> Column:
    """Give the value that `compared` stands for."""
    if kind == "timestamp":
        return F.timestamp_micros(value)
    return F.timestamp_micros(value).cast("timestamp_ntz") if kind == "timestamp_ntz" else value


def labelled(value: Column, kind: str) -> Column:
    """Give a compared value as Python takes it: itself, or its text."""
    if kind == "float":  # as written: 0.1, not the nearest float of 64 bits
        return value.cast("string").cast("double")
    if kind.startswith("timestamp"):
        return text_of(restored(value, kind), kind)
    element = LIST.match(kind)
    if element and (element[1] == "float" or element[1].startswith("timestamp")):
        return F.transform(value, lambda each: labelled(each, element[1]))
    return value
