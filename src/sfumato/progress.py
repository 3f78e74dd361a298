"""Progress of long work: the work reports, whoever listens shows it.

The listener lives in a context variable, so that no function has to hand it down.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType

Listener = Callable[[str, int, int | None], None]

_listener: ContextVar[Listener | None] = ContextVar("sfumato_progress", default=None)
_stopped: ContextVar[bool] = ContextVar("sfumato_stopped", default=False)
_to_the_end: ContextVar[bool] = ContextVar("sfumato_to_the_end", default=False)
_stage: ContextVar[str] = ContextVar("sfumato_stage", default="starting")


def report(stage: str, done: int = 0, total: int | None = None) -> None:
    """Tell the listener, if there is one, that `done` of `total` steps of `stage` are behind us."""
    _stage.set(stage)
    listener = _listener.get()
    if listener is not None:
        listener(stage, done, total)


def not_enough_memory() -> str:
    """Say what there was not enough memory for: the last that was reported.

    >>> report("searching")
    >>> not_enough_memory()
    'not enough memory for searching; allow more, or ask for less: fewer columns, or coarser ones'
    """
    return (
        f"not enough memory for {_stage.get()}; allow more, or ask for less: fewer columns, or "
        "coarser ones"
    )


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Send every report made inside the block to `listener(stage, done, total)`.

    >>> with listening(lambda stage, done, total: print(stage, done, total)):
    ...     report("searching", 3, 12)
    searching 3 12
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def stopping_early() -> Iterator[Callable[[], bool]]:
    """Let the first Ctrl-C inside the block ask for what there is so far; say whether it came.

    The second one interrupts as ever, and so does the first where somebody else decides what a
    signal does: in threads, or where signals are ignored. `stopped_early` says so afterwards.

    >>> with stopping_early() as asked:
    ...     asked()
    False
    """
    came = False
    if not _to_the_end.get():
        _stopped.set(False)
    before = signal.getsignal(signal.SIGINT)

    def ask(number: int, frame: FrameType | None) -> None:
        nonlocal came
        del number, frame
        came = True
        _stopped.set(True)
        signal.signal(signal.SIGINT, before)
        report("stopping with the best so far; Ctrl-C again to give up")

    main = threading.current_thread() is threading.main_thread()
    ours = main and callable(before) and not _to_the_end.get()
    if ours:
        signal.signal(signal.SIGINT, ask)
    try:
        yield lambda: came
    finally:
        if ours and not came:
            signal.signal(signal.SIGINT, before)


@contextmanager
def to_the_end() -> Iterator[None]:
    """Let searches inside the block end as they would by themselves; Ctrl-C interrupts as ever.

    So it has to be where a method is run to see what it does, as attacks do.
    """
    token = _to_the_end.set(True)
    try:
        yield
    finally:
        _to_the_end.reset(token)


def stopped_early() -> bool:
    """Say whether the last search that could be was ended by Ctrl-C."""
    return _stopped.get()
