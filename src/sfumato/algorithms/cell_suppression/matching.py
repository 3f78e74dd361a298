"""Matchings of least weight that cover certain vertices, by the package rustworkx."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sfumato.errors import BadInput

Neighbours = list[set[int]]  # of every vertex
Edge = tuple[int, int, float]  # two vertices and a weight
SCALE = 10**6  # weights are whole numbers there: what is lost is below a millionth of a cell


def need_matching() -> Any:
    """Give rustworkx, or say how to get it."""
    try:
        import rustworkx  # noqa: PLC0415  (optional)
    except ImportError:
        raise BadInput(
            "CellSuppression: algorithm 'factor' needs rustworkx; in a clone of sfumato, install "
            "it with: .venv/bin/pip install -e '.[factor]'; or use algorithm='forest'"
        ) from None
    return rustworkx


def least_matching(
    n_vertices: int, edges: Sequence[Edge], must: Sequence[bool]
) -> list[tuple[int, int]]:
    """Give the cheapest matching of those that cover most of the vertices that must be covered.

    Each of these earns more than all edges cost, so that a heaviest matching is one.
    """
    package = need_matching()
    graph = package.PyGraph(multigraph=False)
    graph.add_nodes_from(range(n_vertices))
    scaled = [(a, b, round(weight * SCALE)) for a, b, weight in edges]
    reward = 1 + max((weight for _, _, weight in scaled), default=0) * (n_vertices + 1)
    graph.add_edges_from([(a, b, reward * (must[a] + must[b]) - w) for a, b, w in scaled])
    matched = package.max_weight_matching(graph, weight_fn=int)
    return [(int(a), int(b)) for a, b in matched]
