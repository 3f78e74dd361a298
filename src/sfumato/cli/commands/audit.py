"""Attack a release."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

import sfumato as sf
from sfumato.cli import output as out
from sfumato.cli.command import EXIT_CODES, Answer, command
from sfumato.cli.options import (
    NOTHING,
    Alike,
    Details,
    Kind,
    Person,
    Place,
    QuasiIdentifiers,
    Reading,
    ReleaseOrFile,
    Risk,
    Sensitive,
    path,
)
from sfumato.cli.subject import Subject, criterion_of, is_directory, is_job_file


@command(place=4)
def audit(
    source: ReleaseOrFile,
    original: Annotated[
        Place | None,
        typer.Option(
            help="The table it was made from: a CSV or Parquet file, the address of a table, or "
            "the job file (.toml) that also knows its hierarchies.",
            parser=path,
            metavar="<path>",
        ),
    ] = None,
    external: Annotated[
        Place | None,
        typer.Option(
            help="A list of people that an adversary may have.", parser=path, metavar="<path>"
        ),
    ] = None,
    earlier: Annotated[
        list[Place] | None,
        typer.Option(
            help="An earlier release of the same people: a saved one, or another tool's file or "
            "table with the same columns. Give it once for each; those of a series are found "
            "without.",
            parser=path,
            metavar="<path>",
        ),
    ] = None,
    quasi_identifiers: QuasiIdentifiers = None,
    sensitive: Sensitive = None,
    person: Person = None,
    alike: Alike = None,
    reading: Reading = NOTHING,
    k: Annotated[int | None, typer.Option("-k", help="k-anonymity was promised.")] = None,
    l: Annotated[str | None, typer.Option("-l", help="l-diversity was promised.")] = None,
    kind: Kind = "distinct",
    risk: Risk = None,
    enforced: Annotated[
        list[str] | None,
        typer.Option(
            help="What the publisher kept to, where that is stricter than what was promised, as "
            "job files say it: 'l_diversity = { l = 3 }'. Give it once for each part.",
        ),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Write report.html and report.json into this directory.")
    ] = None,
    framework: Annotated[
        str | None,
        typer.Option(
            help="Whose headings the report has: gdpr, hipaa, ema or 27559 (ISO/IEC). They say "
            "where to look, not that anything is met.",
        ),
    ] = None,
    steward: Annotated[
        bool,
        typer.Option(
            "--steward",
            help="Say who is worst off, and write the report for the steward (private!).",
        ),
    ] = False,
    details: Details = False,
) -> Answer:
    """Attack a release in every way that applies, and set what is found beside what was promised.

    A job file stands for the release it made, with its source as the original. Of another tool's
    file say which columns others may know (-q), which must stay unknown (-s), and what was
    promised (-k, -l, --risk).

    Exit code 0: what was promised is shown to be safe, or nothing was promised and nobody is
    certain. 1: an attack succeeds. 5: undecided, since an attack could not be run, or none that
    knows the method decided about values; the heading says which.
    """
    from sfumato.files.reports import refuse_unwritable
    from sfumato.report.page.frameworks import refuse_unknown

    subject = Subject(
        source,
        quasi_identifiers,
        sensitive,
        k,
        l,
        kind,
        risk,
        person,
        alike,
        reading,
        others=(original, external, *(each for each in earlier or [] if not is_directory(each))),
    )
    criterion, job = subject.criterion, _job(source, original)
    refuse_unknown(framework)
    if framework is not None and report is None:
        raise sf.BadInput("--framework chooses headings of a report: give --report with it")
    if report is not None and report.exists() and not report.is_dir():
        raise sf.BadInput(f"{report}: is a file; give a directory for the report")
    with out.progress():
        if subject.is_release and criterion is not None:
            raise sf.BadInput(f"{source}: a release says what it promised; drop -k, -l, --risk")
        release, known = subject.released(original)
        if report is not None:
            refuse_unwritable(report, private=steward)  # before the work
        audited = sf.audit(
            release,
            known,
            criterion=criterion,
            external=subject.opened(external),
            earlier=[subject.as_published(each) for each in earlier or []],
            enforced=criterion_of(enforced, "--enforced"),
        )
        _ = audited.way_out  # with the progress of its tries
        page = None
        if report is not None:
            page = audited.save(
                report,
                private=steward,
                framework=framework,
                job=job,
                command=shlex.join(["sfumato", *sys.argv[1:]]),
            )

    def show() -> None:
        out.print_audit(audited, str(source), details=details, steward=steward, job=job)
        for note in subject.notes:
            out.say(note)
        if audited.target.original is not None and not steward:
            out.say("Numbers of the original stand in this, so it is for the steward.")
        if page is not None:
            readers = "the steward's" if steward else "made from nothing but what is published"
            out.say(f"The report is in {page} ({readers}).")

    if page is not None and not steward and audited.public().verdict != audited.verdict:
        out.complain("note: the public report knows less than this audit; its verdict differs")
    measured_only = audited.target.criterion is None and audited.verdict == "undecided"
    code = 0 if measured_only else EXIT_CODES[audited.verdict]
    return Answer(lambda: audited.to_json(private=steward), show, code)


def _job(source: Place, original: Place | None) -> Path | None:
    """Find the job file that made the release, if it was given."""
    return next((each for each in (source, original) if is_job_file(each)), None)
