"""Strict cuts of many combinations where a region is safe by its number of people alone.

No criterion has to be asked, so that every region is cut to its end before the next one, with its
combinations side by side in memory, and regions that are not large are cut on all cores at once.
"""

from __future__ import annotations

import numpy as np

from sfumato.algorithms.mondrian.compiled_search import Integers, Space
from sfumato.algorithms.mondrian.kernels import cut_boxes, cut_deep
from sfumato.algorithms.mondrian.space import Box, around
from sfumato.data.frequency import FrequencySet
from sfumato.data.recoding import Assignment
from sfumato.progress import report
from sfumato.threads import in_threads

SMALL = 1 << 17  # combinations of a region that is cut to its end at once


def cut_by_size(
    frequencies: FrequencySet, least: int, *, widest_only: bool, whole: Box | None = None
) -> Assignment:
    """Cut all regions as long as both sides have enough people; number them round by round."""
    ground = frequencies.combinations
    domains = [frequencies.domains[name] for name in ground.columns]
    space = Space.of(domains, 1, least, strict=True, widest_only=widest_only)
    n, place = len(ground), np.arange(len(ground))
    codes = np.stack([ground.codes(name) for name in ground.columns], axis=1)
    combinations = (codes, ground.counts.copy(), place.copy())
    region = np.empty(n, dtype=np.int64)
    report("cutting", 0, n)
    made, left = cut_deep(space, combinations, place, region, SMALL, 0, n, 0)

    def finish(task: list[int]) -> tuple[Integers, Integers]:
        _, first, end, depth = task
        return cut_deep(space, combinations, place, region, 0, first, end, depth)  # type: ignore[no-any-return]

    cuts, n_cuts, n_done = [made], len(made), 0
    numbers = combinations[2]
    for (own, first, end, _), (further, _) in zip(
        left.tolist(), in_threads(finish, left.tolist()), strict=True
    ):
        # Its own regions follow those that there are; the one it began with has a number already.
        renumbered = np.append(own, n_cuts + 1 + np.arange(len(further)))
        mine = numbers[first:end]
        region[mine] = renumbered[region[mine]]
        further[:, 0] = renumbered[further[:, 0]]
        cuts.append(further)
        n_cuts += len(further)
        n_done += end - first
        report("cutting", n_done, n)
    made = np.concatenate(cuts)
    order = np.lexsort((made[:, 4], made[:, 3]))
    renumbered = np.zeros(n_cuts + 1, dtype=np.int64)
    renumbered[1 + order] = 1 + np.arange(n_cuts)
    made = made[order]
    made[:, 0] = renumbered[made[:, 0]]
    boxes = np.empty((n_cuts + 1, len(domains), 2), dtype=np.int32)
    boxes[:1] = around(domains, whole)
    cut_boxes(made, boxes)
    parts = np.stack([np.arange(n), renumbered[region], ground.counts], axis=1)
    return Assignment(ground, boxes, parts)
