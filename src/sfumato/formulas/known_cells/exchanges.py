"""Values that are shown to be possible by exchanging people's values, starting from the true ones.

Cut the releases in two: those up to one of them, and those after. Who is in the same classes of the
first ones is at the same place there, and likewise of the others. Two people at the same place can
exchange their values as far as that side can tell. So if people with a value s and people with t
take turns on a way from place to place that closes, all of them exchanging s and t changes no class
of any release. Whoever is not in any release of a side is not counted there.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from sfumato.data.groups import Counts
from sfumato.data.keys import distinct_rows
from sfumato.formulas.known_cells.cells import KnownCells

MOST_VALUES = 50  # beyond, pairs of values are too many to be looked at


def possible_by_exchange(cells: KnownCells, people: Counts) -> NDArray[np.bool_]:
    """Tell which values somebody of every cell has in some world; (n_cells, n_values).

    What is not shown may be possible all the same.

    Args:
        cells: Whose classes are known.
        people: The true values, which are one world; (n_cells, n_values).
    """
    from scipy.sparse import coo_array  # noqa: PLC0415  (heavy, so imported when used)
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    possible = people > 0
    if cells.n_values > MOST_VALUES:
        return possible
    reachable = possible.copy()
    for j in range(1, cells.classes.shape[1]):
        _, left = distinct_rows(cells.classes[:, :j])
        _, right = distinct_rows(cells.classes[:, j:])
        right = right + int(left.max(initial=0)) + 1
        n = int(right.max(initial=0)) + 1
        for s, t in itertools.combinations(range(cells.n_values), 2):
            has_s, has_t = possible[:, s], possible[:, t]
            if not has_s.any() or not has_t.any():
                continue
            ends = (
                np.concatenate([left[has_s], right[has_t]]),
                np.concatenate([right[has_s], left[has_t]]),
            )
            graph = coo_array((np.ones(len(ends[0]), dtype=np.int8), ends), shape=(n, n))
            part = connected_components(graph, directed=True, connection="strong")[1]
            closes = part[left] == part[right]
            reachable[:, t] |= has_s & closes
            reachable[:, s] |= has_t & closes
    return reachable
