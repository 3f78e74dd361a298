"""Ways to deal the sensitive values of a published group out to its people.

People who are alike in everything an adversary knows are one cell, so a way is a table of counts:
how many people of each cell have each value. It stands for prod_i n_i! / prod_v m_iv! worlds, in
which everybody has a value of his own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from sfumato.data.groups import Counts

IN_64_BITS = 2**62
FACTORIALS = 20  # the largest factorial that 64 bits hold
AT_ONCE = 1 << 19  # counts of a batch


def tables(sizes: Counts, histogram: Counts, most: int) -> Counts | None:
    """List every table of counts with these margins: (n, n_cells, n_values).

    None where there are more than `most`. Entries are filled in one after the other, for all
    tables at once; the last of a row and the whole last row follow from what is left.

    >>> tables(np.array([1, 2]), np.array([2, 1]), 10).tolist()
    [[[0, 1], [2, 0]], [[1, 0], [1, 1]]]
    """
    n_cells, n_values = len(sizes), len(histogram)
    counts = np.zeros((1, n_cells, n_values), dtype=np.int64)
    left = np.array(histogram, dtype=np.int64)[np.newaxis]  # (n, n_values)
    for i in range(n_cells - 1):
        open_ = np.full(len(counts), int(sizes[i]))  # people of the cell without a value
        for v in range(n_values - 1):
            later = left[:, v + 1 :].sum(axis=1)
            low, high = np.maximum(open_ - later, 0), np.minimum(open_, left[:, v])
            ways = high - low + 1
            total = int(ways.sum())
            if total > most:
                return None
            row = np.repeat(np.arange(len(counts)), ways)
            chosen = low[row] + np.arange(total) - np.repeat(np.cumsum(ways) - ways, ways)
            counts, left = counts[row], left[row]
            counts[:, i, v] = chosen
            left[:, v] -= chosen
            open_ = open_[row] - chosen
        counts[:, i, -1] = open_
        left[:, -1] -= open_
    counts[:, -1] = left
    return counts


@dataclass(frozen=True, eq=False)
class Dealer:
    """Deals values to the people of cells; each cell gets them from one of several pools."""

    sizes: Counts  # (n_cells,)
    pool: NDArray[np.intp]  # (n_cells,)
    histograms: Counts  # (n_pools, n_values)

    def tables(self, most: int) -> Counts | None:
        """List every table of counts: (n, n_cells, n_values); None: more than `most`."""
        joint = np.zeros((1, len(self.sizes), self.histograms.shape[1]), dtype=np.int64)
        for number, histogram in enumerate(self.histograms):
            mine = np.flatnonzero(self.pool == number)
            own = tables(self.sizes[mine], histogram, most)
            if own is None or len(joint) * len(own) > most:
                return None
            joint = np.repeat(joint, len(own), axis=0)
            joint[:, mine] = np.tile(own, (len(joint) // len(own), 1, 1))
        return joint

    def draw(self, n: int, rng: np.random.Generator) -> Counts:
        """Draw n worlds, all equally likely: (n, n_cells, n_values)."""
        counts = np.zeros((n, len(self.sizes), self.histograms.shape[1]), dtype=np.int64)
        for number, histogram in enumerate(self.histograms):
            mine = np.flatnonzero(self.pool == number)
            counts[:, mine] = deal(self.sizes[mine], histogram, n, rng)
        return counts


def worlds(dealt: Counts, sizes: Counts) -> NDArray[np.object_] | Counts:
    """Count the worlds that each table stands for: (n,), whole numbers of any size."""
    n_people = int(sizes.sum())
    if n_people <= FACTORIALS:
        small = np.array([math.factorial(n) for n in range(n_people + 1)], dtype=np.int64)
        cells = [small[n] // small[dealt[:, i]].prod(axis=1) for i, n in enumerate(sizes.tolist())]
        counted = np.prod(cells, axis=0)
        if n_people * _all_worlds(dealt[0].sum(axis=0)) < IN_64_BITS:
            return np.asarray(counted)
    large = _factorials(int(sizes.max(initial=0)))
    dealers = math.prod(large[n] for n in sizes.tolist())
    orders = large[dealt.reshape(len(dealt), -1)].prod(axis=1)
    return np.asarray(dealers // orders, dtype=object)


def _all_worlds(histogram: Counts) -> int:
    counts = histogram.tolist()
    return math.factorial(sum(counts)) // math.prod(map(math.factorial, counts))


@cache
def _factorials(n: int) -> NDArray[np.object_]:
    factorials = np.ones(n + 1, dtype=object)
    for i in range(1, n + 1):
        factorials[i] = factorials[i - 1] * i
    return factorials


def deal(sizes: Counts, histogram: Counts, n: int, rng: np.random.Generator) -> Counts:
    """Draw n worlds, all equally likely, as tables of counts: (n, n_cells, n_values)."""
    n_cells, n_values = len(sizes), len(histogram)
    values = np.repeat(np.arange(n_values), histogram)
    order = rng.permuted(np.tile(values, (n, 1)), axis=1)  # (n, people): the value of each
    place = np.repeat(np.arange(n_cells), sizes) * n_values
    flat = np.arange(n)[:, np.newaxis] * (n_cells * n_values) + place + order
    counted = np.bincount(flat.ravel(), minlength=n * n_cells * n_values)
    return counted.reshape(n, n_cells, n_values).astype(np.int64)


def batch(cost: int) -> int:
    """Worlds to draw at a time, each of which costs so many counts."""
    return int(np.clip(AT_ONCE // max(cost, 1), 1, 4096))
