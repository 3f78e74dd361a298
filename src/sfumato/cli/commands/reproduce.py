"""Run a paper's experiments again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import sfumato as sf
from sfumato.cli import output as out
from sfumato.cli.command import Answer, command


@command(place=7)
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
) -> Answer:
    """Run a paper's experiments again and set our numbers beside the printed ones.

    On the data that comes with the package, with fixed seeds: the same numbers every time, but for
    times. What the text claims is held against what comes out, and differences are explained.

    \b
        chen2009      section 8: what adversaries may know, what withstanding
                      them costs (tables 2 and 3, figures 6 to 9); needs
                      scikit-learn (.venv/bin/pip install -e '.[learn]')
        cormode2010   section 5: the minimality attack on greedy and randomized
                      grouping, and COUNT queries (table 1, figures 3 to 6)
        fung2008      section 6: what two releases of a growing table give
                      away together, what safety costs (figures 1 and 2)
        wong2009      section 7: the minimality attack, and algorithm MASK
                      (table XXII, figure 7, the two cases)

    A full run takes minutes and can be interrupted; start with --quick.
    """  # noqa: D301  (the backslash keeps the lines of the list apart)
    from sfumato.files.reports import refuse_unwritable
    from sfumato.papers import check_name

    check_name(paper)
    if output is not None:
        refuse_unwritable(output)  # before minutes of work
    with out.progress():
        reproduction = sf.reproduce(paper, quick=quick)
        page = None if output is None else reproduction.save(output)

    def show() -> None:
        out.print_reproduction(reproduction)
        if page is not None:
            out.say(f"The same as a page is in {page}, and as numbers beside it.")

    return Answer(reproduction.to_json, show)
