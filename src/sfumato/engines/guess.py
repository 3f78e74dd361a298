"""The settings that would read a file rightly, with what speaks for each. Nothing is read by them.

A person looks at them and declares what is right: `sfumato init` writes them into a job file, and
messages name the one that would mend a file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sfumato.data.read_settings import ReadSettings
from sfumato.engines.csv_shape import shape_of
from sfumato.engines.duckdb import DuckDB
from sfumato.engines.duckdb.source import DuckDBSource
from sfumato.engines.foreign.who_converts import converter
from sfumato.engines.foreign.workbook import is_workbook
from sfumato.engines.foreign.workbook_shape import shape_of_workbook
from sfumato.engines.table_shape import Shape
from sfumato.errors import BadInput
from sfumato.files.paths import reason

PARQUET = b"PAR1"
NOTHING = ReadSettings()
ABOUT_VALUES = ("decimal", "thousands", "dates", "missing")  # what is found of others need not fit


@dataclass(frozen=True)
class Guess:
    """Settings that would read a source, and what speaks for each of them.

    >>> import sfumato as sf
    >>> guess(sf.datasets.patients()).settings.spec()
    {}
    """

    settings: ReadSettings
    reasons: Mapping[str, str] = field(default_factory=dict)  # setting -> why


def guess(source: object, declared: Mapping[str, Any] | None = None) -> Guess:
    """Find the settings that would read a source; of several files, those of the first.

    declared: settings that are known, and not looked for; the others are found beside them.
    """
    declared = declared or {}
    if isinstance(source, (list, tuple)) and source and isinstance(source[0], (str, Path)):
        source = source[0]
    shape = _shape(Path(source), declared) if isinstance(source, (str, Path)) else Shape(NOTHING)
    given = {name: value for name, value in declared.items() if name not in ABOUT_VALUES}
    settings = ReadSettings.of({**shape.settings.spec(), **given})
    reasons = dict(shape.reasons)
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
    spec = {**settings.spec(), **found.settings, **declared}
    order = [
        name for name in ReadSettings.__dataclass_fields__ if name in {*reasons, *found.reasons}
    ]
    every = {**reasons, **found.reasons}
    speaking = {name: every[name] for name in order if name not in declared}
    return Guess(ReadSettings.of(spec), speaking)


def _shape(path: Path, declared: Mapping[str, Any]) -> Shape:
    start = _start(path)
    if is_text(path):
        return shape_of(path, declared)
    if start != PARQUET and is_workbook(path, start):
        return shape_of_workbook(path, declared)
    return Shape(NOTHING)


def is_text(path: Path) -> bool:
    """Whether a file is read as text, and not as what another program wrote."""
    start = _start(path)
    return start != PARQUET and converter(path, start, NOTHING) is None


def _start(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(4)
    except OSError as error:
        raise BadInput(f"{path}: cannot read: {reason(error)}") from None
