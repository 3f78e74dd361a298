"""SkylineAnonymize on counted combinations: the regions, their queue, and the global statistics."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.rounds import axes
from sfumato.algorithms.skyline_cuts import (
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
from sfumato.criteria import KAnonymity, Skyline
from sfumato.criteria.base import All, Criterion, holding
from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet, JointGroups, Occurrences
from sfumato.data.groups import Counts, Histogram
from sfumato.formulas.knowledge import CASES
from sfumato.progress import report

Split = Literal["gain", "median", "widest"]
Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

SPLITS = {"gain": GAIN, "median": MEDIAN, "widest": WIDEST}
BUDGET = 1 << 20  # combinations looked at between two reports
COUNTS_AT_ONCE = 1 << 22  # held while other criteria judge cuts
ROOM = 1 << 8  # regions to begin with
TABULATED = 1 << 16  # counts whose logarithms are exact for products
FINEST = 40  # bits after the point of a logarithm
NEAR = 1e-11  # share of the threshold within which a cut is as good as at it
ROUNDED = 1e-15  # and more for every factor that was rounded
MORE = 7  # times as many cuts are judged as were refused, where other criteria judge too


class _Counted(NamedTuple):
    """What is cut: combinations, and the values that their people have."""

    codes: NDArray[np.int32]  # (n, n_columns)
    people: Counts  # (n,)
    first: Integers  # (n + 1,) entries of each combination
    value: NDArray[np.int32]  # (n_entries,) values of several columns stand one after the other
    count: Counts  # (n_entries,) occurrences


class _Wanted(NamedTuple):
    """Requirements: a point for a value each, by ascending value."""

    first: Integers  # (n_values + 1,) those of each value
    value: Integers
    l: Integers
    k: Integers
    m: Integers
    limit: Floats  # the negated ratio has to be above
    case: Integers
    block: NDArray[np.int32]  # (n_values,) the column of a value; -1: it only orders cuts
    most: Integers  # (n_blocks,) frequent values that are looked at, one more than any l
    live: bool  # whether statistics are of the groups there are now, or of all there ever were


class _Order(NamedTuple):
    """What puts the cuts of a region in order. All columns stand in one long array."""

    split: int
    least: int  # people in a region
    offset: Integers  # (n_columns + 1,)
    place: Floats  # where each code lies on its axis
    meet: NDArray[np.int32]  # level at which a code and the next one meet
    length: Floats  # (n_columns,) of the axes
    tall: NDArray[np.bool_]  # (n_columns,) trees with inner nodes
    gain_low: int  # the values that gain is about
    gain_high: int
    logs: Integers  # log2 in units of 1/unit
    unit: float


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


class _Room(NamedTuple):
    """Scratch of the kernels."""

    whole: Counts  # occurrences by value, all 0 between two uses
    left: Counts
    right: Counts
    seen: Integers
    touched: NDArray[np.bool_]
    touching: Integers
    heads: Integers  # all 0 between two uses
    line: Integers
    turn: Integers
    span: Floats
    top_value: Integers  # (2, n_blocks, most)
    top_count: Integers
    n_top: Integers  # (2, n_blocks)
    five: Floats  # (2, n_requirements, 5)
    kept: Floats  # (n_requirements, 5)


class _Found(NamedTuple):
    """Safe cuts of one region; the smaller the keys, the better."""

    turn: Integers
    first_key: Integers
    key: Floats
    column: Integers
    last: Integers
    following: Integers


class Regions:
    """Cuts a table as `SkylineMondrian` says.

    Statistics are floats. A cut whose negated ratio is within one part in 10^11 of its limit is
    taken for one at the limit, which is unsafe: exact ties are common (small counts, simple
    confidences), and what is that near without being one is left uncut, on the safe side.
    """

    def __init__(
        self,
        frequencies: FrequencySet,
        skylines: list[Skyline],
        beside: list[Criterion],
        split: Split,
        gain_of: str,
    ) -> None:
        self.frequencies = frequencies
        self.ground = frequencies.combinations
        self.domains = [frequencies.domains[name] for name in self.ground.columns]
        attributes = [str(frequencies.attribute(part.attribute)) for part in skylines]
        protected = list(dict.fromkeys(attributes))
        blocks = protected if split != "gain" else list(dict.fromkeys([*protected, gain_of]))
        sizes = [len(frequencies.domains[name].values) for name in blocks]
        offset = dict(zip(blocks, np.cumsum([0, *sizes]).tolist(), strict=False))
        n_values = sum(sizes)
        self.table = _counted(frequencies, offset, n_values)
        self.wanted = _requirements(
            frequencies, list(zip(skylines, attributes, strict=True)), offset, n_values
        )
        gain_low = offset[gain_of] if split == "gain" else 0
        gain_high = gain_low + (sizes[blocks.index(gain_of)] if split == "gain" else 0)
        least = max((part.least_size for part in [*skylines, *beside]), default=1)
        self.order = _order(self.domains, self.table, SPLITS[split], least, (gain_low, gain_high))
        # A k is compared with sizes as cuts are weighed; the rest judges cuts that are safe so far.
        self.beside = [part for part in beside if type(part) is not KAnonymity]
        n, n_columns = self.table.codes.shape
        self.first_key = np.searchsorted(frequencies.combination_of, np.arange(n + 1))
        n_requirements, n_blocks = len(self.wanted.value), len(protected)
        longest = max(len(domain) for domain in self.domains)
        most = int(self.wanted.most.max())
        self.room = _Room(
            *(np.zeros(n_values, dtype=np.int64) for _ in range(4)),
            np.zeros(n_values, dtype=np.bool_),
            np.zeros(n_values, dtype=np.int64),
            np.zeros(longest + 1, dtype=np.int64),
            np.empty(n, dtype=np.int64),
            np.zeros(n_columns, dtype=np.int64),
            np.zeros(n_columns, dtype=np.float64),
            np.zeros((2, n_blocks, most), dtype=np.int64),
            np.zeros((2, n_blocks, most), dtype=np.int64),
            np.zeros((2, n_blocks), dtype=np.int64),
            np.zeros((2, n_requirements, 5), dtype=np.float64),
            np.zeros((n_requirements, 5), dtype=np.float64),
        )
        n_cuts = sum(min(len(domain), n) for domain in self.domains) if self.beside else 1
        self.found = _Found(
            *(
                np.zeros(n_cuts, dtype=np.float64 if name == "key" else np.int64)
                for name in _Found._fields
            )
        )
        per_region = [np.zeros(ROOM, dtype=np.int64) for _ in range(6)]
        queue = np.zeros(2 * ROOM, dtype=np.int64)
        self.state = _State(np.arange(n), *per_region, queue, np.zeros(4, dtype=np.int64))
        self.state.ends[0] = n
        self.state.counters[[TAIL, N_REGIONS]] = 1
        self.tree = _no_statistics(2 * ROOM if self.wanted.live else 2, n_requirements)
        add_region(self.table, self.wanted, self.state, self.room, self.tree, 0)

    def run(self) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
        """Cut until no cut is safe; give the region of every combination, and the boxes."""
        counters = self.state.counters
        while counters[HEAD] < counters[TAIL]:
            report("cutting", int(counters[N_CLOSED]), len(self.ground))
            self._make_room()
            given = (self.table, self.wanted, self.order, self.state, self.room, self.found)
            if not self.beside:
                cut_regions(*given, self.tree, BUDGET)
                continue
            n_found = propose(*given, self.tree, True)
            chosen = self._first_that_holds(n_found)
            decide(
                self.table, self.wanted, self.state, self.room, self.found, self.tree, chosen
            )  # fmt: skip
        n_regions = int(counters[N_REGIONS])
        region = np.empty(len(self.ground), dtype=np.intp)
        sizes = self.state.ends[:n_regions] - self.state.starts[:n_regions]
        begin = np.argsort(self.state.starts[:n_regions], kind="stable")
        region[self.state.member] = np.repeat(begin, sizes[begin])
        return region, self._boxes(n_regions)

    def _make_room(self) -> None:
        """Double what is too short for two more regions."""
        state = self.state
        n_regions, n = int(state.counters[N_REGIONS]), len(state.starts)
        grown = {}
        if n_regions + 1 >= n:
            for name in ("starts", "ends", "parent", "column", "last", "following"):
                grown[name] = _doubled(getattr(state, name))
            if self.wanted.live:
                leaves = self.tree[n:]
                self.tree = _no_statistics(4 * n, leaves.shape[1])
                self.tree[2 * n : 3 * n] = leaves
                low, high = n, 2 * n
                while low >= 1:
                    self.tree[low:high] = np.minimum(
                        self.tree[2 * low : 2 * high : 2], self.tree[2 * low + 1 : 2 * high : 2]
                    )
                    low, high = low // 2, low
        if state.counters[TAIL] + 2 > len(state.queue):
            grown["queue"] = _doubled(state.queue)
        self.state = state._replace(**grown)

    def _first_that_holds(self, n_found: int) -> int:
        """Find the best cut both sides of which satisfy the other criteria; -1: none."""
        found = self.found
        order = np.lexsort((found.key[:n_found], found.first_key[:n_found], found.turn[:n_found]))
        region = self.state.queue[self.state.counters[HEAD]]
        member = self.state.member[self.state.starts[region] : self.state.ends[region]]
        n_keys = np.diff(self.first_key)[member]
        key = np.arange(n_keys.sum()) + np.repeat(
            self.first_key[member] - np.cumsum(n_keys) + n_keys, n_keys
        )
        at_once = max(1, COUNTS_AT_ONCE // max(1, len(key)))
        tried = 0
        while tried < n_found:
            batch = order[tried : tried + min(max(1, MORE * tried), at_once)]
            held = self._held(batch, key)
            if held.any():
                return int(batch[held.argmax()])
            tried += len(batch)
        return -1

    def _held(self, cuts: NDArray[np.intp], key: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Say of which cuts both sides satisfy the other criteria; key: people of the region."""
        frequencies = self.frequencies
        combination = frequencies.combination_of[key]
        codes = self.table.codes[combination][:, self.found.column[cuts]]  # (n_keys, n_cuts)
        side = 2 * np.arange(len(cuts)) + (codes > self.found.last[cuts])
        counts = np.repeat(frequencies.counts[key], len(cuts))
        values = frequencies.persons_values
        histogram = Histogram.from_entries(
            side.ravel(),
            np.repeat(values.of_key[key], len(cuts)).astype(np.int32),
            counts,
            (2 * len(cuts), len(values.codes)),
        )
        sizes = np.zeros(2 * len(cuts), dtype=np.int64)
        np.add.at(sizes, side.ravel(), counts)
        held = holding(All(tuple(self.beside)), JointGroups(frequencies, sizes, histogram))
        return held[::2] & held[1::2]

    def _boxes(self, n_regions: int) -> NDArray[np.int32]:
        """Draw boxes that reach to the cuts, as `Mondrian` does."""
        state = self.state
        boundary = np.zeros(n_regions, dtype=np.int64)
        for column, domain in enumerate(self.domains):
            mine = np.flatnonzero(state.column[1:n_regions] == column) + 1
            boundary[mine] = cut_between(domain, state.last[mine], state.following[mine])
        whole = [[0, len(domain) - 1] for domain in self.domains]
        boxes = np.empty((n_regions, len(self.domains), 2), dtype=np.int32)
        boxes[0] = whole
        draw_boxes(state, boundary, boxes)
        return boxes


