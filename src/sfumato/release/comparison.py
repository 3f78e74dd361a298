"""What is left to whoever compares a release with the earlier ones: with each, and with all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sfumato.data.frequency import sum_by
from sfumato.data.groups import Counts, Histogram
from sfumato.formulas.cells import Published
from sfumato.formulas.cracks import Left, exposed
from sfumato.formulas.generators import attack
from sfumato.formulas.series import Together, fewest_left, lefts

KINDS = ("forward", "cross", "backward")


@dataclass(frozen=True, eq=False)
class Compared:
    """What one attack leaves of the classes of one release (Fung 2008, section 3)."""

    kind: str  # "forward", "cross" or "backward"
    earlier: int  # the place of the earlier release
    left: Left
    of: Published  # the earlier release for forward, the last one for the others

    @property
    def fewest(self) -> int:
        """Fewest records left to anybody."""
        return int(self.left.candidates.min())

    def of_possible(self) -> Compared:
        """Look at people only whom some record is left to: of all others there can be none.

        The definitions of the paper count such targets (FA = 0), so BCF-anonymity does.
        """
        some = self.left.candidates > 0
        own = self.left.histogram
        rows = (np.cumsum(some) - 1)[own.group_of]
        shape = (int(some.sum()), own.n_values)
        histogram = Histogram.from_entries(rows, own.codes, own.counts, shape)
        return replace(self, left=Left(self.left.classes[some], histogram))

    def exposed(self, k: int) -> np.ndarray:
        """Places of the classes of which fewer than k records are left to somebody."""
        return exposed(self.left, self.of, k).classes


def by_pairs(previous: Sequence[Published], own: Published) -> list[Compared]:
    """Attack the last release together with each of the earlier ones.

    Attacks that have nobody to look for are left out.
    """
    found = []
    for number, first in enumerate(previous):
        left = lefts(attack(first, own))
        for kind, each, of in zip(KINDS, left, (first, own, own), strict=False):
            if len(each.classes):
                found.append(Compared(kind, number, each, of))
    return found


def at_least(releases: Sequence[Published], k: int) -> int | None:
    """Give a number >= k of records that all releases leave to everybody; None: fewer than k."""
    return fewest_left(releases, k)


def by_all(releases: Sequence[Published]) -> tuple[Counts, Histogram]:
    """Give what all releases leave, exactly, for everybody: the records of each, and by value."""
    return Together(releases).exact()


class ByAll:
    """What all releases leave, to people whom some record is left to."""

    def __init__(self, releases: Sequence[Published]) -> None:
        self.found = Together(releases).found
        self.found.targets &= self.found.bounds()[1] > 0

    def fewest(self, most: int) -> int:
        """Give the fewest records left to anybody, or `most` if that is less."""
        if not self.found.at_least(1):  # somebody was possible by the bounds alone
            self._left()
        low, high = 1, most
        while low < high:
            middle = (low + high + 1) // 2
            if self.found.at_least(middle):
                low = middle
            else:
                high = middle - 1
        return low

    def exposed(self, k: int) -> np.ndarray:
        """Places of the last release's classes in which somebody is left with fewer than k."""
        struck = (self.found.targets & (self._left() < k)).any(axis=0)
        last = self.found.n_times - 1
        return np.flatnonzero(self.found.cells.members(last)[struck].any(axis=0))

    def _left(self) -> Counts:
        """Give the records left, exactly; (n_times, n_cells)."""
        exact = self.found.exact()
        left = np.array([sum_by(each.group_of, each.counts, each.n_groups) for each in exact])
        self.found.targets &= left > 0
        return left
