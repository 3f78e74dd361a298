"""When a search that could go on is to end."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from sfumato.parameters import fraction


class Clock:
    """Says whether time is over, or somebody asked for what there is; it runs once it is started.

    It counts the steps that it was asked before. A search that asks at the same places every time
    ends at the same place with as many steps as its budget, which it does not by seconds.

    >>> clock = Clock(None, 2, lambda: False)
    >>> clock.over(), clock.over(), clock.over(), clock.n_steps
    (False, False, True, 2)
    """

    def __init__(
        self, seconds: float | None, budget: int | None, asked: Callable[[], bool]
    ) -> None:
        self.seconds, self.end = seconds, math.inf
        self.budget = math.inf if budget is None else budget
        self.asked = asked
        self.n_steps = 0
        self.ended = False

    def start(self) -> None:
        """Count seconds from now on, unless they are counted already."""
        if self.seconds is not None and self.end == math.inf:
            self.end = time.monotonic() + float(fraction(self.seconds))

    def over(self) -> bool:
        """Whether to end now, and from now on; there is one step at least."""
        if not self.ended and self.n_steps:
            late = self.asked() or time.monotonic() >= self.end
            self.ended = late or self.n_steps >= self.budget
        self.n_steps += not self.ended
        return self.ended
