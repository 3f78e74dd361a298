"""Rows as a view in SQL, with the names and types of their columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sfumato.engines.duckdb.connection.session import Session

TEXT, REAL, WHOLE = range(3)  # how a value is written that has no type
NUMBERS = {REAL: "DOUBLE", WHOLE: "BIGINT"}
ALIKE = "CASE WHEN min(n{0}) = max(n{0}) THEN min(n{0}) END"  # SQL: how all values are written


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
        new = self.without_type(columns)
        if new:
            source = self.view
            if self.lists in new:  # it is the only one that is published with its values
                value = self.inner[str(self.lists)]
                source = f"(SELECT unnest({value}) AS {value} FROM {self.view})"
            numbers = [f"{written_as(self.inner[c])} AS n{j}" for j, c in enumerate(new)]
            (found,) = self.session.connection.execute(
                f"SELECT {', '.join(ALIKE.format(j) for j in range(len(new)))} "
                f"FROM (SELECT {', '.join(numbers)} FROM {source})"
            ).fetchall()
            self.remember(new, found)
        types = {column: self._numbers.get(column) for column in columns}
        return {column: kind for column, kind in types.items() if kind is not None}

    def without_type(self, columns: Iterable[str]) -> list[str]:
        """Give those of some columns whose values have to be looked at."""
        return [] if self.typed else [column for column in columns if column not in self._numbers]

    def remember(self, columns: Sequence[str], found: Sequence[int | None]) -> None:
        """Keep how all values of some columns are written, as `written_as` tells; None: no way."""
        types = (NUMBERS.get(each or TEXT) for each in found)
        self._numbers.update(zip(columns, types, strict=True))


def written_as(value: str) -> str:
    """Give SQL for how a text is written: as a whole number, a real one, or neither.

    Only what a number gives back letter by letter is one, so no text is both; -0.0 is 0.0.
    """
    number = f"isfinite(TRY_CAST({value} AS DOUBLE)) AND {value} <> '-0.0'"  # nan, inf: text
    finite = f"CASE WHEN {number} THEN {value} END"
    whole, real = (
        f"CAST(TRY_CAST({text} AS {kind}) AS VARCHAR) = {value}"
        for text, kind in ((value, NUMBERS[WHOLE]), (finite, NUMBERS[REAL]))
    )
    return (
        f"CASE WHEN {whole} THEN {WHOLE} WHEN {real} THEN {REAL} "
        f"WHEN {value} IS NOT NULL THEN {TEXT} END"
    )
