"""README.txt: what a release is, and the lines that read it in pandas, Polars and R, or in SQL."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator

from sfumato.errors import one_line
from sfumato.release.package.contents import Contents, TableContents
from sfumato.text import count, counted

WIDTH = 78
POLARS = {"text": "pl.String", "integer": "pl.Int64", "real": "pl.Float64"}  # of a CSV file
MARKED = (
    "A text that a spreadsheet would run as a formula has an apostrophe in front, and so has one "
    "that begins with an apostrophe: take the first one off."
)


def readme(contents: Contents) -> str:
    """Write the whole text."""
    return "\n".join(_lines(contents)) + "\n"


def _lines(contents: Contents) -> Iterator[str]:
    shown = contents.description
    yield "A release of a table about people"
    yield "================================="
    if shown.method.experiment:
        yield ""
        yield from _paragraph("An experiment, made with a seed; not for publication.")
    yield ""
    yield from _paragraph(
        f"{counted(shown.n_rows, 'row')}, one for each person, with "
        f"{counted(len(contents.columns), 'column')}. {contents.suppressed_text} What was promised:"
    )
    for words, name in contents.promises:
        yield from _paragraph(f"{words} [{name}]", "- ", "  ")
    if contents.attacked_text:
        yield from _paragraph(contents.attacked_text)
    if contents.stated:
        yield ""
        yield from _paragraph("Whoever made it says of who gets it:")
        for called, text in contents.stated.items():
            yield from _paragraph(f"{called}: {text}", "- ", "  ")
    yield ""
    if contents.key_text:
        yield from _paragraph(contents.key_text)
        yield ""
    yield from _tables(contents) if contents.in_database else _files(contents)
    yield ""
    yield "Columns"
    yield "-------"
    for column in contents.columns:
        said = f"{column.name}: {column.meaning or 'not described'}"
        yield from _paragraph(f"{said}. {column.ends}" if column.ends else said, "", "  ")
    if contents.forms:
        yield ""
        yield "How generalized values are written"
        yield "----------------------------------"
        for example, meaning in contents.forms:
            yield from _paragraph(f"{example}   {meaning}", "", "  ")
    yield ""
    yield from _paragraph(contents.missing_text)
    if contents.kind == "csv":
        yield from _paragraph(MARKED)
    ways = [("pandas", _pandas), ("Polars", _polars), ("R", _r)]
    for title, way in [("SQL", _sql)] if contents.in_database else ways:
        yield ""
        yield f"In {title}:"
        yield ""
        yield from (f"    {line}" for line in way(contents))


def _files(contents: Contents) -> Iterator[str]:
    yield "Files"
    yield "-----"
    for table in contents.tables:
        size = f"{counted(table.n_rows, 'row')}, {count(table.n_bytes)} bytes"
        yield from _paragraph(f"{table.path}: {size}", "", "  ")
        yield f"  SHA-256 {table.sha256_text}"
    yield from _paragraph("codebook.html: every column, with its values; opens offline", "", "  ")
    yield from _paragraph("datapackage.json: the same for programs (Frictionless)", "", "  ")
    yield from _paragraph(
        "release.json: how it was made, for sfumato, which measures the promise again: sfumato "
        "check .",
        "",
        "  ",
    )


def _tables(contents: Contents) -> Iterator[str]:
    yield "Tables"
    yield "------"
    for table in contents.tables:
        yield from _paragraph(f"{table.path}: {counted(table.n_rows, 'row')}", "", "  ")
        yield f"  SHA-256 {table.sha256_text}"
    yield from _paragraph(
        "The digests are of the rows as COPY writes them (ISO dates, in UTC), sorted byte by "
        "byte. Beside them this text stands with codebook.html (every column, with its values; "
        "save it as a file, and it opens offline) and release.json (how it was made; sfumato "
        "check with the address of the table measures the promise again)."
    )


def _sql(contents: Contents) -> Iterator[str]:
    return (f"SELECT * FROM {table.path};" for table in contents.tables)


def _paragraph(text: str, first: str = "", then: str = "") -> list[str]:
    return textwrap.wrap(
        one_line(text),
        WIDTH,
        initial_indent=first,
        subsequent_indent=then,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _pandas(contents: Contents) -> Iterator[str]:
    yield "import pandas as pd"
    for table in contents.tables:
        if contents.kind == "parquet":
            yield f'{table.name} = pd.read_parquet("{table.path}")'
            continue
        yield f"text = {_quoted([c.name for c in table.columns if c.kind == 'text'])}"
        yield (
            f'{table.name} = pd.read_csv("{table.path}", dtype=dict.fromkeys(text, str), '
            'keep_default_na=False, na_values=[""])'
        )
    if contents.kind == "parquet" and len(contents.tables) == 1:
        yield "print(data.describe())"


def _polars(contents: Contents) -> Iterator[str]:
    yield "import polars as pl"
    for table in contents.tables:
        if contents.kind == "parquet":
            yield f'{table.name} = pl.read_parquet("{table.path}")'
            continue
        kinds = ", ".join(f"{_quoted(c.name)}: {POLARS[c.kind]}" for c in table.columns)
        yield f"kinds = {{{kinds}}}"
        # Polars leaves quotes in names doubled, so names are given instead.
        yield (
            f'{table.name} = pl.read_csv("{table.path}", has_header=False, skip_rows=1, '
            "schema=kinds)"
        )
    if contents.kind == "parquet" and len(contents.tables) == 1:
        yield "print(data.describe())"


def _r(contents: Contents) -> Iterator[str]:
    if contents.kind == "parquet":
        yield "library(arrow)"
        for table in contents.tables:
            reading = "as.data.frame(open_dataset({}))" if table.parts else "read_parquet({})"
            yield f"{table.name} <- {reading.format(_quoted(table.path))}"
        yield f"str({contents.tables[0].name})"
        return
    for table in contents.tables:
        yield f"kinds <- c({', '.join(_r_kinds(table))})"
        yield (
            f'{table.name} <- read.csv("{table.path}", colClasses = kinds, na.strings = "", '
            'check.names = FALSE, fileEncoding = "UTF-8")'
        )
    yield f"str({contents.tables[0].name})"


def _r_kinds(table: TableContents) -> list[str]:
    return ['"character"' if c.kind == "text" else '"numeric"' for c in table.columns]


def _quoted(names: str | list[str]) -> str:
    """Write a name, or several, as Python does; a name may hold any letter."""
    return json.dumps(names, ensure_ascii=True)
