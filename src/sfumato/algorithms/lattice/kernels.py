"""Counting combinations again, where a column is generalized."""

from __future__ import annotations

import numpy as np

from sfumato.compiled import compiled


@compiled
def _mixed(value: np.uint64) -> np.uint64:
    value ^= value >> np.uint64(33)
    value *= np.uint64(0xFF51AFD7ED558CCD)
    value ^= value >> np.uint64(33)
    value *= np.uint64(0xC4CEB9FE1A85EC53)
    return value ^ (value >> np.uint64(33))


@compiled
def aggregated(keys, counts):  # type: ignore[no-untyped-def]
    """Number equal keys alike, in the order of their first appearance, and add up their counts."""
    n, n_words = keys.shape
    size = 16
    while size < 2 * n:
        size *= 2
    slots = np.full(size, -1, dtype=np.int32)
    index = np.empty(n, dtype=np.int32)
    distinct_keys = np.empty((n, n_words), dtype=np.uint64)
    sums = np.empty(n, dtype=np.int64)
    n_distinct = 0
    for i in range(n):
        mixed = np.uint64(0)
        for w in range(n_words):
            mixed = _mixed(mixed ^ keys[i, w])
        slot = np.int64(mixed & np.uint64(size - 1))
        while True:
            here = slots[slot]
            if here < 0:
                slots[slot] = n_distinct
                index[i] = n_distinct
                sums[n_distinct] = counts[i]
                for w in range(n_words):
                    distinct_keys[n_distinct, w] = keys[i, w]
                n_distinct += 1
                break
            same = True
            for w in range(n_words):
                if distinct_keys[here, w] != keys[i, w]:
                    same = False
                    break
            if same:
                index[i] = here
                sums[here] += counts[i]
                break
            slot = (slot + 1) & (size - 1)
    return index, distinct_keys[:n_distinct].copy(), sums[:n_distinct].copy()


@compiled
def roll(keys, counts, word, shift, mask, lows):  # type: ignore[no-untyped-def]
    """Replace one column's codes by the first ranks of their nodes, and count again."""
    rolled = keys.copy()
    for i in range(len(keys)):
        code = (keys[i, word] & mask) >> shift
        rolled[i, word] = (keys[i, word] & ~mask) | (lows[code] << shift)
    _, distinct_keys, sums = aggregated(rolled, counts)
    return distinct_keys, sums


@compiled
def group(keys, counts, masks):  # type: ignore[no-untyped-def]
    """Number the keys by the bits in `masks` alone."""
    bare = keys.copy()
    for i in range(len(keys)):
        for w in range(len(masks)):
            bare[i, w] &= masks[w]
    return aggregated(bare, counts)


@compiled
def rows(index, n_groups):  # type: ignore[no-untyped-def]
    """Sort entries by group, by counting: the starts of the groups, and the order of entries."""
    starts = np.zeros(n_groups + 1, dtype=np.int64)
    for group in index:
        starts[group + 1] += 1
    for g in range(n_groups):
        starts[g + 1] += starts[g]
    place = starts[:-1].copy()
    order = np.empty(len(index), dtype=np.int64)
    for i in range(len(index)):
        order[place[index[i]]] = i
        place[index[i]] += 1
    return starts, order


@compiled
def climbed(keys, words, shifts, masks, lows, starts):  # type: ignore[no-untyped-def]
    """Replace the codes of columns by the first ranks of nodes above them.

    lows: all levels of all columns, one behind the other; starts: where the wanted level of each
    column begins there, -1: the column stays as it is.
    """
    rolled = keys.copy()
    for j in range(len(words)):
        if starts[j] < 0:
            continue
        word, shift, mask, start = words[j], shifts[j], masks[j], starts[j]
        for i in range(len(keys)):
            code = np.int64((keys[i, word] & mask) >> shift)
            rolled[i, word] = (rolled[i, word] & ~mask) | (lows[start + code] << shift)
    return rolled


@compiled
def costs_of(keys, words, shifts, masks, costs, starts):  # type: ignore[no-untyped-def]
    """Add up what a person of every key costs, column by column; a start of -1 costs nothing."""
    cost = np.zeros(len(keys), dtype=np.int64)
    for j in range(len(words)):
        if starts[j] < 0:
            continue
        word, shift, mask, start = words[j], shifts[j], masks[j], starts[j]
        for i in range(len(keys)):
            cost[i] += costs[start + np.int64((keys[i, word] & mask) >> shift)]
    return cost


@compiled
def cost_between(keys, counts, word, shift, mask, costs, low, high):  # type: ignore[no-untyped-def]
    """Add up what everybody costs more where a column's costs begin at `high` than at `low`."""
    more = np.int64(0)
    for i in range(len(keys)):
        code = np.int64((keys[i, word] & mask) >> shift)
        more += counts[i] * (costs[high + code] - costs[low + code])
    return more


@compiled
def left_out(starts, codes, word, shift, mask, counts, gains, k):  # type: ignore[no-untyped-def]
    """Add up people, and gains, of those whose group falls below k when one code parts the groups.

    starts: where each group begins, and where the last one ends.
    """
    sums = np.empty(np.int64(mask >> shift) + 1, dtype=np.int64)
    people = np.int64(0)
    gain = np.int64(0)
    for g in range(len(starts) - 1):
        start, end = starts[g], starts[g + 1]
        for i in range(start, end):
            sums[np.int64((codes[i, word] & mask) >> shift)] = 0
        for i in range(start, end):
            sums[np.int64((codes[i, word] & mask) >> shift)] += counts[i]
        for i in range(start, end):
            if sums[np.int64((codes[i, word] & mask) >> shift)] < k:
                people += counts[i]
                gain += gains[i]
    return people, gain
