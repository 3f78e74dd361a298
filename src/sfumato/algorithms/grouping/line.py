"""A line of people and a criterion: where groups of neighbours are safe."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.grouping.people import Integers
from sfumato.criteria.coded_thresholds import CodedThresholds
from sfumato.criteria.criterion import Criterion
from sfumato.criteria.judging import holding
from sfumato.data.frequency import FrequencySet, JointGroups
from sfumato.data.groups import Counts, Histogram
from sfumato.progress import report

COMPILED = 5000  # people from which on compiled code pays for its start
COUNTS_AT_ONCE = 1 << 22  # counts held while groups are judged
FIRST_LOOK = 64  # people whose prefixes are judged together at first


class Line:
    """People in a fixed order, and a criterion that judges stretches of them."""

    def __init__(
        self, frequencies: FrequencySet, criterion: Criterion, people: NDArray[np.intp]
    ) -> None:
        self.frequencies = frequencies
        self.criterion = criterion
        self.values = frequencies.persons_values.of_key[people]  # (n,)
        self.by_value = any(part.looks_at_values for part in criterion.parts)
        large = len(people) > COMPILED
        self.thresholds = CodedThresholds.of(criterion, frequencies) if large else None

    def __len__(self) -> int:
        return len(self.values)

    def grow(self, unit: int, goes_on: NDArray[np.bool_] | None = None) -> Integers:
        """Give the group of every person: the shortest safe ones from left to right.

        A group grows by units, counted from the first person of the line, and stops where it is
        safe and the unit does not go on. People at the end who are in no safe group have -1; a
        group that went on and is not safe at the end goes back to where it was safe last.
        """
        n = len(self)
        if goes_on is None:
            goes_on = np.zeros(-(-n // unit), dtype=bool)
        group = np.full(n, -1, dtype=np.int64)
        if self.thresholds is not None:
            from sfumato.algorithms.grouping import line_kernels as growing  # noqa: PLC0415  (a compiler)

            known = self.thresholds
            limits = known.limits
            growing.grow(self.values, known.bounded, known.named, limits, unit, goes_on, group)
            return group
        start = n_groups = 0
        length = FIRST_LOOK
        while start < n:
            end = self._first_end(start, unit, goes_on, length)
            if end is None:
                break
            group[start:end] = n_groups
            length = max(2 * (end - start), FIRST_LOOK)
            start, n_groups = end, n_groups + 1
            report("grouping", start, n)
        return group

    def _first_end(
        self, start: int, unit: int, goes_on: NDArray[np.bool_], length: int
    ) -> int | None:
        """Find where the group that begins here ends; None: nowhere."""
        n, tried, safe = len(self), start, None
        length = max(length, unit)
        while tried < n:
            last = min(start + length, n)
            step = max(1, COUNTS_AT_ONCE // self._width(start, last)) * unit
            last = min(last, tried + step)
            ends = np.arange(start + unit, last + 1, unit)
            if last == n and (not len(ends) or ends[-1] < n):
                ends = np.append(ends, n)
            ends = ends[ends > tried]
            held = ends[self._prefixes(start, ends)]
            stops = held[(held == n) | ~goes_on[(held - 1) // unit]]
            if len(stops):
                return int(stops[0])
            safe = int(held[-1]) if len(held) else safe
            tried = int(ends[-1])
            length = max(2 * length, tried - start + unit)
        return safe

    def _width(self, start: int, end: int) -> int:
        """How many different values there may be in a stretch."""
        return min(len(self.frequencies.persons_values.codes), end - start) if self.by_value else 1

    def _prefixes(self, start: int, ends: Integers) -> NDArray[np.bool_]:
        """Judge the stretches that begin at `start` and end at each of `ends`."""
        if not self.by_value:
            return self._judge(ends - start, None)
        present, column = np.unique(self.values[start : ends[-1]], return_inverse=True)
        upto = np.searchsorted(ends, np.arange(start, ends[-1]), side="right")
        flat = np.bincount(upto * len(present) + column, minlength=len(ends) * len(present))
        counted = np.cumsum(flat.reshape(len(ends), len(present)), axis=0)
        histogram = Histogram.from_dense(counted)
        n_values = len(self.frequencies.persons_values.codes)
        codes = present[histogram.codes].astype(np.int32)
        return self._judge(ends - start, replace(histogram, codes=codes, n_values=n_values))

    def safe(self, starts: Integers, ends: Integers) -> NDArray[np.bool_]:
        """Judge stretches of people that do not overlap."""
        if self.thresholds is not None:
            from sfumato.algorithms.grouping import line_kernels as growing  # noqa: PLC0415  (a compiler)

            known = self.thresholds
            held = np.zeros(len(starts), dtype=bool)
            growing.judge(self.values, starts, ends, known.bounded, known.named, known.limits, held)
            return held
        sizes = ends - starts
        if not self.by_value:
            return self._judge(sizes, None)
        stretch = np.repeat(np.arange(len(starts)), sizes)
        place = np.arange(len(stretch)) + np.repeat(starts - (np.cumsum(sizes) - sizes), sizes)
        return self._judge(sizes, histogram_of(self.frequencies, stretch, self.values[place]))

    def _judge(self, sizes: Counts, histogram: Histogram | None) -> NDArray[np.bool_]:
        return holding(self.criterion, JointGroups(self.frequencies, sizes, histogram))


def histogram_of(
    frequencies: FrequencySet, group: NDArray[np.integer], values: NDArray[np.intp]
) -> Histogram:
    """Count the values of people by their groups, which are numbered without gaps."""
    shape = (int(group.max(initial=-1)) + 1, len(frequencies.persons_values.codes))
    ones = np.ones(len(group), dtype=np.int64)
    return Histogram.from_entries(group.astype(np.intp), values.astype(np.int32), ones, shape)
