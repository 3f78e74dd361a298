"""When a search that could go on is to end."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from sfumato.parameters import fraction


class Clock:
    """Says whether time is over, or somebody asked for what there is; it runs once it is started.

    >>> clock = Clock(None, lambda: True)
    >>> clock.over()
    True
    """

    def __init__(self, seconds: float | None, asked: Callable[[], bool]) -> None:
        self.seconds, self.end = seconds, math.inf
        self.asked = asked

    def start(self) -> None:
        """Count seconds from now on, unless they are counted already."""
        if self.seconds is not None and self.end == math.inf:
            self.end = time.monotonic() + float(fraction(self.seconds))

    def over(self) -> bool:
        """Whether to end now."""
        return self.asked() or time.monotonic() >= self.end
