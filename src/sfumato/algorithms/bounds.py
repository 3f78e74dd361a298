"""How far published boxes reach: to their cuts, to their people, or to the grid around these."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.data.recoding import Assignment

Bounds = Literal["grid", "cuts", "tight"]
BOUNDS: tuple[Bounds, ...] = ("grid", "cuts", "tight")


def bounded(assignment: Assignment, bounds: Bounds) -> Assignment:
    """Let boxes that reach to their cuts reach as far as was asked for.

    By quasi-identifiers alone: whatever values people have, the same groups have the same bounds.

    - "grid": in every column the smallest range of the hierarchy's finest grid (`Domain.grid`)
      around the people, clipped to the cuts, so that boxes which did not meet do not meet. A value
      that all share is the whole range. Where there is no grid the range reaches to the cuts.
    - "cuts": as it is.
    - "tight": to the extremes of the people inside.
    """
    if bounds == "cuts":
        return assignment
    people = _extremes(assignment)
    if bounds == "tight":
        return replace(assignment, boxes=people)
    boxes = assignment.boxes.copy()
    counted = assignment.combinations
    for j, name in enumerate(counted.quasi_identifiers):
        domain = counted.domains[name]
        low, high = people[:, j, 0], people[:, j, 1]
        if domain.grid is not None:
            taxonomy = domain.taxonomy
            boxes[:, j, 0] = np.maximum(boxes[:, j, 0], taxonomy.low[domain.grid, low])
            boxes[:, j, 1] = np.minimum(boxes[:, j, 1], taxonomy.high[domain.grid, high])
        shared = low == high
        boxes[shared, j] = people[shared, j]
    return replace(assignment, boxes=boxes, on_grid=True)


def _extremes(assignment: Assignment) -> NDArray[np.int32]:
    """Give the least and the largest rank of the people of every box: (n_boxes, n_columns, 2)."""
    combination, group, _ = assignment.kept.T
    extremes = np.empty_like(assignment.boxes)
    extremes[:, :, 0], extremes[:, :, 1] = np.iinfo(np.int32).max, -1
    for j, name in enumerate(assignment.combinations.quasi_identifiers):
        codes = assignment.combinations.codes(name)[combination]
        low, high = np.ascontiguousarray(extremes[:, j].T)
        np.minimum.at(low, group, codes)
        np.maximum.at(high, group, codes)
        extremes[:, j, 0], extremes[:, j, 1] = low, high
    return extremes
