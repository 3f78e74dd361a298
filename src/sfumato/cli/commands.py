"""What the commands do, with everything heavy imported."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import typer

import sfumato as sf
from sfumato.cli import output as out
from sfumato.criteria import Criterion, KAnonymity, LDiversity
from sfumato.criteria.base import together
from sfumato.data.hierarchy import reason
from sfumato.job import Job
from sfumato.release import Release
from sfumato.release.description import DESCRIPTION
from sfumato.release.release import refuse_taken

UNSAFE = 1
DEMO_OUTPUT = Path("out") / "demo"
DEMO_ROWS = 5
DEMO_COLUMNS = ["age", "workclass", "marital-status", "race", "sex", "native-country"]


def demo(output: Path | None, *, json: bool) -> None:
    """Run the whole path on the Adult census data."""
    target = output or _free(DEMO_OUTPUT)
    hierarchies = sf.datasets.adult_hierarchies()
    with out.progress():
        table = sf.read(
            sf.datasets.adult(),
            quasi_identifiers={name: hierarchies[name] for name in DEMO_COLUMNS},
            sensitive="occupation",
            insensitive=["hours-per-week"],
        )
        before = sf.check(table)
        criterion = sf.KAnonymity(10) & sf.LDiversity(4)
        release = sf.anonymize(table, criterion, sf.Mondrian())
        release.save(target)
        after = sf.load(target).check()
    if json:
        out.print_json(
            {
                "before": before.to_json(),
                "release": release.summary().to_json(),
                "check": after.to_json(),
                "output": str(target),
            }
        )
        return
    out.print_check(before, "1. The Adult census table as it is")
    out.print_summary(release.summary(), "2. Anonymized")
    step = release.n_rows // DEMO_ROWS
    shown = release.to_arrow().take(list(range(step // 2, release.n_rows, step))[:DEMO_ROWS])
    out.print_rows(
        "3. Some of the published rows",
        release.description.columns,
        [list(row.values()) for row in shown.to_pylist()],
    )
    out.print_check(after, "4. The saved release, read back and checked")
    out.say(f"\nThe release is in {target}: the data, and release.json with all that is public.")


def anonymize(job_file: Path, *, dry_run: bool, experiment: bool, json: bool) -> None:
    """Run a job."""
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
        if not dry_run:
            release.save(job.output, job.format, experiment=experiment)
    if json:
        written = None if dry_run else str(job.output)
        out.print_json(summary.to_json() | {"output": written})
        return
    out.print_summary(summary, str(job_file))
    if dry_run and job.output.exists():
        out.say(f"Note: {job.output} exists already; without --dry-run this job is refused.")
    out.say("Dry run: nothing was written." if dry_run else f"The release is in {job.output}.")


def check(
    source: Path,
    quasi_identifiers: str | None,
    sensitive: str | None,
    k: int | None,
    l: str | None,
    kind: str,
    *,
    json: bool,
) -> None:
    """Measure a table; leave with 1 when a promise is broken."""
    parts: list[Criterion] = [] if k is None else [KAnonymity(k)]
    if l is None and kind != "distinct":
        raise sf.BadInput("--kind says which l-diversity is required: give -l with it")
    if l is not None:
        parts.append(LDiversity(l, kind=kind))  # type: ignore[arg-type]  # checked there
    with out.progress():
        found = _measured(source, quasi_identifiers, sensitive, parts)
    if json:
        out.print_json(found.to_json())
    else:
        out.print_check(found, str(source))
    if not found.holds:
        raise typer.Exit(UNSAFE)


def _measured(
    source: Path, quasi_identifiers: str | None, sensitive: str | None, parts: list[Criterion]
) -> sf.Check:
    criterion = together(parts) if parts else None
    try:
        source.stat()
        is_release = (source / DESCRIPTION).is_file()
    except OSError as error:
        raise sf.BadInput(f"{source}: cannot read: {reason(error)}") from None
    if source.is_dir() and not is_release:
        raise sf.BadInput(f"{source}: a directory, but no saved release")
    if is_release and (quasi_identifiers or sensitive):
        raise sf.BadInput(f"{source}: a release knows its own columns; leave -q and -s out")
    if quasi_identifiers is None and source.suffix == ".toml":
        job = Job.load(source)
        return sf.check(job.table(), criterion or job.criterion)
    if is_release:
        release: Release = sf.load(source)
        return release.check(criterion)
    if quasi_identifiers is None:
        raise sf.BadInput(
            f"{source}: say which columns others may know, for instance "
            "--quasi-identifiers age,zip,sex"
        )
    table = sf.read(
        source, quasi_identifiers=_listed(quasi_identifiers), sensitive=_listed(sensitive)
    )
    return sf.check(table, criterion)


def _listed(names: str | None) -> list[str]:
    return [name.strip() for name in names.split(",")] if names else []


def _free(place: Path) -> Path:
    """Find a place that does not exist yet: out/demo, out/demo-2, ..."""
    candidate, number = place, 1
    while candidate.exists():
        number += 1
        candidate = place.with_name(f"{place.name}-{number}")
    return candidate
