"""Regions of the space of quasi-identifiers, by the cuts that made them."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.data.groups import Counts
from sfumato.data.keys import Keys, Layout, distinct, runs
from sfumato.errors import NoRoom

DEEPEST = 400  # cuts on the way to a region: a question to an engine has to say them all


@dataclass(frozen=True)
class Branch:
    """A cut: who has up to `last` in a column is below it, everybody else above.

    With `upto`, of those who have `last` only keys up to that are below: the first words of one.
    """

    column: int
    last: int
    below: Branch | int  # further cuts, or the number of a region
    above: Branch | int
    upto: tuple[int, ...] | None = None


class Middle(NamedTuple):
    """The people of a region who have the combination in which a cut falls."""

    keys: Keys  # (n, n_words) of the region: one for each of their sensitive values
    people: Counts  # (n,)
    upto: tuple[int, ...]  # the first words of the last key that they could have


class Shares(NamedTuple):
    """Keys whose people are in several regions, with all of their people; by key and region."""

    keys: Keys  # (n, n_words)
    region: NDArray[np.int64]  # (n,)
    people: Counts  # (n,)

    @property
    def first(self) -> NDArray[np.bool_]:
        """Where the first of a key's regions is."""
        first = np.zeros(len(self.people), dtype=bool)
        first[runs(self.keys)] = True
        return first

    @property
    def split(self) -> bool:
        """Whether some key is in more than one region."""
        return not self.first.all()


