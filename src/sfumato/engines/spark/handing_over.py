"""Tables of ours that the cluster reads: small ones from memory, large ones from private files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame

from sfumato.engines.spark.cluster import Cluster
from sfumato.engines.spark.places import address_of, refuse_unshared

BLOCK = 1 << 20  # rows that are handed over, or written, at once


def handed_over(
    cluster: Cluster, tables: Iterable[pa.Table], directory: Path
) -> tuple[DataFrame, int]:
    """Hand over some tables as one, and give it with the number of its rows.

    Args:
        cluster: Who reads it.
        tables: Whole numbers, none of them missing; at least one table, and all of one schema.
        directory: A private one, for as long as the frame is used: more than a block of rows are
            written there and read block by block, and so stand in no memory as a whole.
    """
    blocks = _blocks(tables)
    first = next(blocks)
    second = next(blocks, None)
    if second is None:
        return cluster.frame(first), first.num_rows
    refuse_unshared(cluster, directory)
    target, n_rows = directory / "handed_over.parquet", 0
    with pq.ParquetWriter(target, first.schema, compression="zstd") as writer:
        for block in chain((first, second), blocks):
            writer.write_table(block)
            n_rows += block.num_rows
    schema = ", ".join(f"{name} bigint" for name in first.schema.names)
    return cluster.own.read.schema(schema).parquet(address_of(target)), n_rows


def _blocks(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Put small tables together, and cut large ones; the last block may have no rows."""
    small: list[pa.Table] = []
    n_small = 0
    for table in tables:
        for start in range(0, max(1, table.num_rows), BLOCK):
            small.append(table.slice(start, BLOCK))
            n_small += small[-1].num_rows
            if n_small >= BLOCK:
                yield pa.concat_tables(small)
                small, n_small = [], 0
    if small:
        yield pa.concat_tables(small)
