"""A node of the search: a head of splits that are made, and a tail of those that may be."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.k_optimize.kernels import (
    LOSS,
    added_up,
    bounds,
    numbered,
    parted,
    seen_through,
    with_one_more,
)

Chosen = NDArray[np.bool_]  # (n_splits,) of all splits of a problem


class Prices(NamedTuple):
    """What is minimized, in whole units."""

    kind: int  # DISCERNIBILITY, CLASS or LOSS
    k: int
    gone: int  # what a suppressed person costs


class Cells(NamedTuple):
    """Distinct combinations of intervals, each with its people."""

    codes: NDArray[np.int32]  # (n, n_columns): position of the interval within its column
    sizes: NDArray[np.int64]  # (n,)
    histogram: NDArray[np.int64]  # (n, n_classes); no class at all unless the cost is by class


class Splits(NamedTuple):
    """The intervals of all columns that the cells are made of, one behind the other."""

    starts: NDArray[np.int64]  # (n_columns + 1,) where those of a column begin
    low: NDArray[np.int64]  # (n,) the first value of an interval, in units of loss
    high: NDArray[np.int64]  # (n,) the last
    head_first: NDArray[np.int64]  # (n,) the first interval that the head does not split from it
    head_last: NDArray[np.int64]  # (n,) the last


@dataclass(frozen=True, eq=False)
class Problem:
    """Combinations of quasi-identifiers with their people, and all splits that can be made.

    A split stands before a value: that one begins an interval.
    """

    ground: Cells
    n_values: tuple[int, ...]  # of every column
    column: NDArray[np.int64]  # (n_splits,) of a split
    value: NDArray[np.int64]  # (n_splits,) its value, 1 or above; splits are in order
    prices: Prices
    limit: int  # people who may be suppressed
    low: NDArray[np.int64]  # of every value of every column, in units of loss
    high: NDArray[np.int64]

    @property
    def n_splits(self) -> int:
        """How many splits there are."""
        return len(self.column)

    @property
    def by_people(self) -> bool:
        """Whether only people count, and not which values their intervals hold."""
        return self.prices.kind != LOSS

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Where the values of each column begin among all."""
        return np.append(0, np.cumsum(self.n_values))

    @property
    def nothing(self) -> Chosen:
        """No split at all."""
        return np.zeros(self.n_splits, dtype=bool)

    def maps(self, chosen: Chosen) -> NDArray[np.int32]:
        """Give for every value the position of its interval within its column."""
        begins = np.zeros(sum(self.n_values), dtype=np.int32)
        begins[self.starts[self.column[chosen]] + self.value[chosen]] = 1
        passed = np.cumsum(begins, dtype=np.int32)
        return passed - np.repeat(passed[self.starts[:-1]], self.n_values)


