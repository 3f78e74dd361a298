"""Published columns as what they stand for: intervals and categories instead of texts.

Every distinct text is read once, and the rows take what was read.
"""

from __future__ import annotations

import datetime
import math
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.keys import distinct_rows
from sfumato.data.labels.numbers import LARGEST_EXACT
from sfumato.data.labels.spans import Spans, spans
from sfumato.data.values import natural_order
from sfumato.release.description import Description

MIDNIGHT = datetime.time()
ENDS_OF_TIME = datetime.datetime.min, datetime.datetime.max  # times have no infinity


@dataclass(frozen=True, eq=False)
class IntervalColumn:
    """A column of intervals: the ends of every distinct text, and which of them each row has."""

    spans: Spans
    index: NDArray[np.int64]  # (n,)
    of_time: bool  # else of numbers

    @property
    def ends(self) -> tuple[list[Any], list[Any]]:
        """The lower and the upper ends: floats or times; None: open, or missing."""
        ends: tuple[list[Any], list[Any]] = ([], [])
        for span in self.spans:
            low, high = (None, None) if span is None else (_plain(span.low), _plain(span.high))
            if span is not None and low == high and isinstance(low, float) and not span.closed:
                high = math.nextafter(low, math.inf)  # no float is between the two
            ends[0].append(low)
            ends[1].append(high)
        return ends

    @property
    def closed(self) -> bool:
        """Whether the upper end of some interval is in it."""
        return any(span is not None and span.closed for span in self.spans)

    def to_pandas(self) -> Any:
        """Give an array of intervals; open ends are infinite, or the ends of Python's calendar.

        An interval of pandas has both ends or none, and times have no infinity: there the middle
        of an open range says nothing.
        """
        import pandas as pd  # noqa: PLC0415  (optional)

        sides = []
        for side, instead in zip(self.ends, (-math.inf, math.inf), strict=True):
            if self.of_time:
                last = ENDS_OF_TIME[instead > 0]
                filled = [last if end is None else end for end in side]
                sides.append(np.array(filled, dtype="datetime64[us]"))
            else:
                sides.append(np.array([instead if end is None else end for end in side], float))
        missing = [span is None for span in self.spans]
        for array in sides:
            array[missing] = np.datetime64("NaT") if self.of_time else math.nan
        closed = "both" if self.closed else "left"
        return pd.arrays.IntervalArray.from_arrays(*sides, closed=closed).take(self.index)

    def to_arrow(self) -> Any:
        """Give an array of structures of `low` and `high`; open ends are null."""
        import pyarrow as pa  # noqa: PLC0415  (heavy, so imported when used)

        sides = self.ends
        mask = pa.array([span is None for span in self.spans])
        arrays = [pa.array(side, pa.timestamp("us") if self.of_time else None) for side in sides]
        kind = _time_type([*sides[0], *sides[1]]) if self.of_time else pa.float64()
        arrays = [array.cast(kind) for array in arrays]
        return pa.StructArray.from_arrays(arrays, ["low", "high"], mask=mask).take(self.index)


def typed_table(table: Any, description: Description) -> tuple[Any, dict[str, IntervalColumn]]:
    """Type the quasi-identifiers of a published table.

    Returns the PyArrow table, in which categories are dictionaries and untouched numbers and dates
    are such, and the columns of intervals, which it still has as texts.
    """
    table = _with_texts(table, description)
    intervals: dict[str, IntervalColumn] = {}
    for position, name in enumerate(table.column_names):
        if name not in description.quasi_identifiers or not _is_text(table.column(name)):
            continue
        texts, index = _encoded(table.column(name))
        rule = description.hierarchies[name]
        found = spans(texts, rule.texts, rule.public_paths, rule.extent)
        untouched = None
        if found is None:
            untouched = _categories(texts, index)
        elif name not in description.recoded:
            untouched = _single_values(found, index)
        if untouched is not None:
            table = table.set_column(position, name, untouched)
        elif found is not None:
            intervals[name] = IntervalColumn(found, index, rule.texts == "calendar")
    return table, intervals


