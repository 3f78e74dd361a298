"""Parts of the domain that few classes of either release reach into: what meets, meets in one.

Comparing every class of one release with every class of another takes time with their product.
Classes are small beside the domain, so it is cut until few are left on either side of a cut, and
the classes of a part are compared with each other only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Boxes = NDArray[np.int32]  # (n_classes, n_attributes, 2): [low, high] ground ranks
FEW = 64  # classes that are not worth a cut
WORTH = 0.9  # of the pairs: a cut that leaves more is none
AT_ONCE = 1 << 23  # pairs that are compared at once
ANYWHERE = (-(2**31), 2**31 - 1)


@dataclass(frozen=True, eq=False)
class Region:
    """A part of the domain, and the classes of two releases that reach into it."""

    sides: NDArray[np.int32]  # (n_attributes, 2)
    near: tuple[NDArray[np.intp], NDArray[np.intp]]

    def clipped(self, boxes: Boxes, release: int) -> Boxes:
        """What the classes of a release have in it."""
        own = boxes[self.near[release]]
        low = np.maximum(own[:, :, 0], self.sides[:, 0])
        return np.stack([low, np.minimum(own[:, :, 1], self.sides[:, 1])], axis=2)


def regions(first: Boxes, second: Boxes) -> Iterator[Region]:
    """Cut the domain into regions; every rank is in one, save where no class is.

    Boxes that were made by cuts have cuts that part few of them, and take the time of sorting
    them; where every cut parts most of the boxes, they stay together in one region.

    >>> boxes = np.array([[[low, low + 1]] for low in range(0, 200, 2)], dtype=np.int32)
    >>> [len(each.near[0]) for each in regions(boxes, boxes)]
    [25, 25, 25, 25]
    """
    sides = np.array([ANYWHERE] * first.shape[1], dtype=np.int32).reshape(-1, 2)
    waiting = [Region(sides, (np.arange(len(first)), np.arange(len(second))))]
    while waiting:
        region = waiting.pop()
        one, two = region.near
        boxes = np.concatenate([first[one], second[two]])
        cut = _cut(boxes) if len(boxes) > FEW else None
        if cut is None:
            if len(boxes):
                yield region
            continue
        axis, place = cut
        for below in (True, False):
            sides = region.sides.copy()
            sides[axis, 1 if below else 0] = place - 1 if below else place
            near = (
                one[_reaches(first[one, axis], place, below)],
                two[_reaches(second[two, axis], place, below)],
            )
            waiting.append(Region(sides, near))


def comparable(first: Boxes, second: Boxes) -> NDArray[np.intp]:
    """Give the pairs of classes that share a raw value (definition 4.1); (n_pairs, 2), sorted.

    On a path of a taxonomy means that the intervals nest. Intervals of regions may also overlap;
    comparable then is that they intersect in every attribute.
    """
    n_second = max(1, len(second))
    keys = [np.zeros(0, dtype=np.intp)]
    for region in regions(first, second):
        one, two = region.near
        step = max(1, AT_ONCE // max(1, len(two)))
        for start in range(0, len(one), step):
            part = one[start : start + step]
            meet = _meet(first[part], second[two])
            keys.append((part[:, np.newaxis] * n_second + two)[meet])
    different = np.unique(np.concatenate(keys))  # classes may meet in several regions
    return np.stack(np.divmod(different, n_second), axis=1)


def _meet(first: Boxes, second: Boxes) -> NDArray[np.bool_]:
    meet = np.ones((len(first), len(second)), dtype=bool)
    for j in range(first.shape[1]):
        meet &= first[:, j, :1] <= second[:, j, 1]
        meet &= first[:, j, 1:] >= second[:, j, 0]
    return meet


def _reaches(sides: NDArray[np.int32], place: int, below: bool) -> NDArray[np.bool_]:
    return sides[:, 0] < place if below else sides[:, 1] >= place


def _cut(boxes: Boxes) -> tuple[int, int] | None:
    """Cut where the fewest pairs stay together: (axis, first rank above); None: no cut helps."""
    best, fewest = None, WORTH * len(boxes) ** 2
    for axis in range(boxes.shape[1]):
        starts, ends = np.sort(boxes[:, axis, 0]), np.sort(boxes[:, axis, 1])
        below = np.searchsorted(starts, starts)  # boxes that begin below the cut
        above = len(boxes) - np.searchsorted(ends, starts)  # boxes that reach it
        pairs = below**2 + above**2
        j = int(pairs.argmin())
        if pairs[j] < fewest:
            best, fewest = (axis, int(starts[j])), int(pairs[j])
    return best
