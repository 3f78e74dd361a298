"""Reports as files: each complete or absent, and private where they have to be."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from sfumato.errors import BadInput
from sfumato.files.failpoints import reached
from sfumato.files.paths import reason
from sfumato.files.private_directory import PrivateDirectory
from sfumato.files.staged import DESCRIPTION, in_place, sync

HANDED_OUT = ("report.html", "skyline.html")
STEWARDS = "report-steward.html"


def write(directory: Path, texts: Mapping[str, str], *, private: bool) -> None:
    """Write files into a directory, each in one step; older ones of the same name are replaced.

    Private files get the mode 0600, others what anything new of this user has. They are written
    in a private directory beside their place, which the next start sweeps away after a crash.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        refuse_mixed(directory, private=private)
        with PrivateDirectory(directory) as staging:
            for name, text in texts.items():
                _written(staging.path / name, text, 0o600 if private else 0o666)
            reached("report.written")
            for name in texts:
                (staging.path / name).replace(directory / name)
        with in_place("the report", directory):
            sync(directory)
    except OSError as error:
        raise BadInput(f"{directory}: cannot write: {reason(error)}") from None


def refuse_mixed(directory: Path, *, private: bool) -> None:
    """Refuse to put what is the steward's beside what is handed out, and the other way round."""
    places = (directory, *directory.resolve().parents)
    if private and any((place / DESCRIPTION).exists() for place in places):
        raise BadInput(
            f"{directory}: holds a release, and what is in it gets published; choose another "
            "place for the steward's report"
        )
    if private and any((directory / name).exists() for name in HANDED_OUT):
        raise BadInput(
            f"{directory}: holds pages for everybody, and is handed out; choose another place for "
            "the steward's report"
        )
    if not private and (directory / STEWARDS).exists():
        raise BadInput(
            f"{directory}: holds the steward's report, which is private; choose another place for "
            "what is handed out"
        )


def refuse_unwritable(directory: Path, *, private: bool = False) -> None:
    """Refuse a directory that files cannot be written into; it is made if it is not there."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        refuse_mixed(directory, private=private)
        with PrivateDirectory(directory):
            pass
    except OSError as error:
        raise BadInput(f"{directory}: cannot write: {reason(error)}") from None


def _written(path: Path, text: str, mode: int) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
