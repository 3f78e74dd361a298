"""A copy of a text file in UTF-8, without the lines above the column names and below the rows.

What is packed, in another encoding, or has such lines is copied into a private place, a piece at a
time; everything else is read where it is.
"""

from __future__ import annotations

import codecs
import os
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO

from sfumato.data.read_settings import ReadSettings
from sfumato.engines.text_encodings import (
    AT_ONCE,
    GZIP,
    NAMED,
    decoder_of,
    encoding_remedy,
    unpacked,
)
from sfumato.errors import BadInput
from sfumato.files.private_directory import no_room

ONE_BYTE = ("windows-1252", "latin-1")  # every byte is a letter, whatever was meant
BACK = 1 << 16  # bytes that are looked at from the end at once


@dataclass(frozen=True)
class Skipped:
    """Lines that were left out."""

    n_start: int = 0
    n_end: int = 0


NOTHING = Skipped()


def needs_copy(path: Path, settings: ReadSettings) -> bool:
    """Whether a file cannot be read where it is."""
    if settings.encoding != "utf-8" or settings.skip_rows or settings.skip_end:
        return True
    with path.open("rb") as file:
        return file.read(len(GZIP)) == GZIP


def copy_text(path: Path, settings: ReadSettings, target: Path) -> Skipped:
    """Write the copy, a piece at a time; what is not in the declared encoding is refused."""
    try:
        copy = os.fdopen(os.open(target, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+b", 0)
    except OSError as error:
        raise no_room(error) from None
    with copy, unpacked(path) as file:
        n_start = _copied(path, settings, file, copy)
        n_end = _cut_end(copy, settings.skip_end) if settings.skip_end else 0
    if n_start < settings.skip_rows or n_end < settings.skip_end:
        name = "skip_rows" if n_start < settings.skip_rows else "skip_end"
        raise BadInput(f"{path}: {name}: the file has fewer lines than that")
    return Skipped(n_start, n_end)


class _Utf8:
    """Whether bytes are UTF-8 with letters beyond ASCII: no other text is that by chance."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._valid, self._beyond = True, False

    def see(self, chunk: bytes) -> None:
        """Look at the next bytes; none: at the end."""
        self._beyond = self._beyond or not chunk.isascii()
        try:
            if self._valid:
                self._decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError:
            self._valid = False

    @property
    def is_it(self) -> bool:
        """Whether all bytes so far are."""
        return self._valid and self._beyond


def _copied(path: Path, settings: ReadSettings, file: IO[bytes], copy: BinaryIO) -> int:
    """Copy all but the first lines; returns how many of them there were."""
    chunk = file.read(AT_ONCE)
    decoder = None
    if settings.encoding != "utf-8":
        if chunk.startswith(codecs.BOM_UTF8):
            raise BadInput(
                f"{path}: the mark at its beginning is that of UTF-8; take encoding = "
                f'"{settings.encoding}" out'
            )
        try:
            decoder, mark = decoder_of(settings.encoding, chunk)
        except ValueError:
            remedy = encoding_remedy(path, settings.encoding)
            raise BadInput(f"{path}: no mark of UTF-16 at its beginning; {remedy}") from None
        chunk = chunk[mark:]
    n_lines, end = 0, b""
    other = _Utf8() if settings.encoding in ONE_BYTE else None
    while True:
        last = not chunk
        if other is not None:
            other.see(chunk)
        if decoder is not None:
            try:
                text = decoder.decode(chunk, final=last)
            except UnicodeDecodeError as error:
                before = error.object[: error.start].decode(settings.encoding, "ignore")
                line = n_lines + before.count("\n") + 1
                name = NAMED.get(settings.encoding, settings.encoding.upper())
                remedy = encoding_remedy(path, settings.encoding)
                raise BadInput(f"{path}, line {line}: not {name} text; {remedy}") from None
            chunk = text.encode()
        if not end:
            end = b"\n" if b"\n" in chunk else b"\r"
        start = 0
        while n_lines < settings.skip_rows and (found := chunk.find(end, start)) >= 0:
            start, n_lines = found + 1, n_lines + 1
        if n_lines >= settings.skip_rows:
            chunk = chunk[start:]
            n_lines += chunk.count(end)
            _write(copy, chunk)
        if last and other is not None and other.is_it:
            raise BadInput(
                f"{path}: all of it is UTF-8 text, with letters that {NAMED[settings.encoding]} "
                'would read as others: add encoding = "utf-8"'
            )
        if last:
            return min(n_lines, settings.skip_rows)
        chunk = file.read(AT_ONCE)


def _write(copy: BinaryIO, chunk: bytes) -> None:
    left = memoryview(chunk)
    try:
        while left:
            left = left[copy.write(left) :]
    except OSError as error:
        raise no_room(error) from None


def _cut_end(copy: BinaryIO, n_lines: int) -> int:
    """Cut off the last lines, without counting empty ones; returns how many there were."""
    copy.seek(0)
    end = b"\n" if b"\n" in copy.read(AT_ONCE) else b"\r"
    place = copy.seek(0, os.SEEK_END)
    n_cut = 0
    while n_cut < n_lines and place > 0:
        place = _last_letter(copy, place)
        if place:
            place = _line_start(copy, place, end)
            n_cut += 1
    copy.truncate(place)
    return n_cut


def _last_letter(copy: BinaryIO, place: int) -> int:
    """Give the end of what stands before a place, without blanks and ends of lines."""
    while place > 0:
        start = max(0, place - BACK)
        copy.seek(start)
        before = copy.read(place - start).rstrip(b"\r\n \t")
        if before:
            return start + len(before)
        place = start
    return 0


def _line_start(copy: BinaryIO, place: int, end: bytes) -> int:
    """Give the beginning of the line that ends at a place."""
    while place > 0:
        start = max(0, place - BACK)
        copy.seek(start)
        found = copy.read(place - start).rfind(end)
        if found >= 0:
            return start + found + 1
        place = start
    return 0
