"""Which points lie in which of many boxes that may overlap."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

PAIRS_AT_ONCE = 1 << 22  # beyond, a tree of the points pays for its compilation


def points_in_boxes(
    points: NDArray[np.int32], boxes: NDArray[np.int32]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Give all pairs of a point and a box around it, by ascending box.

    points: (n, d), boxes: (m, d, 2).

    >>> points_in_boxes(np.array([[1], [4], [9]]), np.array([[[0, 5]], [[4, 9]]]))
    (array([0, 1, 1, 2]), array([0, 0, 1, 1]))
    """
    if len(points) * len(boxes) <= PAIRS_AT_ONCE:
        inside = np.ones((len(boxes), len(points)), dtype=bool)
        for code, side in zip(points.T, boxes.transpose(1, 0, 2), strict=True):
            inside &= (code >= side[:, :1]) & (code <= side[:, 1:])
        box, point = np.nonzero(inside)
        return point, box
    from sfumato.formulas.boxes.kd_tree import count_in_boxes, list_in_boxes  # noqa: PLC0415  (slow)

    sizes = count_in_boxes(points, np.ones(len(points), dtype=np.int64), boxes)
    return list_in_boxes(points, boxes, int(sizes.sum())), np.repeat(np.arange(len(boxes)), sizes)
