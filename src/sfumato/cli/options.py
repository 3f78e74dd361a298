"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print JSON on standard output instead.")]
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
ReleaseOrFile = Annotated[
    Path,
    typer.Argument(
        help="A saved release, a job file (.toml), or another tool's CSV or Parquet file.",
        readable=False,
    ),
]
