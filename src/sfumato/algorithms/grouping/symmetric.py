"""Symmetric grouping: sorted people are halved while both halves are safe (Cormode 2010, C.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from sfumato.algorithms.algorithm import Algorithm
from sfumato.algorithms.formation import Formation
from sfumato.algorithms.grouping.anatomy import Needs, anatomize, not_anatomized, verify
from sfumato.algorithms.grouping.line import Line
from sfumato.algorithms.grouping.people import (
    Integers,
    bucketing,
    known_order,
    need_sensitive,
    partitioned,
    place_in_group,
    settle,
    sorted_people,
)
from sfumato.algorithms.lots import Draw
from sfumato.algorithms.refusals import refuse_unsafe_whole
from sfumato.criteria import Criterion
from sfumato.data.frequency import FrequencySet
from sfumato.data.recoding import Recoding
from sfumato.progress import report


@dataclass(frozen=True)
class SymmetricGrouping(Algorithm):
    """People are sorted by quasi-identifiers and halved, while both halves are safe.

    Figure 7 of Cormode 2010. The sort is that of `GreedyGrouping`; the left half has the odd
    person. Nobody is suppressed.

    Departure: both halves need l people (1/alpha, or the k that a criterion names), also where
    the values that it bounds are missing from one. The figure has no such check, and three people
    of whom one is positive, halved at l = 2, then give that one away.

    Even splits are symmetric: whichever half was unsafe, it might as well have been the other.
    What the attack learns stays near 1/l. Quasi-identifiers and sensitive values are looked at
    together.

    Args:
        order: Quasi-identifiers by priority in the sort; those not named follow in the order of
            the table.
        anatomize: Partition each finished group by `Anatomy`: a method of its own.
        seed: Repeats the random order of equal people, for experiments.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> method = sf.SymmetricGrouping(order=("sex", "age"))
    >>> sf.anonymize(patients, sf.LDiversity(3, "frequency"), method).n_suppressed
    0
    """

    order: tuple[str, ...] | None = None
    anatomize: bool = False
    seed: int | None = None
    symmetric: ClassVar[bool] = True
    bucketized: ClassVar[bool] = True

    def __init__(
        self,
        order: Sequence[str] | None = None,
        anatomize: bool = False,
        seed: int | None = None,
    ) -> None:
        settle(self, order, anatomize, seed)

    def refuses(self, criterion: Criterion) -> str | None:
        """Also what partitioned groups need not satisfy."""
        return super().refuses(criterion) or not_anatomized(self, criterion)

    def formation(self, criterion: Criterion, frequencies: FrequencySet) -> Formation:
        """Groups are halves that could not be halved again."""
        del frequencies
        return Formation(criterion, 0, least_people(criterion), Fraction(0), self.order or ())

    @classmethod
    def examples(cls) -> tuple[Algorithm, ...]:
        """Without Anatomy."""
        return (cls(),)

    def search(self, frequencies: FrequencySet, criterion: Criterion, draw: Draw) -> Recoding:
        """Halve all groups until no half is safe."""
        owner = "SymmetricGrouping"
        need_sensitive(owner, frequencies)
        order = known_order(owner, self.order, frequencies)
        needs = Needs.of(criterion, frequencies) if self.anatomize else None
        refuse_unsafe_whole(frequencies, criterion)
        people = sorted_people(frequencies, order, draw)
        group = halved(Line(frequencies, criterion, people), least_people(criterion))
        if needs is None:
            return bucketing(frequencies, people, group)
        after = anatomize(needs, people, group, draw)
        verify(frequencies, criterion, people, after)
        left = (np.bincount(group)[group] + 1) // 2  # people in the left half of each group
        half = (place_in_group(group) >= left).astype(np.int64)
        return partitioned(frequencies, people, after, group, half)


def least_people(criterion: Criterion) -> int:
    """People that a half must have for the criterion to mean anything there."""
    different = (part.enough_different() or 1 for part in criterion.parts)
    return max(criterion.least_size, *different)


def halved(line: Line, least: int) -> Integers:
    """Give the group of every person on the line, numbered from left to right."""
    n = len(line)
    is_start = np.zeros(n, dtype=np.int64)
    starts, ends = np.zeros(1, dtype=np.int64), np.array([n], dtype=np.int64)
    while len(starts):
        enough = (ends - starts) // 2 >= min(least, n)
        starts, ends = starts[enough], ends[enough]
        middles = starts + (ends - starts + 1) // 2
        both = np.stack([starts, middles, ends], axis=1)
        safe = line.safe(both[:, :2].ravel(), both[:, 1:].ravel()).reshape(-1, 2).all(axis=1)
        is_start[middles[safe]] = 1
        starts, ends = both[safe, :2].ravel(), both[safe, 1:].ravel()
        report("halving", int(is_start.sum()) + 1)
    return np.cumsum(is_start)
