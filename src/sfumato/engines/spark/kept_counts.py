"""Counted combinations that stay on the cluster, and work on them done by its executors."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import reduce
from warnings import catch_warnings, simplefilter

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from sfumato.data.keys import Codes, Layout, bytes_of_a_key, order_of
from sfumato.data.regions import Branch, Regions
from sfumato.engines.arrow import firsts_by_code, of_bytes, of_numbers, to_numbers
from sfumato.engines.protocol import Along, Box, Counted, Outcome, Piece
from sfumato.engines.spark.digests import added, of_nobody, to_digests, without_sign
from sfumato.engines.spark.values import TOP, matched, of_keys, to_keys, turned
from sfumato.engines.spark.watched import Watched


class SparkCounted(Counted):
    """A frame that the cluster keeps: words of keys (k0, ...), people (n), digests (d0, ...)."""

    def __init__(self, watched: Watched, frame: DataFrame, layout: Layout, n_digests: int) -> None:
        self._watched, self._frame, self._layout = watched, frame, layout
        self._words = [f"k{w}" for w in range(layout.n_words)]
        self._sums = [f"d{j}" for j in range(n_digests)]
        with watched.explained():
            self.n_keys = frame.count()

    def along(
        self,
        regions: Regions,
        wanted: Sequence[int],
        field: int,
        beside: Sequence[int],
        among: Mapping[int, Codes] | None = None,
    ) -> Along:
        """Group the frame once."""
        names = [f"c{j}" for j in range(1 + len(beside))]
        codes = [self._code(f).alias(c) for f, c in zip([field, *beside], names, strict=True)]
        with self._watched.explained():
            inside = self._in_regions(regions).where(F.col("r").isin([*wanted]))
            if among:
                lists = pa.table(
                    {f"a{f}": of_numbers(c.astype(np.int64)) for f, c in among.items()}
                )
                known = [self._code(f) for f in among]
                inside = matched(self._watched.cluster, inside, known, lists, "left_semi")
            people = inside.select("r", *codes, "n").groupBy("r", *names).agg(F.sum("n").alias("n"))
            table = self._watched.cluster.collected(people)
        return Along(
            to_numbers(table["r"]).astype(np.int64),
            np.stack([to_numbers(table[name]).astype(np.int32) for name in names], axis=1),
            to_numbers(table["n"]),
        )

    def sizes(self, regions: Regions) -> NDArray[np.int64]:
        """Count the keys of every region."""
        with self._watched.explained():
            counted = self._in_regions(regions).groupBy("r").count()
            table = self._watched.cluster.collected(counted)
        sizes = np.zeros(len(regions), dtype=np.int64)
        sizes[to_numbers(table["r"])] = to_numbers(table["count"])
        return sizes

    def worked_on(
        self, regions: Regions, most: int, work: Callable[[Piece], Outcome]
    ) -> Iterator[Outcome]:
        """Send the work to where the regions are; what comes out of it comes here one by one."""
        inside, sizes = self._in_regions(regions), self.sizes(regions)
        return self._worked_on(regions, inside, sizes, most, work)

    def pieces(self, regions: Regions, wanted: Sequence[int], most: int) -> Iterator[Piece]:
        """Bring regions here one by one."""
        sizes = self.sizes(regions)
        others = np.ones(len(sizes), dtype=bool)
        others[wanted] = False
        sizes[others] = 0
        inside = self._in_regions(regions).where(F.col("r").isin([*wanted]))
        return self._worked_on(regions, inside, sizes, most, _as_it_is)

    def _worked_on(
        self,
        regions: Regions,
        inside: DataFrame,
        sizes: NDArray[np.int64],
        most: int,
        work: Callable[[Piece], Outcome],
    ) -> Iterator[Outcome]:
        """Do it in as many goes as what comes here takes."""
        most_here = self._most_here()
        go = (np.cumsum(sizes) - sizes) // most_here
        for each in np.unique(go[sizes > 0]).tolist():
            chosen = np.flatnonzero(go == each)
            part = inside.where(F.col("r").between(int(chosen[0]), int(chosen[-1])))
            yield from self._in_one_go(regions, part, np.where(go == each, sizes, 0), most, work)

    def _most_here(self) -> int:
        """Give how many keys may come here at once."""
        words = len(self._words) + len(self._sums) + 2  # of 8 bytes: the people, and room to spare
        at_once = self._watched.cluster.most_at_once
        return 1 << 62 if at_once is None else max(1, at_once // (8 * words))

    def most_in_a_piece(self, n_columns: int) -> int:
        """Give the keys that an executor's share takes, and that may come here."""
        share = self._watched.cluster.executor_share
        most = 1 << 62 if share is None else max(1, share // bytes_of_a_key(n_columns))
        return min(most, self._most_here())

    def _in_one_go(
        self,
        regions: Regions,
        inside: DataFrame,
        sizes: NDArray[np.int64],
        most: int,
        work: Callable[[Piece], Outcome],
    ) -> Iterator[Outcome]:
        large = np.flatnonzero(sizes > most).tolist()
        n_parts = -(-int(sizes.max(initial=0)) // max(1, most))
        alike = F.xxhash64(*(self._code(field) for field in range(regions.n_columns)))
        part = F.when(F.col("r").isin(large), F.pmod(alike, F.lit(n_parts)))
        regional = inside.withColumn("part", part.otherwise(F.lit(0)))
        with self._watched.explained(), catch_warnings():
            simplefilter("ignore", FutureWarning)  # about versions of pandas, which we do not use
            outcomes = regional.groupBy("r", "part").applyInArrow(
                _sent(work, self._words, self._sums), "outcome binary"
            )
        with self._watched.explained():
            held = outcomes.persist()
            self._watched.cluster.collected(held.groupBy().count())  # all of them at once
            rows = held.toLocalIterator()
        try:
            while True:
                with self._watched.explained():
                    row = next(rows, None)
                if row is None:
                    return
                yield pickle.loads(row[0])  # noqa: S301  (of our own executors)
        finally:
            with suppress(Exception):  # the session may be gone, and what it kept with it
                held.unpersist()

    def _in_regions(self, regions: Regions) -> DataFrame:
        """Give the keys with their regions; a key whose people are in several is in each.

        What is told of its people is told in one of them.
        """
        frame, region, shares = self._frame, self._region(regions.tree), regions.shares
        if not len(shares.people):
            return frame.withColumn("r", region)
        told = pa.array(shares.first.tolist(), pa.bool_())
        numbers = {"in": of_numbers(shares.region), "of": of_numbers(shares.people), "told": told}
        known = pa.table({**of_keys(shares.keys), **numbers})
        key = [F.col(word) for word in self._words]
        joined = matched(self._watched.cluster, frame, key, known, "left")
        return joined.select(
            F.coalesce("in", region).alias("r"),
            *self._words,
            F.coalesce("of", "n").alias("n"),
            *(
                F.when(~F.col("told"), of_nobody()).otherwise(F.col(name)).alias(name)
                for name in self._sums
            ),
        )

    def n_rolled_up(self, firsts: Sequence[Codes], within: Box | None = None) -> int:
        """Count the generalized keys."""
        with self._watched.explained():
            return int(self._generalized(firsts, within).select(*self._words).distinct().count())

    def rolled_up(self, firsts: Sequence[Codes], within: Box | None = None) -> Piece:
        """Group by the generalized keys."""
        with self._watched.explained():
            unsigned = {name: without_sign(name) for name in self._sums}
            keys = self._generalized(firsts, within).withColumns(unsigned).groupBy(*self._words)
            sums = [added(name) for name in self._sums]
            table = self._watched.cluster.collected(keys.agg(F.sum("n").alias("n"), *sums))
        return _piece(0, table, self._words, self._sums)

    def release(self) -> None:
        """Let the cluster forget the frame."""
        with suppress(Exception):  # the session may be gone
            self._frame.unpersist()

    def _generalized(self, firsts: Sequence[Codes], within: Box | None) -> DataFrame:
        """Give the frame with generalized keys."""
        layout, frame = self._layout, self._frame
        for field, (low, high) in enumerate([] if within is None else within.tolist()):
            if high - low + 1 < len(firsts[field]):
                frame = frame.where(self._code(field).between(low, high))
        words: list[list[Column]] = [[] for _ in range(layout.n_words)]
        for field, word in enumerate(layout.words):
            code = self._code(field)
            if field < len(firsts):
                table = firsts_by_code(firsts[field], f"first{field}")
                frame = matched(self._watched.cluster, frame, [code], table)
                code = F.col(f"first{field}")
            words[word].append(F.shiftleft(code, layout.shifts[field]))
        keys = [reduce(Column.bitwiseOR, terms).bitwiseXOR(turned()) for terms in words]
        named = [key.alias(name) for key, name in zip(keys, self._words, strict=True)]
        return frame.select(*named, "n", *self._sums)

    def _code(self, field: int) -> Column:
        """Give the code of a column in a key."""
        layout = self._layout
        word = F.col(f"k{layout.words[field]}").bitwiseXOR(turned())
        code = F.shiftrightunsigned(word, layout.shifts[field])
        return code.bitwiseAND(F.lit((1 << layout.widths[field]) - 1).cast("bigint"))

    def _region(self, tree: Branch | int) -> Column:
        """Give the region of a key."""
        if isinstance(tree, int):
            return F.lit(tree)
        below, above = self._region(tree.below), self._region(tree.above)
        code = self._code(tree.column)
        if tree.upto is None:
            return F.when(code <= tree.last, below).otherwise(above)
        upto = F.lit(True)
        for word, bound in reversed([*zip(self._words, tree.upto, strict=False)]):
            own, other = F.col(word), F.lit(bound - (1 << TOP)).cast("bigint")
            upto = (own < other) | ((own == other) & upto)
        return F.when((code < tree.last) | ((code == tree.last) & upto), below).otherwise(above)


def _sent(
    work: Callable[[Piece], object], words: Sequence[str], sums: Sequence[str]
) -> Callable[[pa.Table], pa.Table]:
    """Give the work on a region as executors do it."""

    def done(table: pa.Table) -> pa.Table:
        piece = _piece(int(table["r"][0].as_py()), table, words, sums)
        return pa.table({"outcome": of_bytes([pickle.dumps(work(piece))]).cast(pa.binary())})

    return done


def _piece(region: int, table: pa.Table, words: Sequence[str], sums: Sequence[str]) -> Piece:
    keys = to_keys([table[word] for word in words])
    order = order_of(keys)
    digests = [to_digests(table[name])[order] for name in sums]
    return Piece(region, keys[order], to_numbers(table["n"])[order], digests)


def _as_it_is(piece: Piece) -> Piece:
    return piece
