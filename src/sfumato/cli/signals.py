"""How a command stops when it is asked to: it cleans up, says so, and ends as the shell expects."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

import typer

REQUESTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def stoppable() -> Iterator[None]:
    """Let Ctrl-C, SIGTERM and a closed terminal unwind the block, with exit code 128 + number.

    Only the first request counts: the clean-up that it starts is not to be interrupted.
    """
    received: list[int] = []

    def stop(number: int, _: FrameType | None) -> None:
        _ignore()
        received.append(number)
        raise KeyboardInterrupt

    for request in REQUESTS:
        if signal.getsignal(request) is not signal.SIG_IGN:  # nohup means it
            signal.signal(request, stop)
    try:
        yield
    except SystemExit:
        if not received:
            raise
        name = signal.Signals(received[0]).name
        with suppress(OSError):
            typer.echo(f"sfumato: stopped by {name}; no release was left half-written", err=True)
        raise SystemExit(128 + received[0]) from None
    finally:
        _ignore()  # what is left to do, Python does at its end


def _ignore() -> None:
    for request in REQUESTS:
        signal.signal(request, signal.SIG_IGN)
