"""Mondrian on many combinations: all open regions are cut together, round by round, compiled.

In a round every open region proposes its next best cuts along one dimension, the criterion judges
both sides of all of them at once, and a region is cut at the best one that is safe. A region
without a safe cut proposes more in the next round, and is closed when nothing is left to propose.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.base import Draw
from sfumato.algorithms.compiled import compiled
from sfumato.criteria.base import Criterion, holding
from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet, JointGroups
from sfumato.data.groups import Counts, Histogram
from sfumato.data.recoding import Assignment
from sfumato.progress import report

COUNTS_AT_ONCE = 1 << 22  # counts, and chances, held while the cuts of a batch are judged
MORE = 7  # a region proposes so many times as many cuts as were found unsafe

LAST, LEVEL, UNEVEN, RANK = range(4)  # what is kept of a cut while cuts are compared

Integers = NDArray[np.int64]


class _Space(NamedTuple):
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

    @classmethod
    def room(cls, n_members: int, n_open: int) -> _Round:
        lengths = (n_members, n_open + 1, n_open, n_open, n_open)
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
        draw: Draw,
        *,
        strict: bool,
        widest_only: bool,
    ) -> None:
        by_value = any(part.looks_at_values for part in criterion.parts)
        # Without a criterion about values, people are dealt out when the release is written.
        self.counted = frequencies if by_value else frequencies.combinations
        self.frequencies, self.criterion, self.draw = frequencies, criterion, draw
        ground, values = frequencies.combinations, self.counted.persons_values
        self.space = _Space(
            *_axes([frequencies.domains[name] for name in ground.columns]),
            longest=max(len(frequencies.domains[name]) for name in ground.columns),
            height=max(frequencies.domains[name].taxonomy.height for name in ground.columns),
            n_values=len(values.codes),
            least=criterion.least_size,
            most=max(1, COUNTS_AT_ONCE // (2 * len(values.codes))),
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
        whole = [[0, len(frequencies.domains[name]) - 1] for name in ground.columns]
        self.boxes = np.array([whole], dtype=np.int32)  # (n_regions, n_dimensions, 2)
        self.open = _Round.room(n, 1)
        self.open.member[:] = np.arange(n)
        self.open.starts[1] = n

    def run(self) -> Assignment:
        """Cut all regions until none has a safe cut."""
        while n_open := len(self.open.region):
            report("cutting", len(self.boxes) - n_open, len(self.boxes))
            at_most = np.maximum(1, MORE * self.open.tried)
            n_cuts = int(np.minimum(np.diff(self.open.starts) - 1, at_most).sum())
            proposals = _Proposals.room(n_cuts, n_open)
            _propose(self.space, self.pieces, self.open, proposals)
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
        n_chances = int(proposals.n_chances[first:last].sum())
        chances = bytearray(self.draw(8 * n_chances) if n_chances else b"")
        n_sides = 2 * int(proposals.starts[last] - proposals.starts[first])
        n_counts = int(proposals.n_counts[first:last].sum())
        sides = _Sides(
            np.zeros(n_sides + 1, dtype=np.int64),
            np.empty(n_counts, dtype=np.int32),
            np.empty(n_counts, dtype=np.int64),
            np.zeros(n_sides, dtype=np.int64),
        )
        _count(
            self.space, self.pieces, self.entries, self.open, proposals, first, last,
            np.frombuffer(chances, dtype=np.uint64), dealt, sides,
        )  # fmt: skip
        n = sides.starts[-1]
        histogram = Histogram(sides.starts, sides.codes[:n], sides.counts[:n], self.space.n_values)
        held = holding(self.criterion, JointGroups(self.frequencies, sides.sizes, histogram))
        return held[::2] & held[1::2]

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
        n_open, n_members, n_boxes, self.n_pieces, self.n_entries = _apply(
            self.pieces, self.entries, self.open, proposals, safe, dealt,
            room, boxes, n_boxes, self.n_pieces, self.n_entries,
        )  # fmt: skip
        self.boxes = boxes[:n_boxes]
        self.open = _Round(
            room.member[:n_members],
            room.starts[: n_open + 1],
            *(each[:n_open] for each in (room.region, room.turn, room.tried)),
        )


def _axes(
    domains: list[Domain],
) -> tuple[
    Integers, NDArray[np.float64], NDArray[np.int32], NDArray[np.float64], NDArray[np.bool_]
]:
    """Lay the dimensions out as `_Space` has them."""
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


@compiled
def _propose(space, pieces, open_, proposals):  # type: ignore[no-untyped-def]
    """Write the next proposals of every open region; one that has none is to be closed."""
    n_dimensions = len(space.lengths)
    low, high = np.empty(n_dimensions, dtype=np.int64), np.empty(n_dimensions, dtype=np.int64)
    span = np.empty(n_dimensions, dtype=np.float64)
    line = np.zeros(space.longest, dtype=np.int64)  # people by code, all 0 between two uses
    cells = np.empty((2, space.longest), dtype=np.int64)
    cuts = np.empty((4, space.longest), dtype=np.int64)
    n = 0
    for r in range(len(open_.region)):
        first, before, n_dealt = open_.starts[r], n, 0
        member = open_.member[first : open_.starts[r + 1]]
        total, n_entries = 0, 0
        for piece in member:
            total += pieces.people[piece]
            n_entries += pieces.end[piece] - pieces.first[piece]
        may_cut = total >= 2 * space.least and len(member) > 1
        if may_cut:
            _measure(space, pieces.codes, member, low, high, span)
        to_skip = open_.turn[r]
        while may_cut and n == before and not (space.widest_only and open_.turn[r] > 0):
            j = 0
            for other in range(1, n_dimensions):
                if span[other] > span[j]:
                    j = other
            if span[j] < 0:
                break
            span[j] = -1.0
            if to_skip > 0:
                to_skip -= 1
                continue
            codes = pieces.codes[:, j]
            n_cells = _cells(codes, pieces.people, member, low[j], high[j], line, cells)
            if space.strict:
                n_cuts = _rank_cuts(space, j, cells, n_cells, total, open_.tried[r], cuts)
                for cut in range(n_cuts):
                    if cuts[RANK, cut] >= open_.tried[r]:
                        proposals.rank[n], proposals.dimension[n] = cuts[RANK, cut], j
                        proposals.at[n] = proposals.following[n] = cuts[LAST, cut] + 1
                        proposals.last[n] = cuts[LAST, cut]
                        proposals.split[n], proposals.wanted[n] = -1, 0
                        n += 1
            elif open_.tried[r] == 0:
                at, last, following, split, wanted = _half(
                    codes, pieces.people, member, cells, total // 2
                )
                proposals.rank[n], proposals.dimension[n], proposals.at[n] = 0, j, at
                proposals.last[n], proposals.following[n] = last, following
                proposals.split[n], proposals.wanted[n] = first + split, wanted
                n += 1
                if wanted > 0:
                    piece = member[split]
                    n_dealt = pieces.end[piece] - pieces.first[piece]
                    proposals.n_chances[r] = pieces.people[piece] if n_dealt > 1 else 0
            if n == before:
                open_.turn[r] += 1
                open_.tried[r] = 0
        proposals.starts[r + 1] = n
        proposals.dealt[r + 1] = proposals.dealt[r] + n_dealt
        proposals.n_counts[r] = 2 * (n - before) * min(space.n_values, n_entries)


@compiled
def _measure(space, codes, member, low, high, span):  # type: ignore[no-untyped-def]
    """Write the ends of a region along every dimension, and its width; -1: a single value."""
    for j in range(len(span)):
        low[j] = high[j] = codes[member[0], j]
    for piece in member:
        for j in range(len(span)):
            code = np.int64(codes[piece, j])
            low[j], high[j] = min(low[j], code), max(high[j], code)
    for j in range(len(span)):
        start, end = space.offset[j] + low[j], space.offset[j] + high[j]
        span[j] = (space.place[end] - space.place[start]) / space.lengths[j]
        if low[j] == high[j]:
            span[j] = -1.0


@compiled
def _cells(codes, people, member, low, high, line, cells):  # type: ignore[no-untyped-def]
    """Write every code along a dimension with its people, by ascending code; give their number."""
    n = 0
    if high - low < 8 * len(member) + 64:
        for piece in member:
            line[codes[piece] - low] += people[piece]
        for step in range(high - low + 1):
            if line[step]:
                cells[0, n], cells[1, n] = low + step, line[step]
                line[step] = 0
                n += 1
        return n
    own = np.empty(len(member), dtype=np.int64)
    for i in range(len(member)):
        own[i] = codes[member[i]]
    for i in np.argsort(own):
        if n == 0 or cells[0, n - 1] != own[i]:
            cells[0, n], cells[1, n] = own[i], 0
            n += 1
        cells[1, n - 1] += people[member[i]]
    return n


@compiled
def _rank_cuts(space, j, cells, n_cells, total, tried, cuts):  # type: ignore[no-untyped-def]
    """Write all strict cuts that leave enough people on both sides, and give their number.

    Those that are next get a rank: between the largest nodes of a tree first, then nearest to
    halving, then lower.
    """
    n_cuts, n_lower, left = 0, 0, 0
    for cell in range(n_cells - 1):
        left += cells[1, cell]
        if left < space.least or total - left < space.least:
            continue
        code, following = cells[0, cell], cells[0, cell + 1]
        last, level = (code + following - 1) // 2, 0
        if not space.numeric[j]:  # below the smallest node around both, not half-way in between
            for value in range(code, following):
                if space.meet[space.offset[j] + value] > level:
                    last, level = value, space.meet[space.offset[j] + value]
        cuts[LAST, n_cuts], cuts[LEVEL, n_cuts] = last, level
        cuts[UNEVEN, n_cuts], cuts[RANK, n_cuts] = abs(2 * left - total), -1
        n_cuts += 1
        if 2 * left <= total:
            n_lower = n_cuts
    # From the middle outwards: further out, cuts are more uneven.
    n_ranked, n_wanted = 0, min(n_cuts, tried + min(max(1, MORE * tried), space.most))
    level = 0 if space.numeric[j] else space.height
    while n_ranked < n_wanted:
        lower, upper = n_lower - 1, n_lower
        while n_ranked < n_wanted:
            while lower >= 0 and cuts[LEVEL, lower] != level:
                lower -= 1
            while upper < n_cuts and cuts[LEVEL, upper] != level:
                upper += 1
            if lower < 0 and upper == n_cuts:
                break
            if upper == n_cuts or (lower >= 0 and cuts[UNEVEN, lower] <= cuts[UNEVEN, upper]):
                cuts[RANK, lower] = n_ranked
                lower -= 1
            else:
                cuts[RANK, upper] = n_ranked
                upper += 1
            n_ranked += 1
        level -= 1
    return n_cuts


@compiled
def _half(codes, people, member, cells, half):  # type: ignore[no-untyped-def]
    """Put the lower half of the people to the left, those of equal value by their combination.

    Gives what `_Proposals` calls at, last, following, split and wanted.
    """
    cell, left = 0, 0
    while left + cells[1, cell] < half:
        left += cells[1, cell]
        cell += 1
    middle = cells[0, cell]
    last = following = middle
    if left + cells[1, cell] == half:  # a clean cut: the values in between go half-way
        last = (middle + cells[0, cell + 1] - 1) // 2
        following = last + 1
    split = 0
    while codes[member[split]] != middle or left + people[member[split]] < half:
        if codes[member[split]] == middle:
            left += people[member[split]]
        split += 1
    if left + people[member[split]] == half:
        return middle, last, following, split + 1, 0
    return middle, last, following, split, half - left


@compiled
def _count(space, pieces, entries, open_, proposals, first, last, chances, dealt, sides):  # type: ignore[no-untyped-def]
    """Count the sensitive values on both sides of the cuts of some regions."""
    # Cuts and what is beyond the last one, by value; all 0 between two regions.
    table = np.zeros((space.most + 1, space.n_values), dtype=np.int64)
    is_seen = np.zeros(space.n_values, dtype=np.bool_)
    seen, order = np.empty(space.n_values, dtype=np.int64), np.empty(space.n_values, dtype=np.int64)
    side, n, n_used = 0, 0, 0
    for r in range(first, last):
        begin, end = proposals.starts[r], proposals.starts[r + 1]
        if begin == end:
            continue
        j = proposals.dimension[begin]
        n_seen = 0
        for i in range(open_.starts[r], open_.starts[r + 1]):
            piece = open_.member[i]
            code = pieces.codes[piece, j]
            low, high = begin, end  # the member is left of the cuts from `low` on
            while low < high:
                middle = (low + high) // 2
                if _is_left(code, i, proposals.at[middle], proposals.split[middle]):
                    high = middle
                else:
                    low = middle + 1
            for e in range(pieces.first[piece], pieces.end[piece]):
                value = entries.value[e]
                if not is_seen[value]:
                    is_seen[value] = True
                    seen[n_seen] = value
                    n_seen += 1
                table[low - begin, value] += entries.people[e]
        if proposals.wanted[begin] > 0:
            piece = open_.member[proposals.split[begin]]
            share = dealt[proposals.dealt[r] : proposals.dealt[r + 1]]
            n_used = _deal(
                entries.people[pieces.first[piece] : pieces.end[piece]],
                proposals.wanted[begin],
                chances,
                n_used,
                share,
            )
            for c in range(len(share)):
                value = entries.value[pieces.first[piece] + c]
                table[0, value] += share[c]
                table[1, value] -= share[c]
        for c, at in enumerate(np.argsort(seen[:n_seen])):
            order[c] = seen[at]
        for cut in range(end - begin):
            for c in range(n_seen):
                table[cut + 1, order[c]] += table[cut, order[c]]
        for cut in range(end - begin):
            for right in range(2):
                for c in range(n_seen):
                    here = table[cut, order[c]]
                    if right:
                        here = table[end - begin, order[c]] - here
                    if here:
                        sides.codes[n], sides.counts[n] = order[c], here
                        sides.sizes[side] += here
                        n += 1
                side += 1
                sides.starts[side] = n
        for c in range(n_seen):
            is_seen[order[c]] = False
            for cut in range(end - begin + 1):
                table[cut, order[c]] = 0


@compiled
def _is_left(code, i, at, split):  # type: ignore[no-untyped-def]
    """Whether all people of a member go left."""
    return code < at or (code == at and i < split)


@compiled
def _deal(people, wanted, chances, n_used, share):  # type: ignore[no-untyped-def]
    """Choose `wanted` people, whatever their sensitive values; give the number of chances used.

    One after the other: of n who are left, w are still wanted, so the next is taken with w / n.
    """
    if len(share) == 1:
        share[0] = wanted
        return n_used
    n_people = 0
    for c in range(len(share)):
        n_people += people[c]
    for c in range(len(share)):
        for _ in range(people[c]):
            if chances[n_used] % np.uint64(n_people) < np.uint64(wanted):
                share[c] += 1
                wanted -= 1
            n_people -= 1
            n_used += 1
    return n_used


@compiled
def _apply(  # type: ignore[no-untyped-def]
    pieces, entries, open_, proposals, safe, dealt, room, boxes, n_boxes, n_pieces, n_entries
):
    """Cut every region at its best safe proposal, and write the regions of the next round."""
    n_open, n_members = 0, 0
    for r in range(len(open_.region)):
        first, end, region = open_.starts[r], open_.starts[r + 1], open_.region[r]
        cut = -1
        for other in range(proposals.starts[r], proposals.starts[r + 1]):
            if safe[other] and (cut < 0 or proposals.rank[other] < proposals.rank[cut]):
                cut = other
        if proposals.starts[r] == proposals.starts[r + 1]:
            for i in range(first, end):
                pieces.region[open_.member[i]] = region
            continue
        if cut < 0:
            for i in range(first, end):
                room.member[n_members] = open_.member[i]
                n_members += 1
            room.region[n_open], room.turn[n_open] = region, open_.turn[r]
            room.tried[n_open] = open_.tried[r] + proposals.starts[r + 1] - proposals.starts[r]
            n_open += 1
            room.starts[n_open] = n_members
            continue
        j, at, split = proposals.dimension[cut], proposals.at[cut], proposals.split[cut]
        for d in range(boxes.shape[1]):
            boxes[n_boxes, d, 0], boxes[n_boxes, d, 1] = boxes[region, d, 0], boxes[region, d, 1]
        boxes[region, j, 1], boxes[n_boxes, j, 0] = proposals.last[cut], proposals.following[cut]
        for right in range(2):
            for i in range(first, end):
                piece = open_.member[i]
                if _is_left(pieces.codes[piece, j], i, at, split) == (right == 0):
                    room.member[n_members] = piece
                    n_members += 1
                elif i == split and proposals.wanted[cut] > 0:
                    share = dealt[proposals.dealt[r] : proposals.dealt[r + 1]]
                    n_entries = _halve(pieces, entries, piece, share, n_pieces, n_entries)
                    room.member[n_members] = n_pieces
                    n_members += 1
                    n_pieces += 1
            room.region[n_open] = n_boxes if right else region
            room.turn[n_open], room.tried[n_open] = 0, 0
            n_open += 1
            room.starts[n_open] = n_members
        n_boxes += 1
    return n_open, n_members, n_boxes, n_pieces, n_entries


@compiled
def _halve(pieces, entries, piece, share, new, n_entries):  # type: ignore[no-untyped-def]
    """Move a share of every entry of a piece to a new one; give the number of all entries."""
    for j in range(pieces.codes.shape[1]):
        pieces.codes[new, j] = pieces.codes[piece, j]
    pieces.first[new], pieces.people[new] = n_entries, 0
    first = kept = pieces.first[piece]
    for c in range(len(share)):
        e = first + c
        key, value, people = entries.key[e], entries.value[e], entries.people[e]
        if share[c] > 0:
            entries.key[n_entries], entries.value[n_entries] = key, value
            entries.people[n_entries] = share[c]
            pieces.people[new] += share[c]
            n_entries += 1
        if people > share[c]:
            entries.key[kept], entries.value[kept] = key, value
            entries.people[kept] = people - share[c]
            kept += 1
    pieces.end[new], pieces.end[piece] = n_entries, kept
    pieces.people[piece] -= pieces.people[new]
    return n_entries
