"""How a source is opened: Spark frames, tables and Parquet where they are, others converted."""

from __future__ import annotations

import re
import secrets
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import csv
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from sfumato.data.read_settings import NUMBER, ReadSettings
from sfumato.engines.csv_header import Header, numbered, read_header, refuse_alike
from sfumato.engines.protocol import ENGINES, Source
from sfumato.engines.same_columns import REMEDY, difference
from sfumato.engines.spark.arrow_types import is_plain, is_read, nanoseconds, spark_type
from sfumato.engines.spark.cluster import NANOS_AS_LONG, Cluster
from sfumato.engines.spark.places import address_of, escaped, refuse_unshared
from sfumato.errors import BadInput
from sfumato.files.paths import parts_of, version
from sfumato.files.private_directory import PrivateDirectory, no_room, scratch

ADDRESS = re.compile(r"([a-z][a-z0-9+.-]+):/")  # of a file system that is not this machine's
TABLE = re.compile(r"[^\s/\\]+(\.[^\s/\\]+){0,2}")  # [[catalog.]database.]table
NANOS = re.compile(r"timestamp(_ntz|_ltz)?\(9\)")
DECLARED = "__CHAR_VARCHAR_TYPE_STRING"  # where Spark keeps the type of a column of text
WITH_ZONE = re.compile(r"\btimestamp\b")  # which our settings would read as one without
LTZ = "timestamp_ltz"
LONGEST = 1 << 26  # bytes that Arrow reads at once, and so of a field
CSV_OPTIONS = {
    "comment": "",
    "emptyValue": "",  # a quoted empty field; one that is not quoted is missing
    "enforceSchema": "true",
    "escape": '"',
    "header": "true",
    "ignoreLeadingWhiteSpace": "false",
    "ignoreTrailingWhiteSpace": "false",
    "maxCharsPerColumn": "-1",
    "maxColumns": "100000",
    "mode": "FAILFAST",
    "quote": '"',
    "unescapedQuoteHandling": "RAISE_ERROR",
}


@dataclass(frozen=True, eq=False)
class Opened:
    """A source as it was found: a frame whose columns are called v0, v1, ..."""

    name: str  # what messages call it
    frame: DataFrame
    columns: tuple[str, ...]
    typed: bool
    versions: Mapping[Path, tuple[int, ...]] = field(default_factory=dict)  # of its files
    marked: bool = False  # a CSV file of ours, with marks where a spreadsheet would run a text
    place: Path | None = None  # of a table of a release
    embedded: Source | None = None  # that converted it, and knows what its settings did
    scratch: PrivateDirectory | None = None  # where it was put then, and goes with
    nanos: Mapping[str, str] = field(default_factory=dict)  # inner name -> kind; see `kinds`


def opened(cluster: Cluster, source: object, settings: ReadSettings) -> Opened:
    """Open a source of any kind: where it is, or converted into Parquet by the embedded engine."""
    if isinstance(source, DataFrame):
        _refuse_settings(settings)
        frame = _handed_over(cluster, source)
        return _typed("the Spark frame", frame, source.columns, settings)
    if isinstance(source, (str, Path)):
        found = _open_where_it_is(cluster, source, settings)
        if found is not None:
            return found
    elif hasattr(source, "__arrow_c_stream__") and not settings.spec():
        source = _in_memory(source)
        if isinstance(source, pa.Table) and is_plain(source.schema):
            with cluster.explained("the data frame"):
                frame = cluster.frame(source.rename_columns(_inner(source.num_columns)))
            return _typed("the table", frame, source.column_names, settings)
    return _converted(cluster, source, settings)


def opened_published(cluster: Cluster, path: Path) -> Opened:
    """Open a table of a release: delimited by commas, with the marks of formulas."""
    versions = _versions(path)
    if path.suffix == ".csv":
        header = read_header(path, ",")
        if len(header.columns) == 1:
            return _opened_lines(cluster, path, header, versions)
        frame = _csv(cluster, path, header)
        return Opened(str(path), frame, header.columns, False, versions, marked=True, place=path)
    frame, nanos = _local_parquet(cluster, path, str(path))
    inner = frame.toDF(*_inner(len(frame.columns)))
    columns = tuple(frame.columns)
    return Opened(str(path), inner, columns, True, versions, place=path, nanos=nanos)


