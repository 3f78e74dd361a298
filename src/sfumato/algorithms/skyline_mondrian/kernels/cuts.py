"""The compiled loops of `skyline_regions`: weigh and judge the cuts of a region, and cut it.

What they are given is described there; the tuples of arrays are read and written in place.
"""

from __future__ import annotations

import numpy as np

from sfumato.algorithms.skyline_mondrian.kernels.cells import (
    count,
    forget,
    next_tabulated,
    sort_members,
    sorted_cell,
    tabulate,
    tabulated_cell,
)
from sfumato.algorithms.skyline_mondrian.kernels.statistics import (
    carry_up,
    clear,
    copy,
    rank,
    safe,
    write_family,
    write_odds,
)
from sfumato.compiled import compiled

GAIN, MEDIAN, WIDEST = range(3)  # by what the cuts of a region are put in order
HEAD, TAIL, N_REGIONS, N_CLOSED = range(4)  # what the counters of the state count


@compiled
def cut_regions(table, wanted, order, state, room, cuts, tree, end, budget):  # type: ignore[no-untyped-def]
    """Cut regions from the head of the queue until it is empty, the budget or the room is used.

    end: the place in the queue that is not gone beyond.
    """
    counters, used = state.counters, 0
    while counters[HEAD] < min(end, counters[TAIL]) and used < budget:
        if counters[N_REGIONS] == len(state.starts) or counters[TAIL] + 2 > len(state.queue):
            return
        region = state.queue[counters[HEAD]]
        used += state.ends[region] - state.starts[region]
        n_cuts = propose(table, wanted, order, state, room, cuts, tree, False)
        decide(table, wanted, state, room, cuts, tree, n_cuts - 1)


@compiled
def propose(table, wanted, order, state, room, cuts, tree, every):  # type: ignore[no-untyped-def]
    """Find the best safe cut of the region at the head of the queue, or every safe cut."""
    region = state.queue[state.counters[HEAD]]
    if wanted.live:  # what the others are like without it; it is put back when it is not cut
        leaf = len(tree) // 2 + region
        copy(tree[leaf], room.kept)
        clear(tree[leaf])
        carry_up(tree, leaf)
    member = state.member[state.starts[region] : state.ends[region]]
    return _weigh(table, wanted, order, member, tree[1], room, cuts, every)


