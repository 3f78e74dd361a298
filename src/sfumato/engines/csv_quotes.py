"""Quoted fields of several lines in a large CSV file: whether there are any, and whether all end.

DuckDB reads such a file row after row or not at all; row after row it takes a quote that is never
closed for the end of the file, and says nothing of what it leaves out. So we look ourselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import BadInput

AT_ONCE = 1 << 20  # bytes
MARK = b"\xef\xbb\xbf"
QUOTE = ord('"')
BREAKS = (ord("\n"), ord("\r"))


@dataclass
class _Quotes:
    """What was seen of a file so far."""

    before: int  # the last byte
    place: int  # how many bytes
    inside: bool = False  # whether an odd number of quotes
    over_lines: bool = False  # whether a line ended inside
    opened: int = 0  # the place of the last quote that opened
    stray: int | None = None  # of the first that opened in the middle of a field

    def see(self, chunk: bytes, delimiter: int) -> None:
        """Look at the next bytes."""
        if self.inside or b'"' in chunk:
            letters = np.frombuffer(chunk, dtype=np.uint8)
            quotes = np.flatnonzero(letters == QUOTE)
            self.over_lines = self.over_lines or self._ends_inside(letters, quotes)
            opening = quotes[int(self.inside) :: 2]
            if len(opening):
                self.opened = self.place + int(opening[-1])
                preceding = letters[opening - 1]
                if opening[0] == 0:
                    preceding[0] = self.before
                regular = np.isin(preceding, [delimiter, QUOTE, *BREAKS])
                if self.stray is None and not regular.all():
                    self.stray = self.place + int(opening[np.argmin(regular)])
            self.inside = self.inside != bool(len(quotes) % 2)
        self.place += len(chunk)
        self.before = chunk[-1]

    def _ends_inside(self, letters: NDArray[np.uint8], quotes: NDArray[np.intp]) -> bool:
        """Whether a line ends after an odd number of quotes; quotes: where they stand."""
        for end in BREAKS:
            n_before = np.searchsorted(quotes, np.flatnonzero(letters == end))
            if ((n_before % 2 == 1) != self.inside).any():
                return True
        return False


def go_over_lines(path: Path, delimiter: str) -> bool:
    """Whether a quoted field has several lines; if so, quotes that mislead are refused."""
    with path.open("rb") as file:
        marked = file.read(len(MARK)) == MARK
        file.seek(len(MARK) if marked else 0)
        seen = _Quotes(before=ord("\n"), place=file.tell())
        while chunk := file.read(AT_ONCE):
            seen.see(chunk, ord(delimiter))
    if not seen.over_lines:
        return False
    if seen.stray is not None:
        raise BadInput(
            f"{path}, line {_line(path, seen.stray)}: a quote within a field that does not begin "
            "with one, in a file with fields of several lines; quote the field, and double the "
            "quote"
        )
    if seen.inside:
        raise BadInput(f"{path}, line {_line(path, seen.opened)}: a quoted field does not end")
    return True


def _line(path: Path, place: int) -> int:
    """Give the number of the line that a byte is in."""
    n_ends, returns, left = 0, 0, place
    with path.open("rb") as file:
        while left and (chunk := file.read(min(AT_ONCE, left))):
            n_ends, returns, left = (
                n_ends + chunk.count(b"\n"),
                returns + chunk.count(b"\r"),
                left - len(chunk),
            )
    return (n_ends or returns) + 1
