"""The people of a source: their values listed, counted, and written as a release tells."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from sfumato.data.groups import Counts, Digests
from sfumato.data.keys import Codes, Keys, Layout
from sfumato.engines.arrow import to_numbers, values_of
from sfumato.engines.protocol import Format, People, WritingPlan
from sfumato.engines.spark.digests import added, hash_of, summed, to_digests
from sfumato.engines.spark.kept_counts import SparkCounted
from sfumato.engines.spark.kinds import refuse_uncountable, refuse_unsorted
from sfumato.engines.spark.places import refuse_unshared
from sfumato.engines.spark.recode_and_suppress import Writing
from sfumato.engines.spark.rows import Rows
from sfumato.engines.spark.values import Values, to_keys
from sfumato.engines.spark.watched import Watched


class SparkPeople(People):
    """Rows on a cluster, one for each person."""

    def __init__(self, rows: Rows, watched: Watched) -> None:
        self.set_valued = rows.lists
        self._rows, self._watched, self._cluster = rows, watched, rows.cluster
        self._values = Values(rows)
        self._counted: DataFrame | None = None  # what `domains` has counted already
        self._jointly: tuple[str, ...] = ()  # columns whose combinations stand in it
        self._told: tuple[tuple[str, ...], ...] = ()  # and what is told of their people
        self._written: tuple[WritingPlan, Writing] | None = None  # the last one
        self._held: list[DataFrame] = []  # frames that the cluster keeps for us
        weakref.finalize(self, _let_go, self._held)

    def domains(
        self, columns: Sequence[str], jointly: Sequence[str], told: Sequence[tuple[str, ...]] = ()
    ) -> dict[str, list[object]]:
        """Group the rows by some columns jointly, and by each other one alone."""
        for column in columns:
            refuse_uncountable(column, self._rows.element(column))
        alone = [column for column in columns if column not in jointly]
        both = [column for column in columns if column in jointly]
        labels: dict[str, Any] = {}
        with self._watched.explained():
            if jointly:
                self._counted = self._hold(self._grouped(jointly, told))
                self._jointly, self._told = tuple(jointly), tuple(told)
                labels |= self._values.list_of(both, self._counted)
            if alone:
                inner = self._rows.inner
                values = [self._values.compared(c).alias(inner[c]) for c in alone]
                labels |= self._values.list_of(alone, self._rows.frame.select(*values))
        return {column: values_of(column, labels[column]) for column in columns}

    def count(
        self,
        codes: Mapping[str, Codes],
        layout: Layout,
        told: Sequence[tuple[str, ...]] = (),
        at_most: int | None = None,
    ) -> tuple[Keys, Counts, list[Digests]]:
        """Translate counted combinations into packed keys; count what has not been counted."""
        with self._watched.explained():
            table = self._cluster.collected(self._packed(codes, layout, told, at_most))
        if {*codes} == {*self._jointly}:
            self._release()
        words = [f"k{w}" for w in range(layout.n_words)]
        sums = [f"d{j}" for j in range(len(told))]
        keys = to_keys([table[word] for word in words])
        return keys, to_numbers(table["n"]), [to_digests(table[name]) for name in sums]

    def n_counted(self, columns: Sequence[str]) -> int:
        """Count what the cluster keeps already, or what is different."""
        with self._watched.explained():
            if self._counted is not None and {*columns} == {*self._jointly}:
                return int(self._counted.count())
            values = [self._values.compared(c).alias(self._rows.inner[c]) for c in columns]
            return int(self._rows.frame.select(*values).distinct().count())

    def kept(
        self, codes: Mapping[str, Codes], layout: Layout, told: Sequence[tuple[str, ...]] = ()
    ) -> SparkCounted:
        """Translate counted combinations into packed keys, and have the cluster keep them."""
        with self._watched.explained():
            packed = self._packed(codes, layout, told).persist()
            counted = SparkCounted(self._watched, packed, layout, len(told))
        self._release()
        self._held.append(packed)
        return counted

    def _packed(
        self,
        codes: Mapping[str, Codes],
        layout: Layout,
        told: Sequence[tuple[str, ...]],
        at_most: int | None = None,
    ) -> DataFrame:
        """Give packed keys with their people and digests, out of what is counted already if so."""
        columns, counted = list(codes), self._counted
        known = {*columns} <= {*self._jointly} and (*told,) in ((), self._told)
        if counted is None or not known or at_most is not None:
            counted = self._grouped(columns, told, at_most)
        coded = counted.withColumnsRenamed(
            {self._rows.inner[column]: f"c{j}" for j, column in enumerate(columns)}
        )
        packed = self._values.packed(coded, columns, codes, layout)
        sums = [added(f"d{j}") for j in range(len(told))]
        words = [f"k{w}" for w in range(layout.n_words)]
        return packed.groupBy(*words).agg(F.sum("n").alias("n"), *sums)

    def _grouped(
        self,
        columns: Sequence[str],
        told: Sequence[tuple[str, ...]],
        at_most: int | None = None,
    ) -> DataFrame:
        """Count the combinations of some columns, as they are compared, and sum up digests."""
        inner = self._rows.inner
        names = [inner[column] for column in columns]
        values = [self._values.compared(c).alias(inner[c]) for c in columns]
        hashes = [
            hash_of(self._text(column) for column in each).alias(f"h{j}")
            for j, each in enumerate(told)
        ]
        sums = [summed(F.col(f"h{j}")).alias(f"d{j}") for j in range(len(told))]
        rows = self._rows.frame.select(*values, *hashes)
        if at_most is not None:
            rows = rows.orderBy(F.rand(1)).limit(at_most)  # each task keeps no more of its own
        return rows.groupBy(*names).agg(F.count(F.lit(1)).alias("n"), *sums)

    def _text(self, column: str) -> Any:
        refuse_unsorted(column, self._rows.types[column])
        return self._rows.text(column)

    def alike(
        self, groupings: Sequence[Sequence[str]], plan: WritingPlan | None = None
    ) -> list[tuple[Counts, Counts]]:
        """Group the rows twice: by what they have, and the groups by their size."""
        if not groupings:
            return []
        columns = tuple(dict.fromkeys(column for each in groupings for column in each))
        inner = self._rows.inner
        with self._watched.explained():
            rows = self._rows.frame
            if plan is not None:
                wanted = replace(plan, columns=columns)
                writing = Writing(self._rows, self._values, wanted, "parquet", self._hold)
                rows = writing.published()
            if len(groupings) > 1:  # each would begin with the source
                rows = self._hold(rows.select(*(inner[column] for column in columns)))
            sizes = [
                rows.groupBy(*(inner[column] for column in each))
                .agg(F.count(F.lit(1)).alias("size"))
                .groupBy("size")
                .agg(F.count(F.lit(1)).alias("n"))
                .select(F.lit(j).alias("which"), "size", "n")
                for j, each in enumerate(groupings)
            ]
            together = reduce(lambda one, other: one.unionAll(other), sizes)
            table = self._cluster.collected(together.orderBy("which", "size"))
        self._release()
        which, size, n = (to_numbers(table[name]) for name in ("which", "size", "n"))
        starts = np.searchsorted(which, np.arange(1, len(groupings)))
        return list(zip(np.split(size, starts), np.split(n, starts), strict=True))

    def apply(self, plan: WritingPlan, target: Path, kind: Format) -> None:
        """Write a table, sorted by group or quasi-identifiers and then by everything else."""
        with self._watched.explained(target):
            refuse_unshared(self._cluster, target.parent)
            writing = Writing(self._rows, self._values, plan, kind, self._hold)
            writing.write(target)
        self._written = plan, writing

    def digest(self, plan: WritingPlan | None = None) -> int:
        """Add up the hashes of all rows; those of a plan are kept since they were written."""
        with self._watched.explained():
            if plan is None:
                frame = self._rows.frame
                texts = [self._text(column) for column in self._rows.inner]
            elif self._written is None or self._written[0] is not plan:
                raise ValueError("a digest is asked for what was written last")
            else:
                frame, texts = self._written[1].published_texts()
            hashes = frame.select(hash_of(texts).alias("h"))
            totals = hashes.agg(summed(F.col("h")).alias("d")).agg(added("d"))
            table = self._cluster.collected(totals)
        self._release()
        return int(to_digests(table["d"])[0])

    def _hold(self, frame: DataFrame) -> DataFrame:
        """Have the cluster keep what a frame comes to, until it is released."""
        kept = frame.persist()
        self._held.append(kept)
        return kept

    def _release(self) -> None:
        """Let all go that the cluster keeps for us; what is asked for again is made again."""
        self._counted, self._jointly = None, ()
        _let_go(self._held)


def _let_go(held: list[DataFrame]) -> None:
    while held:
        with suppress(Exception):  # the session may be gone, and what it kept with it
            held.pop().unpersist()
