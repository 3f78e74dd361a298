"""Compiled loops of (c,k)-safety; logarithms, in which a zero is minus infinity."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sfumato.compiled import compiled

Logs = NDArray[np.float64]


@compiled
def lacking(sizes: NDArray[np.int64], upto: NDArray[np.int64], n_pieces: int) -> Logs:
    """Give log M(g, j) of every group and every j <= n_pieces; (n_groups, n_pieces + 1).

    `upto` (n_groups, width) sums the counts of a group, most frequent first. M(g, j) is the least
    probability that j statements about people of the group are all false: the person i is said to
    have one of her a_i most frequent values, a_0 >= a_1 >= ... Here `least[a, j]` is the minimum
    for the people from i on, if nobody of them has more than a statements.
    """
    n_groups, width = upto.shape
    logs = np.zeros((n_groups, n_pieces + 1))
    least = np.empty((n_pieces + 1, n_pieces + 1))
    after = np.empty((n_pieces + 1, n_pieces + 1))
    for g in range(n_groups):
        n = sizes[g]
        if n == 0:
            continue  # nobody to say anything about
        n_people = min(n, n_pieces)
        after[:, :] = math.inf
        after[:, 0] = 0.0
        most_after = n_pieces
        for i in range(n_people - 1, -1, -1):
            most = n_pieces // (i + 1)  # those before her have as many statements at least
            least[0, :] = math.inf
            least[:, 0] = 0.0
            for a in range(1, most + 1):
                left = n - i - upto[g, min(a, width) - 1]
                factor = math.log(left / (n - i)) if left > 0 else -math.inf
                for j in range(1, n_pieces + 1):
                    best = least[a - 1, j]
                    if j >= a:
                        if left <= 0:
                            best = -math.inf
                        else:
                            best = min(best, factor + after[min(a, most_after), j - a])
                    least[a, j] = best
            least, after = after, least
            most_after = most
        logs[g] = after[most_after]
    return logs


@compiled
def best_split(rows: Logs, n_pieces: int) -> Logs:
    """Give the least sum over all rows with j >= 1 in the row itself, for every row.

    rows: (n_rows, n_pieces + 1), falling in j. The others' j add up to what is left; they may be
    0, and fewer are no better. What stands before and after a row is kept, so that the work grows
    with the rows.
    """
    n_rows = len(rows)
    behind = np.zeros((n_rows + 1, n_pieces))  # least sums of the rows from here on
    for r in range(n_rows - 1, -1, -1):
        for j in range(n_pieces):
            best = math.inf
            for i in range(j + 1):
                best = min(best, rows[r, i] + behind[r + 1, j - i])
            behind[r, j] = best
    before = np.zeros(n_pieces)
    sums = np.empty(n_rows)
    for r in range(n_rows):
        whole = math.inf
        for j in range(n_pieces):
            others = math.inf
            for i in range(j + 1):
                others = min(others, before[i] + behind[r + 1, j - i])
            whole = min(whole, others + rows[r, n_pieces - j])
        sums[r] = whole
        for j in range(n_pieces - 1, -1, -1):
            best = math.inf
            for i in range(j + 1):
                best = min(best, rows[r, i] + before[j - i])
            before[j] = best
    return sums
