"""Why the system refuses a file, and whether a file is still the same."""

from __future__ import annotations

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
