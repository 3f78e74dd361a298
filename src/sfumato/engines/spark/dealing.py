"""People of split combinations dealt out one by one, without bringing them to one place.

People stand in the order of their keys, then of what else is published of them, and take the
places that were decided in that order. Rows that are alike in all of it are interchangeable, so
they are counted first: a combination that most people have is a few rows with large counts. Those
are put into ranges of the order, each range is summed up where it is, the sums of whole ranges are
added up here, and every row then knows which places are its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from sfumato.engines.arrow import of_numbers, to_numbers
from sfumato.engines.spark.cluster import Cluster
from sfumato.engines.spark.kinds import sorted_by
from sfumato.engines.spark.places import address_of, refuse_unshared
from sfumato.engines.spark.values import joined_with, matched

AT_ONCE = 1 << 13  # places that a row takes by one list of them
BLOCK = 1 << 20  # places that are written at once


def dealt_out(
    cluster: Cluster,
    frame: DataFrame,
    key: Sequence[str],
    order: Sequence[str],
    dealt: Iterable[NDArray[np.int32]],
    hold: Callable[[DataFrame], DataFrame],
    directory: Path,
) -> DataFrame:
    """Give the rows of a frame with the `place` of each; those without one (-1) are left out.

    Args:
        cluster: Where the frame is.
        frame: Keys, the columns of `order`, and others that follow from these.
        key: The names of its words.
        order: By which people of one key are sorted, missing values first.
        dealt: The place of each in that order, in arrays of some people.
        hold: Has the cluster keep a frame.
        directory: A private one, which has the places for as long as the frame is used: they are
            written and read block by block, and so stand in no memory as a whole.
    """
    columns = frame.columns
    alike = frame.groupBy(*columns).agg(F.count(F.lit(1)).alias("n"))
    first = sorted_by(frame, (*key, *order))
    ranges = alike.repartitionByRange(cluster.n_partitions, *first)
    ranges = ranges.withColumn("range", F.spark_partition_id())
    so_far = Window.partitionBy("range").orderBy(*first).rowsBetween(Window.unboundedPreceding, -1)
    before = F.coalesce(F.sum("n").over(so_far), F.lit(0))
    # Kept, since Spark would choose other ranges when it is asked again.
    counted = hold(ranges.withColumn("before", before))
    totals = cluster.collected(counted.groupBy("range").agg(F.sum("n").alias("n")))
    which, sizes = to_numbers(totals["range"]), to_numbers(totals["n"])
    in_order = np.argsort(which)
    starts = np.zeros(len(which), dtype=np.int64)
    starts[in_order[1:]] = np.cumsum(sizes[in_order])[:-1]
    offsets = pa.table({"which": of_numbers(which), "start": of_numbers(starts)})
    placed = matched(cluster, counted, [F.col("range")], offsets)
    start = F.col("start") + F.col("before")
    # Long runs are cut into pieces and these are spread over the cluster, before they are people.
    pieces = placed.select(
        *columns,
        (start + F.col("n")).alias("end"),
        F.explode(F.sequence(start, start + F.col("n") - 1, F.lit(AT_ONCE))).alias("first"),
    ).repartition(cluster.n_partitions, F.col("first"))
    last = F.least(F.col("first") + (AT_ONCE - 1), F.col("end") - 1)
    people = pieces.select(*columns, F.explode(F.sequence("first", last)).alias("position"))
    refuse_unshared(cluster, directory)
    n_placed = _write_places(dealt, directory / "places.parquet")
    places = cluster.own.read.schema("p bigint, place bigint").parquet(
        address_of(directory / "places.parquet")
    )
    return joined_with(people, [F.col("position")], places, n_placed).drop("position", *key)


def _write_places(dealt: Iterable[NDArray[np.int32]], target: Path) -> int:
    """Write the places of people with their positions, block by block; give how many have one."""
    schema = pa.schema([("p", pa.int64()), ("place", pa.int64())])
    n_seen = n_placed = 0
    with pq.ParquetWriter(target, schema, compression="zstd") as writer:
        for places in _blocks(dealt):
            there = np.flatnonzero(places >= 0)
            columns = of_numbers(there + n_seen), of_numbers(places[there].astype(np.int64))
            writer.write_table(pa.table(columns, schema=schema))
            n_seen, n_placed = n_seen + len(places), n_placed + len(there)
    return n_placed


def _blocks(dealt: Iterable[NDArray[np.int32]]) -> Iterator[NDArray[np.int32]]:
    """Put small arrays together, and cut large ones, since each is written by itself."""
    small: list[NDArray[np.int32]] = []
    for places in dealt:
        for start in range(0, len(places), BLOCK):
            small.append(places[start : start + BLOCK])
            if sum(map(len, small)) >= BLOCK:
                yield np.concatenate(small)
                small = []
    if small:
        yield np.concatenate(small)
