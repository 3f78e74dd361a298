"""Which release a report is about, and by which digests it is known again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sfumato.errors import BadInput
from sfumato.files.paths import reason
from sfumato.files.staged import digest
from sfumato.release import Release
from sfumato.table import Table


def which_release(subject: Release | Table) -> dict[str, Any]:
    """Name what is published; a release that is not saved yet has no name and no digest.

    Of a table read from a file the digest is not told here: nobody said that it is published.
    """
    if not isinstance(subject, Release):
        names = [path.name for path in subject.source.files]
        name = names[0] if len(names) == 1 else None
        return {"name": name, "digest": None, "files": [], "made": None, "sfumato": None}
    files, shown = subject.written.files, subject.description
    saved = files.checksum is not None
    return {
        "name": files.name if saved else None,
        "digest": files.checksum,
        "files": [{"name": n, "sha256": d} for n, d in files.published.items()] if saved else [],
        "made": shown.made,
        "sfumato": shown.sfumato,
    }


def sources_of(table: Table | None) -> list[dict[str, str]]:
    """Name the files that a table is read from, with their digests; for the steward alone."""
    return [] if table is None else digests_of(table.source.files)


def digests_of(paths: Sequence[Path]) -> list[dict[str, str]]:
    """Give the SHA-256 of files as they are now."""
    try:
        return [{"name": path.name, "sha256": digest(path)} for path in paths]
    except OSError as error:
        raise BadInput(f"{error.filename}: cannot read: {reason(error)}") from None
