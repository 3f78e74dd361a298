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

WORD = 20  # letters of a word that is not broken if there is room


class _Console(Console):
    """A console that lets us say when nobody reads what we print."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


def draw_rows(title: str, header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Draw a table on standard output; text is never read as markup."""
    console = _Console()
    header = [*map(printable, header)]
    texts = [[printable(str(cell)) for cell in row] for row in rows]
    console.print(Text(printable(title), style="bold"))
    table = RichTable(box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    columns = [*zip(header, *texts, strict=True)]
    for name, width in zip(header, _widths(columns, console.width), strict=True):
        table.add_column(Text(name), overflow="fold", width=width)
    for row in texts:
        table.add_row(*map(Text, row))
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


@contextmanager
def drawn_progress() -> Iterator[None]:
    """Show what is being done, in a line that goes away."""
    with Console(stderr=True).status("starting") as status:

        def show(stage: str, done: int, total: int | None) -> None:
            status.update(Text(printable(f"{stage}: {done} of {total}" if total else stage)))

        with listening(show):
            yield
