"""How well columns tell people apart, from the sizes of the groups they make: exact fractions.

A group is everybody who shares one combination of values. Without people every risk is 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from sfumato.data.groups import Counts
from sfumato.formulas.exact import sum_of_products


def distinction(sizes: Counts) -> Fraction:
    """Distinct combinations per row (Motwani and Xu 2007: the distinct ratio).

    Also the share of right guesses that a marketer may expect who links everybody: in a group of
    n people one of n guesses is right (El Emam and Dankar 2008).

    >>> import numpy as np
    >>> distinction(np.array([2, 1, 2]))
    Fraction(3, 5)
    """
    return Fraction(len(sizes), max(int(sizes.sum()), 1))


def separation(sizes: Counts) -> Fraction:
    """Share of the pairs of rows that differ somewhere (Motwani and Xu 2007).

    One row makes no pair: 0.

    >>> import numpy as np
    >>> separation(np.array([2, 1, 2]))
    Fraction(4, 5)
    """
    n_rows = int(sizes.sum())
    apart = n_rows * n_rows - sum_of_products(sizes, sizes)  # ordered pairs
    return Fraction(apart, max(n_rows * (n_rows - 1), 1))


def prosecutor(sizes: Counts) -> Fraction:
    """Probability of recognizing somebody in the smallest group, known to be in the table.

    >>> import numpy as np
    >>> prosecutor(np.array([4, 3]))
    Fraction(1, 3)
    """
    return Fraction(1, int(sizes.min())) if len(sizes) else Fraction(0)


def people_per_group(sizes: Counts) -> Fraction:
    """Average size of a group; 0 without groups.

    >>> import numpy as np
    >>> people_per_group(np.array([2, 1, 2]))
    Fraction(5, 3)
    """
    return Fraction(int(sizes.sum()), max(len(sizes), 1))


def n_below(sizes: Counts, k: int) -> int:
    """Number of people in groups of fewer than k; below 2 they are alone.

    >>> import numpy as np
    >>> n_below(np.array([2, 1, 2, 5]), 2), n_below(np.array([2, 1, 2, 5]), 5)
    (1, 5)
    """
    return int(sizes[sizes < k].sum())


def shapley(worth: Sequence[int]) -> list[Fraction]:
    """Share of each member in the worth of all: what it adds on average over all orders.

    worth: by set of members, where bit j of the index says whether member j is in. The shares
    add up to the worth of all minus that of nobody (Shapley 1953).

    >>> shapley([0, 1, 1, 4])
    [Fraction(2, 1), Fraction(2, 1)]
    >>> shapley([0, 3, 1, 3])
    [Fraction(5, 2), Fraction(1, 2)]
    """
    n = max(len(worth).bit_length() - 1, 0)
    if len(worth) != 1 << n:
        raise ValueError(f"shapley: {len(worth)} sets are not all sets of some members")
    # In how many orders a member comes right after a given set of so many.
    orders = [math.factorial(size) * math.factorial(n - size - 1) for size in range(n)]
    added = [0] * n
    for before, value in enumerate(worth):
        for j in range(n):
            if not before >> j & 1:
                added[j] += orders[before.bit_count()] * (worth[before | 1 << j] - value)
    return [Fraction(total, math.factorial(n)) for total in added]
