"""Arrow arrays made and read without `pa.array` and `to_numpy`.

These import pandas where it is installed, to see whether that is what they were given. No array
here is one, and the import takes longer than a small table does.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.errors import BadInput


def of_numbers(numbers: NDArray[np.number[Any]]) -> pa.Array:
    """Give numbers as they lie in memory.

    >>> of_numbers(np.array([3, 4])).to_pylist()
    [3, 4]
    """
    numbers = np.ascontiguousarray(numbers)
    kind = pa.from_numpy_dtype(numbers.dtype)
    return pa.Array.from_buffers(kind, len(numbers), [None, pa.py_buffer(numbers)])


def firsts_by_code(firsts: NDArray[np.integer[Any]], name: str) -> pa.Table:
    """Give a table of codes, and of what stands for each under a name.

    >>> firsts_by_code(np.array([0, 0, 2]), "low").to_pydict()
    {'code': [0, 1, 2], 'low': [0, 0, 2]}
    """
    codes = np.arange(len(firsts), dtype=np.int64)
    return pa.table({"code": of_numbers(codes), name: of_numbers(firsts.astype(np.int64))})


def of_texts(texts: Iterable[str | None]) -> pa.Array:
    """Give texts; None: a missing one.

    >>> of_texts(["a", None, "Ü"]).to_pylist()
    ['a', None, 'Ü']
    """
    encoded = [None if text is None else text.encode() for text in texts]
    return _of_bytes(encoded, pa.large_string())


def of_bytes(values: Iterable[bytes]) -> pa.Array:
    r"""Give bytes.

    >>> of_bytes([b"\0"]).to_pylist()
    [b'\x00']
    """
    return _of_bytes(list(values), pa.large_binary())


def _of_bytes(values: list[bytes | None], kind: pa.DataType) -> pa.Array:
    ends = np.zeros(len(values) + 1, dtype=np.int64)
    np.cumsum([len(value or b"") for value in values], out=ends[1:])
    there = np.array([value is not None for value in values], dtype=bool)
    joined = b"".join(value or b"" for value in values)
    buffers = [pa.py_buffer(each) for each in (np.packbits(there, bitorder="little"), ends, joined)]
    return pa.Array.from_buffers(kind, len(values), buffers)


def to_numbers(column: pa.ChunkedArray | pa.Array) -> NDArray[Any]:
    """Give the numbers of a column in which none is missing.

    >>> to_numbers(pa.chunked_array([of_numbers(np.array([3, 4]))]))
    array([3, 4])
    """
    if column.null_count:
        raise ValueError("a number is missing")
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return np.from_dlpack(whole)


def uncountable(column: str, kind: str) -> BadInput:
    """Say that the values of a column cannot be counted; kind: what the engine calls their type.

    >>> str(uncountable("x", "BLOB")).partition(";")[0]
    "column 'x': values of type BLOB cannot be counted"
    """
    return BadInput(
        f"column {column!r}: values of type {kind} cannot be counted; turn them into text, "
        "numbers or dates"
    )


def cast_text(value: object) -> str | None:
    """Write a value of `values_of` as engines cast it to text.

    >>> cast_text(True), cast_text(None), cast_text(37)
    ('true', None, '37')
    """
    if value is None:
        return None
    return str(value).lower() if isinstance(value, bool) else str(value)


def values_of(column: str, array: pa.Array | pa.ChunkedArray) -> list[object]:
    """Give the values of a column; refuse what Python has no value for.

    >>> values_of("age", pa.array([37, None]))
    [37, None]
    """
    try:
        values: list[object] = array.to_pylist()
    except (OverflowError, ValueError):
        raise BadInput(
            f"column {column!r}: a value is out of reach, such as a date after the year 9999; mend "
            "it, or turn the column into text"
        ) from None
    return values
