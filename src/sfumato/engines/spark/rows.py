"""Rows as a Spark frame, with the names and types of their columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from sfumato.engines.spark.cluster import Cluster
from sfumato.engines.spark.kinds import LIST
from sfumato.engines.spark.texts import NUMBERS, TEXT, text_of, written_as


@dataclass(frozen=True, eq=False)
class Rows:
    """A frame of the source's rows.

    Inside, columns are called v0, v1, ... in the order of the source, so that no name of a source
    can clash with one of ours, and no dot, quote or letter of it is read by Spark.
    """

    cluster: Cluster
    frame: DataFrame
    inner: Mapping[str, str]  # column -> its name in the frame
    types: Mapping[str, str]  # column -> Spark's short name of its type
    typed: bool  # False: all columns are text, and types are ours to derive
    lists: str | None = None  # the column in which a person has a list of values
    _numbers: dict[str, str | None] = field(default_factory=dict, init=False, repr=False)

    def value(self, column: str) -> Column:
        """Give a column of the frame."""
        return F.col(self.inner[column])

    def element(self, column: str) -> str:
        """Give the type of a column's values: of a list, that of what stands in it."""
        kind = self.types[column]
        is_list = LIST.match(kind)
        return is_list[1] if is_list and column == self.lists else kind

    def text(self, column: str) -> Column:
        """Give the text of a column's value."""
        return text_of(self.value(column), self.types[column])

    def types_of_numbers(self, columns: Sequence[str]) -> dict[str, str]:
        """Give the columns without a type that hold nothing but numbers, written as numbers are.

        Only what a number gives back letter by letter is one: 01234, 1.50 and 1e3 stay text.
        """
        new = self.without_type(columns)
        if new:
            frame = self.frame
            if self.lists in new:  # it is the only one that is published with its values
                value = self.inner[str(self.lists)]
                frame = frame.select(F.explode(value).alias(value))
            seen = frame.select(
                *(written_as(self.value(c)).alias(f"n{j}") for j, c in enumerate(new))
            )
            ends = [each(f"n{j}") for j in range(len(new)) for each in (F.min, F.max)]
            (found,) = self.cluster.collected(seen.agg(*ends).toDF(*_names(len(ends)))).to_pylist()
            self.remember(new, [found[name] for name in _names(len(ends))])
        types = {column: self._numbers.get(column) for column in columns}
        return {column: kind for column, kind in types.items() if kind is not None}

    def without_type(self, columns: Iterable[str]) -> list[str]:
        """Give those of some columns whose values have to be looked at."""
        return [] if self.typed else [column for column in columns if column not in self._numbers]

    def remember(self, columns: Sequence[str], ends: Sequence[int | None]) -> None:
        """Keep how all values of some columns are written; ends: the least and most of each."""
        for j, column in enumerate(columns):
            low, high = ends[2 * j], ends[2 * j + 1]
            self._numbers[column] = NUMBERS.get(TEXT if low is None or low != high else low)


def _names(n: int) -> list[str]:
    return [f"e{j}" for j in range(n)]
