"""The people of a source: their values listed, counted, and written as a release tells."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.data.groups import Counts, Digests
from sfumato.data.keys import Codes, Keys, Layout
from sfumato.data.recoding.instructions import Join
from sfumato.engines.arrow import to_numbers, values_of
from sfumato.engines.duckdb.digests import digest_of, summed, summed_up
from sfumato.engines.duckdb.kept_counts import DuckDBCounted
from sfumato.engines.duckdb.kinds import PLAIN, refuse_uncountable
from sfumato.engines.duckdb.recode_and_suppress import Writing
from sfumato.engines.duckdb.rows import Rows
from sfumato.engines.duckdb.values import Values
from sfumato.engines.protocol import Format, People, WritingPlan

JOINS_AT_ONCE = 32  # of small tables; each takes memory of its own
FEW = 1_000_000  # different combinations that stay counted, to be written from there,
OFTEN = 8  # if they are there that often on average
FEW_AT_HAND = 1 << 17  # combinations that are taken as they are, and coded here
# Types of which equal values are the same. 0 and -0 are equal, and so are a month and 30 days.
ALIKE_IF_EQUAL = re.compile(r"VARCHAR|BOOLEAN|DATE|U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?")
COLUMNS_AT_ONCE = 128  # that a query takes apart; the time to plan one grows with their square


class DuckDBPeople(People):
    """Rows in DuckDB, one for each person."""

    def __init__(self, rows: Rows, owner: str, runs: str | None = None) -> None:
        """See rows; runs: a view of them, each as often as n says, if there is one."""
        self.set_valued = rows.lists
        self._rows, self._session = rows, rows.session
        self._values = Values(rows, owner)
        self._runs = runs
        self._counted = f"{owner}_counted"  # a table: what `domains` has counted already
        self._jointly: tuple[str, ...] = ()  # columns whose combinations stand in it
        self._told: tuple[tuple[str, ...], ...] = ()  # and what is told of their people
        self._at_hand: pa.Table | None = None  # the same, where these are few
        self._written: tuple[WritingPlan, Writing] | None = None  # the last one

    def domains(
        self, columns: Sequence[str], jointly: Sequence[str], told: Sequence[tuple[str, ...]] = ()
    ) -> dict[str, list[object]]:
        """Group the rows in one pass: by some columns jointly, and by each other one alone."""
        inner = self._rows.inner
        for column in columns:
            refuse_uncountable(column, self._rows.element(column))
        alone = [column for column in columns if column not in jointly]
        sets = [[inner[c] for c in each] for each in (jointly, *([c] for c in alone)) if each]
        of_column = [
            f"CASE WHEN GROUPING({inner[c]}) = 0 THEN {j} ELSE 0 END"
            for j, c in enumerate(alone, 1)
        ]
        which = " + ".join(["0", *of_column])  # 0: the joint ones
        selected = ", ".join(column for each in sets for column in each)
        grouped = ", ".join(f"({', '.join(each)})" for each in sets)
        rows, n = self._rows.view, "count(*)"
        if self._runs is not None and not told:
            rows, n = self._runs, "sum(n)::BIGINT"
        with self._session.explained():
            ((n_counted,),) = self._session.connection.execute(
                f"CREATE OR REPLACE TEMP TABLE {self._counted} AS "
                f"SELECT {selected}, {n} AS n{self._digests(told)}, {which} AS which "
                f"FROM {rows} GROUP BY GROUPING SETS ({grouped})"
            ).fetchall()
            self._jointly, self._told = tuple(jointly), tuple(told)
            plain = all(PLAIN.match(self._rows.types[column]) for column in jointly)
            self._at_hand = None
            if plain and n_counted <= FEW_AT_HAND:
                counted = self._session.connection.sql(f"FROM {self._counted} WHERE which = 0")
                self._at_hand = counted.to_arrow_table()
            labels = {}
            for column in columns:
                at_hand = self._at_hand if column in jointly else None
                if at_hand is not None and self._rows.types[column] == "VARCHAR":
                    labels[column] = self._values.list_texts(column, at_hand[inner[column]])
                    continue
                number = alone.index(column) + 1 if column in alone else 0
                where = f"{self._counted} WHERE which = {number}"
                labels[column] = self._values.list_of(column, where)
        return {column: values_of(column, array) for column, array in labels.items()}

    def count(
        self,
        codes: Mapping[str, Codes],
        layout: Layout,
        told: Sequence[tuple[str, ...]] = (),
        at_most: int | None = None,
    ) -> tuple[Keys, Counts, list[Digests]]:
        """Translate counted combinations into packed keys; count what has not been counted."""
        connection = self._session.connection
        sums = [f"d{j}" for j in range(len(told))]
        with self._session.explained():
            counted = at_most is None and self._is_counted(codes, told)
            if counted and {*codes} == {*self._jointly}:
                columns = self._translated(codes, layout, ["n", *sums])
                if len(columns["n"]) > min(FEW, int(columns["n"].sum()) // OFTEN):
                    self._forget()
            else:
                columns = _arrays(connection.sql(self._grouped(codes, layout, told, at_most)))
        words = [columns[f"k{w}"] for w in range(layout.n_words)]
        keys = words[0][:, np.newaxis] if len(words) == 1 else np.stack(words, axis=1)
        return keys, columns["n"], [columns[name] for name in sums]

    def n_counted(self, columns: Sequence[str]) -> int:
        """Count the rows of what is counted already, or those that are different."""
        inner = ", ".join(self._rows.inner[column] for column in columns)
        rows = f"(SELECT DISTINCT {inner} FROM {self._rows.view})"
        if {*columns} == {*self._jointly}:
            rows = f"{self._counted} WHERE which = 0"
        with self._session.explained():
            ((n,),) = self._session.connection.execute(f"SELECT count(*) FROM {rows}").fetchall()
        return int(n)

    def kept(
        self, codes: Mapping[str, Codes], layout: Layout, told: Sequence[tuple[str, ...]] = ()
    ) -> DuckDBCounted:
        """Translate counted combinations into a table of packed keys."""
        table = f"{self._counted}_kept"
        one_by_one = all(len(np.unique(each)) == len(each) for each in codes.values())
        with self._session.explained():
            query = self._grouped(codes, layout, told, None)
            if one_by_one and self._is_counted(codes, told) and {*codes} == {*self._jointly}:
                packed, joins = self._values.packed(list(codes), codes, layout)
                sums = "".join(f", d{j}" for j in range(len(told)))
                query = (
                    f"SELECT {packed}, n{sums} FROM {self._counted} AS s {joins} WHERE which = 0"
                )
            self._session.connection.execute(f"CREATE OR REPLACE TEMP TABLE {table} AS {query}")
            self._forget()
        return DuckDBCounted(self._session, table, layout, len(told))

    def _is_counted(self, columns: Collection[str], told: Sequence[tuple[str, ...]]) -> bool:
        """Whether what is asked for follows from what `domains` has counted."""
        return {*columns} <= {*self._jointly} and {*told} <= {*self._told}

    def _grouped(
        self,
        codes: Mapping[str, Codes],
        layout: Layout,
        told: Sequence[tuple[str, ...]],
        at_most: int | None,
    ) -> str:
        """Give SQL that counts packed keys, out of what is counted already where that will do."""
        packed, joins = self._values.packed(list(codes), codes, layout)
        if at_most is None and self._is_counted(codes, told):
            sums = [summed_up(f"d{self._told.index(each)}") for each in told]
            digests = "".join(f", {digest} AS d{j}" for j, digest in enumerate(sums))
            return (
                f"SELECT {packed}, sum(n)::BIGINT AS n{digests} FROM {self._counted} AS s {joins} "
                "WHERE which = 0 GROUP BY ALL"
            )
        rows = self._rows.view
        if at_most is not None:
            rows = f"(SELECT * FROM {rows} USING SAMPLE reservoir({at_most} ROWS) REPEATABLE (1))"
        return (
            f"SELECT {packed}, count(*) AS n{self._digests(told)} "
            f"FROM {rows} AS s {joins} GROUP BY ALL"
        )

    def _forget(self) -> None:
        """Let go what `domains` has counted."""
        self._session.connection.execute(f"DROP TABLE IF EXISTS {self._counted}")
        self._jointly, self._at_hand = (), None

    def _translated(
        self, codes: Mapping[str, Codes], layout: Layout, numbers: Sequence[str]
    ) -> dict[str, NDArray[Any]]:
        """Give words of keys and some numbers of the counted combinations, a few words at a time.

        Every column may need a join of its own, and a query of very many takes memory for each.
        """
        if self._at_hand is not None:
            at_hand, inner, places = self._at_hand, self._rows.inner, self._values.places
            keys = layout.pack(each[places(c, at_hand[inner[c]])] for c, each in codes.items())
            columns = {name: to_numbers(at_hand[name]) for name in numbers}
            return {f"k{w}": word for w, word in enumerate(keys.T)} | columns
        connection, rows = self._session.connection, f"{self._counted} AS s"
        if len(codes) <= JOINS_AT_ONCE:
            packed, joins = self._values.packed(list(codes), codes, layout)
            selected = ", ".join([packed, *numbers])
            return _arrays(connection.sql(f"SELECT {selected} FROM {rows} {joins} WHERE which = 0"))
        arrays: dict[str, NDArray[Any]] = {}
        words, in_order = np.array(layout.words), "WHERE which = 0 ORDER BY s.rowid"
        names = list(codes)
        for w in range(layout.n_words):
            own = np.flatnonzero(words == w).tolist()
            part = Layout(
                (0,) * len(own),
                tuple(layout.shifts[j] for j in own),
                tuple(layout.widths[j] for j in own),
            )
            packed, joins = self._values.packed([names[j] for j in own], codes, part)
            query = f"SELECT {packed} FROM {rows} {joins} {in_order}"
            arrays[f"k{w}"] = _arrays(connection.sql(query))["k0"]
        return arrays | _arrays(
            connection.sql(f"SELECT {', '.join(numbers)} FROM {rows} {in_order}")
        )

    def _digests(self, told: Sequence[tuple[str, ...]]) -> str:
        inner = self._rows.inner
        sums = [summed([inner[column] for column in each]) for each in told]
        return "".join(f", {digest} AS d{j}" for j, digest in enumerate(sums))

    def alike(
        self, groupings: Sequence[Sequence[str]], plan: WritingPlan | None = None
    ) -> list[tuple[Counts, Counts]]:
        """Group the rows twice: by what they have, and the groups by their size."""
        with self._session.explained():
            return [each for batch in _batches(groupings) for each in self._alike(batch, plan)]

    def _alike(
        self, groupings: Sequence[Sequence[str]], plan: WritingPlan | None
    ) -> list[tuple[Counts, Counts]]:
        inner, connection = self._rows.inner, self._session.connection
        columns = tuple(dict.fromkeys(column for each in groupings for column in each))
        rows = self._rows.view
        if plan is not None:
            wanted = replace(plan, columns=columns)
            rows = f"({Writing(self._rows, self._values, wanted, 'parquet').published()})"
        if len(groupings) > 1:  # each would look at all columns of the source
            selected = ", ".join(inner[column] for column in columns)
            grouped = f"{self._counted}_alike"
            connection.execute(
                f"CREATE OR REPLACE TEMP TABLE {grouped} AS SELECT {selected} FROM {rows}"
            )
            rows = grouped
        sizes = [
            f"SELECT {j} AS which, size, count(*) AS n FROM (SELECT count(*) AS size FROM {rows} "
            f"GROUP BY {', '.join(inner[column] for column in each)}) GROUP BY size"
            for j, each in enumerate(groupings)
        ]
        query = f"SELECT * FROM ({' UNION ALL '.join(sizes)}) ORDER BY which, size"
        table = connection.sql(query).to_arrow_table()
        if len(groupings) > 1:
            connection.execute(f"DROP TABLE {rows}")
        which, size, n = (to_numbers(table[name]) for name in ("which", "size", "n"))
        starts = np.searchsorted(which, np.arange(1, len(groupings)))
        return list(zip(np.split(size, starts), np.split(n, starts), strict=True))

    def apply(self, plan: WritingPlan, target: Path, kind: Format) -> None:
        """Write a table, sorted by group or quasi-identifiers and then by everything else."""
        with self._session.explained(target):
            writing = Writing(self._rows, self._values, plan, kind, self._counted_for(plan))
            writing.write(target)
        self._written = plan, writing

    def _counted_for(self, plan: WritingPlan) -> str | None:
        """Give SQL for what is counted already, if all that will be published follows from it."""
        kept = [self._rows.types[c] for c in plan.columns if plan.how.labels.get(c) is None]
        needed, dealt = {*plan.columns, *plan.quasi_identifiers}, False
        if isinstance(plan.how, Join):
            needed |= {*plan.how.columns}
            dealt = plan.how.dealt is not None
        alike = all(ALIKE_IF_EQUAL.fullmatch(kind) for kind in kept)
        if dealt or not alike or not needed <= {*self._jointly} or self._rows.lists:
            return None
        return f"(SELECT * FROM {self._counted} WHERE which = 0)"

    def digest(self, plan: WritingPlan | None = None) -> int:
        """Add up the hashes of all rows; those of a plan are kept since they were written."""
        with self._session.explained():
            if plan is None:
                columns = list(self._rows.inner.values())
                return digest_of(self._session.connection, columns, self._rows.view)
            if self._written is None or self._written[0] is not plan:
                raise ValueError("a digest is asked for what was written last")
            return self._written[1].digest()


def _arrays(result: duckdb.DuckDBPyRelation) -> dict[str, NDArray[Any]]:
    """Give the columns of a result."""
    table = result.to_arrow_table()
    return {name: to_numbers(table[name]) for name in table.column_names}


def _batches(groupings: Sequence[Sequence[str]]) -> Iterator[Sequence[Sequence[str]]]:
    """Take groupings together, in their order, until they have many columns."""
    start = n_columns = 0
    for j, each in enumerate(groupings):
        if j > start and n_columns + len(each) > COLUMNS_AT_ONCE:
            yield groupings[start:j]
            start, n_columns = j, 0
        n_columns += len(each)
    if groupings:
        yield groupings[start:]
