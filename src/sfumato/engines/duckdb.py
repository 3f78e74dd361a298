"""DuckDB, the embedded engine: CSV, Parquet and anything that speaks the Arrow C stream."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.data.groups import Counts
from sfumato.data.hierarchy import reason
from sfumato.data.keys import Codes
from sfumato.engines import sql
from sfumato.engines.csv_header import DELIMITERS, Header, read_header, refuse_alike
from sfumato.engines.protocol import Format, Join, Lookup, Plan
from sfumato.errors import BadInput
from sfumato.private import scratch

# A text field that a spreadsheet would run as a formula gets a leading apostrophe, and so does
# one that has an apostrophe already: so the mark can be taken off again. Numbers are no formulas.
FORMULA = r"^[=+\-@\t\r'']"
DAMAGED = "the Parquet file is damaged"
STORAGE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EACCES, errno.EROFS, errno.ENOENT)
MEMORY_LIMIT = "1GB"  # beyond that DuckDB spills
CSV_FORMAT = "FORMAT csv, HEADER, DELIMITER ',', QUOTE '\"', ESCAPE '\"', NULLSTR ''"
PARQUET_FORMAT = "FORMAT parquet, COMPRESSION zstd"


class DuckDBEngine:
    """One source read by an embedded DuckDB that spills into a private directory.

    Inside, columns are called v0, v1, ... in the order of the source, so that no name of a source
    can clash with one of ours.
    """

    def __init__(self, source: object, *, published: bool = False) -> None:
        self._scratch = scratch()
        self._connection = duckdb.connect(
            config={
                "temp_directory": str(self._scratch.path / "spill"),
                "memory_limit": MEMORY_LIMIT,
                "autoinstall_known_extensions": "false",
                "autoload_known_extensions": "false",
                "preserve_insertion_order": "false",
            }
        )
        self._values: dict[str, pa.Array] = {}  # distinct values of the counted columns
        self._codes: dict[str, Codes] = {}  # and the code of each of them
        self.format: Format = "parquet"
        self.typed = True
        self._is_parquet = False
        self._file: Path | None = None
        self._version: tuple[int, ...] = ()  # of the file, to notice when it changes
        self.name = "the table"
        with self._explained():
            self._connection.execute("SET TimeZone = 'UTC'")  # one instant, one text, anywhere
            self._connection.execute("SET enable_progress_bar = false")  # it would go to our output
        if isinstance(source, (str, Path)):
            if re.search(r"[\n\r\0]", str(source)):
                raise BadInput("expected the path of a file, got text; write it to a file first")
            self.name = str(source)
            try:
                relation, names = self._open_file(Path(source).resolve(), published=published)
            except (OSError, RuntimeError) as error:  # RuntimeError: a link to itself
                raise BadInput(f"{source}: cannot read: {reason(error)}") from None
        else:
            relation, names = self._open_frame(source)
        refuse_alike(names, self.name)
        inner = [f"v{j}" for j in range(len(names))]
        with self._explained():
            aliased = f"{relation} AS t({', '.join(inner)})"
            described = self._connection.sql(f"DESCRIBE SELECT * FROM {aliased}").fetchall()
            types = [str(row[1]) for row in described]
            selected = ", ".join(
                f"{_cleaned(v, kind, defused=published and not self.typed)} AS {v}"
                for v, kind in zip(inner, types, strict=True)
            )
            self._connection.execute(f"CREATE TEMP VIEW source AS SELECT {selected} FROM {aliased}")
        self._inner = dict(zip(names, inner, strict=True))
        self._types = {
            name: "VARCHAR" if kind.startswith(("ENUM", '"NULL"')) else kind
            for name, kind in zip(names, types, strict=True)
        }

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the source's columns."""
        return tuple(self._inner)

    def domains(self, columns: Sequence[str], person: str | None) -> dict[str, list[object]]:
        """Count the distinct combinations in one pass, and list each column's values."""
        for column in columns:
            if not COUNTABLE.match(self._types[column]):
                raise BadInput(
                    f"column {column!r}: values of type {self._types[column]} cannot be counted; "
                    "turn them into text, numbers or dates"
                )
        listed = ", ".join(self._inner[column] for column in columns)
        with self._explained():
            self._connection.execute(
                "CREATE OR REPLACE TEMP TABLE combinations AS "
                f"SELECT {listed}, count(*) AS n FROM source GROUP BY {listed}"
            )
            if person is not None:
                self._one_row_each(person)
            labels = {column: self._distinct(column) for column in columns}
        found = {}
        for column, array in labels.items():
            try:
                found[column] = array.to_pylist()
            except (OverflowError, ValueError):
                raise BadInput(
                    f"column {column!r}: a value is out of reach, such as a date after the year "
                    "9999; mend it, or turn the column into text"
                ) from None
        return found

    def _distinct(self, column: str) -> pa.Array:
        """Keep a column's distinct values, and give their labels: themselves, or their text."""
        value = self._inner[column]
        plain = PLAIN.match(self._types[column])
        label = value if plain else f"CAST({value} AS VARCHAR)"
        if self._types[column] == "FLOAT":  # as written: 0.1, not the nearest float of 64 bits
            label = f"CAST({label}::VARCHAR AS DOUBLE)"
        result = self._connection.sql(
            f"SELECT {value} AS value, {label} AS label "
            f"FROM (SELECT DISTINCT {value} FROM combinations)"
        ).to_arrow_table()
        self._values[column] = result["value"].combine_chunks()
        return result["label"]

    def count(self, codes: Mapping[str, Codes]) -> tuple[dict[str, Codes], Counts]:
        """Translate the counted combinations into codes, batch by batch."""
        self._codes = dict(codes)
        with self._explained():
            joins = self._register_maps({column: {"code": codes[column]} for column in codes})
            selected = ", ".join(f"m{j}.code AS c{j}" for j in range(len(codes)))
            reader = self._connection.sql(
                f"SELECT {selected}, n FROM combinations AS s {joins}"
            ).to_arrow_reader(1 << 18)
            batches = list(reader)
        found = {
            column: _joined([batch[f"c{j}"] for batch in batches], np.int32)
            for j, column in enumerate(codes)
        }
        return found, _joined([batch["n"] for batch in batches], np.int64)

    def apply(self, plan: Plan, target: Path, kind: Format) -> None:
        """Write the release, sorted by its quasi-identifiers and then by everything else."""
        with self._explained(target):
            if isinstance(plan.how, Lookup):
                labels, source = self._by_lookup(plan, plan.how)
            else:
                labels, source = self._by_join(plan, plan.how)
            types = self._derived(plan, labels) if kind == "parquet" else {}
            published = {}
            for column in plan.columns:
                value = labels.get(column, f"s.{self._inner[column]}")
                if kind == "csv" and (
                    column in labels or not SAFE_IN_CSV.match(self._types[column])
                ):
                    value = _defused(value)
                elif column in types:
                    value = f"CAST({value} AS {types[column]})"
                published[column] = value
            rest = [column for column in plan.columns if column not in plan.quasi_identifiers]
            order = ", ".join(
                f"{self._inner[column]} NULLS FIRST" for column in (*plan.quasi_identifiers, *rest)
            )
            rows = ", ".join(f"{value} AS {self._inner[c]}" for c, value in published.items())
            named = ", ".join(
                f"{self._inner[column]} AS {sql.name(column)}" for column in published
            )
            options = CSV_FORMAT if kind == "csv" else PARQUET_FORMAT
            self._connection.execute(
                f"COPY (SELECT {named} FROM (SELECT {rows} FROM {source}) ORDER BY {order}) "
                f"TO {sql.text(target)} ({options})"
            )

    def to_arrow(self, text: Collection[str]) -> pa.Table:
        """Read the whole source into memory, columns without a type as what they hold."""
        with self._explained():
            types = self._types_of([column for column in self._inner if column not in text])
            selected = ", ".join(
                f"CAST({v} AS {types[column]}) AS {v}" if column in types else v
                for column, v in self._inner.items()
            )
            table = self._connection.sql(f"SELECT {selected} FROM source").to_arrow_table()
        return table.rename_columns(list(self._inner))

    def _derived(self, plan: Plan, labels: Mapping[str, str]) -> dict[str, str]:
        kept = [c for c in plan.columns if c not in labels and c not in plan.text]
        return self._types_of(kept)

    def _types_of(self, columns: Sequence[str]) -> dict[str, str]:
        """Give the columns without a type that hold nothing but numbers, written as numbers are.

        Only what a number gives back letter by letter is one: 01234, 1.50 and 1e3 stay text.
        """
        if self.typed or not columns:
            return {}
        tests = []
        for column in columns:
            v = self._inner[column]
            finite = f"CASE WHEN isfinite(TRY_CAST({v} AS DOUBLE)) THEN {v} END"  # nan, inf: text
            back = [f"CAST(TRY_CAST({finite} AS {t}) AS VARCHAR)" for t in ("BIGINT", "DOUBLE")]
            tests += [f"bool_and({text} IS NOT DISTINCT FROM {v})" for text in back]
            tests.append(f"count({v}) > 0")
        (found,) = self._connection.execute(f"SELECT {', '.join(tests)} FROM source").fetchall()
        types = {}
        for j, column in enumerate(columns):
            whole, real, filled = found[3 * j : 3 * j + 3]
            if filled and (whole or real):
                types[column] = "BIGINT" if whole else "DOUBLE"
        return types

    def _open_file(self, path: Path, *, published: bool) -> tuple[str, list[str]]:
        if path.is_dir():
            raise BadInput(f"{path}: is a directory; give a CSV or Parquet file")
        if path.exists() and not path.is_file():
            raise BadInput(f"{path}: is not a regular file; it is read more than once")
        self._file, self._version = path, _version(path)
        try:
            with path.open("rb") as file:
                magic = file.read(4)
        except OSError as error:
            raise BadInput(f"{path}: cannot read: {reason(error)}") from None
        self._is_parquet = magic == b"PAR1"
        if self._is_parquet:
            try:
                names = pq.read_schema(path).names
            except (pa.ArrowException, OSError, UnicodeDecodeError):
                raise BadInput(f"{path}: {DAMAGED}") from None
            return f"read_parquet({sql.path(path)}, hive_partitioning = false)", names
        if path.suffix in (".parquet", ".pq"):
            raise BadInput(f"{path}: not a Parquet file, in spite of its name")
        self.format, self.typed = "csv", False
        header = read_header(path, delimiters="," if published else DELIMITERS)
        return _csv(path, header), list(header.columns)

    def _open_frame(self, frame: object) -> tuple[str, list[str]]:
        if not hasattr(frame, "__arrow_c_stream__"):
            raise BadInput(
                f"cannot read a {type(frame).__name__}; give a path to a CSV or Parquet file, or a "
                "data frame (pandas, Polars, PyArrow, DuckDB)"
            )
        if isinstance(frame, (pa.RecordBatchReader, duckdb.DuckDBPyRelation)):
            # A stream can be read once, so it goes into a private database file that can spill.
            with self._explained(), _stream_errors(self.name):
                stream = pa.RecordBatchReader.from_stream(frame)
                place = sql.text(self._scratch.path / "stream.db")
                self._connection.execute(f"ATTACH {place} AS kept")
                self._connection.register("stream", stream)
                self._connection.execute("CREATE TABLE kept.stream AS SELECT * FROM stream")
                self._connection.unregister("stream")
            return "kept.stream", stream.schema.names
        is_pandas = type(frame).__module__.partition(".")[0] == "pandas"
        if is_pandas and hasattr(frame, "columns"):
            refuse_alike([str(name) for name in frame.columns], self.name)
        try:
            table = (  # the index of a pandas frame is no column
                pa.Table.from_pandas(frame, preserve_index=False) if is_pandas else pa.table(frame)
            )
        except (pa.ArrowException, TypeError, ValueError, AttributeError) as error:
            found = re.search(r"Conversion failed for column (.+) with type", str(error))
            which = f"column {found[1]!r}" if found else "a column"
            raise BadInput(
                f"the data frame cannot be read: {which} holds values of different types, or of a "
                "type that cannot be read; give it one type",
                [str(error)],
            ) from None
        names = list(table.column_names)
        if not names:
            raise BadInput(f"{self.name}: no columns")
        inner = [f"v{j}" for j in range(len(names))]
        with self._explained():
            self._connection.register("frame", table.rename_columns(inner))
        return "frame", names

    def _one_row_each(self, person: str) -> None:
        column = self._inner[person]
        missing, repeated = self._connection.execute(
            f"SELECT count(*) - count({column}), count({column}) - count(DISTINCT {column}) "
            "FROM source"
        ).fetchall()[0]
        if missing:
            raise BadInput(f"person: column {person!r} is missing in {missing} rows")
        if repeated:
            raise BadInput(
                f"person: {repeated} rows repeat a value of {person!r}; a release counts people, "
                "so give one row for each"
            )

    def _register_maps(self, maps: Mapping[str, Mapping[str, Any]]) -> str:
        """Register value -> (code, text, ...) per column; return the joins that use them."""
        joins = []
        for j, (column, extra) in enumerate(maps.items()):
            table = pa.table(
                {"value": self._values[column]} | {k: pa.array(a) for k, a in extra.items()}
            )
            self._connection.register(f"map{j}", table)
            joins.append(
                f"JOIN map{j} AS m{j} ON s.{self._inner[column]} IS NOT DISTINCT FROM m{j}.value"
            )
        return " ".join(joins)

    def _by_lookup(self, plan: Plan, how: Lookup) -> tuple[dict[str, str], str]:
        """Give the published text of the recoded columns, and the rows to take it from."""
        maps: dict[str, dict[str, Any]] = {}
        published = {}
        for column in plan.quasi_identifiers:
            labels = how.labels[column]
            if labels is None and not len(how.suppressed):
                continue
            codes = self._codes[column]
            maps[column] = {"low": how.lows[column][codes]}
            if labels is not None:
                maps[column]["label"] = pa.array(labels, pa.string()).take(pa.array(codes))
                published[column] = f"m{len(maps) - 1}.label"
        source = f"source AS s {self._register_maps(maps)}"
        if len(how.suppressed):
            lows = {f"x{j}": how.suppressed[:, j] for j in range(how.suppressed.shape[1])}
            self._connection.register("suppressed", pa.table(lows))
            matched = " AND ".join(f"m{j}.low = x.x{j}" for j in range(len(lows)))
            source += f" ANTI JOIN suppressed AS x ON {matched}"
        return published, source

    def _by_join(self, plan: Plan, how: Join) -> tuple[dict[str, str], str]:
        """Give the published text of the recoded columns, and the rows to take it from."""
        source = self._assigned(plan, how)
        labels = {c: texts for c, texts in how.labels.items() if texts is not None}
        if not labels:
            return {}, f"({source}) AS s"
        table = {"g": np.arange(len(next(iter(labels.values()))), dtype=np.int64)}
        columns = {f"l{j}": pa.array(texts, pa.string()) for j, texts in enumerate(labels.values())}
        self._connection.register("group_labels", pa.table(table | columns))
        published = {column: f"b.l{j}" for j, column in enumerate(labels)}
        return published, f"({source}) AS s JOIN group_labels AS b ON s.g = b.g"

    def _assigned(self, plan: Plan, how: Join) -> str:
        """Give the rows that are published, each with its group g."""
        joins = self._register_maps({c: {"code": self._codes[c]} for c in how.columns})
        words: list[list[str]] = [[] for _ in range(how.layout.n_words)]
        for j, (word, shift) in enumerate(zip(how.layout.words, how.layout.shifts, strict=True)):
            words[word].append(f"(m{j}.code::UBIGINT << {shift})")
        packed = ", ".join(f"{' | '.join(word)} AS k{w}" for w, word in enumerate(words))
        coded = f"SELECT s.*, {packed} FROM source AS s {joins}"
        key = ", ".join(f"k{w}" for w in range(len(words)))

        same = (how.keys[1:] == how.keys[:-1]).all(axis=1)
        split = np.append(same, False) | np.insert(same, 0, False) if len(how.keys) else same
        parts = pa.table(
            {f"k{w}": how.keys[:, w] for w in range(len(words))}
            | {"g": how.groups, "first": how.first}
        )
        whole = parts.filter(pa.array(~split & (how.groups >= 0)))
        self._connection.register("whole_parts", whole.drop_columns(["first"]))
        source = f"SELECT * FROM ({coded}) JOIN whole_parts USING ({key})"
        if not split.any():
            return source
        # Each person's turn comes from a keyed hash of the whole row: nobody without the secret
        # can tell who of a combination went where, and all engines deal alike.
        self._connection.register("split_parts", parts.filter(pa.array(split)))
        self._connection.execute("SET VARIABLE secret = ?", [plan.secret.hex()])
        row = sql.row_text((self._inner[c], self._types[c]) for c in sorted(self._types))
        ranked = (
            f"SELECT *, row_number() OVER (PARTITION BY {key} "
            f"ORDER BY sha256(getvariable('secret') || {row})) AS turn FROM ({coded}) "
            f"SEMI JOIN split_parts USING ({key})"
        )
        matched = " AND ".join(f"r.k{w} = p.k{w}" for w in range(len(words)))
        dealt = (  # the part that begins last before a person's turn is that person's
            f"SELECT r.* EXCLUDE (turn), p.g FROM ({ranked}) AS r ASOF JOIN split_parts AS p "
            f"ON {matched} AND r.turn > p.first WHERE p.g >= 0"
        )
        return f"{source} UNION ALL BY NAME {dealt}"

    @contextmanager
    def _explained(self, target: Path | None = None) -> Iterator[None]:
        """Turn the engine's errors into one line that names the place and no value.

        A file that is not what it was when it was opened is refused, whatever became of the query:
        what was decided about the old rows does not hold for new ones.
        """
        try:
            yield
        except duckdb.Error as error:
            message = str(error)
            if "failed: KeyboardInterrupt" in message:  # how DuckDB passes one on that met Python
                raise KeyboardInterrupt from None
            self._refuse_changed()
            explained = _about_storage(message, self._scratch.path, target)
            if explained is None:
                kind = DAMAGED if self._is_parquet and target is None else None
                explained = _explanation(message, self.name, target, kind)
            raise BadInput(explained) from None
        except RuntimeError as error:
            if "interrupted" in str(error):  # how DuckDB passes on a Ctrl-C
                raise KeyboardInterrupt from None
            raise
        self._refuse_changed()

    def _refuse_changed(self) -> None:
        if self._file is None:
            return
        try:
            version = _version(self._file)
        except OSError as error:
            raise BadInput(f"{self.name}: the file is gone: {reason(error)}") from None
        if version != self._version:
            raise BadInput(
                f"{self.name}: the file has changed since it was opened; start again, and let "
                "nobody write to it meanwhile"
            )


