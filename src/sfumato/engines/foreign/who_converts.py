"""Which files are converted, and by whom."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sfumato.data.read_settings import ReadSettings
from sfumato.engines.foreign.foreign_table import ForeignTable
from sfumato.engines.foreign.statistics_file import READERS, convert_statistics_file
from sfumato.engines.foreign.workbook import convert_workbook, is_workbook, refuse_old

Converter = Callable[[Path, ReadSettings, Path], ForeignTable]
WORKBOOK = ("encoding", "delimiter", "quote", "labels")  # settings that say nothing about one
STATISTICS_FILE = ("delimiter", "quote", "skip_rows", "skip_end", "sheet")


def converter(path: Path, start: bytes, settings: ReadSettings) -> Converter | None:
    """Say who converts a file, by its first bytes and its name; None: nobody has to."""
    refuse_old(path, start)
    if is_workbook(path, start):
        settings.refuse_for("a workbook", WORKBOOK)
        return convert_workbook
    suffix = path.suffix.lower()
    if suffix in READERS:
        settings.refuse_for(READERS[suffix][1], STATISTICS_FILE)
        return convert_statistics_file
    return None
