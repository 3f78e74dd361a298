"""Mondrian on many combinations: all open regions are cut together, round by round, compiled.

In a round every open region proposes its next best cuts along one dimension, the criterion judges
both sides of all of them at once, and a region is cut at the best one that is safe. A region
without a safe cut proposes more in the next round, and is closed when nothing is left to propose.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.lots import OwnChances
from sfumato.algorithms.mondrian.kernels import MORE, apply, count, propose
from sfumato.algorithms.mondrian.space import Box, around
from sfumato.criteria.criterion import Criterion
from sfumato.criteria.judging import holding
from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet, JointGroups
from sfumato.data.groups import Counts, Histogram
from sfumato.data.recoding import Assignment
from sfumato.progress import report

COUNTS_AT_ONCE = 1 << 22  # counts, and chances, held while the cuts of a batch are judged

Integers = NDArray[np.int64]


class Space(NamedTuple):
    """What all regions share. The values of all dimensions stand in one long array."""

    offset: Integers  # (n_dimensions + 1,) where each dimension begins there
    place: NDArray[np.float64]  # where each value lies on its axis
    meet: NDArray[np.int32]  # the level at which a value and the next one meet
    lengths: NDArray[np.float64]  # (n_dimensions,) of the axes
    numeric: NDArray[np.bool_]  # (n_dimensions,)
    longest: int  # dimension, in values
    height: int  # of the highest tree
    n_values: int  # sensitive ones
    least: int  # people in a region
    most: int  # cuts proposed at once
    strict: bool
    widest_only: bool

    @classmethod
    def of(
        cls, domains: list[Domain], n_values: int, least: int, *, strict: bool, widest_only: bool
    ) -> Space:
        """Lay the dimensions out."""
        return cls(
            *axes(domains),
            longest=max(len(domain) for domain in domains),
            height=max(domain.taxonomy.height for domain in domains),
            n_values=n_values,
            least=least,
            most=max(1, COUNTS_AT_ONCE // (2 * n_values)),
            strict=strict,
            widest_only=widest_only,
        )


class _Pieces(NamedTuple):
    """People of one combination in one region: all of them, unless they have been halved."""

    codes: NDArray[np.int32]  # (n, n_dimensions)
    people: Counts
    first: Integers  # its entries, from here
    end: Integers  # up to here
    region: Integers  # where they are, once the region is closed


class _Entries(NamedTuple):
    """People of one piece with one sensitive value, and so with one key."""

    key: Integers
    value: NDArray[np.int32]
    people: Counts


class _Round(NamedTuple):
    """The open regions; the pieces of one stand together, by ascending combination."""

    member: Integers  # (n_members,) pieces
    starts: Integers  # (n_open + 1,)
    region: Integers  # (n_open,)
    turn: Integers  # (n_open,) dimensions that have no safe cut
    tried: Integers  # (n_open,) unsafe cuts along the dimension whose turn it is
    path: Integers  # (n_open,) how they came about, as `OwnChances.of_cut` has it; 2^63 is -2^63

    @classmethod
    def room(cls, n_members: int, n_open: int) -> _Round:
        lengths = (n_members, n_open + 1, n_open, n_open, n_open, n_open)
        return cls(*(np.zeros(length, dtype=np.int64) for length in lengths))


class _Proposals(NamedTuple):
    """Cuts of every region along one dimension, in the order of their places on it.

    Members whose code is below `at` go left, as do those at it who stand before `split`. Of the
    member at `split`, `wanted` people go left.
    """

    starts: Integers  # (n_open + 1,)
    rank: Integers  # 0: the best cut of the region along the dimension
    dimension: Integers
    at: Integers
    split: Integers
    wanted: Integers  # 0: nobody is split
    last: Integers  # where the left box ends
    following: Integers  # where the right box begins
    n_counts: Integers  # (n_open,) counts that judging takes, at most
    n_chances: Integers  # (n_open,) people who are dealt out
    dealt: Integers  # (n_open + 1,) where the entries of the split member begin, among all such

    @classmethod
    def room(cls, n_cuts: int, n_open: int) -> _Proposals:
        lengths = (n_open + 1, *[n_cuts] * 7, n_open, n_open, n_open + 1)
        return cls(*(np.zeros(length, dtype=np.int64) for length in lengths))


class _Sides(NamedTuple):
    """Left and right of every cut, in turn: the rows of a `Histogram`, and their sums."""

    starts: Integers
    codes: NDArray[np.int32]
    counts: Counts
    sizes: Counts


class Rounds:
    """Cuts a table as `Mondrian` says, by any criterion."""

    def __init__(
        self,
        frequencies: FrequencySet,
        criterion: Criterion,
        chances: OwnChances,
        *,
        strict: bool,
        widest_only: bool,
        whole: Box | None = None,
        path: int = 1,
    ) -> None:
        """Begin with all people as one region; whole: its box, path: how it came about."""
        by_value = any(part.looks_at_values for part in criterion.parts)
        # Without a criterion about values, people are dealt out when the release is written.
        self.counted = frequencies if by_value else frequencies.combinations
        self.frequencies, self.criterion, self.chances = frequencies, criterion, chances
        ground, values = frequencies.combinations, self.counted.persons_values
        domains = [frequencies.domains[name] for name in ground.columns]
        self.space = Space.of(
            domains,
            len(values.codes),
            criterion.least_size,
            strict=strict,
            widest_only=widest_only,
        )
        n = len(ground)
        first = np.searchsorted(self.counted.combination_of, np.arange(n + 1))
        codes = np.stack([ground.codes(name) for name in ground.columns], axis=1)
        nowhere = np.zeros(n, dtype=np.int64)
        self.pieces = _Pieces(codes, ground.counts.copy(), first[:-1], first[1:].copy(), nowhere)
        self.entries = _Entries(
            np.arange(len(self.counted)),
            values.of_key.astype(np.int32),
            self.counted.counts.copy(),
        )
        self.n_pieces, self.n_entries = n, len(self.counted)
        self.boxes = around(domains, whole)  # (n_regions, n_dimensions, 2)
        self.open = _Round.room(n, 1)
        self.open.member[:] = np.arange(n)
        self.open.starts[1] = n
        self.open.path.view(np.uint64)[0] = path

    def run(self) -> Assignment:
        """Cut all regions until none has a safe cut."""
        while n_open := len(self.open.region):
            report("cutting", len(self.boxes) - n_open, len(self.boxes))
            at_most = np.maximum(1, MORE * self.open.tried)
            n_cuts = int(np.minimum(np.diff(self.open.starts) - 1, at_most).sum())
            proposals = _Proposals.room(n_cuts, n_open)
            propose(self.space, self.pieces, self.open, proposals)
            dealt = np.zeros(proposals.dealt[-1], dtype=np.int64)
            batches = _batches(proposals.n_counts + proposals.n_chances)
            safe = [self._judged(proposals, *batch, dealt) for batch in batches]
            self._cut(proposals, np.concatenate(safe), dealt)
        return self._assignment()

    def _assignment(self) -> Assignment:
        region = self.pieces.region[: self.n_pieces]
        if self.space.strict:
            ground = self.frequencies.combinations
            parts = np.stack([np.arange(len(ground)), region, ground.counts], axis=1)
            return Assignment(ground, self.boxes, parts)
        end = self.pieces.end[: self.n_pieces]
        n_each = end - self.pieces.first[: self.n_pieces]
        entry = np.repeat(end - np.cumsum(n_each), n_each) + np.arange(n_each.sum())
        parts = np.empty((len(entry), 3), dtype=np.int64)  # one column at a time: they are long
        parts[:, 0] = self.entries.key[entry]
        parts[:, 1] = np.repeat(region, n_each)
        parts[:, 2] = self.entries.people[entry]
        return Assignment(self.counted, self.boxes, parts)

    def _judged(
        self, proposals: _Proposals, first: int, last: int, dealt: Counts
    ) -> NDArray[np.bool_]:
        """Say which cuts of some regions leave both sides safe.

        People of split members are dealt out for it; `dealt`: how many of each entry go left.
        """
        chances = bytearray(self._chances(proposals, first, last))
        n_sides = 2 * int(proposals.starts[last] - proposals.starts[first])
        n_counts = int(proposals.n_counts[first:last].sum())
        sides = _Sides(
            np.zeros(n_sides + 1, dtype=np.int64),
            np.empty(n_counts, dtype=np.int32),
            np.empty(n_counts, dtype=np.int64),
            np.zeros(n_sides, dtype=np.int64),
        )
        count(
            self.space, self.pieces, self.entries, self.open, proposals, first, last,
            np.frombuffer(chances, dtype=np.uint64), dealt, sides,
        )  # fmt: skip
        n = sides.starts[-1]
        histogram = Histogram(sides.starts, sides.codes[:n], sides.counts[:n], self.space.n_values)
        held = holding(self.criterion, JointGroups(self.frequencies, sides.sizes, histogram))
        return held[::2] & held[1::2]

    def _chances(self, proposals: _Proposals, first: int, last: int) -> bytes:
        """Give the chances by which some regions deal people out, 8 bytes for each of them."""
        dealing = first + np.flatnonzero(proposals.n_chances[first:last])
        columns = proposals.dimension[proposals.starts[dealing]]
        n_bytes = (8 * proposals.n_chances[dealing]).tolist()
        paths = self.open.path[dealing].view(np.uint64)
        return self.chances.of_cuts(paths, columns, n_bytes) if n_bytes else b""

    def _cut(self, proposals: _Proposals, safe: NDArray[np.bool_], dealt: Counts) -> None:
        """Cut every region at its best safe proposal."""
        n_open = len(self.open.region)
        n_halved = int(np.count_nonzero(proposals.wanted))
        self.pieces = _Pieces(*(_roomy(each, self.n_pieces + n_halved) for each in self.pieces))
        self.entries = _Entries(
            *(_roomy(each, self.n_entries + len(dealt)) for each in self.entries)
        )
        n_boxes = len(self.boxes)
        boxes = np.concatenate([self.boxes, np.empty((n_open, *self.boxes.shape[1:]), np.int32)])
        room = _Round.room(len(self.open.member) + n_halved, 2 * n_open)
        n_open, n_members, n_boxes, self.n_pieces, self.n_entries = apply(
            self.pieces, self.entries, self.open, proposals, safe, dealt,
            room, boxes, n_boxes, self.n_pieces, self.n_entries,
        )  # fmt: skip
        self.boxes = boxes[:n_boxes]
        self.open = _Round(
            room.member[:n_members],
            room.starts[: n_open + 1],
            *(each[:n_open] for each in (room.region, room.turn, room.tried, room.path)),
        )


def axes(
    domains: list[Domain],
) -> tuple[
    Integers, NDArray[np.float64], NDArray[np.int32], NDArray[np.float64], NDArray[np.bool_]
]:
    """Lay the dimensions out as `Space` has them."""
    offset = np.cumsum([0, *(len(domain) for domain in domains)])
    meet = np.zeros(offset[-1], dtype=np.int32)
    for domain, start in zip(domains, offset, strict=False):
        if domain.numbers is None:
            ranks = np.arange(len(domain), dtype=np.int32)
            level = domain.taxonomy.enclosing_level(ranks[:-1], ranks[1:])
            meet[start : start + len(level)] = level
    place = np.concatenate([domain.axis for domain in domains])
    lengths = np.array([domain.whole for domain in domains])
    return offset, place, meet, lengths, np.array([d.numbers is not None for d in domains])


def _batches(costs: Integers) -> list[tuple[int, int]]:
    """Split the regions into batches that fit in memory."""
    batch = (np.cumsum(costs) - costs) // COUNTS_AT_ONCE
    ends = [*(np.flatnonzero(np.diff(batch)) + 1).tolist(), len(costs)]
    return list(zip([0, *ends], ends, strict=False))


def _roomy(array: NDArray[Any], n: int) -> NDArray[Any]:
    """Give an array room for n rows, and for more, lest it be copied every time."""
    if n <= len(array):
        return array
    more = np.empty((n + n // 4 - len(array), *array.shape[1:]), dtype=array.dtype)
    return np.concatenate([array, more])