def _with_texts(table: Any, description: Description) -> Any:
    """Put the texts in the place of bounds that stand for them."""
    import pyarrow as pa  # noqa: PLC0415  (heavy, so imported when used)

    for column, numbers in description.numbers.items():
        if not numbers.instead or numbers.names[0] not in table.column_names:
            continue
        sides = [
            table.column(n).dictionary_encode("encode").combine_chunks() for n in numbers.names
        ]
        codes = np.stack([each.indices.to_numpy() for each in sides], axis=1)
        pairs, index = distinct_rows(codes)
        known = [each.dictionary.to_pylist() for each in sides]
        texts = [
            numbers.text([values[j] for values, j in zip(known, pair, strict=True)])
            for pair in pairs.tolist()
        ]
        position = table.column_names.index(numbers.names[0])
        table = table.drop_columns([*numbers.names])
        table = table.add_column(
            position, column, pa.array(texts, pa.string()).take(pa.array(index))
        )
    return table


def typed_pandas(table: Any, description: Description) -> Any:
    """Give a published table as a pandas data frame of typed columns."""
    typed, intervals = typed_table(table, description)
    frame = typed.to_pandas(date_as_object=False)
    for name, column in intervals.items():
        frame[name] = column.to_pandas()
    return frame


def typed_polars(table: Any, description: Description) -> Any:
    """Give a published table as a Polars data frame of typed columns."""
    import polars  # noqa: PLC0415  (optional)

    typed, intervals = typed_table(table, description)
    for name, column in intervals.items():
        typed = typed.set_column(typed.column_names.index(name), name, column.to_arrow())
    return polars.from_arrow(typed)


def _is_text(column: Any) -> bool:
    import pyarrow as pa  # noqa: PLC0415  (heavy, so imported when used)

    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _encoded(column: Any) -> tuple[list[str | None], NDArray[np.int64]]:
    """Give the distinct texts of a column, in their order, and which of them each row has."""
    encoded = column.dictionary_encode("encode").combine_chunks()
    texts = encoded.dictionary.to_pylist()
    order = sorted(range(len(texts)), key=lambda j: (texts[j] is not None, natural_order(texts[j])))
    place = np.empty(len(texts), dtype=np.int64)
    place[order] = np.arange(len(texts))
    return [texts[j] for j in order], place[encoded.indices.to_numpy()]


def _categories(texts: list[str | None], index: NDArray[np.int64]) -> Any:
    import pyarrow as pa  # noqa: PLC0415  (heavy, so imported when used)

    n_missing = texts.count(None)  # the first, if it is there
    codes = pa.array(index - n_missing, pa.int32(), mask=index < n_missing)
    return pa.DictionaryArray.from_arrays(codes, pa.array(texts[n_missing:], pa.string()))


def _single_values(found: Spans, index: NDArray[np.int64]) -> Any | None:
    """Give numbers, days or times; None: some are of several values, such as months."""
    import pyarrow as pa  # noqa: PLC0415  (heavy, so imported when used)

    values: list[Any] = []
    for span in found:
        if span is None:
            values.append(None)
        elif (span.closed and span.low == span.high) or _is_day(span.low, span.high):
            values.append(_plain(span.low))
        else:
            return None
    known = [value for value in values if value is not None]
    if known and isinstance(known[0], datetime.datetime):
        array = pa.array(values, pa.timestamp("us")).cast(_time_type(known))
    elif all(value.is_integer() and abs(value) <= LARGEST_EXACT for value in known):
        array = pa.array([None if value is None else int(value) for value in values], pa.int64())
    else:
        array = pa.array(values, pa.float64())
    return array.take(pa.array(index))


def _is_day(low: object, high: object) -> bool:
    times = isinstance(low, datetime.datetime) and isinstance(high, datetime.datetime)
    return times and high - low == datetime.timedelta(days=1)  # type: ignore[operator]


def _time_type(times: list[datetime.datetime | None]) -> Any:
    """Days if all are, else times."""
    import pyarrow as pa  # noqa: PLC0415  (heavy, so imported when used)

    days = all(each is None or each.time() == MIDNIGHT for each in times)
    return pa.date32() if days else pa.timestamp("us")


def _plain(end: Any) -> Any:
    """Give an end as a float or a time; None: open."""
    return float(end) if isinstance(end, Decimal) else end
