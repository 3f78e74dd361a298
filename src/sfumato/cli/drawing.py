"""Tables and progress on a terminal."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from sfumato.errors import printable
from sfumato.progress import listening
from sfumato.text import wrapped

LONGEST = 40  # letters of a word that is not broken: longer ones are values, paths, or names


class _Console(Console):
    """A console that lets us say when nobody reads what we print."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


def draw_rows(
    title: str,
    header: Sequence[str],
    rows: Sequence[Sequence[object]],
    width: int,
    below: Sequence[str | None] = (),
) -> None:
    """Draw a table on standard output; text is never read as markup.

    Where the words of its columns do not fit beside each other, those in which nothing stands are
    left out; where that is not enough, every row is a table of its own. below: What is said in
    lines below each row, if anything.
    """
    console = _Console(width=width)
    said = [None if text is None else printable(text) for text in below] or [None] * len(rows)
    header = [*map(printable, header)]
    texts = [[printable(str(cell)) for cell in row] for row in rows]
    for line in wrapped(printable(title), width) if title else ():
        console.print(Text(line, style="bold"), soft_wrap=True)
    columns = [*zip(header, *texts, strict=True)]
    if texts and not _fits(columns, width):
        columns = [column for column in columns if any(column[1:])]
        header, *texts = ([*row] for row in zip(*columns, strict=True))
    if _fits(columns, width):
        if any(said):
            _draw_with_lines(console, header, texts, _widths(columns, width), said)
        else:
            _draw(console, header, texts, _widths(columns, width))
        return
    for row, text in zip(texts, said, strict=True):
        pairs = [*zip(header, row, strict=True), *([] if text is None else [("", text)])]
        _draw(console, None, pairs, _widths([*zip(*pairs, strict=True)], width))


def _draw_with_lines(
    console: Console,
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    widths: Sequence[int],
    below: Sequence[str | None],
) -> None:
    """Draw a table row by row, with lines in between."""
    for j, (row, text) in enumerate(zip(rows, below, strict=True)):
        with console.capture() as capture:
            _draw(console, None if j else header, [row], widths)
        drawn = capture.get().splitlines()
        while j and drawn and not drawn[0].strip():
            del drawn[0]
        while drawn and not drawn[-1].strip():
            del drawn[-1]
        lines = [] if text is None else wrapped(f"   {text}", console.width, "   ")
        for line in (*drawn, *lines):
            console.print(Text.from_ansi(line), soft_wrap=True)
    console.print()


def _draw(
    console: Console,
    header: Sequence[str] | None,
    rows: Sequence[Sequence[str]],
    widths: Sequence[int],
) -> None:
    table = RichTable(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), show_header=header is not None)
    for name, width in zip(header or [""] * len(widths), widths, strict=True):
        table.add_column(Text(name), overflow="fold", width=width)
    for row in rows:
        table.add_row(*map(Text, row))
    console.print(table)


def _room(n_columns: int, width: int) -> int:
    return width - 2 * n_columns - 1  # a space before and after every column


def _words(columns: Sequence[Sequence[str]]) -> list[int]:
    """Give the longest word of every column, as far as words are kept whole."""
    longest = [max(map(cell_len, " ".join(column).split()), default=0) for column in columns]
    return [min(each, LONGEST) for each in longest]


def _fits(columns: Sequence[Sequence[str]], width: int) -> bool:
    """Whether there is room for all columns without breaking a word."""
    return sum(_words(columns)) <= _room(len(columns), width)


def _widths(columns: Sequence[Sequence[str]], width: int) -> list[int]:
    """Share a width out: to unbroken words first, then to the longest cells alike."""
    room = _room(len(columns), width)
    most = [max(map(cell_len, column)) for column in columns]

    def limited(least: Sequence[int], wanted: Sequence[int]) -> list[int]:
        """Give everybody up to the largest limit for which there is room."""
        for limit in range(room, 0, -1):
            given = [max(a, min(b, limit)) for a, b in zip(least, wanted, strict=True)]
            if sum(given) <= room:
                return given
        return [*least]

    unbroken = limited([1] * len(columns), _words(columns))
    return limited(unbroken, most)


@contextmanager
def drawn_progress() -> Iterator[None]:
    """Show what is being done, in a line that goes away."""
    with Console(stderr=True).status("starting") as status:

        def show(stage: str, done: int, total: int | None) -> None:
            status.update(Text(printable(f"{stage}: {done} of {total}" if total else stage)))

        with listening(show):
            yield
