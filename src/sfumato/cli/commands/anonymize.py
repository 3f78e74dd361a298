"""Make the release that a job file describes."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

import sfumato as sf
from sfumato.cli import output as out
from sfumato.cli.command import EXIT_CODES, Answer, command
from sfumato.cli.options import Details, Place, path
from sfumato.data.labels.numbers import NumberColumns
from sfumato.data.values import MISSING_TEXT, published_text
from sfumato.progress import stopped_early

OPEN = "open"  # the end of a range, where no number stands for it

REFUSED = {
    "failed": "An attack succeeded: nothing was written.",
    "undecided": "Not shown to be safe: nothing was written; --allow-undecided writes it anyway.",
}
WHAT_HELPS = "What helps: docs/attacks.md, When an attack succeeds."


class _NotPublished(Exception):  # noqa: N818  (no error: it leaves the block that would publish)
    """What was attacked is not to be published."""


@command(place=2)
def anonymize(
    job: Annotated[
        Path, typer.Argument(help="The job file: source, roles, criteria, method.", readable=False)
    ],
    output: Annotated[
        Place | None,
        typer.Option(
            help="Where the release goes, instead of where the job says: a new directory, or a new "
            "table, postgresql://host/database#schema.table.",
            parser=path,
            metavar="<path>",
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Decide, attack, show the first rows as published; write nothing."
        ),
    ] = False,
    no_audit: Annotated[
        bool,
        typer.Option("--no-audit", help="Write it without attacking it first; it says so."),
    ] = False,
    allow_undecided: Annotated[
        bool,
        typer.Option(
            "--allow-undecided",
            help="Write also what is neither shown safe nor broken (exit code 0); it says so.",
        ),
    ] = False,
    risk: Annotated[str | None, typer.Option(hidden=True)] = None,
    details: Details = False,
    experiment: Annotated[
        bool, typer.Option("--experiment", help="Save what a seed decided; not for publication.")
    ] = False,
    show_values: bool = False,
) -> Answer:
    """Make the release that a job file describes, attack it, and publish it if nothing succeeds.

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

    memory = "4GB" says what may be used; a table that does not fit is decided in pieces
    (docs/large.md). Without [method] it is chosen by the criteria: local, and where they are about
    values one that gives nothing away to who knows it. A column without a role is dropped.
    docs/methods.md lists criteria and methods; names in a job file are theirs in small letters with
    underscores, such as greedy_grouping.

    The files are written in private and attacked there; only if every promise is shown to be kept
    do these very files get their name. Some attacks can be run by the process that made the
    release alone, so later is too late for them. An output postgresql://host/database#schema.table
    is a table that is made, read back and attacked in one transaction: nobody sees it before.

    Exit code 1: an attack succeeded. 5: undecided, since an attack could not be run, or none that
    knows the method decided about values; with --allow-undecided the release is written, and the
    exit code is 0. 3: no release satisfies the criteria. A dry run has the same exit codes; rows of
    what would not be published are shown on a terminal and with --show-values only.
    """  # noqa: D301  (the backslash keeps the lines of the example apart)
    from sfumato.files.toml_text import toml_value
    from sfumato.job import Job

    if allow_undecided and no_audit:
        raise sf.BadInput(
            "--allow-undecided is about what the audit finds, and --no-audit asks for none; "
            "drop one of them"
        )
    if risk is not None:
        line = f"max_risk = {{ risk = {toml_value(risk)} }}"
        raise sf.BadInput(
            f"--risk: what a release promises stands in its job file; write below [[criteria]] in "
            f"{job}: {line}; sfumato init --risk proposes a job with it"
        )
    given = Job.load(job, undecided=dry_run)
    target = output or given.output
    if not dry_run:  # what is known to fail fails before the work
        _refuse_taken(target, given.format)
        if given.method.experiment and not experiment:
            raise sf.BadInput(
                f"{job}: the method has a seed, so its chances can be repeated; drop it, or "
                "pass --experiment for what is not for publication"
            )
    report, code = None, 0
    rows: dict[str, list[dict[str, str | None]]] = {}
    numbers: Mapping[str, NumberColumns] = {}

    def attacked(release: sf.Release) -> None:
        """Attack what was written, and say whether it is not to be published."""
        nonlocal report, code
        report = sf.audit(release)
        _ = report.way_out  # with the progress of its tries
        allowed = report.verdict == "undecided" and allow_undecided
        code = 0 if allowed else EXIT_CODES[report.verdict]

    with out.progress(), suppress(_NotPublished):
        release = sf.anonymize(
            given.table(),
            given.criterion,
            given.method,
            untouched_identify=given.untouched_identify,
            numbers=given.numbers,
            context=given.context,
        )
        summary = release.summary()
        if dry_run:
            if not no_audit:
                attacked(release)
            rows = _texts(release.first_rows())
            numbers = release.description.numbers
        elif no_audit:
            release.save(target, given.format, experiment=experiment)
        else:
            with release.saving(target, given.format, experiment=experiment):
                attacked(release)
                if code:
                    raise _NotPublished

    def to_json() -> dict[str, object]:
        written = summary.to_json()
        written["output"] = None if dry_run or code else str(target)
        if dry_run:  # rows of what would not be published are no public ones
            written["first_rows"] = rows if show_values or not code else None
        return written if report is None else written | {"audit": report.to_json()}

    def show() -> None:
        if details or report is None:
            out.print_summary(summary, str(job), details=details)
        if stopped_early():
            out.say("Note: Ctrl-C ended the search; this is the best that it had found by then.")
            if report is not None and report.verdict == "undecided" and release.interrupted:
                out.say(
                    "Nobody can run it again to the same place, so what it tells who knows the "
                    "method is undecided; give it a budget in nodes, which can be repeated."
                )
        if summary.lost:
            out.say(
                f"Note: {given.method} leaves nothing of {', '.join(summary.lost)}; another "
                "method or a weaker promise may keep more (docs/methods.md, If nobody names a "
                "method)."
            )
        if dry_run and (show_values or not code or out.is_watched()):
            for table, shown in rows.items():
                title = f"First rows of {table}, as they would be published"
                out.print_rows(title, [*shown[0]], _cells(shown, numbers))
        if report is not None:
            published, noticed = summary.sentences
            said = [published, *report.sentences, noticed]
            title = "Attacked" if details else str(job)
            out.print_audit(report, title, details=details, sentences=said, job=job)
        if dry_run and isinstance(target, Path) and target.exists():
            out.say(f"Note: {target} exists already; without --dry-run this job is refused.")
        if report is not None and code:
            out.say(REFUSED[report.verdict])
            out.say(WHAT_HELPS)
        elif dry_run:
            out.say("Dry run: nothing was written.")
        else:
            out.say(f"The release is in {target}.")
            if report is None:
                out.say(
                    "It was not attacked before it was published, and release.json says so. "
                    "What attacks find now:"
                )
                out.say_command(f"sfumato audit {quote(str(target))} --original {quote(str(job))}")
            elif report.verdict == "undecided":
                out.say("It was not shown to be safe, and release.json says so.")

    return Answer(to_json, show, code)


def _refuse_taken(target: Place, files: str | None) -> None:
    """Refuse a place where something is already, or where nothing can be made."""
    from sfumato.files.staged import refuse_taken
    from sfumato.parameters import release_place
    from sfumato.release.placing_tables import refuse_format, refuse_taken_table

    place = release_place("--output", target)
    if isinstance(place, Path):
        with suppress(OSError):
            refuse_taken(place)
    else:
        refuse_format(files)
        refuse_taken_table(place)


def _cells(
    rows: list[dict[str, str | None]], numbers: Mapping[str, NumberColumns]
) -> list[list[str]]:
    """Give rows for a person to read; of a range, a number that is not there is an open end."""
    shown = []
    for row in rows:
        told = {name: MISSING_TEXT if text is None else text for name, text in row.items()}
        for column, each in numbers.items():
            text = each.text([row[n] for n in each.names]) if each.instead else row[column]
            told |= {n: OPEN for n in each.names if text is not None and row[n] is None}
        shown.append([*told.values()])
    return shown


def _texts(rows: dict[str, list[dict[str, object]]]) -> dict[str, list[dict[str, str | None]]]:
    """Give published rows as text, table by table."""
    return {
        table: [{name: published_text(value) for name, value in row.items()} for row in shown]
        for table, shown in rows.items()
    }