def _open_where_it_is(
    cluster: Cluster, source: str | Path, settings: ReadSettings
) -> Opened | None:
    """Open Parquet files, or a table by its name; None: it is something else."""
    text = str(source)
    if ADDRESS.match(text):
        _refuse_settings(settings)
        if text.rstrip("/").endswith((".csv", ".csv.gz", ".txt", ".tsv")):
            raise BadInput(
                f"{text}: CSV files are read from a file system of this machine; copy it there, or "
                "store it as Parquet"
            )
        frame = _far_parquet(cluster, text)
        return _typed(text, frame.toDF(*_inner(len(frame.columns))), frame.columns, settings)
    try:
        path = Path(source).resolve()
        there = path.exists()
        is_parquet = path.is_dir() or (path.is_file() and _starts_with(path, b"PAR1"))
        versions = _versions(path) if is_parquet else {}
    except (OSError, ValueError, RuntimeError):  # what it is is said by whoever reads it
        return None
    if is_parquet:
        _refuse_settings(settings)
        schemas = _schemas(path)
        if not all(map(is_read, schemas.values())):
            return replace(_converted(cluster, [*schemas], settings), name=text)
        frame, nanos = _local_parquet(cluster, path, text)
        inner = frame.toDF(*_inner(len(frame.columns)))
        opened = _typed(text, inner, frame.columns, settings)
        return replace(opened, versions=versions, nanos=nanos)
    name = source if isinstance(source, str) else source.name
    return _open_table(cluster, name, settings) if not there and TABLE.fullmatch(name) else None


def _open_table(cluster: Cluster, name: str, settings: ReadSettings) -> Opened:
    _refuse_settings(settings)
    with cluster.explained(name):
        if not cluster.given.catalog.tableExists(name):
            raise BadInput(f"{name}: no such file, and no table or view of that name in Spark")
        table = cluster.given.table(name)
    return _typed(name, _handed_over(cluster, table), table.columns, settings)


def _typed(name: str, frame: DataFrame, columns: Sequence[str], settings: ReadSettings) -> Opened:
    if not columns:
        raise BadInput(f"{name}: no columns")
    names = numbered(columns) if settings.names == NUMBER else list(columns)
    refuse_alike(names, name)
    return Opened(name, frame, tuple(names), typed=True)


def _converted(cluster: Cluster, source: object, settings: ReadSettings) -> Opened:
    """Have the embedded engine read what Spark does not read as we do, into a private file.

    So CSV means the same on every engine, by all its settings, and so does whatever else is read.
    """
    embedded = ENGINES["duckdb"]().open(source, settings)
    directory = scratch()
    with cluster.explained(embedded.name):
        refuse_unshared(cluster, directory.path)
    reader = embedded.to_batches(embedded.columns)
    kinds = [spark_type(field.type) for field in reader.schema]
    schema = pa.schema([(f"v{j}", kind) for j, kind in enumerate(kinds)])
    place = directory.path / "rows.parquet"
    try:
        with pq.ParquetWriter(place, schema, compression="zstd") as writer:
            for batch in reader:
                rows = pa.Table.from_batches([batch]).rename_columns(schema.names)
                writer.write_table(rows.cast(schema))
    except OSError as error:
        raise no_room(error) from None
    return Opened(
        embedded.name,
        _parquet(cluster, address_of(place), embedded.name),
        embedded.columns,
        embedded.typed,
        {path: version(path) for path in embedded.files},
        embedded=embedded,
        scratch=directory,
        nanos=nanoseconds(schema),
    )


