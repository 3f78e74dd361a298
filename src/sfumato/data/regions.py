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
    """

    def __init__(self, whole: list[list[int]], layout: Layout) -> None:
        self._layout = layout
        self._boxes = [np.array(whole, dtype=np.int32)]  # (n_columns, 2): [low, high] ranks
        self._depths = [0]  # cuts that made a region
        # The cuts of a region: column, last, upto, new one.
        self._cuts: list[list[tuple[int, int, tuple[int, ...] | None, int]]] = [[]]
        none = np.zeros(0, dtype=np.int64)
        self.shares = Shares(np.zeros((0, layout.n_words), dtype=np.uint64), none, none)

    def __len__(self) -> int:
        return len(self._boxes)

    def copied(self) -> Regions:
        """Give the same regions, to be cut otherwise."""
        other = copy(self)
        other._boxes = [box.copy() for box in self._boxes]
        other._cuts = [list(cuts) for cuts in self._cuts]
        other._depths = list(self._depths)
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
        if not above.any():  # nobody of one combination is elsewhere than the others
            return new
        shares = self.shares
        _, which = distinct(np.concatenate([middle.keys, shares.keys]))
        own = np.isin(which[len(middle.keys) :], which[: len(middle.keys)])
        rest = ~(own & np.isin(shares.region, [region, new]))
        keys = np.concatenate([shares.keys[rest], middle.keys, middle.keys])
        here = np.repeat([region, new], len(middle.keys))
        regions = np.concatenate([shares.region[rest], here])
        people = np.concatenate([shares.people[rest], below, above])
        there = people > 0
        keys, regions, people = keys[there], regions[there], people[there]
        order = np.lexsort((regions, *keys.T[::-1]))
        self.shares = Shares(keys[order], regions[order], people[order])
        return new

    def _cut(self, region: int, column: int, last: int, upto: tuple[int, ...] | None) -> int:
        new, box = len(self), self._boxes[region].copy()
        if self._depths[region] == DEEPEST:
            raise NoRoom(
                f"after {DEEPEST} cuts of the same people they still do not fit into the memory "
                "that is allowed: allow more (memory=)"
            )
        self._depths[region] += 1
        self._depths.append(self._depths[region])
        box[column, 0] = last + 1 if upto is None else last
        self._boxes[region][column, 1] = last
        self._boxes.append(box)
        self._cuts[region].append((column, last, upto, new))
        self._cuts.append([])
        shares = self.shares
        code = self._layout.unpack(shares.keys, column)
        above = code > last
        if upto is not None:
            above |= (code == last) & _behind(shares.keys, upto)
        moved = np.where(above & (shares.region == region), new, shares.region)
        self.shares = shares._replace(region=moved)
        return new

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
            return region
        column, last, upto, new = self._cuts[region][n_known]
        return Branch(column, last, self._below(region, n_known + 1), self._below(new, 0), upto)


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
