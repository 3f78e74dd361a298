"""The files of a release: written, read back, kept, and found to be the same later on."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from shutil import copyfile
from typing import Any

from sfumato.data.frequency import FrequencySet, Grouping
from sfumato.engines import engine_of
from sfumato.engines.look import TextCounts
from sfumato.engines.protocol import Engine, Format, Source
from sfumato.errors import BadInput, BrokenPromise
from sfumato.files.failpoints import reached
from sfumato.files.formats import refuse_other_format
from sfumato.files.paths import parts_of, reason, version
from sfumato.files.private_directory import PrivateDirectory
from sfumato.files.staged import CHECKSUM, DESCRIPTION, checksum, digest
from sfumato.files.withdrawn import Marker
from sfumato.formulas.correspondence.pairs import Attacked
from sfumato.release.check import Check
from sfumato.release.description import FORMAT, Description
from sfumato.release.files.space import refuse_too_little
from sfumato.release.files.tables import Tables

FORMATS: tuple[Format, ...] = ("csv", "parquet")
CODEBOOK, DATA_PACKAGE, README = PACKAGE = "codebook.html", "datapackage.json", "README.txt"
PART = re.compile(r"(\w+\.parquet)/part-\d{5,}\.parquet")  # of a table in several files
REPORTS = ("report.html", "report.json")  # for everybody, so they may lie beside a release


@dataclass(frozen=True, eq=False)
class Files:
    """The tables of a release on disk: `data`, and `sensitive` where two are published.

    A table is a file, or a directory of part files; in the order of their names they are its rows.
    """

    directory: Path
    kind: Format
    engine: Engine = field(default_factory=engine_of)  # that wrote them, or the embedded one
    digests: Mapping[str, str] = field(default_factory=dict)  # by the names of the files
    versions: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    scratch: PrivateDirectory | None = None  # what the directory is in, and goes with
    package: Mapping[str, str] = field(default_factory=dict)  # digests of what comes with them
    checksum: str | None = None  # of the description, which has all digests; None: not saved
    tables: Tables | None = None  # in a database, of which these files are private copies

    @property
    def name(self) -> str:
        """What the release is called: its directory, or its table."""
        if self.tables is not None:
            return str(self.tables.address.table)
        return self.directory.resolve().name

    def called(self, table: str) -> str:
        """What messages call one of the tables."""
        return str(self.path(table) if self.tables is None else self.tables.of(table))

    @property
    def published(self) -> Mapping[str, str]:
        """The digests of what is published: of the files, or of the rows of tables."""
        return self.digests if self.tables is None else self.tables.digests

    def path(self, table: str) -> Path:
        """Where one of the tables is."""
        return self.directory / f"{table}.{self.kind}"

    def known(self, tables: Iterable[str]) -> Files:
        """The same files, remembered as they are now."""
        paths = {self._name(path): path for table in tables for path in parts_of(self.path(table))}
        versions = {name: version(path) for name, path in paths.items()}
        digests = {name: digest(path) for name, path in paths.items()}
        return replace(self, versions=versions, digests=digests)

    def parts(self, table: str) -> list[str]:
        """Give the names of the files that a table is in, which are known."""
        name = self.path(table).name
        return [each for each in self.digests if each.partition("/")[0] == name]

    def _name(self, path: Path) -> str:
        return path.relative_to(self.directory).as_posix()

    def renamed(self, directory: Path) -> Files:
        """The same files under the name that their directory will get; nothing else may change."""
        versions = {name: version(self.directory / name) for name in self.digests}
        return replace(self, directory=directory, versions=versions, scratch=None)

    def copied(self, directory: Path) -> Files:
        """Copy them into a directory where nothing is yet; what is there then is the same.

        Raises:
            BrokenPromise: A copy is not what was written and read back.
        """
        paths = {name: self.directory / name for name in self.digests}
        n_bytes = sum(path.stat().st_size for path in paths.values())
        refuse_too_little(directory, directory / next(iter(paths)), n_bytes)
        for name, path in paths.items():
            place = directory / name
            place.parent.mkdir(parents=True, exist_ok=True)
            copyfile(path, place)
            if digest(place) != self.digests[name]:
                raise BrokenPromise(f"internal error: the copy of {name} is not what was checked")
        reached("save.applied")
        versions = {name: version(directory / name) for name in paths}
        return replace(self, directory=directory, versions=versions, scratch=None)

    @property
    def are_there(self) -> bool:
        """Whether they are still what they were."""
        try:
            self.refuse_changed()
        except BadInput:
            return False
        return True

    @property
    def further(self) -> tuple[str, ...]:
        """The names of what lies beside these files and is neither described nor a report.

        A codebook that is not the one that was written is no part of the release.
        """
        try:
            names = sorted(path.name for path in self.directory.iterdir())
        except OSError as error:
            raise BadInput(f"{self.directory}: cannot read: {reason(error)}") from None
        tables = {name.partition("/")[0] for name in self.digests}
        known = {*tables, DESCRIPTION, *REPORTS, *self._package_there}
        return tuple(name for name in names if name not in known)

    @property
    def _package_there(self) -> list[str]:
        """The files of the package that are there, and as they were written."""
        there = [name for name in self.package if (self.directory / name).is_file()]
        try:
            return [n for n in there if digest(self.directory / n) == self.package[n]]
        except OSError as error:
            raise BadInput(f"{error.filename}: cannot read: {reason(error)}") from None

    def open(self, table: str) -> Source:
        """Open one of the tables, as any reader would."""
        opened = self.engine.open_published(self.path(table))
        self.refuse_changed()
        return opened

    def opened(self, tables: Iterable[str]) -> dict[str, Source]:
        """Open some of the tables."""
        return {table: self.open(table) for table in tables}

    def to_batches(self, table: str, text: Collection[str]) -> Any:
        """Give a PyArrow reader of a table; the files stay for as long as somebody reads."""
        import pyarrow as pa  # noqa: PLC0415  (heavy, so imported when used)

        reader = self.open(table).to_batches(text)
        return pa.RecordBatchReader.from_batches(reader.schema, self._held(reader))

    def _held(self, batches: Iterable[Any]) -> Iterator[Any]:
        yield from batches

    def refuse_changed(self) -> None:
        """Refuse files that are gone, or that hold something else than what was written.

        A file that nobody wrote to has the same version; of others the digest tells.
        """
        for name, known in self.versions.items():
            path = self.directory / name
            try:
                same = version(path) == known or digest(path) == self.digests[name]
            except OSError as error:
                raise BadInput(
                    f"{path}: the file is gone since the release was saved or loaded "
                    f"({reason(error)}); load the release from where it is now"
                ) from None
            if not same:
                raise BadInput(
                    f"{path}: the file has changed since the release was saved or loaded "
                    "(checksums differ); restore it"
                )


@dataclass(frozen=True, eq=False)
class Written:
    """What was written, and what was found when it was read back."""

    files: Files
    published: Grouping | None = None  # by the published labels alone; None: not looked at yet
    seen: Grouping | None = None  # see `Release.seen`
    check: Check | None = None  # the promise, measured on the rows that were read back
    beside: tuple[Attacked, ...] = ()  # together with each of the earlier releases
    # If just written: what each column holds, and the texts of columns that were counted, with the
    # number of rows that have them; of each generalized one at least.
    kinds: Mapping[str, str] = field(default_factory=dict)
    counted: TextCounts = field(default_factory=dict)
    people: FrequencySet | None = None  # of two tables: see `Release.people_by_group`


def open_saved(place: Path) -> tuple[Description, Files]:
    """Read the description of a saved release, and make sure that its files belong to it."""
    where = place / DESCRIPTION
    try:
        text = where.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise BadInput(f"{where}: damaged; not JSON") from None
    except OSError as error:
        marker = Marker.read(place)
        if marker is not None:
            raise BadInput(
                f"{place}: its publisher has withdrawn this release, since {marker.withdrawn}; if "
                "you have it, give the directory that it is in"
            ) from None
        raise BadInput(f"{where}: cannot read the release: {reason(error)}") from None
    written, description = described(text, where)
    digests = written.get("files")
    if not isinstance(digests, dict):
        digests = {}
    parts = {name: PART.fullmatch(name) for name in digests}
    found_tables = {name if part is None else part[1] for name, part in parts.items()}
    kinds = [k for k in FORMATS if found_tables == {f"{name}.{k}" for name in description.tables}]
    if not kinds:
        raise BadInput(f"{where}: damaged; the list of files is missing")
    package = package_in(written, where)
    files = Files(place, kinds[0], package=package, checksum=written[CHECKSUM])
    try:
        files = files.known(description.tables)
    except OSError as error:
        raise BadInput(f"{error.filename}: cannot read: {reason(error)}") from None
    for name in sorted({*files.digests, *digests}):
        if files.digests.get(name) != digests.get(name):
            raise BadInput(
                f"{place / name}: the file is not the one that was released (checksums differ)"
            )
    return description, files


def described(text: str, where: object) -> tuple[dict[str, Any], Description]:
    """Read the text of a description, and make sure that nothing of it was lost."""
    try:
        written = json.loads(text)
        found = checksum(written) if isinstance(written, dict) else None
    except (ValueError, RecursionError):
        raise BadInput(f"{where}: damaged; not JSON") from None
    if not isinstance(written, dict):
        raise BadInput(f"{where}: damaged; not the description of a release")
    refuse_other_format(where, written.get("format"), FORMAT)
    if written.get(CHECKSUM) != found:
        raise BadInput(
            f"{where}: damaged; it does not say what was released (checksums differ); ask for the "
            "whole release again"
        )
    return written, Description.from_json(written, str(where))


def package_in(written: Mapping[str, Any], where: object) -> dict[str, str]:
    """Give the digests of what comes with the tables; none: an older release."""
    package = written.get("package", {})
    listed = isinstance(package, dict) and set(package) <= {*PACKAGE}
    if not listed or not all(isinstance(each, str) for each in package.values()):
        raise BadInput(f"{where}: damaged; 'package' is missing, or not what it was")
    return dict(package)
