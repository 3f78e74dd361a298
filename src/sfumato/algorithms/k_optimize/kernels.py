"""Compiled loops over cells: the distinct combinations that a head and a tail of splits tell apart.

The tuples of arrays are described in `nodes`. All costs are whole numbers.
"""

from __future__ import annotations

import numpy as np

from sfumato.compiled import compiled

DISCERNIBILITY, CLASS, LOSS = 0, 1, 2
NOWHERE = -1


@compiled
def numbered(codes):  # type: ignore[no-untyped-def]
    """Number the distinct rows in the order in which they come.

    Returns the number of every row, and for every number the first row that has it.
    """
    n, n_columns = codes.shape
    room = 16
    while room < 2 * n:
        room *= 2
    last = np.uint64(room - 1)
    table = np.full(room, NOWHERE, dtype=np.int64)
    index = np.empty(n, dtype=np.int64)
    first = np.empty(n, dtype=np.int64)
    n_distinct = 0
    for i in range(n):
        mixed = np.uint64(1469598103934665603)
        for c in range(n_columns):
            mixed = (mixed ^ np.uint64(codes[i, c])) * np.uint64(0x9E3779B97F4A7C15)
            mixed ^= mixed >> np.uint64(29)
        place = mixed & last
        while True:
            known = table[place]
            if known == NOWHERE:
                table[place] = index[i] = n_distinct
                first[n_distinct] = i
                n_distinct += 1
                break
            same = True
            for c in range(n_columns):
                if codes[first[known], c] != codes[i, c]:
                    same = False
                    break
            if same:
                index[i] = known
                break
            place = (place + np.uint64(1)) & last
    return index, first[:n_distinct].copy()


@compiled
def seen_through(codes, starts, maps):  # type: ignore[no-untyped-def]
    """Replace every code by what its column's map gives for it."""
    seen = np.empty_like(codes)
    for i in range(codes.shape[0]):
        for c in range(codes.shape[1]):
            seen[i, c] = maps[starts[c] + codes[i, c]]
    return seen


@compiled
def added_up(index, n, sizes, histogram):  # type: ignore[no-untyped-def]
    """Add up people, and people by class, of the rows with the same number."""
    people = np.zeros(n, dtype=np.int64)
    by_class = np.zeros((n, histogram.shape[1]), dtype=np.int64)
    for i in range(len(index)):
        people[index[i]] += sizes[i]
        for q in range(histogram.shape[1]):
            by_class[index[i], q] += histogram[i, q]
    return people, by_class


@compiled
def parted(cells, group, n_groups, column, position):  # type: ignore[no-untyped-def]
    """Split every group into those below a position of a column and those from there on."""
    left = np.full(n_groups, NOWHERE, dtype=np.int64)
    right = np.full(n_groups, NOWHERE, dtype=np.int64)
    finer = np.empty_like(group)
    n = 0
    for i in range(len(group)):
        side = left if cells.codes[i, column] < position else right
        if side[group[i]] == NOWHERE:
            side[group[i]] = n
            n += 1
        finer[i] = side[group[i]]
    return finer, n


@compiled
def by_group(group, n_groups):  # type: ignore[no-untyped-def]
    """Order cells by their groups: where each begins, and the order."""
    begin = np.zeros(n_groups + 1, dtype=np.int64)
    for i in range(len(group)):
        begin[group[i] + 1] += 1
    for g in range(n_groups):
        begin[g + 1] += begin[g]
    free = begin[:-1].copy()
    order = np.empty(len(group), dtype=np.int64)
    for i in range(len(group)):
        order[free[group[i]]] = i
        free[group[i]] += 1
    return begin, order


