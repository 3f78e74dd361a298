"""Excel workbooks (.xlsx, .xlsm): one sheet, its first row the column names."""

from __future__ import annotations

import re
import warnings
import zipfile
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import ParseError

from sfumato.data.read_settings import ReadSettings
from sfumato.engines.foreign.foreign_table import (
    ForeignTable,
    column_names,
    needed,
    without_codes,
)
from sfumato.engines.foreign.pieces import as_text
from sfumato.engines.foreign.spool import Spool
from sfumato.engines.table_shape import (
    MOST_RECORDS,
    Record,
    noticed_at_end,
    shape_of_records,
)
from sfumato.engines.text_copy import Skipped
from sfumato.errors import BadInput, nearest
from sfumato.text import count

ENCRYPTED = "EncryptedPackage".encode("utf-16-le")  # the stream that Office puts a locked file in
PADDED = re.compile(r"0{2,}")  # a number format that shows leading zeros
STEP = 1 << 20
MOST_AT_END = 100  # rows that are looked at whether they are any
_P = rb"<(?:\w+:)?"  # an element, with or without a prefix
_HIDDEN = rb"\b[^>]*\bhidden=\"(?:1|true)\""
HIDDEN_ROW, HIDDEN_COLUMN = re.compile(_P + rb"row" + _HIDDEN), re.compile(_P + rb"col" + _HIDDEN)
MERGED = re.compile(_P + rb"mergeCell\b[^>]*\bref=\"[A-Z]+(\d+):[A-Z]+(\d+)\"")
# A formula without a value, or with an empty one that is no text.
FORMULA = re.compile(
    _P + rb"c\b([^>]*)>\s*" + _P + rb"f\b(?:[^>]*/>|[^>]*>[^<]*</(?:\w+:)?f>)\s*"
    rb"(?:" + _P + rb"v\s*/>|" + _P + rb"v\s*></(?:\w+:)?v>)?\s*</(?:\w+:)?c>"
)
CELL = re.compile(rb"\br=\"([A-Z]+\d+)\"")
AS_TEXT = re.compile(rb"\bt=\"str\"")


@dataclass
class Outline:
    """What a sheet says beside its values."""

    n_hidden_rows: int = 0
    n_hidden_columns: int = 0
    merged: list[tuple[int, int]] = field(default_factory=list)  # first and last row of each
    not_calculated: str | None = None  # the first cell with a formula and no value


def refuse_old(path: Path, start: bytes) -> None:
    """Refuse what is an office's file of another kind; start: its first bytes."""
    if start[:4] == b"\xd0\xcf\x11\xe0":
        if ENCRYPTED in path.read_bytes():
            raise BadInput(f"{path}: the workbook is encrypted; save it without a password")
        raise BadInput(f"{path}: an old Excel file (.xls); open it and save it as .xlsx")


def is_workbook(path: Path, start: bytes) -> bool:
    """Whether a file is a workbook; start: its first bytes."""
    if start[:4] != b"PK\x03\x04":
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, ValueError):
        return path.suffix.lower() in (".xlsx", ".xlsm")
    if "xl/workbook.bin" in names:
        raise BadInput(f"{path}: a binary Excel file (.xlsb); open it and save it as .xlsx")
    if "content.xml" in names and "mimetype" in names:
        raise BadInput(f"{path}: an OpenDocument file; open it and save it as .xlsx or CSV")
    return "[Content_Types].xml" in names and any(name.startswith("xl/") for name in names)


@contextmanager
def opened_workbook(path: Path) -> Iterator[Any]:
    """Open a workbook, and say what is wrong with it in one line."""
    openpyxl = needed("openpyxl", path)
    try:
        with warnings.catch_warnings(), path.open("rb") as file:
            warnings.simplefilter("ignore")  # of extensions that hold no values
            book = openpyxl.load_workbook(file, read_only=True, data_only=True)
            try:
                yield book
            finally:
                book.close()
    except (zipfile.BadZipFile, ParseError, KeyError, ValueError, TypeError, EOFError) as error:
        if isinstance(error, BadInput):
            raise
        raise damaged(path, error) from None
    except Exception as error:
        if type(error).__module__.startswith(("openpyxl.", "zlib")):
            raise damaged(path, error) from None
        raise


