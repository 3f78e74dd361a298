"""Compiled: let more people of one sort have come at a time, in a history that releases allow.

All for one sensitive value, and for releases whose classes do not overlap, so that a cell is in one
class of each. `people[cell, time]` are those of a cell who came at a time. At the border before
release j everybody who was there already is a *head*, the classes since the time she came, and
everybody who is in release j is a *tail*, the classes from there on. A head can go on in any tail
if some cell has the classes of both. A tail without a head is that of somebody who came at j; it is
*spare*. So heads and tails may be matched anew at every border, and the releases stay the same.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.compiled import compiled

Ints = NDArray[np.int32]
NONE = -1


class Frame(NamedTuple):
    """Cells and their classes, sorted so that heads and tails are found fast."""

    classes: Ints  # (n_times, n_cells)
    order: Ints  # (n_times + 1, n_cells): [j]: by the classes in releases j - 1, j - 2, ..., 0
    place: Ints  # the inverse
    alike: Ints  # [j, x]: since when the x-th and the one before it are in the same classes
    tail: Ints  # (n_times, n_cells): number of the classes from j on
    tail_cells: Ints  # (n_times, n_cells): cells by their tails
    tail_starts: Ints  # (n_times, n_cells + 1)


class Scratch(NamedTuple):
    """Room to search in."""

    stamp: NDArray[np.int64]  # (1,): what is marked with it was met in this search
    met_tail: NDArray[np.int64]  # (n_cells,)
    met_head: NDArray[np.int64]  # (n_times, n_cells): by time of coming and first place
    from_cell: Ints  # (n_cells,): by tail: where the head that can go there is now; NONE: a start
    from_time: Ints  # by tail: when that head came
    to_cell: Ints  # by tail: the cell it would be in
    queue: Ints  # (n_cells,)
    changes: Ints  # (n, 3): cell, time, +1 or -1
    n_changes: NDArray[np.int64]  # (1,)


@compiled
def covered(order: Ints, alike: Ints, came: Ints) -> Ints:
    """Give how many people of a cell can have come at each time, at least.

    `order` and `alike` are those of a frame; `came` and what is returned are (n_times, n_cells,
    n_values).

    A person of the cell who came at i is put together from records of people who came at i or
    later, in the release j somebody who has been in the cell's classes from coming to j; where one
    leaves these classes, somebody who comes then goes on, and the rest of the one counts as coming
    then. So the fewest such people of any release are possible at once.
    """
    n_times, n_cells, n_values = came.shape
    least = np.full(came.shape, np.iinfo(np.int32).max, dtype=np.int32)
    added = np.zeros(n_values, dtype=np.int32)
    for j in range(n_times):
        upto = np.zeros((n_cells, n_values), dtype=np.int32)
        for i in range(j, -1, -1):
            begin = 0
            while begin < n_cells:
                end = begin + 1
                while end < n_cells and alike[j + 1, end] <= i:
                    end += 1
                added[:] = 0
                for x in range(begin, end):
                    cell = order[j + 1, x]
                    for s in range(n_values):
                        added[s] += came[i, cell, s]
                for x in range(begin, end):
                    cell = order[j + 1, x]
                    for s in range(n_values):
                        upto[cell, s] += added[s]
                        least[i, cell, s] = min(least[i, cell, s], upto[cell, s])
                begin = end
    return least


@compiled
def _first(frame: Frame, j: int, since: int, cell: int) -> int:
    """First place, in the order before j, of those in the cell's classes since then."""
    x = frame.place[j, cell]
    while x > 0 and frame.alike[j, x] <= since:
        x -= 1
    return int(x)


@compiled
def _change(room: Scratch, people: Ints, cell: int, time: int, by: int) -> None:
    people[cell, time] += by
    at = room.n_changes[0]
    room.changes[at, 0] = cell
    room.changes[at, 1] = time
    room.changes[at, 2] = by
    room.n_changes[0] = at + 1


@compiled
def undo(room: Scratch, people: Ints) -> None:
    """Take all changes back."""
    for at in range(room.n_changes[0]):
        people[room.changes[at, 0], room.changes[at, 1]] -= room.changes[at, 2]
    room.n_changes[0] = 0


