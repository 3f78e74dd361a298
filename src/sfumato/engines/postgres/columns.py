"""Columns of a table in PostgreSQL: how each is selected, and what it is in DuckDB.

What the driver hands over without a word about what it means (money as cents, char(n) with its
padding, numeric as a type of its own) is cast by the server, so that a value is what it is in a
file of the same data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sfumato.engines import sql
from sfumato.engines.postgres.server import Server
from sfumato.errors import BadInput

AS_THEY_ARE = {
    "int2": "SMALLINT",
    "int4": "INTEGER",
    "int8": "BIGINT",
    "float4": "FLOAT",
    "float8": "DOUBLE",
    "bool": "BOOLEAN",
    "time": "TIME",
}
TIMES = {"date": "DATE", "timestamp": "TIMESTAMP", "timestamptz": "TIMESTAMP WITH TIME ZONE"}
# Stands for what is later than Arrow can say, infinity too; it is noticed and refused.
TOO_LATE = "294246-01-01"
MOST_DIGITS = 38
TEXT, TEXTS = "VARCHAR", "VARCHAR[]"
STRINGS, ENUM, ARRAY = "S", "e", "A"  # categories and kinds of types in the catalogue
NOT_READ = "are not read; make a view that turns them into text, numbers or dates"
NO_RIGHT = "no right to read it"
COLUMNS = """
WITH RECURSIVE seen AS (
  SELECT attnum, attname, atttypid AS type, atttypmod AS modifier,
    format_type(atttypid, atttypmod) AS written,
    has_column_privilege(attrelid, attnum, 'SELECT') AS readable
  FROM pg_catalog.pg_attribute
  WHERE attrelid = {oid}::oid AND attnum > 0 AND NOT attisdropped
  UNION ALL
  SELECT s.attnum, s.attname, d.typbasetype, d.typtypmod, s.written, s.readable
  FROM seen AS s JOIN pg_catalog.pg_type AS d ON d.oid = s.type AND d.typtype = 'd'
)
SELECT s.attname::text AS name, s.written, s.readable, s.modifier,
  t.typname::text AS type, t.typtype::text AS kind, t.typcategory::text AS category,
  e.typname::text AS element, e.typtype::text AS element_kind,
  e.typcategory::text AS element_category
FROM seen AS s JOIN pg_catalog.pg_type AS t ON t.oid = s.type AND t.typtype <> 'd'
LEFT JOIN pg_catalog.pg_type AS e ON e.oid = t.typelem AND t.typcategory = 'A'
ORDER BY s.attnum
"""


@dataclass(frozen=True)
class Column:
    """One column."""

    name: str
    selected: str  # SQL of the server for a value
    kind: str  # DuckDB's type of it
    refused: str | None = None  # why nobody can have its values; None: they can be had
    has_text: bool = True  # refused, but its text can be looked at
    measured: bool = False  # its digits have to be counted before it has a type

    @property
    def may_be_too_late(self) -> bool:
        """Whether values may be later than can be said."""
        return self.refused is None and self.kind in TIMES.values()


def columns_of(server: Server, oid: int, table: str) -> list[Column]:
    """Look a table's columns up; `table`: its name in SQL."""
    found = [_column(row) for row in server.asked(COLUMNS.format(oid=oid))]
    counted = dict(_counted(server, table, [each for each in found if each.measured]))
    return [counted.get(each.name, each) for each in found]


def _column(row: Mapping[str, Any]) -> Column:
    name, kind = row["name"], row["type"]
    value = f"t.{sql.name(name)}"
    text = f'({value}::text COLLATE "C")'
    if not row["readable"]:
        return Column(name, text, TEXT, NO_RIGHT, has_text=False)
    if kind in AS_THEY_ARE:
        return Column(name, value, AS_THEY_ARE[kind])
    if kind in TIMES:
        late = f"'{TOO_LATE}'::{kind}"
        soon = f"CASE WHEN isfinite({value}) AND {value} < {late} THEN {value}"
        return Column(name, f"{soon} WHEN {value} IS NOT NULL THEN {late} END", TIMES[kind])
    if _is_text(kind, row["kind"], row["category"]):
        return Column(name, text, TEXT)
    if kind == "uuid":
        return Column(name, text, "UUID")
    if kind in ("numeric", "money"):
        number = f"nullif({value}, 'NaN')" if kind == "numeric" else f"{value}::numeric"
        decimal = _decimal(row["modifier"]) if kind == "numeric" else None
        if decimal is None:
            return Column(name, number, TEXT, measured=True)
        return Column(name, f"{number}::text", decimal)
    refused = Column(name, text, TEXT, f"values of type {row['written']} {NOT_READ}")
    if row["category"] != ARRAY or row["element"] is None:
        return refused
    element, texts = row["element"], f'({value}::text[] COLLATE "C")'
    if element in AS_THEY_ARE:
        return Column(name, value, f"{AS_THEY_ARE[element]}[]")
    if _is_text(element, row["element_kind"], row["element_category"]):
        return Column(name, texts, TEXTS)
    if element == "uuid":
        return Column(name, texts, "UUID[]")
    return refused


def _is_text(kind: str, kind_of_type: str, category: str) -> bool:
    return category == STRINGS or kind_of_type == ENUM or kind in ("char", "name")


def _decimal(modifier: int) -> str | None:
    """Give the type of a numeric(precision, scale); None: there is no such type in DuckDB."""
    if modifier < 4:
        return None
    precision, scale = (modifier - 4) >> 16 & 0xFFFF, (modifier - 4) & 0x7FF
    scale = (scale ^ 1024) - 1024  # negative ones since PostgreSQL 15
    fits = 0 <= scale <= precision <= MOST_DIGITS
    return f"DECIMAL({precision},{scale})" if fits else None


def _counted(server: Server, table: str, columns: Sequence[Column]) -> Iterator[tuple[str, Column]]:
    """Count the digits of numbers without a type, in one pass."""
    if not columns:
        return
    told = ", ".join(
        f"coalesce(max(scale({x})), 0)::int4 AS scale{j}, "
        f"coalesce(max(length(trunc(abs({x}))::text)), 1)::int4 AS digits{j}, "
        f"coalesce(bool_or({x}::text LIKE '%Infinity'), false) AS infinite{j}"
        for j, x in enumerate(each.selected for each in columns)
    )
    (found,) = server.asked(f"SELECT {told} FROM {table} AS t")
    for j, column in enumerate(columns):
        scale, digits = found[f"scale{j}"], found[f"digits{j}"]
        text = f"{column.selected}::text"
        if found[f"infinite{j}"]:
            refused = "a number is infinite; make a view without it"
        elif scale + digits > MOST_DIGITS:
            refused = f"numbers have more than {MOST_DIGITS} digits; make a view that rounds them"
        else:
            fixed = f"({column.selected})::numeric({scale + digits},{scale})::text"
            decimal = f"DECIMAL({scale + digits},{scale})"
            yield column.name, replace(column, selected=fixed, kind=decimal, measured=False)
            continue
        yield column.name, Column(column.name, text, TEXT, refused)


def refuse(column: Column, table: str) -> None:
    """Refuse a column whose values nobody can have."""
    if column.refused is None:
        return
    grant = f"; GRANT SELECT ON {table} TO the role" if column.refused == NO_RIGHT else ""
    raise BadInput(f"column {column.name!r}: {column.refused}{grant}")
