"""How a source is opened: a file, a data frame or stream, the batches of a series."""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.data.read_settings import ABOUT, NUMBER, ReadSettings
from sfumato.engines import sql
from sfumato.engines.csv_header import (
    DELIMITERS,
    NUMBER_REMEDY,
    numbered,
    read_header,
    refuse_alike,
)
from sfumato.engines.duckdb.connection.session import DAMAGED, Session
from sfumato.engines.duckdb.csv_text import reading_csv
from sfumato.engines.duckdb.reading.batches import reading
from sfumato.engines.foreign.foreign_table import ForeignTable
from sfumato.engines.foreign.records import is_records, table_of_records
from sfumato.engines.foreign.who_converts import converter
from sfumato.engines.protocol import Batches
from sfumato.engines.same_columns import REMEDY, difference
from sfumato.engines.text_copy import NOTHING, Skipped, copy_text, needs_copy
from sfumato.errors import BadInput
from sfumato.files.paths import parts_of, reason


@dataclass(frozen=True)
class Relation:
    """What SQL reads a source from."""

    text: str
    columns: list[str]
    typed: bool
    skipped: Skipped = NOTHING
    delimiter: str | None = None  # of a text file
    places: tuple[tuple[str, Path, str], ...] = ()  # of text: a name, what is read, its delimiter
    types: tuple[str, ...] = ()  # of a Parquet file
    foreign: ForeignTable | None = None  # of a file of another program, and of a list
    of_office: bool = False  # a file of a program that reads CSV and no Parquet


class Remote(ABC):
    """Rows that are elsewhere, and say themselves how a session sees them."""

    @abstractmethod
    def opened(self, session: Session) -> Relation:
        """Let a session see the rows, and name them in it."""


def open_relation(
    session: Session, source: object, settings: ReadSettings, *, published: bool
) -> Relation:
    """Open a source of any kind, and name it in the session."""
    if isinstance(source, Remote):
        return source.opened(session)
    if isinstance(source, Batches):
        return _open_batches(session, source)
    if isinstance(source, (list, tuple)) and source and all(map(_is_path, source)):
        return _open_files(session, source, settings)
    if not isinstance(source, (str, Path)):
        settings.refuse_for("no file")
        if is_records(source):
            return _open_records(session, source, settings)  # type: ignore[arg-type]
        if hasattr(source, "sink_parquet") and hasattr(source, "collect"):
            return _open_lazy(session, source)
        return _open_frame(session, source, settings)
    return _open_path(session, source, settings, published=published)


def _is_path(source: object) -> bool:
    return isinstance(source, (str, Path))


def _open_path(
    session: Session, source: str | Path, settings: ReadSettings, *, published: bool
) -> Relation:
    has_lines = isinstance(source, str) and re.search(r"[\n\r]", source)
    if "\0" in str(source) or (has_lines and not os.path.exists(source)):  # noqa: PTH110  (too long)
        raise BadInput("expected the path of a file, got text; write it to a file first")
    if re.search(r"[\ud800-\udfff]", str(source)):
        raise BadInput(f"{source}: the name of the file is not UTF-8 text; rename it")
    session.name = str(source)
    try:
        return _open_file(session, Path(source).resolve(), settings, published=published)
    except (OSError, RuntimeError) as error:  # RuntimeError: a link to itself
        raise BadInput(f"{source}: cannot read: {reason(error)}") from None


def _open_files(
    session: Session, sources: Sequence[str | Path], settings: ReadSettings
) -> Relation:
    """Open several files as one table: the same columns, in any order."""
    opened = [_open_path(session, each, settings, published=False) for each in sources]
    if len({Path(each).resolve() for each in sources}) < len(sources):
        raise BadInput("several files as one table: a file is named twice; take one out")
    first = opened[0]
    for place, relation in zip(sources[1:], opened[1:], strict=True):
        differs = _difference(first, relation)
        if differs:
            raise BadInput(f"{place}: {differs} {sources[0]}; {REMEDY}")
    selects = []
    for relation in opened:
        inner = ", ".join(f"v{j}" for j in range(len(relation.columns)))
        ordered = ", ".join(f"v{relation.columns.index(name)}" for name in first.columns)
        selects.append(f"SELECT {ordered} FROM {relation.text} AS t({inner})")
    session.name = f"{sources[0]} and {len(sources) - 1} more" if sources[1:] else session.name
    skipped = Skipped(
        sum(each.skipped.n_start for each in opened), sum(each.skipped.n_end for each in opened)
    )
    named = {Path(s).name: each.foreign for s, each in zip(sources, opened, strict=True)}
    return replace(
        first,
        text=f"({' UNION ALL '.join(selects)})",
        skipped=skipped,
        places=tuple(place for each in opened for place in each.places),
        foreign=ForeignTable.together(named),
    )


def _difference(first: Relation, other: Relation) -> str | None:
    """Say how the columns of a file are others than those of the first one."""
    if first.typed != other.typed:
        return "Parquet and text cannot be one table, unlike"
    ours, theirs = (
        dict(zip_longest(each.columns, each.types, fillvalue="")) for each in (first, other)
    )
    return difference(ours, theirs)


