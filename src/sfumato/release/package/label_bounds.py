"""How far the published labels of a column reach, as anybody can read them."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from sfumato.data.decimals import number_text
from sfumato.data.hierarchy import PublicRule
from sfumato.data.labels.grammar import EVERY_VALUE, is_everything, parse
from sfumato.data.labels.spans import spans


@dataclass(frozen=True)
class Bounds:
    """The lowest and the highest bound of a column; None: there is none on that side.

    >>> str(Bounds("20", "90", below=True)), str(Bounds(None, "90", below=True))
    ('from 20 up to, and not including, 90', 'below 90, with no lower bound')
    >>> str(Bounds("20", None)), str(Bounds("20", "89"))
    ('20 and more, with no upper bound', 'from 20 to 89')
    """

    lowest: str | None
    highest: str | None
    below: bool = False  # whether the highest itself is outside

    def __str__(self) -> str:
        if self.lowest is None and self.highest is None:
            return "without a bound on either side"
        if self.highest is None:
            return f"{self.lowest} and more, with no upper bound"
        if self.lowest is None:
            upto = "below" if self.below else "up to"
            return f"{upto} {self.highest}, with no lower bound"
        upto = "up to, and not including," if self.below else "to"
        return f"from {self.lowest} {upto} {self.highest}"


def bounds_of(labels: Sequence[object], rule: PublicRule) -> Bounds | None:
    """Find how far labels reach; None: they are no numbers or dates.

    Labels that say nothing are left out; domains that were declared close open ends.

    >>> import sfumato as sf
    >>> bounds_of(["[20, 40)", "[35, 60)", "*", None], sf.Intervals(5))
    Bounds(lowest='20', highest='60', below=True)
    >>> bounds_of(["<18", "18", "[19, 30)"], sf.Intervals(5))
    Bounds(lowest=None, highest='30', below=True)
    >>> bounds_of(["<18", ">=90"], sf.Intervals(5, domain=[0, 120]))
    Bounds(lowest='0', highest='120', below=False)
    >>> bounds_of(["2026-11", "[2026-11-05, 2027-01-01)"], sf.Dates())
    Bounds(lowest='2026-11-01', highest='2027-01-01', below=True)
    >>> bounds_of(["130**"], sf.Prefix()) is None
    True
    """
    paths = rule.public_paths
    roots = {path[-1] for path in paths}
    texts = [str(label) for label in labels if label is not None]
    texts = [t for t in texts if not is_everything(t, roots) and parse(t).part != EVERY_VALUE]
    found = spans(texts, rule.texts, paths, rule.extent)
    if not found:
        return None
    first = _outermost([(each.low,) for each in found if each is not None], min)
    last = _outermost([(each.high, each.closed) for each in found if each is not None], max)
    return Bounds(
        None if first is None else _text(first[0]),
        None if last is None else _text(last[0]),
        below=last is not None and not last[1],
    )


def _outermost(ends: list[Any], choose: Callable[[list[Any]], Any]) -> Any:
    """Give the outermost of some ends; None: one of them is open."""
    return None if any(end[0] is None for end in ends) else choose(ends)


def _text(end: Decimal | datetime.datetime) -> str:
    if isinstance(end, Decimal):
        return number_text(end)
    return str(end.date()) if end.time() == datetime.time() else str(end)
