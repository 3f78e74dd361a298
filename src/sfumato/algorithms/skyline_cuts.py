"""The compiled loops of `skyline_regions`: weigh and judge the cuts of a region, and cut it.

What they are given is described there; the tuples of arrays are read and written in place.
"""

from __future__ import annotations

import numpy as np

from sfumato.compiled import compiled
from sfumato.formulas.knowledge_kernels import lacking, odds, product

GAIN, MEDIAN, WIDEST = range(3)  # by what the cuts of a region are put in order
HEAD, TAIL, N_REGIONS, N_CLOSED = range(4)  # what `State.counters` counts
TOGETHER, ALONE, KEPT, FAMILY, BESIDE = range(5)  # the five statistics, in the paper's order


@compiled
def cut_regions(table, wanted, order, state, room, found, tree, budget):  # type: ignore[no-untyped-def]
    """Cut regions from the head of the queue until it is empty, the budget or the room is used."""
    counters, used = state.counters, 0
    while counters[HEAD] < counters[TAIL] and used < budget:
        if counters[N_REGIONS] == len(state.starts) or counters[TAIL] + 2 > len(state.queue):
            return
        region = state.queue[counters[HEAD]]
        used += state.ends[region] - state.starts[region]
        n_found = propose(table, wanted, order, state, room, found, tree, False)
        decide(table, wanted, state, room, found, tree, n_found - 1)


@compiled
def propose(table, wanted, order, state, room, found, tree, every):  # type: ignore[no-untyped-def]
    """Find the best safe cut of the region at the head of the queue, or every safe cut."""
    region = state.queue[state.counters[HEAD]]
    if wanted.live:  # what the others are like without it; it is put back when it is not cut
        leaf = len(tree) // 2 + region
        _copy(tree[leaf], room.kept)
        _neutral(tree[leaf])
        _renew(tree, leaf)
    member = state.member[state.starts[region] : state.ends[region]]
    return _weigh(table, wanted, order, member, tree[1], room, found, every)


