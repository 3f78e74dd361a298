"""Why the system refuses a file, and whether a file is still the same."""

from __future__ import annotations

import os
from pathlib import Path


def reason(error: Exception) -> str:
    """Say in a few words why the system refused a file."""
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8 text"
    return (getattr(error, "strerror", None) or str(error)).lower()


def version(path: Path) -> tuple[int, ...]:
    """Give what differs when a file was written to, or replaced by another."""
    status = path.stat()
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def parts_of(path: Path) -> list[Path]:
    """Give the files that a table is in: itself, or all in a directory, in the order of names."""
    if not path.is_dir():
        return [path]
    return sorted(each for each in path.rglob("*") if each.is_file())


def write_private(path: Path, text: str) -> None:
    """Write a new file that only its owner may read; one that is there already is not replaced."""
    with open(path, "x", encoding="utf-8", newline="", opener=_for_owner) as file:
        file.write(text)


def _for_owner(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
