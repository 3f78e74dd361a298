"""Columns looked at by SQL, some in each pass, so that files are read seldom."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from sfumato.engines import sql
from sfumato.engines.arrow import of_numbers, of_texts
from sfumato.engines.duckdb.kinds import LIST, named_kind
from sfumato.engines.duckdb.rows import Rows
from sfumato.engines.look import (
    MOST_COMMON,
    SHARES,
    ColumnLook,
    NumberLook,
    SourceLook,
    TextCounts,
)

AT_ONCE = 8  # columns whose values are counted in one pass
NUMBER = r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?"


def look_at(
    rows: Rows, patterns: Mapping[str, str], counted: TextCounts | None = None
) -> SourceLook:
    """Count every column of the source, and read its last row; see `Source.look`."""
    connection, columns = rows.session.connection, list(rows.inner)
    looks: dict[str, ColumnLook] = {}
    at_once = AT_ONCE if {*columns} - {*(counted or {})} else max(1, len(columns))
    for start in range(0, len(columns), at_once):
        some = columns[start : start + at_once]
        _count(rows, some, counted or {})
        looks |= {look.column: look for look in _looks(rows, some, patterns)}
        connection.execute("DROP TABLE looked")
    if counted is not None:
        return SourceLook(looks, ())
    n_rows = looks[columns[0]].n_rows
    texts = ", ".join(f"CAST({value} AS VARCHAR)" for value in rows.inner.values())
    last = connection.execute(
        f"SELECT {texts} FROM {rows.view} LIMIT 1 OFFSET {max(n_rows - 1, 0)}"
    ).fetchall()
    return SourceLook(looks, tuple(last[0]) if last else ())


def _count(rows: Rows, columns: Sequence[str], counted: TextCounts) -> None:
    """Make the table `looked`: the distinct values of some columns as text, with their rows."""
    connection, tables = rows.session.connection, list[str]()
    new = {j: rows.inner[column] for j, column in enumerate(columns) if column not in counted}
    if new:
        places = " ".join(f"WHEN GROUPING({value}) = 0 THEN {j}" for j, value in new.items())
        texts = ", ".join(f"CAST({value} AS VARCHAR)" for value in new.values())
        sets = ", ".join(f"({value})" for value in new.values())
        tables.append(
            f"SELECT CASE {places} END AS place, coalesce({texts}) AS value, count(*) AS n "
            f"FROM {rows.view} GROUP BY GROUPING SETS ({sets})"
        )
    for j, column in enumerate(columns):
        if column in counted:
            texts_of, n = counted[column]
            known = {"value": of_texts(texts_of), "n": of_numbers(n)}
            connection.register(f"known{j}", pa.table(known))
            tables.append(f"SELECT {j} AS place, value, n FROM known{j}")
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE looked AS SELECT *, CASE WHEN length(value) < 40 AND "
        f"regexp_full_match(value, {sql.text(NUMBER)}) THEN TRY_CAST(value AS DOUBLE) END "
        f"AS number FROM ({' UNION ALL '.join(tables)})"
    )
    for j, column in enumerate(columns):
        if column in counted:
            connection.unregister(f"known{j}")


def _looks(rows: Rows, columns: Sequence[str], patterns: Mapping[str, str]) -> Iterator[ColumnLook]:
    connection = rows.session.connection
    matching = ", ".join(
        f"sum(n) FILTER (regexp_full_match(value, {sql.text(pattern)}))"
        for pattern in patterns.values()
    )
    counted = {
        place: found
        for place, *found in connection.execute(
            "SELECT place, sum(n), sum(n) FILTER (value IS NULL), count(value), "
            "count(value) FILTER (n = 1), max(length(value)), "
            "sum(n * (length(trim(value)) - length(replace(trim(value), ' ', '')))), "
            "sum(n) FILTER (number IS NOT NULL), sum(n) FILTER (number = floor(number)), "
            "min(number), max(number), sum(n * number)"
            f"{', ' if matching else ''}{matching} FROM looked GROUP BY place"
        ).fetchall()
    }
    common: dict[int, list[tuple[str, int]]] = {}
    for place, value, n in connection.execute(
        "SELECT place, value, n FROM looked WHERE value IS NOT NULL QUALIFY row_number() OVER "
        f"(PARTITION BY place ORDER BY n DESC, value) <= {MOST_COMMON} "
        "ORDER BY place, n DESC, value"
    ).fetchall():
        common.setdefault(place, []).append((value, n))
    reached = ", ".join(f"min(number) FILTER (upto >= {share} * whole)" for share in SHARES)
    quantiles = {
        place: tuple(found)
        for place, *found in connection.execute(
            f"SELECT place, {reached} FROM (SELECT place, number, "
            "sum(n) OVER (PARTITION BY place ORDER BY number) AS upto, "
            "sum(n) OVER (PARTITION BY place) AS whole FROM looked WHERE number IS NOT NULL) "
            "GROUP BY place"
        ).fetchall()
    }
    for j, column in enumerate(columns):
        found: list[Any] = counted.get(j, [0] * (11 + len(patterns)))
        n_rows, n_missing, n_values, n_alone, longest, n_blanks, n_numbers, n_whole = (
            int(each or 0) for each in found[:8]
        )
        kind = rows.types[column]
        yield ColumnLook(
            column,
            named_kind(kind.removesuffix("[]")),
            n_rows,
            n_missing,
            n_values,
            n_alone,
            longest,
            n_blanks,
            {name: int(n or 0) for name, n in zip(patterns, found[11:], strict=True)},
            NumberLook(n_numbers, n_whole, *found[8:11]) if n_numbers else None,
            quantiles.get(j, ()),
            tuple(common.get(j, ())),
            LIST.match(kind) is not None,
        )