# What can be counted, what Python takes as it is, and what no spreadsheet could run.
_NUMBERS = r"(U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL\(.*\))$"
PLAIN = re.compile(rf"(VARCHAR|BOOLEAN|DATE)$|{_NUMBERS}")
COUNTABLE = re.compile(rf"(VARCHAR|BOOLEAN|DATE|TIME.*|UUID)$|{_NUMBERS}")
SAFE_IN_CSV = re.compile(rf"(BOOLEAN|DATE|TIME.*|UUID)$|{_NUMBERS}")


@contextmanager
def _stream_errors(name: str) -> Iterator[None]:
    """Refuse a stream that breaks, without the words of whatever was behind it."""
    try:
        yield
    except pa.ArrowException as error:
        raise BadInput(f"{name}: the stream cannot be read", [str(error)]) from None


def _csv(path: Path, header: Header) -> str:
    """Read everything as text; an empty field is missing, a quoted empty field is empty."""
    columns = ", ".join(f"'v{j}': 'VARCHAR'" for j in range(len(header.columns)))
    return (
        f"read_csv({sql.path(path)}, columns = {{{columns}}}, auto_detect = false, "
        "compression = 'none', hive_partitioning = false, header = false, skip = 1, "
        f"delim = {sql.text(header.delimiter)}, quote = '\"', escape = '\"', nullstr = '', "
        "allow_quoted_nulls = false, null_padding = false, strict_mode = true)"
    )


