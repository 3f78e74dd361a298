"""Which people of safe children go back, so that what stays at their parent is safe too."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.lots import Draw, drawn_order
from sfumato.algorithms.top_down.judge import Judge
from sfumato.data.groups import Counts

LOTS = 1024  # drawn at a time to begin with, each time twice as many
AT_FIRST = 16  # cases judged, when the first of many is looked for; each time twice as many
COUNTS_AT_ONCE = 1 << 22  # counts held while what each lot leads to is judged

Positions = NDArray[np.intp]


def moved_back(
    judge: Judge,
    value: Positions,
    child: Positions,
    counts: Counts,
    parent: Counts,
    draw: Draw,
    n_first: int,
) -> Counts:
    """Say how many people of every entry of the safe children go back.

    An entry is a number of people, `counts`, of one `child` and one `value`; those of the first
    `n_first` entries are drawn before all others. parent: (n_values,), the people who stay there
    anyhow, too few or too uniform to be safe.
    """
    kept = np.zeros((int(child.max()) + 1, judge.n_values), dtype=np.int64)
    np.add.at(kept, (child, value), counts)
    who, moved = _drawn(judge, value, child, counts, parent, kept, draw, n_first)
    if len(moved) > 1:
        moved = moved[_needed(judge, value[who[moved]], child[who[moved]], parent, kept)]
    return np.bincount(who[moved], minlength=len(counts))


def _drawn(
    judge: Judge,
    value: Positions,
    child: Positions,
    counts: Counts,
    parent: Counts,
    kept: Counts,
    draw: Draw,
    n_first: int,
) -> tuple[Positions, Positions]:
    """Draw people until the parent is safe; `parent` and `kept` are brought up to date.

    Returns the entries of those drawn, in order, and which of these lots go back. Everybody going
    back is the group as it was, which is safe.
    """
    upto = np.cumsum(counts)
    at_once = max(1, COUNTS_AT_ONCE // judge.n_values)
    who = np.zeros(0, dtype=np.intp)
    waiting = np.zeros(0, dtype=np.intp)  # lots of people whose child would not be safe
    moved = [waiting]
    for places in _in_two_turns(upto, n_first, draw):
        for first in range(0, len(places), at_once):
            entries = np.searchsorted(upto, places[first : first + at_once], side="right")
            queue = np.append(waiting, np.arange(len(who), len(who) + len(entries)))
            who = np.append(who, entries)
            owner, values = child[who[queue]], value[who[queue]]
            leaves = _leaving(judge, kept, owner, values)
            gone = leaves < len(queue)
            steps, step = np.unique(leaves[gone], return_inverse=True)
            rows = np.zeros((len(steps), judge.n_values), dtype=np.int64)
            np.add.at(rows, (step, values[gone]), 1)
            safe = judge.rows(parent + np.cumsum(rows, axis=0))
            if safe.any():
                gone = leaves <= steps[np.argmax(safe)]
            np.add.at(parent, values[gone], 1)
            np.subtract.at(kept, (owner[gone], values[gone]), 1)
            moved.append(queue[gone])
            waiting = queue[~gone]
            if safe.any():
                return who, np.sort(np.concatenate(moved))
    raise AssertionError("the group to be specialized was not safe")


def _leaving(judge: Judge, kept: Counts, child: Positions, value: Positions) -> Positions:
    """Say with which lot of a queue each lot in it leaves; the queue's length: with none.

    People leave a child together with the first one whose leaving leaves it safe, or empty.
    """
    n = len(child)
    order = np.argsort(child, kind="stable")
    owner = child[order]
    one = np.zeros((n, judge.n_values), dtype=np.int64)
    one[np.arange(n), value[order]] = 1
    upto = np.cumsum(one, axis=0)
    new = np.diff(owner, prepend=-1) != 0
    before = (upto - one)[new]
    left = kept[owner] - upto + before[np.cumsum(new) - 1]
    can = ~left.any(axis=1)
    if not can.all():
        can[~can] = judge.rows(left[~can])
    following = np.minimum.accumulate(np.where(can, np.arange(n), n)[::-1])[::-1]
    leavers = np.flatnonzero(following < n)
    leavers = leavers[owner[following[leavers]] == owner[leavers]]
    leaves = np.full(n, n, dtype=np.intp)
    leaves[order[leavers]] = order[following[leavers]]
    return leaves


def _needed(
    judge: Judge, value: Positions, child: Positions, parent: Counts, kept: Counts
) -> NDArray[np.bool_]:
    """Say who of those that moved has to stay, when those who are not needed go home.

    Kinds (a child and a value) take turns, in the order of their first lots, until none has
    anybody left who can go: of each as many as leave both sides safe, the last drawn first.
    """
    _, first, index = np.unique(
        child * judge.n_values + value, return_index=True, return_inverse=True
    )
    turns = np.argsort(first)
    child, value = child[first[turns]], value[first[turns]]
    kind = np.argsort(turns)[index]  # numbered by their first lots
    staying = np.bincount(kind)
    j, n = -1, 1
    while n:
        turn = np.roll(np.arange(len(staying)), -j - 1)
        j, n = _unneeded(judge, turn, staying, value, child, parent, kept)
        staying[j] -= n
        parent[value[j]] -= n
        kept[child[j], value[j]] += n
    order = np.argsort(kind, kind="stable")
    start = np.searchsorted(kind[order], np.arange(len(turns)))
    rank = np.empty(len(kind), dtype=np.intp)
    rank[order] = np.arange(len(kind)) - start[kind[order]]
    return np.asarray(rank < staying[kind])


def _unneeded(
    judge: Judge,
    turn: Positions,
    staying: Counts,
    value: Positions,
    child: Positions,
    parent: Counts,
    kept: Counts,
) -> tuple[int, int]:
    """Give the first kind, by turn, of which people can go home, and how many; 0: none."""
    n = staying[turn]
    kind = np.repeat(turn, n)
    several = np.repeat(np.cumsum(n), n) - np.arange(len(kind))  # n, ..., 1 of every kind
    start, size = 0, AT_FIRST
    while start < len(kind):
        size = min(2 * size, max(1, COUNTS_AT_ONCE // judge.n_values))
        piece = slice(start, start + size)
        can = _can_go(judge, value[kind[piece]], child[kind[piece]], several[piece], parent, kept)
        if can.any():
            first = start + int(np.argmax(can))
            return int(kind[first]), int(several[first])
        start += size
    return 0, 0


def _can_go(
    judge: Judge, value: Positions, child: Positions, n: Counts, parent: Counts, kept: Counts
) -> NDArray[np.bool_]:
    """Say whether n people of a value can go home to a child; each case for itself."""
    fewer = np.repeat(parent[np.newaxis], len(n), axis=0)
    fewer[np.arange(len(n)), value] -= n
    can = judge.rows(fewer)
    cases = np.flatnonzero(can)
    if len(cases):
        more = kept[child[cases]]
        more[np.arange(len(cases)), value[cases]] += n[cases]
        can[cases] = judge.rows(more)
    return can


def _in_two_turns(upto: Counts, n_first: int, draw: Draw) -> Iterator[Positions]:
    """Give 0 to n - 1 by lot: the people of the first entries, then those of the others."""
    before = 0
    for turn in (upto[:n_first], upto[n_first:]):
        if len(turn):
            for places in lots(turn - before, draw):
                yield places + before
            before = int(turn[-1])


def lots(upto: Counts, draw: Draw) -> Iterator[Positions]:
    """Give 0 to n - 1 in an order drawn by lot, piece by piece.

    While most are still to come, places are drawn and those drawn before passed over; the rest is
    shuffled. upto: where the people of each entry end, who are alike; n: the last of these.
    """
    n = int(upto[-1])
    drawn = np.zeros(n, dtype=bool)
    left, size = n, LOTS
    while left > max(size, n // 2):
        places = (np.frombuffer(draw(8 * size), dtype=np.uint64) % np.uint64(n)).astype(np.intp)
        _, first = np.unique(places, return_index=True)
        fresh = places[np.sort(first)]
        fresh = fresh[~drawn[fresh]]
        drawn[fresh] = True
        left, size = left - len(fresh), 2 * size
        yield fresh
    rest = np.flatnonzero(~drawn)
    yield rest[drawn_order(np.searchsorted(upto, rest, side="right"), draw)]
