"""How commands speak: tables and progress for people, JSON for machines, one line for errors."""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from fractions import Fraction
from typing import Any

import typer
from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from sfumato.cli.signals import requested
from sfumato.criteria.bound import value_text
from sfumato.errors import BadInput, SfumatoError
from sfumato.files.paths import reason
from sfumato.papers import Reproduction
from sfumato.progress import listening
from sfumato.release import Check
from sfumato.release.summary import Summary
from sfumato.report import Exploration, Report
from sfumato.report.audit import COLUMNS
from sfumato.risk import Drivers

WORD = 20  # letters of a word that is not broken if there is room


class _Console(Console):
    """A console that lets us say when nobody reads what we print."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


@contextmanager
def _printing() -> Iterator[None]:
    """Say so when standard output takes no more; by then the work itself is done."""
    try:
        yield
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python will flush again
        raise BadInput(
            f"the work is done, but standard output cannot be written: {reason(error)}"
        ) from None


@_printing()
def say(text: str) -> None:
    """Write a line on standard output."""
    typer.echo(text)


def print_json(value: Any) -> None:
    """Write JSON on standard output."""
    say(json.dumps(value, indent=2, ensure_ascii=False))


@_printing()
def print_rows(title: str, header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Write a table on standard output; text is never read as markup."""
    console = _Console()
    console.print(Text(title, style="bold"))
    table = RichTable(box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    columns = [[*map(str, column)] for column in zip(header, *rows, strict=True)]
    for name, width in zip(header, _widths(columns, console.width), strict=True):
        table.add_column(Text(name), overflow="fold", width=width)
    for row in rows:
        table.add_row(*(Text(str(cell)) for cell in row))
    console.print(table)


def _widths(columns: Sequence[Sequence[str]], width: int) -> list[int]:
    """Share a width out: to unbroken words first, then to the longest cells alike."""
    room = width - 2 * len(columns) - 1  # a space before and after every column
    most = [max(map(cell_len, column)) for column in columns]
    words = [max(map(cell_len, " ".join(column).split()), default=0) for column in columns]

    def limited(least: Sequence[int], wanted: Sequence[int]) -> list[int]:
        """Give everybody up to the largest limit for which there is room."""
        for limit in range(room, 0, -1):
            given = [max(a, min(b, limit)) for a, b in zip(least, wanted, strict=True)]
            if sum(given) <= room:
                return given
        return [*least]

    unbroken = limited([1] * len(columns), [min(each, WORD) for each in words])
    return limited(unbroken, most)


def print_summary(summary: Summary, title: str) -> None:
    """Write a release's summary."""
    print_rows(title, ["", "release"], summary.lines)


def print_check(check: Check, title: str) -> None:
    """Write what was measured."""
    print_rows(f"{title}: {check.heading}", check.header, check.rows)


def print_drivers(drivers: Drivers, title: str) -> None:
    """Write which columns make people recognizable."""
    say(f"{title}: {drivers.heading}")
    for caption, header, rows in drivers.tables():
        print_rows(caption, header, rows)
    if drivers.note is not None:
        say(f"Note: {drivers.note}")


def print_audit(report: Report, title: str, *, steward: bool = False) -> None:
    """Write what every attack found; for the steward also who is worst off."""
    print_rows(f"{title}: {report.heading}", COLUMNS, list(report.rows))
    for name, note in report.notes:
        say(f"{name}: {note}")
    for names, why in report.skipped:
        say(f"Not run: {names}: {why}")
    for remark in report.remarks:
        say(f"Note: {remark}")
    for finding in report.findings if steward else ():
        if finding.worst is not None:
            worst = "; ".join(f"{key}: {_shown(value)}" for key, value in finding.worst.items())
            say(f"Worst off, {finding.name}: {worst}")


def print_exploration(found: Exploration, title: str, *, steward: bool = False) -> None:
    """Write a knowledge skyline; for the steward also who would be given away."""
    say(f"{title}: {found.heading}\n{found.story}")
    if found.points:
        print_rows("", found.header, found.rows)
    for point, step, told in found.witnesses() if steward else ():
        words = "; ".join(f"{key}: {_shown(value)}" for key, value in told.items())
        say(f"Beyond ({point.l}, {point.k}, {point.m}), {step}: {words}")


def print_reproduction(found: Reproduction) -> None:
    """Write a paper's tables, ours beside theirs, and what of its claims comes out."""
    say(f"{found.citation}\n{found.heading}\n")
    for panel in found.panels:
        print_rows(panel.title, panel.header, panel.texts)
        if panel.claims:
            rows = [
                ("agrees" if claim.agrees else "DIFFERS", claim.paper, claim.ours)
                for claim in panel.claims
            ]
            print_rows("", ("", "the paper says", "what comes out"), rows)
        if panel.remark:
            say(f"{panel.remark}\n")


def _shown(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {each}" for name, each in value.items())
    if isinstance(value, (list, tuple)):
        between = "; " if any(isinstance(each, Mapping) for each in value) else ", "
        return between.join(map(_shown, value))
    return value_text(value) if isinstance(value, (int, float, Fraction)) else str(value)


@contextmanager
def progress() -> Iterator[None]:
    """Show progress on a terminal; stay silent in a pipe."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with console.status("starting") as status:

        def show(stage: str, done: int, total: int | None) -> None:
            status.update(f"{stage}: {done} of {total}" if total else stage)

        with listening(show):
            yield


@contextmanager
def failures(*, show_values: bool = False) -> Iterator[None]:
    """Turn every error into one line on standard error and the right exit code."""
    try:
        yield
    except typer.Exit:
        raise
    except Exception as error:
        if requested:  # to stop; libraries turn the interrupt into errors of their own
            raise typer.Exit from None
        if show_values and not isinstance(error, (SfumatoError, OSError)):
            raise
        message, code = _explained(error, show_values=show_values)
        complain(message)
        raise typer.Exit(code) from None


def _explained(error: Exception, *, show_values: bool) -> tuple[str, int]:
    watched = sys.stderr is not None and sys.stderr.isatty()  # None: it was closed
    if isinstance(error, BadInput) and (show_values or watched):
        return error.with_values(), error.exit_code
    if isinstance(error, SfumatoError):
        withheld = "; --show-values shows the values" if getattr(error, "values", ()) else ""
        return f"{error}{withheld}", error.exit_code
    if isinstance(error, OSError):  # the system, not us
        place = f"{error.filename}: " if error.filename else ""
        return f"{place}{reason(error)}", BadInput.exit_code
    return (
        f"internal error ({type(error).__name__}). Run again "
        "with --show-values for the details, which may hold values of the data",
        SfumatoError.exit_code,
    )


def complain(message: str) -> None:
    """Write one line on standard error, if it takes one."""
    with suppress(OSError):
        typer.echo(f"sfumato: {message}", err=True)
