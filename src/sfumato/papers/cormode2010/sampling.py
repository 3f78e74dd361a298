"""The compiled loop of `closeness`: orders of a group's values that the method would have kept."""

from __future__ import annotations

import numpy as np

from sfumato.compiled import compiled


@compiled
def sample(values, reference, t, wanted, most, seed, tally):  # type: ignore[no-untyped-def]
    """Shuffle the values until `wanted` orders are kept, or `most` people were looked at.

    An order is kept when no beginning of it is within t (a numerator and a denominator) of the
    reference, except the whole. Kept orders are counted by position and value, in turn in the
    first and the second half of `tally`: (2, n_people, n_values). Gives how many were kept.
    """
    np.random.seed(seed)
    n, n_values, n_all = len(values), len(reference), reference.sum()
    count = np.zeros(n_values, dtype=np.int64)
    kept = looked = 0
    while kept < wanted and looked < most:
        count[:] = 0
        close = False
        for i in range(n):
            j = np.random.randint(i, n)
            values[i], values[j] = values[j], values[i]
            count[values[i]] += 1
            size = i + 1
            looked += 1
            if size < n:
                distance = 0
                for v in range(n_values):
                    distance += abs(n_all * count[v] - size * reference[v])
                if distance * t[1] <= 2 * size * n_all * t[0]:
                    close = True
                    break
        if not close:
            for i in range(n):
                tally[kept % 2, i, values[i]] += 1
            kept += 1
    return kept
