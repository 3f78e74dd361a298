"""Options that several commands have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.address import is_address
from sfumato.errors import BadInput

Json = Annotated[bool, typer.Option("--json", help="Print JSON on standard output instead.")]
Details = Annotated[
    bool, typer.Option("--details", help="Print whole tables, notes, and all names.")
]
ShowValues = Annotated[
    bool,
    typer.Option("--show-values", help="Name offending values in error messages (private!)."),
]
QuasiIdentifiers = Annotated[
    str | None,
    typer.Option("--quasi-identifiers", "-q", help="Columns that others may know: age,zip,sex"),
]
Sensitive = Annotated[
    str | None, typer.Option("--sensitive", "-s", help="Columns that must stay unknown.")
]
Person = Annotated[
    str | None,
    typer.Option(help="Column that tells people apart, where somebody has several rows."),
]
Alike = Annotated[
    str | None,
    typer.Option(help="Values that only look different: merge them, or keep them apart."),
]
Kind = Annotated[str, typer.Option(help="Which l-diversity: distinct, entropy or frequency.")]
Risk = Annotated[
    str | None,
    typer.Option(help="The largest risk of being recognized: 0.09 is groups of 12 people."),
]


if TYPE_CHECKING:
    Place = Path | str  # text: the address of a table in a database
else:
    # Typer takes one type, and asks `path` for a value; of a Path it would make a path again.
    Place = type("path", (), {})


def path(written: str) -> Place:
    """Read a place of the command line: a path, or the address of a table in a database."""
    return written if is_address(written) else Path(written)


ReleaseOrFile = Annotated[
    Place,
    typer.Argument(
        help="A saved release, a job file (.toml), another tool's CSV or Parquet file, or the "
        "address of a table: postgresql://host/database#schema.table.",
        parser=path,
    ),
]
Reading = Mapping[str, Any]  # what the options below declare, by the names of settings
NOTHING: Reading = {}
# How a text file is read: the same names as [read] in a job file and the arguments of sf.read.
READING: dict[str, Any] = {
    "encoding": Annotated[
        str | None, typer.Option(help="Of a text file: utf-8, utf-16, windows-1252, latin-1.")
    ],
    "delimiter": Annotated[str | None, typer.Option(help="Between fields: ';', tab, ...")],
    "quote": Annotated[str | None, typer.Option(help="Around fields; '' for none.")],
    "decimal": Annotated[str | None, typer.Option(help="The decimal mark: '.' or ','.")],
    "thousands": Annotated[str | None, typer.Option(help="The thousands mark.")],
    "dates": Annotated[
        list[str] | None,
        typer.Option(help="How dates are written: born=DD.MM.YYYY. Give it once for each column."),
    ],
    "missing": Annotated[
        list[str] | None,
        typer.Option(
            help="A code for missing: k.A., or of one column: income=-99. Give it once for each."
        ),
    ],
    "skip_rows": Annotated[int | None, typer.Option(help="Lines above the column names.")],
    "skip_end": Annotated[int | None, typer.Option(help="Lines at the end that are no rows.")],
    "trim": Annotated[bool | None, typer.Option("--trim", help="Blanks around values are none.")],
    "names": Annotated[
        str | None,
        typer.Option(help="Column names that are empty or repeated: refuse them, or number them."),
    ],
    "sheet": Annotated[str | None, typer.Option(help="Of a workbook: the name of the sheet.")],
    "labels": Annotated[
        str | None,
        typer.Option(help="Of SPSS, Stata: labels or codes (no); of SAS: the file that has them."),
    ],
}


def declared(given: Mapping[str, Any]) -> dict[str, Any]:
    """Give the settings that options declare."""
    settings = {
        name: value
        for name, value in given.items()
        if value not in (None, []) and value is not False  # 0 says that there are none
    }
    if "labels" in settings:
        settings["labels"] = {"yes": True, "no": False}.get(settings["labels"], settings["labels"])
    if "dates" in settings:
        pairs = [each.partition("=") for each in settings["dates"]]
        if not all(column and sign for column, sign, _ in pairs):
            raise BadInput("--dates: say of which column, such as born=DD.MM.YYYY")
        settings["dates"] = {column: how for column, _, how in pairs}
    by_column = [code.partition("=") for code in settings.get("missing", ()) if "=" in code]
    if by_column:
        if len(by_column) < len(settings["missing"]):
            raise BadInput("--missing: codes of all columns, or of one each (income=-99), not both")
        settings["missing"] = {}
        for column, _, code in by_column:
            settings["missing"].setdefault(column, []).append(code)
    return settings


def as_options(settings: Mapping[str, Any]) -> str:
    """Write settings as the options that declare them, for a shell.

    >>> as_options({"delimiter": ";", "missing": {"pay": ["-99"]}, "skip_rows": 1, "trim": True})
    "--delimiter ';' --missing pay=-99 --skip-rows 1 --trim"
    """
    return " ".join(part for name, value in settings.items() for part in _options(name, value))


def _options(name: str, value: Any) -> Iterator[str]:
    option = f"--{name.replace('_', '-')}"
    if name == "trim":
        yield from [option] if value else []
    elif isinstance(value, Mapping):
        for column, said in value.items():
            for each in [said] if isinstance(said, str) else said:
                yield f"{option} {quote(f'{column}={each}')}"
    else:
        for each in value if isinstance(value, (list, tuple)) else [value]:
            text = ("yes" if each else "no") if isinstance(each, bool) else str(each)
            text = "tab" if text == "\t" else text
            sign = "=" if text.startswith("-") else " "
            yield f"{option}{sign}{quote(text)}"
