"""How much an adversary may know before a release gives a value away (Chen 2009, 4.3 and 6.3).

The points (l, k, m) at which a release is safe form a solid under a surface: with more knowledge
the breach probability never falls. The surface is walked, one l after the other: the largest safe
k at (l, m) is at most that at (l - 1, m) and at (l, m - 1), so it is looked for downwards from
there, and mostly found at once. The paper tries all pairs (l, m) with a binary search for each.

Only few entries of a release can be the worst at any point: an entry is left out when another one
has no more people, no fewer occurrences of the value, and no better odds left. That is done in
floats; near a tie fractions decide, over all entries.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.data.groups import Counts, Histogram
from sfumato.errors import BadInput
from sfumato.formulas.knowledge import (
    CASES,
    Case,
    Entries,
    Exactly,
    Point,
    compared,
    entries,
    five_of,
    kernels,
    part,
)

Safe = Callable[[int, int], bool]  # of k and m


def knowledge_skyline(
    histogram: Histogram, sizes: Counts, c: Fraction, case: Case, values: Sequence[int]
) -> list[Point]:
    """Give the largest amounts of knowledge at which every one of some values is safe.

    Nothing beneath one of these points gives any of the values away with confidence c or more, and
    everything that is beneath none of them does. Empty: unsafe already without knowledge.

    For sets and multisets l ends at the number of other values in the release, the cap: nobody can
    rule out more, so a point whose l is the cap stands for every l.

    Args:
        histogram: Occurrences of values.
        sizes: People in each group.
        c: Confidence, above 0 and at most 1.
        case: What one person can have.
        values: Codes of the values to protect, each of which occurs.
    """
    occurring = np.unique(histogram.codes)
    if missing := [value for value in values if value not in occurring]:
        raise BadInput("a value that occurs nowhere has no skyline", missing)
    release = _Release(histogram, sizes, case, values, (1 - c) / c)
    return skyline_of(release.safe_at, len(occurring) - 1, int(sizes.max(initial=0)))


def skyline_of(safe_at: Callable[[int], Safe], cap: int, most: int) -> list[Point]:
    """Walk down the surface between what is safe and what is not.

    Args:
        safe_at: Gives for an l the judge of (k, m); called with l = 0, 1, ... in this order.
        cap: The largest l.
        most: A k that is as bad as any larger one.
    """
    surface: list[list[int]] = []  # by l, then m: the largest safe k
    for l in range(cap + 1):
        safe, row, ceiling = safe_at(l), list[int](), most
        above = surface[-1] if surface else None
        while above is None or len(row) < len(above):
            ceiling = min(ceiling, above[len(row)]) if above else ceiling
            ceiling = _largest(safe, ceiling, len(row))
            if ceiling < 0:
                break
            row.append(ceiling)
        if not row:
            break
        surface.append(row)
    return [
        Point(l, k, m)
        for l, row in enumerate(surface)
        for m, k in enumerate(row)
        if not _reaches(surface, l + 1, m, k) and not _reaches(surface, l, m + 1, k)
    ]


def _reaches(surface: list[list[int]], l: int, m: int, k: int) -> bool:
    return l < len(surface) and m < len(surface[l]) and surface[l][m] >= k


def _largest(safe: Safe, ceiling: int, m: int) -> int:
    """Find the largest safe k up to a ceiling by ever longer steps down; -1: there is none."""
    unsafe, step = ceiling + 1, 1
    low = ceiling
    while low >= 0 and not safe(low, m):
        unsafe, low, step = low, low - step, 2 * step
    if low < 0:
        if unsafe == 0 or not safe(0, m):
            return -1
        low = 0
    while unsafe - low > 1:
        middle = (low + unsafe) // 2
        low, unsafe = (middle, unsafe) if safe(middle, m) else (low, middle)
    return low


class _Release:
    """Judges points with regard to some values, one l at a time."""

    def __init__(
        self,
        histogram: Histogram,
        sizes: Counts,
        case: Case,
        values: Sequence[int],
        limit: Fraction,
    ) -> None:
        self.histogram, self.sizes, self.case, self.limit = histogram, sizes, case, limit
        self.values = np.unique(np.array(values, dtype=np.int32)).tolist()

    def safe_at(self, l: int) -> Safe:
        """Prepare the judge of all points with this l."""
        prepared = entries(self.histogram, self.sizes, l, self.case)
        order = np.argsort(prepared.codes, kind="stable")
        codes = prepared.codes[order]
        judges = []
        for value in self.values:
            first, end = np.searchsorted(codes, [value, value + 1])
            judges.append(self._of_value(l, value, part(prepared, order[first:end])))

        def safe(k: int, m: int) -> bool:
            for i, judge in enumerate(judges):
                if not judge(k, m):
                    judges.insert(0, judges.pop(i))  # next time the weakest is asked first
                    return False
            return True

        return safe

    def _of_value(self, l: int, value: int, every: Entries) -> Safe:
        few = part(every, front(every, self.case))
        numbers = (few.n, few.having, few.ruled_out, few.share)
        code, smallest = CASES.index(self.case), kernels().smallest

        def safe(k: int, m: int) -> bool:
            unsafe, near = compared(smallest(*numbers, k, m, code), self.limit)
            if not near:
                return not unsafe
            point = Point(l, k, m)
            five = five_of(every, point, self.case)
            exact = Exactly(self.histogram, every, five, point, self.case).minima(value)
            ratio = exact.negated_ratio
            return ratio is None or ratio > self.limit

        return safe


def front(found: Entries, case: Case) -> NDArray[np.intp]:
    """Find the entries that can be the worst at some point, as far as floats tell."""
    last: NDArray[np.generic] = -found.ruled_out
    if case == "single":
        last = found.n - found.having - found.ruled_out
    elif case == "set":
        last = found.share
    table = np.stack([found.n, -found.having, last], axis=1)
    rows, first = np.unique(table, axis=0, return_index=True)  # in lexical order
    kept = []
    while len(rows):
        kept.append(first[0])
        open_ = (rows < rows[0]).any(axis=1)
        rows, first = rows[open_], first[open_]
    return np.array(kept, dtype=np.intp)
