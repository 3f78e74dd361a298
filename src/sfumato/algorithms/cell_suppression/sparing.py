"""People who are as many as k and alike need nobody else, and lend others only what these need."""

from __future__ import annotations

import numpy as np

from sfumato.algorithms.cell_suppression.points import Integers, Parts, Points


def spared(points: Points, group: Integers, k: int) -> Parts:
    """Take combinations of k or more people out of their groups, as far as these keep k.

    A group of others that is k without them goes on alone. Where it is not, as many of the
    combination stay as it needs, if k of them are left to be published as they are; who they are
    is left to chance. So a group with a suppressed cell has no more people than it had when such
    a combination counted as k, and nothing is lost by that.
    """
    parts = [np.column_stack([np.arange(len(group)), group, points.people])]
    sizes = np.bincount(group, weights=points.people).astype(np.int64)
    n_groups = len(sizes)
    for point in np.flatnonzero(points.people >= k):
        own = group[point]
        here = int(points.people[point])
        stay = max(0, k - (sizes[own] - here))
        if sizes[own] == here or (stay and here - stay < k):
            continue
        sizes[own] -= here - stay
        parts[0][point] = point, n_groups, here - stay
        if stay:
            parts.append(np.array([[point, own, stay]]))
        n_groups += 1
    found = np.concatenate(parts).astype(np.int64)
    found[:, 1] = np.unique(found[:, 1], return_inverse=True)[1]
    return found
