"""DuckDB, the embedded engine: CSV, Parquet and anything that speaks the Arrow C stream."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from sfumato.data.groups import Counts
from sfumato.data.keys import Codes, Keys, Layout
from sfumato.data.labels.texts import Labels
from sfumato.engines import sql
from sfumato.engines.csv_header import DELIMITERS, Header, read_header, refuse_alike
from sfumato.engines.duckdb.batches import keep_rows, reading
from sfumato.engines.duckdb.explain import about_storage, explanation
from sfumato.engines.duckdb.gather import (
    ONLY_ONE,
    gather_rows,
    refuse_ungathered,
    rows_and_people,
    sorted_list,
)
from sfumato.engines.protocol import Batches, Format, Join, Kept, Lookup, Plan
from sfumato.errors import BadInput
from sfumato.files.paths import reason, version
from sfumato.files.private import scratch

# A text field that a spreadsheet would run as a formula gets a leading apostrophe, and so does
# one that has an apostrophe already: so the mark can be taken off again. Numbers are no formulas.
FORMULA = r"^[=+\-@\t\r'']"
NUMBER = r"^[+\-]?(\d+(\.\d*)?|\.\d+)([eE][+\-]?\d+)?$"
DAMAGED = "the Parquet file is damaged"
INTERRUPTED = re.compile(r"failed: (KeyboardInterrupt|Stopped)")
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
                # Nobody knows how many rows a CSV file has, so the larger side of a join is ours
                # to say: always the left one.
                "disabled_optimizers": "join_order,build_side_probe_side",
            }
        )
        self._values: dict[str, pa.Array] = {}  # distinct values of the counted columns
        self._codes: dict[str, Codes] = {}  # and the code of each of them
        self._lists: str | None = None  # the column in which a person has a list of values
        self._jointly: tuple[str, ...] = ()  # columns whose combinations stand in `counted`
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
            if re.search(r"[\n\r\0]" if isinstance(source, str) else r"\0", str(source)):
                raise BadInput("expected the path of a file, got text; write it to a file first")
            if re.search(r"[\ud800-\udfff]", str(source)):
                raise BadInput(f"{source}: the name of the file is not UTF-8 text; rename it")
            self.name = str(source)
            try:
                relation, names = self._open_file(Path(source).resolve(), published=published)
            except (OSError, RuntimeError) as error:  # RuntimeError: a link to itself
                raise BadInput(f"{source}: cannot read: {reason(error)}") from None
        elif isinstance(source, Batches):
            relation, names = self._open_batches(source)
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
            self._connection.execute(f"CREATE TEMP VIEW rows AS SELECT {selected} FROM {aliased}")
            self._connection.execute("CREATE TEMP VIEW source AS SELECT * FROM rows")
        self._inner = dict(zip(names, inner, strict=True))
        self._types = {name: _kind(kind) for name, kind in zip(names, types, strict=True)}

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the source's columns."""
        return tuple(self._inner)

    def gather(
        self, person: str | None, sensitive: Sequence[str], kept: Sequence[str]
    ) -> str | None:
        """See one row for each person, and a person's several values as a list in some order.

        A missing value in a list is no value, and a missing list is an empty one.
        """
        lists = [column for column in sensitive if LIST.match(self._types[column])]
        if lists and len(sensitive) > 1:
            raise BadInput(f"column {lists[0]!r} holds lists; {ONLY_ONE}")
        n_rows, n_people = 0, 0
        with self._explained():
            if person is not None:
                n_rows, n_people = rows_and_people(self._connection, person, self._inner[person])
            if n_rows > n_people:
                refuse_ungathered(str(person), n_rows - n_people, sensitive, lists)
                self._refuse_uncountable(sensitive[0], self._types[sensitive[0]])
                value = self._inner[sensitive[0]]
                others = {c: self._inner[c] for c in kept if c != sensitive[0]}
                gather_rows(self._connection, self._inner[str(person)], n_rows, value, others)
                self._types[sensitive[0]] += "[]"
            elif lists:
                self._sort_lists(lists[0])
            else:
                return None
        self._lists = sensitive[0]
        return sensitive[0]

    def domains(self, columns: Sequence[str], jointly: Sequence[str]) -> dict[str, list[object]]:
        """Group the rows in one pass: by some columns jointly, and by each other one alone."""
        for column in columns:
            self._refuse_uncountable(column, self._element(column))
        alone = [column for column in columns if column not in jointly]
        sets = [[self._inner[c] for c in each] for each in (jointly, *([c] for c in alone)) if each]
        of_column = [
            f"CASE WHEN GROUPING({self._inner[c]}) = 0 THEN {j} ELSE 0 END"
            for j, c in enumerate(alone, 1)
        ]
        which = " + ".join(["0", *of_column])  # 0: the joint ones
        selected = ", ".join(column for each in sets for column in each)
        grouped = ", ".join(f"({', '.join(each)})" for each in sets)
        with self._explained():
            self._connection.execute(
                "CREATE OR REPLACE TEMP TABLE counted AS "
                f"SELECT {selected}, count(*) AS n, {which} AS which "
                f"FROM source GROUP BY GROUPING SETS ({grouped})"
            )
            self._jointly = tuple(jointly)
            labels = {
                column: self._distinct(column, alone.index(column) + 1 if column in alone else 0)
                for column in columns
            }
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

    def _distinct(self, column: str, which: int) -> pa.Array:
        """Keep a column's distinct values, and give their labels: themselves, or their text."""
        value, rows = self._inner[column], f"counted WHERE which = {which}"
        if self._types[column] == "VARCHAR":
            self._values[column] = self._enumerated(value, rows)
            return self._values[column]
        element, ends = self._element(column), "[]" if column == self._lists else ""
        label = value if PLAIN.match(element) else f"CAST({value} AS VARCHAR{ends})"
        if element == "FLOAT":  # as written: 0.1, not the nearest float of 64 bits
            label = f"CAST({label}::VARCHAR{ends} AS DOUBLE{ends})"
        result = self._connection.sql(
            f"SELECT {value} AS value, {label} AS label FROM (SELECT DISTINCT {value} FROM {rows})"
        ).to_arrow_table()
        self._values[column] = result["value"].combine_chunks()
        return result["label"]

    def _enumerated(self, value: str, rows: str) -> pa.Array:
        """Make an ENUM of a column's texts, in their order; give them, the missing one last.

        An ENUM is found, compared and sorted as a small integer.
        """
        kind = _enum_of(value)
        self._connection.execute(f"DROP TYPE IF EXISTS {kind}")
        self._connection.execute(
            f"CREATE TYPE {kind} AS ENUM (SELECT DISTINCT {value} FROM {rows} "
            f"AND {value} IS NOT NULL ORDER BY {value})"
        )
        texts = self._connection.sql(f"SELECT unnest(enum_range(NULL::{kind}))::VARCHAR AS value")
        found = texts.to_arrow_table()["value"].combine_chunks()
        (missing,) = self._connection.execute(
            f"SELECT bool_or({value} IS NULL) FROM {rows}"
        ).fetchall()[0]
        return pa.concat_arrays([found, pa.nulls(1, found.type)]) if missing else found

    def _numbered(
        self, columns: Sequence[str], numbers: Mapping[str, NDArray[np.integer]]
    ) -> tuple[list[str], str]:
        """Give SQL for the number of a row's value in each column, and the joins it needs.

        numbers: column -> (n,), aligned with the distinct values.
        """
        found, joins = [], []
        for j, column in enumerate(columns):
            value, number = f"s.{self._inner[column]}", numbers[column]
            known, match = self._values[column], f"{value} IS NOT DISTINCT FROM m{j}.value"
            if self._is_enumerated(column):
                code = f"enum_code(CAST({value} AS {_enum_of(self._inner[column])}))"
                position = f"coalesce({code}, {len(known) - known.null_count})"
                if np.array_equal(number, np.arange(len(known))):
                    found.append(position)
                    continue
                known, match = pa.array(np.arange(len(known))), f"{position} = m{j}.value"
            table = pa.table({"value": known, "number": number})
            self._connection.register(f"numbers{j}", table)
            joins.append(f"JOIN numbers{j} AS m{j} ON {match}")
            found.append(f"m{j}.number")
        return found, " ".join(joins)

    def _packed(self, columns: Sequence[str], layout: Layout) -> tuple[str, str]:
        """Give SQL for the packed key k0, k1, ... of a row's codes, and the joins it needs."""
        codes, joins = self._numbered(columns, self._codes)
        words: list[list[str]] = [[] for _ in range(layout.n_words)]
        for code, word, shift in zip(codes, layout.words, layout.shifts, strict=True):
            words[word].append(f"(({code})::UBIGINT << {shift})")
        return ", ".join(f"{' | '.join(word)} AS k{w}" for w, word in enumerate(words)), joins

    def count(self, codes: Mapping[str, Codes], layout: Layout) -> tuple[Keys, Counts]:
        """Translate counted combinations into packed keys; count what has not been counted."""
        self._codes |= codes
        with self._explained():
            packed, joins = self._packed(list(codes), layout)
            if set(codes) == set(self._jointly):
                query = f"SELECT {packed}, n FROM counted AS s {joins} WHERE which = 0"
            else:
                query = f"SELECT {packed}, count(*) AS n FROM source AS s {joins} GROUP BY ALL"
            found = self._connection.sql(query).to_arrow_table()
            self._connection.execute("DROP TABLE IF EXISTS counted")
            self._jointly = ()
        words = [found[f"k{w}"].to_numpy() for w in range(layout.n_words)]
        keys = words[0][:, np.newaxis] if len(words) == 1 else np.stack(words, axis=1)
        return keys, found["n"].to_numpy()

    def apply(self, plan: Plan, target: Path, kind: Format) -> None:
        """Write a table, sorted by group or quasi-identifiers and then by everything else."""
        with self._explained(target):
            kept = [c for c in plan.columns if plan.how.labels.get(c) is None]
            types = self._types_of([c for c in kept if c not in plan.text and kind == "parquet"])
            values = {column: self._as_it_is(column, types, kind) for column in kept}
            if isinstance(plan.how, Lookup):
                values, source = self._by_lookup(plan, plan.how, values, kind)
            else:
                values, source = self._by_join(plan.how, values, kind)
            if self._lists in plan.columns:
                value = self._inner[str(self._lists)]
                source = f"(SELECT s.* REPLACE (unnest(s.{value}) AS {value}) FROM {source}) AS s"
            rows = [f"{values[c]} AS {self._inner[c]}" for c in plan.columns]
            quasi_identifiers = [c for c in plan.quasi_identifiers if c in plan.columns]
            rest = [column for column in plan.columns if column not in quasi_identifiers]
            order = [f"{self._inner[column]} NULLS FIRST" for column in (*quasi_identifiers, *rest)]
            written = [  # ENUMs are sorted, texts are written
                f"{_as_text(self._inner[c]) if self._is_text(c, kept, types) else self._inner[c]} "
                f"AS {sql.name(c)}"
                for c in plan.columns
            ]
            if plan.group is not None:
                rows, order = ["g", *rows], ["g", *order]
                written = [f"g AS {sql.name(plan.group)}", *written]
            options = CSV_FORMAT if kind == "csv" else PARQUET_FORMAT
            self._connection.execute(
                f"COPY (SELECT {', '.join(written)} FROM "
                f"(SELECT * FROM (SELECT {', '.join(rows)} FROM {source}) "
                f"ORDER BY {', '.join(order)})) TO {sql.text(target)} ({options})"
            )

    def _as_it_is(self, column: str, types: Mapping[str, str], kind: Format) -> str:
        """Give SQL for a value that is published as it is."""
        value = f"s.{self._inner[column]}"
        if column in types:
            return f"CAST({value} AS {types[column]})"
        if kind == "csv" and self._could_be_run(column):
            return _defused(value)
        return self._sortable(column)

    def _sortable(self, column: str) -> str:
        """Give SQL for a value of the source, as an ENUM if its texts have one."""
        value = f"s.{self._inner[column]}"
        if self._is_enumerated(column):
            return f"CAST({value} AS {_enum_of(self._inner[column])})"
        return value

    def _is_text(self, column: str, kept: Sequence[str], types: Mapping[str, str]) -> bool:
        """Whether a column is published as text, which may be an ENUM until then."""
        return column not in kept or (column not in types and self._element(column) == "VARCHAR")

    def _element(self, column: str) -> str:
        """Give the type of a column's values: of a list, that of what stands in it."""
        kind = self._types[column]
        return kind.removesuffix("[]") if column == self._lists else kind

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

    def keep(
        self,
        columns: Sequence[str],
        person: str | None,
        key: bytes,
        target: Path,
        earlier: Sequence[Path],
    ) -> Kept:
        """Write some columns into a Parquet file of a series, a person as a keyed hash."""
        kept = {column: (self._inner[column], self._types[column]) for column in columns}
        with self._explained(target):
            return keep_rows(self._connection, kept, person, key, target, earlier)

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
        source = "source"
        if self._lists in columns:  # it is the only one that is published with its values
            value = self._inner[str(self._lists)]
            source = f"(SELECT unnest({value}) AS {value} FROM source)"
        (found,) = self._connection.execute(f"SELECT {', '.join(tests)} FROM {source}").fetchall()
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
        self._file, self._version = path, version(path)
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

    def _open_batches(self, batches: Batches) -> tuple[str, list[str]]:
        self.name, self.typed, self._is_parquet = batches.name, batches.typed, True
        self.format = "parquet" if batches.typed else "csv"
        try:
            return reading(batches.paths), pq.read_schema(batches.paths[0]).names
        except (pa.ArrowException, OSError, UnicodeDecodeError):
            raise BadInput(f"{batches.paths[0]}: {DAMAGED}") from None

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

    def _refuse_uncountable(self, column: str, kind: str) -> None:
        if not COUNTABLE.match(kind):
            raise BadInput(
                f"column {column!r}: values of type {kind} cannot be counted; turn them into text, "
                "numbers or dates"
            )

    def _sort_lists(self, column: str) -> None:
        """See a column's lists without missing values, and in one order."""
        found = LIST.match(self._types[column])
        assert found is not None  # noqa: S101  (for the type checker)
        value, element = self._inner[column], found[1]
        self._refuse_uncountable(column, element)
        cleaned = _cleaned("x", element, defused=False)
        values = f"list_transform(CAST({value} AS {element}[]), lambda x: {cleaned})"
        self._connection.execute(
            "CREATE OR REPLACE TEMP VIEW source AS "
            f"SELECT * REPLACE ({sorted_list(values)} AS {value}) FROM rows"
        )
        self._types[column] = f"{element}[]"

    def _by_lookup(
        self, plan: Plan, how: Lookup, kept: Mapping[str, str], kind: Format
    ) -> tuple[dict[str, str], str]:
        """Give SQL for the published value of every column, and the rows to take them from."""
        used = [c for c in plan.quasi_identifiers if how.labels[c] or len(how.suppressed)]
        every = {column: np.arange(len(self._codes[column])) for column in used}
        positions, joins = self._numbered(used, every)
        source = f"source AS s {joins}"
        published = dict(kept)
        for j, (column, position) in enumerate(zip(used, positions, strict=True)):
            codes, labels = self._codes[column], how.labels[column]
            taken = [] if labels is None else [labels.take(codes)]
            lows = how.lows[column][codes]
            self._tabulate(
                f"lookup{j}", {"position": np.arange(len(codes)), "low": lows}, taken, kind
            )
            source += f" JOIN lookup{j} AS l{j} ON {position} = l{j}.position"
            if labels is not None:
                published[column] = f"l{j}.label0"
        if len(how.suppressed):
            unpublished = {f"x{j}": lows for j, lows in enumerate(how.suppressed.T)}
            self._connection.register("suppressed", pa.table(unpublished))
            matched = " AND ".join(f"l{j}.low = x.x{j}" for j in range(len(unpublished)))
            source += f" ANTI JOIN suppressed AS x ON {matched}"
        return published, source

    def _by_join(
        self, how: Join, kept: Mapping[str, str], kind: Format
    ) -> tuple[dict[str, str], str]:
        """Give SQL for the published value of every column, and the rows to take them from."""
        used = how.groups if how.dealt is None else how.dealt
        groups = np.arange(int(used.max(initial=0)) + 1)
        labels = {c: texts.take(groups) for c, texts in how.labels.items() if texts is not None}
        self._tabulate("group_labels", {"g": groups}, list(labels.values()), kind)
        published = {column: f"label{j}" for j, column in enumerate(labels)} | dict(kept)
        return published, f"({self._assigned(how, sorted(kept))}) AS s"

    def _tabulate(
        self,
        table: str,
        numbers: Mapping[str, NDArray[np.integer]],
        labels: Sequence[Labels],
        kind: Format,
    ) -> None:
        """Make a table of numbers and of label0, label1, ...; these as ENUMs in their order."""
        columns = {name: pa.array(each) for name, each in numbers.items()}
        selected = list(numbers)
        for j, each in enumerate(labels):
            label, enum = f"label{j}", f"{_enum_of(table)}{j}"
            texts = pa.array(each.texts, pa.string())
            columns[label] = texts.take(pa.array(each.index, pa.int64()))
            safe = _defused(label) if kind == "csv" else label
            self._connection.register("texts", pa.table({label: texts}))
            self._connection.execute(f"DROP TYPE IF EXISTS {enum}")
            self._connection.execute(
                f"CREATE TYPE {enum} AS ENUM (SELECT DISTINCT {safe} AS safe FROM texts "
                f"WHERE {label} IS NOT NULL ORDER BY safe)"
            )
            selected.append(f"CAST({safe} AS {enum}) AS {label}")
        self._connection.register("columns", pa.table(columns))
        self._connection.execute(
            f"CREATE OR REPLACE TEMP TABLE {table} AS SELECT {', '.join(selected)} FROM columns"
        )

    def _assigned(self, how: Join, kept: Sequence[str]) -> str:
        """Give the kept values of the rows that are published, and the labels of their groups."""
        packed, joins = self._packed(how.columns, how.layout)
        n_words, keys = how.layout.n_words, how.keys
        key = ", ".join(f"k{w}" for w in range(n_words))
        needed = kept if how.dealt is None else dict.fromkeys((*kept, *how.order))
        values = [f"{self._sortable(c)} AS {self._inner[c]}" for c in needed] + [packed]
        coded = f"SELECT {', '.join(values)} FROM source AS s {joins}"
        if how.dealt is None:
            columns = {f"k{w}": keys[:, w] for w in range(n_words)} | {"g": how.groups}
            parts = pa.table(columns).filter(pa.array(how.groups >= 0))
            self._connection.register("parts", parts)
            labelled = "SELECT * FROM parts JOIN group_labels USING (g)"
            return f"SELECT * FROM ({coded}) JOIN ({labelled}) USING ({key})"
        order = ", ".join([key, *(f"{self._inner[c]} NULLS FIRST" for c in how.order)])
        self._connection.register("dealt", pa.table({"g": how.dealt}))
        return (
            f"WITH placed AS MATERIALIZED (SELECT * EXCLUDE ({key}) FROM "
            f"(SELECT * FROM ({coded}) ORDER BY {order}) POSITIONAL JOIN dealt) "
            "SELECT * FROM placed JOIN group_labels USING (g)"
        )

    def _is_enumerated(self, column: str) -> bool:
        """Whether a column's texts have been counted, and so have an ENUM."""
        return column in self._values and self._types[column] == "VARCHAR"

    def _could_be_run(self, column: str) -> bool:
        """Whether a spreadsheet might run a value of a text column as a formula."""
        if SAFE_IN_CSV.match(self._element(column)):
            return False
        if not self._is_enumerated(column):
            return True
        self._connection.register("texts", pa.table({"label": self._values[column]}))
        (found,) = self._connection.execute(
            f"SELECT bool_or(label IS DISTINCT FROM {_defused('label')}) FROM texts"
        ).fetchall()[0]
        return bool(found)

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
            if INTERRUPTED.search(message):  # how DuckDB passes one on that met Python
                raise KeyboardInterrupt from None
            self._refuse_changed()
            explained = about_storage(message, self._scratch.path, target)
            if explained is None:
                kind = DAMAGED if self._is_parquet and target is None else None
                explained = explanation(message, self.name, target, kind)
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
            current = version(self._file)
        except OSError as error:
            raise BadInput(f"{self.name}: the file is gone: {reason(error)}") from None
        if current != self._version:
            raise BadInput(
                f"{self.name}: the file has changed since it was opened; start again, and let "
                "nobody write to it meanwhile"
            ) from None  # whatever the engine says of the new rows


