"""Job files: a release written down in TOML, so that it can be made again."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sfumato.address import is_address, refuse_passwords
from sfumato.algorithms import ALGORITHMS, Algorithm
from sfumato.algorithms.compatibility import default_method
from sfumato.criteria import CRITERIA, Criterion
from sfumato.criteria.criterion import together
from sfumato.data.hierarchy import HIERARCHIES, TABLE_FILE, Hierarchy
from sfumato.data.labels.numbers import Numbers
from sfumato.data.read_settings import REFUSE, UTF_8, ReadSettings
from sfumato.engines import engine_of
from sfumato.errors import BadInput, nearest
from sfumato.files.paths import reason
from sfumato.parameters import file_path, release_place
from sfumato.release.context import Context
from sfumato.series.terms import Terms, as_one_refusal, unfit_for_series
from sfumato.spec import PACKAGE, taken_apart
from sfumato.table import Table, read

TWO_BRACKETS = "write [[criteria]] above each of them, with two brackets"
ONE_BRACKET = re.compile(r"^[ \t]*\[[ \t]*criteria[ \t]*\]", re.MULTILINE)
ROLES = ("quasi_identifiers", "sensitive", "identifiers", "insensitive")  # lists of columns


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Columns(_Strict):
    """The `[columns]` table: roles and hierarchies."""

    quasi_identifiers: dict[str, dict[str, Any]] | list[str]
    sensitive: list[str] | str = Field(default_factory=list)
    identifiers: list[str] = Field(default_factory=list)
    insensitive: list[str] = Field(default_factory=list)
    person: str | None = None
    hierarchies: dict[str, dict[str, Any]] = Field(default_factory=dict)


class Read(_Strict):
    """The `[read]` table: how values are read."""

    alike: str | dict[str, str] | None = None  # "merge" or "keep", of all columns or by column
    encoding: str = UTF_8
    delimiter: str | None = None
    quote: str = '"'
    decimal: str = "."
    thousands: str | None = None
    dates: dict[str, str] = Field(default_factory=dict)
    missing: list[str | int] | dict[str, list[str | int]] = Field(default_factory=list)
    skip_rows: int = 0
    skip_end: int = 0
    trim: bool = False
    names: str = REFUSE
    sheet: str | None = None
    labels: bool | str = True  # a path is relative to the job file

    def settings(self, place: Path, where: str) -> ReadSettings:
        """Give what is declared about the source."""
        given = self.model_dump(exclude={"alike"}, exclude_unset=True)
        if isinstance(self.labels, str):
            given["labels"] = str(place / self.labels)
        try:
            return ReadSettings.of(given)
        except BadInput as error:
            raise BadInput(f"{where}: read: {error}", error.values) from None


class Publish(_Strict):
    """The `[publish]` table: how values are published."""

    numbers: Numbers = "text"
    max_suppressed: int | float | None = None  # of a series: rows that may be left out


class Stated(_Strict):
    """The `[context]` table: who gets the release, in the steward's words."""

    recipient: str = ""
    release_model: str = ""
    controls: str = ""
    review_date: date | str = ""


class JobFile(_Strict):
    """A whole job file."""

    source: str | Annotated[list[str], Field(min_length=1)]  # several files are one table
    output: str
    format: Literal["csv", "parquet"] | None = None
    engine: str | None = None
    memory: str | int | None = None
    untouched_identify: bool = False
    proposed: bool = False  # by `sfumato init`, and nobody has looked at it yet
    read: Read = Field(default_factory=Read)
    publish: Publish = Field(default_factory=Publish)
    columns: Columns
    describe: dict[str, str] = Field(default_factory=dict)  # column -> what it means
    context: Stated = Field(default_factory=Stated)
    criteria: list[dict[str, Any]] = Field(min_length=1)
    method: dict[str, Any] | None = None


DEEPEST = 100  # dots of a key: reading a deep one takes the square of its depth
BETWEEN_KEYS = re.compile(r"[^\w.\-\"' \t]+")


