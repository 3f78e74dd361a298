"""Make the release that a job file describes."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

import sfumato as sf
from sfumato.cli import output as out
from sfumato.cli.command import EXIT_CODES, Answer, command

REFUSED = {
    "failed": "An attack succeeded: nothing was written.",
    "undecided": "Not shown to be safe: nothing was written; --allow-undecided writes it anyway.",
}
WHAT_HELPS = "What helps: docs/attacks.md, When an attack succeeds."
AGAINST_THE_METHOD = (
    "Against who knows the method: Checked, which forms groups by quasi-identifiers alone "
    "(docs/methods.md), Mondrian with look_ahead, or the two tables of Anatomy."
)


@command(place=2)
def anonymize(
    job: Annotated[
        Path, typer.Argument(help="The job file: source, roles, criteria, method.", readable=False)
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Decide and summarize, but write nothing.")
    ] = False,
    audit: Annotated[
        bool,
        typer.Option(
            "--audit", help="Attack it first; write nothing unless it is shown to be safe."
        ),
    ] = False,
    allow_undecided: Annotated[
        bool,
        typer.Option(
            "--allow-undecided",
            help="With --audit: write also what is neither shown safe nor broken (exit code 0).",
        ),
    ] = False,
    experiment: Annotated[
        bool, typer.Option("--experiment", help="Save what a seed decided; not for publication.")
    ] = False,
) -> Answer:
    """Make the release that a job file describes.

    The job file is TOML:

    \b
        source = "patients.csv"
        output = "out/2026-q1"
        [columns]
        identifiers = ["name"]
        sensitive = ["disease"]
        [columns.quasi_identifiers]
        age = { intervals = [5, 10, 20] }
        zip = { prefix = true }
        sex = { tree = ["female", "male", "other"] }
        [[criteria]]
        k_anonymity = { k = 5 }
        [method]
        mondrian = {}

    Without [method] it is chosen by the criteria: mondrian, and where they are about values one
    that gives nothing away to who knows it. A column without a role is dropped. docs/methods.md
    lists criteria and methods; names in a job file are theirs in small letters with underscores,
    such as greedy_grouping. Some attacks can be run by the process that made the release alone:
    --audit runs them.

    With --audit: exit code 1: an attack succeeded. 5: undecided, since an attack could not be run,
    or none that knows the method decided about values; with --allow-undecided the release is
    written, and the exit code is 0. Always: 3: no release satisfies the criteria.
    """  # noqa: D301  (the backslash keeps the lines of the example apart)
    from sfumato.files.staged import refuse_taken
    from sfumato.job import Job

    if allow_undecided and not audit:
        raise sf.BadInput("--allow-undecided is about what --audit finds; pass both, or neither")
    given = Job.load(job, undecided=dry_run)
    if not dry_run:  # what is known to fail fails before the work
        with suppress(OSError):
            refuse_taken(given.output)
        if given.method.experiment and not experiment:
            raise sf.BadInput(
                f"{job}: the method has a seed, so its chances can be repeated; drop it, or "
                "pass --experiment for what is not for publication"
            )
    with out.progress():
        release = sf.anonymize(
            given.table(),
            given.criterion,
            given.method,
            untouched_identify=given.untouched_identify,
        )
        summary = release.summary()
        report = sf.audit(release) if audit else None
        way_out = None if report is None else report.way_out  # with the progress of its tries
        code = 0 if report is None else EXIT_CODES[report.verdict]
        if report is not None and report.verdict == "undecided" and allow_undecided:
            code = 0
        if not dry_run and not code:
            release.save(given.output, given.format, experiment=experiment)

    def to_json() -> dict[str, object]:
        written = summary.to_json()
        written["output"] = None if dry_run or code else str(given.output)
        return written if report is None else written | {"audit": report.to_json()}

    def show() -> None:
        out.print_summary(summary, str(job))
        if summary.lost:
            out.say(
                f"Note: {given.method} leaves nothing of {', '.join(summary.lost)}; another "
                "method or a weaker promise may keep more (docs/methods.md, If nobody names a "
                "method)."
            )
        if report is not None:
            out.print_audit(report, "Attacked")
        if dry_run and given.output.exists():
            out.say(f"Note: {given.output} exists already; without --dry-run this job is refused.")
        if report is not None and code:
            out.say(REFUSED[report.verdict])
            out.say(WHAT_HELPS)
            if way_out is None:
                out.say(AGAINST_THE_METHOD)
        elif dry_run:
            out.say("Dry run: nothing was written.")
        else:
            out.say(f"The release is in {given.output}.")
            if report is None:
                release_and_job = f"{quote(str(given.output))} --original {quote(str(job))}"
                out.say(f"Not attacked: sfumato audit {release_and_job}, or --audit next time.")

    return Answer(to_json, show, code)
