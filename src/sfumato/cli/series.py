"""The commands about a series."""

from __future__ import annotations

from pathlib import Path

import typer

from sfumato.cli import output as out
from sfumato.job import Job
from sfumato.series import ReleaseSeries, SeriesReport, Status, started

UNSAFE = 1
MOST_SHOWN = 3  # earlier releases that are compared one by one in what is printed


def publish(
    place: Path,
    batch: Path | None,
    job: Path | None,
    *,
    wait: bool,
    new_chain: bool,
    skip_known: bool,
    recipient: str | None,
    columns: str | None,
    dry_run: bool,
    json: bool,
) -> None:
    """Publish the next release; start the series if there is none."""
    terms = None if job is None else Job.for_series(job).terms()
    with out.progress(), started(place, terms) as series:
        done = series.publish(
            batch,
            wait=wait,
            new_chain=new_chain,
            skip_known=skip_known,
            recipient=recipient,
            columns=None if columns is None else [name.strip() for name in columns.split(",")],
            dry_run=dry_run,
            terms=terms,
        )
    if json:
        out.print_json(done.to_json())
        return
    for line in done.tidied:
        out.say(f"Tidied: {line}.")
    if done.n_left_out:
        out.say(f"{done.n_left_out} rows about people who were there already were left out.")
    if done.summary is None or done.check is None:
        out.say(f"Kept: {done.n_new} rows wait for the next release.")
        return
    to = "" if done.recipient is None else f" for {done.recipient!r}"
    out.print_summary(done.summary, f"Release {done.number:03d} of chain {done.chain}{to}")
    lost = [name for name, loss in done.summary.numbers["loss"].items() if loss == 1]
    if lost:
        out.say(
            f"Note: nothing is left of {', '.join(lost)}: a value that too few people have keeps a "
            "whole column general (docs/series.md, What a release is worth)."
        )
    beside = " beside all earlier releases" if done.compared else ""
    out.print_check(done.check, f"Checked{beside}")
    if done.compared:
        worst = sorted(done.compared, key=lambda each: each.fewest)[:MOST_SHOWN]
        title = "Records that the attacks leave, at least"
        if len(worst) < len(done.compared):
            title += f" (the {len(worst)} worst of {len(done.compared)} earlier releases)"
        out.print_rows(title, SeriesReport.HEADER, list(SeriesReport.rows_of(worst)))
    if done.release is None:
        out.say("Dry run: nothing was published.")
        return
    out.say(
        f"Release {done.number:03d} of chain {done.chain}{to} is in {done.release}: {done.n_rows} "
        f"rows, {done.n_new} of them new, {done.n_suppressed} suppressed."
    )


def status(place: Path, *, json: bool) -> None:
    """Say what the ledger says."""
    found = ReleaseSeries(place).status()
    if json:
        out.print_json(found.to_json())
        return
    out.print_rows(f"{place}: {found.heading}", Status.HEADER, list(found.rows))
    if found.interrupted:
        out.say(f"A release is being published, or was interrupted: sfumato series verify {place}")


def verify(place: Path, *, json: bool) -> None:
    """Tidy, and compare every file with the ledger; leave with 1 when something differs."""
    with out.progress():
        found = ReleaseSeries(place).verify()
    if json:
        out.print_json(found.to_json())
    else:
        for line in found.tidied:
            out.say(f"Tidied: {line}.")
        for line in found.problems:
            out.say(f"PROBLEM: {line}")
        n = len(found.problems)
        verdict = "all as the ledger says" if found.holds else f"{n} problem{'s'[: n != 1]}"
        out.say(f"{place}: {found.n_batches} batches, {found.n_releases} releases: {verdict}.")
    if not found.holds:
        raise typer.Exit(UNSAFE)


def audit(place: Path, *, steward: bool, json: bool) -> None:
    """Attack the newest release and its chain; leave with 1 when an attack succeeds."""
    with out.progress():
        found = ReleaseSeries(place).audit()
    if json:
        out.print_json(found.to_json(private=steward))
    else:
        out.print_audit(found.report, f"{place}, release {found.newest.name}", steward=steward)
        if found.compared:
            out.print_rows(
                f"Chain {found.newest.chain}: records that the attacks leave, at least",
                SeriesReport.HEADER,
                list(found.rows),
            )
        out.say("Numbers of the original stand in this, so it is for the steward.")
    if not found.holds:
        raise typer.Exit(UNSAFE)
