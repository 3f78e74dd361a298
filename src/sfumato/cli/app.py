"""The commands."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException

from sfumato.cli.signals import stoppable
from sfumato.errors import one_line


class OneLine(TyperGroup):
    """Wrong use gets one line too: what is wrong, and where to look it up."""

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run, and leave with the exit code."""
        try:
            sys.exit(super().main(*args, **extra | {"standalone_mode": False}))
        except TyperException as error:
            said = error.format_message()
            if "\n" not in said:  # else it is the help, for a command without anything
                said = f"sfumato: {one_line(said).rstrip('.')}; try --help"
            sys.stderr.write(f"{said}\n")
            sys.exit(error.exit_code)


app = typer.Typer(
    cls=OneLine,
    name="sfumato",
    help=(
        "Publish tables about people safely: make a release that keeps its promise, and check "
        "any table against one.\n\nStart with: sfumato demo"
    ),
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=True,
)

Json = Annotated[bool, typer.Option("--json", help="Print JSON on standard output instead.")]
ShowValues = Annotated[
    bool,
    typer.Option("--show-values", help="Name offending values in error messages (private!)."),
]
QuasiIdentifiers = Annotated[
    str | None,
    typer.Option("--quasi-identifiers", "-q", help="Columns that others may know: age,zip,sex"),
]
Sensitive = Annotated[
    str | None, typer.Option("--sensitive", "-s", help="Columns that must stay unknown.")
]
Person = Annotated[
    str | None,
    typer.Option(help="Column that tells people apart, where somebody has several rows."),
]
Kind = Annotated[str, typer.Option(help="Which l-diversity: distinct, entropy or frequency.")]


def main() -> None:
    """Run the command line."""
    with stoppable():
        app()


def _version(wanted: bool) -> None:
    if wanted:
        from sfumato import __version__  # noqa: PLC0415  (imports are heavy; made when needed)

        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Take the options that stand before a command."""
    del version


@app.command()
def demo(
    output: Annotated[
        Path | None, typer.Option(help="Where to put the release.  [default: out/demo]")
    ] = None,
    json: Json = False,
) -> None:
    """Anonymize the bundled census sample, check the result, and say where it is."""
    from sfumato.cli import demo as path  # noqa: PLC0415  (heavy, so imported when used)
    from sfumato.cli.output import failures  # noqa: PLC0415

    with failures():
        path.demo(output, json=json)


@app.command()
def anonymize(
    job: Annotated[
        Path, typer.Argument(help="The job file: source, roles, criteria, method.", readable=False)
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Decide and summarize, but write nothing.")
    ] = False,
    audit: Annotated[
        bool,
        typer.Option("--audit", help="Attack it first; if an attack succeeds, write nothing."),
    ] = False,
    experiment: Annotated[
        bool, typer.Option("--experiment", help="Save what a seed decided; not for publication.")
    ] = False,
    json: Json = False,
    show_values: ShowValues = False,
) -> None:
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

    A column without a role is dropped. docs/methods.md lists criteria and methods; names in a job
    file are theirs in small letters with underscores, such as greedy_grouping. Some attacks can be
    run by the process that made the release alone: --audit runs them.

    Exit code 1: an attack succeeded (with --audit). 3: no release satisfies the criteria.
    """  # noqa: D301  (the backslash keeps the lines of the example apart)
    from sfumato.cli import commands  # noqa: PLC0415  (heavy, so imported when used)
    from sfumato.cli.output import failures  # noqa: PLC0415

    with failures(show_values=show_values):
        commands.anonymize(job, dry_run=dry_run, audited=audit, experiment=experiment, json=json)


@app.command()
def check(
    source: Annotated[
        Path,
        typer.Argument(
            help="A CSV or Parquet file, a job file (.toml), or a saved release.", readable=False
        ),
    ],
    quasi_identifiers: QuasiIdentifiers = None,
    sensitive: Sensitive = None,
    person: Person = None,
    k: Annotated[int | None, typer.Option("-k", help="Require k-anonymity.")] = None,
    l: Annotated[str | None, typer.Option("-l", help="Require l-diversity.")] = None,
    kind: Kind = "distinct",
    drivers: Annotated[
        bool,
        typer.Option(
            "--drivers",
            help="Also say which columns make people recognizable, and what one more level on "
            "one of them would buy.",
        ),
    ] = False,
    json: Json = False,
    show_values: ShowValues = False,
) -> None:
    """Measure a table as it is: raw data, a release, or another tool's output.

    Without a requirement k-anonymity, l-diversity and t-closeness are measured. With -k or -l,
    with a job file (its criteria), or with a saved release (its promise), the exit code is 1 when
    something is not kept. Files may be delimited by , ; | or tab.
    """
    from sfumato.cli import commands  # noqa: PLC0415  (heavy, so imported when used)
    from sfumato.cli.output import failures  # noqa: PLC0415

    with failures(show_values=show_values):
        subject = commands.Subject(source, quasi_identifiers, sensitive, k, l, kind, person)
        commands.check(subject, drivers=drivers, json=json)