class Regions:
    """The whole space, cut again and again.

    Below a cut a region keeps its number, above it is a new one. Cuts at a value make boxes that do
    not meet. Where those who have a value are cut in two, by the order of their combinations, boxes
    have that value in common, and the people of one combination may be in both (`shares`).

    >>> regions = Regions([[0, 9], [0, 1]], Layout.of([10, 2]))
    >>> regions.cut(0, column=0, last=4)
    1
    >>> regions.tree
    Branch(column=0, last=4, below=0, above=1, upto=None)
    >>> regions.boxes.tolist()
    [[[0, 4], [0, 1]], [[5, 9], [0, 1]]]
    >>> regions.take_out(1, column=0, ranges=np.array([[5, 6]]))
    [2]
    >>> regions.tree.above
    Branch(column=0, last=6, below=2, above=1, upto=None)
    """

    def __init__(self, whole: list[list[int]], layout: Layout) -> None:
        self._layout = layout
        self._boxes = [np.array(whole, dtype=np.int32)]  # (n_columns, 2): [low, high] ranks
        self._depths = [0]  # cuts that made a region
        # The cuts of a region: column, last, upto, new one.
        self._cuts: list[list[tuple[int, int, tuple[int, ...] | None, int]]] = [[]]
        # Of a region that ranges were taken out of, after its cuts: column, and (last, region).
        self._ranges: dict[int, tuple[int, list[tuple[int, int]]]] = {}
        none = np.zeros(0, dtype=np.int64)
        self.shares = Shares(np.zeros((0, layout.n_words), dtype=np.uint64), none, none)

    def __len__(self) -> int:
        return len(self._boxes)

    def copied(self) -> Regions:
        """Give the same regions, to be cut otherwise."""
        other = copy(self)
        other._boxes = [box.copy() for box in self._boxes]
        other._cuts = [list(cuts) for cuts in self._cuts]
        other._depths, other._ranges = list(self._depths), dict(self._ranges)
        return other

    def cut(self, region: int, column: int, last: int) -> int:
        """Cut a region, and give the number of what is above the cut."""
        return self._cut(region, column, last, None)

    def cut_between(
        self, region: int, column: int, last: int, middle: Middle, below: Counts
    ) -> int:
        """Cut those in two who have a value; below: how many of the middle's people go there."""
        above = middle.people - below
        new = self._cut(region, column, last, middle.upto)
        if above.any():  # else nobody of one combination is elsewhere than the others
            n = len(middle.keys)
            self._share(middle.keys, np.repeat([region, new], n), np.append(below, above))
        return new

    def take_out(self, region: int, column: int, ranges: NDArray[np.integer]) -> list[int]:
        """Take everybody out of a region who has a value in some ranges; give a region for each.

        ranges: (n, 2) [low, high] ranks of the column inside the box, ascending.
        """
        pieces: list[tuple[int, int]] = []
        low, end = self._boxes[region][column].tolist()
        for first, last in ranges.tolist():
            if first > low:
                pieces.append((first - 1, region))
            pieces.append((last, len(self)))
            self._new(region, column, first, last, len(ranges).bit_length() + 1)
            low = last + 1
        if low <= end:
            pieces.append((end, region))
        self._ranges[region] = column, pieces
        lasts, numbers = np.array(pieces).T
        own = self.shares.region == region
        code = self._layout.unpack(self.shares.keys[own], column)
        moved = self.shares.region.copy()
        moved[own] = numbers[np.searchsorted(lasts, code)]
        self.shares = self.shares._replace(region=moved)
        return [number for _, number in pieces if number != region]

    def send_back(
        self, region: int, keys: Keys, taken: NDArray[np.integer], people: Counts, back: Counts
    ) -> None:
        """Let some people stay in the region that they were taken out of; asked once for each.

        keys: (n, n_words), each once; taken: (n,) the regions they were taken to; people: how many
        have such a key there, of whom `back` stay.
        """
        regions = np.append(taken, np.full(len(keys), region))
        self._share(keys, regions, np.append(people - back, back))

    def _share(self, keys: Keys, region: NDArray[np.integer], people: Counts) -> None:
        """Say how many people of some keys, each once, are in the first and the second of regions.

        region, people: (2 * n_keys,), the firsts of all keys before the seconds.
        """
        shares = self.shares
        _, which = distinct(np.concatenate([keys, shares.keys]))
        own = np.isin(which[len(keys) :], which[: len(keys)])
        rest = ~(own & np.isin(shares.region, region))
        keys = np.concatenate([shares.keys[rest], keys, keys])
        regions = np.concatenate([shares.region[rest], region])
        people = np.concatenate([shares.people[rest], people])
        there = people > 0
        keys, regions, people = keys[there], regions[there], people[there]
        order = np.lexsort((regions, *keys.T[::-1]))
        self.shares = Shares(keys[order], regions[order], people[order])

    def _cut(self, region: int, column: int, last: int, upto: tuple[int, ...] | None) -> int:
        first = last + 1 if upto is None else last
        new = self._new(region, column, first, int(self._boxes[region][column, 1]), 1)
        self._depths[region] = self._depths[new]
        self._boxes[region][column, 1] = last
        self._cuts[region].append((column, last, upto, new))
        shares = self.shares
        code = self._layout.unpack(shares.keys, column)
        above = code > last
        if upto is not None:
            above |= (code == last) & _behind(shares.keys, upto)
        moved = np.where(above & (shares.region == region), new, shares.region)
        self.shares = shares._replace(region=moved)
        return new

    def _new(self, region: int, column: int, low: int, high: int, deeper: int) -> int:
        """Add a region inside the box of another; deeper: by how many cuts."""
        if self._depths[region] + deeper > DEEPEST:
            raise NoRoom(
                f"after {DEEPEST} cuts of the same people they still do not fit into the memory "
                "that is allowed: allow more (memory=)"
            )
        box = self._boxes[region].copy()
        box[column] = low, high
        self._boxes.append(box)
        self._depths.append(self._depths[region] + deeper)
        self._cuts.append([])
        return len(self) - 1

    @property
    def n_columns(self) -> int:
        """How many columns the space has: the first fields of keys."""
        return len(self._boxes[0])

    @property
    def boxes(self) -> NDArray[np.int32]:
        """The regions: (n_regions, n_columns, 2)."""
        return np.stack(self._boxes)

    @property
    def tree(self) -> Branch | int:
        """The cuts in the order in which they tell where somebody is."""
        return self._below(0, 0)

    def _below(self, region: int, n_known: int) -> Branch | int:
        if n_known == len(self._cuts[region]):
            column, pieces = self._ranges.get(region, (0, [(0, region)]))
            return self._among(region, column, pieces)
        column, last, upto, new = self._cuts[region][n_known]
        return Branch(column, last, self._below(region, n_known + 1), self._below(new, 0), upto)

    def _among(self, region: int, column: int, pieces: list[tuple[int, int]]) -> Branch | int:
        """Give the cuts between those that stay in a region and those taken out, by halves."""
        if len(pieces) == 1:
            ((_, number),) = pieces
            return region if number == region else self._below(number, 0)
        half = len(pieces) // 2
        below, above = (
            self._among(region, column, each) for each in (pieces[:half], pieces[half:])
        )
        return Branch(column, pieces[half - 1][0], below, above)


def last_of_combination(layout: Layout, n_fields: int, key: Keys) -> tuple[int, ...]:
    """Give the first words of the last key that has the first fields of a key, (n_words,).

    >>> layout = Layout.of([4, 2])
    >>> key = layout.pack([np.array([1], dtype=np.int32), np.array([0], dtype=np.int32)])[0]
    >>> [hex(word) for word in last_of_combination(layout, 1, key)]
    ['0x7fffffffffffffff']
    """
    word, shift = layout.words[n_fields - 1], layout.shifts[n_fields - 1]
    words = [int(each) for each in key[: word + 1]]
    return (*words[:word], words[word] | ((1 << shift) - 1))


def _behind(keys: Keys, upto: tuple[int, ...]) -> NDArray[np.bool_]:
    """Say which keys are behind one, by its words."""
    behind = np.zeros(len(keys), dtype=bool)
    for word, bound in reversed([*enumerate(upto)]):
        own, other = keys[:, word], np.uint64(bound)
        behind = (own > other) | ((own == other) & behind)
    return behind
