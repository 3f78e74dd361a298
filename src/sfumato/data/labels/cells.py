"""The cells of an ordered column's grid, such as ranges of five years or months, as bounds."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from sfumato.data.domain import Domain
from sfumato.data.labels.grammar import Range, calendar_days, parse, range_text
from sfumato.data.labels.reader import LabelReader
from sfumato.data.values import published_text

Ends = tuple[str | None, str | None]  # from a bound up to another one; None: no bound there


class Cells:
    """Writes ranges of an ordered column by the cells that they begin and end with.

    Where a cell begins and ends is what its name says, and is taken only if the range is read as
    the ranks that it was written for. Elsewhere a bound is a simple value between two neighbours.
    """

    def __init__(self, domain: Domain, bound: Callable[[int], str]) -> None:
        self.domain, self.level = domain, domain.grid or 0
        self.reader = LabelReader(domain)
        self._bound = cache(bound)  # of ranges that begin at a rank, where no cell does
        self._ends: dict[int, Ends | None] = {}  # by the first rank of a cell

    def text(self, low: int, high: int, *, or_missing: bool) -> str:
        """Write the range from a rank up to another one, both of values that are not missing.

        or_missing: It stands for missing values, too. They are behind the largest value, so the
        range has no upper end, here as in any other release.
        """
        simple = (
            self._bound(low) if low > 0 else None,
            self._bound(high + 1) if high < self.reader.n_known - 1 else None,
        )
        if self.level == 0 or simple == (None, None):
            return range_text(*simple)
        taxonomy = self.domain.taxonomy
        first, last = self._cell(low), self._cell(high)
        begins = int(taxonomy.low[self.level, low]) == low
        stops = int(taxonomy.high[self.level, high]) == high and not or_missing
        ends = (
            first[0] if first is not None and begins else simple[0],
            last[1] if last is not None and stops else simple[1],
        )
        if self.reader.range(*ends) != [(low, high)]:
            return range_text(*simple)
        if begins and stops and first == last == ends:
            return str(taxonomy.labels[self.level][low])  # one whole cell
        return range_text(*ends)

    def _cell(self, rank: int) -> Ends | None:
        """Say where the cell of a rank begins and ends; None: its name does not tell."""
        start = int(self.domain.taxonomy.low[self.level, rank])
        if start not in self._ends:
            name = str(self.domain.taxonomy.labels[self.level][start])
            part = parse(name).part
            if isinstance(part, Range):
                self._ends[start] = (part.low, part.high) if part.of_numbers else None
            else:
                self._ends[start] = self._days(name, start)
        return self._ends[start]

    def _days(self, name: str, rank: int) -> Ends | None:
        """Read a part of the calendar; where months are the ground, its ends are months, too."""
        days = calendar_days(name)
        length = len(str(published_text(self.domain.labels[rank])))
        return None if days is None else (days[0][:length], days[1][:length])