@app.command()
def audit(
    source: Annotated[
        Path,
        typer.Argument(
            help="A saved release, a job file (.toml), or another tool's CSV or Parquet file.",
            readable=False,
        ),
    ],
    original: Annotated[
        Path | None,
        typer.Option(
            help="The table it was made from: a CSV or Parquet file, or the job file (.toml) that "
            "also knows its hierarchies.",
            readable=False,
        ),
    ] = None,
    external: Annotated[
        Path | None,
        typer.Option(help="A list of people that an adversary may have.", readable=False),
    ] = None,
    earlier: Annotated[
        list[Path] | None,
        typer.Option(
            help="An earlier release of the same people: a saved one, or another tool's file with "
            "the same columns. Give it once for each; those of a series are found without.",
            readable=False,
        ),
    ] = None,
    quasi_identifiers: QuasiIdentifiers = None,
    sensitive: Sensitive = None,
    person: Person = None,
    k: Annotated[int | None, typer.Option("-k", help="k-anonymity was promised.")] = None,
    l: Annotated[str | None, typer.Option("-l", help="l-diversity was promised.")] = None,
    kind: Kind = "distinct",
    report: Annotated[
        Path | None, typer.Option(help="Write report.html and report.json into this directory.")
    ] = None,
    steward: Annotated[
        bool,
        typer.Option(
            "--steward",
            help="Say who is worst off, and write the report for the steward (private!).",
        ),
    ] = False,
    json: Json = False,
    show_values: ShowValues = False,
) -> None:
    """Attack a release in every way that applies, and set what is found beside what was promised.

    A job file stands for the release it made, with its source as the original. Of another tool's
    file say which columns others may know (-q), which must stay unknown (-s), and what was
    promised (-k, -l). Exit code 1: an attack succeeds.
    """
    from sfumato.cli import commands  # noqa: PLC0415  (heavy, so imported when used)
    from sfumato.cli.output import failures  # noqa: PLC0415

    with failures(show_values=show_values):
        commands.audit(
            commands.Subject(source, quasi_identifiers, sensitive, k, l, kind, person),
            original,
            external,
            earlier or [],
            report=report,
            steward=steward,
            json=json,
        )


@app.command()
def skyline(
    source: Annotated[
        Path,
        typer.Argument(
            help="A saved release, a job file (.toml), or another tool's CSV or Parquet file.",
            readable=False,
        ),
    ],
    value: Annotated[
        str | None, typer.Option(help="The sensitive value.  [default: any of the column]")
    ] = None,
    confidence: Annotated[
        str, typer.Option(help="How sure is too sure: 0.95, or a fraction.")
    ] = "0.95",
    attribute: Annotated[
        str | None, typer.Option(help="The sensitive column, when there are several.")
    ] = None,
    original: Annotated[
        Path | None,
        typer.Option(help="The table it was made from, to name people (private!).", readable=False),
    ] = None,
    quasi_identifiers: QuasiIdentifiers = None,
    sensitive: Sensitive = None,
    person: Person = None,
    output: Annotated[
        Path | None, typer.Option(help="Also write skyline.html and .json into this directory.")
    ] = None,
    steward: Annotated[
        bool,
        typer.Option("--steward", help="Say who would be given away, and by what (private!)."),
    ] = False,
    json: Json = False,
    show_values: ShowValues = False,
) -> None:
    """Say how much an adversary has to know to be sure of somebody's sensitive value.

    A point (l, k, m) is an amount: up to l values ruled out for the target, k other people whose
    values are known, m relatives who have the value only if the target has it. Where people have
    sets of values: l values that come only together with it, k people without it. Whoever knows no
    more than at a point is not that sure of anybody; one fact more can be enough, and the table
    says how sure it makes. Of another tool's file say which columns others may know (-q) and
    which must stay unknown (-s).
    """
    from sfumato.cli import commands  # noqa: PLC0415  (heavy, so imported when used)
    from sfumato.cli.output import failures  # noqa: PLC0415

    with failures(show_values=show_values):
        commands.skyline(
            commands.Subject(source, quasi_identifiers, sensitive, person=person),
            original,
            (value, confidence, attribute),
            output=output,
            steward=steward,
            json=json,
        )


