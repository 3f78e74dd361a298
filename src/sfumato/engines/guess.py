"""The settings that would read a file rightly, with what speaks for each. Nothing is read by them.

A person looks at them and declares what is right: `sfumato init` writes them into a job file, and
messages name the one that would mend a file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from sfumato.data.read_settings import ReadSettings
from sfumato.engines.csv_shape import Shape, shape_of
from sfumato.engines.duckdb import DuckDB
from sfumato.engines.duckdb.source import DuckDBSource
from sfumato.engines.foreign.who_converts import converter
from sfumato.errors import BadInput
from sfumato.files.paths import reason

PARQUET = b"PAR1"


@dataclass(frozen=True)
class Guess:
    """Settings that would read a source, and what speaks for each of them.

    >>> import sfumato as sf
    >>> guess(sf.datasets.patients()).settings.spec()
    {}
    """

    settings: ReadSettings
    reasons: Mapping[str, str] = field(default_factory=dict)  # setting -> why


def guess(source: object, sheet: str | None = None) -> Guess:
    """Find the settings that would read a source; of several files, those of the first.

    sheet: of a workbook that has several; which one is not guessed.
    """
    if isinstance(source, (list, tuple)) and source and isinstance(source[0], (str, Path)):
        source = source[0]
    shape = Shape(ReadSettings(), ())
    if isinstance(source, (str, Path)) and is_text(Path(source)):
        shape = shape_of(Path(source))
    settings, reasons = replace(shape.settings, sheet=sheet), dict(shape.reasons)
    opened: DuckDBSource = DuckDB().open(source, settings)
    found = opened.guessed()
    if any(name != name.strip() for name in opened.columns):
        found.settings["trim"] = True
        found.reasons.setdefault("trim", "names of columns have blanks around them")
        stripped = {name: name.strip() for name in opened.columns}
        for key in ("dates", "missing"):
            if key in found.settings:
                by_column = found.settings[key]
                found.settings[key] = {stripped[name]: how for name, how in by_column.items()}
    order = [
        name for name in ReadSettings.__dataclass_fields__ if name in {*reasons, *found.reasons}
    ]
    every = {**reasons, **found.reasons}
    return Guess(replace(settings, **found.settings), {name: every[name] for name in order})


def is_text(path: Path) -> bool:
    """Whether a file is read as text, and not as what another program wrote."""
    try:
        with path.open("rb") as file:
            start = file.read(4)
    except OSError as error:
        raise BadInput(f"{path}: cannot read: {reason(error)}") from None
    return start != PARQUET and converter(path, start, ReadSettings()) is None