@compiled
def decide(table, wanted, state, room, cuts, tree, chosen):  # type: ignore[no-untyped-def]
    """Cut the region at the head of the queue at one of the cuts found; -1: close it."""
    counters = state.counters
    region = state.queue[counters[HEAD]]
    counters[HEAD] += 1
    begin, end = state.starts[region], state.ends[region]
    if chosen < 0:
        counters[N_CLOSED] += end - begin
        if wanted.live:
            copy(room.kept, tree[len(tree) // 2 + region])
            carry_up(tree, len(tree) // 2 + region)
        return
    column, last = cuts.column[chosen], cuts.last[chosen]
    middle, n_right = begin, 0
    for i in range(begin, end):
        piece = state.member[i]
        if table.codes[piece, column] <= last:
            state.member[middle] = piece
            middle += 1
        else:
            room.line[n_right] = piece
            n_right += 1
    for i in range(n_right):
        state.member[middle + i] = room.line[i]
    other = counters[N_REGIONS]
    counters[N_REGIONS] += 1
    state.ends[region], state.starts[other], state.ends[other] = middle, middle, end
    state.parent[other], state.column[other] = region, column
    state.last[other], state.following[other] = last, cuts.following[chosen]
    for side in (region, other):
        state.queue[counters[TAIL]] = side
        counters[TAIL] += 1
        add_region(table, wanted, state, room, tree, side)


@compiled
def add_region(table, wanted, state, room, tree, region):  # type: ignore[no-untyped-def]
    """Take a region's statistics into account: as a leaf of the tree, or in the running minima."""
    node = 1
    if wanted.live:
        node = len(tree) // 2 + region
        clear(tree[node])
    member = state.member[state.starts[region] : state.ends[region]]
    people, n_seen = count(table, member, room)
    rank(room.whole, room.seen[:n_seen], wanted, room, 0)
    for value in room.seen[:n_seen]:
        for r in range(wanted.first[value], wanted.first[value + 1]):
            write_odds(people, room.whole, wanted, room, 0, r)
            write_family(people, room.whole, wanted, room, 0, r)
            for j in range(5):
                tree[node, r, j] = min(tree[node, r, j], room.five[0, r, j])
    forget(room, n_seen)
    if wanted.live:
        carry_up(tree, node)


@compiled
def _weigh(table, wanted, order, member, others, room, cuts, every):  # type: ignore[no-untyped-def]
    """Go through the cuts of a region, column by column; give how many safe ones are written.

    Only the best one, unless `every`. Columns stand by falling span where that counts first; then
    no column is looked at after one that has a safe cut.
    """
    n_cuts, n_turns = 0, 0
    people, n_seen = count(table, member, room)
    seen = room.seen[:n_seen]
    if people >= 2 * order.least:
        n_turns = _turns(table, order, member, room)
    if order.split == GAIN:
        tabulate(table, member, n_seen, room, 0, n_turns)
    for turn in range(n_turns):
        column = room.turn[turn]
        if order.split != GAIN:
            tabulate(table, member, n_seen, room, turn, turn + 1)
        tabulated = room.at[column] >= 0
        if not tabulated:
            sort_members(table, member, room, column)
        low, high = room.low[column], room.high[column]
        entropy, n_total, n_left_total = 0, 0, 0
        for value in seen:
            room.left[value], room.right[value] = 0, room.whole[value]
            if order.gain_low <= value < order.gain_high:
                entropy -= _weight(room.whole[value], order)
                n_total += room.whole[value]
        n_left, place, code, following = 0, 0, low, low
        while True:
            if tabulated:
                n_left += tabulated_cell(room, column, code, n_seen)
                following = next_tabulated(room, column, code, n_seen)
            else:
                here, place = sorted_cell(table, room, column, place, len(member))
                n_left += here
                following = high + 1
                if place < len(member):
                    following = np.int64(table.codes[room.line[place], column])
            if following > high:
                break
            for i in range(room.n_touched[0]):
                value = seen[room.touched[i]]
                more = room.cell[room.touched[i]]
                if order.gain_low <= value < order.gain_high:
                    entropy += _weight(room.left[value], order)
                    entropy += _weight(room.right[value], order)
                    entropy -= _weight(room.left[value] + more, order)
                    entropy -= _weight(room.right[value] - more, order)
                    n_left_total += more
                room.left[value] += more
                room.right[value] -= more
            last, code = code, following
            if n_left < order.least or people - n_left < order.least:
                continue
            first_key, key = 0, 0.0
            if order.split == GAIN:
                first_key = entropy + _weight(n_left_total, order)
                first_key += _weight(n_total - n_left_total, order)
            elif order.split == MEDIAN:
                first_key = -_level(order, column, last, following)
                key = np.float64(abs(2 * n_left - people))
            else:
                axis = order.place[order.offset[column] :]
                key = abs(axis[last] + axis[following] - axis[low] - axis[high])
            at = n_cuts
            if not every and n_cuts == 1:
                at = 0
                best = cuts.first_key[0]
                if first_key > best or (first_key == best and key >= cuts.key[0]):
                    continue
            if safe(n_left, people - n_left, seen, wanted, others, room):
                cuts.turn[at] = turn if order.split != GAIN else 0
                cuts.first_key[at], cuts.key[at] = first_key, key
                cuts.column[at], cuts.last[at], cuts.following[at] = column, last, following
                n_cuts = at + 1
        if order.split != GAIN and not every and n_cuts > 0:
            break
    forget(room, n_seen)
    return n_cuts


@compiled
def _turns(table, order, member, room):  # type: ignore[no-untyped-def]
    """Write the columns in which a region has different values, in the order of their turns."""
    n_columns = table.codes.shape[1]
    for column in range(n_columns):
        room.low[column] = room.high[column] = table.codes[member[0], column]
    for piece in member:
        for column in range(n_columns):
            code = np.int64(table.codes[piece, column])
            room.low[column] = min(room.low[column], code)
            room.high[column] = max(room.high[column], code)
    n = 0
    for column in range(n_columns):
        if room.low[column] == room.high[column]:
            continue
        axis = order.place[order.offset[column] :]
        width = axis[room.high[column]] - axis[room.low[column]]
        room.span[column] = width / order.length[column]
        i = n
        while order.split != GAIN and i > 0 and room.span[room.turn[i - 1]] < room.span[column]:
            room.turn[i] = room.turn[i - 1]
            i -= 1
        room.turn[i] = column
        n += 1
    return n


@compiled
def _weight(n, order):  # type: ignore[no-untyped-def]
    """Give n * log2(n), in whole units."""
    if n < len(order.logs):
        return n * order.logs[n]
    return n * np.int64(np.rint(np.log2(np.float64(n)) * order.unit))


@compiled
def _level(order, column, code, following):  # type: ignore[no-untyped-def]
    """Give the level of the smallest node around two neighbours; 0 in an ordered column."""
    level = 0
    if order.tall[column]:
        for value in range(code, following):
            level = max(level, order.meet[order.offset[column] + value])
    return level


@compiled
def draw_boxes(state, boundary, boxes, first):  # type: ignore[no-untyped-def]
    """Write the box of every region from the first new one on; boundary: last rank of a cut."""
    for region in range(first, len(boxes)):
        parent, column = state.parent[region], state.column[region]
        for j in range(boxes.shape[1]):
            boxes[region, j, 0], boxes[region, j, 1] = boxes[parent, j, 0], boxes[parent, j, 1]
        boxes[parent, column, 1] = boundary[region]
        boxes[region, column, 0] = boundary[region] + 1
