"""The distinct values of columns, and the number that a row's value has among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from sfumato.data.keys import Codes, Keys, Layout
from sfumato.engines.arrow import of_numbers, to_numbers
from sfumato.engines.spark.cluster import Cluster
from sfumato.engines.spark.kinds import compared, labelled
from sfumato.engines.spark.rows import Rows

TOP = 63  # the bit that makes a number negative: turned over, words compare as unsigned ones
COLUMNS_AT_ONCE = 16  # whose values are listed by one query
BROADCAST = 4_000_000  # rows of a table that is sent to every executor


class Values:
    """Distinct values of the counted columns, in the order in which they were listed."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._listed: dict[str, pa.Array] = {}  # as they are compared

    def compared(self, column: str) -> Column:
        """Give what stands for a column's value where it is compared with those listed."""
        return compared(self._rows.value(column), self._rows.types[column])

    def list_of(self, columns: Sequence[str], frame: DataFrame) -> dict[str, pa.Array]:
        """Remember the distinct values of some columns, and give their labels.

        frame: has all of them, under the inner names, as they are compared.
        """
        labels: dict[str, pa.Array] = {}
        for start in range(0, len(columns), COLUMNS_AT_ONCE):
            labels |= self._list_of(columns[start : start + COLUMNS_AT_ONCE], frame)
        return labels

    def _list_of(self, columns: Sequence[str], frame: DataFrame) -> dict[str, pa.Array]:
        inner, types = self._rows.inner, self._rows.types
        names = [inner[column] for column in columns]
        sets = frame.groupingSets([[F.col(name)] for name in names], *names)
        found = sets.agg(F.grouping_id().alias("which"))
        written = [labelled(F.col(inner[c]), types[c]).alias(f"label_{inner[c]}") for c in columns]
        table = self._rows.cluster.collected(found.select("which", *names, *written))
        which, every = to_numbers(table["which"]), (1 << len(names)) - 1
        labels = {}
        for j, column in enumerate(columns):
            own = of_numbers(np.flatnonzero(which == every ^ (1 << (len(names) - 1 - j))))
            self._listed[column] = table[inner[column]].combine_chunks().take(own)
            labels[column] = table[f"label_{inner[column]}"].combine_chunks().take(own)
        return labels

    def listed(self, column: str, positions: NDArray[np.integer]) -> pa.Array:
        """Give some of a column's distinct values, as they are compared, by their positions."""
        return self._listed[column].take(of_numbers(positions))

    def joined(
        self, frame: DataFrame, column: str, value: Column, more: Mapping[str, pa.Array]
    ) -> DataFrame:
        """Put columns beside a frame that are aligned with a column's distinct values.

        value: the column in the frame, as it is compared.
        """
        beside = pa.table({"listed": self._listed[column], **more})
        return matched(self._rows.cluster, frame, [value], beside)

    def packed(
        self, frame: DataFrame, columns: Sequence[str], codes: Mapping[str, Codes], layout: Layout
    ) -> DataFrame:
        """Put the packed key k0, k1, ... of a row's codes beside it.

        The frame has the columns as they are compared: c0, c1, ... in their order.
        """
        words: list[list[Column]] = [[] for _ in range(layout.n_words)]
        places = zip(columns, layout.words, layout.shifts, strict=True)
        for j, (column, word, shift) in enumerate(places):
            code = {f"code{j}": of_numbers(codes[column].astype(np.int64))}
            frame = self.joined(frame, column, F.col(f"c{j}"), code)
            words[word].append(F.shiftleft(F.col(f"code{j}"), shift))
        for w, terms in enumerate(words):
            key = terms[0]
            for term in terms[1:]:
                key = key.bitwiseOR(term)
            frame = frame.withColumn(f"k{w}", key.bitwiseXOR(turned()))
        return frame.drop(*(f"code{j}" for j in range(len(columns))))


def turned() -> Column:
    """Give the bit that is turned over."""
    return F.shiftleft(F.lit(1).cast("bigint"), TOP)


def to_keys(words: Sequence[pa.ChunkedArray]) -> Keys:
    """Give packed keys as they were before their top bits were turned over."""
    turned = [to_numbers(word).view(np.uint64) ^ np.uint64(1 << TOP) for word in words]
    return np.stack(turned, axis=1)


def of_keys(keys: Keys) -> dict[str, pa.Array]:
    """Give packed keys as a frame has them, by the names of the words."""
    turned = (keys ^ np.uint64(1 << TOP)).view(np.int64)
    return {f"k{w}": of_numbers(turned[:, w]) for w in range(turned.shape[1])}


def matched(
    cluster: Cluster,
    frame: DataFrame,
    values: Sequence[Column],
    beside: pa.Table,
    how: str = "inner",
) -> DataFrame:
    """Join with a table of ours, a missing value with a missing one.

    values: what is compared with the first columns of the table, which go.
    """
    return joined_with(frame, values, cluster.frame(beside), beside.num_rows, how)


def joined_with(
    frame: DataFrame, values: Sequence[Column], beside: DataFrame, n_rows: int, how: str = "inner"
) -> DataFrame:
    """Join with a frame of so many rows, a missing value with a missing one.

    values: what is compared with its first columns, which go.
    """
    names = [f"m{j}_" for j in range(len(values))]
    table = beside.toDF(*names, *beside.columns[len(values) :])
    if n_rows <= BROADCAST:
        table = F.broadcast(table)
    condition = F.lit(True)
    for value, name in zip(values, names, strict=True):
        condition = condition & value.eqNullSafe(F.col(name))
    return frame.join(table, condition, how).drop(*names)