@compiled
def _least(cells, prices, splits):  # type: ignore[no-untyped-def]
    """Give for every cell what its people cost at least, if nobody of them is suppressed."""
    n = len(cells.sizes)
    least = np.empty(n, dtype=np.int64)
    for i in range(n):
        size = cells.sizes[i]
        if prices.kind == DISCERNIBILITY:
            least[i] = size * max(size, prices.k)
        elif prices.kind == CLASS:
            majority = np.int64(0)
            for q in range(cells.histogram.shape[1]):
                majority = max(majority, cells.histogram[i, q])
            least[i] = size - majority
        else:
            lost = np.int64(0)
            for c in range(cells.codes.shape[1]):
                x = splits.starts[c] + cells.codes[i, c]
                lost += splits.high[x] - splits.low[x]
            least[i] = size * lost
    return least


@compiled
def price(size, rest, prices):  # type: ignore[no-untyped-def]
    """Give the cost of a group; rest: its minority, or what one of its people loses."""
    if size < prices.k:
        return size * prices.gone
    if prices.kind == DISCERNIBILITY:
        return size * size
    return rest if prices.kind == CLASS else size * rest


@compiled
def bounds(cells, group, n_groups, prices, splits):  # type: ignore[no-untyped-def]
    """Bound the costs of all recodings between a head and its whole tail, and with each split more.

    Everybody whose group under the head is below k costs as a suppressed person, everybody else
    what the cell under head and tail costs at least (READINGS of Ciriani 2008, section 4.1.1).

    Returns by position how much more that is with a split there, how many people more would be
    suppressed, and how many groups it splits; and (3, 2) a cost and the people suppressed: of all
    at least, of the head itself, and of head and tail together.
    """
    n_columns = cells.codes.shape[1]
    least = _least(cells, prices, splits)
    begin, order = by_group(group, n_groups)
    n_positions = splits.starts[n_columns]
    more = np.zeros(n_positions, dtype=np.int64)
    more_suppressed = np.zeros(n_positions, dtype=np.int64)
    n_split = np.zeros(n_positions + 1, dtype=np.int64)
    people = np.zeros(n_positions, dtype=np.int64)  # of one group, by position
    dearer = np.zeros(n_positions, dtype=np.int64)  # suppressed than published
    total = np.zeros((3, 2), dtype=np.int64)
    for i in range(len(least)):
        size = cells.sizes[i]
        if size < prices.k:
            total[2, 0] += size * prices.gone
            total[2, 1] += size
        else:
            total[2, 0] += least[i]
    by_class = np.zeros(cells.histogram.shape[1], dtype=np.int64)
    for g in range(n_groups):
        a, b = begin[g], begin[g + 1]
        size = np.int64(0)
        published = np.int64(0)
        for j in range(a, b):
            size += cells.sizes[order[j]]
            published += least[order[j]]
        if size < prices.k:
            total[:2, 0] += size * prices.gone
            total[:2, 1] += size
            continue
        total[0, 0] += published
        rest = np.int64(0)
        if prices.kind == CLASS:
            by_class[:] = 0
            for j in range(a, b):
                for q in range(len(by_class)):
                    by_class[q] += cells.histogram[order[j], q]
            rest = size - by_class.max()
        elif prices.kind == LOSS:
            for c in range(n_columns):
                x = splits.starts[c] + cells.codes[order[a], c]
                rest += splits.high[splits.head_last[x]] - splits.low[splits.head_first[x]]
        total[1, 0] += price(size, rest, prices)
        if b - a == 1:
            continue
        for c in range(n_columns):
            start = splits.starts[c]
            low = high = start + cells.codes[order[a], c]
            for j in range(a + 1, b):
                x = start + cells.codes[order[j], c]
                low = min(low, x)
                high = max(high, x)
            if low == high:
                continue
            for j in range(a, b):
                i = order[j]
                x = start + cells.codes[i, c]
                people[x] += cells.sizes[i]
                dearer[x] += cells.sizes[i] * prices.gone - least[i]
            n_split[low + 1] += 1
            n_split[high + 1] -= 1
            below = np.int64(0)
            lost = np.int64(0)
            for x in range(low, high):  # those below the next position
                below += people[x]
                lost += dearer[x]
                if below >= prices.k:
                    break
                more[x + 1] += lost
                more_suppressed[x + 1] += below
            above = np.int64(0)
            lost = np.int64(0)
            for x in range(high, low, -1):  # those from this position on
                above += people[x]
                lost += dearer[x]
                if above >= prices.k:
                    break
                more[x] += lost
                more_suppressed[x] += above
            people[low : high + 1] = 0
            dearer[low : high + 1] = 0
    for c in range(n_columns):
        n_split[splits.starts[c]] = 0  # where the groups of the column before it end
        for x in range(splits.starts[c] + 1, splits.starts[c + 1]):
            n_split[x] += n_split[x - 1]
    return total, more, more_suppressed, n_split[:n_positions]


