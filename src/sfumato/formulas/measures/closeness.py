"""Earth mover's distance of a group's distribution from the whole table's, in integers.

Every distance is `numerator / denominator` with exact counts: n people in the group, c_i of them
with value i; N people in the table, r_i of them with value i.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.data.groups import Counts, Histogram
from sfumato.formulas.exact import Exact

CELLS_AT_ONCE = 1 << 22


def tree_distance(
    sizes: Counts, histogram: Histogram, reference: Counts, lows: Sequence[NDArray[np.int32]]
) -> tuple[Exact, Exact]:
    """Distance where moving between two values costs the level at which they meet.

    `lows[i]` gives the node of every value at level i, for the levels below the root. With the
    ground level alone all values are equally far apart, and this is the variational distance.

    For such a tree the earth mover's distance is 1 / (2 H) times the sum over the H levels of
    |c_v / n - r_v / N| over all nodes v of the level: what a node has too much must leave it.
    """
    total = int(reference.sum())
    people, whole = _exact(sizes, total * 2 * max(1, len(lows))), total
    numerator = np.zeros_like(people)
    for low in lows:
        nodes = Histogram.from_entries(
            histogram.group_of,
            low[histogram.codes],
            histogram.counts,
            (histogram.n_groups, histogram.n_values),
        )
        expected: Exact = np.zeros(len(reference), dtype=people.dtype)
        np.add.at(expected, low, reference.astype(people.dtype))
        group = nodes.group_of
        actual = nodes.counts.astype(people.dtype) * whole
        wanted: Exact = np.multiply(expected[nodes.codes], people[group])
        # A node that nobody of the group is in contributes r_v n; all of them together N n.
        numerator += people * whole
        np.add.at(numerator, group, abs(actual - wanted) - wanted)
    return numerator, people * whole * (2 * max(1, len(lows)))


def ordered_distance(sizes: Counts, histogram: Histogram, reference: Counts) -> tuple[Exact, Exact]:
    """Distance where values lie on a line, one step apart: the sum of cumulated differences."""
    total = int(reference.sum())
    steps = max(1, len(reference) - 1)
    people, whole = _exact(sizes, total * steps), total
    numerator = np.zeros_like(people)
    wanted = np.cumsum(reference.astype(people.dtype))
    step = max(1, CELLS_AT_ONCE // max(1, histogram.n_values))
    for start in range(0, histogram.n_groups, step):
        chunk = slice(start, min(start + step, histogram.n_groups))
        dense = histogram.rows(chunk.start, chunk.stop).to_dense().astype(people.dtype)
        upto = np.cumsum(dense, axis=1) * whole - wanted * people[chunk, np.newaxis]
        numerator[chunk] = abs(upto).sum(axis=1)
    return numerator, people * whole * steps


def _exact(sizes: Counts, factor: int) -> Exact:
    """Give sizes in a type that holds their products with `factor`."""
    fits = 2 * int(sizes.max(initial=1)) * factor < 2**62
    return sizes.astype(np.int64 if fits else object)
