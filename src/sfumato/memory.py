"""How much memory the system lets this process have, where it says so: `ulimit -v`, `ulimit -d`."""

from __future__ import annotations

import os
import resource
from pathlib import Path

PER_CORE = 64 << 20  # that libraries set aside for a thread on each
LEAST = 3 << 29  # that Python, its libraries and an engine need before there is any data
LIMITS = {
    "ulimit -v": (resource.RLIMIT_AS, 0),
    "ulimit -d": (resource.RLIMIT_DATA, 5),
}  # with the place of what is used in /proc/self/statm


def left() -> int | None:
    """Give the bytes that this process may still ask for; None: nobody set a limit."""
    rooms = []
    for kind, place in LIMITS.values():
        limit = resource.getrlimit(kind)[0]
        if limit != resource.RLIM_INFINITY:
            rooms.append(max(0, limit - _used(place)))
    return min(rooms, default=None)


def too_little() -> str | None:
    """Say which limit leaves too little room to start; None: none does."""
    least = LEAST + PER_CORE * (os.cpu_count() or 1)
    for name, (kind, _) in LIMITS.items():
        limit = resource.getrlimit(kind)[0]
        if limit != resource.RLIM_INFINITY and limit < least:
            return (
                f"not enough memory for starting: {name} allows {limit >> 20} MB, and "
                f"{least >> 20} MB are needed on this machine; raise the limit"
            )
    return None


def _used(place: int) -> int:
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[place])
    except (OSError, ValueError, IndexError):  # not Linux: what is used counts as little
        return 0
    return pages * resource.getpagesize()
