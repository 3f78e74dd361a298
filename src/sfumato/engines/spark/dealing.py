"""People of split combinations dealt out one by one, without bringing them to one place.

People stand in the order of their keys, then of what else is published of them, and take the
places that were decided in that order. Rows that are alike in all of it are interchangeable, so
they are counted first: a combination that most people have is a few rows with large counts. Those
are put into ranges of the order, each range is summed up where it is, the sums of whole ranges are
added up here, and every row then knows which places are its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from sfumato.engines.arrow import of_numbers, to_numbers
from sfumato.engines.spark.cluster import Cluster
from sfumato.engines.spark.values import matched

AT_ONCE = 1 << 13  # places that a row takes by one list of them


def dealt_out(
    cluster: Cluster,
    frame: DataFrame,
    key: Sequence[str],
    order: Sequence[str],
    dealt: Iterable[NDArray[np.int32]],
    hold: Callable[[DataFrame], DataFrame],
) -> DataFrame:
    """Give the rows of a frame with the `place` of each; those without one (-1) are left out.

    Args:
        cluster: Where the frame is.
        frame: Keys, the columns of `order`, and others that follow from these.
        key: The names of its words.
        order: By which people of one key are sorted, missing values first.
        dealt: The place of each in that order, in arrays of some people.
        hold: Has the cluster keep a frame.
    """
    columns = frame.columns
    alike = frame.groupBy(*columns).agg(F.count(F.lit(1)).alias("n"))
    first = [F.col(name).asc_nulls_first() for name in (*key, *order)]
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
    every = np.concatenate([np.zeros(0, dtype=np.int32), *dealt])
    there = np.flatnonzero(every >= 0)
    places = pa.table({"p": of_numbers(there), "place": of_numbers(every[there].astype(np.int64))})
    return matched(cluster, people, [F.col("position")], places).drop("position", *key)
