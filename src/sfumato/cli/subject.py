"""What a command is about: a saved release, a job file, or a table of any origin."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

import sfumato as sf
from sfumato.errors import shown
from sfumato.files.paths import reason

if TYPE_CHECKING:
    from sfumato.criteria import Criterion
    from sfumato.data.read_settings import ReadSettings
    from sfumato.engines import Source
    from sfumato.job import Job


@dataclass(frozen=True)
class Subject:
    """A table that is measured or attacked, as the command line names it."""

    source: Path | str  # text: the address of a table in a database
    quasi_identifiers: str | None
    sensitive: str | None
    k: int | None = None
    l: str | None = None
    kind: str = "distinct"
    risk: str | None = None
    person: str | None = None
    alike: str | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)  # how files are read
    others: tuple[Path | str | None, ...] = ()  # beside it: an original, a list of people, ...
    notes: list[str] = field(default_factory=list)  # what was left out of them

    @cached_property
    def criterion(self) -> Criterion | None:
        """What -k, -l and --risk ask for."""
        from sfumato.criteria.criterion import together

        parts: list[Criterion] = [] if self.k is None else [sf.KAnonymity(self.k)]
        if self.l is None and self.kind != "distinct":
            raise sf.BadInput("--kind says which l-diversity is required: give -l with it")
        if self.l is not None:
            parts.append(sf.LDiversity(self.l, kind=self.kind))  # type: ignore[arg-type]  # checked
        if self.risk is not None:
            parts.append(sf.MaxRisk(self.risk))
        return together(parts) if parts else None

    @property
    def is_job(self) -> bool:
        """Whether it is a job file."""
        return self.quasi_identifiers is None and is_job_file(self.source)

    @cached_property
    def is_release(self) -> bool:
        """Whether it is a saved release; a directory that is none is refused."""
        from sfumato.files.staged import DESCRIPTION
        from sfumato.files.withdrawn import MARKER

        if isinstance(self.source, str):
            is_saved = is_release_at(self.source)
        else:
            try:
                self.source.stat()
                is_saved = (self.source / DESCRIPTION).is_file()
            except OSError as error:
                raise sf.BadInput(f"{self.source}: cannot read: {reason(error)}") from None
            if self.source.is_dir() and not is_saved:
                if (self.source / MARKER).exists():
                    sf.load(self.source)  # which says since when it is withdrawn
                raise sf.BadInput(f"{self.source}: a directory, but no saved release")
        if is_saved and self.reading and not self.has_files:
            raise sf.BadInput(
                f"{self.source}: a release says how it was written; leave --{self._first} out"
            )
        if is_saved and (self.quasi_identifiers or self.sensitive or self.person or self.alike):
            raise sf.BadInput(
                f"{self.source}: a release knows its own columns; leave -q, -s, --person and "
                "--alike out"
            )
        return is_saved

    def table(self) -> sf.Table:
        """Open a file of any origin."""
        if self.quasi_identifiers is None:
            raise sf.BadInput(
                f"{self.source}: say which columns others may know, for instance "
                "--quasi-identifiers age,zip,sex; sfumato init proposes them"
            )
        return sf.read(
            self.source,
            quasi_identifiers=_listed(self.quasi_identifiers),
            sensitive=_listed(self.sensitive),
            person=self.person,
            alike=self.alike,
            **self.reading,
        )

    @property
    def is_unknown(self) -> bool:
        """Whether nobody said anything about a file's columns, or asked anything of them."""
        said = (self.quasi_identifiers, self.sensitive, self.person, self.alike)
        asked = (self.k, self.l, self.risk)
        return not is_job_file(self.source) and all(each is None for each in (*said, *asked))

    def job(self, *, undecided: bool = False) -> Job:
        """Read the job file; undecided: a proposal will do."""
        from sfumato.job import Job

        if self.alike is not None:
            raise sf.BadInput(f"{self.source}: a job says by [read] alike; leave --alike out")
        if self.reading and not self.has_files:
            raise sf.BadInput(
                f"{self.source}: a job says by [read] {self._first}; leave the option out"
            )
        return Job.load(self.source, undecided=undecided)

    @property
    def has_files(self) -> bool:
        """Whether a file beside it is no job, which says itself how its source is read."""
        return any(place is not None and not is_job_file(place) for place in self.others)

    @property
    def _first(self) -> str:
        return next(iter(self.reading))

    @cached_property
    def _reading_others(self) -> ReadSettings:
        """How files beside it are read: as options say, or else as the job does."""
        from sfumato.data.read_settings import ReadSettings
        from sfumato.job import Job

        if self.reading:
            return ReadSettings.of(self.reading)
        own = (self.source,) if self.is_job else ()
        jobs = [place for place in (*own, *self.others) if is_job_file(place)]
        return Job.load(jobs[0]).settings if jobs else ReadSettings()

    def opened(self, place: Path | str | None) -> sf.Table | Source | Path | str | None:
        """Open a job's source with the hierarchies it names; a file gets those of the release.

        A file need not have all columns that settings are about.
        """
        from sfumato.engines import engine_of
        from sfumato.engines.guess import is_text
        from sfumato.job import Job

        if place is None or isinstance(place, str):
            return place
        if is_job_file(place):
            return Job.load(place).table()
        settings = self._reading_others
        if not settings.spec():
            return place
        opener, text = engine_of(), is_text(place)
        first = settings.for_another(text=text)  # which says what columns there are
        source = opener.open(place, first)
        fitting = settings.for_another(text=text, columns=source.columns)
        source = source if fitting == first else opener.open(place, fitting)
        said = dict(source.read_counts(()).lines)
        if "lines skipped" in said:
            self.notes.append(f"{place}: lines skipped: {said['lines skipped']}.")
        return source

    def as_published(self, place: Path | str) -> Source | Path | str:
        """Open another tool's release as options say; a saved one says itself how it is read.

        A job says how its source is read, and what is published is written another way.
        """
        from sfumato.engines import Source

        if not self.reading or isinstance(place, str) or place.is_dir():
            return place
        opened = self.opened(place)
        return opened if isinstance(opened, Source) else place

    def released(
        self, original: Path | str | None
    ) -> tuple[sf.Release | sf.Table, sf.Table | Source | Path | str | None]:
        """Open what was released, and the original if it is known; a job file knows it."""
        known = self.opened(original)
        if self.is_release:
            return sf.load(self.source), known
        if not self.is_job:
            return self.table(), known
        job = self.job()
        if not is_release_at(job.output):
            raise sf.BadInput(
                f"{job.output}: there is no release yet; run sfumato anonymize {self.source}"
            )
        return sf.load(job.output), known or job.table()