def convert_workbook(path: Path, settings: ReadSettings, target: Path) -> ForeignTable:
    """Write a sheet of a workbook into a Parquet file."""
    with opened_workbook(path) as book:
        return _converted(book, path, settings, target)


def damaged(path: Path, error: Exception) -> BadInput:
    """Say that a workbook cannot be read; its own words may hold values."""
    return BadInput(
        f"{path}: the workbook is damaged; open it and save it again as .xlsx", [str(error)]
    )


def _converted(book: Any, path: Path, settings: ReadSettings, target: Path) -> ForeignTable:
    sheet = _sheet(book, path, settings)
    outline = outline_of(sheet)
    if outline.not_calculated:
        raise BadInput(
            f"{path}, cell {outline.not_calculated}: a formula without a value; open the workbook "
            "in a spreadsheet program, which calculates it, and save it"
        )
    sheet.reset_dimensions()  # programs write wrong ones
    padded = any(PADDED.fullmatch(each) for each in book._number_formats)
    rows = _rows(sheet, padded)
    header_row = settings.skip_rows + 1
    header = next(islice(rows, settings.skip_rows, None), ())
    names = column_names(names_in(header), settings)
    if not names:
        raise BadInput(
            f"{path}, row {header_row}: the row is empty; expected the column names (skip_rows "
            "says how many rows stand above them)"
        )
    _refuse_merged_names(outline, path, header_row)
    with Spool.into(target, len(names)) as spool:
        n_missing: dict[str, int] = {}
        first: list[Record] = [(header_row, names)]
        last: deque[Sequence[object]] = deque(maxlen=MOST_AT_END)
        body = _Body(rows, len(names), header_row + 1, settings.skip_end, str(path))
        while chunk := list(islice(body, spool.rows_at_once)):
            missing = MOST_RECORDS - len(first)
            first += [(header_row, cell_texts(row)) for row in chunk[: max(0, missing)]]
            last.extend(chunk[-MOST_AT_END:])
            columns = list(map(list, zip(*chunk, strict=True)))
            spool.add(without_codes(names, columns, settings, n_missing))
        _refuse_merged_values(outline, path, header_row, body.last_row)
        notices = [
            *([("sheet", repr(sheet.title))] if len(book.worksheets) > 1 else []),
            *_hidden(outline),
            *([("empty rows left out", count(body.n_empty))] if body.n_empty else []),
            *noticed_at_end(
                shape_of_records(
                    first,
                    map(cell_texts, reversed(last)),
                    len(names),
                    whole=len(first) < MOST_RECORDS,
                    skip_rows=settings.skip_rows,
                ),
                settings.skip_end,
            ),
        ]
        spool.write([f"v{j}" for j in range(len(names))], {})
        return ForeignTable.of(
            names,
            spool,
            n_missing,
            notices,
            Skipped(settings.skip_rows, body.n_skipped_end),
        )


def _sheet(book: Any, path: Path, settings: ReadSettings) -> Any:
    sheets = {sheet.title: sheet for sheet in book.worksheets}
    if not sheets:
        raise BadInput(f"{path}: the workbook has no sheet with cells")
    if settings.sheet is not None:
        if settings.sheet not in sheets:
            near = nearest(settings.sheet, sheets)
            raise BadInput(f"{path}: sheet: there is no sheet {settings.sheet!r}{near}")
        return sheets[settings.sheet]
    if len(sheets) > 1:
        listed = ", ".join(map(repr, [*sheets][:12])) + (", ..." if len(sheets) > 12 else "")
        raise BadInput(
            f"{path}: the workbook has {len(sheets)} sheets ({listed}); say which one, such as "
            f'sheet = "{next(iter(sheets))}"'
        )
    return next(iter(sheets.values()))


def outline_of(sheet: Any) -> Outline:
    """Read what openpyxl passes over in a stream: what is hidden, merged, or not calculated."""
    outline, rest = Outline(), b""
    with sheet._get_source() as source:
        while True:
            step = source.read(STEP)
            text = rest + step
            end = text.rfind(b"row>") + 4 if step else len(text)
            whole, rest = (text[:end], text[end:]) if end > 3 else (b"", text)
            outline.n_hidden_rows += len(HIDDEN_ROW.findall(whole))
            outline.n_hidden_columns += len(HIDDEN_COLUMN.findall(whole))
            outline.merged += [(int(a), int(b)) for a, b in MERGED.findall(whole)]
            if outline.not_calculated is None:
                found = (each[1] for each in FORMULA.finditer(whole))
                cell = next((each for each in found if not AS_TEXT.search(each)), None)
                if cell is not None:
                    named = CELL.search(cell)
                    outline.not_calculated = named[1].decode() if named else "?"
            if not step:
                return outline


