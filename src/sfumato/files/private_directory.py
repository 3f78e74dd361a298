"""Directories that only we may read, that go when we go, and that a crash cannot leave for good.

Spill files and staged releases hold originals. Each lives in a directory of mode 0700 that its
owner keeps locked; a directory nobody has locked belongs to a process that died, and the next
start sweeps it away.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import secrets
import shutil
import stat
import tempfile
import weakref
from pathlib import Path
from types import TracebackType

from sfumato.errors import BadInput, NoRoom

NAME = re.compile(r"\.sfumato-[0-9a-f]{16}")


class PrivateDirectory:
    """A new directory of mode 0700 inside `parent`, locked for as long as this object lives.

    It goes with the object, or at the latest with the process. Where an earlier one is gone, its
    `name` can be had again.
    """

    def __init__(self, parent: Path, name: str | None = None) -> None:
        sweep(parent)
        if name is not None and not (parent / name).exists() and self._create(parent / name):
            return
        while not self._create(parent / f".sfumato-{secrets.token_hex(8)}"):
            pass

    def _create(self, path: Path) -> bool:
        """Make and lock the directory; False when a sweeper came between the two."""
        # What removes it is there first, so that an interrupt at any moment leaves nothing.
        locks: list[int] = []
        self.path, self._locks, self._owner = path, locks, os.getpid()
        self._remove = weakref.finalize(self, _removed, path, locks, self._owner)
        try:
            path.mkdir(mode=0o700)
            lock = _lock(path)
            if lock is not None:
                locks.append(lock)
                return True
        except FileExistsError:  # somebody else's, and not to be removed
            self._remove.detach()
            return False
        except BaseException:  # now, and not when nobody holds the error any more
            self._remove()
            raise
        self._remove.detach()
        with contextlib.suppress(OSError):  # a sweeper may have it
            path.rmdir()
        return False

    def close(self) -> None:
        """Remove the directory with everything in it and give the lock up."""
        try:
            self._remove()
        except BaseException:  # it may not have come to that, and is not asked twice
            _removed(self.path, self._locks, self._owner)
            raise

    def become(self, target: Path) -> None:
        """Rename the directory to `target`, in one step, and keep it."""
        self.path.rename(target)
        self._remove.detach()
        _release(self._locks)

    def __enter__(self) -> PrivateDirectory:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _removed(path: Path, locks: list[int], owner: int) -> None:
    """Remove a directory; in a forked child only let it go, since it is the parent's."""
    try:
        if os.getpid() == owner:
            _remove_tree(path)
    except BaseException:  # an interrupt, or no memory: what is left goes all the same
        if os.getpid() == owner:
            _remove_tree(path)
        raise
    finally:
        _release(locks)


def _remove_tree(path: Path) -> None:
    """Remove a directory with everything in it.

    `rmtree` passes over more errors than those of the system, a lack of memory among them: what is
    still there is removed once more.
    """
    shutil.rmtree(path, ignore_errors=True)
    if os.path.lexists(path):
        shutil.rmtree(path, ignore_errors=True)


def _release(locks: list[int]) -> None:
    while locks:
        os.close(locks.pop())


def scratch(name: str | None = None) -> PrivateDirectory:
    """Make a private directory for spill and other temporary files; `name`: if it is free."""
    try:
        return PrivateDirectory(spill_parent(), name)
    except OSError as error:
        raise no_room(error) from None


def no_room(error: OSError) -> NoRoom:
    """Say that the system gives no room for temporary files."""
    place = f" in {error.filename}" if error.filename else ""
    why = (error.strerror or str(error)).lower()
    return NoRoom(f"cannot keep temporary files{place}: {why}; set TMPDIR to another place")


def spill_parent() -> Path:
    """Name the place for spill directories: one per user inside the system's temporary place.

    TMPDIR is taken at its word. Python would turn to /tmp when it is full or may not be written,
    and originals would go where the steward did not want them.
    """
    place = Path(os.environ.get("TMPDIR") or tempfile.gettempdir()).absolute()
    if re.search(r"[*?[]", str(place)):
        raise BadInput(
            f"{place}: a directory for temporary files whose name holds *, ? or [ would be read as "
            "a pattern; set TMPDIR to another place"
        )
    parent = place / f"sfumato-{os.getuid()}"
    with contextlib.suppress(FileExistsError):
        parent.mkdir(mode=0o700)
    status = parent.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o077:
        raise BadInput(
            f"{parent}: the directory for temporary files is not private to this user; "
            "remove it, or set TMPDIR to a place of your own"
        )
    return parent


def sweep(parent: Path) -> int:
    """Remove the directories in `parent` whose owner is gone; return how many there were."""
    swept = 0
    for path in parent.glob(".sfumato-*"):
        lock = _lock(path) if NAME.fullmatch(path.name) else None
        if lock is not None:
            shutil.rmtree(path, ignore_errors=True)
            os.close(lock)
            swept += 1
    return swept


def _lock(path: Path) -> int | None:
    """Lock a directory; None when somebody else has it, or when it is another or gone."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EACCES):
            return None
        raise
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if _is_at(path, handle):
            return handle
    except BlockingIOError:
        pass
    except BaseException:
        os.close(handle)
        raise
    os.close(handle)
    return None


def _is_at(path: Path, handle: int) -> bool:
    """Whether an open directory is the one at a path: its owner may have removed and remade it."""
    try:
        return os.path.samestat(path.stat(), os.fstat(handle))
    except FileNotFoundError:
        return False
