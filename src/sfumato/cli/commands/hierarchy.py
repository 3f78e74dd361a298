"""Look at hierarchies, and write them down."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

import sfumato as sf
from sfumato.cli import output as out
from sfumato.cli.command import Answer, command, group
from sfumato.cli.subject import Subject
from sfumato.files.paths import reason, write_private
from sfumato.text import counted

MOST_NAMED = 10  # gaps

about_hierarchies = group("hierarchy", "Look at the hierarchies of a job, and write them down.")
JobFile = Annotated[Path, typer.Argument(help="A job file (.toml).", readable=False)]
Column = Annotated[str, typer.Argument(help="A quasi-identifier, or a sensitive column.")]
Output = Annotated[Path, typer.Argument(help="A new file, for you alone.")]


@command(within=about_hierarchies)
def show(
    job: JobFile,
    column: Column,
    every: Annotated[bool, typer.Option("--all", help="Draw all nodes, however many.")] = False,
    show_values: bool = False,
) -> Answer:
    """Show the levels of a column's hierarchy as a tree, with the people of each node.

    Gaps are named: values of the data that the hierarchy lacks, and nodes that nobody is in. Names
    are values of the data: they are shown on a terminal, or with --show-values. A pipe and --json
    get numbers of nodes and people. A proposed job is shown as it is.
    """
    from sfumato.hierarchy_fit import COLUMNS, HierarchyFit

    with out.progress():
        fit = HierarchyFit.of(Subject(job, None, None).job(undecided=True).table(), column)
    values = show_values or (sys.stdout is not None and sys.stdout.isatty())

    def shown() -> None:
        out.print_rows(f"{column}: {fit.heading}", COLUMNS, fit.rows)
        if values:
            for line in fit.lines(every=every):
                out.say(line)
        for gap in fit.gaps:
            out.say(f"Gap: {gap}")
        if values:
            _name("Not in the hierarchy", [*map(str, fit.lacking)])
            _name("Nobody's", [node.name for node in fit.nobodys])
        else:
            out.say("A terminal, or --show-values, gets the tree with its names.")

    return Answer(lambda: fit.to_json(values=show_values), shown)


@command(within=about_hierarchies)
def export(job: JobFile, column: Column, output: Output) -> Answer:
    """Write a column's hierarchy over the values of the data as a CSV file in ARX's format.

    One row for each value, one field for each level, no header. A job file reads it again as
    csv = "FILE".
    """
    from sfumato.hierarchy_fit import rule_of

    with out.progress():
        table = Subject(job, None, None).job().table()
        rule, values = rule_of(table, column), [*table.people_by_value(column)]
        rule.grow(column, values)  # which names the column if they do not fit
        rule.to_csv(output, values)
    return _written(output)


@command(within=about_hierarchies)
def propose(job: JobFile, column: Column, output: Output) -> Answer:
    """Write a tree over the values of a column, as a start for you to edit.

    Codes are grouped by letters and numbers, words by their beginnings. FILE.toml is a table for
    the job file, FILE.csv is in ARX's format. A tree is public: names of its nodes will stand in
    releases.
    """
    from sfumato.hierarchy_fit import rule_of

    with out.progress():
        table = Subject(job, None, None).job().table()
        rule_of(table, column)
        people = table.people_by_value(column)
        tree = sf.Tree.from_values(people, people.values())
        if output.suffix == ".toml":
            role = (
                "quasi_identifiers" if column in table.schema.quasi_identifiers else "hierarchies"
            )
            try:
                write_private(output, tree.to_toml("columns", role, column) + "\n")
            except OSError as error:
                raise sf.BadInput(f"{output}: cannot write: {reason(error)}") from None
        else:
            tree.to_csv(output)
    return _written(output)


def _written(output: Path) -> Answer:
    return Answer(
        lambda: {"output": str(output)},
        lambda: out.say(f"The hierarchy is in {output}, for you alone: it holds values."),
    )


def _name(what: str, names: list[str]) -> None:
    if names:
        more = counted(len(names) - MOST_NAMED, "other") if len(names) > MOST_NAMED else ""
        out.say(f"{what}: {', '.join(names[:MOST_NAMED])}{f', and {more}' if more else ''}")
