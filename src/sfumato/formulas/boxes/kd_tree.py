"""Counting and listing points in very many boxes that may overlap."""

from __future__ import annotations

from typing import Any

import numpy as np

from sfumato.compiled import compiled

LEAF = 8  # points that are compared one by one
APART, ACROSS, INSIDE = 0, 1, 2


@compiled
def _tree(points: Any, counts: Any) -> Any:  # pragma: no cover  (compiled)
    """Halve the longest side of what is left until few points are; points: (n, d), n > 0."""
    n, d = points.shape
    order = np.arange(n)
    first = np.zeros(2 * n, dtype=np.int64)
    end = np.zeros(2 * n, dtype=np.int64)
    child = np.full(2 * n, -1, dtype=np.int64)  # the left one; the right one follows it
    total = np.zeros(2 * n, dtype=np.int64)
    low = np.zeros((2 * n, d), dtype=np.int32)  # the smallest box around the points of a node
    high = np.zeros((2 * n, d), dtype=np.int32)
    end[0] = n
    n_nodes, node = 1, 0
    while node < n_nodes:
        a, b = first[node], end[node]
        low[node] = points[order[a]]
        high[node] = points[order[a]]
        for i in range(a, b):
            total[node] += counts[order[i]]
            for j in range(d):
                low[node, j] = min(low[node, j], points[order[i], j])
                high[node, j] = max(high[node, j], points[order[i], j])
        longest = 0
        for j in range(1, d):
            if high[node, j] - low[node, j] > high[node, longest] - low[node, longest]:
                longest = j
        if b - a > LEAF and high[node, longest] > low[node, longest]:
            middle = (low[node, longest] + high[node, longest]) // 2
            i, k = a, b - 1
            while i <= k:
                if points[order[i], longest] <= middle:
                    i += 1
                else:
                    order[i], order[k] = order[k], order[i]
                    k -= 1
            child[node] = n_nodes
            first[n_nodes], end[n_nodes] = a, i
            first[n_nodes + 1], end[n_nodes + 1] = i, b
            n_nodes += 2
        node += 1
    return order, first, end, child, total, low, high


@compiled
def _placed(low: Any, high: Any, box: Any) -> int:  # pragma: no cover  (compiled)
    """Say where a small box lies with regard to another one."""
    place = INSIDE
    for j in range(len(box)):
        if low[j] > box[j, 1] or high[j] < box[j, 0]:
            return APART
        if low[j] < box[j, 0] or high[j] > box[j, 1]:
            place = ACROSS
    return place


@compiled
def count_in_boxes(points: Any, counts: Any, boxes: Any) -> Any:  # pragma: no cover  (compiled)
    """Add up the counts of the points in each box; points: (n, d), boxes: (m, d, 2).

    A box takes whole branches of a tree, leaves whole branches out, and looks into the others.
    """
    n, d = points.shape
    sums = np.zeros(len(boxes), dtype=np.int64)
    if n == 0:
        return sums
    order, first, end, child, total, low, high = _tree(points, counts)
    waiting = np.empty(32 * d + 2, dtype=np.int64)  # every step down halves a side
    for box in range(len(boxes)):
        waiting[0], n_waiting = 0, 1
        while n_waiting:
            n_waiting -= 1
            node = waiting[n_waiting]
            place = _placed(low[node], high[node], boxes[box])
            if place == APART:
                continue
            if place == INSIDE:
                sums[box] += total[node]
            elif child[node] >= 0:
                waiting[n_waiting], waiting[n_waiting + 1] = child[node], child[node] + 1
                n_waiting += 2
            else:
                for i in range(first[node], end[node]):
                    point = points[order[i]]
                    if _placed(point, point, boxes[box]) == INSIDE:
                        sums[box] += counts[order[i]]
    return sums


@compiled
def list_in_boxes(points: Any, boxes: Any, n_pairs: int) -> Any:  # pragma: no cover  (compiled)
    """List the points in each box, box after box; there are `n_pairs` of them altogether."""
    n, d = points.shape
    members, n_members = np.empty(n_pairs, dtype=np.int64), 0
    if n == 0:
        return members
    order, first, end, child, _, low, high = _tree(points, np.ones(n, dtype=np.int64))
    waiting = np.empty(32 * d + 2, dtype=np.int64)
    for box in range(len(boxes)):
        waiting[0], n_waiting = 0, 1
        while n_waiting:
            n_waiting -= 1
            node = waiting[n_waiting]
            place = _placed(low[node], high[node], boxes[box])
            if place == APART:
                continue
            if place == INSIDE:
                for i in range(first[node], end[node]):
                    members[n_members] = order[i]
                    n_members += 1
            elif child[node] >= 0:
                waiting[n_waiting], waiting[n_waiting + 1] = child[node], child[node] + 1
                n_waiting += 2
            else:
                for i in range(first[node], end[node]):
                    point = points[order[i]]
                    if _placed(point, point, boxes[box]) == INSIDE:
                        members[n_members] = order[i]
                        n_members += 1
    return members
