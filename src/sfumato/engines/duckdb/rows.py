"""Rows as a view in SQL, with the names and types of their columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sfumato.engines.duckdb.session import Session


@dataclass(frozen=True, eq=False)
class Rows:
    """A view of the source's rows.

    Inside, columns are called v0, v1, ... in the order of the source, so that no name of a source
    can clash with one of ours.
    """

    session: Session
    view: str
    inner: Mapping[str, str]  # column -> its name in the view
    types: Mapping[str, str]  # column -> DuckDB's type of it
    typed: bool  # False: all columns are text, and types are ours to derive
    lists: str | None = None  # the column in which a person has a list of values

    def element(self, column: str) -> str:
        """Give the type of a column's values: of a list, that of what stands in it."""
        kind = self.types[column]
        return kind.removesuffix("[]") if column == self.lists else kind

    def types_of_numbers(self, columns: Sequence[str]) -> dict[str, str]:
        """Give the columns without a type that hold nothing but numbers, written as numbers are.

        Only what a number gives back letter by letter is one: 01234, 1.50 and 1e3 stay text.
        """
        if self.typed or not columns:
            return {}
        tests = []
        for column in columns:
            v = self.inner[column]
            finite = f"CASE WHEN isfinite(TRY_CAST({v} AS DOUBLE)) THEN {v} END"  # nan, inf: text
            back = [f"CAST(TRY_CAST({finite} AS {t}) AS VARCHAR)" for t in ("BIGINT", "DOUBLE")]
            tests += [f"bool_and({text} IS NOT DISTINCT FROM {v})" for text in back]
            tests.append(f"count({v}) > 0")
        source = self.view
        if self.lists in columns:  # it is the only one that is published with its values
            value = self.inner[str(self.lists)]
            source = f"(SELECT unnest({value}) AS {value} FROM {self.view})"
        (answers,) = self.session.connection.execute(
            f"SELECT {', '.join(tests)} FROM {source}"
        ).fetchall()
        types = {}
        for j, column in enumerate(columns):
            whole, real, filled = answers[3 * j : 3 * j + 3]
            if filled and (whole or real):
                types[column] = "BIGINT" if whole else "DOUBLE"
        return types
