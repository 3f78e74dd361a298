"""Files that are one table: whether they have the same columns."""

from __future__ import annotations

from collections.abc import Mapping

REMEDY = "files that are one table have the same columns"


def difference(first: Mapping[str, str], other: Mapping[str, str]) -> str | None:
    """Say how the columns of a file are others than those of the first one.

    Args:
        first: The type of every column, by name.
        other: Those of the other file, in any order.

    >>> difference({"age": "int64"}, {"Age": "int64"})
    "no column 'age', but 'Age', unlike"
    >>> difference({"age": "int64"}, {"age": "string"})
    "column 'age' has the type string, and int64 in"
    """
    more = [name for name in other if name not in first]
    fewer = [name for name in first if name not in other]
    if fewer:
        return f"no column {fewer[0]!r}" + (f", but {more[0]!r}" if more else "") + ", unlike"
    if more:
        return f"a column {more[0]!r} that is not in"
    for name, kind in other.items():
        if first[name] != kind:
            return f"column {name!r} has the type {kind}, and {first[name]} in"
    return None
