"""The shape of a text file: its delimiter and quotes, where the names stand and where rows end.

Found by looking at its beginning and its end. Nothing is read by it: it says what a person would
declare, and what speaks for that.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sfumato.data.read_settings import ReadSettings
from sfumato.engines.csv_header import DELIMITERS, csv_format
from sfumato.engines.table_shape import (
    MOST_RECORDS,
    NUMBER,
    Shape,
    noticed_at_end,
    place_of_names,
    shape_of_records,
)
from sfumato.engines.text_encodings import AT_ONCE, GZIP, decoder_of, reads_as, unpacked
from sfumato.errors import BadInput
from sfumato.files.toml_text import toml_value

SAMPLE = 1 << 18  # bytes at the beginning, and at the end


@dataclass(frozen=True)
class _Layout:
    """A beginning of a file, parted in one way."""

    delimiter: str
    quote: str
    records: list[tuple[int, list[str]]]  # with the number of the line that each begins with
    n_fields: int  # that most records have
    score: tuple[float, ...]


def shape_of(path: Path, declared: Mapping[str, Any] | None = None) -> Shape:
    """Look at a file; declared: settings that are not looked for."""
    declared = declared or {}
    encoding = declared.get("encoding")
    reasons = {}
    if encoding is None:
        encoding, speaks = reads_as(path)
        reasons = {} if encoding == "utf-8" else {"encoding": speaks}
    encoding = ReadSettings(encoding=encoding).encoding  # as it is called here
    start, end, whole = _ends(path, encoding)
    layouts = _layouts(start, declared, whole=whole)
    layout = max(layouts, key=lambda each: each.score, default=None)
    if layout is None:
        return Shape(ReadSettings(encoding=encoding), (), reasons)
    skip_rows = declared.get("skip_rows")
    header = place_of_names(layout.records, layout.n_fields, skip_rows)
    given: dict[str, Any] = {"encoding": encoding}
    if layout.delimiter != "," or _misled(layout, header):
        given["delimiter"] = layout.delimiter
        reasons["delimiter"] = f"it makes {layout.n_fields} fields of most lines"
    if layout.quote != '"':
        given["quote"] = layout.quote
        reasons["quote"] = (
            "it stands around fields" if layout.quote else "quotes stand inside fields only"
        )
    found = shape_of_records(
        layout.records, _last(layout, end), layout.n_fields, whole=whole, skip_rows=skip_rows
    )
    settings = ReadSettings.of(given | found.settings.spec())
    return Shape(settings, found.names, reasons | found.reasons)


def remedy(path: object, declared: ReadSettings, names: Sequence[str]) -> str:
    """Say which setting about the shape of a file would mend it, as the end of a message.

    names: of those that may.
    """
    if not isinstance(path, (str, Path)):
        return ""
    try:
        shape = shape_of(Path(path))
    except (BadInput, OSError, csv.Error, ValueError):
        return ""
    found, given = shape.settings.spec(), declared.spec()
    for name in names:
        if name in found and found[name] != given.get(name):
            return f"; {shape.reasons[name]}: add {name} = {toml_value(found[name])}"
    return ""


def noticed_in(place: Path, delimiter: str, settings: ReadSettings) -> list[tuple[str, str]]:
    """Say what was read as rows at the end of a file and may be none.

    place: The file, or a copy of it in UTF-8 that begins with the names.
    """
    known = {"encoding": "utf-8", "delimiter": delimiter, "quote": settings.quote, "skip_rows": 0}
    try:
        return noticed_at_end(shape_of(place, known), settings.skip_end)
    except (BadInput, OSError, csv.Error, ValueError):
        return []  # whatever it is, reading it says so


def _ends(path: Path, encoding: str) -> tuple[str, str, bool]:
    """Give the beginning and the end of a file as text, and whether the first is all of it."""
    size = path.stat().st_size
    with path.open("rb") as file:
        packed = file.read(len(GZIP)) == GZIP
    with unpacked(path) as file:
        start = file.read(SAMPLE)
        tail: deque[bytes] = deque([start], maxlen=2)
        n_bytes = len(start)
        if not packed and size > 3 * AT_ONCE:
            n_bytes = file.seek(size - 2 * AT_ONCE)
        while chunk := file.read(AT_ONCE):
            tail.append(chunk)
            n_bytes += len(chunk)
    whole = n_bytes == len(start)
    decoder, mark = decoder_of(encoding, start)
    decoder.errors = "replace"
    wide = 2 if encoding.startswith("utf-16") else 1
    end = b"".join(tail)
    end = end[-SAMPLE:] if not (n_bytes - SAMPLE) % wide else end[-SAMPLE + 1 :]
    kind = "utf-16-le" if encoding == "utf-16" and start[:1] == b"\xff" else encoding
    kind = "utf-16-be" if kind == "utf-16" else kind
    text = decoder.decode(start[mark:])
    return text.removeprefix("\ufeff"), end.decode(kind, "replace"), whole


def _layouts(start: str, declared: Mapping[str, Any], *, whole: bool) -> Iterator[_Layout]:
    """Part the beginning by every delimiter and quote, or those that are declared."""
    lines = list(io.StringIO(start, newline=""))
    if not whole and len(lines) > 1:
        lines = lines[:-1]
    single = len(re.findall(r"(?:^|[,;\t|])'[^'\n]*'(?=[,;\t|\r\n]|$)", start, re.MULTILINE))
    quotes = ['"'] if '"' in start or single < 3 else ['"', "'"]
    known = ReadSettings(delimiter=declared.get("delimiter"))  # "tab" is a name of one
    delimiters = known.delimiter or DELIMITERS
    if declared.get("quote") is not None:
        quotes = [declared["quote"]]
    every = {(d, q): _records(lines, d, q, cut=not whole) for d in delimiters for q in quotes}
    if not any(every.values()):
        every = {(d, ""): _records(lines, d, "") for d in delimiters}
    for (delimiter, quote), records in every.items():
        if records is None:
            continue
        counts = Counter(len(fields) for _, fields in records if any(fields))
        n_fields, n_such = counts.most_common(1)[0] if counts else (0, 0)
        share = n_such / max(1, sum(counts.values()))
        layout = _Layout(delimiter, quote, records, n_fields, ())
        header = place_of_names(records, n_fields, declared.get("skip_rows"))
        named = bool(records) and not any(NUMBER.fullmatch(name) for name in records[header][1])
        clear = not _misled(layout, header)
        single_quoted = float(quote == "'")  # they are there, and no others
        score = (n_fields > 1, named, clear, round(share, 2), single_quoted, n_fields)
        yield replace(layout, score=tuple(map(float, score)))


def _records(
    lines: Sequence[str], delimiter: str, quote: str, *, cut: bool = False
) -> list[tuple[int, list[str]]] | None:
    """Give the records with the lines that they begin with; None: they cannot be read so.

    cut: The last one may be cut off.
    """
    reader = csv.reader(lines, **csv_format(delimiter, quote))
    records = []
    before = 0
    try:
        for fields in reader:
            records.append((before + 1, fields))
            before = reader.line_num
            if len(records) == MOST_RECORDS:
                break
    except csv.Error:
        return records if cut and records and reader.line_num == len(lines) else None
    return records


def _misled(layout: _Layout, header: int) -> bool:
    """Whether the names have more fields by another delimiter."""
    line = layout.delimiter.join(layout.records[header][1]) if layout.records else ""
    return any(line.count(d) >= layout.n_fields for d in DELIMITERS if d != layout.delimiter)


def _last(layout: _Layout, end: str) -> Iterator[list[str] | None]:
    """Give the fields of the last lines, from the end on; None: inside of quotes."""
    lines = [line for line in re.split(r"\r\n|\n|\r", end) if line.strip()]
    n_quotes = 0
    for line in reversed(lines[1:]):
        n_quotes += line.count(layout.quote) if layout.quote else 0
        parsed = None if n_quotes % 2 else _records([line], layout.delimiter, layout.quote)
        yield parsed[0][1] if parsed else None