def is_release_at(place: Path | str) -> bool:
    """Whether something is at a path; of the address of a table, whether it is a release."""
    from sfumato.address import Address
    from sfumato.release.files.open_tables import is_release

    return place.exists() if isinstance(place, Path) else is_release(Address.of(place))


def is_directory(place: Path | str) -> bool:
    """Whether a place is that of a directory, which holds a release if anything."""
    return isinstance(place, Path) and place.is_dir()


def is_job_file(place: Path | str | None) -> TypeGuard[Path]:
    """Whether a place is that of a job file."""
    return isinstance(place, Path) and place.suffix == ".toml"


def criterion_of(written: list[str] | None, option: str) -> Criterion | None:
    """Read a criterion that an option gives part by part, as job files write it."""
    from sfumato.criteria import CRITERIA
    from sfumato.criteria.criterion import together

    parts = []
    for text in written or []:
        try:
            spec = tomllib.loads(text)
        except tomllib.TOMLDecodeError:
            raise sf.BadInput(
                f"{option}: expected one criterion as job files say it, such as "
                f"'l_diversity = {{ l = 3 }}', got {shown(text)}"
            ) from None
        parts.append(CRITERIA.from_spec(spec, option))
    return together(parts) if parts else None


def _listed(names: str | None) -> list[str]:
    return [name.strip() for name in names.split(",")] if names else []
