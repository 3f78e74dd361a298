"""The Frictionless data package of a release: datapackage.json, with a schema for each table."""

from __future__ import annotations

from typing import Any

from sfumato.engines.csv_formulas import could_run
from sfumato.release.package.contents import ColumnContents, Contents, TableContents
from sfumato.table import DATA, SENSITIVE
from sfumato.text import counted, plain

# Types of the Table Schema, by what a column holds as readers of the file get it.
TYPES = {
    "text": "string",
    "integer": "integer",
    "real": "number",
    "boolean": "boolean",
    "date": "date",
    "time": "time",
    "timestamp": "datetime",
}
MEDIA_TYPES = {"csv": "text/csv", "parquet": "application/vnd.apache.parquet"}


def data_package(contents: Contents) -> dict[str, Any]:
    """Describe the tables for programs; https://specs.frictionlessdata.io/data-package."""
    shown = contents.description
    return {
        "name": "release",
        "title": "A release about people, made by sfumato",
        "description": (
            f"{counted(shown.n_rows, 'row')}. {contents.suppressed_text} "
            + " ".join(words for words, _ in contents.promises)
        ),
        "promise": plain(shown.criterion.spec()),
        "suppressed": shown.n_suppressed + shown.n_left_out,
        "columns_without_meaning": contents.without_meaning,
        "resources": [_resource(contents, table) for table in contents.tables],
    }


def _resource(contents: Contents, table: TableContents) -> dict[str, Any]:
    schema: dict[str, Any] = {
        "fields": [_field(contents, column) for column in table.columns],
        "missingValues": [""],
    }
    group = contents.description.group
    if table.name == SENSITIVE:
        reference = {"resource": DATA, "fields": [group]}
        schema["foreignKeys"] = [{"fields": [group], "reference": reference}]
    # The validator counts the bytes of text files alone.
    of_text = {"encoding": "utf-8", "bytes": table.n_bytes, "hash": f"sha256:{table.sha256[0]}"}
    return {
        "name": table.name,
        "type": "table",
        "path": list(table.parts) or table.path,
        "format": contents.kind,
        "mediatype": MEDIA_TYPES[contents.kind],
        **(of_text if contents.kind == "csv" else {}),
        "sha256": list(table.sha256) if table.parts else table.sha256[0],
        "schema": schema,
    }


def _field(contents: Contents, column: ColumnContents) -> dict[str, Any]:
    kind = _type(contents, column)
    more = " ".join(each for each in (column.not_told, column.ends) if each)
    said = f"{column.meaning or ''}. {more}" if more else column.meaning
    constraints = _constraints(contents, column, kind)
    return {
        "name": column.name,
        "type": kind,
        **({} if said is None else {"description": said.removeprefix(". ")}),
        **({"constraints": constraints} if constraints else {}),
        "role": column.role,
        "published": column.published_as,
        "distinct": column.n_values,
        "missing": column.n_missing,
        **({"open": column.n_open} if column.n_open else {}),
        **({"untold": column.n_untold} if column.n_untold else {}),
        **_reach(column),
        "values": [{"value": value, "rows": n_rows} for value, n_rows in column.common],
    }


def _type(contents: Contents, column: ColumnContents) -> str:
    kind = "number" if column.kind.startswith("decimal") else TYPES.get(column.kind, "any")
    if not _as_frames(contents, column):
        return kind
    return {"integer": "number", "datetime": "any"}.get(kind, kind)


def _as_frames(contents: Contents, column: ColumnContents) -> bool:
    """Whether readers that turn a Parquet file into a data frame get other values for missing.

    The validator is one: of whole numbers it gets floats, and NaN and NaT where nothing is.
    """
    return contents.kind == "parquet" and column.n_empty > 0


def _reach(column: ColumnContents) -> dict[str, Any]:
    if column.bounds is None:
        return {}
    bounds = column.bounds
    return {"lowest": bounds.lowest, "below" if bounds.below else "highest": bounds.highest}


def _constraints(contents: Contents, column: ColumnContents, kind: str) -> dict[str, Any]:
    """Say what a program can check: all texts where they are listed, the range of numbers.

    Texts that a spreadsheet would run are written otherwise in a CSV file, so they are not listed;
    nor are empty ones, which are read as missing.
    """
    texts = [value for value, _ in column.common]
    if kind == "string" and column.all_listed and texts and "" not in texts:
        altered = contents.kind == "csv" and any(t[0] == "'" or could_run(t) for t in texts)
        return {} if altered else {"enum": texts}
    if kind in ("integer", "number") and column.bounds and not _as_frames(contents, column):
        number = int if kind == "integer" else float
        ends = {"minimum": column.bounds.lowest, "maximum": column.bounds.highest}
        return {name: number(end) for name, end in ends.items() if end is not None}
    return {}