def _rows(sheet: Any, padded: bool) -> Iterator[Sequence[object]]:
    """Give the values of each row; numbers that are shown with leading zeros as they are shown."""
    if not padded:
        for row in sheet.iter_rows(values_only=True):
            yield row if timedelta not in set(map(type, row)) else [*map(_duration, row)]
        return
    for row in sheet.iter_rows():
        yield [_shown(cell) for cell in row]


def _shown(cell: Any) -> object:
    value = cell.value
    if type(value) in (int, float) and PADDED.fullmatch(cell.number_format or ""):
        return str(round(value)).zfill(len(cell.number_format))
    return _duration(value)


def _duration(value: object) -> object:
    """Write a duration as hours, minutes and seconds."""
    if not isinstance(value, timedelta):
        return value
    minutes, seconds = divmod(round(value.total_seconds()), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"


def cell_texts(row: Sequence[object]) -> list[str]:
    """Write the values of a row as texts; of an empty cell an empty one."""
    return [as_text(value) or "" for value in row]


def names_in(header: Sequence[object]) -> list[str]:
    """Give the names in a row, up to the last one."""
    names = ["" if each is None else str(each) for each in header]
    while names and not names[-1].strip():
        names.pop()
    return names


class _Body:
    """The rows below the column names, as wide as these; empty ones and the last ones left out."""

    def __init__(
        self,
        rows: Iterator[Sequence[object]],
        width: int,
        first_row: int,
        skip_end: int,
        where: str,
    ) -> None:
        self.n_empty = 0
        self.n_skipped_end = 0
        self.last_row = first_row - 1  # that is part of the table
        self._rows = rows
        self._width = width
        self._first_row = first_row
        self._skip_end = skip_end
        self._where = where
        self._iterator = self._iterate()

    def __iter__(self) -> Iterator[Sequence[object]]:
        return self._iterator

    def _iterate(self) -> Iterator[Sequence[object]]:
        waiting: list[tuple[int, Sequence[object]]] = []  # that may be among the last
        n_empty = 0
        for number, row in enumerate(self._rows, self._first_row):
            if not any(value is not None and value != "" for value in row):
                n_empty += 1  # at the end of a sheet these are nothing
                continue
            waiting.append((number, row))
            self.n_empty, n_empty = self.n_empty + n_empty, 0
            if len(waiting) > self._skip_end:
                yield self._fitted(*waiting.pop(0))
        self.n_skipped_end = len(waiting)

    def _fitted(self, number: int, row: Sequence[object]) -> Sequence[object]:
        self.last_row = number
        width = self._width
        if len(row) < width:
            return [*row, *[None] * (width - len(row))]
        beyond = [j for j, value in enumerate(row[width:], width + 1) if value not in (None, "")]
        if beyond:
            raise BadInput(
                f"{self._where}, row {number}: a value in column {beyond[0]}, where the column "
                f"names end with column {width}; name the column, or clear the cell (skip_rows "
                "says how many rows stand above the names)"
            )
        return row[:width]


def _refuse_merged_names(outline: Outline, path: Path, header_row: int) -> None:
    if any(first <= header_row <= last for first, last in outline.merged):
        raise BadInput(
            f"{path}, row {header_row}: column names in merged cells; give each column a name in a "
            "cell of its own (skip_rows says how many rows stand above the names)"
        )


def _refuse_merged_values(outline: Outline, path: Path, header_row: int, last_row: int) -> None:
    for first, _ in outline.merged:
        if header_row < first <= last_row:
            raise BadInput(
                f"{path}, row {first}: merged cells hold one value, and the others would be "
                "missing; unmerge them and fill each"
            )


def _hidden(outline: Outline) -> list[tuple[str, str]]:
    found = (("rows", outline.n_hidden_rows), ("columns", outline.n_hidden_columns))
    parts = [f"{what} {count(n)}" for what, n in found if n]
    return [("hidden in the sheet, and read", ", ".join(parts))] if parts else []
