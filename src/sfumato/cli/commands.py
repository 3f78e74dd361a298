"""What the commands do, with everything heavy imported."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import typer

import sfumato as sf
from sfumato.cli import output as out
from sfumato.criteria import Criterion, KAnonymity, LDiversity
from sfumato.criteria.criterion import together
from sfumato.files.paths import reason
from sfumato.files.reports import refuse_unwritable
from sfumato.files.staged import DESCRIPTION, refuse_taken
from sfumato.job import Job
from sfumato.papers import check_name
from sfumato.release import Release
from sfumato.risk import DEFAULT_K

UNSAFE = 1


def anonymize(
    job_file: Path, *, dry_run: bool, audited: bool, experiment: bool, json: bool
) -> None:
    """Run a job; where it is attacked first with success, write nothing and leave with 1."""
    job = Job.load(job_file)
    if not dry_run:  # what is known to fail fails before the work
        with suppress(OSError):
            refuse_taken(job.output)
        if job.method.experiment and not experiment:
            raise sf.BadInput(
                f"{job_file}: the method has a seed, so its chances can be repeated; drop it, or "
                "pass --experiment for what is not for publication"
            )
    with out.progress():
        release = sf.anonymize(job.table(), job.criterion, job.method)
        summary = release.summary()
        found = sf.audit(release) if audited else None
        unsafe = found is not None and not found.holds
        if not dry_run and not unsafe:
            release.save(job.output, job.format, experiment=experiment)
    if json:
        written = summary.to_json() | {"output": None if dry_run or unsafe else str(job.output)}
        out.print_json(written if found is None else written | {"audit": found.to_json()})
    else:
        out.print_summary(summary, str(job_file))
        if found is not None:
            out.print_audit(found, "Attacked")
        if dry_run and job.output.exists():
            out.say(f"Note: {job.output} exists already; without --dry-run this job is refused.")
        if unsafe:
            out.say("An attack succeeded: nothing was written.")
        else:
            out.say(
                "Dry run: nothing was written." if dry_run else f"The release is in {job.output}."
            )
    if unsafe:
        raise typer.Exit(UNSAFE)


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

    @cached_property
    def criterion(self) -> Criterion | None:
        """What -k and -l ask for."""
        parts: list[Criterion] = [] if self.k is None else [KAnonymity(self.k)]
        if self.l is None and self.kind != "distinct":
            raise sf.BadInput("--kind says which l-diversity is required: give -l with it")
        if self.l is not None:
            parts.append(LDiversity(self.l, kind=self.kind))  # type: ignore[arg-type]  # checked
        return together(parts) if parts else None

    @property
    def is_job(self) -> bool:
        """Whether it is a job file."""
        return self.quasi_identifiers is None and self.source.suffix == ".toml"

    @property
    def is_release(self) -> bool:
        """Whether it is a saved release; a directory that is none is refused."""
        try:
            self.source.stat()
            found = (self.source / DESCRIPTION).is_file()
        except OSError as error:
            raise sf.BadInput(f"{self.source}: cannot read: {reason(error)}") from None
        if self.source.is_dir() and not found:
            raise sf.BadInput(f"{self.source}: a directory, but no saved release")
        if found and (self.quasi_identifiers or self.sensitive or self.person):
            raise sf.BadInput(
                f"{self.source}: a release knows its own columns; leave -q, -s and --person out"
            )
        return found

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
        )


def check(subject: Subject, *, drivers: bool, json: bool) -> None:
    """Measure a table; leave with 1 when a promise is broken."""
    criterion = subject.criterion
    table = driven = None
    title = str(subject.source)
    with out.progress():
        if subject.is_release:
            if drivers:
                raise sf.BadInput("--drivers is about the original: give its file, or the job file")
            found = sf.load(subject.source).check(criterion)
        elif subject.is_job:
            job = Job.load(subject.source)
            table = job.table()
            found = sf.check(table, criterion or job.criterion)
            title = f"{job.source}, the source of {subject.source}"
        else:
            table = subject.table()
            found = sf.check(table, criterion)
        if drivers and table is not None:
            driven = sf.drivers(table, k=subject.k or DEFAULT_K)
    if json:
        written = found.to_json()
        out.print_json(written if driven is None else written | {"drivers": driven.to_json()})
    else:
        out.print_check(found, title)
        if driven is not None:
            out.print_drivers(driven, "What drives the risk")
    if not found.holds:
        raise typer.Exit(UNSAFE)


def audit(
    subject: Subject,
    original: Path | None,
    external: Path | None,
    earlier: list[Path],
    *,
    report: Path | None,
    steward: bool,
    json: bool,
) -> None:
    """Attack a release; leave with 1 when an attack succeeds."""
    criterion = subject.criterion
    if report is not None and report.exists() and not report.is_dir():
        raise sf.BadInput(f"{report}: is a file; give a directory for the report")
    with out.progress():
        if subject.is_release and criterion is not None:
            raise sf.BadInput(f"{subject.source}: a release says what it promised; drop -k, -l")
        release, known = _released(subject, original)
        found = sf.audit(
            release,
            known,
            criterion=criterion,
            external=None if external is None else _original(external),
            earlier=earlier,
        )
    if json:
        out.print_json(found.to_json(private=steward))
    else:
        out.print_audit(found, str(subject.source), steward=steward)
        if found.target.original is not None and not steward:
            out.say("Numbers of the original stand in this, so it is for the steward.")
    if report is not None:
        with out.progress():
            page = found.save(report, private=steward)
        kind = "the steward's" if steward else "made from nothing but what is published"
        if not json:
            out.say(f"The report is in {page} ({kind}).")
        if not steward and found.public().holds != found.holds:
            out.complain("note: the public report knows less than this audit; its verdict differs")
    if not found.holds:
        raise typer.Exit(UNSAFE)


def skyline(
    subject: Subject,
    original: Path | None,
    question: tuple[str | None, str, str | None],  # value, confidence, attribute
    *,
    output: Path | None,
    steward: bool,
    json: bool,
) -> None:
    """Say how much an adversary has to know."""
    value, confidence, attribute = question
    if output is not None:
        refuse_unwritable(output)
    with out.progress():
        release, known = _released(subject, original)
        found = sf.explore(release, value, confidence, attribute, original=known)
        page = None if output is None else found.save(output)
    if json:
        out.print_json(found.to_json(private=steward))
        return
    out.print_exploration(found, str(subject.source), steward=steward)
    if steward:
        out.say("Who would be given away stands in this, so it is for the steward.")
    if page is not None:
        less = ", without who would be given away" if steward else ""
        out.say(f"The same{less} is a page in {page}, with the numbers beside it.")


def reproduce(paper: str, *, quick: bool, output: Path | None, json: bool) -> None:
    """Run a paper's experiments."""
    check_name(paper)
    if output is not None:
        refuse_unwritable(output)  # before minutes of work
    with out.progress():
        found = sf.reproduce(paper, quick=quick)
        page = None if output is None else found.save(output)
    if json:
        out.print_json(found.to_json())
        return
    out.print_reproduction(found)
    if page is not None:
        out.say(f"The same as a page is in {page}, and as numbers beside it.")


def _released(
    subject: Subject, original: Path | None
) -> tuple[Release | sf.Table, sf.Table | Path | None]:
    """Open what was released, and the original if it is known; a job file knows it."""
    known = None if original is None else _original(original)
    if subject.is_release:
        return sf.load(subject.source), known
    if not subject.is_job:
        return subject.table(), known
    job = Job.load(subject.source)
    if not job.output.exists():
        raise sf.BadInput(
            f"{job.output}: there is no release yet; run sfumato anonymize {subject.source}"
        )
    return sf.load(job.output), known or job.table()


def _original(place: Path) -> sf.Table | Path:
    """Open a job's source with the hierarchies it names; a file gets those of the release."""
    return Job.load(place).table() if place.suffix == ".toml" else place


def _listed(names: str | None) -> list[str]:
    return [name.strip() for name in names.split(",")] if names else []
