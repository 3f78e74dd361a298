"""The files of a release: named, described, settled; what is there is never overwritten."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sfumato.errors import BadInput, NoRoom
from sfumato.files.json_text import readable_json

DESCRIPTION = "release.json"  # written last: a directory that has it holds a whole release
CHECKSUM = "sha256"  # in it: of everything else that it says


@contextmanager
def new_parents(target: Path) -> Iterator[None]:
    """Make the directories above a new one; those that are new go again if the work fails."""
    missing = [place for place in target.parents if not place.exists()]  # the innermost first
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        for place in missing:
            with suppress(OSError):  # somebody else may have put something there
                place.rmdir()
        raise


def refuse_taken(target: Path) -> None:
    """Refuse a place where something is already."""
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise BadInput(
            f"{target}: exists already; a release is never overwritten, so choose another place"
        )


@contextmanager
def called(staged: Path, target: object) -> Iterator[None]:
    """Let errors about a file that is staged there name the place that the caller knows."""
    try:
        yield
    except BadInput as error:
        inside = re.escape(f"{staged}{os.sep}") + r"\w+\.\w+"
        said = re.sub(inside, lambda _: str(target), str(error))
        raise (NoRoom if isinstance(error, NoRoom) else BadInput)(said, error.values) from None


def sealed(description: Mapping[str, Any]) -> dict[str, Any]:
    """Give a description with a checksum of its own, which names the release.

    It has the digests of the tables and of what comes with them, so it is also of these.
    """
    said = json.loads(json.dumps(description))  # as it will be read
    return {**said, CHECKSUM: checksum(said)}


def checksum(written: Mapping[str, Any]) -> str:
    """SHA-256 of what a description says beside its checksum, however it is laid out.

    Taken of its JSON with sorted keys, without blanks, and in ASCII. It finds accidents; whoever
    changes a description on purpose can take it anew.

    >>> checksum({"rows": 2, "format": 4}) == checksum({"format": 4, "rows": 2, "sha256": "?"})
    True
    """
    said = {key: value for key, value in written.items() if key != CHECKSUM}
    plain = json.dumps(said, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(plain.encode("ascii")).hexdigest()


def write_json(where: Path, written: Mapping[str, Any]) -> None:
    """Write for people and machines."""
    where.write_text(readable_json(written) + "\n", encoding="utf-8")


def digest(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest_of_text(text: str) -> str:
    """SHA-256 of a file that has a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def make_public(directory: Path) -> None:
    """Give the files the permissions that anything new of this user has, and settle them."""
    mask = os.umask(0o077)  # it can only be read by setting it; for a moment, to the strictest
    os.umask(mask)
    for path in sorted(directory.rglob("*"), reverse=True):  # what is in a directory before it
        path.chmod((0o777 if path.is_dir() else 0o666) & ~mask)
        sync(path)
    directory.chmod(0o777 & ~mask)
    sync(directory)


def sync(path: Path) -> None:
    """Have a file or directory on the disk before going on."""
    with opened(path) as handle:
        os.fsync(handle)


@contextmanager
def in_place(what: str, target: Path) -> Iterator[None]:
    """Let errors say what is there already: from the moment it has its name others may use it."""
    try:
        yield
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise BadInput(
            f"{target}: {what} is there and complete, but the system did not confirm that it is on "
            f"the disk ({why}); look after the disk, and do not make it again"
        ) from None


@contextmanager
def opened(path: Path) -> Iterator[int]:
    """Hold a file or directory."""
    handle = os.open(path, os.O_RDONLY)
    try:
        yield handle
    finally:
        os.close(handle)