@compiled
def _spare(frame: Frame, people: Ints, j: int, tail: int) -> int:
    """Find a cell with this tail of which somebody came at j."""
    for x in range(frame.tail_starts[j, tail], frame.tail_starts[j, tail + 1]):
        if people[frame.tail_cells[j, x], j] > 0:
            return int(frame.tail_cells[j, x])
    return NONE


@compiled
def _start(frame: Frame, room: Scratch, j: int, cell: int, n_queued: int) -> int:
    """Begin a search at the cell's tail, unless that was done."""
    tail = frame.tail[j, cell]
    if room.met_tail[tail] == room.stamp[0]:
        return n_queued
    room.met_tail[tail] = room.stamp[0]
    room.from_cell[tail] = NONE
    room.to_cell[tail] = cell
    room.queue[n_queued] = tail
    return n_queued + 1


@compiled
def _search(
    frame: Frame,
    room: Scratch,
    people: Ints,
    j: int,
    n_queued: int,
    aim: int,
    target: int,
    came: int,
) -> int:
    """Find a tail that a head on a tail of the queue can be pushed to, by way of others.

    Either the tail `aim` or a spare one. Heads that are the target's own are not pushed, nor are
    her likes taken as spare.
    """
    stamp = room.stamp[0]
    n_cells = frame.classes.shape[1]
    own = _first(frame, j, came, target) if j > came else NONE
    at = 0
    while at < n_queued:
        tail = room.queue[at]
        at += 1
        for y in range(frame.tail_starts[j, tail], frame.tail_starts[j, tail + 1]):
            cell = frame.tail_cells[j, y]
            for time in range(j - 1, -1, -1):
                if people[cell, time] == 0:
                    continue
                first = _first(frame, j, time, cell)
                if room.met_head[time, first] == stamp or (time == came and first == own):
                    continue
                room.met_head[time, first] = stamp
                x = first
                while x == first or (x < n_cells and frame.alike[j, x] <= time):
                    to = frame.order[j, x]
                    x += 1
                    next_tail = frame.tail[j, to]
                    if room.met_tail[next_tail] == stamp:
                        continue
                    room.met_tail[next_tail] = stamp
                    room.from_cell[next_tail] = cell
                    room.from_time[next_tail] = time
                    room.to_cell[next_tail] = to
                    if next_tail == aim:
                        return int(next_tail)
                    like = j == came and frame.classes[j, to] == frame.classes[j, target]
                    if not like and _spare(frame, people, j, next_tail) != NONE:
                        return int(next_tail)
                    room.queue[n_queued] = next_tail
                    n_queued += 1
    return NONE


@compiled
def _push(frame: Frame, room: Scratch, people: Ints, j: int, tail: int, aim: int) -> int:
    """Push heads along what a search found; returns the cell at whose tail it began."""
    if tail != aim:
        _change(room, people, _spare(frame, people, j, tail), j, -1)
    while room.from_cell[tail] != NONE:
        cell, time = room.from_cell[tail], room.from_time[tail]
        _change(room, people, cell, time, -1)
        _change(room, people, room.to_cell[tail], time, 1)
        tail = frame.tail[j, cell]
    return int(room.to_cell[tail])


@compiled
def _later(
    frame: Frame, room: Scratch, people: Ints, j: int, release: int, target: int, came: int
) -> bool:
    """Let somebody of the target's class in a release have come at j instead of before."""
    room.stamp[0] += 1
    n_cells = frame.classes.shape[1]
    n_queued = 0
    x = _first(frame, release + 1, release, target)
    first = x
    while x == first or (x < n_cells and frame.alike[release + 1, x] <= release):
        n_queued = _start(frame, room, j, frame.order[release + 1, x], n_queued)
        x += 1
    tail = _search(frame, room, people, j, n_queued, NONE, target, came)
    if tail == NONE:
        return False
    _change(room, people, _push(frame, room, people, j, tail, NONE), j, 1)
    return True