def _opened_lines(
    cluster: Cluster, path: Path, header: Header, versions: Mapping[Path, tuple[int, ...]]
) -> Opened:
    """Open a CSV file of ours with one column, in which an empty line is a missing value.

    Spark leaves such lines out whatever it is told, so Arrow writes the fields as they are, marks
    and all, into a private file.
    """
    directory, name = scratch(), str(path)
    place = directory.path / "rows.parquet"
    with cluster.explained(name):
        refuse_unshared(cluster, directory.path)
        reader = csv.open_csv(
            path,
            csv.ReadOptions(column_names=["v0"], skip_rows_after_names=1, block_size=LONGEST),
            csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
            csv.ConvertOptions(
                column_types={"v0": pa.string()},
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
            ),
        )
        try:
            with pq.ParquetWriter(place, reader.schema, compression="zstd") as writer:
                for batch in reader:
                    writer.write_batch(batch)
        except OSError as error:
            raise no_room(error) from None
    frame = _parquet(cluster, address_of(place), name)
    return Opened(
        name, frame, header.columns, False, versions, marked=True, place=path, scratch=directory
    )


def _csv(cluster: Cluster, path: Path, header: Header) -> DataFrame:
    """Read a CSV file of ours as text; line by line where no quoted field goes over several."""
    address, name = address_of(path), str(path)
    with cluster.explained(name):
        lines = cluster.own.read.text(address)
        n_quotes = F.length("value") - F.length(F.replace("value", F.lit('"'), F.lit("")))
        looked_at = lines.agg(F.sum((n_quotes % 2).cast("bigint")).alias("odd"))
        (found,) = cluster.collected(looked_at).to_pylist()
        schema = ", ".join(f"v{j} string" for j in range(len(header.columns)))
        options = {
            **CSV_OPTIONS,
            "multiLine": str(bool(found["odd"])),
            "nullValue": secrets.token_hex(32),  # no text is missing, but a field without one is
            "sep": header.delimiter,
        }
        return cluster.own.read.schema(schema).options(**options).csv(address)


def _parquet(cluster: Cluster, address: str, name: str, schema: str | None = None) -> DataFrame:
    with cluster.explained(name):
        reader = cluster.own.read if schema is None else cluster.own.read.schema(schema)
        frame = reader.parquet(address)
        frame.schema  # noqa: B018  (asks the server, where there is one)
        return frame


def _local_parquet(cluster: Cluster, path: Path, name: str) -> tuple[DataFrame, dict[str, str]]:
    """Read files of this machine, and tell which columns hold nanoseconds."""
    schemas = _schemas(path)
    for part, each in schemas.items():
        refuse_alike(each.names, str(part))
    _refuse_different(
        {str(p): dict(zip(s.names, map(str, s.types), strict=True)) for p, s in schemas.items()}
    )
    found = nanoseconds(next(iter(schemas.values()))) if schemas else {}
    schema = None
    if found:
        types = _types_with_numbers(cluster, path, name)
        # Moments of 96 bits, as Spark writes them unless it is told otherwise, are instants of
        # microseconds to Spark, and nanoseconds to Arrow only.
        found = {c: kind for c, kind in found.items() if not WITH_ZONE.search(types[c])}
        schema = ", ".join(f"{_quoted(c)} {WITH_ZONE.sub(LTZ, kind)}" for c, kind in types.items())
    frame = _parquet(cluster, address_of(path), name, schema)
    kinds = {f"v{j}": found[each] for j, each in enumerate(frame.columns) if each in found}
    return frame, kinds


def _schemas(path: Path) -> dict[Path, pa.Schema]:
    """Give the schemas of Parquet files; beside them may be others."""
    schemas = {}
    for part in parts_of(path):
        with suppress(pa.ArrowException, OSError, UnicodeDecodeError):  # which Spark explains
            schemas[part] = pq.read_schema(part)
    return schemas


def _types_with_numbers(cluster: Cluster, path: Path, name: str) -> dict[str, str]:
    """Give Spark's types of the columns of files, in which nanoseconds are whole numbers."""
    view = f"sfumato_{secrets.token_hex(8)}"
    with cluster.explained(name):
        cluster.own.read.parquet(address_of(path)).createTempView(view)
        described = cluster.collected(cluster.own.sql(f"DESCRIBE TABLE {view}")).to_pylist()
        cluster.own.catalog.dropTempView(view)
    return {each["col_name"]: NANOS.sub("bigint", each["data_type"]) for each in described}


