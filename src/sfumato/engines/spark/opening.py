"""How a source is opened: a Spark frame, a table, Parquet, CSV, a data frame of another kind."""

from __future__ import annotations

import re
import secrets
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from sfumato.data.read_settings import NUMBER, ReadSettings
from sfumato.engines.csv_header import (
    DELIMITERS,
    Header,
    numbered,
    read_header,
    refuse_alike,
)
from sfumato.engines.spark.cluster import Cluster
from sfumato.engines.text_encodings import encoding_remedy
from sfumato.errors import BadInput, shown
from sfumato.files.paths import parts_of, reason, version

ADDRESS = re.compile(r"([a-z][a-z0-9+.-]+):/")  # of a file system that is not this machine's
TABLE = re.compile(r"[^\s/\\]+(\.[^\s/\\]+){0,2}")  # [[catalog.]database.]table
GLOB = re.compile(r"([*?\[\]{}\\])")
SUPPORTED = ("delimiter", "names")  # of the settings
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


def opened(cluster: Cluster, source: object, settings: ReadSettings) -> Opened:
    """Open a source of any kind; refuse settings that nothing here would obey."""
    number = settings.names == NUMBER
    if isinstance(source, (str, Path)):
        return _open_named(cluster, source, settings)
    _refuse_settings(settings, ("names",))
    if isinstance(source, DataFrame):
        name, frame = "the Spark frame", _handed_over(cluster, source)
        names = list(source.columns)
    elif hasattr(source, "__arrow_c_stream__"):
        name, table = "the table", _as_arrow(source)
        names = list(table.column_names)
        with cluster.explained("the data frame"):
            frame = cluster.frame(table.rename_columns(_inner(len(names))))
    else:
        raise BadInput(
            f"engine 'spark': cannot read a {type(source).__name__}; give a Spark frame, the name "
            "of a table, the path of a CSV file or of Parquet files, or an Arrow data frame"
        )
    if not names:
        raise BadInput(f"{name}: no columns")
    names = numbered(names) if number else names
    refuse_alike(names, name)
    return Opened(name, frame, tuple(names), typed=True)


def opened_published(cluster: Cluster, path: Path) -> Opened:
    """Open a table of a release: delimited by commas, with the marks of formulas."""
    versions = _versions(path)
    if path.suffix == ".csv":
        header = read_header(path, ",")
        frame = _csv(cluster, path, header)
        return Opened(str(path), frame, header.columns, False, versions, marked=True, place=path)
    frame = _parquet(cluster, _address(path), str(path))
    inner = frame.toDF(*_inner(len(frame.columns)))
    return Opened(str(path), inner, tuple(frame.columns), True, versions, place=path)


def _open_named(cluster: Cluster, source: str | Path, settings: ReadSettings) -> Opened:
    """Open what is named by a path, an address or the name of a table."""
    text, number = str(source), settings.names == NUMBER
    if re.search(r"[\0\n\r\ud800-\udfff]", text):
        raise BadInput("expected the path of a file or the name of a table, got text")
    path = Path(source)
    if ADDRESS.match(text):
        _refuse_settings(settings, ("names",))
        if text.rstrip("/").endswith((".csv", ".csv.gz", ".txt", ".tsv")):
            raise BadInput(
                f"{text}: the names of a CSV file's columns are read here, so it has to be on a "
                "file system that this machine sees; or store it as Parquet"
            )
        return _open_parquet(cluster, text, text, {}, number=number)
    try:
        there, is_directory = path.exists(), path.is_dir()
        if not there and isinstance(source, str) and TABLE.fullmatch(source):
            return _open_table(cluster, source, settings)
        if is_directory or _starts_with(path, b"PAR1"):
            _refuse_settings(settings, ("names",))
            absolute = path.resolve()
            versions = _versions(absolute)
            return _open_parquet(cluster, _address(absolute), text, versions, number=number)
        return _open_csv(cluster, path.resolve(), text, settings)
    except OSError as error:
        raise BadInput(f"{source}: cannot read: {reason(error)}") from None


def _open_table(cluster: Cluster, name: str, settings: ReadSettings) -> Opened:
    _refuse_settings(settings, ("names",))
    with cluster.explained(name):
        if not cluster.given.catalog.tableExists(name):
            raise BadInput(f"{name}: no such file, and no table or view of that name in Spark")
        table = cluster.given.table(name)
    columns = numbered(table.columns) if settings.names == NUMBER else list(table.columns)
    refuse_alike(columns, name)
    return Opened(name, _handed_over(cluster, table), tuple(columns), typed=True)


def _open_parquet(
    cluster: Cluster, address: str, name: str, versions: Mapping[Path, Any], *, number: bool
) -> Opened:
    frame = _parquet(cluster, address, name)
    columns = numbered(frame.columns) if number else list(frame.columns)
    if not columns:
        raise BadInput(f"{name}: no columns")
    refuse_alike(columns, name)
    return Opened(name, frame.toDF(*_inner(len(columns))), tuple(columns), True, versions)


