"""Which of many boxes that do not overlap holds each point."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

NONE, SEVERAL = -1, -2  # instead of a box
FEW_PAIRS = 1 << 16  # of points and boxes, which are compared at once


def only_box(points: NDArray[np.int32], boxes: NDArray[np.int32]) -> NDArray[np.intp]:
    """Find the box of each point: its number, NONE, or SEVERAL; points: (n, d), boxes: (m, d, 2).

    Space is cut between boxes until few points and boxes are left in a part. A box on both sides
    of a cut is looked at on both. Boxes that were made by cuts have one that parts no box, and
    cost what sorting them costs; others may cost more, and are never looked at more often than
    once for each point.

    >>> only_box(np.array([[1], [4], [9]]), np.array([[[0, 3]], [[5, 9]]])).tolist()
    [0, -1, 1]
    """
    found = np.full(len(points), NONE, dtype=np.intp)
    waiting = [(np.arange(len(points)), np.arange(len(boxes)))]
    while waiting:
        here, near = waiting.pop()
        sides = None
        if len(here) * len(near) > FEW_PAIRS:
            sides = _halves(points[here], boxes[near])
        if sides is None:
            box = _compared(points[here], boxes[near])
            found[here] = np.where(box >= 0, near[np.maximum(box, 0)], box) if len(near) else NONE
        else:
            waiting += [(here[inside], near[touching]) for inside, touching in sides]
    return found


Half = tuple[NDArray[np.bool_], NDArray[np.bool_]]  # points and boxes on one side of a cut


def _halves(points: NDArray[np.int32], boxes: NDArray[np.int32]) -> list[Half] | None:
    """Cut where few pairs of points and boxes are left on both sides; None: no cut helps."""
    best, fewest = None, len(points) * len(boxes) * 3 // 4
    for axis in range(points.shape[1]):
        low, high = boxes[:, axis, 0], boxes[:, axis, 1]
        starts, ends = np.sort(low), np.sort(high)
        places = np.sort(points[:, axis])
        cuts = np.unique(starts)  # the first place above a cut
        below = np.searchsorted(starts, cuts)  # boxes that begin below it
        above = len(boxes) - np.searchsorted(ends, cuts)  # boxes that reach it
        first = np.searchsorted(places, cuts)  # points below it
        pairs = first * below + (len(points) - first) * above
        j = int(pairs.argmin())
        if pairs[j] < fewest:
            best, fewest = (axis, int(cuts[j])), int(pairs[j])
    if best is None:
        return None
    axis, cut = best
    left = points[:, axis] < cut
    return [(left, boxes[:, axis, 0] < cut), (~left, boxes[:, axis, 1] >= cut)]


def _compared(points: NDArray[np.int32], boxes: NDArray[np.int32]) -> NDArray[np.intp]:
    """Compare every point with every box, some points at a time."""
    found = np.full(len(points), NONE, dtype=np.intp)
    step = max(1, FEW_PAIRS // max(1, len(boxes)))
    for start in range(0, len(points) if len(boxes) else 0, step):
        some = points[start : start + step]
        inside = np.ones((len(some), len(boxes)), dtype=bool)
        for code, side in zip(some.T, boxes.transpose(1, 0, 2), strict=True):
            inside &= (code[:, np.newaxis] >= side[:, 0]) & (code[:, np.newaxis] <= side[:, 1])
        n_boxes = inside.sum(axis=1)
        box = np.where(n_boxes == 1, inside.argmax(axis=1), NONE)
        found[start : start + step] = np.where(n_boxes > 1, SEVERAL, box)
    return found
