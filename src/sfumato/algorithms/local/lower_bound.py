"""How little could be lost: a bound by nearest neighbours that no groups of k people go below."""

from __future__ import annotations

from sfumato.algorithms.local.gathering import Points
from sfumato.algorithms.local.sides import Bounds
from sfumato.data.frequency import FrequencySet
from sfumato.progress import report

AT_ONCE = 1000  # points between two reports of progress


def least_information_loss(ground: FrequencySet, k: int, bounds: Bounds) -> float:
    """Give an average loss that no groups of k people go below, however they are formed."""
    points = Points.of_combinations(ground, bounds, between=True)
    return least_loss(points, k) / (int(ground.counts.sum()) * len(ground.columns))


def least_loss(points: Points, k: int) -> float:
    """Give a loss of all people in all columns that no partition into groups of k goes below.

    Whoever is with k - 1 others loses at least what the box around him and the farthest of his
    nearest k - 1 loses. All pairs are compared, so this takes longer than finding good groups.
    """
    total = 0.0
    for first in range(0, len(points.codes), AT_ONCE):
        report("bounding", first, len(points.codes))
        end = min(first + AT_ONCE, len(points.codes))
        losses = points.loops(end - first).least_losses(*points, k, first, end)
        total += float(points.people[first:end] @ losses)
    return total