class Job:
    """A checked job: paths are relative to the file it was read from."""

    def __init__(self, written: JobFile, place: Path, where: str) -> None:
        self.source = (
            _placed(place, written.source)
            if isinstance(written.source, str)
            else [_placed(place, each) for each in written.source]
        )
        output = release_place(f"{where}: output", written.output)
        self.output = place / output if isinstance(output, Path) else written.output
        self.format = written.format
        self.untouched_identify = written.untouched_identify
        self.numbers = written.publish.numbers
        self.max_suppressed = written.publish.max_suppressed
        self._engine = written.engine
        self._memory = written.memory
        self._alike = written.read.alike
        self.settings = written.read.settings(place, where)
        self._columns = written.columns
        self._describe = written.describe
        self.context = Context.of(written.context.model_dump(), f"{where}: context")
        self._place = place
        self._where = where
        self.criterion = _criterion(written.criteria, where)
        self._names_method = written.method is not None
        self.method = (
            default_method(self.criterion)
            if written.method is None
            else _method(written.method, place, f"{where}: method")
        )

    @classmethod
    def load(cls, path: str | Path, *, undecided: bool = False) -> Job:
        """Read and check a job file; every error names the key.

        undecided: Take a proposal too, which nobody has accepted yet: to measure, not to release.
        """
        return cls._load(path, {}, undecided=undecided)

    @classmethod
    def for_series(cls, path: str | Path) -> Job:
        """Read a job that starts a series: its batches come one by one, so it needs no source."""
        return cls._load(path, {"source": ".", "output": "."}, undecided=False)

    @classmethod
    def _load(cls, path: str | Path, otherwise: Mapping[str, str], *, undecided: bool) -> Job:
        file = file_path("Job.load", path)
        try:
            text = file.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise BadInput(f"{file}: cannot read the job: {reason(error)}") from None
        for number, line in enumerate(text.splitlines(), 1):
            if any(part.count(".") > DEEPEST for part in BETWEEN_KEYS.split(line)):
                raise BadInput(f"{file}, line {number}: a key with more than {DEEPEST} dots")
        try:
            written = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            remedy = f"; {TWO_BRACKETS}" if ONE_BRACKET.search(text) else ""
            raise BadInput(f"{file}: not TOML: {error}{remedy}") from None
        except ValueError:
            raise BadInput(f"{file}: not TOML: a number is too long, or no date") from None
        except RecursionError:
            raise BadInput(f"{file}: not TOML: nested too deep") from None
        refuse_passwords(_texts(written), f"{file}: ")
        try:
            checked = JobFile.model_validate({**otherwise, **written})
        except ValidationError as error:
            raise BadInput(_explain(error, str(file))) from None
        if checked.proposed and not undecided:
            raise BadInput(
                f"{file}: a proposal that nobody has accepted yet; read it, change what is wrong, "
                "and take out the line proposed = true (check, hierarchy show and anonymize "
                "--dry-run take it as it is)"
            )
        if checked.publish.max_suppressed is not None and not otherwise:
            raise BadInput(
                f"{file}: publish.max_suppressed: this is for a series; methods that leave people "
                "out have a max_suppressed of their own"
            )
        return cls(checked, file.parent, str(file))

    def table(self) -> Table:
        """Open the source."""
        columns = self._columns
        try:
            engine = engine_of(self._engine, self.source)
        except BadInput as error:
            raise BadInput(f"{self._where}: {error}", error.values) from None
        try:
            return read(
                self.source,
                self._quasi_identifiers,
                columns.sensitive,
                columns.identifiers,
                columns.insensitive,
                columns.person,
                self._hierarchies(columns.hierarchies, "hierarchies"),
                engine,
                self._alike,
                self._describe,
                self._memory,
                **self.settings.spec(),
            )
        except BadInput as error:
            if not str(error).startswith(("describe:", "memory:")):  # of the file
                raise
            raise BadInput(f"{self._where}: {error}", error.values) from None

    def terms(self) -> Terms:
        """What the job says about every batch of a series."""
        columns = self._columns
        method = self.method if self._names_method else None
        unfit = [*self._unfit_for_series(), *unfit_for_series(self.criterion, method)]
        if unfit:
            raise BadInput(f"{self._where}: {as_one_refusal(unfit)}")
        try:
            return Terms.of(
                self._quasi_identifiers,
                self.criterion,
                columns.sensitive,
                columns.identifiers,
                columns.person,
                self._hierarchies(columns.hierarchies, "hierarchies"),
                method,
                self.format,
                self._alike,
                self.settings,
                {column: said for column, said in self._describe.items() if said},
                self.max_suppressed,
                self.context,
            )
        except BadInput as error:
            raise BadInput(f"{self._where}: {error}", error.values) from None

    def _unfit_for_series(self) -> Iterator[str]:
        """Say what a series has no use for, beside promise and method."""
        if self._engine is not None:
            yield "engine: the batches of a series are kept by the embedded engine; take it out"
        if self._memory is not None:
            yield "memory: the batches of a series are counted as a whole; take it out"
        if self.untouched_identify:
            yield (
                "untouched_identify: a series publishes no column that tells people apart; take "
                "it out"
            )
        if self.numbers != "text":
            yield "publish.numbers: a series publishes numbers as text; take it out"
        if self._columns.insensitive:
            yield (
                f"columns.insensitive: whoever sees {self._columns.insensitive[0]!r} untouched "
                "finds the same record in two releases of a series; take it out, or make it a "
                "quasi-identifier or sensitive"
            )

    @property
    def _quasi_identifiers(self) -> dict[str, Hierarchy] | list[str]:
        given = self._columns.quasi_identifiers
        return self._hierarchies(given, "quasi_identifiers") if isinstance(given, dict) else given

    def _hierarchies(
        self, written: Mapping[str, Mapping[str, Any]], key: str
    ) -> dict[str, Hierarchy]:
        hierarchies: dict[str, Hierarchy] = {}
        for column, spec in written.items():
            where = f"{self._where}: columns.{key}.{column}"
            if TABLE_FILE in spec:
                odd = set(spec) - {TABLE_FILE, "sep"}
                if odd:
                    raise BadInput(f"{where}: unknown key {min(odd)!r} beside csv")
                file = self._place / file_path(f"{where}.csv", spec[TABLE_FILE])
                hierarchies[column] = Hierarchy.from_csv(file, spec.get("sep"))
                continue
            unknown = [name for name in spec if name != PACKAGE and name not in HIERARCHIES]
            if unknown and PACKAGE not in spec and unknown[0] not in HIERARCHIES.broken:
                near = nearest(unknown[0], [TABLE_FILE, *sorted(HIERARCHIES)])
                raise BadInput(f"{where}: unknown hierarchy {unknown[0]!r}{near}")
            hierarchies[column] = Hierarchy.from_spec(spec, where)
        return hierarchies