def cut_between(domain: Domain, last: Integers, following: Integers) -> Integers:
    """Give the last rank below a cut between two values: half-way, or at the end of a node."""
    if domain.numbers is not None:
        return (last + following - 1) // 2
    level = domain.taxonomy.enclosing_level(last.astype(np.int32), following.astype(np.int32))
    return domain.taxonomy.high[level - 1, last].astype(np.int64)


def fixed_logarithms(n: int, unit: float) -> Integers:
    """Give log2 of 0 to n in whole units, so that products add up exactly.

    Only those of primes are rounded. So two cuts whose gain is the same have it in these numbers
    too, however their counts come together, and no rounding decides between them.
    """
    logs = np.zeros(n + 1, dtype=np.int64)
    for prime in range(2, n + 1):
        if logs[prime] == 0:
            step, power = round(math.log2(prime) * unit), prime
            while power <= n:
                logs[power::power] += step
                power *= prime
    return logs


def _counted(frequencies: FrequencySet, offset: dict[str, int], n_values: int) -> _Counted:
    ground = frequencies.combinations
    found = [_occurrences(frequencies, name) for name in offset]
    histogram = Histogram.from_entries(
        np.concatenate([each.combination for each in found]),
        np.concatenate(
            [each.codes + start for each, start in zip(found, offset.values(), strict=True)]
        ).astype(np.int32),
        np.concatenate([each.counts for each in found]),
        (len(ground), n_values),
    )
    codes = np.stack([ground.codes(name) for name in ground.columns], axis=1)
    return _Counted(codes, ground.counts, histogram.starts, histogram.codes, histogram.counts)


