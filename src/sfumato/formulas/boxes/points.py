"""Which points lie in which of many boxes that may overlap."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

PAIRS_AT_ONCE = 1 << 22  # beyond, a tree of the points pays
PAIRS = 1 << 26  # beyond, it pays for a compiler
LEAVES = 8  # that a box looks into, about


def points_in_boxes(
    points: NDArray[np.int32], boxes: NDArray[np.int32]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Give all pairs of a point and a box around it, by ascending box.

    points: (n, d), boxes: (m, d, 2).

    >>> points_in_boxes(np.array([[1], [4], [9]]), np.array([[[0, 5]], [[4, 9]]]))
    (array([0, 1, 1, 2]), array([0, 0, 1, 1]))
    """
    if len(points) * len(boxes) <= PAIRS_AT_ONCE:
        box, point = np.nonzero(_inside(points, boxes))
        return point, box
    tree = _tree(points, boxes)
    sizes = tree.count_in_boxes(points, np.ones(len(points), dtype=np.int64), boxes)
    which = np.repeat(np.arange(len(boxes)), sizes)
    return tree.list_in_boxes(points, boxes, len(which)), which


def count_in_boxes(
    points: NDArray[np.int32], counts: NDArray[np.int64], boxes: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Add up the counts of the points in each box.

    >>> points, boxes = np.array([[1], [4], [9]]), np.array([[[0, 5]], [[4, 9]]])
    >>> count_in_boxes(points, np.array([1, 2, 3]), boxes)
    array([3, 5])
    """
    n_pairs = len(boxes) * len(points)
    if n_pairs > PAIRS or (n_pairs > PAIRS_AT_ONCE and _has_tree()):
        return np.asarray(_tree(points, boxes).count_in_boxes(points, counts, boxes))
    sums = np.empty(len(boxes), dtype=np.int64)
    n_boxes = max(1, PAIRS_AT_ONCE // max(1, len(points)))
    for first in range(0, len(boxes), n_boxes):
        some = boxes[first : first + n_boxes]
        sums[first : first + n_boxes] = _inside(points, some) @ counts
    return sums


def _inside(points: NDArray[np.int32], boxes: NDArray[np.int32]) -> NDArray[np.bool_]:
    inside = np.ones((len(boxes), len(points)), dtype=bool)
    for code, side in zip(points.T, boxes.transpose(1, 0, 2), strict=True):
        inside &= (code >= side[:, :1]) & (code <= side[:, 1:])
    return inside


def _has_tree() -> bool:
    from sfumato.compiled import is_kept  # noqa: PLC0415  (a compiler)
    from sfumato.formulas.boxes import kd_tree  # noqa: PLC0415  (likewise)

    return is_kept(kd_tree.count_in_boxes)


def _tree(points: NDArray[np.int32], boxes: NDArray[np.int32]) -> Any:
    from sfumato.compiled import suited  # noqa: PLC0415  (a compiler)
    from sfumato.formulas.boxes import kd_tree  # noqa: PLC0415  (likewise)

    n_steps = (points.size + LEAVES * boxes.shape[0] * boxes.shape[1]) * len(points).bit_length()
    return suited(kd_tree, n_steps)
