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
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.groups import Counts, Histogram
from sfumato.errors import BadInput
from sfumato.formulas.knowledge.breach import (
    CASES,
    Case,
    Entries,
    Exactly,
    Floats,
    Point,
    compared,
    entries_of,
    five_of,
    kernels,
    part,
    to_float,
)

Safe = Callable[[int, int], bool]  # of k and m
POINTS = 100  # that are judged with the same l, about
AHEAD = 10  # entries that each one is compared with, about


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
        self.histogram, self.sizes, self.case = histogram, sizes, case
        every = entries_of(histogram, sizes, 0, case)
        order = np.argsort(every.codes, kind="stable")
        codes = every.codes[order]
        self.values = []
        for value in values:
            place = order[np.searchsorted(codes, value) : np.searchsorted(codes, value, "right")]
            self.values.append((place, _Value(histogram, part(every, place), case, limit)))

    def safe_at(self, l: int) -> Safe:
        """Prepare the judge of all points with this l."""
        h = self.histogram
        loops = kernels(len(h.counts) * (l + 1))
        ruled_out, share = loops.rule_out(h.starts, h.counts, self.sizes, l, self.case == "set")
        judges = [
            value.safe_at(l, ruled_out[place], share[place] if len(share) else share)
            for place, value in self.values
        ]

        def safe(k: int, m: int) -> bool:
            for i, judge in enumerate(judges):
                if not judge(k, m):
                    judges.insert(0, judges.pop(i))  # next time the weakest is asked first
                    return False
            return True

        return safe


class _Value:
    """Judges points with regard to one value."""

    def __init__(self, histogram: Histogram, without: Entries, case: Case, limit: Fraction) -> None:
        self.histogram, self.without, self.case, self.limit = histogram, without, case, limit
        few = part(without, front(without, "multiset"))  # V knows of n and having alone
        self._few = (few.n, few.having)
        self._lacking: dict[tuple[int, int], float] = {}

    def lacking(self, m: int, k: int) -> float:
        """Give the least V(g, m, k), which no l changes."""
        if (m, k) not in self._lacking:
            code = CASES.index(self.case)
            n_steps = len(self._few[0]) * (1 + m + k)
            self._lacking[m, k] = kernels(n_steps).least_lacking(*self._few, m, k, code)
        return self._lacking[m, k]

    def safe_at(self, l: int, ruled_out: Counts, share: Floats) -> Safe:
        """Prepare the judge of all points with this l."""
        every = replace(self.without, ruled_out=ruled_out, share=share)
        few = part(every, front(every, self.case))
        numbers = (few.n, few.having, few.ruled_out, few.share)
        code, loops = CASES.index(self.case), kernels(POINTS * len(few.n))
        in_one_group, product = loops.in_one_group, loops.product
        bar = to_float(self.limit) * 1.001
        _, alone = in_one_group(*numbers, 0, 0, code, 1.0, -1.0)

        def safe(k: int, m: int) -> bool:
            together, kept = in_one_group(*numbers, k, m, code, self.lacking(m, k + 1), bar)
            apart = product(alone, self.lacking(m, k))
            ratio = min(together, apart, product(kept, self.lacking(m, 0)))
            unsafe, near = compared(ratio, self.limit)
            if not near:
                return not unsafe
            point = Point(l, k, m)
            five = five_of(every, point, self.case)
            value = int(every.codes[0])
            exact = Exactly(self.histogram, every, five, point, self.case).minima(value)
            negated = exact.negated_ratio
            return negated is None or negated > self.limit

        return safe


def front(entries: Entries, case: Case) -> NDArray[np.intp]:
    """Find the entries that can be the worst at some point, as far as floats tell.

    T and V fall with fewer people, more occurrences of the value, and smaller odds to have nothing
    else; an entry is left out where another one is ahead in all three.
    """
    odds: NDArray[Any]
    if case == "single":
        odds = entries.n - entries.having - entries.ruled_out
    elif case == "set":
        odds = entries.share
    else:  # a group of one has no odds at all, and is ahead by its size
        odds = entries.ruled_out * np.log1p(-1 / np.maximum(entries.n, 2))
    rows = np.stack([entries.n, -entries.having, odds], axis=1).astype(np.float64)
    widest = np.maximum(np.abs(rows).max(axis=0, initial=0), 1)
    order = np.argsort((rows / widest).sum(axis=1), kind="stable")
    return np.asarray(kernels(AHEAD * len(rows)).undominated(rows, order))
