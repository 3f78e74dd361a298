"""Which people of an unsafe child leave it, so that the others can go down."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.lots import Draw, drawn_order
from sfumato.algorithms.top_down.judge import Judge
from sfumato.data.groups import Counts

AT_FIRST = 16  # cases judged, when the first of many is looked for; each time twice as many
COUNTS_AT_ONCE = 1 << 22  # counts held while cases are judged

Positions = NDArray[np.intp]


def kept_part(judge: Judge, value: Positions, counts: Counts, draw: Draw) -> Counts:
    """Say how many people of every entry stay in an unsafe child, which is safe then, or empty.

    An entry is a number of people, `counts`, with one `value`. If it is enough that people of one
    value leave, as few as possible do: of the value that takes the fewest, ties to the one drawn
    first. Otherwise people leave in the order drawn until the rest is safe, and those go home who
    can: value by value, as many as possible, until nobody can.
    """
    entry = np.repeat(np.arange(len(counts)), counts)
    order = entry[drawn_order(entry, draw)]
    values, first = np.unique(value[order], return_index=True)
    values = values[np.argsort(first)]  # those present, as they were drawn
    whole = np.bincount(value, weights=counts, minlength=judge.n_values).astype(np.int64)
    left = _without_one_value(judge, whole, values)
    if left is None:
        left = _in_order(judge, whole, value[order])
        _go_home(judge, whole, left, values)
    gone = (whole - left)[value[order]]  # of each person's value
    turn = _number_among_equals(value[order])
    return np.bincount(order[turn >= gone], minlength=len(counts))


def _without_one_value(judge: Judge, whole: Counts, values: Positions) -> Counts | None:
    """Let the fewest people of one value leave; None: no value is enough."""
    value = np.repeat(values, whole[values])
    n = 1 + _number_among_equals(value)
    cases = np.argsort(n, kind="stable")
    cases = cases[n[cases] < whole.sum()]

    def rows(piece: Positions) -> Counts:
        left = np.tile(whole, (len(piece), 1))
        left[np.arange(len(piece)), value[piece]] -= n[piece]
        return left

    found = _first_safe(judge, cases, rows)
    return None if found is None else rows(cases[found : found + 1])[0]


def _in_order(judge: Judge, whole: Counts, value: Positions) -> Counts:
    """Let people leave one after the other, until those who are left are safe, or none is."""

    def rows(piece: Positions) -> Counts:
        gone = np.zeros((len(piece), judge.n_values), dtype=np.int64)
        gone[0] = np.bincount(value[: piece[0]], minlength=judge.n_values)
        gone[np.arange(1, len(piece)), value[piece[1:] - 1]] = 1
        return whole - np.cumsum(gone, axis=0)

    numbers = np.arange(1, len(value))
    found = _first_safe(judge, numbers, rows)
    return np.zeros_like(whole) if found is None else rows(numbers[found : found + 1])[0]


def _go_home(judge: Judge, whole: Counts, left: Counts, values: Positions) -> None:
    """Let people of each value back, as many as can come, until nobody can; `left` is changed."""
    waiting = len(values)  # values of which nobody could come since somebody did
    turn = 0
    while waiting:
        v = values[turn % len(values)]
        turn, waiting = turn + 1, waiting - 1
        several = np.arange(whole[v] - left[v], 0, -1)

        def rows(piece: Positions, v: np.intp = v) -> Counts:
            more = np.tile(left, (len(piece), 1))
            more[:, v] += piece
            return more

        found = _first_safe(judge, several, rows)
        if found is not None:
            left[v] += several[found]
            waiting = len(values)


def _first_safe(judge: Judge, cases: Positions, rows: Callable[[Positions], Counts]) -> int | None:
    """Give the place of the first of some cases that is safe; None: none is."""
    start, size = 0, AT_FIRST
    while start < len(cases):
        size = min(2 * size, max(1, COUNTS_AT_ONCE // judge.n_values))
        safe = judge.rows(rows(cases[start : start + size]))
        if safe.any():
            return start + int(np.argmax(safe))
        start += size
    return None


def _number_among_equals(value: Positions) -> Positions:
    """Number the places of each value, from 0.

    >>> _number_among_equals(np.array([4, 2, 4, 4, 2])).tolist()
    [0, 0, 1, 2, 1]
    """
    order = np.argsort(value, kind="stable")
    new = np.diff(value[order], prepend=-1) != 0
    starts = np.flatnonzero(new)
    number = np.empty(len(value), dtype=np.intp)
    number[order] = np.arange(len(value)) - starts[np.cumsum(new) - 1]
    return number
