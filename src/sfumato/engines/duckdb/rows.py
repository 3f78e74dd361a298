"""Rows as a view in SQL, with the names and types of their columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

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
    _numbers: dict[str, str | None] = field(default_factory=dict, init=False, repr=False)

    def element(self, column: str) -> str:
        """Give the type of a column's values: of a list, that of what stands in it."""
        kind = self.types[column]
        return kind.removesuffix("[]") if column == self.lists else kind

    def types_of_numbers(self, columns: Sequence[str]) -> dict[str, str]:
        """Give the columns without a type that hold nothing but numbers, written as numbers are.

        Only what a number gives back letter by letter is one: 01234, 1.50 and 1e3 stay text.
        """
        new = [] if self.typed else [column for column in columns if column not in self._numbers]
        if new:
            self._numbers.update(zip(new, self._derived(new), strict=True))
        types = {column: self._numbers.get(column) for column in columns}
        return {column: kind for column, kind in types.items() if kind is not None}

    def _derived(self, columns: Sequence[str]) -> list[str | None]:
        """Look at all values of some columns: what type each has, None: text."""
        numbers = []
        for j, column in enumerate(columns):
            v = self.inner[column]
            finite = f"CASE WHEN isfinite(TRY_CAST({v} AS DOUBLE)) THEN {v} END"  # nan, inf: text
            whole, real = (
                f"CAST(TRY_CAST({text} AS {kind}) AS VARCHAR) = {v}"
                for text, kind in ((v, "BIGINT"), (finite, "DOUBLE"))
            )
            numbers.append(  # 2: written as a whole number, 1: as a real one; no text is both
                f"CASE WHEN {whole} THEN 2 WHEN {real} THEN 1 WHEN {v} IS NOT NULL THEN 0 END "
                f"AS n{j}"
            )
        source = self.view
        if self.lists in columns:  # it is the only one that is published with its values
            value = self.inner[str(self.lists)]
            source = f"(SELECT unnest({value}) AS {value} FROM {self.view})"
        all_alike = [
            f"CASE WHEN min(n{j}) = max(n{j}) THEN min(n{j}) END" for j in range(len(columns))
        ]
        (found,) = self.session.connection.execute(
            f"SELECT {', '.join(all_alike)} FROM (SELECT {', '.join(numbers)} FROM {source})"
        ).fetchall()
        return [{1: "DOUBLE", 2: "BIGINT"}.get(each) for each in found]
