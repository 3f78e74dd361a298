"""Where a release is saved: staged in private, then given its name in one step."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from sfumato.engines.csv_formulas import could_run
from sfumato.engines.protocol import Format
from sfumato.errors import BadInput
from sfumato.files.failpoints import reached
from sfumato.files.paths import reason
from sfumato.files.private_directory import PrivateDirectory
from sfumato.files.staged import (
    CHECKSUM,
    DESCRIPTION,
    in_place,
    make_public,
    new_parents,
    opened,
    refuse_taken,
    sealed,
    sync,
    write_json,
)
from sfumato.release.description import Description
from sfumato.release.files.saved import Files, Written
from sfumato.release.package import write_package


def refuse_unwritable_names(description: Description, kind: Format) -> None:
    """Refuse a CSV file whose column names would not be read back, or would be run."""
    if kind != "csv":
        return
    for name in (n for table in description.tables for n in description.columns_of(table)):
        if "\r" in name or name[0] == "\ufeff":
            raise BadInput(
                f"save: the column name {name!r} does not survive a CSV file; rename the "
                "column, or save as Parquet"
            )
        if could_run(name):
            raise BadInput(
                f"save: a spreadsheet would run the column name {name!r} as a formula; "
                "rename the column, or save as Parquet"
            )


def refuse_address(target: Path) -> None:
    """Refuse a store that is no file system here, such as those that cannot rename in one step.

    >>> refuse_address(Path("out/2026-q1"))
    """
    found = re.search(r"(?:^|[/:])([a-z][a-z0-9+.-]+):/", str(target), re.IGNORECASE)
    if found:
        raise BadInput(
            f"save: {found[1]}: is no file system of this machine, and a release gets its name in "
            "one step, which object stores cannot do; save to a file system that this machine and "
            "all executors see, and copy the whole directory from there"
        )


class Staging:
    """A private directory beside the place of a release, which `publish` makes that place."""

    scratch: PrivateDirectory | None = None  # the directory stays, and is nobody's to remove
    carry: Callable[[Files], None] | None = None  # files are where they will be published

    def __init__(self, private: PrivateDirectory, target: Path, parent: int) -> None:
        self.path = private.path
        self._private = private
        self._target = target
        self._parent = parent  # an open handle

    def publish(self, description: Description, written: Written) -> Written:
        """Add the package and the description, and give it its name; where it then stands."""
        described = replace(description, types=written.kinds)
        package = write_package(self.path, described, written)
        reached("save.packaged")
        listed = {"files": dict(written.files.digests), "package": dict(package)}
        said = sealed({**described.to_json(), **listed})
        write_json(self.path / DESCRIPTION, said)
        reached("save.described")
        make_public(self.path)
        files = written.files.renamed(self._target.absolute())
        files = replace(files, package=package, checksum=said[CHECKSUM])
        try:
            self._private.become(self._target)
        except OSError:
            refuse_taken(self._target)  # by somebody who was faster
            raise
        return replace(written, files=files)

    def settle(self) -> None:
        """Have the name survive a failure of the machine."""
        reached("save.renamed")
        with in_place("the release", self._target):
            os.fsync(self._parent)


@contextmanager
def staged_for(target: Path) -> Iterator[Staging]:
    """Stage what is to stand at `target`, where nothing may stand yet; an error leaves nothing."""
    try:
        refuse_taken(target)
        with (
            new_parents(target),
            opened(target.parent) as parent,
            PrivateDirectory(target.parent) as private,
        ):
            refuse_taken(target)  # a name that cannot be is known once its parents are there
            reached("save.staged")
            yield Staging(private, target, parent)
    except OSError as error:
        raise BadInput(f"{target}: cannot write: {reason(error)}") from None


def write_private(target: Path, content: Mapping[str, Any]) -> None:
    """Write JSON that only its owner may read, in one step and never over another file."""
    try:
        with PrivateDirectory(target.parent) as staging:
            whole = staging.path / target.name
            whole.touch(mode=0o600)
            write_json(whole, content)
            sync(whole)
            target.hardlink_to(whole)
    except OSError as error:
        raise BadInput(f"{target}: cannot write: {reason(error)}") from None