@app.command()
def publish(
    series: Annotated[Path, typer.Argument(help="The directory of the series.", readable=False)],
    batch: Annotated[
        Path | None,
        typer.Argument(
            help="New records: a CSV or Parquet file; none: those that wait, or the same as before."
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
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Decide and check it, and publish nothing.")
    ] = False,
    json: Json = False,
    show_values: ShowValues = False,
) -> None:
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

    Exit code 3: no release is safe beside the earlier ones; the message says why. Then wait for
    more records (--wait), or start a new chain (--new-chain).
    """  # noqa: D301  (the backslash keeps the lines of the example apart)
    from sfumato.cli import series as commands  # noqa: PLC0415  (heavy, so imported when used)
    from sfumato.cli.output import failures  # noqa: PLC0415

    with failures(show_values=show_values):
        commands.publish(
            series,
            batch,
            job,
            wait=wait,
            new_chain=new_chain,
            skip_known=skip_known,
            recipient=recipient,
            columns=columns,
            dry_run=dry_run,
            json=json,
        )


series_app = typer.Typer(
    cls=OneLine,
    help="Look after a series of releases.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(series_app, name="series")
Series = Annotated[Path, typer.Argument(help="The directory of the series.", readable=False)]


@series_app.command()
def status(series: Series, json: Json = False) -> None:
    """Say what the ledger says: releases, chains, batches, what waits."""
    from sfumato.cli import series as commands  # noqa: PLC0415  (heavy, so imported when used)
    from sfumato.cli.output import failures  # noqa: PLC0415

    with failures():
        commands.status(series, json=json)


@series_app.command()
def verify(series: Series, json: Json = False) -> None:
    """Tidy up after a crash, and compare every file with the ledger.

    Exit code 1: something is not as the ledger says.
    """
    from sfumato.cli import series as commands  # noqa: PLC0415  (heavy, so imported when used)
    from sfumato.cli.output import failures  # noqa: PLC0415

    with failures():
        commands.verify(series, json=json)


@series_app.command("audit")
def audit_series(
    series: Series,
    steward: Annotated[
        bool, typer.Option("--steward", help="Say who is worst off (private!).")
    ] = False,
    json: Json = False,
) -> None:
    """Attack the newest release in every way that applies, and all releases of its chain together.

    Exit code 1: an attack succeeds.
    """
    from sfumato.cli import series as commands  # noqa: PLC0415  (heavy, so imported when used)
    from sfumato.cli.output import failures  # noqa: PLC0415

    with failures():
        commands.audit(series, steward=steward, json=json)


@app.command()
def reproduce(
    paper: Annotated[
        str, typer.Argument(help="Which paper: chen2009, cormode2010, fung2008 or wong2009.")
    ],
    quick: Annotated[
        bool,
        typer.Option(
            "--quick",
            help="A look in seconds: a sample of the data at a few points, so other numbers.",
        ),
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(help="Also write the page PAPER.html and PAPER.json into this directory."),
    ] = None,
    json: Json = False,
) -> None:
    """Run a paper's experiments again and set our numbers beside the printed ones.

    On the data that comes with the package, with fixed seeds: the same numbers every time, but for
    times. What the text claims is held against what comes out, and differences are explained.

    \b
        chen2009      section 8: what adversaries may know, what withstanding
                      them costs (tables 2 and 3, figures 6 to 9); needs
                      scikit-learn (.venv/bin/pip install 'sfumato[learn]')
        cormode2010   section 5: the minimality attack on greedy and randomized
                      grouping, and COUNT queries (table 1, figures 3 to 6)
        fung2008      section 6: what two releases of a growing table give
                      away together, what safety costs (figures 1 and 2)
        wong2009      section 7.1: the minimality attack on local recoding
                      (table XXII, figure 7, the two cases)

    A full run takes minutes and can be interrupted; start with --quick.
    """  # noqa: D301  (the backslash keeps the lines of the list apart)
    from sfumato.cli import commands  # noqa: PLC0415  (heavy, so imported when used)
    from sfumato.cli.output import failures  # noqa: PLC0415

    with failures():
        commands.reproduce(paper, quick=quick, output=output, json=json)
