"""Measure a table as it is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import typer

import sfumato as sf
from sfumato.cli import output as out
from sfumato.cli.command import UNDECIDED, UNSAFE, Answer, command
from sfumato.cli.options import (
    NOTHING,
    Alike,
    Kind,
    Person,
    Place,
    QuasiIdentifiers,
    Reading,
    Risk,
    Sensitive,
    as_options,
    path,
)
from sfumato.cli.subject import Subject, is_release_at


@command(place=3)
def check(
    source: Annotated[
        Place,
        typer.Argument(
            help="A CSV, Parquet, Excel, SPSS, Stata or SAS file, a job file (.toml), a saved "
            "release, or the address of a table, which may be a release, too: "
            "postgresql://host/database#schema.table.",
            parser=path,
        ),
    ],
    quasi_identifiers: QuasiIdentifiers = None,
    sensitive: Sensitive = None,
    person: Person = None,
    alike: Alike = None,
    reading: Reading = NOTHING,
    k: Annotated[int | None, typer.Option("-k", help="Require k-anonymity.")] = None,
    l: Annotated[str | None, typer.Option("-l", help="Require l-diversity.")] = None,
    kind: Kind = "distinct",
    risk: Risk = None,
    drivers: Annotated[
        bool,
        typer.Option(
            "--drivers",
            help="Also say which columns make people recognizable, and what one more level on "
            "one of them would buy.",
        ),
    ] = False,
    safe_harbor: Annotated[
        bool,
        typer.Option(
            "--safe-harbor",
            help="List what HIPAA's safe harbour, 45 CFR 164.514(b)(2), would object to.",
        ),
    ] = False,
    zip_populations: Annotated[
        Path | None,
        typer.Option(
            help="For --safe-harbor: a CSV file with the columns zip3 and population.",
            readable=False,
        ),
    ] = None,
    show_values: bool = False,
) -> Answer:
    """Measure a table as it is: raw data, a release, or another tool's output.

    Of a table without any option the columns are listed, with the roles that sfumato init would
    propose. Without a requirement k-anonymity, l-diversity and t-closeness are measured. With -k,
    -l or --risk, with a job file (its criteria), or with a saved release (its promise), the exit
    code is 1 when something is not kept, and 5 when there is no verdict about a part. Files may be
    delimited by , ; | or tab.

    How many people are in groups of which size is drawn, with the risks of being recognized that
    rules name; of a job that has a release, before and after.

    With --safe-harbor names and values of columns are held against HIPAA's eighteen kinds of
    identifiers, and nothing is measured: the exit code is 1 for objections, 5 where something could
    not be checked.
    """
    from sfumato.risk import DEFAULT_K

    subject = Subject(
        source, quasi_identifiers, sensitive, k, l, kind, risk, person, alike, reading
    )
    criterion = subject.criterion
    if safe_harbor:
        asked = (quasi_identifiers, sensitive, person, alike, criterion, drivers or None)
        if any(each is not None for each in asked):
            raise sf.BadInput(
                "--safe-harbor looks at names and values of columns alone; leave -q, -s, --person, "
                "--alike, -k, -l, --risk and --drivers out"
            )
        return _harbour(subject, zip_populations, values=show_values)
    if zip_populations is not None:
        raise sf.BadInput("--zip-populations is for --safe-harbor; give that, too")
    table = driven = None
    title = str(source)
    with out.progress():
        if subject.is_release:
            if drivers:
                raise sf.BadInput("--drivers is about the original: give its file, or the job file")
            measured = sf.load(source).check(criterion)
        elif subject.is_unknown and not drivers:
            return _proposed(sf.propose(source, **reading), source, reading)
        elif subject.is_job:
            job = subject.job(undecided=True)
            table = job.table()
            measured = sf.check(table, criterion or job.criterion)
            measured = _beside_release(measured, table, job.output)
            title = f"{table.source.name}, the source of {source}"
        else:
            table = subject.table()
            measured = sf.check(table, criterion)
        if drivers and table is not None:
            driven = sf.drivers(table, k=k or DEFAULT_K)

    def to_json() -> dict[str, Any]:
        written = measured.to_json()
        return written if driven is None else written | {"drivers": driven.to_json()}

    def show() -> None:
        out.print_check(measured, title)
        if measured.risk is not None:
            out.print_risk(measured.risk)
        if driven is not None:
            out.print_drivers(driven, "What drives the risk")

    shown = measured.holds or not measured.asked  # without a requirement it only measures
    code = UNSAFE if measured.failed else 0 if shown else UNDECIDED
    return Answer(to_json, show, code)


def _harbour(subject: Subject, zip_populations: Path | None, *, values: bool) -> Answer:
    """List objections, what could not be checked, and what this does not say."""
    source = subject.source
    with out.progress():
        if subject.is_release:
            found = sf.safe_harbor(sf.load(source), zip_populations)
        elif subject.is_job:
            found = sf.safe_harbor(subject.job(undecided=True).table(), zip_populations)
        else:
            found = sf.safe_harbor(source, zip_populations, **subject.reading)

    def show() -> None:
        out.say(f"{source}: {found.heading}.")
        for sentence in found.sentences(values=values):
            out.say(sentence, indent="  ")

    code = UNSAFE if found.objections else UNDECIDED if found.not_checked else 0
    return Answer(lambda: found.to_json(values=values), show, code)


def _beside_release(measured: sf.Check, table: sf.Table, output: Place) -> sf.Check:
    """Count people by the size of their group also in the release of a job, if there is one."""
    from sfumato.files.staged import DESCRIPTION
    from sfumato.release.people_by_risk import BEFORE, PeopleByRisk

    if not is_release_at(output / DESCRIPTION if isinstance(output, Path) else output):
        return measured
    before = {BEFORE: table.alike_as_read()}
    try:
        release = sf.load(output)
        known = {*release.description.quasi_identifiers}
        if known != {*table.schema.quasi_identifiers}:
            raise sf.BadInput("it has other quasi-identifiers than the job")
        after = release.risk()
    except sf.BadInput as error:
        risk = PeopleByRisk(before, notes=(f"After: not counted in {output}: {error}.",))
    else:
        risk = replace(after, states={**before, **after.states})
    return replace(measured, risk=risk)


def _proposed(proposal: sf.Proposal, source: Place, reading: Reading) -> Answer:
    """Say what the columns are and might be, where nobody said so."""
    place = quote(str(source))
    columns = ",".join(proposal.quasi_identifiers) or "COLUMNS"
    # What was found is declared by whoever runs it, beside what was declared already.
    options = as_options({**proposal.settings.spec(), **reading})
    measuring = " ".join(filter(None, ["sfumato check", place, options, "-q", quote(columns)]))
    proposing = " ".join(filter(None, ["sfumato init", place, as_options(reading)]))

    def show() -> None:
        out.print_proposal(proposal)
        out.say("Nothing was measured, since nobody said which columns others may know. Say so:")
        if not any("," in name for name in proposal.quasi_identifiers):  # -q would part them
            out.say(measuring)
            out.say("or have a job file written, with reasons:")
        out.say(proposing)

    return Answer(proposal.to_json, show)
