"""Say how much an adversary has to know."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import sfumato as sf
from sfumato.cli import output as out
from sfumato.cli.command import Answer, command
from sfumato.cli.options import (
    NOTHING,
    Alike,
    Person,
    QuasiIdentifiers,
    Reading,
    ReleaseOrFile,
    Sensitive,
)
from sfumato.cli.subject import Subject


@command(place=5)
def skyline(
    source: ReleaseOrFile,
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
    alike: Alike = None,
    reading: Reading = NOTHING,
    output: Annotated[
        Path | None, typer.Option(help="Also write skyline.html and .json into this directory.")
    ] = None,
    steward: Annotated[
        bool,
        typer.Option("--steward", help="Say who would be given away, and by what (private!)."),
    ] = False,
) -> Answer:
    """Say how much an adversary has to know to be sure of somebody's sensitive value.

    A point (l, k, m) is an amount: up to l values ruled out for the target, k other people whose
    values are known, m relatives who have the value only if the target has it. Where people have
    sets of values: l values that come only together with it, k people without it. Whoever knows no
    more than at a point is not that sure of anybody; one fact more can be enough, and the table
    says how sure it makes. Of another tool's file say which columns others may know (-q) and
    which must stay unknown (-s).
    """
    from sfumato.files.reports import refuse_unwritable

    if output is not None:
        refuse_unwritable(output)
    with out.progress():
        subject = Subject(
            source,
            quasi_identifiers,
            sensitive,
            person=person,
            alike=alike,
            reading=reading,
            others=(original,),
        )
        release, known = subject.released(original)
        frontier = sf.knowledge_skyline(release, value, confidence, attribute, original=known)
        page = None if output is None else frontier.save(output)

    def show() -> None:
        out.print_skyline(frontier, str(source), steward=steward)
        if steward:
            out.say("Who would be given away stands in this, so it is for the steward.")
        if page is not None:
            less = ", without who would be given away" if steward else ""
            out.say(f"The same{less} is a page in {page}, with the numbers beside it.")

    return Answer(lambda: frontier.to_json(private=steward), show)