@compiled
def _onward(
    frame: Frame, room: Scratch, people: Ints, j: int, target: int, came: int, cell: int
) -> bool:
    """Let one of the target's likes who is in another class of release j be in the target's."""
    room.stamp[0] += 1
    n_cells = frame.classes.shape[1]
    n_queued = 0
    aim = frame.tail[j, cell]
    tail = NONE
    first = _first(frame, j, came, target)
    x = first
    while x == first or (x < n_cells and frame.alike[j, x] <= came):
        to = frame.order[j, x]
        x += 1
        if frame.classes[j, to] == frame.classes[j, target]:
            n_queued = _start(frame, room, j, to, n_queued)
            if _spare(frame, people, j, frame.tail[j, to]) != NONE:
                tail = frame.tail[j, to]
                break
    if tail == NONE:
        tail = _search(frame, room, people, j, n_queued, aim, target, came)
    if tail == NONE:
        return False
    to = _push(frame, room, people, j, tail, aim)
    _change(room, people, cell, came, -1)
    _change(room, people, to, came, 1)
    if tail != aim:
        _change(room, people, cell, j, 1)
    return True


@compiled
def _younger(
    frame: Frame, room: Scratch, people: Ints, release: int, target: int, came: int
) -> bool:
    """Let somebody of the target's class in a release have come later, though before it."""
    for j in range(release - 1, 0, -1):
        if _later(frame, room, people, j, release, target, came):
            return True
    return False


@compiled
def reroute(frame: Frame, room: Scratch, people: Ints, target: int, came: int, wanted: int) -> int:
    """Let as many people of the target's cell as wanted have come at a time, if that is found.

    `people` is changed to the history that shows it. Returns how many there are in it.
    """
    n_times, n_cells = frame.classes.shape
    limit = room.changes.shape[0] - 4 * n_cells - 8  # a push is no longer than that
    n = 0
    first = _first(frame, came + 1, came, target)
    x = first
    while x == first or (x < n_cells and frame.alike[came + 1, x] <= came):
        n += people[frame.order[came + 1, x], came]
        x += 1
    while n < wanted and room.n_changes[0] < limit:
        if _later(frame, room, people, came, came, target, came):
            n += 1
        elif not _younger(frame, room, people, came, target, came):
            break
    wanted = min(wanted, n)
    for j in range(came + 1, n_times):
        first = _first(frame, j, came, target)
        n = 0
        x = first
        while x == first or (x < n_cells and frame.alike[j, x] <= came):
            cell = frame.order[j, x]
            x += 1
            if frame.classes[j, cell] == frame.classes[j, target]:
                n += people[cell, came]
        x = first
        stuck = False
        while n < wanted and (x == first or (x < n_cells and frame.alike[j, x] <= came)):
            cell = frame.order[j, x]
            x += 1
            if frame.classes[j, cell] == frame.classes[j, target]:
                continue
            while people[cell, came] > 0 and n < wanted and room.n_changes[0] < limit:
                if _onward(frame, room, people, j, target, came, cell):
                    n += 1
                elif stuck or not _younger(frame, room, people, j, target, came):
                    stuck = True
                    break
        wanted = min(wanted, n)
    return int(wanted)


@compiled
def first_not_shown(
    frame: Frame,
    room: Scratch,
    people: Ints,
    asked: NDArray[np.intp],
    wanted: NDArray[np.int64],
    most: NDArray[np.int64],
    least: NDArray[np.int64],
) -> int:
    """Look for histories until everybody is shown to be left what is wanted, one after the other.

    Args:
        frame: Cells and classes.
        room: To search in.
        people: Who came when, by value; (n_values, n_cells, n_times).
        asked: Times and cells; (n, 2).
        wanted: Records for each.
        most: What can be left by value, at most; (n, n_values).
        least: What is shown to be left so far; is raised.

    Returns the place of the first for whom that fails; as many as were asked: nobody.
    """
    n_values = most.shape[1]
    for a in range(len(asked)):
        missing = wanted[a] - least[a].sum()
        tried = np.zeros(n_values, dtype=np.bool_)
        while missing > 0:
            best, doubt = NONE, 0
            for s in range(n_values):  # where most is open first: it may be enough
                if not tried[s] and most[a, s] - least[a, s] > doubt:
                    best, doubt = s, most[a, s] - least[a, s]
            if best == NONE:
                return a
            tried[best] = True
            upto = min(most[a, best], least[a, best] + missing)
            n_left = reroute(frame, room, people[best], asked[a, 1], asked[a, 0], upto)
            undo(room, people[best])
            if n_left > least[a, best]:
                missing -= n_left - least[a, best]
                least[a, best] = n_left
    return len(asked)
