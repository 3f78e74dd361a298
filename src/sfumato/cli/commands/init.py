"""Propose a job for a file."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import typer

import sfumato as sf
from sfumato.cli import output as out
from sfumato.cli.command import Answer, command
from sfumato.cli.options import NOTHING, Place, Reading, Risk, path


@command(place=1)
def init(
    source: Annotated[
        Place,
        typer.Argument(
            help="A file: CSV, Parquet, or what sf.read takes; or the address of a table, "
            "postgresql://host/database#schema.table.",
            parser=path,
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where the job file is written.")
    ] = Path("job.toml"),
    series: Annotated[
        bool,
        typer.Option("--series", help="A job that starts a series: for sfumato publish --job."),
    ] = False,
    risk: Risk = None,
    reading: Reading = NOTHING,
    show_values: bool = False,
) -> Answer:
    """Look at a file and write a job file for you to edit.

    How the file is read is proposed too, where no option says it. Every column gets a proposed
    role with its reason, every quasi-identifier a hierarchy with an example of each level, the
    table a promise (of --risk, or groups of five) and a method. Nothing is decided by that: every
    command but check, hierarchy show and anonymize --dry-run refuses the job file until you have
    taken out its line proposed = true. The file holds values of the table; it is readable by you
    alone, and never overwritten. What is printed has values on a terminal and with --show-values
    only.
    """
    with out.progress():
        if output.exists():
            raise sf.BadInput(
                f"{output}: exists already and is not overwritten; choose another place with "
                "--output"
            )
        proposal = sf.propose(source, risk=risk, **reading)
        proposal.save(output, series=series)
    values = show_values or out.is_watched()
    place = quote(str(source))

    def to_json() -> dict[str, Any]:
        return {**proposal.to_json(values=show_values), "job": str(output)}

    def show() -> None:
        out.print_proposal(proposal)
        out.print_rows("Why", ("column", "reason"), proposal.reasons(values=values))
        for line in proposal.conclusions:
            out.say(line)
        if series:
            out.say("The job names no method: a series has one of its own.")
        out.say(
            f"The job is in {output}, for you alone. Read it, take out the line proposed = true, "
            "then:"
        )
        if series:
            out.say_command(f"sfumato publish series/ {place} --job {quote(str(output))}")
        else:
            out.say_command(f"sfumato anonymize {quote(str(output))}")

    return Answer(to_json, show)
