"""Edges that a factor may use: all of them in small tables, those to near vertices in others."""

from __future__ import annotations

import numpy as np

from sfumato.algorithms.cell_suppression.kernels import distances
from sfumato.algorithms.cell_suppression.points import Integers, Points

Weights = dict[tuple[int, int], float]  # of edges, the lesser vertex first

COMPLETE = 200  # vertices up to which every edge is a candidate, so that the least factor is found
NEAREST = 10  # others to which a vertex has an edge where there are more


def candidate_edges(points: Points, vertices: Integers) -> Weights:
    """Weigh pairs of positions in `vertices`, which are points.

    Beside those to the nearest there is a circle through all vertices, so that there is a factor.
    """
    n = len(vertices)
    edges = np.column_stack(np.triu_indices(n, 1)) if n <= COMPLETE else _near(points, vertices)
    weights = points.weights(vertices[edges[:, 0]], vertices[edges[:, 1]])
    return dict(zip(map(tuple, edges.tolist()), weights.tolist(), strict=True))


def _near(points: Points, vertices: Integers) -> Integers:
    """Give the pairs of every vertex with its nearest, and those of the circle; (n, 2)."""
    n = len(vertices)
    codes, _, *columns = points
    here = np.ascontiguousarray(codes[vertices])
    circle = np.arange(n)
    pairs = [np.column_stack([circle, np.roll(circle, -1)])]
    for v in range(n):
        distance = distances(here, *columns, v)
        distance[v] = np.inf
        near = np.argsort(distance, kind="stable")[:NEAREST]
        pairs.append(np.column_stack([np.full(len(near), v), near]))
    return np.unique(np.sort(np.concatenate(pairs), axis=1), axis=0)
