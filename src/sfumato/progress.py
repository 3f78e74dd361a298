"""Progress of long work: the work reports, whoever listens shows it.

The listener lives in a context variable, so that no function has to hand it down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[str, int, int | None], None]

_listener: ContextVar[Listener | None] = ContextVar("sfumato_progress", default=None)


def report(stage: str, done: int = 0, total: int | None = None) -> None:
    """Tell the listener, if there is one, that `done` of `total` steps of `stage` are behind us."""
    listener = _listener.get()
    if listener is not None:
        listener(stage, done, total)


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
