"""How a table of a release is written: every row with its published values, in their order."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from sfumato.data.recoding.instructions import Join, Lookup
from sfumato.engines.arrow import of_numbers, of_texts, values_of
from sfumato.engines.protocol import Format, WritingPlan
from sfumato.engines.spark.dealing import dealt_out
from sfumato.engines.spark.handing_over import handed_over
from sfumato.engines.spark.kinds import refuse_unsorted, restored, sorted_by, stored
from sfumato.engines.spark.rows import Rows
from sfumato.engines.spark.texts import defused, field_of, text_of, undone
from sfumato.engines.spark.values import Values, joined_with, matched, of_keys
from sfumato.engines.spark.written_files import write_csv, write_parquet
from sfumato.errors import BadInput
from sfumato.files.private_directory import PrivateDirectory, scratch

Hold = Callable[[DataFrame], DataFrame]  # has the cluster keep what a frame comes to
GROUP = "g"
DATED = re.compile("date|timestamp(_ntz)?")


class Writing:
    """One table of a release, by one plan and in one format."""

    def __init__(
        self, rows: Rows, values: Values, plan: WritingPlan, kind: Format, hold: Hold
    ) -> None:
        self._rows, self._values, self._plan, self._kind = rows, values, plan, kind
        self._cluster, self._hold = rows.cluster, hold
        self._types: dict[str, str] = {}  # name in the frame -> type, of what is published
        self._selected: DataFrame | None = None
        self._places: PrivateDirectory | None = None  # of people and groups

    def write(self, target: Path) -> None:
        """Write it, sorted by group or quasi-identifiers and then by everything else."""
        plan = self._plan
        if self._kind == "csv":
            self._refuse_out_of_reach()
        self._selected = selected = self._with_numbers(self.published())
        order = plan.sorted_by(self._rows.inner)
        written = [pair for c in plan.columns for pair in plan.written_for(c, self._rows.inner)]
        if plan.group is not None:
            order, written = [GROUP, *order], [(GROUP, plan.group), *written]
        in_order = selected.orderBy(*sorted_by(selected, order))
        if self._kind == "parquet":
            values = [F.col(v).alias(name, metadata={}) for v, name in written]  # see `bare`
            write_parquet(stored(in_order, self._types).select(*values), target)
            return
        fields = [field_of(text_of(F.col(v), self._types[v])) for v, _ in written]
        lines = in_order.select(F.concat_ws(",", *fields).alias("line"))
        write_csv(lines, [name for _, name in written], target)

    def _refuse_out_of_reach(self) -> None:
        """Refuse days whose texts differ from engine to engine, as where values are counted."""
        rows, plan = self._rows, self._plan
        kept = [c for c in plan.columns if plan.how.labels.get(c) is None]
        dated = [c for c in kept if DATED.fullmatch(rows.element(c))]
        ends = []
        for j, column in enumerate(dated):
            value = rows.value(column)
            if column == rows.lists:
                ends += [F.min(F.array_min(value)).alias(f"low{j}")]
                ends += [F.max(F.array_max(value)).alias(f"high{j}")]
            else:
                ends += [F.min(value).alias(f"low{j}"), F.max(value).alias(f"high{j}")]
        if ends:
            found = self._cluster.collected(rows.frame.agg(*ends))
            for j, column in enumerate(dated):
                for name in (f"low{j}", f"high{j}"):
                    values_of(column, found[name])

    def published_texts(self) -> tuple[DataFrame, list[Column]]:
        """Give the rows that were written, in any order, and the texts of their values."""
        assert self._selected is not None  # noqa: S101  (it is asked after `write`)
        plan = self._plan
        columns = [v for c in plan.columns for v, _ in plan.written_for(c, self._rows.inner)]
        if plan.group is not None:
            columns = [GROUP, *columns]
        texts = [text_of(F.col(v), self._types[v]) for v in columns]
        if self._kind == "csv":  # as the values are read again
            texts = [undone(text) for text in texts]
        return self._selected, texts

    def _with_numbers(self, published: DataFrame) -> DataFrame:
        """Put columns of numbers beside the texts that they follow from."""
        for place, (column, numbers) in enumerate(self._plan.numbers.items()):
            whole = numbers.kind == "integer"
            names = [f"n{place}_{j}" for j in range(len(numbers.names))]
            rows = zip(*numbers.values.values(), strict=True)
            kind = pa.int64() if whole else pa.float64()
            beside = {n: pa.array(row, kind) for n, row in zip(names, rows, strict=True)}
            texts = pa.table({"label": of_texts(numbers.values), **beside})
            v = self._rows.inner[column]
            own = text_of(F.col(v), self._types[v])
            text = undone(own) if self._kind == "csv" else own
            published = matched(self._cluster, published, [text], texts, "left")
            self._types |= dict.fromkeys(names, "bigint" if whole else "double")
        return published

    def published(self) -> DataFrame:
        """Give its rows in any order, columns by their inner names."""
        plan, inner = self._plan, self._rows.inner
        kept = [c for c in plan.columns if plan.how.labels.get(c) is None]
        derived = [c for c in kept if c not in plan.text and self._kind == "parquet"]
        types = self._rows.types_of_numbers(derived)
        if isinstance(plan.how, Lookup):
            frame = self._by_lookup(plan.how)
        else:
            frame = self._by_join(plan.how, kept)
        if self._rows.lists in plan.columns:
            value = inner[str(self._rows.lists)]
            frame = frame.withColumn(value, F.explode(value))
        values = []
        for column in plan.columns:
            v = inner[column]
            value = F.col(v)
            kind = self._rows.element(column) if column in kept else "string"
            refuse_unsorted(column, kind)
            if self._kind == "csv" and kind.startswith(("array<", "struct<")):
                raise BadInput(
                    f"column {column!r}: values of type {kind} are not written to CSV by Spark; "
                    "choose Parquet, or turn them into text"
                )
            if column in types:
                kind = types[column]
                value = value.cast(kind)
            elif self._kind == "csv" and kind in ("string", "binary"):
                value, kind = defused(text_of(value, kind)), "string"
            self._types[v] = kind
            values.append(value.alias(v))
        if plan.group is not None:
            self._types[GROUP] = self._type_of_group()
            values.insert(0, F.col(GROUP).cast(self._types[GROUP]).alias(GROUP))
        return frame.select(*values)

    def _type_of_group(self) -> str:
        """Give the type of the numbers that groups were given."""
        how = self._plan.how
        short = isinstance(how, Join) and how.numbers is None and how.dealt is not None
        return "int" if short else "bigint"

    def _by_lookup(self, how: Lookup) -> DataFrame:
        """Give the rows with their labels in the place of values; without those left out."""
        plan, frame = self._plan, self._rows.frame
        used = [c for c in plan.quasi_identifiers if how.labels[c] or len(how.suppressed)]
        for j, column in enumerate(used):
            codes, labels = plan.codes[column], how.labels[column]
            beside = {f"low{j}": of_numbers(how.lows[column][codes].astype(np.int64))}
            if labels is not None:
                beside["label"] = _taken(labels.texts, labels.index[codes])
            frame = self._values.joined(frame, column, self._values.compared(column), beside)
            if labels is not None:
                frame = frame.withColumn(self._rows.inner[column], F.col("label")).drop("label")
        if len(how.suppressed):
            lows = {f"x{j}": of_numbers(x.astype(np.int64)) for j, x in enumerate(how.suppressed.T)}
            here = [F.col(f"low{j}") for j in range(len(lows))]
            frame = matched(self._cluster, frame, here, pa.table(lows), "left_anti")
        return frame

    def _by_join(self, how: Join, kept: Sequence[str]) -> DataFrame:
        """Give the rows that are published, with the labels of their groups."""
        inner = self._rows.inner
        frame = self._assigned(how, kept)
        frame = self._with_changes(how, frame, kept)
        labels = {
            c: texts
            for c, texts in how.labels.items()
            if texts is not None and c in self._plan.columns
        }
        groups = np.arange(how.n_groups)
        if labels:
            beside = {
                inner[c]: _taken(each.texts, each.index[groups]) for c, each in labels.items()
            }
            table = pa.table({"of": of_numbers(groups), **beside})
            frame = matched(self._cluster, frame, [F.col("place")], table)
        if how.numbers is None:
            return frame.withColumnRenamed("place", GROUP)
        numbers = pa.table(
            {"of": of_numbers(np.arange(len(how.numbers))), GROUP: of_numbers(how.numbers)}
        )
        return matched(self._cluster, frame, [F.col("place")], numbers)

    def _with_changes(self, how: Join, frame: DataFrame, kept: Sequence[str]) -> DataFrame:
        """Put the values that are published instead of people's own into their places."""
        for column in (c for c in how.instead if c in kept):
            place = np.flatnonzero(how.instead[column] >= 0)
            codes = self._plan.codes[column]
            position = np.empty(int(codes.max()) + 1, dtype=np.intp)
            position[codes] = np.arange(len(codes))
            values = self._values.listed(column, position[how.instead[column][place]])
            table = {"of": of_numbers(place), "other": values, "changed": _true(len(place))}
            frame = matched(self._cluster, frame, [F.col("place")], pa.table(table), "left")
            v, kind = self._rows.inner[column], self._rows.types[column]
            other = F.when(F.col("changed"), restored(F.col("other"), kind))
            frame = frame.withColumn(v, other.otherwise(F.col(v))).drop("other", "changed")
        return frame

    def _assigned(self, how: Join, kept: Sequence[str]) -> DataFrame:
        """Give the kept values of the rows that are published, and the places of their groups."""
        inner = self._rows.inner
        order = () if how.dealt is None else how.order
        needed = [inner[c] for c in dict.fromkeys((*kept, *order))]
        coded = [self._values.compared(c).alias(f"c{j}") for j, c in enumerate(how.columns)]
        frame = self._rows.frame.select(*needed, *coded)
        frame = self._values.packed(frame, how.columns, self._plan.codes, how.layout)
        key = [f"k{w}" for w in range(how.layout.n_words)]
        if how.dealt is not None:
            self._places = scratch()
            return dealt_out(
                self._cluster,
                frame.select(*needed, *key),
                key,
                [inner[c] for c in how.order],
                how.dealt,
                self._hold,
                self._places.path,
            )
        self._places = scratch()
        parts, n_parts = handed_over(self._cluster, _tables_of(how), self._places.path)
        frame = frame.select(*needed, *key)
        return joined_with(frame, [F.col(k) for k in key], parts, n_parts).drop(*key)


def _tables_of(how: Join) -> Iterator[pa.Table]:
    """Give the keys of what is published with the places of their groups, some at a time."""
    for keys, groups in how.parts:
        inside = groups >= 0
        places = of_numbers(groups[inside].astype(np.int64))
        yield pa.table({**of_keys(keys[inside]), "place": places})


def _taken(texts: Sequence[str | None], index: NDArray[np.integer]) -> pa.Array:
    return of_texts(texts).take(of_numbers(index))


def _true(n: int) -> pa.Array:
    return pa.array([True] * n, pa.bool_())
