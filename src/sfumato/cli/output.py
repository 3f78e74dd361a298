"""How commands speak: tables and progress for people, JSON for machines, one line for errors."""

from __future__ import annotations

import os
import shutil
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from sfumato.errors import BadInput, one_line, printable
from sfumato.files.paths import reason
from sfumato.text import described, wrapped

if TYPE_CHECKING:
    from sfumato.papers import Reproduction
    from sfumato.proposal import Proposal
    from sfumato.release import Check
    from sfumato.release.people_by_risk import PeopleByRisk
    from sfumato.release.summary import Summary
    from sfumato.report import KnowledgeSkyline, Report
    from sfumato.risk import Drivers


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
def say(text: str, indent: str = "") -> None:
    """Write a text on standard output, broken between words; nothing in it steers the terminal.

    indent: Of the lines after the first.
    """
    for line in wrapped(printable(text), width(), indent):
        _write(sys.stdout, line)


@_printing()
def say_command(text: str) -> None:
    """Write a command to copy: on a line of its own, however long that is."""
    _write(sys.stdout, f"  {printable(text)}")


def is_watched() -> bool:
    """Whether a person at a terminal reads standard output."""
    return sys.stdout is not None and sys.stdout.isatty()  # None: it was closed


def can_ask() -> bool:
    """Whether a person at a terminal can answer a question."""
    streams = (sys.stdin, sys.stderr)  # None: it was closed
    return all(stream is not None and stream.isatty() for stream in streams)


def tell(lines: Sequence[str]) -> None:
    """Write on standard error what a person needs to know before they choose, if it takes it."""
    with suppress(OSError):
        for text in lines:
            for line in wrapped(printable(text), width(), ""):
                _write(sys.stderr, line)


def ask(lines: Sequence[str], question: str, choices: Sequence[str]) -> str | None:
    """Ask on standard error for one of some words, or their first letters; None: no answer."""
    tell(lines)
    while True:
        sys.stderr.write(f"{question} ")
        sys.stderr.flush()
        answer = sys.stdin.readline()
        if not answer:
            return None
        word = answer.strip().casefold()
        meant = [each for each in choices if word and each.startswith(word)]
        if len(meant) == 1:
            return meant[0]


def width() -> int:
    """Give the cells of a line: those of the terminal, else 80."""
    return shutil.get_terminal_size().columns


@_printing()
def print_json(value: Any) -> None:
    """Write JSON on standard output."""
    from sfumato.files.json_text import readable_json

    _write(sys.stdout, readable_json(value, ascii_only=_cannot_write("ä€語")))


def _write(stream: TextIO, text: str) -> None:
    """Write a line in the stream's own encoding, and at once."""
    stream.write(f"{text}\n")
    stream.flush()


def _cannot_write(text: str) -> bool:
    """Whether standard output has no letters for a text."""
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return True
    return False


@_printing()
def print_rows(
    title: str,
    header: Sequence[str],
    rows: Sequence[Sequence[object]],
    below: Sequence[str | None] = (),
) -> None:
    """Write a table on standard output; text is never read as markup.

    below: What is said below each row, if anything.
    """
    from sfumato.cli.drawing import draw_rows

    draw_rows(title, header, rows, width(), below)


def print_summary(summary: Summary, title: str, *, details: bool = True) -> None:
    """Write a release's summary: in sentences, or as a table with all names."""
    if details:
        print_rows(title, ["", "release"], summary.lines)
        return
    say(f"{title}:")
    for sentence in summary.sentences:
        say(sentence)


def print_check(check: Check, title: str) -> None:
    """Write what was measured."""
    print_rows(f"{title}: {check.heading}", check.header, check.rows)
    for name, said in check.named:
        say(f"{name[0].upper()}{name[1:]}: {said}")


def print_risk(risk: PeopleByRisk) -> None:
    """Write how many people are in groups of which size, words first."""
    for sentence in risk.sentences:
        say(sentence)
    print_rows("", risk.header, risk.rows(letter="#" if _cannot_write("█") else "█"))


def print_proposal(proposal: Proposal) -> None:
    """Write what the columns of a table are and might be; counts, no values."""
    from sfumato.proposal.proposal import HEADER, LEGEND

    print_rows(f"{proposal.name}: {proposal.heading}", HEADER, proposal.rows)
    say(LEGEND)


