"""SkylineCheck in one pass: the five minima of every value over all groups (Chen 2009, fig. 3).

For one value per person. Nothing is kept per group.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sfumato.compiled import compiled
from sfumato.formulas.knowledge.kernels import lacking, product

SEEN = 1024  # counts whose V is remembered


@compiled
def one_pass(  # pragma: no cover  (compiled)
    starts: Any, codes: Any, counts: Any, sizes: Any, l: Any, k: Any, m: Any, n_values: Any
) -> Any:
    """The l most frequent others come from a tally of counts, or where those are large a sort."""
    lowest = np.full((n_values, 5), np.inf)
    lowest[:, 3:] = 1.0
    tally = np.zeros(SEEN, dtype=np.int64)
    seen = np.full((SEEN, 2), -1, dtype=np.int64)  # V depends on these two alone: n, having
    values = np.empty((SEEN, 3))
    for g in range(len(sizes)):
        first, end, n = starts[g], starts[g + 1], sizes[g]
        top = min(l + 1, end - first)
        largest = 0
        for e in range(first, end):
            largest = max(largest, counts[e])
        # Sums of the l and the l + 1 largest counts, and the last of these.
        upto_l, upto_next, last, taken = 0, 0, 0, 0
        if largest < SEEN:
            for e in range(first, end):
                tally[counts[e]] += 1
            count = largest
            while taken < top:
                for _ in range(min(tally[count], top - taken)):
                    taken += 1
                    upto_next += count
                    last = count
                    if taken <= l:
                        upto_l += count
                count -= 1
            for e in range(first, end):
                tally[counts[e]] = 0
        else:
            ordered = np.sort(counts[first:end])
            for i in range(top):
                last = ordered[len(ordered) - 1 - i]
                upto_next += last
                if i < l:
                    upto_l += last
        for e in range(first, end):
            having = counts[e]
            # Whoever is among the l + 1 largest has all of them but itself.
            others = upto_next - having if top <= l or having >= last else upto_l
            slot = having % SEEN
            if seen[slot, 0] != n or seen[slot, 1] != having:
                seen[slot, 0], seen[slot, 1] = n, having
                values[slot, 0] = lacking(n, having, m, 0, 0)
                values[slot, 1] = lacking(n, having, m, k, 0)
                values[slot, 2] = lacking(n, having, m, k + 1, 0)
            alone = max(n - having - others, 0) / having
            kept = max(n - having - others - k, 0) / having
            low = lowest[codes[e]]
            low[0] = min(low[0], product(kept, values[slot, 2]))
            low[1] = min(low[1], alone)
            low[2] = min(low[2], kept)
            low[3] = min(low[3], values[slot, 0])
            low[4] = min(low[4], values[slot, 1])
    return lowest
