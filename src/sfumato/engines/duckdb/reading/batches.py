"""Batches of a series: rows kept as they were read, with a keyed hash in the place of a person."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.engines import sql
from sfumato.engines.arrow import cast_text, of_bytes, of_texts
from sfumato.engines.duckdb.connection.session import Session
from sfumato.engines.duckdb.kinds import labelled
from sfumato.engines.duckdb.reading.spellings import normal_forms
from sfumato.engines.duckdb.rows import Rows
from sfumato.engines.protocol import BatchReceipt
from sfumato.errors import BadInput
from sfumato.text import counted

BLOCK = 64  # bytes that SHA-256 takes at once
BETWEEN = "chr(31)"


def reading(session: Session, paths: Sequence[Path]) -> str:
    """Read the files of batches as one table, in SQL."""
    return f"read_parquet([{', '.join(map(session.linked, paths))}], hive_partitioning = false)"


def keep_rows(
    rows: Rows,
    columns: Sequence[str],
    person: str | None,
    key: bytes,
    target: Path,
    earlier: Sequence[Path],
    *,
    as_spelled: bool,
    without: Mapping[str, Collection[object]],
) -> BatchReceipt:
    """Write rows into a Parquet file.

    Args:
        rows: What is kept.
        columns: Which columns, in the order of the file.
        person: The column of whom a row is about: HMAC-SHA256 with `key` is kept instead. In the
            files of `earlier` it has the same name. People who are in them are left out.
        key: Secret of the series.
        target: The new file.
        earlier: Files of earlier batches.
        as_spelled: Two spellings of a person are two people; else they have the same hash.
        without: Column -> values; rows that have one of them are as if they were not there.
    """
    connection = rows.session.connection
    if without:
        rows = _without(rows, without)
    inner, outer = _pads(key)
    connection.register("pads", pa.table({"i": of_bytes([inner]), "o": of_bytes([outer])}))
    who, join = "NULL", ""
    if person is not None:
        text = _text(f"s.{rows.inner[person]}", rows.types[person])
        source = f"(SELECT {text} AS value, s.* FROM {rows.view} AS s)"
        form, join = ("s.value", "") if as_spelled else normal_forms(connection, source)
        who = _hashed(form)
    else:
        source = rows.view
    others = [rows.inner[name] for name in columns if name != person]
    selected = ", ".join([*(f"s.{v}" for v in others), f"{who} AS who"])
    connection.execute(
        f"CREATE TEMP TABLE kept AS SELECT {selected} FROM {source} AS s {join} "
        "CROSS JOIN pads AS p"
    )
    connection.unregister("pads")
    known = "(SELECT NULL::VARCHAR AS who WHERE false)"
    if person is not None and earlier:
        known = f"(SELECT DISTINCT {sql.name(person)} AS who FROM {reading(rows.session, earlier)})"
    by_name = [rows.inner[name] for name in sorted(columns) if name != person]
    row = f"concat_ws({BETWEEN}, {', '.join(map(_told, [*by_name, 'who']))})"
    n_rows, n_named, n_people, digest = connection.execute(
        "SELECT count(*), count(who), count(DISTINCT who), "
        f"sum(md5_number_lower({row})::HUGEINT) FROM kept"
    ).fetchall()[0]
    if person is not None and n_named < n_rows:
        raise BadInput(
            f"person: column {person!r} is missing in {counted(n_rows - n_named, 'row')}"
        )
    written = ", ".join(
        f"k.{'who' if name == person else rows.inner[name]} AS {sql.name(name)}" for name in columns
    )
    (n_kept,) = connection.execute(
        f"COPY (SELECT {written} FROM kept AS k ANTI JOIN {known} AS n ON k.who = n.who) "
        f"TO {sql.text(target)} (FORMAT parquet, COMPRESSION zstd)"
    ).fetchall()[0]
    connection.execute("DROP TABLE kept")
    return BatchReceipt(
        n_kept,
        0 if person is None else n_rows - n_people,
        n_rows - n_kept,
        f"{n_rows}-{digest or 0}",
        {field.name: str(field.type) for field in pq.read_schema(target)},
    )


def _without(rows: Rows, without: Mapping[str, Collection[object]]) -> Rows:
    """See all rows but those that have certain values, in a view."""
    connection, joins = rows.session.connection, []
    for j, (column, values) in enumerate(without.items()):
        value, kind, table = f"s.{rows.inner[column]}", rows.types[column], f"rare_{j}"
        real = kind in ("FLOAT", "DOUBLE")
        listed = pa.array([*values], pa.float64()) if real else of_texts(map(cast_text, values))
        connection.register("listed", pa.table({"value": listed}))
        connection.execute(f"CREATE OR REPLACE TEMP TABLE {table} AS SELECT * FROM listed")
        connection.unregister("listed")
        label = labelled(value, kind) if real else f"CAST({value} AS VARCHAR)"
        joins.append(f"ANTI JOIN {table} AS r{j} ON r{j}.value IS NOT DISTINCT FROM {label}")
    connection.execute(
        f"CREATE OR REPLACE TEMP VIEW common_rows AS SELECT s.* FROM {rows.view} AS s "
        f"{' '.join(joins)}"
    )
    return replace(rows, view="common_rows")


def _told(column: str) -> str:
    """A value as text; the missing one is told from every text."""
    return f"coalesce('=' || CAST({column} AS VARCHAR), '-')"


def _pads(key: bytes) -> tuple[bytes, bytes]:
    """Give the two keys of HMAC (RFC 2104); `key` is shorter than a block."""
    block = key.ljust(BLOCK, b"\0")
    return bytes(byte ^ 0x36 for byte in block), bytes(byte ^ 0x5C for byte in block)


def _text(column: str, kind: str) -> str:
    """Give SQL for the text of whom a row is about."""
    text = f"CAST({column} AS VARCHAR)"
    if kind in ("FLOAT", "DOUBLE") or kind.startswith("DECIMAL"):  # 7.0 is the person 7
        whole = f"CAST(TRY_CAST({column} AS HUGEINT) AS VARCHAR)"
        text = f"CASE WHEN {column} = TRY_CAST({column} AS HUGEINT) THEN {whole} ELSE {text} END"
    return text


def _hashed(text: str) -> str:
    inner = f"unhex(sha256(p.i || encode({text})))"
    return f"CASE WHEN {text} IS NOT NULL THEN sha256(p.o || {inner}) END"
