"""How much memory the system lets this process have, where it says so.

By `ulimit -v` and `ulimit -d`, and on Linux by the control groups that the process is in, as those
of containers and of jobs on a cluster: version 2, and version 1.
"""

from __future__ import annotations

import os
import re
import resource
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from sfumato.errors import BadInput

PER_CORE = 64 << 20  # that libraries set aside for a thread on each
LEAST = 3 << 29  # that Python, its libraries and an engine need before there is any data
LIMITS = {
    "ulimit -v": (resource.RLIMIT_AS, 0),
    "ulimit -d": (resource.RLIMIT_DATA, 5),
}  # with the place of what is used in /proc/self/statm
ROOT = Path("/")
GROUPS = Path("sys/fs/cgroup")  # where Linux shows control groups
# By the controllers that a line of /proc/self/cgroup names: where they are, limit and use; and what
# of the use is of files that the system may forget.
CONTROLLERS = {
    "": ("", "memory.max", "memory.current", "inactive_file"),  # version 2
    "memory": (
        "memory",
        "memory.limit_in_bytes",
        "memory.usage_in_bytes",
        "total_inactive_file",
    ),
}
AMOUNT = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]i?)b?\s*", re.IGNORECASE)
UNITS = {letter: 1000**j for j, letter in enumerate("KMGT", 1)} | {
    f"{letter}I": 1024**j for j, letter in enumerate("KMGT", 1)
}
UNLIMITED = 1 << 62  # version 1 writes nearly 2**63 where there is no limit


def left() -> int | None:
    """Give the bytes that this process may still ask for; None: nobody set a limit."""
    rooms = []
    for kind, place in LIMITS.values():
        limit = resource.getrlimit(kind)[0]
        if limit != resource.RLIM_INFINITY:
            rooms.append(max(0, limit - _used(place)))
    return min(rooms, default=None)


def left_in_groups(root: Path = ROOT) -> int | None:
    """Give the bytes that this process may still fill before it is ended; None: any number.

    root: what the system's files are in.
    """
    return min((max(0, limit - used) for limit, used in _of_groups(root)), default=None)


def allowed(memory: str | int | None = None) -> int:
    """Give the bytes that a job may use: those it was told, or three quarters of the machine's.

    memory: a number of bytes, or a text such as "4GB".

    >>> allowed("4GB"), allowed("2048 MiB"), allowed("2g"), allowed(2 * 10**9)
    (4000000000, 2147483648, 2000000000, 2000000000)
    """
    if memory is None:
        pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        rooms = [pages, left(), left_in_groups()]
        return min(room for room in rooms if room is not None) * 3 // 4
    written = AMOUNT.fullmatch(memory) if isinstance(memory, str) else None
    n_bytes = memory if isinstance(memory, int) and not isinstance(memory, bool) else None
    if written is not None:
        n_bytes = int(Fraction(written[1]) * UNITS[written[2].upper()])
    if not isinstance(n_bytes, int):
        raise BadInput(
            f"memory: expected a number of bytes, or a text such as '4GB', got {memory!r}"
        )
    if n_bytes < LEAST:
        raise BadInput(
            f"memory: {memory!r} is too little: Python, its libraries and an engine take 1.6 GB by "
            "themselves; allow more than that"
        )
    return n_bytes


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


def _of_groups(root: Path) -> Iterator[tuple[int, int]]:
    """Give limit and use of every control group that this process is in, its parents included.

    A container often sees its own group as the root, and its name from outside: what is not there
    under that name is looked for at the root.
    """
    try:
        lines = (root / "proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):  # not Linux, or nobody may know
        return
    for line in lines:
        _, controllers, own = [*line.split(":", 2), "", ""][:3]
        for controller in {*controllers.split(",")} & {*CONTROLLERS}:
            mounted, limit_file, use_file, forgotten = CONTROLLERS[controller]
            places = [root / GROUPS / mounted]
            for part in Path(own).parts[1:]:
                places.append(places[-1] / part)
            for place in places:
                limit, used = _number(place / limit_file), _number(place / use_file) or 0
                if limit is not None and limit < UNLIMITED:
                    yield limit, max(0, used - _statistic(place / "memory.stat", forgotten))


def _number(file: Path) -> int | None:
    """Read a number; None: there is none, such as "max", or nobody may read it."""
    try:
        return int(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def _statistic(file: Path, name: str) -> int:
    """Read one of the numbers that a file has by their names; 0: it has none."""
    try:
        named = dict(line.split() for line in file.read_text(encoding="utf-8").splitlines())
        return int(named.get(name, 0))
    except (OSError, ValueError):
        return 0


def _used(place: int) -> int:
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[place])
    except (OSError, ValueError, IndexError):  # not Linux: what is used counts as little
        return 0
    return pages * resource.getpagesize()
