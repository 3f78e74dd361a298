"""Combinations of codes packed into machine words: one bit field per column."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Keys = NDArray[np.uint64]  # (n, n_words); rows compare like tuples of codes
Codes = NDArray[np.int32]

WORD = 64
PER_KEY, PER_COLUMN = 200, 12  # bytes that a search takes for a combination, and for each column
FEW_BITS = 22  # of which all that can be are looked at, where there are about as many rows


@dataclass(frozen=True)
class Layout:
    """Where each column's bits stand; the first column is the most significant.

    One word holds most tables, two words hold almost all; a field never straddles two words.
    """

    words: tuple[int, ...]
    shifts: tuple[int, ...]
    widths: tuple[int, ...]

    @classmethod
    def of(cls, sizes: Sequence[int]) -> Layout:
        """Lay out columns with the given numbers of values."""
        widths = [max(1, (size - 1).bit_length()) for size in sizes]
        words, used = [], []
        word, bits = 0, 0
        for width in widths:
            if bits + width > WORD:
                word, bits = word + 1, 0
            words.append(word)
            used.append(bits)
            bits += width
        shifts = [WORD - start - width for start, width in zip(used, widths, strict=True)]
        return cls(tuple(words), tuple(shifts), tuple(widths))

    @property
    def n_words(self) -> int:
        """Number of words a combination takes."""
        return self.words[-1] + 1 if self.words else 1

    def pack(self, columns: Iterable[NDArray[np.integer]]) -> Keys:
        """Pack one array of codes per column, asking for each when its turn comes."""
        keys = np.zeros((0, self.n_words), dtype=np.uint64)
        for j, (codes, word, shift) in enumerate(
            zip(columns, self.words, self.shifts, strict=True)
        ):
            if j == 0:
                keys = np.zeros((len(codes), self.n_words), dtype=np.uint64)
            keys[:, word] |= codes.astype(np.uint64) << np.uint64(shift)
        return keys

    def unpack(self, keys: Keys, column: int) -> Codes:
        """Give the codes of one column."""
        mask = np.uint64((1 << self.widths[column]) - 1)
        word, shift = self.words[column], np.uint64(self.shifts[column])
        return ((keys[:, word] >> shift) & mask).astype(np.int32)

    def leading(self, keys: Keys, n: int) -> Keys:
        """Give what the first n columns are in keys, 1 or more; nothing of the others is left.

        >>> layout = Layout.of([4, 4])
        >>> keys = layout.pack([np.array([2, 2, 3]), np.array([0, 1, 0])])
        >>> runs(layout.leading(keys, 1))
        array([0, 2])
        """
        own = keys[:, : self.words[n - 1] + 1].copy()
        own[:, -1] &= ~np.uint64((1 << self.shifts[n - 1]) - 1)
        return own


def order_of(keys: Keys) -> NDArray[np.intp]:
    """Give a permutation that sorts the keys; equal ones in any order."""
    if keys.shape[1] == 1:
        return np.argsort(keys[:, 0])
    return np.lexsort(keys.T[::-1])


def runs(keys: Keys) -> NDArray[np.intp]:
    """Give the starts of the runs of equal rows in sorted keys."""
    if len(keys) == 0:
        return np.zeros(0, dtype=np.intp)
    new = np.empty(len(keys), dtype=bool)
    new[0] = True
    np.any(keys[1:] != keys[:-1], axis=1, out=new[1:])
    return np.flatnonzero(new)


def distinct(keys: Keys) -> tuple[Keys, NDArray[np.intp]]:
    """Give the distinct keys in order, and for each row the position of its key among them."""
    order = order_of(keys)
    ordered = keys[order]
    starts = runs(ordered)
    firsts = ordered[starts]
    del ordered  # there may be millions of keys
    begins = np.zeros(len(keys), dtype=bool)
    begins[starts[1:]] = True
    index = np.empty(len(keys), dtype=np.intp)
    index[order] = np.cumsum(begins, dtype=np.intp)
    return firsts, index


def _distinct_of_few(keys: Keys, n_bits: int) -> tuple[Keys, NDArray[np.intp]]:
    """Give what `distinct` does of keys that have some leading bits alone, without sorting."""
    shift = np.uint64(WORD - n_bits)
    places = (keys[:, 0] >> shift).astype(np.intp)
    there = np.zeros(1 << n_bits, dtype=bool)
    there[places] = True
    firsts = np.flatnonzero(there).astype(np.uint64) << shift
    return firsts[:, np.newaxis], (np.cumsum(there, dtype=np.intp) - 1)[places]


def distinct_rows(
    rows: NDArray[np.signedinteger],
) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
    """Give the distinct rows of a matrix in order, and for each row its position among them.

    What `np.unique` does along an axis, many times faster for what fits into a word or two.

    >>> distinct_rows(np.array([[3, 1], [2, 5], [3, 1]]))
    (array([[2, 5],
           [3, 1]], dtype=int32), array([1, 0, 1]))
    """
    least = [int(column.min(initial=0)) for column in rows.T]
    layout = Layout.of(
        [int(column.max(initial=0)) - low + 1 for column, low in zip(rows.T, least, strict=True)]
    )
    packed = layout.pack(column - low for column, low in zip(rows.T, least, strict=True))
    n_bits = sum(layout.widths)
    few = n_bits <= FEW_BITS and 1 << n_bits <= 4 * len(rows)
    keys, index = _distinct_of_few(packed, n_bits) if few else distinct(packed)
    values = np.empty((len(keys), len(least)), dtype=np.int32)
    for j, low in enumerate(least):
        values[:, j] = layout.unpack(keys, j) + low
    return values, index


def bytes_of_a_key(n_columns: int) -> int:
    """Give the bytes that a search takes for a counted combination of so many columns."""
    return PER_KEY + PER_COLUMN * n_columns