@compiled
def with_one_more(cells, group, n_groups, prices, splits):  # type: ignore[no-untyped-def]
    """Price the head with each split of the tail added.

    Returns by position how much dearer that is, how many people more it suppresses, and how much
    purer its groups are: by the sum of people times people of other classes, which also falls
    where majorities stay what they are.
    """
    n_columns = cells.codes.shape[1]
    n_classes = cells.histogram.shape[1]
    begin, order = by_group(group, n_groups)
    n_positions = splits.starts[n_columns]
    change = np.zeros(n_positions, dtype=np.int64)
    more_suppressed = np.zeros(n_positions, dtype=np.int64)
    purer = np.zeros(n_positions, dtype=np.float64)
    people = np.zeros(n_positions, dtype=np.int64)
    by_class = np.zeros((n_positions, n_classes), dtype=np.int64)
    whole = np.zeros(n_classes, dtype=np.int64)
    below = np.zeros(n_classes, dtype=np.int64)
    for g in range(n_groups):
        a, b = begin[g], begin[g + 1]
        size = np.int64(0)
        whole[:] = 0
        lost = np.int64(0)
        for j in range(a, b):
            size += cells.sizes[order[j]]
            for q in range(n_classes):
                whole[q] += cells.histogram[order[j], q]
        if size < prices.k:
            continue
        if prices.kind == LOSS:
            for c in range(n_columns):
                x = splits.starts[c] + cells.codes[order[a], c]
                lost += splits.high[splits.head_last[x]] - splits.low[splits.head_first[x]]
        rest = lost
        impure = 0.0
        if prices.kind == CLASS:
            rest = size - whole.max()
            for q in range(n_classes):
                impure += whole[q] * (size - whole[q]) / size
        own = price(size, rest, prices)
        for c in range(n_columns):
            start = splits.starts[c]
            anywhere = start + cells.codes[order[a], c]
            low, high = splits.head_first[anywhere], splits.head_last[anywhere]
            if low == high:
                continue
            for j in range(a, b):
                i = order[j]
                x = start + cells.codes[i, c]
                people[x] += cells.sizes[i]
                for q in range(n_classes):
                    by_class[x, q] += cells.histogram[i, q]
            left = np.int64(0)
            below[:] = 0
            for x in range(low + 1, high + 1):  # the split at position x
                left += people[x - 1]
                right = size - left
                rest_left = rest_right = lost
                if prices.kind == CLASS:
                    pure = 0.0
                    most_left = most_right = np.int64(0)
                    for q in range(n_classes):
                        below[q] += by_class[x - 1, q]
                        above = whole[q] - below[q]
                        most_left = max(most_left, below[q])
                        most_right = max(most_right, above)
                        if left:
                            pure += below[q] * (left - below[q]) / left
                        if right:
                            pure += above * (right - above) / right
                    rest_left, rest_right = left - most_left, right - most_right
                    purer[x] += impure - pure
                elif prices.kind == LOSS:
                    rest_left -= splits.high[high] - splits.high[x - 1]
                    rest_right -= splits.low[x] - splits.low[low]
                elif left == 0 or right == 0:
                    continue
                change[x] += price(left, rest_left, prices) + price(right, rest_right, prices)
                change[x] -= own
                if left < prices.k:
                    more_suppressed[x] += left
                if right < prices.k:
                    more_suppressed[x] += right
            people[low : high + 1] = 0
            by_class[low : high + 1] = 0
    return change, more_suppressed, purer
