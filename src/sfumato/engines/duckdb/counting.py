"""The people of a source: their values listed, counted, and written as a release tells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from sfumato.data.groups import Counts, Digests
from sfumato.data.keys import Codes, Keys, Layout
from sfumato.engines.duckdb.digests import digest_of, summed
from sfumato.engines.duckdb.kinds import refuse_uncountable
from sfumato.engines.duckdb.recode_and_suppress import Writing
from sfumato.engines.duckdb.rows import Rows
from sfumato.engines.duckdb.values import Values
from sfumato.engines.protocol import Format, People, WritingPlan
from sfumato.errors import BadInput


class DuckDBPeople(People):
    """Rows in DuckDB, one for each person."""

    def __init__(self, rows: Rows, owner: str) -> None:
        self.set_valued = rows.lists
        self._rows, self._session = rows, rows.session
        self._values = Values(rows, owner)
        self._counted = f"{owner}_counted"  # a table: what `domains` has counted already
        self._jointly: tuple[str, ...] = ()  # columns whose combinations stand in it
        self._told: tuple[tuple[str, ...], ...] = ()  # and what is told of their people
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
        with self._session.explained():
            self._session.connection.execute(
                f"CREATE OR REPLACE TEMP TABLE {self._counted} AS "
                f"SELECT {selected}, count(*) AS n{self._digests(told)}, {which} AS which "
                f"FROM {self._rows.view} GROUP BY GROUPING SETS ({grouped})"
            )
            self._jointly, self._told = tuple(jointly), tuple(told)
            labels = {}
            for column in columns:
                number = alone.index(column) + 1 if column in alone else 0
                where = f"{self._counted} WHERE which = {number}"
                labels[column] = self._values.list_of(column, where)
        domains = {}
        for column, array in labels.items():
            try:
                domains[column] = array.to_pylist()
            except (OverflowError, ValueError):
                raise BadInput(
                    f"column {column!r}: a value is out of reach, such as a date after the year "
                    "9999; mend it, or turn the column into text"
                ) from None
        return domains

    def count(
        self,
        codes: Mapping[str, Codes],
        layout: Layout,
        told: Sequence[tuple[str, ...]] = (),
        at_most: int | None = None,
    ) -> tuple[Keys, Counts, list[Digests]]:
        """Translate counted combinations into packed keys; count what has not been counted."""
        connection, counted = self._session.connection, self._counted
        with self._session.explained():
            packed, joins = self._values.packed(list(codes), codes, layout)
            if set(codes) == set(self._jointly) and self._told == tuple(told):
                sums = "".join(f", d{j}" for j in range(len(told)))
                query = f"SELECT {packed}, n{sums} FROM {counted} AS s {joins} WHERE which = 0"
            else:
                rows = self._rows.view
                if at_most is not None:
                    rows = f"(SELECT * FROM {rows} LIMIT {at_most})"
                query = (
                    f"SELECT {packed}, count(*) AS n{self._digests(told)} "
                    f"FROM {rows} AS s {joins} GROUP BY ALL"
                )
            table = connection.sql(query).to_arrow_table()
            connection.execute(f"DROP TABLE IF EXISTS {counted}")
            self._jointly = ()
        words = [table[f"k{w}"].to_numpy() for w in range(layout.n_words)]
        keys = words[0][:, np.newaxis] if len(words) == 1 else np.stack(words, axis=1)
        return keys, table["n"].to_numpy(), [table[f"d{j}"].to_numpy() for j in range(len(told))]

    def _digests(self, told: Sequence[tuple[str, ...]]) -> str:
        inner = self._rows.inner
        sums = [summed([inner[column] for column in each]) for each in told]
        return "".join(f", {digest} AS d{j}" for j, digest in enumerate(sums))

    def alike(
        self, columns: Sequence[str], plan: WritingPlan | None = None
    ) -> tuple[Counts, Counts]:
        """Group the rows twice: by what they have, and the groups by their size."""
        by = ", ".join(self._rows.inner[column] for column in columns)
        with self._session.explained():
            rows = self._rows.view
            if plan is not None:
                rows = f"({Writing(self._rows, self._values, plan, 'parquet').published()})"
            table = self._session.connection.sql(
                f"SELECT size, count(*) AS n FROM (SELECT count(*) AS size FROM {rows} "
                f"GROUP BY {by}) GROUP BY size ORDER BY size"
            ).to_arrow_table()
        return table["size"].to_numpy(), table["n"].to_numpy()

    def apply(self, plan: WritingPlan, target: Path, kind: Format) -> None:
        """Write a table, sorted by group or quasi-identifiers and then by everything else."""
        with self._session.explained(target):
            writing = Writing(self._rows, self._values, plan, kind)
            writing.write(target)
        self._written = plan, writing

    def digest(self, plan: WritingPlan | None = None) -> int:
        """Add up the hashes of all rows; those of a plan are kept since they were written."""
        with self._session.explained():
            if plan is None:
                columns = list(self._rows.inner.values())
                return digest_of(self._session.connection, columns, self._rows.view)
            if self._written is None or self._written[0] is not plan:
                raise ValueError("a digest is asked for what was written last")
            return self._written[1].digest()