# What can be counted, what Python takes as it is, and what no spreadsheet could run.
_NUMBERS = r"(U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL\(.*\))$"
PLAIN = re.compile(rf"(VARCHAR|BOOLEAN|DATE)$|{_NUMBERS}")
COUNTABLE = re.compile(rf"(VARCHAR|BOOLEAN|DATE|TIME.*|UUID)$|{_NUMBERS}")
LIST = re.compile(r"(.+)\[\d*\]$")
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
        return f"CAST({column} AS {_kind(kind)})"
    if defused and kind == "VARCHAR":
        return f"CASE WHEN {column}[1] = '''' THEN {column}[2:] ELSE {column} END"
    return column


def _kind(kind: str) -> str:
    """Name a type without the values of an ENUM: those are text."""
    if kind.startswith(("ENUM", '"NULL"')):
        return "VARCHAR" + kind[len(kind.rstrip("[0123456789]")) :]
    return kind


def _as_text(value: str) -> str:
    return f"CAST({value} AS VARCHAR)"


def _defused(value: str) -> str:
    text = _as_text(value)
    return (
        f"CASE WHEN regexp_matches({text}, '{FORMULA}') AND NOT regexp_matches({text}, '{NUMBER}') "
        f"THEN '''' || {text} ELSE {text} END"
    )


def _enum_of(name: str) -> str:
    """Name the ENUM of a column's texts."""
    return f"{name}_texts"
