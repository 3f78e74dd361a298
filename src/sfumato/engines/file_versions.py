"""Files that stay what they were: what was decided about old rows does not hold for new ones."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sfumato.errors import BadInput
from sfumato.files.paths import reason, version

Versions = Mapping[Path, tuple[int, ...]]  # of files, when they were opened


def refuse_changed(name: str, versions: Versions) -> None:
    """Refuse to go on with files of a source that are not what they were, or not there."""
    for path, opened in versions.items():
        place = name if len(versions) == 1 else str(path)
        try:
            current = version(path)
        except OSError as error:
            raise BadInput(f"{place}: the file is gone: {reason(error)}") from None
        if current != opened:
            raise BadInput(
                f"{place}: the file has changed since it was opened; start again, and let nobody "
                "write to it meanwhile"
            ) from None  # whatever the engine says of the new rows
