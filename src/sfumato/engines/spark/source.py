"""One source read by Spark."""

from __future__ import annotations

import weakref
from collections.abc import Collection, Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Any

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from sfumato.data.read_counts import ReadCounts
from sfumato.data.spellings import Spellings
from sfumato.engines.look import SourceLook, TextCounts
from sfumato.engines.protocol import ENGINES, Batches, BatchReceipt, Engine, Source
from sfumato.engines.spark.cluster import Cluster
from sfumato.engines.spark.counting import SparkPeople
from sfumato.engines.spark.kinds import (
    LIST,
    bare,
    cleaned,
    comparable,
    kind_of,
    named_kind,
    sorted_as,
    stored,
)
from sfumato.engines.spark.one_row_each import one_row_each
from sfumato.engines.spark.opening import Opened
from sfumato.engines.spark.places import refuse_unshared
from sfumato.engines.spark.rows import Rows
from sfumato.engines.spark.spellings import respelled, spellings_of
from sfumato.engines.spark.texts import undone
from sfumato.engines.spark.watched import Watched
from sfumato.engines.spark.written_files import write_parquet
from sfumato.files.private_directory import no_room, scratch


class SparkSource(Source):
    """The rows of a frame, of a table, or of files."""

    def __init__(self, engine: Engine, cluster: Cluster, opened: Opened) -> None:
        self.engine, self.name, self.columns = engine, opened.name, opened.columns
        self.typed, self.files = opened.typed, tuple(opened.versions)
        self.format = "parquet" if opened.typed else "csv"
        if opened.embedded is not None:
            self.format = opened.embedded.format
        self._opened, self._cluster = opened, cluster
        self._watched = Watched(cluster, opened.name, opened.versions)
        with self._watched.explained():
            frame = bare(opened.frame)
            fields = frame.schema.fields
        types = [kind_of(field.dataType.simpleString()) for field in fields]
        inner = [f"v{j}" for j in range(len(types))]
        types = [opened.nanos.get(v, kind) for v, kind in zip(inner, types, strict=True)]
        values = [cleaned(F.col(v), f.dataType) for v, f in zip(inner, fields, strict=True)]
        if opened.marked:
            values = [undone(value) for value in values]
        self._rows = Rows(
            cluster,
            frame.select(*(value.alias(v) for v, value in zip(inner, values, strict=True))),
            dict(zip(self.columns, inner, strict=True)),
            dict(zip(self.columns, types, strict=True)),
            opened.typed,
        )

    def remedy(self) -> str:
        """Say which setting would read other column names, as the end of a message."""
        embedded = self._opened.embedded
        return "" if embedded is None else embedded.remedy()

    def read_counts(self, columns: Sequence[str]) -> ReadCounts:
        """Count what the settings did to some columns."""
        embedded = self._opened.embedded
        return ReadCounts() if embedded is None else embedded.read_counts(columns)

    def spellings(self, column: str, known: Collection[str | None] = ()) -> Spellings:
        """Compare the distinct values of a column."""
        with self._watched.explained():
            return spellings_of(self._rows, column, known)

    def respelled(self, spellings: Mapping[str, Mapping[object, str | None]]) -> SparkSource:
        """See some values as texts."""
        other = copy(self)
        with self._watched.explained():
            other._rows = respelled(self._rows, spellings)
        return other

    def people(
        self, person: str | None, sensitive: Sequence[str], kept: Sequence[str]
    ) -> SparkPeople:
        """See one row for each person, and a person's several values as a list in some order."""
        with self._watched.explained():
            rows = one_row_each(self._rows, person, sensitive, kept)
        return SparkPeople(rows, self._watched)

    def keep(
        self,
        columns: Sequence[str],
        person: str | None,
        key: bytes,
        target: Path,
        earlier: Sequence[Path],
        *,
        as_spelled: bool = False,
        without: Mapping[str, Collection[object]] | None = None,
    ) -> BatchReceipt:
        """Hand the rows over to the embedded engine, which keeps the batches of series."""
        needed = {*columns, *(without or {}), *([] if person is None else [person])}
        return self._brought([name for name in self.columns if name in needed]).keep(
            columns, person, key, target, earlier, as_spelled=as_spelled, without=without
        )

    def to_batches(self, text: Collection[str]) -> Any:
        """Read batch by batch, columns without a type as what they hold."""
        if self._opened.place is not None:
            return ENGINES["duckdb"]().open_published(self._opened.place).to_batches(text)
        return self._brought(self.columns).to_batches(text)

    def _brought(self, columns: Sequence[str]) -> Source:
        """Have some columns written into a private directory, for the embedded engine to read.

        So they pass through no memory here; the directory goes with whoever reads it.
        """
        directory = scratch()
        place = directory.path / "rows.parquet"
        inner, types = self._rows.inner, self._rows.types
        try:
            with self._watched.explained(place):
                refuse_unshared(self._cluster, directory.path)
                frame = stored(self._rows.frame, {inner[c]: types[c] for c in columns})
                write_parquet(frame.select(*(F.col(inner[c]).alias(c) for c in columns)), place)
        except OSError as error:
            directory.close()
            raise no_room(error) from None
        except BaseException:  # now, and not when nobody holds the error any more
            directory.close()
            raise
        parts = Batches(tuple(sorted(place.iterdir())), self.typed, self.name)
        source = ENGINES["duckdb"]().open(parts)
        weakref.finalize(source, directory.close)
        return source

    def kinds(self, numbers: Collection[str]) -> dict[str, str]:
        """Name what each column holds; of a column of lists, what stands in them."""
        with self._watched.explained():
            derived = self._rows.types_of_numbers(list(numbers))
        types = {**self._rows.types, **derived}
        return {name: named_kind(LIST.sub(r"\1", kind)) for name, kind in types.items()}

    def look(self, patterns: Mapping[str, str], counted: TextCounts | None = None) -> SourceLook:
        """Count every column by the embedded engine: of a release, in its files."""
        if self._opened.embedded is not None:
            return self._opened.embedded.look(patterns, counted)
        if self._opened.place is not None:
            source = ENGINES["duckdb"]().open_published(self._opened.place)
            return source.look(patterns, counted)
        return self._brought(self.columns).look(patterns, counted)

    def is_sorted(
        self,
        kinds: Mapping[str, str],
        numbers: Collection[str] = (),
        *,
        few: bool = False,  # noqa: ARG002  (rows are counted where they are)
    ) -> bool:
        """Compare every row of a file with the one before, and the ends of files with each other.

        A CSV file is compared block by block, as it is read.
        """
        with self._watched.explained():
            self._rows.types_of_numbers(list(numbers))
            values, in_file = [], self._opened.frame.schema
            for name, kind in kinds.items():
                v = self._rows.inner[name]
                value = comparable(F.col(v), in_file[v].dataType)
                if not self.typed and kind != "text":
                    typed = sorted_as(kind)
                    if typed is None:
                        break
                    value = undone(value).cast(typed) if self._opened.marked else value.cast(typed)
                values.append(value)
            if not values:
                return True
            rows = self._in_file().select("file", "place", F.struct(*_named(values)).alias("row"))
            return not self._n_before(rows)

    def _in_file(self) -> DataFrame:
        """Give the rows of files as they were written, with the file or block and the place."""
        frame = self._opened.frame
        if self.typed:
            file, place = F.col("_metadata.file_name"), F.col("_metadata.row_index")
        else:
            file = F.lpad(F.col("_metadata.file_block_start").cast("string"), 20, "0")
            place = F.monotonically_increasing_id()
        return frame.select("*", file.alias("file"), place.alias("place"))

    def _n_before(self, rows: DataFrame) -> int:
        """Count the rows that stand behind one that they should stand before."""
        inside = Window.partitionBy("file").orderBy("place")
        before = rows.withColumn("last", F.lag("row").over(inside))
        ends = before.groupBy("file").agg(
            F.count_if(F.col("row") < F.col("last")).alias("n"),
            F.min_by("row", "place").alias("first"),
            F.max_by("row", "place").alias("end"),
        )
        # As many rows as files. Always 0, but Spark does not know that, and so does not warn of it.
        across = Window.partitionBy(F.col("n") % 1).orderBy("file")
        known = ends.withColumn("last", F.lag("end").over(across))
        wrong = F.col("n") + F.coalesce((F.col("first") < F.col("last")).cast("bigint"), F.lit(0))
        (found,) = self._cluster.collected(known.agg(F.sum(wrong).alias("n"))).to_pylist()
        return int(found["n"] or 0)


def _named(values: Sequence[Column]) -> list[Column]:
    return [value.alias(f"r{j}") for j, value in enumerate(values)]