def _occurrences(frequencies: FrequencySet, name: str) -> Occurrences:
    if name in frequencies.sensitive:
        return frequencies.occurrences(name)
    ground = frequencies.combinations
    return Occurrences(np.arange(len(ground)), ground.codes(name), ground.counts)


def _requirements(
    frequencies: FrequencySet,
    skylines: list[tuple[Skyline, str]],
    offset: dict[str, int],
    n_values: int,
) -> _Wanted:
    n_people = frequencies.n_rows
    protected = list(dict.fromkeys(attribute for _, attribute in skylines))
    block = np.full(n_values, -1, dtype=np.int32)
    most = np.ones(len(protected), dtype=np.int64)
    rows = []
    for part, attribute in skylines:
        values = frequencies.domains[attribute].values
        start, number = offset[attribute], protected.index(attribute)
        block[start : start + len(values)] = number
        for point, codes in part.requirements(values).items():
            # Nobody can know more than that.
            l, k, m = min(point.l, len(values)), *(min(x, n_people + 1) for x in point[1:3])
            most[number] = max(most[number], l + 1)
            rows += [(start + int(code), l, k, m, _limit(point.c, m), part.case) for code in codes]
    rows.sort(key=lambda row: row[0])
    value = np.array([row[0] for row in rows], dtype=np.int64)
    return _Wanted(
        np.searchsorted(value, np.arange(n_values + 1)),
        value,
        *(np.array([row[j] for row in rows], dtype=np.int64) for j in (1, 2, 3)),
        np.array([row[4] for row in rows], dtype=np.float64),
        np.array([CASES.index(row[5]) for row in rows], dtype=np.int64),
        block,
        most,
        any(part.case != "single" for part, _ in skylines),
    )