def _placed(place: Path, source: str) -> Path | str:
    """See a path from where the job file is; an address is what it is."""
    return source if is_address(source) else place / source


def _texts(written: object) -> Iterator[str]:
    """Give all texts of a file."""
    if isinstance(written, dict):
        written = list(written.values())
    if isinstance(written, list):
        for each in written:
            yield from _texts(each)
    elif isinstance(written, str):
        yield written


def _method(spec: Mapping[str, Any], place: Path, where: str) -> Algorithm:
    name, parameters, package = taken_apart(spec, where)
    return ALGORITHMS.find(name, package, where).from_job(parameters, place, where)


def _criterion(specs: list[dict[str, Any]], where: str) -> Criterion:
    parts = [CRITERIA.from_spec(spec, f"{where}: criteria[{j}]") for j, spec in enumerate(specs)]
    return together(parts)


def _explain(error: ValidationError, where: str) -> str:
    """Turn a finding into one line: an unknown key, which may be another misspelt, or the first."""
    first = min(error.errors(), key=lambda detail: detail["type"] != "extra_forbidden")
    place = [each for each in map(str, first["loc"]) if not each.startswith(("dict[", "list["))]
    if len(place) > 1 and place[-1] in ("str", "bool", "int"):  # one of the kinds it may be
        place.pop()
    key = ".".join(place)
    if first["type"] == "extra_forbidden":
        tables: dict[str, type[BaseModel]] = {
            "columns": Columns,
            "read": Read,
            "publish": Publish,
            "context": Stated,
        }
        owner = tables.get(str(first["loc"][0]), JobFile)
        return f"{where}: unknown key {key!r}{nearest(str(first['loc'][-1]), owner.model_fields)}"
    if first["type"] == "list_type" and key == "criteria":
        return f"{where}: criteria: {TWO_BRACKETS}"
    if first["type"] in {"list_type", "dict_type"} and key in {f"columns.{role}" for role in ROLES}:
        given = first["input"] if isinstance(first["input"], str) else "name"
        return f"{where}: {key}: must be a list of columns, such as [{json.dumps(given)}]"
    if first["type"] == "missing":
        return f"{where}: the key {key!r} is missing"
    return f"{where}: {key}: {first['msg'][0].lower()}{first['msg'][1:]}"
