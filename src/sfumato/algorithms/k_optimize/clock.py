"""When a search that could go on is to end."""

from __future__ import annotations

import time
from collections.abc import Callable

from sfumato.parameters import fraction


class Clock:
    """Says whether time is over, or somebody asked for what there is.

    >>> clock = Clock(None, lambda: True)
    >>> clock.over()
    True
    """

    def __init__(self, seconds: float | None, asked: Callable[[], bool]) -> None:
        self.end = None if seconds is None else time.monotonic() + float(fraction(seconds))
        self.asked = asked

    def over(self) -> bool:
        """Whether to end now."""
        return self.asked() or (self.end is not None and time.monotonic() >= self.end)
