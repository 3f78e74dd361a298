"""The arrays that the kernels of SkylineAnonymize read and write."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.skyline_mondrian.kernels.cuts import N_REGIONS, TAIL
from sfumato.algorithms.skyline_mondrian.space import Counted, Floats, Integers, Wanted
from sfumato.data.groups import Counts

CELLS = 1 << 16  # counts of a region by code: they should stay near the processor


class State(NamedTuple):
    """Regions: stretches of `member`. Cutting keeps the left side, the right side is new."""

    member: Integers  # (n,) combinations
    starts: Integers
    ends: Integers
    parent: Integers  # what a region was cut from,
    column: Integers  # along which column,
    last: Integers  # the last code below the cut that somebody had,
    following: Integers  # and the first one above
    queue: Integers
    counters: Integers

    @classmethod
    def of(cls, region: NDArray[np.intp], n_regions: int, room: int) -> State:
        """Begin with some regions, which are in the queue in their order.

        region: of each combination; room: for how many regions.
        """
        ends = np.cumsum(np.bincount(region, minlength=n_regions))
        starts, last, parent, column, lower, upper = np.zeros((6, room), dtype=np.int64)
        starts[1:n_regions], last[:n_regions] = ends[:-1], ends
        queue, counters = np.zeros(2 * room, dtype=np.int64), np.zeros(4, dtype=np.int64)
        queue[:n_regions], counters[[TAIL, N_REGIONS]] = np.arange(n_regions), n_regions
        member = np.argsort(region, kind="stable").astype(np.int64)
        return cls(member, starts, last, parent, column, lower, upper, queue, counters)


class Room(NamedTuple):
    """Scratch of the kernels."""

    whole: Counts  # occurrences by value: in the region,
    left: Counts  # to the left of a cut, and to the right; all 0 between two uses
    right: Counts
    seen: Integers  # values that occur
    local: Integers  # and which of these a value is
    cells: Counts  # people and occurrences by code, column by column
    at: Integers  # (n_columns,) where those of a column begin; -1: they are not counted there
    cell: Counts  # occurrences of one cell, by place in `seen`,
    touched: Integers  # those places that are not 0,
    n_touched: Integers  # (1,) and their number
    heads: Integers  # where a code begins; all 0 between two uses
    line: Integers  # members in order
    turn: Integers  # columns in order
    low: Integers  # (n_columns,) of a region
    high: Integers
    span: Floats
    top_value: Integers  # (2, n_blocks, most): the most frequent ones of both sides
    top_count: Integers
    n_top: Integers  # (2, n_blocks)
    five: Floats  # (2, n_requirements, 5): the statistics of both sides
    kept: Floats  # (n_requirements, 5)

    @classmethod
    def of(cls, counted: Counted, wanted: Wanted, longest: int) -> Room:
        """Make as much as a table and its requirements need; longest: values of a column."""
        (n, n_columns), n_values = counted.codes.shape, len(wanted.block)
        tops = (2, len(wanted.most), int(wanted.most.max()))
        whole, left, right, seen, local, cell, touched = np.zeros((7, n_values), dtype=np.int64)
        at, turn, low, high = np.zeros((4, n_columns), dtype=np.int64)
        return cls(
            whole, left, right, seen, local, np.empty(CELLS, dtype=np.int64), at, cell, touched,
            np.zeros(1, dtype=np.int64),
            np.zeros(longest + 1, dtype=np.int64),
            np.empty(n, dtype=np.int64),
            turn, low, high,
            np.zeros(n_columns, dtype=np.float64),
            np.zeros(tops, dtype=np.int64),
            np.zeros(tops, dtype=np.int64),
            np.zeros(tops[:2], dtype=np.int64),
            no_statistics(2, len(wanted.value)),
            no_statistics(1, len(wanted.value))[0],
        )  # fmt: skip


class Cuts(NamedTuple):
    """Safe cuts of one region; the smaller the keys, the better."""

    turn: Integers
    first_key: Integers
    key: Floats
    column: Integers
    last: Integers
    following: Integers

    @classmethod
    def of(cls, n: int) -> Cuts:
        """Make room for n cuts."""
        turn, first_key, column, last, following = np.zeros((5, n), dtype=np.int64)
        return cls(turn, first_key, np.zeros(n, dtype=np.float64), column, last, following)


def no_statistics(n: int, n_requirements: int) -> Floats:
    """Give the statistics of groups that nobody is in: no T, and V is 1."""
    five = np.empty((n, n_requirements, 5), dtype=np.float64)
    five[:, :, :3], five[:, :, 3:] = np.inf, 1.0
    return five
