"""Lists of dictionaries: a row each, all with the same keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from sfumato.data.read_settings import ReadSettings
from sfumato.engines.foreign.foreign_table import (
    ForeignTable,
    column_names,
    mixed_columns,
    without_codes,
)
from sfumato.engines.foreign.pieces import Piece, widened
from sfumato.errors import BadInput, written


def is_records(source: object) -> bool:
    """Whether a source is a list of dictionaries."""
    return (
        isinstance(source, (list, tuple))
        and bool(source)
        and all(isinstance(row, Mapping) for row in source)
    )


def table_of_records(
    rows: Sequence[Mapping[Any, Any]], settings: ReadSettings
) -> tuple[pa.Table, ForeignTable]:
    """Turn a list of dictionaries into a table with the columns v0, v1, ..."""
    written_names = list(rows[0])
    keys = frozenset(written_names)
    for number, row in enumerate(rows, 1):
        if row.keys() != keys:
            raise BadInput(f"row {number} of the list {_difference(row, keys)}")
    odd = [name for name in written_names if not isinstance(name, str)]
    if odd:
        raise BadInput(f"the keys of the dictionaries must be text, got {written(odd[0])}")
    n_missing: dict[str, int] = {}
    names = column_names(written_names, settings)
    given = [[row[name] for row in rows] for name in written_names]
    columns = without_codes(names, given, settings, n_missing)
    pieces = [_piece(name, column) for name, column in zip(names, columns, strict=True)]
    values = [widened(piece.values, piece.kind) for piece in pieces]
    texts = mixed_columns(names, [piece.counts for piece in pieces])
    notices = (("of several kinds, read as text", texts),) if texts else ()
    table = pa.table(values, names=[f"v{j}" for j in range(len(names))])
    return table, ForeignTable(tuple(names), notices, n_missing)


def _piece(name: str, column: list[Any]) -> Piece:
    try:
        return Piece.of(column)
    except BadInput as error:
        raise BadInput(f"column {name!r} of the list: {error}", error.values) from None


def _difference(row: Mapping[Any, Any], keys: frozenset[Any]) -> str:
    parts = [f"has no {name!r}" for name in [*keys - row.keys()][:1]]
    parts += [f"has {name!r}" for name in [*row.keys() - keys][:1]]
    return f"{' and '.join(parts)}, unlike the first; give all dictionaries the same keys"