def print_drivers(drivers: Drivers, title: str) -> None:
    """Write which columns make people recognizable."""
    say(f"{title}: {drivers.heading}")
    for caption, header, rows in drivers.tables():
        print_rows(caption, header, rows)
    if drivers.note is not None:
        say(f"Note: {drivers.note}")


def print_audit(
    report: Report,
    title: str,
    *,
    details: bool = False,
    steward: bool = False,
    sentences: Sequence[str] | None = None,
    job: Path | None = None,
) -> None:
    """Write what attacks found: the verdict, three sentences, a line for each; or all there is.

    Args:
        report: What was found.
        title: What it is about.
        details: Write the whole table, with notes and what was not run.
        steward: Say also who is worst off.
        sentences: Those to write, if not the report's own.
        job: The job file of the release, in which the way out changes lines.
    """
    from sfumato.report.audit import COLUMNS
    from sfumato.report.sentences import HEADER, LEGEND

    if details:
        print_rows(f"{title}: {report.heading}", COLUMNS, list(report.rows), report.advice)
        _print_notes(report)
    else:
        say(f"{title}: {report.heading}.")
        for sentence in report.sentences if sentences is None else sentences:
            say(sentence)
        print_rows("", HEADER, report.short_rows, report.advice)
        say(LEGEND)
    for names, advice in report.advice_on_not_run:
        say(f"Not run: {names}; {advice}")
    if report.way_out is not None:
        for line in report.way_out.lines:
            say(line)
        if job is not None and report.way_out.job_lines:
            say(f"In {job} that is:")
            for line in report.way_out.job_lines:
                say_command(line)
    for finding in report.findings if steward else ():
        if finding.worst is not None:
            worst = "; ".join(f"{key}: {described(value)}" for key, value in finding.worst.items())
            say(f"Worst off, {finding.name}: {worst}")


def _print_notes(report: Report) -> None:
    """Write what there is to add to findings, and what was not run."""
    for name, note in report.notes:
        say(f"{name}: {note}")
    for names, why in report.skipped:
        say(f"Not run: {names}: {why}")
    for remark in report.remarks:
        say(f"Note: {remark}")


def print_skyline(skyline: KnowledgeSkyline, title: str, *, steward: bool = False) -> None:
    """Write a knowledge skyline; for the steward also who would be given away."""
    say(f"{title}: {skyline.heading}")
    say(skyline.story)
    if skyline.points:
        print_rows("", skyline.header, skyline.rows)
    for name, said in skyline.named:
        say(f"{name[0].upper()}{name[1:]}: {said}")
    for point, step, account in skyline.witnesses() if steward else ():
        words = "; ".join(f"{key}: {described(value)}" for key, value in account.items())
        say(f"Beyond ({point.l}, {point.k}, {point.m}), {step}: {words}")


def print_reproduction(reproduction: Reproduction) -> None:
    """Write a paper's tables, ours beside theirs, and what of its claims comes out."""
    for line in (reproduction.citation, reproduction.heading, ""):
        say(line)
    for panel in reproduction.panels:
        print_rows(panel.title, panel.header, panel.texts)
        if panel.claims:
            rows = [
                ("agrees" if claim.agrees else "DIFFERS", claim.paper, claim.ours)
                for claim in panel.claims
            ]
            print_rows("", ("", "the paper says", "what comes out"), rows)
        if panel.remark:
            say(panel.remark)
            say("")


@contextmanager
def progress() -> Iterator[None]:
    """Show progress on a terminal; stay silent in a pipe."""
    if sys.stderr is None or not sys.stderr.isatty():  # None: it was closed
        yield
        return
    from sfumato.cli.drawing import drawn_progress

    with drawn_progress():
        yield


def trace(error: Exception) -> None:
    """Write on standard error where an error comes from, line by line; no line steers anything."""
    text = "".join(traceback.format_exception(error)).rstrip()
    with suppress(OSError):
        for line in text.split("\n"):
            _write(sys.stderr, printable(line))


def complain(message: str) -> None:
    """Write one line on standard error, if it takes one."""
    with suppress(OSError):
        _write(sys.stderr, f"sfumato: {one_line(message)}")
