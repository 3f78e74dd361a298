"""The shape of a workbook: which sheet has a table, where its names stand, where its rows end.

Nothing is read by it: it says what a person would declare, and what speaks for that.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from sfumato.data.read_settings import SHEET, ReadSettings
from sfumato.engines.foreign.workbook import (
    MOST_AT_END,
    cell_texts,
    names_in,
    opened_workbook,
    outline_of,
)
from sfumato.engines.table_shape import (
    MOST_RECORDS,
    Record,
    Shape,
    place_of_names,
    shape_of_records,
)


def shape_of_workbook(path: Path, declared: Mapping[str, Any]) -> Shape:
    """Look at a workbook; declared: settings that are not looked for."""
    skip_rows = declared.get("skip_rows")
    with opened_workbook(path) as book:
        sheets = {sheet.title: sheet for sheet in book.worksheets}
        title, reasons = declared.get(SHEET), {}
        if title is None and len(sheets) == 1:
            title = next(iter(sheets))
        elif title is None:
            tables = [each for each in sheets if _has_table(sheets[each], skip_rows)]
            if len(tables) == 1:
                title = tables[0]
                reasons = {SHEET: f"it alone of {len(sheets)} sheets has a table"}
        if title not in sheets:
            return Shape(ReadSettings())  # reading it says which there are
        found = _shape_of_sheet(sheets[title], skip_rows)
    known = {SHEET: title} if reasons else {}
    settings = ReadSettings.of({**found.settings.spec(), **known})
    return Shape(settings, found.names, reasons | found.reasons)


def _has_table(sheet: Any, skip_rows: int | None) -> bool:
    """Whether there are names of several columns, and a row below them."""
    first = list(islice(_records(sheet), MOST_RECORDS))
    header = _place(first, skip_rows)
    below = [fields for _, fields in first[header + 1 :]]
    return bool(below) and len(first[header][1]) > 1


def _shape_of_sheet(sheet: Any, skip_rows: int | None) -> Shape:
    rows = _records(sheet)
    first = list(islice(rows, MOST_RECORDS))
    last = deque(first[1:], MOST_AT_END)
    n_first = len(first)
    n_rows = n_first
    for row in rows:
        last.append(row)
        n_rows += 1
    if not first:
        return Shape(ReadSettings())
    header = _place(first, skip_rows)
    line, names = first[header]
    width = len(names)
    return shape_of_records(
        [(number, _fitted(fields, width)) for number, fields in first],
        (_fitted(fields, width) for number, fields in reversed(last) if number > line),
        width,
        whole=n_rows == n_first,
        skip_rows=line - 1,
    )


def _records(sheet: Any) -> Iterator[Record]:
    """Give the rows that are not empty with their numbers, as texts up to the last one."""
    sheet.reset_dimensions()  # programs write wrong ones
    merged = {
        number
        for start, end in outline_of(sheet).merged
        for number in range(start, min(end, start + MOST_AT_END) + 1)
    }
    for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
        fields = names_in(cell_texts(row))
        if number in merged:  # no names and no values stand in such a row
            fields = [text for text in fields if text][:1]
        if fields:
            yield number, fields


def _place(first: Sequence[Record], skip_rows: int | None) -> int:
    """Give the place of the names, as if all rows were as long as the longest.

    Names do not end before the values do: a row that is shorter than most has a title.
    """
    lengths = Counter(len(fields) for _, fields in first)
    width = max(lengths, default=0)
    usual = lengths.most_common(1)[0][0] if lengths else 0
    padded = [
        (number, _fitted(fields if len(fields) >= usual else fields[:1], width))
        for number, fields in first
    ]
    return place_of_names(padded, width, skip_rows)


def _fitted(fields: Sequence[str], width: int) -> list[str]:
    return [*fields[:width], *[""] * (width - len(fields))]
