"""Room on a disk, looked at before anything is written."""

from __future__ import annotations

import os
from pathlib import Path

from sfumato.errors import BadInput
from sfumato.text import count


def free_bytes(place: Path) -> int:
    """Give how many bytes this user may still write there."""
    status = os.statvfs(place)
    return status.f_bavail * status.f_frsize


def refuse_too_little(place: Path, target: Path, needed: int) -> None:
    """Refuse to begin what cannot end: `needed` bytes, or more, will be written to `place`.

    target: what messages call it.
    """
    free = free_bytes(place)
    if free < needed:
        raise BadInput(
            f"{target}: cannot write: not enough room: the release takes at least "
            f"{count(needed)} bytes, and {count(free)} are free; make room, or choose another place"
        )
