"""Counted combinations that stay in DuckDB, which keeps on disk what does not fit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.data.keys import Codes, Layout, runs
from sfumato.data.regions import Branch, Regions
from sfumato.engines.arrow import firsts_by_code, of_numbers, to_numbers
from sfumato.engines.duckdb.connection.session import Session
from sfumato.engines.duckdb.digests import summed_up
from sfumato.engines.protocol import Along, Box, Counted, Outcome, Piece


class DuckDBCounted(Counted):
    """A temporary table of words of keys (k0, ...), people (n) and digests (d0, ...)."""

    def __init__(self, session: Session, table: str, layout: Layout, n_digests: int) -> None:
        self._session, self._table, self._layout = session, table, layout
        self._words = [f"k{w}" for w in range(layout.n_words)]
        self._sums = [f"d{j}" for j in range(n_digests)]
        (self.n_keys,) = self._asked(f"SELECT count(*) FROM {table}")[0]

    def _asked(self, query: str) -> list[tuple[int, ...]]:
        with self._session.explained():
            return self._session.connection.execute(query).fetchall()

    def along(
        self,
        regions: Regions,
        wanted: Sequence[int],
        field: int,
        beside: Sequence[int],
        among: Mapping[int, Codes] | None = None,
    ) -> Along:
        """Group the table once."""
        fields = [field, *beside]
        selected = ", ".join(f"{self._code(f)} AS c{j}" for j, f in enumerate(fields))
        inside = ", ".join(str(region) for region in wanted)
        query = (
            f"SELECT r, {selected}, sum(n)::BIGINT AS n FROM ({self._rows(regions)}) "
            f"{self._semi_join(among or {})} WHERE r IN ({inside}) GROUP BY ALL"
        )
        with self._session.explained():
            table = self._session.connection.sql(query).to_arrow_table()
        codes = [to_numbers(table[f"c{j}"]).astype(np.int32) for j in range(len(fields))]
        return Along(
            to_numbers(table["r"]).astype(np.int64),
            np.stack(codes, axis=1),
            to_numbers(table["n"]),
        )

    def _semi_join(self, among: Mapping[int, Codes]) -> str:
        """Give SQL that keeps those who have one of several lists of codes."""
        if not among:
            return ""
        name = f"{self._table}_among"
        lists = {f"a{f}": of_numbers(codes.astype(np.uint64)) for f, codes in among.items()}
        with self._session.explained():
            self._session.connection.register(name, pa.table(lists))
        return f"SEMI JOIN {name} ON {' AND '.join(f'a{f} = {self._code(f)}' for f in among)}"

    def sizes(self, regions: Regions) -> NDArray[np.int64]:
        """Count the keys of every region."""
        found = self._asked(f"SELECT r, count(*) FROM ({self._rows(regions)}) GROUP BY r")
        sizes = np.zeros(len(regions), dtype=np.int64)
        for region, n in found:
            sizes[region] = n
        return sizes

    def worked_on(
        self, regions: Regions, most: int, work: Callable[[Piece], Outcome]
    ) -> Iterator[Outcome]:
        """Read region by region."""
        return map(work, self._all_pieces(regions, most))

    def _all_pieces(self, regions: Regions, most: int) -> Iterator[Piece]:
        yield from self._pieces(regions, self.sizes(regions), most, last=True)

    def pieces(self, regions: Regions, wanted: Sequence[int], most: int) -> Iterator[Piece]:
        """Read region by region."""
        sizes = self.sizes(regions)
        others = np.ones(len(sizes), dtype=bool)
        others[wanted] = False
        sizes[others] = 0
        yield from self._pieces(regions, sizes, most, last=False)

    def _pieces(
        self, regions: Regions, sizes: NDArray[np.int64], most: int, *, last: bool
    ) -> Iterator[Piece]:
        """Sort by region and key, once, and read region by region; last: nothing else is asked.

        sizes: of the regions, 0 where they are not wanted.
        """
        ordered, connection = f"{self._table}_by_region", self._session.connection
        columns = ", ".join([*self._words, "n", *self._sums])
        wanted = np.flatnonzero(sizes).tolist()
        inside = "TRUE" if last else f"r IN ({', '.join(str(region) for region in wanted)})"
        self._asked(
            f"CREATE OR REPLACE TEMP TABLE {ordered} AS SELECT r, {columns} "
            f"FROM ({self._rows(regions)}) WHERE {inside} ORDER BY r, {', '.join(self._words)}"
        )
        if last:
            self.release()
        for region in wanted:
            query = f"SELECT {columns} FROM {ordered} WHERE r = {region} ORDER BY ALL"
            with self._session.explained():
                if sizes[region] <= most:
                    yield self._piece(region, connection.sql(query).to_arrow_table())
                    continue
                reader = connection.sql(query).to_arrow_reader(most)
            yield from self._parts(region, reader, regions.n_columns)
        self._asked(f"DROP TABLE {ordered}")

    def _parts(self, region: int, reader: pa.RecordBatchReader, n_fields: int) -> Iterator[Piece]:
        """Read a region batch by batch; keys that are alike in the first fields stay together."""
        rest: list[pa.Table] = []
        while True:
            with self._session.explained():
                batch = next(reader, None)
            if batch is None:
                break
            table = pa.concat_tables([*rest, pa.Table.from_batches([batch])])
            keys = self._piece(region, table).keys
            last = int(runs(self._layout.leading(keys, n_fields))[-1])
            if last:
                yield self._piece(region, table.slice(0, last))
            rest = [table.slice(last)]
        for table in rest:
            yield self._piece(region, table)

    def n_rolled_up(self, firsts: Sequence[Codes], within: Box | None = None) -> int:
        """Count the generalized keys."""
        key, rows = self._generalized(firsts, within)
        ((n,),) = self._asked(f"SELECT count(*) FROM (SELECT DISTINCT {key} FROM {rows})")
        return n

    def rolled_up(self, firsts: Sequence[Codes], within: Box | None = None) -> Piece:
        """Group by the generalized keys."""
        key, rows = self._generalized(firsts, within)
        sums = "".join(f", {summed_up(name)} AS {name}" for name in self._sums)
        words = ", ".join(self._words)
        query = (
            f"SELECT {words}, sum(n)::BIGINT AS n{sums} FROM (SELECT {key} "
            f"{''.join(f', {each}' for each in ('n', *self._sums))} FROM {rows}) "
            f"GROUP BY {words} ORDER BY {words}"
        )
        with self._session.explained():
            return self._piece(0, self._session.connection.sql(query).to_arrow_table())

    def release(self) -> None:
        """Drop the table."""
        self._asked(f"DROP TABLE IF EXISTS {self._table}")

    def _generalized(self, firsts: Sequence[Codes], within: Box | None) -> tuple[str, str]:
        """Give SQL for generalized keys, and the rows that they are of."""
        layout, joins = self._layout, []
        words: list[list[str]] = [[] for _ in range(layout.n_words)]
        for field, word in enumerate(layout.words):
            code = self._code(field)
            if field < len(firsts):
                name = f"{self._table}_firsts_{field}"
                table = firsts_by_code(firsts[field], "low")
                with self._session.explained():
                    self._session.connection.register(name, table)
                joins.append(f"JOIN {name} AS f{field} ON f{field}.code = {code}")
                code = f"f{field}.low"
            words[word].append(f"(({code})::UBIGINT << {layout.shifts[field]})")
        inside = [
            f"{self._code(field)} BETWEEN {low} AND {high}"
            for field, (low, high) in enumerate([] if within is None else within.tolist())
            if high - low + 1 < len(firsts[field])
        ]
        keys = ", ".join(f"{' | '.join(word)} AS k{w}" for w, word in enumerate(words))
        where = f"WHERE {' AND '.join(inside)}" if inside else ""
        return keys, f"{self._table} AS s {' '.join(joins)} {where}"

    def _piece(self, region: int, table: pa.Table) -> Piece:
        words = [to_numbers(table[word]) for word in self._words]
        keys = words[0][:, np.newaxis] if len(words) == 1 else np.stack(words, axis=1)
        digests = [to_numbers(table[name]) for name in self._sums]
        return Piece(region, keys, to_numbers(table["n"]), digests)

    def _rows(self, regions: Regions) -> str:
        """Give SQL for the keys with their regions; a key whose people are in several is in each.

        What is told of its people is told in one of them.
        """
        region, shares = self._region(regions.tree), regions.shares
        if not len(shares.people):
            return f"SELECT {region} AS r, * FROM {self._table}"
        words = {word: of_numbers(shares.keys[:, w]) for w, word in enumerate(self._words)}
        numbers = {"r": of_numbers(shares.region), "n": of_numbers(shares.people)}
        told = pa.array(shares.first.tolist(), pa.bool_())
        name = f"{self._table}_shares"
        with self._session.explained():
            self._session.connection.register(name, pa.table({**words, **numbers, "told": told}))
        nothing = "CASE WHEN s.told IS FALSE THEN 0::UBIGINT ELSE"
        sums = "".join(f", {nothing} t.{d} END AS {d}" for d in self._sums)
        key = ", ".join(self._words)
        return (
            f"SELECT coalesce(s.r, {region}) AS r, {key}, coalesce(s.n, t.n) AS n{sums} "
            f"FROM {self._table} AS t LEFT JOIN {name} AS s USING ({key})"
        )

    def _code(self, field: int) -> str:
        """Give SQL for the code of a column in a key."""
        layout = self._layout
        mask = (1 << layout.widths[field]) - 1
        return f"((k{layout.words[field]} >> {layout.shifts[field]}) & {mask})"

    def _region(self, tree: Branch | int) -> str:
        """Give SQL for the region of a key."""
        if isinstance(tree, int):
            return str(tree)
        below, above = self._region(tree.below), self._region(tree.above)
        code = self._code(tree.column)
        is_below = f"{code} <= {tree.last}"
        if tree.upto is not None:
            upto = "true"
            for word, bound in reversed([*zip(self._words, tree.upto, strict=False)]):
                upto = f"({word} < {bound}::UBIGINT OR ({word} = {bound}::UBIGINT AND {upto}))"
            is_below = f"({code} < {tree.last} OR ({code} = {tree.last} AND {upto}))"
        return f"CASE WHEN {is_below} THEN {below} ELSE {above} END"
