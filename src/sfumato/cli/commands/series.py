"""Publish again and again, and look after what was published."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli import output as out
from sfumato.cli.command import EXIT_CODES, UNSAFE, Answer, command, group
from sfumato.cli.options import Details, Place, path
from sfumato.text import count, counted, listed

if TYPE_CHECKING:
    from sfumato.series import RareValues

MOST_SHOWN = 3  # earlier releases that are compared one by one in what is printed

TRIES = (
    "attacks people and values, with all earlier releases together; what somebody learns of values "
    "who knows the method, too, it tries where people are few, and says where it cannot"
)

about_series = group("series", "Look after a series of releases.")
Series = Annotated[Path, typer.Argument(help="The directory of the series.", readable=False)]


@command(place=6)
def publish(
    series: Series,
    batch: Annotated[
        Place | None,
        typer.Argument(
            help="New records: a CSV or Parquet file, or the address of a table; none: those that "
            "wait, or the same as before.",
            parser=path,
        ),
    ] = None,
    job: Annotated[
        Path | None,
        typer.Option(
            help="A job file (.toml) that starts the series: roles, hierarchies, criteria.",
            readable=False,
        ),
    ] = None,
    wait: Annotated[
        bool, typer.Option("--wait", help="Keep the batch, and publish it with the next one.")
    ] = False,
    new_chain: Annotated[
        bool, typer.Option("--new-chain", help="Start anew, without the people so far.")
    ] = False,
    skip_known: Annotated[
        bool,
        typer.Option("--skip-known", help="Leave out rows of people who are there already."),
    ] = False,
    recipient: Annotated[
        str | None, typer.Option("--to", help="Whom the release is for; else nobody in particular.")
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(help="What they get in detail (age,sex); the rest is fully generalized."),
    ] = None,
    rare: Annotated[
        str | None,
        typer.Option(
            help="Of people whose values would cost a column: suppress, code or keep. Else: asked.",
            metavar="suppress|code|keep",
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Decide and check it, and publish nothing.")
    ] = False,
    details: Details = False,
) -> Answer:
    """Publish the next release of a series: all records so far, safe beside the earlier ones.

    \b
        sfumato publish series/ january.csv --job job.toml
        sfumato publish series/ february.csv
        sfumato publish series/ --to insurer --columns age,sex

    The first call starts the series with a job file (source and output are not needed in it).
    Releases are in series/public/001, 002, ...; series/private is for the steward alone: a ledger,
    and all batches, in which a person is a keyed hash. It happens entirely or not at all.

    With --to, a release is for one recipient. Without a new record it is of the same people as the
    last one. Each is safe beside all others, whoever has them: recipients may compare.

    People whose values are so rare that they would cost everybody a whole column are asked
    about before anything is published: leave them out (suppress), make the tails of the column one
    value (code; only where a chain begins), or do without the column (keep). Without a terminal
    say it with --rare, or once for all with max_suppressed in the job file.

    Exit code 3: no release is safe beside the earlier ones; the message says why. Then wait for
    more records (--wait), or start a new chain (--new-chain).
    """  # noqa: D301  (the backslash keeps the lines of the example apart)
    from sfumato.job import Job
    from sfumato.series import RareValues, SeriesReport, started

    terms = None if job is None else Job.for_series(job).terms()
    done = question = None
    coded: dict[str, str] = {}
    while done is None:
        if question is not None:
            rare = _answered(question, rare)
            if rare == "code":
                coded |= {e.column: e.coded.in_words() for e in question.columns if e.coded}
                terms, rare = question.terms, None
        try:
            with out.progress(), started(series, terms) as opened:
                done = opened.publish(
                    batch,
                    wait=wait,
                    new_chain=new_chain,
                    skip_known=skip_known,
                    recipient=recipient,
                    columns=None if columns is None else [c.strip() for c in columns.split(",")],
                    dry_run=dry_run,
                    rare=rare,
                    terms=terms,
                )
        except RareValues as error:
            question = error.with_traceback(None)  # nothing stays open while it is asked

    def show() -> None:
        for line in done.tidied:
            out.say(f"Tidied: {line}.")
        for column, said in [] if done.drift is None else done.drift.lines:
            out.say(f"In the batch: {column}: {said}.")
        for column, rule in coded.items():
            out.say(
                f"Coded from the start: {column}: {rule}. Write the same into the job file, if you "
                "give it again."
            )
        if done.n_rare:
            rows = counted(done.n_rare, "row")
            of = listed([each.column for each in done.rare])
            out.say(f"Left out: {rows} whose values of {of} are rare.")
            lost = () if done.summary is None else done.summary.lost
            in_vain = [each.column for each in done.rare if each.column in lost]
            if in_vain:
                out.say(
                    f"Note: nothing is left of {listed(in_vain)} all the same, for another reason "
                    "(below); with --rare keep nobody is left out."
                )
        if done.n_left_out:
            rows = counted(done.n_left_out, "row")
            out.say(f"Left out: {rows} about people who were there already.")
        read = [] if done.reading is None else done.reading.lines
        for name, said in read + ([] if done.batch is None else done.batch.lines):
            out.say(f"In the batch: {name}: {said}.")
        if done.summary is None or done.check is None:
            out.say(f"Kept for the next release: {counted(done.n_new, 'row')}.")
            return
        to = "" if done.recipient is None else f" for {done.recipient!r}"
        title = f"Release {done.number:03d} of chain {done.chain}{to}"
        out.print_summary(done.summary, title, details=details)
        for why in done.why_lost:
            out.say(f"Note: {why} (docs/series.md, What a release is worth).")
        beside = " beside all earlier releases" if done.compared else ""
        out.print_check(done.check, f"Checked{beside}")
        if done.compared:
            worst = sorted(done.compared, key=lambda each: each.fewest)[:MOST_SHOWN]
            title = "Records that the attacks leave, at least"
            if len(worst) < len(done.compared):
                title += f" (the {len(worst)} worst of {len(done.compared)} earlier releases)"
            out.print_rows(title, SeriesReport.HEADER, list(SeriesReport.rows_of(worst)))
        tried = "Compared with all earlier releases, as above" if done.compared else "Checked"
        if done.release is None:
            out.say(
                f"{tried}; no other attack was tried. Once it is published, sfumato series audit "
                f"{TRIES}."
            )
            out.say("Dry run: nothing was published.")
            return
        rare_left_out = "no rare people left out"
        if done.n_suppressed:
            rare_left_out = (
                f"rare people left out: {count(done.n_rare)} of this batch, "
                f"{count(done.n_suppressed)} of the chain so far"
            )
        out.say(
            f"Release {done.number:03d} of chain {done.chain}{to} is in {done.release}: "
            f"{counted(done.n_rows, 'row')}, {count(done.n_new)} of them new; {rare_left_out}."
        )
        out.say(f"{tried}; no other attack was tried. The audit {TRIES}:")
        out.say_command(f"sfumato series audit {quote(str(series))}")

    return Answer(done.to_json, show)


def _answered(question: RareValues, rare: str | None) -> str:
    """Say what becomes of people with rare values, or ask; refuse where nobody can be asked."""
    if rare == "code" and question.terms is not None:
        return rare
    drift = [] if question.drift is None else question.drift.lines
    lines = [f"In the batch: {column}: {said}." for column, said in drift]
    if rare is not None or not out.can_ask():
        out.tell(lines)
        raise question
    ways = list(question.ways)
    answer = out.ask([*lines, *question.questions], f"{', '.join(ways)}?", ways)
    if answer is None:
        raise question
    return answer


@command(within=about_series)
def status(series: Series) -> Answer:
    """Say what the ledger says: releases, chains, batches, what waits."""
    from sfumato.series import ReleaseSeries, Status

    overview = ReleaseSeries(series).status()

    def show() -> None:
        out.print_rows(f"{series}: {overview.heading}", Status.HEADER, list(overview.rows))
        for line in overview.unknown:
            out.say(f"PROBLEM: {line}")
        if overview.interrupted:
            out.say(
                f"A release is being published, or was interrupted: sfumato series verify {series}"
            )

    return Answer(overview.to_json, show)


@command(within=about_series)
def verify(series: Series) -> Answer:
    """Tidy up after a crash, and compare every file with the ledger.

    Exit code 1: something is not as the ledger says.
    """
    from sfumato.series import ReleaseSeries

    with out.progress():
        verified = ReleaseSeries(series).verify()

    def show() -> None:
        for line in verified.tidied:
            out.say(f"Tidied: {line}.")
        for line in verified.problems:
            out.say(f"PROBLEM: {line}")
        n = len(verified.problems)
        verdict = "all as the ledger says" if verified.holds else counted(n, "problem")
        counts = (
            f"{counted(verified.n_batches, 'batch', 'batches')}, "
            f"{counted(verified.n_releases, 'release')}"
        )
        out.say(f"{series}: {counts}: {verdict}.")

    return Answer(verified.to_json, show, 0 if verified.holds else UNSAFE)


@command(within=about_series)
def withdraw(
    series: Series,
    release: Annotated[int, typer.Argument(help="The number of the release, such as 3.")],
) -> Answer:
    """Take a release out of the public directory; it stays known to whoever has read it.

    Its files go to series/private/withdrawn, and a marker (withdrawn.json) stands in their place.
    Every later release is still made and audited beside it, and its people stay in the series.
    """
    from sfumato.series import ReleaseSeries

    done = ReleaseSeries(series).withdraw(release)

    def show() -> None:
        for line in done.tidied:
            out.say(f"Tidied: {line}.")
        to = "" if done.recipient is None else f" for {done.recipient!r}"
        out.say(
            f"Release {done.number:03d} of chain {done.chain}{to} is withdrawn: its files are in "
            f"{done.kept}, and {done.marker} says so."
        )
        out.say("Who has read it still knows it: later releases are made safe beside it.")

    return Answer(done.to_json, show)


@command(within=about_series, name="audit")
def audit_series(
    series: Series,
    steward: Annotated[
        bool, typer.Option("--steward", help="Say who is worst off (private!).")
    ] = False,
    details: Details = False,
) -> Answer:
    """Attack the newest release in every way that applies, and all releases of its chain together.

    Exit code 1: an attack succeeds. 5: undecided, which is neither shown safe nor broken.
    """
    from sfumato.series import ReleaseSeries, SeriesReport

    with out.progress():
        audited = ReleaseSeries(series).audit()

    def show() -> None:
        title = f"{series}, release {audited.newest.name}"
        out.print_audit(audited.report, title, details=details, steward=steward)
        if audited.newest.n_suppressed:
            rows = counted(audited.newest.n_suppressed, "row was", "rows were")
            out.say(
                f"{rows} left out of the chain so far, for rare quasi-identifiers, and not kept: "
                "no release depends on the sensitive values in them."
            )
        if audited.compared:
            out.print_rows(
                f"Chain {audited.newest.chain}: records that the attacks leave, at least",
                SeriesReport.HEADER,
                list(audited.rows),
            )
        out.say("Numbers of the original stand in this, so it is for the steward.")

    return Answer(lambda: audited.to_json(private=steward), show, EXIT_CODES[audited.verdict])
