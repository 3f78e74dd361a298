"""LevelTable: one row per ground value, one column per level, as ARX writes them."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.data.domain import Domain
from sfumato.data.hierarchy.base import TREE, Hierarchy
from sfumato.data.hierarchy.domains import closed_domain, refuse_repeated
from sfumato.data.keys import Codes
from sfumato.data.labels.grammar import ROOT
from sfumato.errors import BadInput, shown
from sfumato.files.paths import reason, write_private


@dataclass(frozen=True)
class LevelTable(Hierarchy):
    """A table with one row per ground value: `(ground, level 1, ..., most general)`."""

    texts = "nodes"
    rows: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        if not self.rows:
            raise BadInput("hierarchy table: no rows")
        if len({len(row) for row in self.rows}) > 1 or not self.rows[0]:
            raise BadInput("hierarchy table: every row needs the same number of levels")
        refuse_repeated([row[0] for row in self.rows], "hierarchy table")

    def in_words(self) -> str:
        """The nodes have names of their own."""
        return TREE

    @property
    def parameter(self) -> Any:
        """The rows."""
        return [list(row) for row in self.rows]

    @classmethod
    def of_parameter(cls, parameter: Any) -> LevelTable:
        """Read the rows."""
        if not isinstance(parameter, Sequence) or not all(
            isinstance(row, Sequence) and not isinstance(row, str) for row in parameter
        ):
            raise BadInput(f"a table is a list of rows, got {shown(parameter)}")
        return cls(tuple(tuple(str(label) for label in row) for row in parameter))

    def grow(self, column: str, values: Sequence[object]) -> tuple[Domain, Codes]:
        """Find every value in the first column."""
        rows = self.rows
        if len({row[-1] for row in rows}) > 1 or len(rows[0]) == 1:
            rows = tuple((*row, ROOT) for row in rows)
        return closed_domain(column, values, rows, "hierarchy table")

    @classmethod
    def read(cls, path: Path, sep: str | None) -> LevelTable:
        """Read a CSV file; every refusal names the file and the line."""
        try:
            text = path.read_bytes().decode("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise BadInput(f"{path}: cannot read the hierarchy: {reason(error)}") from None
        separator = _refuse_odd(path, sep) or max(";,", key=lambda each: _n_fields(text, each))
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        try:
            rows = [(reader.line_num, tuple(row)) for row in reader if row]
        except csv.Error as error:
            raise BadInput(f"{path}, line {reader.line_num}: {error}") from None
        if not rows:
            raise BadInput(f"{path}: the hierarchy is empty")
        first_line, width = rows[0][0], len(rows[0][1])
        seen: dict[str, int] = {}
        for line, row in rows:
            if len(row) != width:
                raise BadInput(
                    f"{path}, line {line}: {len(row)} fields where line {first_line} has {width}"
                )
            if row[0] in seen:
                raise BadInput(
                    f"{path}, line {line}: the ground value of line {seen[row[0]]} again", [row[0]]
                )
            seen[row[0]] = line
        return cls(tuple(row for _, row in rows))

    def write(self, path: Path, sep: str) -> Path:
        """Write a CSV file that only its owner may read; everything stands in quotes."""
        _refuse_odd(path, sep)
        text = io.StringIO()
        csv.writer(text, delimiter=sep, quoting=csv.QUOTE_ALL).writerows(self.rows)
        try:
            write_private(path, text.getvalue())
        except (OSError, UnicodeEncodeError) as error:
            raise BadInput(f"{path}: cannot write the hierarchy: {reason(error)}") from None
        return path


def _refuse_odd(path: Path, sep: str | None) -> str | None:
    if sep is not None and (not isinstance(sep, str) or len(sep) != 1):
        raise BadInput(f"{path}: sep must be one character, got {shown(sep)}")
    if sep is not None and sep in '\r\n"':
        raise BadInput(f"{path}: sep cannot be a quote or the end of a line, got {shown(sep)}")
    return sep


def _n_fields(text: str, sep: str) -> int:
    """Count the fields of the first row that is not empty."""
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=sep)
    try:
        return len(next(filter(None, rows), []))
    except csv.Error:
        return 0
