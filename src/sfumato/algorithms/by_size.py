"""Strict Mondrian for criteria about sizes alone, compiled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.compiled import compiled
from sfumato.data.domain import Domain
from sfumato.data.groups import Counts


def partition(
    domains: list[Domain],
    codes: NDArray[np.int32],
    counts: Counts,
    k: int,
    *,
    widest_only: bool,
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Cut the space as `Mondrian` says, into regions of at least k people.

    codes: (n_combinations, n_dimensions). Returns the boxes, and the region of every combination.
    """
    sizes = [len(domain) for domain in domains]
    offset = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    ranks = [np.arange(size, dtype=np.int32) for size in sizes]
    place = np.concatenate([domain.axis for domain in domains])
    lengths = np.array([domain.whole for domain in domains])
    meet = np.ones(offset[-1], dtype=np.int32)  # the level at which a value and the next one meet
    for domain, r, start in zip(domains, ranks, offset, strict=False):
        if domain.numbers is None:
            level = domain.taxonomy.enclosing_level(r[:-1], r[1:])
            meet[start : start + len(level)] = level
    numeric = np.array([domain.numbers is not None for domain in domains])
    whole = np.array([[0, size - 1] for size in sizes], dtype=np.int32)
    return _partition(codes, counts, k, offset, place, lengths, meet, numeric, whole, widest_only)  # type: ignore[no-any-return]


@compiled
def _partition(codes, counts, k, offset, place, lengths, meet, numeric, whole, widest_only):  # type: ignore[no-untyped-def]
    n, n_dimensions = codes.shape
    boxes = np.empty((n, n_dimensions, 2), dtype=np.int32)
    boxes[0] = whole
    n_regions = 1
    order = np.arange(n)
    spare = np.empty(n, dtype=np.int64)
    region = np.zeros(n, dtype=np.int64)
    largest = 0
    for j in range(n_dimensions):
        largest = max(largest, offset[j + 1] - offset[j])
    people = np.zeros(largest, dtype=np.int64)
    stack = np.empty((n + 1, 3), dtype=np.int64)  # first member, end of members, region
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, n, 0
    n_waiting = 1
    low = np.empty(n_dimensions, dtype=np.int64)
    high = np.empty(n_dimensions, dtype=np.int64)
    span = np.empty(n_dimensions, dtype=np.float64)
    while n_waiting:
        n_waiting -= 1
        first, end, here = stack[n_waiting, 0], stack[n_waiting, 1], stack[n_waiting, 2]
        total = 0
        for i in range(first, end):
            total += counts[order[i]]
        cut_along, cut_at = -1, -1
        if total >= 2 * k:
            for j in range(n_dimensions):
                low[j], high[j] = codes[order[first], j], codes[order[first], j]
                for i in range(first + 1, end):
                    code = codes[order[i], j]
                    low[j], high[j] = min(low[j], code), max(high[j], code)
                span[j] = (place[offset[j] + high[j]] - place[offset[j] + low[j]]) / lengths[j]
                if low[j] == high[j]:
                    span[j] = -1.0
            while cut_along < 0:
                j = int(np.argmax(span))
                if span[j] < 0:
                    break
                span[j] = -1.0
                cut_at = _boundary(
                    codes, counts, order, first, end, j, low[j], high[j], total, k,
                    meet[offset[j] : offset[j + 1]], numeric[j], people,
                )  # fmt: skip
                if cut_at >= 0:
                    cut_along = j
                elif widest_only:
                    break
        if cut_along < 0:
            for i in range(first, end):
                region[order[i]] = here
            continue
        # Below the cut to the front, above it to the back.
        n_left, n_right = 0, 0
        for i in range(first, end):
            if codes[order[i], cut_along] <= cut_at:
                order[first + n_left] = order[i]
                n_left += 1
            else:
                spare[n_right] = order[i]
                n_right += 1
        for i in range(n_right):
            order[first + n_left + i] = spare[i]
        boxes[n_regions] = boxes[here]
        boxes[here, cut_along, 1] = cut_at
        boxes[n_regions, cut_along, 0] = cut_at + 1
        stack[n_waiting, 0], stack[n_waiting, 1], stack[n_waiting, 2] = first, first + n_left, here
        n_waiting += 1
        stack[n_waiting, 0], stack[n_waiting, 1] = first + n_left, end
        stack[n_waiting, 2] = n_regions
        n_waiting += 1
        n_regions += 1
    return boxes[:n_regions].copy(), region


@compiled
def _boundary(  # type: ignore[no-untyped-def]
    codes, counts, order, first, end, j, low, high, total, k, meet, numeric, people
):
    """Find the last rank below the best cut of one region along one dimension; -1: none.

    Between the largest nodes of a tree first, then nearest to halving, then lower.
    """
    dense = high - low < 8 * (end - first) + 64
    if dense:
        for i in range(first, end):
            people[codes[order[i], j] - low] += counts[order[i]]
        n_steps = high - low + 1
        line = np.empty(0, dtype=np.int64)
    else:
        line = np.empty(end - first, dtype=np.int64)
        for i in range(first, end):
            line[i - first] = codes[order[i], j]
        by_code = np.argsort(line, kind="mergesort")
        n_steps = end - first
    best_level, best_uneven, best_at = -1, 0, -1
    left, last = 0, -1  # people up to and including the value `last`
    for step in range(n_steps):
        if dense:
            code, here = low + step, people[step]
            people[step] = 0
            if here == 0:
                continue
        else:
            code, here = line[by_code[step]], counts[order[first + by_code[step]]]
        if last >= 0 and code != last and left >= k and total - left >= k:
            level = 0
            for rank in range(last, code):
                level = max(level, meet[rank])
            uneven = abs(2 * left - total)
            if level > best_level or (level == best_level and uneven < best_uneven):
                best_level, best_uneven = level, uneven
                best_at = (last + code - 1) // 2
                if not numeric:
                    best_at = last
                    while meet[best_at] != level:
                        best_at += 1
        left += here
        last = code
    return best_at
