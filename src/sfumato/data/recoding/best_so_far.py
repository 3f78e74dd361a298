"""How far a search got: what its best costs, and what nothing can cost less than."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sfumato.parameters import is_whole
from sfumato.text import counted, percent, value_text

Number = int | float

MOST = 1e300  # no search's cost is beyond; a damaged file's may be


@dataclass(frozen=True)
class BestSoFar:
    """The cost of what was found, and a bound that no other recoding of its kind goes below.

    >>> found = BestSoFar("discernibility", 120, 90)
    >>> found.gap, found.proved, found.in_words
    (30, False, '120 by discernibility; the least there is may be up to 30 (25%) below')
    """

    by: str  # what is minimized
    cost: Number
    least: Number
    interrupted: bool = False  # by somebody who did not want to wait: nobody can run it again
    steps: int | None = None  # after so many it ended, and as many give it again

    @classmethod
    def of(
        cls, by: str, cost: Fraction, least: Fraction, *, interrupted: bool = False
    ) -> BestSoFar:
        """Write costs down as whole numbers, where they are; only what is proved has no gap."""
        told, bound = _number(cost), _number(least)
        if least < cost and told - bound <= 0:
            bound = math.nextafter(float(bound), -math.inf)
        return cls(by, told, bound, interrupted)

    @property
    def gap(self) -> Number:
        """By how much the best there is may be better; 0: it is proved to be this."""
        return self.cost - self.least

    @property
    def proved(self) -> bool:
        """Whether nothing is better."""
        return self.gap == 0

    @property
    def in_words(self) -> str:
        """Say it in a line."""
        said = f"{value_text(self.cost)} by {self.by}"
        if self.proved:
            return f"{said}, proved: nothing is below"
        below = value_text(self.gap)
        share = abs(self.gap / self.cost) if self.cost else math.inf
        if math.isfinite(share):
            below += f" ({percent(share)})"
        ended = "" if self.steps is None else f", after {counted(self.steps, 'step')}"
        return f"{said}; the least there is may be up to {below} below{ended}"

    def to_json(self) -> dict[str, Any]:
        """Plain values for a machine."""
        written = {"by": self.by, "cost": self.cost, "least": self.least, "gap": self.gap}
        written |= {"interrupted": True} if self.interrupted else {}
        return written | ({} if self.steps is None else {"steps": self.steps})

    @classmethod
    def from_json(cls, written: object) -> BestSoFar | None:
        """Read it back; None: it is damaged."""
        if not isinstance(written, Mapping) or not isinstance(written.get("by"), str):
            return None
        cost: Any = written.get("cost")
        least: Any = written.get("least")
        if not _is_number(cost) or not _is_number(least) or not -MOST <= least <= cost <= MOST:
            return None
        interrupted, steps = written.get("interrupted", False), written.get("steps")
        if not isinstance(interrupted, bool) or not (steps is None or is_whole(steps)):
            return None
        return cls(written["by"], cost, least, interrupted, steps)


def _number(value: Fraction) -> Number:
    return int(value) if value.denominator == 1 else float(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
