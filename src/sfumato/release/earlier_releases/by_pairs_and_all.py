"""What is left to whoever compares a release with the earlier ones: with each, and with all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from sfumato.data.frequency import sum_by
from sfumato.data.groups import Counts, Histogram
from sfumato.errors import CannotRun
from sfumato.formulas.correspondence.candidates import CandidateRecords
from sfumato.formulas.correspondence.cells import PublishedClasses, cells_of
from sfumato.formulas.correspondence.earlier_releases import EXACT, Past, Together, lefts
from sfumato.formulas.correspondence.pairs import Attacked, RecordsLeft, exposed
from sfumato.text import counted

KINDS = ("forward", "cross", "backward")


@dataclass(frozen=True, eq=False)
class PairLeft:
    """What one attack leaves of the classes of one release (Fung 2008, section 3)."""

    kind: str  # "forward", "cross" or "backward"
    earlier: int  # the place of the earlier release
    left: RecordsLeft
    of: PublishedClasses  # the earlier release for forward, the last one for the others

    @property
    def fewest(self) -> int:
        """Fewest records left to anybody."""
        return int(self.left.candidates.min())

    def of_possible(self) -> PairLeft:
        """Look at people only whom some record is left to: of all others there can be none.

        The definitions of the paper count such targets (FA = 0), so BCF-anonymity does.
        """
        some = self.left.candidates > 0
        own = self.left.histogram
        rows = (np.cumsum(some) - 1)[own.group_of]
        shape = (int(some.sum()), own.n_values)
        histogram = Histogram.from_entries(rows, own.codes, own.counts, shape)
        return replace(self, left=RecordsLeft(self.left.classes[some], histogram))

    def exposed(self, k: int) -> np.ndarray:
        """Places of the classes of which fewer than k records are left to somebody."""
        return exposed(self.left, self.of, k).classes


def left_by_pairs(attacked: Sequence[Attacked]) -> list[PairLeft]:
    """Take apart what attacks on the last release with each of the earlier ones leave.

    Attacks that have nobody to look for are left out.
    """
    pairs = []
    for number, pair in enumerate(attacked):
        owners = (pair.first, pair.second, pair.second)
        for kind, left, of in zip(KINDS, lefts(pair), owners, strict=False):
            if len(left.classes):
                pairs.append(PairLeft(kind, number, left, of))
    return pairs


class ByAll:
    """What all releases leave at once (see `formulas.correspondence`), whenever people came.

    Args:
        past: The earlier releases; if it knows who came when, many can be judged.
        own: The last release.
    """

    def __init__(self, past: Past, own: PublishedClasses) -> None:
        self.past, self.own = past, own
        self.releases = (*past.releases, own)

    @cached_property
    def small(self) -> bool:
        """Whether programs can tell for want of who came when."""
        return len(cells_of(self.releases)) * len(self.releases) <= EXACT

    def at_least(self, k: int) -> tuple[int, bool]:
        """Give the fewest records shown to be left to anybody, and whether everybody keeps k."""
        return self.past.fewest_left(self.own, k)

    def left(self) -> tuple[Counts, Histogram] | None:
        """Give what is left to everybody: the records of each, and by value; None: too large."""
        return self.past.left(self.own)

    def fewest(self, most: int, k: int | None) -> int:
        """Give the fewest records left to anybody to whom some are, or `most` if that is less.

        k: What was promised. Where this is too much to tell, a number >= k is given that is left
        to everybody.

        Raises:
            CannotRun: It is too much to tell, and k are not shown to be left.
        """
        shown, holds = (0, False) if k is None or self.past.arrived is None else self.at_least(k)
        if holds and (shown >= most or not self.small):
            return min(shown, most)
        self.refuse_large()
        return self._fewest(most)

    def refuse_large(self) -> None:
        """Refuse what programs would take too long to tell."""
        if not self.small:
            without = " without knowing who came when" if self.past.arrived is None else ""
            raise CannotRun(
                f"what {counted(len(self.releases), 'release')} of so many classes leave all at "
                f"once cannot be told{without}"
            )

    @cached_property
    def _possible(self) -> CandidateRecords:
        """All at once, for people who are not ruled out by first bounds."""
        candidates = Together(self.releases).candidates
        candidates.targets &= candidates.bounds()[1] > 0
        return candidates

    def _fewest(self, most: int) -> int:
        if not self._possible.at_least(1):
            self._left()  # bounds did not rule out everybody who cannot be there
        low, high = 1, most
        while low < high:
            middle = (low + high + 1) // 2
            if self._possible.at_least(middle):
                low = middle
            else:
                high = middle - 1
        return low

    def exposed(self, k: int) -> np.ndarray:
        """Places of the last release's classes in which somebody is left with fewer than k."""
        struck = (self._possible.targets & (self._left() < k)).any(axis=0)
        last = len(self.releases) - 1
        return np.flatnonzero(self._possible.cells.members(last)[struck].any(axis=0))

    def _left(self) -> Counts:
        """Give the records left, exactly; (n_times, n_cells)."""
        exact = self._possible.exact()
        left = np.array([sum_by(each.group_of, each.counts, each.n_groups) for each in exact])
        self._possible.targets &= left > 0
        return left
