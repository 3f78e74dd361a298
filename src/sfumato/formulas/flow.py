"""The largest flow through a network, in whole numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.groups import Counts


def maximum_flow(
    tail: NDArray[np.intp], head: NDArray[np.intp], capacity: Counts, start: int, end: int, n: int
) -> tuple[int, Any]:
    """Send as much as can be over arcs between n nodes.

    Returns how much, and the flow over each arc as a sparse matrix (n, n). Capacities have to be
    below 2^31.
    """
    from scipy.sparse import csr_array  # noqa: PLC0415  (heavy, so imported when used)
    from scipy.sparse.csgraph import maximum_flow as flow_through  # noqa: PLC0415

    # Older versions of SciPy take no other integers.
    rows, columns, limits = (each.astype(np.int32) for each in (tail, head, capacity))
    graph = csr_array((limits, (rows, columns)), shape=(n, n))
    result = flow_through(graph, start, end)
    return int(result.flow_value), result.flow
