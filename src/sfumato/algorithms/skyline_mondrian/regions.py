"""SkylineAnonymize on counted combinations: the regions, their queue, and the global statistics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.skyline_mondrian.kernels.cuts import (
    HEAD,
    N_CLOSED,
    N_REGIONS,
    TAIL,
    add_region,
    cut_regions,
    decide,
    draw_boxes,
    propose,
)
from sfumato.algorithms.skyline_mondrian.space import Counted, Floats, Integers, Order, Wanted
from sfumato.algorithms.skyline_mondrian.state import Cuts, Room, State, no_statistics
from sfumato.algorithms.skyline_mondrian.task import Task
from sfumato.criteria.criterion import All
from sfumato.criteria.judging import holding
from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet, JointGroups, sum_by
from sfumato.data.groups import Histogram
from sfumato.progress import report

BUDGET = 1 << 20  # combinations looked at between two reports
COUNTS_AT_ONCE = 1 << 22  # held while other criteria judge cuts
MORE = 7  # times as many cuts are judged by them as were refused
ROOM = 1 << 8  # regions to begin with
WITHOUT_END = 1 << 62


class Begun(NamedTuple):
    """Regions that are not cut any further yet, in the order of the queue."""

    region: NDArray[np.intp]  # (n_combinations,)
    boxes: NDArray[np.int32]  # (n_regions, n_columns, 2)


class Cutting(NamedTuple):
    """Regions that were cut."""

    region: NDArray[np.intp]  # (n_combinations,)
    boxes: NDArray[np.int32]  # (n_regions, n_columns, 2)
    waiting: Integers  # those that may be cut further, in the order of the queue


class Regions:
    """Cuts a table as `SkylineMondrian` says.

    The global statistics are the root of a tournament tree whose leaves are those of the regions.
    With one value per person they never rise (theorem 3), and the root alone keeps them.
    """

    def __init__(
        self,
        frequencies: FrequencySet,
        task: Task,
        columns: Sequence[str] = (),
        begun: Begun | None = None,
        tree: Floats | None = None,
    ) -> None:
        """Begin with all people as one region, or with what was begun.

        Args:
            frequencies: The people.
            task: What is asked for.
            columns: Along which is cut; none: all quasi-identifiers.
            begun: Where the people are already; None: in the whole space.
            tree: The global statistics, in which those of people and others are already, where
                nothing but minima is kept; None: there is nobody else.
        """
        self.frequencies, self.task = frequencies, task
        self.ground = frequencies.combinations
        self.columns = tuple(columns) or self.ground.columns
        self.domains = [frequencies.domains[name] for name in self.columns]
        self.counted = Counted.of(frequencies, self.columns, task.offset, task.n_values)
        self.wanted, self.order, self.beside = task.wanted, task.order(self.domains), task.beside
        n = len(self.ground)
        self.first_key = np.searchsorted(frequencies.combination_of, np.arange(n + 1))
        longest = max(len(domain) for domain in self.domains)
        self.room = Room.of(self.counted, self.wanted, longest)
        n_cuts = sum(min(len(domain), n) for domain in self.domains) if self.beside else 1
        self.cuts = Cuts.of(n_cuts)
        if begun is None:
            whole = [[0, len(domain) - 1] for domain in self.domains]
            begun = Begun(np.zeros(n, dtype=np.intp), np.array([whole], dtype=np.int32))
        self.begun = begun
        self.state = State.of(begun.region, len(begun.boxes), max(ROOM, 2 * len(begun.boxes) - 1))
        if tree is not None:
            self.tree = tree
            return
        n_leaves = ROOM if self.wanted.live else 1
        self.tree = no_statistics(2 * n_leaves, len(self.wanted.value))
        add_region(self.counted, self.wanted, self.state, self.room, self.tree, 0)

    def run(self) -> Cutting:
        """Cut until no cut is safe."""
        while self.state.counters[HEAD] < self.state.counters[TAIL]:
            self.cut_waiting(WITHOUT_END)
        return self.result

    def run_once(self) -> Cutting:
        """Cut the regions once that are in the queue now."""
        end = int(self.state.counters[TAIL])
        while self.state.counters[HEAD] < end:
            self.cut_waiting(end)
        return self.result

    def cut_waiting(self, end: int) -> None:
        """Cut some regions from the head of the queue on, none from the place `end` on."""
        report("cutting", int(self.state.counters[N_CLOSED]), len(self.ground))
        if self.beside:
            self.decide(self.best_cut())
        else:
            self._make_room()
            cut_regions(*self._given(), self.tree, end, BUDGET)

    def best_cut(self) -> int:
        """Find the best safe cut of the region at the head of the queue; -1: there is none."""
        self._make_room()
        n_cuts = int(propose(*self._given(), self.tree, bool(self.beside)))
        return self._first_that_holds(n_cuts) if self.beside else n_cuts - 1

    def decide(self, chosen: int) -> None:
        """Cut the region at the head of the queue so, or close it."""
        counted, wanted, _, state, room, cuts = self._given()
        decide(counted, wanted, state, room, cuts, self.tree, chosen)

    def _given(self) -> tuple[Counted, Wanted, Order, State, Room, Cuts]:
        return self.counted, self.wanted, self.order, self.state, self.room, self.cuts

    @property
    def result(self) -> Cutting:
        """The regions there are."""
        n_regions = int(self.state.counters[N_REGIONS])
        starts, ends = self.state.starts[:n_regions], self.state.ends[:n_regions]
        by_start = np.argsort(starts)
        region = np.empty(len(self.ground), dtype=np.intp)
        region[self.state.member] = np.repeat(by_start, (ends - starts)[by_start])
        head, tail = self.state.counters[[HEAD, TAIL]]
        return Cutting(region, self._boxes(n_regions), self.state.queue[head:tail].copy())

    def _make_room(self) -> None:
        """Double what is too short for one more region."""
        state, n = self.state, len(self.state.starts)
        grown = {}
        if state.counters[N_REGIONS] == n:
            for name in ("starts", "ends", "parent", "column", "last", "following"):
                grown[name] = _doubled(getattr(state, name))
            if self.wanted.live:
                leaves = self.tree[n:]
                self.tree = no_statistics(4 * n, leaves.shape[1])
                self.tree[2 * n : 3 * n] = leaves
                while n >= 1:  # the nodes of a level have the minima of two of the next
                    below = self.tree[2 * n : 4 * n]
                    self.tree[n : 2 * n] = np.minimum(below[::2], below[1::2])
                    n //= 2
        if state.counters[TAIL] + 2 > len(state.queue):
            grown["queue"] = _doubled(state.queue)
        self.state = state._replace(**grown)

    def _first_that_holds(self, n_cuts: int) -> int:
        """Find the best cut both sides of which satisfy the other criteria; -1: none."""
        cuts = self.cuts
        order = np.lexsort((cuts.key[:n_cuts], cuts.first_key[:n_cuts], cuts.turn[:n_cuts]))
        region = self.state.queue[self.state.counters[HEAD]]
        member = self.state.member[self.state.starts[region] : self.state.ends[region]]
        n_keys = np.diff(self.first_key)[member]
        first = self.first_key[member] - (np.cumsum(n_keys) - n_keys)
        key = np.repeat(first, n_keys) + np.arange(n_keys.sum())
        at_once = max(1, COUNTS_AT_ONCE // len(key))
        tried = 0
        while tried < n_cuts:
            batch = order[tried : tried + min(max(1, MORE * tried), at_once)]
            held = self._held(batch, key)
            if held.any():
                return int(batch[held.argmax()])
            tried += len(batch)
        return -1

    def _held(self, cuts: NDArray[np.intp], key: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Say of which cuts both sides satisfy the other criteria; key: those of the region."""
        frequencies, values = self.frequencies, self.frequencies.persons_values
        codes = self.counted.codes[frequencies.combination_of[key]]
        right = codes[:, self.cuts.column[cuts]] > self.cuts.last[cuts]  # (n_keys, n_cuts)
        side = (2 * np.arange(len(cuts)) + right).ravel()
        people = np.repeat(frequencies.counts[key], len(cuts))
        value = np.repeat(values.of_key[key], len(cuts)).astype(np.int32)
        shape = (2 * len(cuts), len(values.codes))
        histogram = Histogram.from_entries(side, value, people, shape)
        sizes = sum_by(side, people, shape[0])
        held = holding(All(self.beside), JointGroups(frequencies, sizes, histogram))
        return held[::2] & held[1::2]

    def _boxes(self, n_regions: int) -> NDArray[np.int32]:
        """Draw boxes that reach to the cuts, as `Mondrian` does."""
        state, n_begun = self.state, len(self.begun.boxes)
        boundary = np.zeros(n_regions, dtype=np.int64)
        for column, domain in enumerate(self.domains):
            mine = np.flatnonzero(state.column[n_begun:n_regions] == column) + n_begun
            boundary[mine] = last_below(domain, state.last[mine], state.following[mine])
        boxes = np.empty((n_regions, len(self.domains), 2), dtype=np.int32)
        boxes[:n_begun] = self.begun.boxes
        draw_boxes(state, boundary, boxes, n_begun)
        return boxes


def last_below(domain: Domain, last: Integers, following: Integers) -> Integers:
    """Give the last rank below cuts between two values: half-way, or at the end of a node."""
    if domain.numbers is not None:
        return (last + following - 1) // 2
    level = domain.taxonomy.enclosing_level(last.astype(np.int32), following.astype(np.int32))
    return domain.taxonomy.high[level - 1, last].astype(np.int64)


def _doubled(array: NDArray[Any]) -> NDArray[Any]:
    return np.concatenate([array, np.zeros_like(array)])