def _quoted(column: str) -> str:
    return "`{}`".format(column.replace("`", "``"))


def _far_parquet(cluster: Cluster, address: str) -> DataFrame:
    """Read files of another file system; nanoseconds would be numbers there, and are refused."""
    cluster.own.conf.set(NANOS_AS_LONG, "false")
    try:
        _parquet(cluster, address, address)
        with cluster.explained(address):
            reader = cluster.own.read.format("binaryFile").option("recursiveFileLookup", "true")
            paths = cluster.collected(reader.load(address).select("path").orderBy("path"))
        _refuse_different({each: _far_types(cluster, each) for each in paths["path"].to_pylist()})
    finally:
        cluster.own.conf.set(NANOS_AS_LONG, "true")
    return _parquet(cluster, address, address)


def _far_types(cluster: Cluster, address: str) -> dict[str, str]:
    fields = _parquet(cluster, escaped(address), address).schema.fields
    return {field.name: field.dataType.simpleString() for field in fields}


def _refuse_different(types: Mapping[str, Mapping[str, str]]) -> None:
    """Refuse files, by their names, whose columns are not those of the first one.

    Spark would fill in what is missing, and put types together.
    """
    for name, columns in types.items():
        first = next(iter(types))
        differs = difference(types[first], columns)
        if differs:
            raise BadInput(f"{name}: {differs} {first}; {REMEDY}")


def _handed_over(cluster: Cluster, frame: DataFrame) -> DataFrame:
    """See a frame of a user's session in ours.

    The view that all sessions of an application share is there until ours has a view of its own,
    which has what the shared one was resolved to: a server looks names up again in every query.
    """
    view = f"sfumato_{secrets.token_hex(8)}"
    with cluster.explained("the Spark frame"):
        inner = frame.toDF(*_inner(len(frame.columns)))
        padded = [
            field.name
            for field in inner.schema.fields
            if str(field.metadata.get(DECLARED, "")).startswith("char(")
        ]
        # Blanks at the end of a text of type char are no part of it, as in PostgreSQL.
        trimmed = inner.withColumns({name: F.rtrim(name) for name in padded}) if padded else inner
        try:
            trimmed.createGlobalTempView(view)
            cluster.own.table(f"global_temp.{view}").createTempView(view)
        finally:
            _dropped(cluster.own.catalog.dropGlobalTempView, view)
        seen = cluster.own.table(view)
    weakref.finalize(seen, _dropped, cluster.own.catalog.dropTempView, view)
    return seen


def _dropped(drop: Callable[[str], bool], view: str) -> None:
    with suppress(Exception):  # the session may be gone, and the view with it
        drop(view)


def _in_memory(source: object) -> object:
    """Give a data frame in memory as an Arrow table; whatever else it is, it stays that."""
    try:
        if type(source).__module__.partition(".")[0] == "pandas":
            return pa.Table.from_pandas(source, preserve_index=False)
        is_frame = type(source).__module__.partition(".")[0] in ("polars", "pyarrow")
        is_stream = isinstance(source, pa.RecordBatchReader) or not hasattr(source, "shape")
        return pa.table(source) if is_frame and not is_stream else source
    except Exception:  # what is wrong with it is said by whoever reads it
        return source


def _refuse_settings(settings: ReadSettings) -> None:
    """Refuse what is declared of a source that is read where it is."""
    for name in settings.spec():
        if name != "names":
            raise BadInput(
                f"{name}: is for files that are converted, and this is read by Spark where it is; "
                "change the values in Spark, and take it out"
            )


def _versions(path: Path) -> dict[Path, tuple[int, ...]]:
    return {each: version(each) for each in parts_of(path)}


def _starts_with(path: Path, magic: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(magic)) == magic


def _inner(n: int) -> list[str]:
    return [f"v{j}" for j in range(n)]
