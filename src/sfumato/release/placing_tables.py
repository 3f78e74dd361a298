"""A release as tables of a database: made, read back and judged in one transaction.

Until that is committed nobody else sees any of them. What is judged is what the server gives back:
rows are sent, copied back to a private place, and take the place of the files that were sent.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.address import Address, refuse_long
from sfumato.engines import database_of
from sfumato.errors import BadInput, BrokenPromise
from sfumato.files.failpoints import reached
from sfumato.files.json_text import readable_json
from sfumato.files.private_directory import PrivateDirectory, scratch
from sfumato.files.staged import CHECKSUM, DESCRIPTION, digest_of_text, sealed
from sfumato.progress import report
from sfumato.release.description import Description
from sfumato.release.files.as_described import kinds_in
from sfumato.release.files.saved import Files, Written
from sfumato.release.files.tables import Tables
from sfumato.release.package import package_of
from sfumato.table import DATA

if TYPE_CHECKING:
    from sfumato.engines.postgres.new_tables import NewTables


class TableStaging:
    """A transaction that has made the tables of a release, which `publish` commits."""

    def __init__(
        self, private: PrivateDirectory, new: NewTables, tables: Tables, description: Description
    ) -> None:
        self.path = private.path
        self.scratch: PrivateDirectory | None = private
        self._new, self._tables, self._description = new, tables, description

    def carry(self, files: Files) -> None:
        """Send what was written to the server, and put what comes back in its place."""
        report("writing tables")
        digests = {}
        for table in self._description.tables:
            name, place = self._tables.name(table), files.path(table)
            kinds = self._send(table, files)
            whole = [column for column, kind in kinds.items() if kind == "integer"]
            reached("save.sent")
            back = self.path / f"back.{files.kind}"
            self._new.copy(name, back, self._description.order_of(table), whole)
            _remove(place)
            back.rename(place)
            digests[table] = self._new.digest(name)
        self._tables = replace(self._tables, digests=digests)

    def _send(self, table: str, files: Files) -> dict[str, str]:
        source = files.open(table)
        kinds = kinds_in(source, self._description)
        self._new.put(self._tables.name(table), source.to_batches(self._description.text), kinds)
        return kinds

    def publish(self, description: Description, written: Written) -> Written:
        """Add the description and the package, and commit; where it then stands."""
        described = replace(description, types=written.kinds)
        files = replace(written.files, tables=self._tables)
        package = package_of(described, replace(written, files=files))
        digests = {name: digest_of_text(text) for name, text in package.items()}
        reached("save.packaged")
        listed = {"tables": dict(self._tables.digests), "package": digests}
        said = sealed({**described.to_json(), **listed})
        texts = {DESCRIPTION: f"{readable_json(said)}\n", **package}
        self._new.put_texts(self._tables.beside, texts)
        if self._new.texts(self._tables.beside) != texts:
            raise BrokenPromise("internal error: the database changed the description")
        reached("save.described")
        self._new.commit()
        return replace(written, files=replace(files, package=digests, checksum=said[CHECKSUM]))

    def settle(self) -> None:
        """The server has it on its disk, by the time it says so."""
        reached("save.renamed")


@contextmanager
def staged_in(address: Address, description: Description) -> Iterator[TableStaging]:
    """Begin tables in a database, where none of them may be yet; an error leaves nothing."""
    tables = Tables(address)
    others = [tables.name(each) for each in description.tables if each != DATA]
    names = (tables.named, *others, tables.beside)
    refuse_long(each.table for each in names)
    refuse_long(name for table in description.tables for name in description.columns_of(table))
    with database_of(address).publishing(tables.named) as new:
        placed = new.place(tables.named, [*others, tables.beside])
        private = scratch()
        try:
            reached("save.staged")
            tables = Tables(Address(address.database, placed))
            yield TableStaging(private, new, tables, description)
        except BaseException:
            private.close()
            raise


def refuse_format(format_of_files: str | None) -> None:
    """Refuse a format of files, where there are none."""
    if format_of_files is not None:
        raise BadInput("format: is said of files, and a table of a database is none; leave it out")


def refuse_taken_table(address: Address) -> None:
    """Refuse a place in a database where a release cannot be made, or where something is."""
    tables = Tables(address)
    with database_of(address).publishing(tables.named) as new:
        new.place(tables.named, [tables.beside])


def _remove(place: Path) -> None:
    if place.is_dir():
        shutil.rmtree(place)
    else:
        place.unlink()
