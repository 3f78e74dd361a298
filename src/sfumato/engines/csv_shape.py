"""The shape of a text file: its delimiter and quotes, where the names stand and where rows end.

Found by looking at its beginning and its end. Nothing is read by it: it says what a person would
declare, and what speaks for that.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path

from sfumato.data.read_settings import ReadSettings
from sfumato.engines.csv_header import DELIMITERS, csv_format
from sfumato.engines.text_encodings import AT_ONCE, GZIP, decoder_of, reads_as, unpacked
from sfumato.errors import BadInput
from sfumato.text import count, counted, plural

SAMPLE = 1 << 18  # bytes at the beginning, and at the end
MOST_RECORDS = 2000
NUMBER = re.compile(r"\s*[+-]?\d[\d.,' \u00a0\u202f]*\s*%?\s*")
DATE = re.compile(r"\s*\d{1,4}[./-]\d{1,2}[./-]\d{1,4}\b.*")
TOTAL = re.compile(
    r"\W*(grand |sub)?(total|totals|sum|summe|gesamt|insgesamt|gesamtsumme|gesamtergebnis|"
    r"zusammen|totale|somme|suma|ensemble|totaal|i ?alt|samtliga)\b\W*(?P<more>\w.*)?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Shape:
    """What a person would declare about a text file, and why."""

    settings: ReadSettings
    names: tuple[str, ...]
    reasons: dict[str, str] = field(default_factory=dict)  # setting -> what speaks for it


@dataclass(frozen=True)
class _Layout:
    """A beginning of a file, parted in one way."""

    delimiter: str
    quote: str
    records: list[tuple[int, list[str]]]  # with the number of the line that each begins with
    n_fields: int  # that most records have
    score: tuple[float, ...]


def shape_of(path: Path) -> Shape:
    """Look at a file."""
    encoding, speaks = reads_as(path)
    reasons = {} if encoding == "utf-8" else {"encoding": speaks}
    start, end, whole = _ends(path, encoding)
    layout = max(_layouts(start, whole=whole), key=lambda each: each.score, default=None)
    if layout is None:
        return Shape(ReadSettings(encoding=encoding), (), reasons)
    header = _header(layout)
    given: dict[str, object] = {"encoding": encoding}
    if layout.delimiter != "," or _misled(layout, header):
        given["delimiter"] = layout.delimiter
        reasons["delimiter"] = f"it makes {layout.n_fields} fields of most lines"
    if layout.quote != '"':
        given["quote"] = layout.quote
        reasons["quote"] = (
            "it stands around fields" if layout.quote else "quotes stand inside fields only"
        )
    line, names = layout.records[header] if layout.records else (1, [])
    if line > 1:
        given["skip_rows"] = line - 1
        reasons["skip_rows"] = f"line {line} is the first with {layout.n_fields} names"
    n_end, why = _footer(layout, header, end, whole=whole)
    if n_end:
        given["skip_end"] = n_end
        reasons["skip_end"] = why
    folded = [name.strip().casefold() for name in names]
    if "" in folded or len(set(folded)) < len(folded):
        given["names"] = "number"
        empty, repeated = folded.count(""), len(folded) - len(set(folded))
        reasons["names"] = (
            f"{counted(empty, 'column has', 'columns have')} no name"
            if empty
            else f"{counted(repeated, 'name repeats', 'names repeat')} another"
        )
    return Shape(ReadSettings.of(given), tuple(names), reasons)


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
            value = found[name]
            text = f'"{value}"' if isinstance(value, str) else value
            return f"; {shape.reasons[name]}: add {name} = {text}"
    return ""


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


def _layouts(start: str, *, whole: bool) -> Iterator[_Layout]:
    """Part the beginning by every delimiter and quote."""
    lines = list(io.StringIO(start, newline=""))
    if not whole and len(lines) > 1:
        lines = lines[:-1]
    single = len(re.findall(r"(?:^|[,;\t|])'[^'\n]*'(?=[,;\t|\r\n]|$)", start, re.MULTILINE))
    quotes = ['"'] if '"' in start or single < 3 else ['"', "'"]
    every = {(d, q): _records(lines, d, q, cut=not whole) for d in DELIMITERS for q in quotes}
    if not any(every.values()):
        every = {(d, ""): _records(lines, d, "") for d in DELIMITERS}
    for (delimiter, quote), records in every.items():
        if records is None:
            continue
        counts = Counter(len(fields) for _, fields in records if any(fields))
        n_fields, n_such = counts.most_common(1)[0] if counts else (0, 0)
        share = n_such / max(1, sum(counts.values()))
        layout = _Layout(delimiter, quote, records, n_fields, ())
        header = _header(layout)
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


def _header(layout: _Layout) -> int:
    """Give the place of the record with the names: the first that has about all of them."""
    least = max(2, layout.n_fields // 2) if layout.n_fields > 2 else 1
    sparse = None  # a record with few names, or a title in a line of empty fields
    for j, (_, fields) in enumerate(layout.records):
        there = [text for text in fields if text.strip()]
        if len(fields) != layout.n_fields or not there:
            continue
        if len(there) >= least:
            is_row = any(NUMBER.fullmatch(text) or DATE.fullmatch(text) for text in there)
            return sparse if is_row and sparse is not None else j
        sparse = j
    return 0


def _misled(layout: _Layout, header: int) -> bool:
    """Whether the names have more fields by another delimiter."""
    line = layout.delimiter.join(layout.records[header][1]) if layout.records else ""
    return any(line.count(d) >= layout.n_fields for d in DELIMITERS if d != layout.delimiter)


def _footer(layout: _Layout, header: int, end: str, *, whole: bool) -> tuple[int, str]:
    """Count the lines at the end that are no rows, and say what they look like."""
    if layout.n_fields < 2:
        return 0, ""
    lines = [line for line in re.split(r"\r\n|\n|\r", end) if line.strip()]
    rows = [fields for _, fields in layout.records[header + 1 :]]
    filled = sorted(sum(map(bool, fields)) for fields in rows)
    usual = filled[len(filled) // 2] if filled else 0
    n_end, n_quotes, why = 0, 0, ""
    for line in reversed(lines[1:]):
        n_quotes += line.count(layout.quote) if layout.quote else 0
        parsed = None if n_quotes % 2 else _records([line], layout.delimiter, layout.quote)
        if not parsed:
            break
        reason = _no_row(parsed[0][1], layout.n_fields, usual)
        if reason is None:
            break
        n_end, why = n_end + 1, reason
    if not n_end and whole and len(rows) > 6 and _sums_up(rows[:-1], rows[-1]):
        return 1, "the last line has the sums of the others"
    several = f"the last {count(n_end)} lines are no rows"
    said = plural(n_end, "the last line is no row", several)
    return n_end, f"{said}: {why}"


def _no_row(fields: Sequence[str], n_fields: int, usual: int) -> str | None:
    """Say why a record is none."""
    there = [field for field in fields if field.strip()]
    if len(fields) != n_fields:
        return f"{counted(len(fields), 'field')} where others have {n_fields}"
    label = TOTAL.fullmatch(there[0]) if there else None
    if label and (len(there) < usual or label["more"] is None):
        return "a total"
    if len(there) == 1 and usual > 2 and fields[0].strip() and not NUMBER.fullmatch(fields[0]):
        return "a note"
    return None


def _sums_up(rows: Sequence[Sequence[str]], last: Sequence[str]) -> bool:
    """Whether the last row has nothing but sums of the numbers above it."""
    summed = 0
    for j, text in enumerate(last):
        total = _number(text)
        if total is None and text.strip():
            return False
        if total is None:
            continue
        numbers = [_number(row[j]) for row in rows if j < len(row) and row[j].strip()]
        if None in numbers:
            return False
        if sum(n for n in numbers if n is not None) != total or not total:
            return False
        summed += 1
    return summed > 0


def _number(text: str) -> Decimal | None:
    text = text.strip()
    if re.fullmatch(r"[+-]?\d{1,3}(\.\d{3})*,\d+", text):
        text = text.replace(".", "").replace(",", ".")
    return Decimal(text) if re.fullmatch(r"[+-]?\d+(\.\d+)?", text) else None
