"""How a command stops when it is asked to: it cleans up, says so, and ends as the shell expects."""

from __future__ import annotations

import signal
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

import typer

REQUESTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
MOMENT = 0.01  # seconds

requested: list[int] = []  # the signals that came


class Stopped(KeyboardInterrupt):
    """A request to stop.

    A KeyboardInterrupt proper that passes through `exec` (a dataclass is made by it) counts as
    unhandled for good: `python -m` would then end by the signal and not with the exit code.
    """


@contextmanager
def stoppable() -> Iterator[None]:
    """Let Ctrl-C, SIGTERM and a closed terminal unwind the block, with exit code 128 + number.

    Only the first request counts: the clean-up that it starts is not to be interrupted.
    """
    requested.clear()
    over = False

    def stop(number: int, frame: FrameType | None) -> None:
        requested.append(number)
        if len(requested) == 1 and not over:
            unwind(number, frame)

    def unwind(_: int, frame: FrameType | None) -> None:
        if _finalizing(frame):  # there Python would print the exception and go on: come again
            signal.setitimer(signal.ITIMER_REAL, MOMENT)
        elif not over:
            raise Stopped

    signal.signal(signal.SIGALRM, unwind)
    for request in REQUESTS:
        if signal.getsignal(request) is not signal.SIG_IGN:  # nohup means it
            signal.signal(request, stop)
    try:
        yield
    except (SystemExit, KeyboardInterrupt):
        over = True  # what is left to do, Python does at its end
        if not requested:
            raise
        name = signal.Signals(requested[0]).name
        with suppress(OSError):
            typer.echo(f"sfumato: stopped by {name}; no release was left half-written", err=True)
        raise SystemExit(128 + requested[0]) from None


def _finalizing(frame: FrameType | None) -> bool:
    """Say whether a private directory is being removed further up."""
    while frame is not None and frame.f_code is not weakref.finalize.__call__.__code__:
        frame = frame.f_back
    return frame is not None
