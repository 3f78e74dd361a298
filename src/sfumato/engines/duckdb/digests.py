"""Digests of rows: sums of hashes of their values' texts, modulo 2^64."""

from __future__ import annotations

from collections.abc import Sequence

import duckdb

LOWEST_BITS = (1 << 64) - 1


def summed(columns: Sequence[str]) -> str:
    """Give SQL for the digest of some rows.

    The hash of a row is hashed once more: those of its values are combined bit by bit, so that
    sums of them would stay the same when rows exchange values whose bits happen to agree.
    """
    texts = ", ".join(f"CAST({column} AS VARCHAR)" for column in columns)
    return summed_up(f"hash(hash({texts}))")


def summed_up(numbers: str) -> str:
    """Give SQL for a sum of hashes or digests."""
    return f"(sum({numbers}) & {LOWEST_BITS})::UBIGINT"


def digest_of(connection: duckdb.DuckDBPyConnection, columns: Sequence[str], rows: str) -> int:
    """Give the digest of all rows; of none it is 0."""
    (digest,) = connection.execute(f"SELECT {summed(columns)} FROM {rows}").fetchall()[0]
    return int(digest or 0)
