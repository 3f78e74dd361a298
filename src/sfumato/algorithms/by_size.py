"""Mondrian for criteria about sizes alone, compiled: cuts (strict) and halves (relaxed)."""

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
    offset, place, lengths, whole = _space(domains)
    meet = np.ones(offset[-1], dtype=np.int32)  # the level at which a value and the next one meet
    for domain, start in zip(domains, offset, strict=False):
        if domain.numbers is None:
            ranks = np.arange(len(domain), dtype=np.int32)
            level = domain.taxonomy.enclosing_level(ranks[:-1], ranks[1:])
            meet[start : start + len(level)] = level
    numeric = np.array([domain.numbers is not None for domain in domains])
    return _partition(codes, counts, k, offset, place, lengths, meet, numeric, whole, widest_only)  # type: ignore[no-any-return]


def halve(
    domains: list[Domain], codes: NDArray[np.int32], counts: Counts, k: int
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Halve the people as `Mondrian(strict=False)` says, into groups of at least k.

    A half is safe or not whichever dimension it is cut along, so the widest one is cut. Returns
    the boxes, and the parts: (combination, group, people).
    """
    return _halve(codes, counts, k, *_space(domains))  # type: ignore[no-any-return]


def _space(
    domains: list[Domain],
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64], NDArray[np.int32]]:
    """Give where each domain begins in one long array, its places there, lengths, and ends."""
    sizes = [len(domain) for domain in domains]
    offset = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    place = np.concatenate([domain.axis for domain in domains])
    lengths = np.array([domain.whole for domain in domains])
    return offset, place, lengths, np.array([[0, size - 1] for size in sizes], dtype=np.int32)


@compiled
def _halve(codes, counts, k, offset, place, lengths, whole):  # type: ignore[no-untyped-def]
    n, n_dimensions = codes.shape
    # The region at hand stands at the end of these two, in the order of combinations. Halves of
    # it take its place: the left one first, the right one at the end, where it is next.
    member = np.arange(n)
    people = counts.copy()
    spare, spare_people = np.empty(n, np.int64), np.empty(n, np.int64)
    boxes = np.empty((16, n_dimensions, 2), dtype=np.int32)
    open_boxes = np.empty((16, n_dimensions, 2), dtype=np.int32)
    starts = np.empty(16, dtype=np.int64)
    starts[0], open_boxes[0] = 0, whole
    n_open, n_boxes, n_parts, end = 1, 0, 0, n
    parts = np.empty((n + 16, 3), dtype=np.int64)
    widest = 0
    for j in range(n_dimensions):
        widest = max(widest, offset[j + 1] - offset[j])
    line = np.zeros(widest, dtype=np.int64)  # people by code, all 0 between two uses
    while n_open:
        first = starts[n_open - 1]
        total = 0
        for i in range(first, end):
            total += people[i]
        half = total // 2
        along, low_along, high_along, span = -1, 0, 0, -1.0
        if half >= k:
            for j in range(n_dimensions):
                low = high = codes[member[first], j]
                for i in range(first + 1, end):
                    code = codes[member[i], j]
                    low, high = min(low, code), max(high, code)
                wide = (place[offset[j] + high] - place[offset[j] + low]) / lengths[j]
                if low < high and wide > span:
                    along, low_along, high_along, span = j, low, high, wide
        if along < 0:
            if n_boxes == len(boxes):
                boxes = np.concatenate((boxes, np.empty_like(boxes)))
            boxes[n_boxes] = open_boxes[n_open - 1]
            while n_parts + end - first > len(parts):
                parts = np.concatenate((parts, np.empty_like(parts)))
            for i in range(first, end):
                parts[n_parts, 0], parts[n_parts, 1] = member[i], n_boxes
                parts[n_parts, 2] = people[i]
                n_parts += 1
            n_boxes += 1
            n_open -= 1
            end = first
            continue
        middle, left = _middle(
            codes[:, along], member, people, first, end, low_along, high_along, half, line
        )
        # Below the middle value to the left, above it to the right; those who have it go left in
        # the order of combinations until the left half is full.
        n_left, n_right, last, next_code = first, 0, low_along, high_along
        for i in range(first, end):
            code, here = codes[member[i], along], people[i]
            taken = here if code < middle else 0
            if code == middle:
                taken = min(here, half - left)
                left += taken
            if here > taken:
                spare[n_right], spare_people[n_right] = member[i], here - taken
                n_right += 1
                next_code = min(next_code, code)
            if taken:
                member[n_left], people[n_left] = member[i], taken
                n_left += 1
                last = max(last, code)
        if n_left + n_right > len(member):
            member = np.concatenate((member, np.empty_like(member)))
            people = np.concatenate((people, np.empty_like(people)))
        for i in range(n_right):
            member[n_left + i], people[n_left + i] = spare[i], spare_people[i]
        end = n_left + n_right
        if last < next_code:  # a clean cut: the values in between go half-way
            last = (last + next_code - 1) // 2
            next_code = last + 1
        if n_open == len(starts):
            starts = np.concatenate((starts, np.empty_like(starts)))
            open_boxes = np.concatenate((open_boxes, np.empty_like(open_boxes)))
        open_boxes[n_open] = open_boxes[n_open - 1]
        open_boxes[n_open - 1, along, 1] = last
        open_boxes[n_open, along, 0] = next_code
        starts[n_open] = n_left
        n_open += 1
    return boxes[:n_boxes].copy(), parts[:n_parts].copy()


@compiled
def _middle(codes, member, people, first, end, low, high, half, line):  # type: ignore[no-untyped-def]
    """Give the value at which the people up to it are half of all, and how many are below it."""
    left = 0
    if high - low < 8 * (end - first) + 64:
        for i in range(first, end):
            line[codes[member[i]] - low] += people[i]
        middle = low
        while left + line[middle - low] < half:
            left += line[middle - low]
            middle += 1
        for i in range(first, end):
            line[codes[member[i]] - low] = 0
        return middle, left
    own = np.empty(end - first, dtype=np.int64)
    for i in range(first, end):
        own[i - first] = codes[member[i]]
    order = np.argsort(own)
    for i in order:
        if left + people[first + i] >= half:
            middle, left = own[i], 0
            break
        left += people[first + i]
    for i in range(first, end):
        if codes[member[i]] < middle:
            left += people[i]
    return middle, left


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
