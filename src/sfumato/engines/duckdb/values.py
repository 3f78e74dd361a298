"""The distinct values of columns, and SQL for the number that a row's value has among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.data.keys import Codes, Layout
from sfumato.engines.arrow import of_numbers, to_numbers
from sfumato.engines.duckdb.csv_text import defused
from sfumato.engines.duckdb.kinds import SAFE_IN_CSV, labelled
from sfumato.engines.duckdb.rows import Rows


class Values:
    """Distinct values of the counted columns, in the order in which they were listed.

    Texts become an ENUM once SQL looks for them, which is found, compared and sorted as a small
    integer.
    """

    def __init__(self, rows: Rows, owner: str) -> None:
        self._rows = rows
        self._owner = owner  # whose types they are: a name in SQL
        self._connection = rows.session.connection
        self._listed: dict[str, pa.Array] = {}
        self._enumerated: set[str] = set()  # columns whose texts are an ENUM

    def list_of(self, column: str, where: str) -> pa.Array:
        """Remember a column's distinct values, and give their labels: themselves, or their text.

        where: SQL for the rows that have all of them.
        """
        value = self._rows.inner[column]
        if self._rows.types[column] == "VARCHAR":
            texts = self._connection.sql(
                f"SELECT DISTINCT {value} AS value FROM {where} ORDER BY value NULLS LAST"
            ).to_arrow_table()
            return self._list_texts(column, texts["value"].combine_chunks())
        element, ends = self._rows.element(column), "[]" if column == self._rows.lists else ""
        result = self._connection.sql(
            f"SELECT {value} AS value, {labelled(value, element, ends)} AS label "
            f"FROM (SELECT DISTINCT {value} FROM {where})"
        ).to_arrow_table()
        self._listed[column] = result["value"].combine_chunks()
        return result["label"]

    def list_texts(self, column: str, texts: pa.ChunkedArray) -> pa.Array:
        """Remember the distinct ones of a column's texts, and give them."""
        missing = pa.nulls(int(texts.null_count > 0), texts.type)
        distinct = texts.drop_null().unique().sort()
        return self._list_texts(column, pa.concat_arrays([distinct, missing]))

    def places(self, column: str, values: pa.ChunkedArray) -> NDArray[np.int32]:
        """Give the place of each of a column's values among the distinct ones."""
        import pyarrow.compute as pc  # noqa: PLC0415  (takes a while, so imported when used)

        places: NDArray[np.int32] = to_numbers(pc.index_in(values, self._listed[column]))
        return places

    def _list_texts(self, column: str, texts: pa.Array) -> pa.Array:
        """Remember a column's texts, which are in their order, the missing one last."""
        self._listed[column] = texts
        self._enumerated.discard(column)
        return texts

    def numbered(
        self, columns: Sequence[str], numbers: Mapping[str, NDArray[np.integer]]
    ) -> tuple[list[str], str]:
        """Give SQL for the number of a row's value in each column, and the joins it needs.

        numbers: column -> (n,), aligned with the distinct values.
        """
        terms, joins = [], []
        for j, column in enumerate(columns):
            value, number = f"s.{self._rows.inner[column]}", numbers[column]
            listed, match = self._listed[column], f"{value} IS NOT DISTINCT FROM m{j}.value"
            if self._is_enumerated(column):
                code = f"enum_code(CAST({value} AS {self._enum_of(column)}))"
                position = f"coalesce({code}, {len(listed) - listed.null_count})"
                if np.array_equal(number, np.arange(len(listed))):
                    terms.append(position)
                    continue
                listed, match = of_numbers(np.arange(len(listed))), f"{position} = m{j}.value"
            table = pa.table({"value": listed, "number": of_numbers(number)})
            self._connection.register(f"numbers{j}", table)
            joins.append(f"JOIN numbers{j} AS m{j} ON {match}")
            terms.append(f"m{j}.number")
        return terms, " ".join(joins)

    def packed(
        self, columns: Sequence[str], codes: Mapping[str, Codes], layout: Layout
    ) -> tuple[str, str]:
        """Give SQL for the packed key k0, k1, ... of a row's codes, and the joins it needs."""
        terms, joins = self.numbered(columns, codes)
        words: list[list[str]] = [[] for _ in range(layout.n_words)]
        for term, word, shift in zip(terms, layout.words, layout.shifts, strict=True):
            words[word].append(f"(({term})::UBIGINT << {shift})")
        return ", ".join(f"{' | '.join(word)} AS k{w}" for w, word in enumerate(words)), joins

    def listed(self, column: str, positions: NDArray[np.integer]) -> pa.Array:
        """Give some of a column's distinct values, by their positions."""
        return self._listed[column].take(of_numbers(positions))

    def sortable(self, column: str) -> str:
        """Give SQL for a value of the source, as an ENUM if its texts have one."""
        return self.enumerated(column, f"s.{self._rows.inner[column]}")

    def enumerated(self, column: str, value: str) -> str:
        """Give SQL for a value of a column, as an ENUM if its texts have one."""
        return f"CAST({value} AS {self._enum_of(column)})" if self._is_enumerated(column) else value

    def could_be_run(self, column: str) -> bool:
        """Whether a spreadsheet might run a value of a text column as a formula."""
        if SAFE_IN_CSV.match(self._rows.element(column)):
            return False
        if not self._is_enumerated(column):
            return True
        self._connection.register("texts", pa.table({"label": self._listed[column]}))
        (differs,) = self._connection.execute(
            f"SELECT bool_or(label IS DISTINCT FROM {defused('label')}) FROM texts"
        ).fetchall()[0]
        return bool(differs)

    def _is_enumerated(self, column: str) -> bool:
        """Whether a column's texts have been counted, and so have an ENUM."""
        return column in self._listed and self._rows.types[column] == "VARCHAR"

    def _enum_of(self, column: str) -> str:
        """Name the ENUM of a column's texts, which is made when it is asked for first."""
        kind = f"{self._owner}_{self._rows.inner[column]}_texts"
        if column not in self._enumerated:
            self._connection.register("texts", pa.table({"value": self._listed[column]}))
            self._connection.execute(f"DROP TYPE IF EXISTS {kind}")
            self._connection.execute(
                f"CREATE TEMP TYPE {kind} AS ENUM (SELECT value FROM texts WHERE value IS NOT NULL)"
            )
            self._connection.unregister("texts")
            self._enumerated.add(column)
        return kind
