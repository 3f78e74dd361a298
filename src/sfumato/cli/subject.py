"""What a command is about: a saved release, a job file, or a table of any origin."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import sfumato as sf
from sfumato.errors import shown
from sfumato.files.paths import reason

if TYPE_CHECKING:
    from sfumato.criteria import Criterion
    from sfumato.job import Job


@dataclass(frozen=True)
class Subject:
    """A table that is measured or attacked, as the command line names it."""

    source: Path
    quasi_identifiers: str | None
    sensitive: str | None
    k: int | None = None
    l: str | None = None
    kind: str = "distinct"
    person: str | None = None
    alike: str | None = None

    @cached_property
    def criterion(self) -> Criterion | None:
        """What -k and -l ask for."""
        from sfumato.criteria.criterion import together

        parts: list[Criterion] = [] if self.k is None else [sf.KAnonymity(self.k)]
        if self.l is None and self.kind != "distinct":
            raise sf.BadInput("--kind says which l-diversity is required: give -l with it")
        if self.l is not None:
            parts.append(sf.LDiversity(self.l, kind=self.kind))  # type: ignore[arg-type]  # checked
        return together(parts) if parts else None

    @property
    def is_job(self) -> bool:
        """Whether it is a job file."""
        return self.quasi_identifiers is None and self.source.suffix == ".toml"

    @property
    def is_release(self) -> bool:
        """Whether it is a saved release; a directory that is none is refused."""
        from sfumato.files.staged import DESCRIPTION
        from sfumato.files.withdrawn import MARKER

        try:
            self.source.stat()
            is_saved = (self.source / DESCRIPTION).is_file()
        except OSError as error:
            raise sf.BadInput(f"{self.source}: cannot read: {reason(error)}") from None
        if self.source.is_dir() and not is_saved:
            if (self.source / MARKER).exists():
                sf.load(self.source)  # which says since when it is withdrawn
            raise sf.BadInput(f"{self.source}: a directory, but no saved release")
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
                "--quasi-identifiers age,zip,sex"
            )
        return sf.read(
            self.source,
            quasi_identifiers=_listed(self.quasi_identifiers),
            sensitive=_listed(self.sensitive),
            person=self.person,
            alike=self.alike,
        )

    def job(self) -> Job:
        """Read the job file."""
        from sfumato.job import Job

        if self.alike is not None:
            raise sf.BadInput(f"{self.source}: a job says by [read] alike; leave --alike out")
        return Job.load(self.source)

    def released(
        self, original: Path | None
    ) -> tuple[sf.Release | sf.Table, sf.Table | Path | None]:
        """Open what was released, and the original if it is known; a job file knows it."""
        known = None if original is None else original_of(original)
        if self.is_release:
            return sf.load(self.source), known
        if not self.is_job:
            return self.table(), known
        job = self.job()
        if not job.output.exists():
            raise sf.BadInput(
                f"{job.output}: there is no release yet; run sfumato anonymize {self.source}"
            )
        return sf.load(job.output), known or job.table()


def original_of(place: Path) -> sf.Table | Path:
    """Open a job's source with the hierarchies it names; a file gets those of the release."""
    from sfumato.job import Job

    return Job.load(place).table() if place.suffix == ".toml" else place


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
