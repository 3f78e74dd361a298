"""How grouping methods form a group: in which order people joined, and what was not published.

Cormode 2010, sections 3 and 4. A greedy group is a row of buckets; had a shorter row been safe, it
would have been published instead (or, where chance goes on, more likely so). An even split would
have made two groups of one, had both halves been safe.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.criteria.criterion import Criterion
from sfumato.data.frequency import FrequencySet
from sfumato.data.groups import Counts
from sfumato.formulas.minimality.posterior import RejectedStep


@dataclass(frozen=True)
class Formation:
    """What a method does with the people of one group, in their order."""

    enforced: Criterion  # what a group had to satisfy, which may be more than is promised
    unit: int  # people who join at a time; 0: halves
    least: int  # people without whom no part is safe
    weight: Fraction  # of a world in which a shorter group was safe already
    order: tuple[str, ...]  # quasi-identifiers that people are sorted by, the most important first

    def n_buckets(self, sizes: Counts) -> NDArray[np.intp]:
        """Into how many parts a group falls: buckets, or halves that were tried."""
        if self.unit:
            return np.asarray(-(-sizes // self.unit), dtype=np.intp)
        return np.where(sizes // 2 >= self.least, 2, 1).astype(np.intp)

    def people(self, sizes: Counts) -> Counts:
        """People in each bucket of each group: one list, group after group."""
        n = self.n_buckets(sizes)
        owner = np.repeat(np.arange(len(sizes)), n)
        if not self.unit:
            left = (sizes + 1) // 2
            first = np.append(True, owner[1:] != owner[:-1])[: len(owner)]
            halves = np.where(first, left[owner], (sizes - left)[owner])
            return np.asarray(np.where(n[owner] == 1, sizes[owner], halves))
        place = np.arange(len(owner)) - np.repeat(np.cumsum(n) - n, n)
        return np.asarray(np.minimum(self.unit, sizes[owner] - place * self.unit))

    def steps(
        self, bucket: NDArray[np.integer], people: Counts, n_values: int
    ) -> tuple[RejectedStep, ...]:
        """Give what was not published, for cells that joined at a bucket each."""
        n = int(bucket.max(initial=0)) + 1
        if not self.unit:
            nobody = np.zeros((2, n_values), dtype=np.int64)
            halves = bucket == np.arange(2)[:, np.newaxis]
            large = bool((halves @ people >= self.least).all())  # smaller ones were not tried
            return (RejectedStep(halves, nobody),) if n == 2 and large else ()
        nobody = np.zeros((1, n_values), dtype=np.int64)
        shorter = bucket < np.arange(1, n)[:, np.newaxis]  # (n - 1, n_cells)
        tried = shorter[shorter @ people >= self.least]  # what is too small says nothing
        return tuple(RejectedStep(part[np.newaxis], nobody, weight=self.weight) for part in tried)


def ranks(combinations: FrequencySet, order: Sequence[str]) -> NDArray[np.intp]:
    """Say in which place each combination of quasi-identifiers stands when people are sorted.

    order: quasi-identifiers by priority; those not named follow in the order of the table.
    """
    rest = (name for name in combinations.quasi_identifiers if name not in order)
    codes = [combinations.codes(name) for name in (*order, *rest)]
    rank = np.empty(len(combinations), dtype=np.intp)
    rank[np.lexsort(codes[::-1])] = np.arange(len(combinations))
    return rank
