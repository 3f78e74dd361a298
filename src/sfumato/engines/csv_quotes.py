"""Quotes in a large CSV file: whether its rows can be found from the middle, and all fields end.

DuckDB reads a file with quoted fields of several lines row after row or not at all; row after row
it takes a quote that is never closed for the end of the file, and says nothing of what it leaves
out. So we look ourselves: by counting quotes, and letter by letter where one stands in a field that
is not quoted (`5" disk`), since those do not count.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import BadInput

AT_ONCE = 1 << 20  # bytes
MARK = b"\xef\xbb\xbf"
SPACE = ord(" ")
BREAKS = (ord("\n"), ord("\r"))


@dataclass
class _Counted:
    """What counting quotes says of a file so far: right where none is in a field without quotes."""

    quote: bytes
    before: bytes  # the last two bytes
    place: int  # how many bytes
    inside: bool = False  # whether an odd number of quotes
    over_lines: bool = False  # whether a line ended inside
    opened: int = 0  # the place of the last quote that opened
    stray: bool = False  # whether one opened in the middle of a field

    def see(self, chunk: bytes, delimiter: int) -> None:
        """Look at the next bytes."""
        if self.inside or self.quote in chunk:
            letters = np.frombuffer(self.before + chunk, dtype=np.uint8)
            quotes = np.flatnonzero(letters[2:] == ord(self.quote))
            self.over_lines = self.over_lines or self._ends_inside(chunk, quotes)
            opening = quotes[int(self.inside) :: 2]
            if len(opening):
                self.opened = self.place + int(opening[-1])
                self.stray = (
                    self.stray or not _may_open(letters, opening, delimiter, ord(self.quote)).all()
                )
            self.inside = self.inside != bool(len(quotes) % 2)
        self.place += len(chunk)
        self.before = (self.before + chunk)[-2:]

    def _ends_inside(self, chunk: bytes, quotes: NDArray[np.intp]) -> bool:
        """Whether a line ends after an odd number of quotes; quotes: where they stand."""
        letters = np.frombuffer(chunk, dtype=np.uint8)
        for end in BREAKS:
            if end not in chunk:
                continue
            n_before = np.searchsorted(quotes, np.flatnonzero(letters == end))
            if ((n_before % 2 == 1) != self.inside).any():
                return True
        return False


def _may_open(
    letters: NDArray[np.uint8], opening: NDArray[np.intp], delimiter: int, quote: int
) -> NDArray[np.bool_]:
    """Whether quotes stand where a field begins, or follow another; letters: from two before."""
    begins = np.zeros(256, dtype=bool)  # by letter: a field may begin after it
    begins[[delimiter, *BREAKS]] = True
    follows = begins.copy()
    follows[quote] = True
    last = letters[opening + 1]
    may: NDArray[np.bool_] = follows[last]
    return may if may.all() else may | ((last == SPACE) & begins[letters[opening]])


def in_order_only(
    path: Path, delimiter: str, quote: str = '"', there: Path | None = None, line: int = 1
) -> bool:
    """Whether rows are found one after the other only; a quoted field that does not end is refused.

    So it is where a quoted field has several lines, or a quote stands in one that is not quoted.
    `there`, `line`: what messages call the file, and its first line.
    """
    mark = quote.encode()
    with path.open("rb") as file:
        start = _start(file)
        seen = _Counted(mark, before=b"\n\n", place=start)
        while chunk := file.read(AT_ONCE):
            seen.see(chunk, ord(delimiter))
        if not seen.over_lines and not seen.stray:
            return False
        opened = seen.opened if seen.inside else None
        if seen.stray:
            file.seek(start)
            opened = _never_closed(file, delimiter, mark)
    if opened is not None:
        number = _line(path, opened) + line - 1
        raise BadInput(f"{there or path}, line {number}: a quoted field does not end")
    return True


def _start(file: BinaryIO) -> int:
    """Go to the first letter."""
    marked = file.read(len(MARK)) == MARK
    return file.seek(len(MARK) if marked else 0)


def _never_closed(file: BinaryIO, delimiter: str, quote: bytes) -> int | None:
    """Give the place of a quote that opens a field and is never closed; None: there is none.

    A field is quoted if it begins with a quote, or with one space and a quote.
    """
    begins = b"[" + re.escape(delimiter.encode()) + rb"\n\r]"
    mark = re.escape(quote)
    opening = re.compile(
        mark + b"(?:(?<=" + begins + mark + b")|(?<=" + begins + b" " + mark + b"))"
    )
    # of a quoted field: quotes in it are doubled
    inside = re.compile(b"[^" + mark + b"]*+(?:" + mark * 2 + b"[^" + mark + b"]*+)*+")
    undecided = quote + b" \n\r" + delimiter.encode()  # what follows such a letter says what it is
    place, opened = file.tell(), None
    rest = b"\n"  # a field begins where the file does
    while chunk := bytearray(file.read(AT_ONCE)):
        while chunk[-1] in undecided and (more := file.read(1)):
            chunk += more
        text = rest + chunk
        at = len(rest)
        while True:
            if opened is None:
                found = opening.search(text, at)
                if found is None:
                    break
                opened, at = place + found.start() - len(rest), found.end()
            content = inside.match(text, at)
            assert content is not None  # noqa: S101  (it may be empty)
            if content.end() == len(text):
                break
            opened, at = None, content.end() + 1
        place, rest = place + len(chunk), b""
    return opened


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
