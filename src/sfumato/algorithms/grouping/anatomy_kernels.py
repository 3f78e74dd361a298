"""Anatomy's loop over values: which value every place of every group is for.

It runs as it is for small tables and compiled for large ones.
"""

from __future__ import annotations

import heapq

import numpy as np


def deal_values(  # type: ignore[no-untyped-def]
    starts, values, counts, free, widths, joined, lots, n_values, place_value, place_group
):
    """Write the value and the group of every place, table by table.

    The values of table t are entries starts[t] to starts[t + 1] with their counts, and free[t]
    people have values that may repeat (`n_values` stands for these). Groups get the widths[t]
    most frequent values that are left, ties by code, then free people; 0: one group of all.
    Whoever is left over goes to a group that does not have the value, the lots say which.
    joined[t] groups in a row are made one.
    """
    place = n_groups = lot = 0
    taken = np.empty(max(1, widths.max()), dtype=np.int64)
    for t in range(len(free)):
        first, width, n_free = place, widths[t], free[t]
        size = n_free + counts[starts[t] : starts[t + 1]].sum()
        if width == 0:
            for entry in range(starts[t], starts[t + 1]):
                place_value[place : place + counts[entry]] = values[entry]
                place += counts[entry]
            place_value[place : place + n_free] = n_values
            place += n_free
            place_group[first:place] = n_groups
            n_groups += 1
            continue
        # The most frequent value first, then the smallest code, in one number.
        heap = [-counts[e] * n_values + values[e] for e in range(starts[t], starts[t + 1])]
        heapq.heapify(heap)
        n_made = size // width
        for group in range(n_made):
            n_taken = min(width, len(heap))
            for j in range(n_taken):
                taken[j] = heapq.heappop(heap)
            for j in range(n_taken):
                place_value[place + j] = taken[j] % n_values
                if taken[j] // n_values < -1:
                    heapq.heappush(heap, taken[j] + n_values)
            place_value[place + n_taken : place + width] = n_values
            n_free -= width - n_taken
            place_group[place : place + width] = group
            place += width
        end = place
        while place - first < size:
            value = heapq.heappop(heap) % n_values if len(heap) > 0 else n_values
            has_it = 0
            if value < n_values:
                for j in range(first, end):
                    has_it += place_value[j] == value
            chosen = lots[lot] % (n_made - has_it)
            if has_it > 0:
                for j in range(first, end):  # groups ascend
                    if place_value[j] == value and place_group[j] <= chosen:
                        chosen += 1
            place_value[place], place_group[place] = value, chosen
            place += 1
            lot += 1
        last = max(n_made // joined[t], 1) - 1
        for j in range(first, place):
            place_group[j] = n_groups + min(place_group[j] // joined[t], last)
        n_groups += last + 1
