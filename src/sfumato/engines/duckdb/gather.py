"""One row for each person: the rows of a person put together, with a list of his sensitive values.

Rows stand in the view `rows` and are read from the view `source`, which is made anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import duckdb

from sfumato.errors import BadInput

ROWS_AT_ONCE = 4_000_000  # lists cannot be spilled while they are made
ONLY_ONE = (
    "where people have any number of values in a sensitive column, it has to be the only one, so "
    "give the others no role, or join the values of a row into one text"
)


def rows_and_people(
    connection: duckdb.DuckDBPyConnection, person: str, column: str
) -> tuple[int, int]:
    """Count the rows, and the people in them; refuse rows of nobody."""
    n_rows, n_named, n_people = connection.execute(
        f"SELECT count(*), count({column}), count(DISTINCT {column}) FROM rows"
    ).fetchall()[0]
    if n_named < n_rows:
        raise BadInput(f"person: column {person!r} is missing in {n_rows - n_named} rows")
    return n_rows, n_people


def refuse_ungathered(
    person: str, repeated: int, sensitive: Sequence[str], lists: Sequence[str]
) -> None:
    """Refuse several rows of a person where they do not make a set of values."""
    rows = f"person: {repeated} rows repeat a value of {person!r}"
    if lists:
        raise BadInput(f"{rows}, but {lists[0]!r} holds lists already: give one row for each")
    if not sensitive:
        raise BadInput(f"{rows}; a release counts people, so give one row for each")
    if len(sensitive) > 1:
        raise BadInput(f"{rows}; {ONLY_ONE}")


def sorted_list(values: str) -> str:
    """Give SQL for a list without missing values, in order; a missing list is empty."""
    return f"coalesce(list_sort(list_filter({values}, lambda each: each IS NOT NULL)), [])"


def gather_rows(
    connection: duckdb.DuckDBPyConnection,
    who: str,
    n_rows: int,
    value: str,
    others: Mapping[str, str],
) -> None:
    """Make one row of all rows of a person, part by part where there are many.

    value: the column that becomes a list. others: name -> column of what has to agree.
    """
    source, n_parts = "rows", -(-n_rows // ROWS_AT_ONCE)
    if n_parts > 1:  # the source is read once
        source, needed = "needed", ", ".join([who, value, *others.values()])
        connection.execute(f"CREATE OR REPLACE TEMP TABLE needed AS SELECT {needed} FROM rows")
    selected = [f"{sorted_list(f'list({value})')} AS {value}"]
    for v in others.values():
        differs = f"min({v}) IS DISTINCT FROM max({v}) OR count({v}) NOT IN (0, count(*))"
        selected += [f"min({v}) AS {v}", f"{differs} AS differs_{v}"]
    for part in range(n_parts):
        table = "INSERT INTO gathered" if part else "CREATE OR REPLACE TEMP TABLE gathered AS"
        connection.execute(
            f"{table} SELECT {', '.join(selected)} FROM {source} "
            f"WHERE hash({who}) % {n_parts} = {part} GROUP BY {who}"
        )
    connection.execute("DROP TABLE IF EXISTS needed")
    _refuse_differing(connection, others)
    columns = ", ".join([value, *others.values()])
    connection.execute(f"CREATE OR REPLACE TEMP VIEW source AS SELECT {columns} FROM gathered")


def _refuse_differing(connection: duckdb.DuckDBPyConnection, others: Mapping[str, str]) -> None:
    """Refuse people whose rows say different things of what a person has only once."""
    counted = ", ".join(f"count(*) FILTER (differs_{v})" for v in others.values())
    (differing,) = connection.execute(f"SELECT {counted} FROM gathered").fetchall()
    for name, n_people in zip(others, differing, strict=True):
        if n_people:
            people = "1 person has" if n_people == 1 else f"{n_people} people have"
            raise BadInput(
                f"person: {people} more than one value of {name!r} in the rows that belong "
                "together; only the sensitive column may differ, so mend the rows, or give "
                f"{name!r} no role"
            )
