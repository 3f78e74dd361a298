"""The compiled loops of `skyline_regions` that count: who has what, in a region and its cells.

A region seen along a column falls into cells of people with the same code. Where codes are few,
one pass counts all cells; where they are many, members are sorted, and cells counted in turn.
"""

from __future__ import annotations

from sfumato.compiled import compiled


@compiled
def count(table, member, room):  # type: ignore[no-untyped-def]
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
def forget(room, n_seen):  # type: ignore[no-untyped-def]
    """Set what was counted to 0 again."""
    for value in room.seen[:n_seen]:
        room.whole[value] = room.left[value] = room.right[value] = 0


@compiled
def tabulate(table, member, n_seen, room, first, end):  # type: ignore[no-untyped-def]
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
def next_tabulated(room, column, code, n_seen):  # type: ignore[no-untyped-def]
    """Give the next code that somebody has; one more than the largest: there is none."""
    code += 1
    while code <= room.high[column] and room.cells[_cell(room, column, code, n_seen)] == 0:
        code += 1
    return code


@compiled
def _leave_cell(room):  # type: ignore[no-untyped-def]
    for i in range(room.n_touched[0]):
        room.cell[room.touched[i]] = 0


@compiled
def tabulated_cell(room, column, code, n_seen):  # type: ignore[no-untyped-def]
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
def sorted_cell(table, room, column, place, end):  # type: ignore[no-untyped-def]
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
def sort_members(table, member, room, column):  # type: ignore[no-untyped-def]
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
