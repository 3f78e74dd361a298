"""How a source is opened: a file, a data frame or stream, the batches of a series."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.engines import sql
from sfumato.engines.csv_header import DELIMITERS, read_header, refuse_alike
from sfumato.engines.duckdb.batches import reading
from sfumato.engines.duckdb.csv_text import reading_csv
from sfumato.engines.duckdb.session import DAMAGED, Session
from sfumato.engines.protocol import Batches
from sfumato.errors import BadInput
from sfumato.files.paths import reason


@dataclass(frozen=True)
class Relation:
    """What SQL reads a source from."""

    text: str
    columns: list[str]
    typed: bool


def open_relation(session: Session, source: object, *, published: bool) -> Relation:
    """Open a source of any kind, and name it in the session."""
    if isinstance(source, Batches):
        return _open_batches(session, source)
    if not isinstance(source, (str, Path)):
        return _open_frame(session, source)
    has_lines = isinstance(source, str) and re.search(r"[\n\r]", source)
    if "\0" in str(source) or (has_lines and not os.path.exists(source)):  # noqa: PTH110  (too long)
        raise BadInput("expected the path of a file, got text; write it to a file first")
    if re.search(r"[\ud800-\udfff]", str(source)):
        raise BadInput(f"{source}: the name of the file is not UTF-8 text; rename it")
    session.name = str(source)
    try:
        return _open_file(session, Path(source).resolve(), published=published)
    except (OSError, RuntimeError) as error:  # RuntimeError: a link to itself
        raise BadInput(f"{source}: cannot read: {reason(error)}") from None


def _open_file(session: Session, path: Path, *, published: bool) -> Relation:
    if path.is_dir():
        raise BadInput(f"{path}: is a directory; give a CSV or Parquet file")
    if path.exists() and not path.is_file():
        raise BadInput(f"{path}: is not a regular file; it is read more than once")
    session.watch(path)
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise BadInput(f"{path}: cannot read: {reason(error)}") from None
    if magic == b"PAR1":
        session.is_parquet = True
        try:
            names = pq.read_schema(path).names
        except (pa.ArrowException, OSError, UnicodeDecodeError):
            raise BadInput(f"{path}: {DAMAGED}") from None
        text = f"read_parquet({session.linked(path)}, hive_partitioning = false)"
        return Relation(text, names, typed=True)
    if path.suffix in (".parquet", ".pq"):
        raise BadInput(f"{path}: not a Parquet file, in spite of its name")
    header = read_header(path, delimiters="," if published else DELIMITERS)
    return Relation(reading_csv(session.linked(path), header), list(header.columns), typed=False)


def _open_batches(session: Session, batches: Batches) -> Relation:
    session.name, session.is_parquet = batches.name, True
    try:
        names = pq.read_schema(batches.paths[0]).names
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        raise BadInput(f"{batches.paths[0]}: {DAMAGED}") from None
    return Relation(reading(session, batches.paths), names, typed=batches.typed)


def _open_frame(session: Session, frame: object) -> Relation:
    if not hasattr(frame, "__arrow_c_stream__"):
        raise BadInput(
            f"cannot read a {type(frame).__name__}; give a path to a CSV or Parquet file, or a "
            "data frame (pandas, Polars, PyArrow, DuckDB)"
        )
    if isinstance(frame, (pa.RecordBatchReader, duckdb.DuckDBPyRelation)):
        # A stream can be read once, so it goes into a private database file that can spill.
        session.alone()
        with session.explained(), _stream_errors(session.name):
            stream = pa.RecordBatchReader.from_stream(frame)
            place = sql.text(session.directory / "stream.db")
            session.connection.execute(f"ATTACH {place} AS kept")
            session.connection.register("stream", stream)
            session.connection.execute("CREATE TABLE kept.stream AS SELECT * FROM stream")
            session.connection.unregister("stream")
        return Relation("kept.stream", stream.schema.names, typed=True)
    is_pandas = type(frame).__module__.partition(".")[0] == "pandas"
    if is_pandas and hasattr(frame, "columns"):
        refuse_alike([str(name) for name in frame.columns], session.name)
    try:
        table = (  # the index of a pandas frame is no column
            pa.Table.from_pandas(frame, preserve_index=False) if is_pandas else pa.table(frame)
        )
    except (pa.ArrowException, TypeError, ValueError, AttributeError) as error:
        column = re.search(r"Conversion failed for column (.+) with type", str(error))
        which = f"column {column[1]!r}" if column else "a column"
        raise BadInput(
            f"the data frame cannot be read: {which} holds values of different types, or of a "
            "type that cannot be read; give it one type",
            [str(error)],
        ) from None
    names = list(table.column_names)
    if not names:
        raise BadInput(f"{session.name}: no columns")
    inner = [f"v{j}" for j in range(len(names))]
    with session.explained():
        session.connection.register("frame", table.rename_columns(inner))
    return Relation("frame", names, typed=True)


@contextmanager
def _stream_errors(name: str) -> Iterator[None]:
    """Refuse a stream that breaks, without the words of whatever was behind it."""
    try:
        yield
    except pa.ArrowException as error:
        raise BadInput(f"{name}: the stream cannot be read", [str(error)]) from None