def _cleaned(column: str, kind: str, *, defused: bool) -> str:
    if kind in ("FLOAT", "DOUBLE"):  # not a number: missing; and there is only one zero
        return f"CASE WHEN {column} = 0 THEN 0::{kind} ELSE nullif({column}, 'NaN'::{kind}) END"
    if kind.startswith(("ENUM", '"NULL"')):
        return f"CAST({column} AS VARCHAR)"
    if defused and kind == "VARCHAR":
        return f"CASE WHEN {column}[1] = '''' THEN {column}[2:] ELSE {column} END"
    return column


def _defused(value: str) -> str:
    text = f"CAST({value} AS VARCHAR)"
    return (
        f"CASE WHEN regexp_matches({text}, '{FORMULA}') AND TRY_CAST({text} AS DOUBLE) IS NULL "
        f"THEN '''' || {text} ELSE {text} END"
    )


def _joined(chunks: list[pa.Array], dtype: type) -> Any:
    if not chunks:
        return np.zeros(0, dtype=dtype)
    return np.concatenate([chunk.to_numpy(zero_copy_only=False) for chunk in chunks]).astype(dtype)


def _version(path: Path) -> tuple[int, ...]:
    """Give what differs when a file was written to, or replaced by another."""
    status = path.stat()
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _about_storage(message: str, private: Path, target: Path | None) -> str | None:
    """Say what the system refused to do to temporary files or the target; None: nothing."""
    refusals = [os.strerror(number) for number in STORAGE]
    why = next((text.lower() for text in refusals if text in message), "the system refused it")
    if str(private) in message or "max_temp_directory_size" in message:
        why = os.strerror(errno.ENOSPC).lower() if "max_temp_directory_size" in message else why
        return (
            f"cannot keep temporary files in {private.parent}: {why}; set TMPDIR to another place"
        )
    if target is not None and str(target) in message:
        return f"{target}: cannot write: {why}"
    return None


def _explanation(message: str, name: str, target: Path | None, otherwise: str | None) -> str:
    """Say what DuckDB found wrong; its own message quotes the offending line, so it stays here."""
    found = re.search(r"Line: (\d+)", message)
    place = f"{name}, line {found[1]}" if found else name
    columns = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message)
    if columns:
        return (
            f"{place}: {columns[2]} fields where the header has {columns[1]}; mend the line, or "
            "quote what holds a delimiter"
        )
    if "not utf-8" in message or "Invalid unicode" in message:
        return f"{place}: not UTF-8 text; convert the file first"
    if "unterminated quote" in message:
        return f"{place}: a quoted field does not end"
    if "Maximum line size" in message:
        return f"{place}: the line is too long; a quote may be missing, or split the line"
    if "state machine" in message or "quote" in message:
        return f"{place}: not a regular CSV file; check its quotes and line ends"
    if target is not None and "IO Error" in message:
        return f"{target}: cannot write there"
    kind = message.split(":", 1)[0]  # what follows may quote a value
    if kind == "Out of Memory Error":
        return f"{name}: not enough memory"
    return f"{name}: {otherwise}" if otherwise else f"{place}: the engine refused it ({kind})"