def _open_file(
    session: Session, path: Path, settings: ReadSettings, *, published: bool
) -> Relation:
    if path.is_dir() and published:
        return _open_parts(session, path)
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
        settings.refuse_for("a Parquet file")
        try:
            schema = pq.read_schema(path)
        except (pa.ArrowException, OSError, UnicodeDecodeError):
            raise BadInput(f"{path}: {DAMAGED}") from None
        text = f"read_parquet({session.linked(path)}, hive_partitioning = false)"
        return Relation(text, schema.names, typed=True, types=tuple(map(str, schema.types)))
    if path.suffix in (".parquet", ".pq"):
        raise BadInput(f"{path}: not a Parquet file, in spite of its name")
    convert = None if published else converter(path, magic, settings)
    if convert is not None:
        copy = session.private_file()
        foreign = convert(path, settings, copy)
        session.refuse_changed()
        types = tuple(map(str, pq.read_schema(copy).types))
        text = f"read_parquet({sql.text(copy)})"
        return Relation(
            text,
            list(foreign.names),
            typed=True,
            skipped=foreign.skipped,
            types=types,
            foreign=foreign,
            of_office=True,
        )
    settings.refuse_for("a text file", tuple(ABOUT))
    return _open_text(session, path, settings, "," if published else DELIMITERS)


def _open_parts(session: Session, directory: Path) -> Relation:
    """Open a table of a release that is in several files, in the order of their names."""
    paths = parts_of(directory)
    for path in paths:
        session.watch(path)
    return _open_batches(session, Batches(tuple(paths), typed=True, name=str(directory)))


def _open_text(session: Session, path: Path, settings: ReadSettings, delimiters: str) -> Relation:
    """Open a text file where it is, or a private copy of it in UTF-8."""
    skipped, copy, line = NOTHING, None, settings.skip_rows + 1
    if needs_copy(path, settings):
        copy = session.copy_of(path, line)
        skipped = copy_text(path, settings, copy)
        session.refuse_changed()
    try:
        header = read_header(
            path if copy is None else copy,
            settings.delimiter or delimiters,
            settings.quote,
            original=path,
            line=line,
            trim=settings.trim,
            number=settings.names == NUMBER,
        )
    except BadInput as error:  # perhaps the names are not in that line
        mended = session.remedy() if str(error).endswith(NUMBER_REMEDY) else ""
        if not mended:
            raise
        raise BadInput(f"{str(error).removesuffix(f'; {NUMBER_REMEDY}')}{mended}") from None
    place = session.linked(path) if copy is None else sql.text(copy)
    text = reading_csv(place, header, settings.quote)
    places = ((path.name, path if copy is None else copy, header.delimiter),)
    return Relation(text, list(header.columns), False, skipped, header.delimiter, places)


def _open_batches(session: Session, batches: Batches) -> Relation:
    session.name, session.is_parquet = batches.name, True
    try:
        names = pq.read_schema(batches.paths[0]).names
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        raise BadInput(f"{batches.paths[0]}: {DAMAGED}") from None
    return Relation(reading(session, batches.paths), names, typed=batches.typed)


def _open_records(
    session: Session, rows: Sequence[Mapping[Any, Any]], settings: ReadSettings
) -> Relation:
    table, foreign = table_of_records(rows, settings)
    if not foreign.names:
        raise BadInput(f"{session.name}: no columns")
    refuse_alike(foreign.names, session.name)
    with session.explained():
        session.connection.register("frame", table)
    return Relation("frame", list(foreign.names), typed=True, foreign=foreign)


def _open_lazy(session: Session, frame: Any) -> Relation:
    """Let a lazy frame stream its rows into a private file."""
    place = session.private_file()
    try:
        frame.sink_parquet(place)
        schema = pq.read_schema(place)
    except Exception as error:  # whatever is behind it
        raise BadInput(
            "the lazy frame cannot be read; see what `collect()` says of it", [str(error)]
        ) from None
    return Relation(f"read_parquet({sql.text(place)})", list(schema.names), typed=True)


def _open_frame(session: Session, frame: object, settings: ReadSettings) -> Relation:
    if not hasattr(frame, "__arrow_c_stream__"):
        raise BadInput(
            f"cannot read a {type(frame).__name__}; give a path to a file, a data frame "
            "(pandas, Polars, PyArrow, DuckDB), or a list of dictionaries"
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
        given = [str(name) for name in frame.columns]
        if settings.names == NUMBER and hasattr(frame, "set_axis"):
            frame = frame.set_axis(numbered(given), axis=1)
        else:
            refuse_alike(given, session.name)
    try:
        table = (  # the index of a pandas frame is no column
            pa.Table.from_pandas(frame, preserve_index=False) if is_pandas else pa.table(frame)
        )
    except Exception as error:
        if type(frame).__module__.partition(".")[0] == "pyspark":
            raise BadInput(
                "the Spark frame cannot be brought here: its Arrow stream broke off, as it does "
                "where workers lack pyarrow or are lost; engine=sf.engines.Spark(session) reads it "
                "where it is",
                [str(error)],
            ) from None
        if not isinstance(error, (pa.ArrowException, TypeError, ValueError, AttributeError)):
            raise
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