def _limit(c: Fraction, m: int) -> float:
    """The negated ratio that is too small for confidence c, and what floats cannot tell from it."""
    return float((1 - c) / c) * (1 + NEAR + ROUNDED * m)


def _order(
    domains: list[Domain], table: _Counted, split: int, least: int, gain: tuple[int, int]
) -> _Order:
    offset, place, meet, lengths, numeric = axes(domains)
    tall = np.array([domain.taxonomy.height > 1 for domain in domains]) & ~numeric
    about = (table.value >= gain[0]) & (table.value < gain[1])
    total = int(table.count[about].sum()) + 1
    # Sums of count * log2(count) have to fit into 64 bits.
    unit = 2.0 ** min(FINEST, 61 - (total * total.bit_length()).bit_length())
    tabulated = min(total, TABULATED) if split == GAIN else 0
    logs = fixed_logarithms(tabulated, unit)
    return _Order(split, least, offset, place, meet, lengths, tall, *gain, logs, unit)


def _no_statistics(n: int, n_requirements: int) -> Floats:
    tree = np.empty((n, n_requirements, 5), dtype=np.float64)
    tree[:, :, :3] = np.inf
    tree[:, :, 3:] = 1.0
    return tree


def _doubled(array: NDArray[Any]) -> NDArray[Any]:
    return np.concatenate([array, np.zeros_like(array)])
