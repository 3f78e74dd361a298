"""Which encoding a text file is in: what reads the whole of it, and what speaks for that."""

from __future__ import annotations

import codecs
import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from sfumato.errors import BadInput

AT_ONCE = 1 << 20  # bytes
GZIP = b"\x1f\x8b"
MARKS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
NAMED = {"windows-1252": "Windows-1252", "latin-1": "Latin-1"}  # others are in capitals
ONLY_WINDOWS = bytes(set(range(0x80, 0xA0)))  # letters there, controls in Latin-1
SAMPLE = 1 << 16


@contextmanager
def unpacked(path: Path) -> Iterator[IO[bytes]]:
    """Open a file, through gzip if it is packed; what cannot be read is refused."""
    try:
        with path.open("rb") as file:
            packed = file.read(2) == GZIP
            file.seek(0)
            if not packed:
                yield file
                return
            with gzip.GzipFile(fileobj=file) as inside:
                yield inside  # type: ignore[misc]  # it reads as a file does
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise BadInput(f"{path}: the gzip file is damaged, or cut off; pack it again") from None


def decoder_of(encoding: str, start: bytes) -> tuple[codecs.IncrementalDecoder, int]:
    """Give what turns bytes into text, and how many bytes at the beginning are a mark."""
    if encoding == "utf-16":
        mark = start[:2]
        if mark not in MARKS:
            raise ValueError("no mark")
        return codecs.getincrementaldecoder(MARKS[mark])(), 2
    if encoding in MARKS.values() and MARKS.get(start[:2]) == encoding:
        return codecs.getincrementaldecoder(encoding)(), 2
    return codecs.getincrementaldecoder(encoding)(), 0


def reads_as(path: Path) -> tuple[str, str]:
    """Give the encoding that reads a file, and what speaks for it.

    Of those that read the whole of it, by what they make of it: a mark says it, UTF-8 is hardly
    ever met by chance, zeros between letters are those of UTF-16, and of the others Windows-1252
    has letters where Latin-1 has controls.
    """
    with unpacked(path) as file:
        start = file.read(SAMPLE)
        if start[:2] in MARKS:
            return "utf-16", "its mark"
        zeros = start[0::2].count(0), start[1::2].count(0)
        if max(zeros) > len(start) // 8:
            return ("utf-16-be" if zeros[0] > zeros[1] else "utf-16-le"), "zeros between letters"
        utf_8 = codecs.getincrementaldecoder("utf-8")()
        is_utf_8, high, undefined = True, 0, False
        chunk = start
        while chunk:
            if is_utf_8:
                try:
                    utf_8.decode(chunk)
                except UnicodeDecodeError:
                    is_utf_8 = False
            high += len(chunk) - len(chunk.translate(None, ONLY_WINDOWS))
            undefined = undefined or any(byte in chunk for byte in b"\x81\x8d\x8f\x90\x9d")
            chunk = file.read(AT_ONCE)
    try:
        if is_utf_8:
            utf_8.decode(b"", final=True)
            return "utf-8", "all of it is"
    except UnicodeDecodeError:
        pass
    if undefined:
        return "latin-1", "it is no UTF-8, and has bytes that Windows-1252 does not know"
    more = ", and has letters where Latin-1 has controls" if high else ""
    return "windows-1252", f"it is no UTF-8{more}"


def encoding_remedy(path: Path, declared: str = "utf-8") -> str:
    """Say which setting would read a file that is not in the encoding declared."""
    try:
        found, _ = reads_as(path)
    except (BadInput, OSError):
        return "convert the file first"
    if found == declared:
        return "convert the file first"
    name = NAMED.get(found, found.upper())
    return f'it reads as {name}: add encoding = "{found}"'
