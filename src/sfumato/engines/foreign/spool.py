"""Rows that come in chunks, kept in a private place until all kinds of values are known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import feather

from sfumato.engines.foreign.pieces import Piece, joined, widened
from sfumato.files.private_directory import no_room
from sfumato.progress import report

CELLS_AT_ONCE = 1_000_000


class Spool:
    """Chunks of rows on their way into one Parquet file; what is beside it goes at the end.

    The kind of a column is known when its last value was seen, so each chunk is kept with the kind
    that it has, and written once more with the one that holds all of them.
    """

    def __init__(self, target: Path, n_columns: int) -> None:
        self._target = target
        self._n_columns = n_columns
        self._pieces: list[list[Piece]] = [[] for _ in range(n_columns)]  # without values
        self._chunks: list[Path] = []
        self.n_rows = 0

    @classmethod
    @contextmanager
    def into(cls, target: Path, n_columns: int) -> Iterator[Spool]:
        """Keep chunks beside a file, for as long as they are needed."""
        spool = cls(target, n_columns)
        try:
            yield spool
        finally:
            for chunk in spool._chunks:
                chunk.unlink(missing_ok=True)

    @property
    def rows_at_once(self) -> int:
        """How many rows make a chunk."""
        return max(1, CELLS_AT_ONCE // max(1, self._n_columns))

    def add(self, columns: Sequence[Sequence[object]]) -> list[pa.Array]:
        """Keep a chunk; columns: (n_columns, n_rows). Gives its values by column."""
        pieces = [Piece.of(column) for column in columns]
        values = [piece.values for piece in pieces]
        chunk = self._target.with_name(f"{self._target.name}-{len(self._chunks)}")
        self._chunks.append(chunk)
        table = pa.table(values, names=[f"v{j}" for j in range(self._n_columns)])
        with _room():
            feather.write_feather(table, chunk, compression="uncompressed")
        for kept, piece in zip(self._pieces, pieces, strict=True):
            kept.append(Piece(piece.kind, pa.nulls(0), piece.counts))
        self.n_rows += len(table)
        report("converting", self.n_rows)
        return values

    def counts(self, column: int) -> Mapping[str, int]:
        """Give how many values of a column are of each kind."""
        total: Counter[str] = Counter()
        for piece in self._pieces[column]:
            total.update(piece.counts)
        return dict(total)

    def write(self, names: Sequence[str], labels: Mapping[int, Mapping[object, str]]) -> None:
        """Write all rows into the Parquet file; labels: of some columns, instead of codes."""
        with _room():
            self._write(names, labels)

    def _write(self, names: Sequence[str], labels: Mapping[int, Mapping[object, str]]) -> None:
        kinds = [joined(pieces) for pieces in self._pieces]
        writer = None
        try:
            for chunk in self._chunks:
                kept = feather.read_table(chunk)
                values = [
                    labelled(column, labels[j]) if j in labels else widened(column, kinds[j])
                    for j, column in enumerate(each.combine_chunks() for each in kept.itercolumns())
                ]
                table = pa.table(values, names=list(names))
                if writer is None:
                    writer = pq.ParquetWriter(self._target, table.schema)
                writer.write_table(table)
            if writer is None:
                empty = pa.schema([(name, pa.string()) for name in names])
                writer = pq.ParquetWriter(self._target, empty)
        finally:
            if writer is not None:
                writer.close()


@contextmanager
def _room() -> Iterator[None]:
    """Say that there is no room for a chunk or for the file, if that is so."""
    try:
        yield
    except OSError as error:
        raise no_room(error) from None


def labelled(values: pa.Array, labels: Mapping[object, str]) -> pa.Array:
    """Write labels in the place of codes; what has none is missing.

    >>> labelled(pa.array([1, 2, None, 1]), {1.0: "male", 2.0: "female"}).to_pylist()
    ['male', 'female', None, 'male']
    """
    if pa.types.is_null(values.type):
        return pa.nulls(len(values), pa.string())
    known = pa.array(list(labels))
    if known.type != values.type:
        values = pc.cast(values, known.type)
    places = pc.index_in(values, value_set=known, skip_nulls=True)
    return pc.take(pa.array(list(labels.values()), pa.string()), places)
