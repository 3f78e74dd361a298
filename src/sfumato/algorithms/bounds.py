"""How far published boxes reach: to their cuts, to their people, or to the grid around these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
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
    counted = assignment.combinations
    domains = [counted.domains[name] for name in counted.quasi_identifiers]
    boxes = reaching(assignment.boxes, extremes(assignment), domains, bounds)
    return replace(assignment, boxes=boxes, on_grid=bounds == "grid")


def reaching(
    cuts: NDArray[np.integer],
    people: NDArray[np.integer],
    domains: Sequence[Domain],
    bounds: Bounds,
) -> NDArray[np.int32]:
    """Let boxes reach as far as was asked for; cuts, people: (n_boxes, n_columns, 2)."""
    if bounds != "grid":
        return (cuts if bounds == "cuts" else people).astype(np.int32, copy=False)
    boxes = cuts.astype(np.int32)
    for j, domain in enumerate(domains):
        low, high = people[:, j, 0], people[:, j, 1]
        if domain.grid is not None:
            taxonomy = domain.taxonomy
            boxes[:, j, 0] = np.maximum(boxes[:, j, 0], taxonomy.low[domain.grid, low])
            boxes[:, j, 1] = np.minimum(boxes[:, j, 1], taxonomy.high[domain.grid, high])
        shared = low == high
        boxes[shared, j] = people[shared, j]
    return boxes


def extremes(assignment: Assignment) -> NDArray[np.int32]:
    """Give the least and the largest rank of the people of every box: (n_boxes, n_columns, 2)."""
    combination, group, _ = assignment.kept.T
    ends = np.empty_like(assignment.boxes)
    ends[:, :, 0], ends[:, :, 1] = np.iinfo(np.int32).max, -1
    for j, name in enumerate(assignment.combinations.quasi_identifiers):
        codes = assignment.combinations.codes(name)[combination]
        low, high = np.ascontiguousarray(ends[:, j].T)
        np.minimum.at(low, group, codes)
        np.maximum.at(high, group, codes)
        ends[:, j, 0], ends[:, j, 1] = low, high
    return ends
