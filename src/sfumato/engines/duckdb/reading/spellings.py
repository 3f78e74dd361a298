"""Spellings of values, compared and replaced by SQL.

The normal form of printable ASCII without grave accents is found by SQL, and that of other distinct
texts by Python: in most columns there are few of them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import duckdb
import pyarrow as pa

from sfumato.data.spellings import NUMBER, PLAIN_NUMBER, Spellings, normal_form, several
from sfumato.engines.arrow import of_texts
from sfumato.engines.duckdb.kinds import LIST, labelled
from sfumato.engines.duckdb.rows import Rows

LONGEST = 300  # letters; a longer text may be no number that can be read


def spellings_of(rows: Rows, column: str, known: Collection[str | None]) -> Spellings:
    """Compare the distinct values of a column, and what is known."""
    connection, value, kind = rows.session.connection, rows.inner[column], rows.types[column]
    source = f"(SELECT {value} AS value FROM {rows.view})"
    there = ""
    if is_list := LIST.match(kind):
        kind, there = is_list[1], "WHERE value IS NOT NULL "  # a missing one is none
        source = f"(SELECT unnest(CAST({value} AS {kind}[])) AS value FROM {rows.view})"
    if kind != "VARCHAR":
        n_rows, n_values = connection.execute(
            f"SELECT count(value), count(DISTINCT value) FROM {source}"
        ).fetchall()[0]
        return Spellings(n_rows, n_values, ())
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE spelled AS SELECT value, count(*) AS n FROM {source} "
        f"{there}GROUP BY value"
    )
    if known:
        connection.register("known", pa.table({"value": of_texts(set(known))}))
        connection.execute(
            "INSERT INTO spelled SELECT k.value, 0 FROM known AS k "
            "ANTI JOIN spelled AS s ON k.value IS NOT DISTINCT FROM s.value"
        )
        connection.unregister("known")
    form, join = normal_forms(connection, "spelled")
    formed = f"(SELECT coalesce({form}, '') AS form, s.value, s.n FROM spelled AS s {join})"
    n_rows, n_values, n_forms, n_texts = connection.execute(
        "SELECT coalesce(sum(n) FILTER (form <> ''), 0)::BIGINT, "
        "count(DISTINCT form) FILTER (n > 0 AND form <> ''), "
        f"count(DISTINCT form), count(*) FROM {formed}"
    ).fetchall()[0]
    found = []
    if n_forms < n_texts:
        found = connection.execute(
            f"SELECT form, value, n FROM {formed} SEMI JOIN "
            f"(SELECT form FROM {formed} GROUP BY form HAVING count(*) > 1) USING (form)"
        ).fetchall()
    connection.execute("DROP TABLE spelled")
    by_form: dict[str, dict[str | None, int]] = {}
    for each, text, n in found:
        by_form.setdefault(each, {})[text] = n
    return Spellings(n_rows, n_values, several(by_form.values(), set(known)))


def normal_forms(connection: duckdb.DuckDBPyConnection, texts: str) -> tuple[str, str]:
    """Give SQL for the normal form of `s.value`, s being a table of texts, and the join it needs.

    texts: SQL for a table whose column `value` has all of them.
    """
    odd = connection.sql(
        f"SELECT DISTINCT value FROM {texts} AS s WHERE {_is_odd('s.value')}"
    ).to_arrow_table()
    if not odd.num_rows:
        return _plain_form("s.value"), ""
    forms = of_texts(map(normal_form, odd["value"].to_pylist()))
    connection.register("odd", pa.table({"value": odd["value"], "form": forms}))
    connection.execute("CREATE OR REPLACE TEMP TABLE odd_forms AS SELECT * FROM odd")
    connection.unregister("odd")
    return (
        f"coalesce(o.form, {_plain_form('s.value')})",
        "LEFT JOIN odd_forms AS o ON o.value = s.value",
    )


def _folded(text: str) -> str:
    single = f"regexp_replace({text}, ' +', ' ', 'g')"
    return f"lower(trim(CASE WHEN contains({text}, '  ') THEN {single} ELSE {text} END))"


def _may_be_number(text: str) -> str:
    """Give SQL for whether a text begins as numbers do; few do in most columns of texts."""
    return f"regexp_matches({text}, '^ *[-+.0-9]')"


def _is_odd(text: str) -> str:
    """Give SQL for whether a text's normal form is for Python to find."""
    number, plain = (f"regexp_full_match({_folded(text)}, '{r}')" for r in (NUMBER, PLAIN_NUMBER))
    return (
        f"CASE WHEN NOT regexp_full_match({text}, '[ -_a-~]*') OR length({text}) > {LONGEST} "
        f"THEN true WHEN {_may_be_number(text)} THEN {number} AND NOT {plain} ELSE false END"
    )


def _plain_form(text: str) -> str:
    """Give SQL for the normal form of every other text."""
    form = _folded(text)
    unsigned = f"ltrim({form}, '+')"
    short = f"rtrim(rtrim({unsigned}, '0'), '.')"
    short = f"CASE WHEN contains({form}, '.') THEN {short} ELSE {unsigned} END"
    number = f"regexp_replace({short}, '^-0$', '0')"
    is_number = f"regexp_full_match({form}, '{PLAIN_NUMBER}')"
    return (
        f"CASE WHEN NOT {_may_be_number(text)} THEN {form} WHEN {is_number} THEN {number} "
        f"ELSE {form} END"
    )


def respelled(rows: Rows, spellings: Mapping[str, Mapping[object, str | None]], view: str) -> Rows:
    """See some values of some columns as texts, in a view; None: a missing one."""
    connection, selected, joins = rows.session.connection, [], []
    for j, (column, texts) in enumerate(spellings.items()):
        value, table, kind = rows.inner[column], f"{view}_{j}", rows.types[column]
        of_lists = LIST.match(kind) is not None
        real = kind in ("FLOAT", "DOUBLE")
        if real:
            old = pa.array([*texts], pa.float64())
        else:
            old = of_texts(None if each is None else str(each) for each in texts)
        connection.register("texts", pa.table({"old": old, "new": of_texts(texts.values())}))
        lists = "list(old ORDER BY old) AS old, list(new ORDER BY old) AS new"
        connection.execute(
            f"CREATE OR REPLACE TEMP TABLE {table} AS "
            f"SELECT {lists if of_lists else '*, true AS there'} FROM texts"
        )
        connection.unregister("texts")
        if of_lists:
            joins.append(f"CROSS JOIN {table} AS m{j}")
            each = f"coalesce(m{j}.new[list_position(m{j}.old, x)], x)"
            replaced = f"list_transform(CAST(s.{value} AS VARCHAR[]), lambda x: {each})"
        else:
            label = labelled(f"s.{value}", kind) if real else f"CAST(s.{value} AS VARCHAR)"
            joins.append(f"LEFT JOIN {table} AS m{j} ON m{j}.old IS NOT DISTINCT FROM {label}")
            replaced = f"CASE WHEN m{j}.there THEN m{j}.new ELSE CAST(s.{value} AS VARCHAR) END"
        selected.append(f"{replaced} AS {value}")
    connection.execute(
        f"CREATE OR REPLACE TEMP VIEW {view} AS SELECT s.* REPLACE ({', '.join(selected)}) "
        f"FROM {rows.view} AS s {' '.join(joins)}"
    )
    types = {c: "VARCHAR[]" if LIST.match(rows.types[c]) else "VARCHAR" for c in spellings}
    return replace(rows, view=view, types={**rows.types, **types})
