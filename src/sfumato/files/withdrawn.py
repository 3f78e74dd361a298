"""What stands in the place of a release that its publisher has withdrawn: `withdrawn.json`."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from sfumato.errors import BadInput, shown
from sfumato.files.formats import refuse_other_format
from sfumato.files.paths import reason
from sfumato.files.staged import write_json

FORMAT = 1
MARKER = "withdrawn.json"


@dataclass(frozen=True)
class Marker:
    """Which release it was, and since when it is withdrawn.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as place:
    ...     Marker(3, "ab12", "2026-11-17T07:00:00+00:00").write(Path(place))
    ...     Marker.read(Path(place))
    Marker(release=3, sha256='ab12', withdrawn='2026-11-17T07:00:00+00:00')
    """

    release: int
    sha256: str  # of its release.json
    withdrawn: str  # UTC

    def write(self, directory: Path) -> None:
        """Write it down."""
        write_json(directory / MARKER, {"format": FORMAT, **asdict(self)})

    @classmethod
    def read(cls, directory: Path) -> Marker | None:
        """Read it back; None: there is none."""
        where = directory / MARKER
        try:
            written = json.loads(where.read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise BadInput(f"{where}: cannot read: {reason(error)}") from None
        except (ValueError, RecursionError):
            raise BadInput(f"{where}: damaged; not JSON") from None
        if not isinstance(written, dict):
            raise BadInput(f"{where}: damaged; got {shown(written)}")
        refuse_other_format(where, written.pop("format", None), FORMAT)
        kinds = {name: type(value) for name, value in written.items()}
        if kinds != {"release": int, "sha256": str, "withdrawn": str}:
            raise BadInput(f"{where}: damaged; not what a withdrawn release leaves")
        return cls(**written)