def _open_csv(cluster: Cluster, path: Path, name: str, settings: ReadSettings) -> Opened:
    _refuse_settings(settings, SUPPORTED)
    if path.suffix in (".gz", ".zst", ".xlsx", ".sav", ".dta", ".sas7bdat", ".parquet"):
        raise BadInput(
            f"{name}: the engine 'spark' reads CSV files that are not packed, and Parquet; unpack "
            "or convert it first"
        )
    versions = _versions(path)
    number = settings.names == NUMBER
    header = read_header(path, settings.delimiter or DELIMITERS, number=number)
    refuse_alike(header.columns, name)
    return Opened(name, _csv(cluster, path, header), header.columns, False, versions)


def _csv(cluster: Cluster, path: Path, header: Header) -> DataFrame:
    """Read all fields as text; line by line where no quoted field goes over several."""
    address, name = _address(path), str(path)
    with cluster.explained(name):
        lines = cluster.own.read.text(address)
        n_quotes = F.length("value") - F.length(F.replace("value", F.lit('"'), F.lit("")))
        looked_at = lines.select(
            F.sum((n_quotes % 2).cast("bigint")).alias("odd"),
            F.count_if(~F.is_valid_utf8("value")).alias("broken"),
        )
        (found,) = cluster.collected(looked_at).to_pylist()
        if found["broken"]:
            raise BadInput(f"{name}: not UTF-8 text; {encoding_remedy(path)}")
        schema = ", ".join(f"v{j} string" for j in range(len(header.columns)))
        options = {
            **CSV_OPTIONS,
            "multiLine": str(bool(found["odd"])),
            "nullValue": secrets.token_hex(32),  # no text is missing, but a field without one is
            "sep": header.delimiter,
        }
        return cluster.own.read.schema(schema).options(**options).csv(address)


def _parquet(cluster: Cluster, address: str, name: str) -> DataFrame:
    with cluster.explained(name):
        frame = cluster.own.read.parquet(address)
        frame.schema  # noqa: B018  (asks the server, where there is one)
        return frame


def _handed_over(cluster: Cluster, frame: DataFrame) -> DataFrame:
    """See a frame of a user's session in ours, by a view that all sessions of a cluster share."""
    view = f"sfumato_{secrets.token_hex(8)}"
    with cluster.explained("the Spark frame"):
        frame.toDF(*_inner(len(frame.columns))).createGlobalTempView(view)
        seen = cluster.own.table(f"global_temp.{view}")
    weakref.finalize(seen, _dropped, cluster.own, view)
    return seen


def _dropped(session: Any, view: str) -> None:
    with suppress(Exception):  # the session may be gone, and the view with it
        session.catalog.dropGlobalTempView(view)


def _as_arrow(frame: object) -> pa.Table:
    """Give a data frame as an Arrow table of types that Spark has."""
    is_pandas = type(frame).__module__.partition(".")[0] == "pandas"
    try:
        table = pa.Table.from_pandas(frame, preserve_index=False) if is_pandas else pa.table(frame)
        columns = [_plain(column) for column in table.columns]
        types = [_spark_type(column.type) for column in columns]
        casted = [column.cast(kind) for column, kind in zip(columns, types, strict=True)]
        return pa.table(casted, names=table.column_names)
    except (pa.ArrowException, TypeError, ValueError, AttributeError) as error:
        raise BadInput(
            "the data frame cannot be read: a column holds values of different types, or of a "
            "type that Spark does not have; give it one type",
            [str(error)],
        ) from None


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Give the values themselves where there are numbers of values."""
    if not pa.types.is_dictionary(column.type):
        return column
    chunks = [chunk.dictionary_decode() for chunk in column.chunks]
    return pa.chunked_array(chunks, column.type.value_type)


def _spark_type(kind: pa.DataType) -> pa.DataType:
    """Give the type that holds the same values, where Spark has none of that name."""
    is_kind = pa.types
    if is_kind.is_null(kind) or is_kind.is_string_view(kind):
        return pa.string()
    wider = {pa.uint8(): pa.int16(), pa.uint16(): pa.int32(), pa.uint32(): pa.int64()}
    if kind in wider:
        return wider[kind]
    if is_kind.is_uint64(kind):
        return pa.decimal128(20, 0)
    if is_kind.is_timestamp(kind):
        return pa.timestamp("us", kind.tz)
    if is_kind.is_date64(kind):
        return pa.date32()
    if is_kind.is_list(kind) or is_kind.is_large_list(kind) or is_kind.is_fixed_size_list(kind):
        return pa.list_(_spark_type(kind.value_type))
    return kind


def _refuse_settings(settings: ReadSettings, known: Sequence[str]) -> None:
    for name in settings.spec():
        if name not in known:
            raise BadInput(
                f"{name}: the engine 'spark' does not obey this setting here; convert the source "
                f"first, or take {shown(name)} out"
            )


def _versions(path: Path) -> dict[Path, tuple[int, ...]]:
    return {each: version(each) for each in parts_of(path)}


def _address(path: Path) -> str:
    """Name a local file for Spark, so that no part of its name is read as a pattern."""
    return "file://" + GLOB.sub(r"\\\1", str(path.absolute()))


def _starts_with(path: Path, magic: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(magic)) == magic


def _inner(n: int) -> list[str]:
    return [f"v{j}" for j in range(n)]
