"""One row for each person: a person's rows put together, with a list of the sensitive values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import duckdb

from sfumato.engines.duckdb.kinds import LIST, refuse_uncountable
from sfumato.engines.duckdb.rows import Rows
from sfumato.engines.one_person import ONLY_ONE, differing, refuse_ungathered, unnamed
from sfumato.errors import BadInput

ROWS_AT_ONCE = 4_000_000  # lists cannot be spilled while they are made


def one_row_each(
    rows: Rows, person: str | None, sensitive: Sequence[str], kept: Sequence[str], view: str
) -> Rows:
    """See one row for each person, and a person's several values as a list in some order.

    A missing value in a list is no value, and a missing list is an empty one. `view`: the name of a
    view that is made where rows have to be seen in another way.
    """
    lists = [column for column in sensitive if LIST.match(rows.types[column])]
    if lists and len(sensitive) > 1:
        raise BadInput(f"column {lists[0]!r} holds lists; {ONLY_ONE}")
    n_rows, n_people = 0, 0
    if person is not None:
        n_rows, n_people = _rows_and_people(rows, person)
    if n_rows > n_people:
        refuse_ungathered(str(person), n_rows - n_people, sensitive, lists)
        refuse_uncountable(sensitive[0], rows.types[sensitive[0]])
        _put_together(rows, str(person), n_rows, sensitive[0], kept, view)
        element = rows.types[sensitive[0]]
    elif lists:
        element = _sort_lists(rows, lists[0], view)
    else:
        return rows
    types = {**rows.types, sensitive[0]: f"{element}[]"}
    return replace(rows, view=view, types=types, lists=sensitive[0])


def _rows_and_people(rows: Rows, person: str) -> tuple[int, int]:
    """Count the rows, and the people in them; refuse rows of nobody."""
    column = rows.inner[person]
    n_rows, n_named, n_people = rows.session.connection.execute(
        f"SELECT count(*), count({column}), count(DISTINCT {column}) FROM {rows.view}"
    ).fetchall()[0]
    if n_named < n_rows:
        raise unnamed(person, n_rows - n_named)
    return n_rows, n_people


def _sorted(values: str) -> str:
    """Give SQL for a list without missing values, in order; a missing list is empty."""
    return f"coalesce(list_sort(list_filter({values}, lambda each: each IS NOT NULL)), [])"


def _sort_lists(rows: Rows, column: str, view: str) -> str:
    """See a column's lists without missing values, and in one order; give their values' type."""
    element = rows.types[column].rpartition("[")[0]
    refuse_uncountable(column, element)
    value = rows.inner[column]
    values = _sorted(f"CAST({value} AS {element}[])")
    rows.session.connection.execute(
        f"CREATE OR REPLACE TEMP VIEW {view} AS "
        f"SELECT * REPLACE ({values} AS {value}) FROM {rows.view}"
    )
    return element


def _put_together(
    rows: Rows, person: str, n_rows: int, column: str, kept: Sequence[str], view: str
) -> None:
    """Make one row of all rows of a person, part by part where there are many.

    column: the one that becomes a list. kept: columns of a person that have to agree.
    """
    connection, who, value = rows.session.connection, rows.inner[person], rows.inner[column]
    others = {name: rows.inner[name] for name in kept if name != column}
    source, gathered, n_parts = rows.view, f"{view}_gathered", -(-n_rows // ROWS_AT_ONCE)
    if n_parts > 1:  # the source is read once
        source, needed = "needed", ", ".join([who, value, *others.values()])
        connection.execute(
            f"CREATE OR REPLACE TEMP TABLE needed AS SELECT {needed} FROM {rows.view}"
        )
    selected = [f"{_sorted(f'list({value})')} AS {value}"]
    for v in others.values():
        differs = f"min({v}) IS DISTINCT FROM max({v}) OR count({v}) NOT IN (0, count(*))"
        selected += [f"min({v}) AS {v}", f"{differs} AS differs_{v}"]
    for part in range(n_parts):
        table = f"INSERT INTO {gathered}" if part else f"CREATE OR REPLACE TEMP TABLE {gathered} AS"
        connection.execute(
            f"{table} SELECT {', '.join(selected)} FROM {source} "
            f"WHERE hash({who}) % {n_parts} = {part} GROUP BY {who}"
        )
    connection.execute("DROP TABLE IF EXISTS needed")
    _refuse_differing(connection, gathered, others)
    columns = ", ".join([value, *others.values()])
    connection.execute(f"CREATE OR REPLACE TEMP VIEW {view} AS SELECT {columns} FROM {gathered}")


def _refuse_differing(
    connection: duckdb.DuckDBPyConnection, gathered: str, others: Mapping[str, str]
) -> None:
    """Refuse people whose rows say different things of what a person has only once."""
    counts = ", ".join(f"count(*) FILTER (differs_{v})" for v in others.values())
    (n_differing,) = connection.execute(f"SELECT {counts} FROM {gathered}").fetchall()
    for name, n_people in zip(others, n_differing, strict=True):
        if n_people:
            raise differing(name, n_people)