@compiled
def decide(table, wanted, state, room, found, tree, chosen):  # type: ignore[no-untyped-def]
    """Cut the region at the head of the queue at one of the cuts found; -1: close it."""
    counters = state.counters
    region = state.queue[counters[HEAD]]
    counters[HEAD] += 1
    begin, end = state.starts[region], state.ends[region]
    if chosen < 0:
        counters[N_CLOSED] += end - begin
        if wanted.live:
            _copy(room.kept, tree[len(tree) // 2 + region])
            _renew(tree, len(tree) // 2 + region)
        return
    column, last = found.column[chosen], found.last[chosen]
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
    state.last[other], state.following[other] = last, found.following[chosen]
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
        _neutral(tree[node])
    member = state.member[state.starts[region] : state.ends[region]]
    people, n_seen = _count(table, member, room)
    _rank(room.whole, room.seen[:n_seen], wanted, room, 0)
    for value in room.seen[:n_seen]:
        for r in range(wanted.first[value], wanted.first[value + 1]):
            _odds(people, room.whole, wanted, room, 0, r)
            _family(people, room.whole, wanted, room, 0, r)
            for j in range(5):
                tree[node, r, j] = min(tree[node, r, j], room.five[0, r, j])
    _forget(room, n_seen)
    if wanted.live:
        _renew(tree, node)


@compiled
def _neutral(statistics):  # type: ignore[no-untyped-def]
    """Nobody has any value: no T, and V is 1."""
    for r in range(len(statistics)):
        for j in range(5):
            statistics[r, j] = np.inf if j < FAMILY else 1.0


@compiled
def _copy(source, target):  # type: ignore[no-untyped-def]
    for r in range(len(source)):
        for j in range(5):
            target[r, j] = source[r, j]


@compiled
def _renew(tree, node):  # type: ignore[no-untyped-def]
    """Carry a leaf up to the root: every node has the minima of its two children."""
    node //= 2
    while node >= 1:
        for r in range(tree.shape[1]):
            for j in range(5):
                tree[node, r, j] = min(tree[2 * node, r, j], tree[2 * node + 1, r, j])
        node //= 2


@compiled
def _count(table, member, room):  # type: ignore[no-untyped-def]
    """Count people, and occurrences of values into `whole`; `seen`: values that occur."""
    people, n_seen = 0, 0
    for piece in member:
        people += table.people[piece]
        for e in range(table.first[piece], table.first[piece + 1]):
            value = table.value[e]
            if room.whole[value] == 0:
                room.seen[n_seen], room.local[value] = value, n_seen
                n_seen += 1
            room.whole[value] += table.occurs[e]
    return people, n_seen


@compiled
def _forget(room, n_seen):  # type: ignore[no-untyped-def]
    for value in room.seen[:n_seen]:
        room.whole[value] = room.left[value] = room.right[value] = 0


@compiled
def _weigh(table, wanted, order, member, others, room, found, every):  # type: ignore[no-untyped-def]
    """Go through the cuts of a region, column by column; give how many safe ones are written.

    Only the best one, unless `every`. Columns stand by falling span where that counts first; then
    no column is looked at after one that has a safe cut.
    """
    n_found, n_turns = 0, 0
    people, n_seen = _count(table, member, room)
    seen = room.seen[:n_seen]
    if people >= 2 * order.least:
        n_turns = _turns(table, order, member, room)
    if order.split == GAIN:
        _tabulate(table, member, n_seen, room, 0, n_turns)
    for turn in range(n_turns):
        column = room.turn[turn]
        if order.split != GAIN:
            _tabulate(table, member, n_seen, room, turn, turn + 1)
        tabulated = room.at[column] >= 0
        if not tabulated:
            _sort(table, member, room, column)
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
                n_left += _tabulated_cell(room, column, code, n_seen)
                following = code + 1
                while following <= high and room.cells[_cell(room, column, following, n_seen)] == 0:
                    following += 1
            else:
                here, place = _sorted_cell(table, room, column, place, len(member))
                n_left += here
                following = high + 1
                if place < len(member):
                    following = np.int64(table.codes[room.line[place], column])
            if following > high:
                break
            for i in range(room.n_touched[0]):
                value = seen[room.touched[i]]
                count = room.cell[room.touched[i]]
                if order.gain_low <= value < order.gain_high:
                    entropy += _weight(room.left[value], order)
                    entropy += _weight(room.right[value], order)
                    entropy -= _weight(room.left[value] + count, order)
                    entropy -= _weight(room.right[value] - count, order)
                    n_left_total += count
                room.left[value] += count
                room.right[value] -= count
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
            at = n_found
            if not every and n_found == 1:
                at = 0
                best = found.first_key[0]
                if first_key > best or (first_key == best and key >= found.key[0]):
                    continue
            if _safe(n_left, people - n_left, seen, wanted, others, room):
                found.turn[at] = turn if order.split != GAIN else 0
                found.first_key[at], found.key[at] = first_key, key
                found.column[at], found.last[at], found.following[at] = column, last, following
                n_found = at + 1
        if order.split != GAIN and not every and n_found > 0:
            break
    _forget(room, n_seen)
    return n_found


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


# A region seen along a column falls into cells of people with the same code. Where codes are few,
# one pass counts all cells; where they are many, members are sorted, and cells counted in turn.


@compiled
def _tabulate(table, member, n_seen, room, first, end):  # type: ignore[no-untyped-def]
    """Count people and their values by code, along the columns of some turns where it is short."""
    used = 0
    for turn in range(first, end):
        column = room.turn[turn]
        n = (room.high[column] - room.low[column] + 1) * (n_seen + 1)
        room.at[column] = -1
        if n <= 4 * len(member) + 64 and used + n <= len(room.cells):
            room.at[column] = used
            used += n
    for i in range(used):
        room.cells[i] = 0
    for piece in member:
        for turn in range(first, end):
            column = room.turn[turn]
            if room.at[column] >= 0:
                cell = _cell(room, column, table.codes[piece, column], n_seen)
                room.cells[cell] += table.people[piece]
                for e in range(table.first[piece], table.first[piece + 1]):
                    room.cells[cell + 1 + room.local[table.value[e]]] += table.occurs[e]


@compiled
def _cell(room, column, code, n_seen):  # type: ignore[no-untyped-def]
    return room.at[column] + (code - room.low[column]) * (n_seen + 1)


@compiled
def _leave_cell(room):  # type: ignore[no-untyped-def]
    for i in range(room.n_touched[0]):
        room.cell[room.touched[i]] = 0


@compiled
def _tabulated_cell(room, column, code, n_seen):  # type: ignore[no-untyped-def]
    """Write the values of a cell that is counted; give its people."""
    begin, n = _cell(room, column, code, n_seen), 0
    _leave_cell(room)
    for local in range(n_seen):
        count = room.cells[begin + 1 + local]
        if count > 0:
            room.cell[local], room.touched[n] = count, local
            n += 1
    room.n_touched[0] = n
    return room.cells[begin]


@compiled
def _sorted_cell(table, room, column, place, end):  # type: ignore[no-untyped-def]
    """Count the values of the members from a place on that have the same code.

    Gives their people, and the next place.
    """
    code, people, n = table.codes[room.line[place], column], 0, 0
    _leave_cell(room)
    while place < end and table.codes[room.line[place], column] == code:
        piece = room.line[place]
        people += table.people[piece]
        for e in range(table.first[piece], table.first[piece + 1]):
            local = room.local[table.value[e]]
            if room.cell[local] == 0:
                room.touched[n] = local
                n += 1
            room.cell[local] += table.occurs[e]
        place += 1
    room.n_touched[0] = n
    return people, place


@compiled
def _sort(table, member, room, column):  # type: ignore[no-untyped-def]
    """Write the members of a region by ascending code of a column."""
    codes, line = table.codes[:, column], room.line[: len(member)]
    low, high = room.low[column], room.high[column]
    if high - low < 8 * len(member) + 64:
        heads = room.heads[: high - low + 2]  # all 0 between two uses
        for piece in member:
            heads[codes[piece] - low + 1] += 1
        for step in range(high - low + 1):
            heads[step + 1] += heads[step]
        for piece in member:
            line[heads[codes[piece] - low]] = piece
            heads[codes[piece] - low] += 1
        for step in range(high - low + 2):
            heads[step] = 0
        return
    for i in range(len(member)):
        line[i] = member[i]
    for begin in range(len(line) // 2 - 1, -1, -1):  # a heap, the largest code at its top
        _sink(codes, line, begin, len(line))
    for end in range(len(line) - 1, 0, -1):
        line[0], line[end] = line[end], line[0]
        _sink(codes, line, 0, end)


@compiled
def _sink(codes, heap, place, end):  # type: ignore[no-untyped-def]
    """Let a member of a heap sink below those with larger codes."""
    while 2 * place + 1 < end:
        child = 2 * place + 1
        if child + 1 < end and codes[heap[child + 1]] > codes[heap[child]]:
            child += 1
        if codes[heap[place]] >= codes[heap[child]]:
            return
        heap[place], heap[child] = heap[child], heap[place]
        place = child


@compiled
def _weight(count, order):  # type: ignore[no-untyped-def]
    """Count * log2(count), in units of 2^-shift."""
    if count < len(order.logs):
        return count * order.logs[count]
    return count * np.int64(np.rint(np.log2(np.float64(count)) * order.unit))


@compiled
def _level(order, column, code, following):  # type: ignore[no-untyped-def]
    """Give the level of the smallest node around two neighbours; 0 in an ordered column."""
    level = 0
    if order.tall[column]:
        for value in range(code, following):
            level = max(level, order.meet[order.offset[column] + value])
    return level


@compiled
def _safe(n_left, n_right, seen, wanted, others, room):  # type: ignore[no-untyped-def]
    """Say whether the groups are safe with both sides of a cut in place of their region.

    Odds come first: they are cheap, and most cuts that are unsafe are so by them.
    """
    _rank(room.left, seen, wanted, room, 0)
    _rank(room.right, seen, wanted, room, 1)
    for value in seen:
        for r in range(wanted.first[value], wanted.first[value + 1]):
            _odds(n_left, room.left, wanted, room, 0, r)
            _odds(n_right, room.right, wanted, room, 1, r)
            alone = min(others[r, ALONE], room.five[0, r, ALONE], room.five[1, r, ALONE])
            kept = min(others[r, KEPT], room.five[0, r, KEPT], room.five[1, r, KEPT])
            limit = wanted.limit[r]
            if product(alone, others[r, BESIDE]) <= limit:
                return False
            if product(kept, others[r, FAMILY]) <= limit:
                return False
    for value in seen:
        for r in range(wanted.first[value], wanted.first[value + 1]):
            _family(n_left, room.left, wanted, room, 0, r)
            _family(n_right, room.right, wanted, room, 1, r)
            left, right, rest = room.five[0, r], room.five[1, r], others[r]
            limit = wanted.limit[r]
            if min(left[TOGETHER], right[TOGETHER], rest[TOGETHER]) <= limit:
                return False
            alone = min(left[ALONE], right[ALONE], rest[ALONE])
            if product(alone, min(left[BESIDE], right[BESIDE], rest[BESIDE])) <= limit:
                return False
            kept = min(left[KEPT], right[KEPT], rest[KEPT])
            if product(kept, min(left[FAMILY], right[FAMILY], rest[FAMILY])) <= limit:
                return False
    return True


@compiled
def _rank(counts, seen, wanted, room, side):  # type: ignore[no-untyped-def]
    """Write the most frequent values of one side, of every column that is protected."""
    top_value, top_count, n_top = room.top_value[side], room.top_count[side], room.n_top[side]
    for block in range(len(n_top)):
        n_top[block] = 0
    for value in seen:
        count, block = counts[value], wanted.block[value]
        if count == 0 or block < 0:
            continue
        at = n_top[block]
        if at == wanted.most[block]:
            at -= 1
            if top_count[block, at] >= count:
                continue
        else:
            n_top[block] += 1
        while at > 0 and top_count[block, at - 1] < count:
            top_value[block, at] = top_value[block, at - 1]
            top_count[block, at] = top_count[block, at - 1]
            at -= 1
        top_value[block, at], top_count[block, at] = value, count


@compiled
def _odds(people, counts, wanted, room, side, r):  # type: ignore[no-untyped-def]
    """Write T of one side for one requirement."""
    five, value, case = room.five[side, r], wanted.value[r], wanted.case[r]
    having = counts[value]
    if having == 0:
        five[ALONE] = five[KEPT] = np.inf
        return
    block, left = wanted.block[value], wanted.l[r]
    ruled_out, share = 0, 1.0
    for i in range(room.n_top[side, block]):
        if left == 0:
            break
        if room.top_value[side, block, i] != value:
            count = room.top_count[side, block, i]
            ruled_out += count
            share *= (people - count) / people
            left -= 1
    five[ALONE] = odds(people, having, ruled_out, share, 0, case)
    five[KEPT] = five[ALONE]
    if wanted.k[r] > 0:
        five[KEPT] = odds(people, having, ruled_out, share, wanted.k[r], case)


@compiled
def _family(people, counts, wanted, room, side, r):  # type: ignore[no-untyped-def]
    """Write V of one side for one requirement, and T V; T is written already."""
    five, k, m, case = room.five[side, r], wanted.k[r], wanted.m[r], wanted.case[r]
    having = counts[wanted.value[r]]
    if having == 0:
        five[TOGETHER], five[FAMILY], five[BESIDE] = np.inf, 1.0, 1.0
        return
    five[TOGETHER] = product(five[KEPT], lacking(people, having, m, k + 1, case))
    five[FAMILY] = lacking(people, having, m, 0, case)
    five[BESIDE] = five[FAMILY] if k == 0 else lacking(people, having, m, k, case)


@compiled
def draw_boxes(state, boundary, boxes):  # type: ignore[no-untyped-def]
    """Write the box of every region; boxes[0] is the whole space. boundary: last rank of a cut."""
    for region in range(1, len(boxes)):
        parent, column = state.parent[region], state.column[region]
        for j in range(boxes.shape[1]):
            boxes[region, j, 0], boxes[region, j, 1] = boxes[parent, j, 0], boxes[parent, j, 1]
        boxes[parent, column, 1] = boundary[region]
        boxes[region, column, 0] = boundary[region] + 1