@dataclass(frozen=True, eq=False)
class Node:
    """A head, a tail, and the cells that all of their splits tell apart, grouped by the head."""

    problem: Problem
    head: Chosen
    tail: Chosen
    cells: Cells
    group: NDArray[np.int64]  # (n_cells,)
    n_groups: int

    @classmethod
    def of(cls, problem: Problem, head: Chosen, tail: Chosen) -> Node:
        """Look at all combinations."""
        cells = _rolled(problem.ground, problem.starts, problem.maps(head | tail))
        return cls._grouped(problem, head, tail, cells)

    @classmethod
    def _grouped(cls, problem: Problem, head: Chosen, tail: Chosen, cells: Cells) -> Node:
        splits = _splits(problem, head, tail)
        maps = splits.head_first.astype(np.int32)
        index, first = numbered(seen_through(cells.codes, splits.starts, maps))
        return cls(problem, head, tail, cells, index, len(first))

    def with_split(self, split: int) -> Node:
        """Take a split of the tail into the head: its groups are parted, cells stay."""
        column, position = self._place(split)
        group, n_groups = parted(self.cells, self.group, self.n_groups, column, position)
        head, tail = self.head.copy(), self.tail.copy()
        head[split], tail[split] = True, False
        return Node(self.problem, head, tail, self.cells, group, n_groups)

    def without(self, dropped: Chosen) -> Node:
        """Drop splits from the tail: cells are joined, groups stay."""
        tail = self.tail & ~dropped
        before, after = (self.problem.maps(self.head | each) for each in (self.tail, tail))
        starts = self.splits.starts
        maps = np.zeros(starts[-1], dtype=np.int32)
        maps[np.repeat(starts[:-1], self.problem.n_values) + before] = after
        index, first = numbered(seen_through(self.cells.codes, starts, maps))
        sizes, histogram = added_up(index, len(first), self.cells.sizes, self.cells.histogram)
        codes = seen_through(self.cells.codes[first], starts, maps)
        cells = Cells(codes, sizes, histogram)
        return Node(self.problem, self.head, tail, cells, self.group[first], self.n_groups)

    @property
    def n_bytes(self) -> int:
        """What it takes to keep."""
        arrays = (*self.cells, self.group)
        return sum(each.nbytes for each in arrays)

    @cached_property
    def splits(self) -> Splits:
        """The intervals that the cells are made of."""
        return _splits(self.problem, self.head, self.tail)

    def _place(self, split: int) -> tuple[int, int]:
        """Give the column of a split, and its position among the intervals of that column."""
        column = int(self.problem.column[split])
        before = (self.head | self.tail)[:split] & (self.problem.column[:split] == column)
        return column, int(before.sum()) + 1

    def positions(self, chosen: Chosen) -> NDArray[np.int64]:
        """Give the positions of some splits of head and tail among all intervals."""
        every = self.head | self.tail
        column = self.problem.column[every]
        # Every column has one interval more than splits.
        return (np.arange(len(column)) + column + 1)[chosen[every]]

    @property
    def people(self) -> NDArray[np.float64]:
        """How many people are in each of the intervals that the cells are made of."""
        sizes, widths = self.cells.sizes, np.diff(self.splits.starts).tolist()
        own = zip(self.cells.codes.T, widths, strict=True)
        return np.concatenate([np.bincount(c, sizes, minlength=width) for c, width in own])

    @cached_property
    def bounds(self) -> Bounds:
        """Bound the costs of all recodings from the head to head and tail."""
        total, more, more_suppressed, n_split = bounds(
            self.cells, self.group, self.n_groups, self.problem.prices, self.splits
        )
        least, head, finest = (Costs(int(cost), int(gone)) for cost, gone in total)
        at = self.positions(self.tail)
        tail = Tail(
            np.flatnonzero(self.tail),
            least.cost + more[at],
            least.n_suppressed + more_suppressed[at],
            n_split[at],
        )
        return Bounds(least, head, finest, tail)

    @property
    def with_one_more(self) -> Added:
        """Price the head with each split of the tail added to it."""
        change, more, purer = with_one_more(
            self.cells, self.group, self.n_groups, self.problem.prices, self.splits
        )
        at = self.positions(self.tail)
        return Added(np.flatnonzero(self.tail), change[at], more[at], purer[at])


class Costs(NamedTuple):
    """A cost, and how many people are suppressed."""

    cost: int
    n_suppressed: int


class Tail(NamedTuple):
    """What is known of the head with each split of the tail: (n_tail,) each."""

    split: NDArray[np.int64]
    cost: NDArray[np.int64]  # at least
    n_suppressed: NDArray[np.int64]  # at least
    n_split: NDArray[np.int64]  # groups that it splits


class Bounds(NamedTuple):
    """What all recodings of a node cost at least, some of them exactly, and those with a split."""

    least: Costs
    head: Costs  # of the head itself
    finest: Costs  # of head and tail together
    tail: Tail


class Added(NamedTuple):
    """What it changes to add each split of the tail to the head: (n_tail,) each."""

    split: NDArray[np.int64]
    cost: NDArray[np.int64]
    n_suppressed: NDArray[np.int64]
    purer: NDArray[np.float64]


def _rolled(cells: Cells, starts: NDArray[np.int64], maps: NDArray[np.int32]) -> Cells:
    """See cells through a coarser map of values, equal ones as one."""
    seen = seen_through(cells.codes, starts, maps)
    index, first = numbered(seen)
    return Cells(seen[first], *added_up(index, len(first), cells.sizes, cells.histogram))


def _splits(problem: Problem, head: Chosen, tail: Chosen) -> Splits:
    """Lay out the intervals of head and tail."""
    every = head | tail
    n_intervals = 1 + np.bincount(problem.column[every], minlength=len(problem.n_values))
    starts = np.append(0, np.cumsum(n_intervals))
    first = problem.starts[:-1]  # value of every interval
    begins = np.insert(
        problem.starts[problem.column[every]] + problem.value[every],
        np.cumsum(np.append(0, n_intervals[:-1] - 1)),
        first,
    )
    last = np.append(begins[1:], sum(problem.n_values)) - 1
    is_first = np.ones(len(begins), dtype=bool)
    is_first[np.arange(int(every.sum())) + problem.column[every] + 1] = head[every]
    places = np.flatnonzero(is_first)
    interval = np.cumsum(is_first) - 1
    ends = np.append(places[1:], len(begins)) - 1
    return Splits(starts, problem.low[begins], problem.high[last], places[interval], ends[interval])
