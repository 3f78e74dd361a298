"""How a table of a release is written: every row with its published values, in their order."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.data.labels.texts import Labels
from sfumato.data.recoding.instructions import Join, Lookup
from sfumato.engines import sql
from sfumato.engines.arrow import of_numbers, of_texts, values_of
from sfumato.engines.duckdb.csv_text import as_text, defused, undone
from sfumato.engines.duckdb.digests import digest_of
from sfumato.engines.duckdb.rows import Rows
from sfumato.engines.duckdb.values import Values
from sfumato.engines.protocol import Format, WritingPlan

CSV_FORMAT = "FORMAT csv, HEADER, DELIMITER ',', QUOTE '\"', ESCAPE '\"', NULLSTR ''"
PARQUET_FORMAT = "FORMAT parquet, COMPRESSION zstd"
DATED = re.compile("DATE|TIMESTAMP(_S|_MS| WITH TIME ZONE)?")


class Writing:
    """One table of a release, by one plan and in one format."""

    def __init__(
        self,
        rows: Rows,
        values: Values,
        plan: WritingPlan,
        kind: Format,
        counted: str | None = None,
    ) -> None:
        """Take the rows, or what is different among them and how often it is there.

        counted: SQL for rows that are all different, and their number n.
        """
        self._rows, self._values, self._plan, self._kind = rows, values, plan, kind
        self._connection = rows.session.connection
        self._source = rows.view if counted is None else counted
        self._times = [] if counted is None else ["s.n AS n"]

    def write(self, target: Path) -> None:
        """Write it, sorted by group or quasi-identifiers and then by everything else."""
        plan, inner = self._plan, self._rows.inner
        kept, types = self._kept()
        if self._kind == "csv":
            self._refuse_out_of_reach(kept)
        self._selected = self._with_numbers(self._published(kept, types))
        order = [f"{column} NULLS FIRST" for column in plan.sorted_by(inner)]
        values = [  # ENUMs are sorted, texts are written
            (as_text(v) if v == inner[c] and self._is_text(c, kept, types) else v, name)
            for c in plan.columns
            for v, name in plan.written_for(c, inner)
        ]
        if plan.group is not None:
            order = ["g", *order]
            values = [("g", plan.group), *values]
        written = [f"{self._optional(value)} AS {sql.name(name)}" for value, name in values]
        options = CSV_FORMAT if self._kind == "csv" else PARQUET_FORMAT
        rows = f"(SELECT * FROM ({self._selected}) ORDER BY {', '.join(order)})"
        if self._times:
            rows = self._repeated(order)
        self._connection.execute(
            f"COPY (SELECT {', '.join(written)} FROM {rows}) TO {sql.text(target)} ({options})"
        )

    def _refuse_out_of_reach(self, kept: Sequence[str]) -> None:
        """Refuse days whose texts differ from engine to engine, as where values are counted."""
        rows, ends = self._rows, []
        dated = [c for c in kept if DATED.fullmatch(rows.element(c))]
        for j, column in enumerate(dated):
            for end in ("min", "max"):
                value = rows.inner[column]
                value = f"list_{end}({value})" if column == rows.lists else value
                ends.append(f"{end}({value}) AS {end}{j}")
        if ends:
            query = f"SELECT {', '.join(ends)} FROM {self._source} AS s"
            found = self._connection.sql(query).to_arrow_table()
            for j, column in enumerate(dated):
                values_of(column, found[f"min{j}"])
                values_of(column, found[f"max{j}"])

    def _optional(self, value: str) -> str:
        """Give SQL for a value of a column in which values may be missing, whether any are or not.

        Else it would depend on where rows come from whether a Parquet file says that none may be.
        """
        return value if self._kind == "csv" else f"CASE WHEN {value} IS NOT NULL THEN {value} END"

    def _repeated(self, order: Sequence[str]) -> str:
        """Give SQL for every person's row, sorted by its place among those that are different."""
        self._connection.execute(
            "CREATE OR REPLACE TEMP TABLE alike AS SELECT *, "
            f"row_number() OVER (ORDER BY {', '.join(order)}) AS place FROM ({self._selected})"
        )
        in_parts = f"({sql.in_parts('alike')})"
        return f"(SELECT * FROM {sql.repeated(in_parts)} ORDER BY place)"

    def digest(self) -> int:
        """Give the digest of what was written, from the same places that people were dealt."""
        plan = self._plan
        columns = [v for c in plan.columns for v, _ in plan.written_for(c, self._rows.inner)]
        if self._kind == "csv":  # as the values are read again
            columns = [undone(f"CAST({column} AS VARCHAR)") for column in columns]
        if plan.group is not None:
            columns = ["g", *columns]
        return digest_of(self._connection, columns, f"({self._selected})")

    def _with_numbers(self, selected: str) -> str:
        """Give SQL for the rows with their columns of numbers, which follow from the texts."""
        added, joins = [], ""
        for place, (column, numbers) in enumerate(self._plan.numbers.items()):
            kind = pa.int64() if numbers.kind == "integer" else pa.float64()
            rows = zip(*numbers.values.values(), strict=True)
            columns = {f"n{place}_{j}": pa.array(row, kind) for j, row in enumerate(rows)}
            texts = pa.array(list(numbers.values), pa.string())
            self._connection.register(f"beside{place}", pa.table({"label": texts, **columns}))
            safe = defused("label") if self._kind == "csv" else "label"
            joins += (
                f" LEFT JOIN (SELECT * REPLACE ({safe} AS label) FROM beside{place}) AS b{place} "
                f"ON CAST(w.{self._rows.inner[column]} AS VARCHAR) IS NOT DISTINCT FROM "
                f"b{place}.label"
            )
            added += list(columns)
        return (
            f"SELECT w.*, {', '.join(added)} FROM ({selected}) AS w{joins}" if added else selected
        )

    def published(self) -> str:
        """Give SQL for its rows in any order, columns by their inner names."""
        return self._published(*self._kept())

    def _kept(self) -> tuple[list[str], dict[str, str]]:
        """Give the columns that are published as they are, and types that are ours to derive."""
        plan = self._plan
        kept = [c for c in plan.columns if plan.how.labels.get(c) is None]
        derived = [c for c in kept if c not in plan.text and self._kind == "parquet"]
        return kept, self._rows.types_of_numbers(derived)

    def _published(self, kept: Sequence[str], types: Mapping[str, str]) -> str:
        plan, inner = self._plan, self._rows.inner
        values = {column: self._as_it_is(column, types) for column in kept}
        if isinstance(plan.how, Lookup):
            values, source = self._by_lookup(plan.how, values)
        else:
            values, source = self._by_join(plan.how, values)
        if self._rows.lists in plan.columns:
            value = inner[str(self._rows.lists)]
            source = f"(SELECT s.* REPLACE (unnest(s.{value}) AS {value}) FROM {source}) AS s"
        rows = [f"{values[c]} AS {inner[c]}" for c in plan.columns]
        group = [] if plan.group is None else ["g"]
        return f"SELECT {', '.join([*group, *rows, *self._times])} FROM {source}"

    def _as_it_is(self, column: str, types: Mapping[str, str]) -> str:
        """Give SQL for a value that is published as it is."""
        value = f"s.{self._rows.inner[column]}"
        if column in types:
            return f"CAST({value} AS {types[column]})"
        if self._kind == "csv" and self._values.could_be_run(column):
            return defused(value)
        return self._values.sortable(column)

    def _is_text(self, column: str, kept: Sequence[str], types: Mapping[str, str]) -> bool:
        """Whether a column is published as text, which may be an ENUM until then."""
        is_text = self._rows.element(column) == "VARCHAR"
        return column not in kept or (column not in types and is_text)

    def _by_lookup(self, how: Lookup, kept: Mapping[str, str]) -> tuple[dict[str, str], str]:
        """Give SQL for the published value of every column, and the rows to take them from."""
        plan = self._plan
        labels = {c: None if t is None else t.take(plan.codes[c]) for c, t in how.labels.items()}
        lows = {c: each[plan.codes[c]] for c, each in how.lows.items()}
        # What is the same for everybody is not looked up.
        same = {
            c: t[0]
            for c, t in labels.items()
            if t is not None and len({*t}) == 1 and (lows[c] == lows[c][0]).all()
        }
        looked_at = [c for c in plan.quasi_identifiers if labels[c] or len(how.suppressed)]
        used = [c for c in looked_at if c not in same]
        every = {column: np.arange(len(plan.codes[column])) for column in used}
        positions, joins = self._values.numbered(used, every)
        source = f"{self._source} AS s {joins}"
        published = dict(kept) | {c: self._text(text) for c, text in same.items()}
        matched = []
        for j, (column, position) in enumerate(zip(used, positions, strict=True)):
            texts, low = labels[column], lows[column]
            taken = [] if texts is None else [texts]
            self._tabulate(f"lookup{j}", {"position": np.arange(len(low)), "low": low}, taken)
            source += f" JOIN lookup{j} AS l{j} ON {position} = l{j}.position"
            matched.append(f"l{j}.low = x.x{plan.quasi_identifiers.index(column)}")
            if texts is not None:
                published[column] = f"l{j}.label0"
        if len(how.suppressed):
            unpublished = {f"x{j}": of_numbers(lows) for j, lows in enumerate(how.suppressed.T)}
            self._connection.register("suppressed", pa.table(unpublished))
            source += f" ANTI JOIN suppressed AS x ON {' AND '.join(matched) or 'true'}"
        return published, source

    def _text(self, text: str | None) -> str:
        """Give SQL for one text that everybody is published with."""
        if text is None:
            return "NULL::VARCHAR"
        return defused(sql.text(text)) if self._kind == "csv" else sql.text(text)

    def _by_join(self, how: Join, kept: Mapping[str, str]) -> tuple[dict[str, str], str]:
        """Give SQL for the published value of every column, and the rows to take them from."""
        groups = np.arange(how.n_groups)
        labels = {c: texts.take(groups) for c, texts in how.labels.items() if texts is not None}
        self._tabulate("group_labels", {"g": groups}, list(labels.values()))
        published = {column: f"label{j}" for j, column in enumerate(labels)} | dict(kept)
        assigned = self._with_changes(how, self._assigned(how, sorted(kept)), kept)
        return published, f"({assigned}) AS s"

    def _with_changes(self, how: Join, assigned: str, kept: Collection[str]) -> str:
        """Give rows with the values that are published instead of their own, and their groups."""
        others, joins = [], ""
        for j, column in enumerate(c for c in how.instead if c in kept):
            group = np.flatnonzero(how.instead[column] >= 0)
            codes = self._plan.codes[column]
            position = np.empty(int(codes.max()) + 1, dtype=np.intp)
            position[codes] = np.arange(len(codes))
            values = self._values.listed(column, position[how.instead[column][group]])
            self._connection.register(
                f"instead{j}", pa.table({"g": of_numbers(group), "value": values})
            )
            own, other = self._rows.inner[column], self._values.enumerated(column, f"i{j}.value")
            others.append(f"CASE WHEN i{j}.g IS NULL THEN a.{own} ELSE {other} END AS {own}")
            joins += f" LEFT JOIN instead{j} AS i{j} ON a.g = i{j}.g"
        if how.numbers is not None:
            numbers = {"g": of_numbers(np.arange(len(how.numbers))), "n": of_numbers(how.numbers)}
            self._connection.register("numbers", pa.table(numbers))
            others.append("numbers.n AS g")
            joins += " JOIN numbers ON a.g = numbers.g"
        if not others:
            return assigned
        return f"SELECT a.* REPLACE ({', '.join(others)}) FROM ({assigned}) AS a{joins}"

    def _assigned(self, how: Join, kept: Sequence[str]) -> str:
        """Give the kept values of the rows that are published, and the labels of their groups."""
        inner, n_words = self._rows.inner, how.layout.n_words
        packed, joins = self._values.packed(how.columns, self._plan.codes, how.layout)
        key = ", ".join(f"k{w}" for w in range(n_words))
        needed = kept if how.dealt is None else dict.fromkeys((*kept, *how.order))
        values = [f"{self._values.sortable(c)} AS {inner[c]}" for c in needed]
        selected = ", ".join([*values, packed, *self._times])
        coded = f"SELECT {selected} FROM {self._source} AS s {joins}"
        if how.dealt is None:
            self._take_parts(how)
            labelled = "SELECT * FROM parts JOIN group_labels USING (g)"
            return f"SELECT * FROM ({coded}) JOIN ({labelled}) USING ({key})"
        order = ", ".join([key, *(f"{inner[c]} NULLS FIRST" for c in how.order)])
        self._connection.register("dealt", _streamed(how.dealt))  # joined in its order
        self._connection.execute(
            f"CREATE OR REPLACE TEMP TABLE placed AS SELECT * EXCLUDE ({key}) FROM "
            f"(SELECT * FROM ({coded}) ORDER BY {order}) POSITIONAL JOIN dealt"
        )
        self._connection.unregister("dealt")
        return "SELECT * FROM placed JOIN group_labels USING (g)"

    def _take_parts(self, how: Join) -> None:
        """Make a table of the keys that are published, with their groups."""
        columns = [f"k{w} UBIGINT" for w in range(how.layout.n_words)]
        self._connection.execute(
            f"CREATE OR REPLACE TEMP TABLE parts ({', '.join(columns)}, g BIGINT)"
        )
        for keys, groups in how.parts:
            there = np.flatnonzero(groups >= 0)
            taken = {f"k{w}": of_numbers(keys[there, w]) for w in range(how.layout.n_words)}
            self._connection.register("taken", pa.table({**taken, "g": of_numbers(groups[there])}))
            self._connection.execute("INSERT INTO parts FROM taken")
        self._connection.unregister("taken")

    def _tabulate(
        self, table: str, numbers: Mapping[str, NDArray[np.integer]], labels: Sequence[Labels]
    ) -> None:
        """Make a table of numbers and of label0, label1, ...; these as ENUMs in their order."""
        columns = {name: of_numbers(each) for name, each in numbers.items()}
        selected = list(numbers)
        for j, each in enumerate(labels):
            label, enum = f"label{j}", f"{table}_texts{j}"
            texts = of_texts(each.texts)
            columns[label] = texts.take(of_numbers(each.index))
            safe = defused(label) if self._kind == "csv" else label
            self._connection.register("texts", pa.table({label: texts}))
            self._connection.execute(f"DROP TYPE IF EXISTS {enum}")
            self._connection.execute(
                f"CREATE TEMP TYPE {enum} AS ENUM (SELECT DISTINCT {safe} AS safe FROM texts "
                f"WHERE {label} IS NOT NULL ORDER BY safe)"
            )
            selected.append(f"CAST({safe} AS {enum}) AS {label}")
        self._connection.register("columns", pa.table(columns))
        self._connection.execute(
            f"CREATE OR REPLACE TEMP TABLE {table} AS SELECT {', '.join(selected)} FROM columns"
        )


def _streamed(dealt: Iterable[NDArray[np.int32]]) -> pa.RecordBatchReader:
    """Give people's groups as they are asked for."""
    schema = pa.schema({"g": pa.int32()})
    batches = (pa.record_batch([of_numbers(each)], schema=schema) for each in dealt)
    return pa.RecordBatchReader.from_batches(schema, batches)
