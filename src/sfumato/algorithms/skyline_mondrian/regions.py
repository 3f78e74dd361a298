"""SkylineAnonymize on counted combinations: the regions, their queue, and the global statistics."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.skyline_mondrian.kernels.cuts import (
    GAIN,
    HEAD,
    MEDIAN,
    N_CLOSED,
    N_REGIONS,
    TAIL,
    WIDEST,
    add_region,
    cut_regions,
    decide,
    draw_boxes,
    propose,
)
from sfumato.algorithms.skyline_mondrian.space import Counted, Floats, Integers, Order, Wanted
from sfumato.criteria import Skyline
from sfumato.criteria.criterion import All, Criterion
from sfumato.criteria.judging import holding
from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet, JointGroups, sum_by
from sfumato.data.groups import Counts, Histogram
from sfumato.progress import report

SPLITS = {"gain": GAIN, "median": MEDIAN, "widest": WIDEST}
BUDGET = 1 << 20  # combinations looked at between two reports
CELLS = 1 << 16  # counts of a region by code: they should stay near the processor
COUNTS_AT_ONCE = 1 << 22  # held while other criteria judge cuts
MORE = 7  # times as many cuts are judged by them as were refused
ROOM = 1 << 8  # regions to begin with


class _State(NamedTuple):
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
    def of(cls, n: int) -> _State:
        """Begin with all n combinations as one region, which is in the queue."""
        one = [np.zeros(ROOM, dtype=np.int64) for _ in range(6)]
        queue, counters = np.zeros(2 * ROOM, dtype=np.int64), np.zeros(4, dtype=np.int64)
        one[1][0] = n
        counters[[TAIL, N_REGIONS]] = 1
        return cls(np.arange(n), one[0], one[1], one[2], one[3], one[4], one[5], queue, counters)


class _Room(NamedTuple):
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
    def of(cls, counted: Counted, wanted: Wanted, longest: int) -> _Room:
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
            _no_statistics(2, len(wanted.value)),
            _no_statistics(1, len(wanted.value))[0],
        )  # fmt: skip


class _Cuts(NamedTuple):
    """Safe cuts of one region; the smaller the keys, the better."""

    turn: Integers
    first_key: Integers
    key: Floats
    column: Integers
    last: Integers
    following: Integers

    @classmethod
    def of(cls, n: int) -> _Cuts:
        turn, first_key, column, last, following = np.zeros((5, n), dtype=np.int64)
        return cls(turn, first_key, np.zeros(n, dtype=np.float64), column, last, following)


class Regions:
    """Cuts a table as `SkylineMondrian` says.

    The global statistics are the root of a tournament tree whose leaves are those of the regions.
    With one value per person they never rise (theorem 3), and the root alone keeps them.
    """

    def __init__(
        self,
        frequencies: FrequencySet,
        skylines: list[Skyline],
        beside: list[Criterion],
        split: Literal["gain", "median", "widest"],
        gain_of: str,
    ) -> None:
        self.frequencies = frequencies
        self.ground = frequencies.combinations
        self.domains = [frequencies.domains[name] for name in self.ground.columns]
        protected = [str(frequencies.attribute(part.attribute)) for part in skylines]
        columns = dict.fromkeys([*protected, *([gain_of] if split == "gain" else [])])
        sizes = {name: len(frequencies.domains[name].values) for name in columns}
        ends = np.cumsum(list(sizes.values())).tolist()
        offset = dict(zip(columns, [0, *ends], strict=False))
        self.counted = Counted.of(frequencies, offset, ends[-1])
        about = list(zip(skylines, protected, strict=True))
        self.wanted = Wanted.of(frequencies, about, offset, ends[-1])
        gain = (0, 0)
        if split == "gain":
            gain = (offset[gain_of], offset[gain_of] + sizes[gain_of])
        least = max(part.least_size for part in [*skylines, *beside])
        self.order = Order.of(self.domains, self.counted, SPLITS[split], least, gain)
        # A k is compared with sizes as cuts are weighed; the rest judges cuts that are safe so far.
        self.beside = [part for part in beside if not part.size_alone]
        n = len(self.ground)
        self.first_key = np.searchsorted(frequencies.combination_of, np.arange(n + 1))
        longest = max(len(domain) for domain in self.domains)
        self.room = _Room.of(self.counted, self.wanted, longest)
        n_cuts = sum(min(len(domain), n) for domain in self.domains) if self.beside else 1
        self.cuts = _Cuts.of(n_cuts)
        self.state = _State.of(n)
        n_leaves = ROOM if self.wanted.live else 1
        self.tree = _no_statistics(2 * n_leaves, len(self.wanted.value))
        add_region(self.counted, self.wanted, self.state, self.room, self.tree, 0)

    def run(self) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
        """Cut until no cut is safe; give the region of every combination, and the boxes."""
        counters = self.state.counters
        while counters[HEAD] < counters[TAIL]:
            report("cutting", int(counters[N_CLOSED]), len(self.ground))
            self._make_room()
            given = (self.counted, self.wanted, self.order, self.state, self.room, self.cuts)
            if not self.beside:
                cut_regions(*given, self.tree, BUDGET)
                continue
            chosen = self._first_that_holds(propose(*given, self.tree, True))
            decide(*given[:2], *given[3:], self.tree, chosen)
        n_regions = int(counters[N_REGIONS])
        starts, ends = self.state.starts[:n_regions], self.state.ends[:n_regions]
        by_start = np.argsort(starts)
        region = np.empty(len(self.ground), dtype=np.intp)
        region[self.state.member] = np.repeat(by_start, (ends - starts)[by_start])
        return region, self._boxes(n_regions)

    def _make_room(self) -> None:
        """Double what is too short for one more region."""
        state, n = self.state, len(self.state.starts)
        grown = {}
        if state.counters[N_REGIONS] == n:
            for name in ("starts", "ends", "parent", "column", "last", "following"):
                grown[name] = _doubled(getattr(state, name))
            if self.wanted.live:
                leaves = self.tree[n:]
                self.tree = _no_statistics(4 * n, leaves.shape[1])
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
        held = holding(All(tuple(self.beside)), JointGroups(frequencies, sizes, histogram))
        return held[::2] & held[1::2]

    def _boxes(self, n_regions: int) -> NDArray[np.int32]:
        """Draw boxes that reach to the cuts, as `Mondrian` does."""
        state = self.state
        boundary = np.zeros(n_regions, dtype=np.int64)
        for column, domain in enumerate(self.domains):
            mine = np.flatnonzero(state.column[1:n_regions] == column) + 1
            boundary[mine] = _last_below(domain, state.last[mine], state.following[mine])
        boxes = np.empty((n_regions, len(self.domains), 2), dtype=np.int32)
        boxes[0] = [[0, len(domain) - 1] for domain in self.domains]
        draw_boxes(state, boundary, boxes)
        return boxes


def _last_below(domain: Domain, last: Integers, following: Integers) -> Integers:
    """Give the last rank below cuts between two values: half-way, or at the end of a node."""
    if domain.numbers is not None:
        return (last + following - 1) // 2
    level = domain.taxonomy.enclosing_level(last.astype(np.int32), following.astype(np.int32))
    return domain.taxonomy.high[level - 1, last].astype(np.int64)


def _no_statistics(n: int, n_requirements: int) -> Floats:
    """Give the statistics of groups that nobody is in: no T, and V is 1."""
    five = np.empty((n, n_requirements, 5), dtype=np.float64)
    five[:, :, :3], five[:, :, 3:] = np.inf, 1.0
    return five


def _doubled(array: NDArray[Any]) -> NDArray[Any]:
    return np.concatenate([array, np.zeros_like(array)])
