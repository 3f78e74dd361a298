"""Flows between the groups of two releases: a choice of buddies, and how far it can change."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.data.groups import Counts
from sfumato.errors import BadInput
from sfumato.formulas.correspondence.pairs import refuse_without_buddies
from sfumato.formulas.flow import maximum_flow

MOST_IN_FLOW = 2**31 - 1  # SciPy's flows count in 32 bits


class Flow:
    """One choice of buddies in a connected part, and how far it can be changed.

    Arcs lead from groups of the first release to groups of the second, and on to the sink. Whoever
    wants more flow over some arcs sends it the way back through what the flow leaves open: a
    maximum flow in the residual graph, in whole numbers.
    """

    def __init__(self, people_1: Counts, people_2: Counts, edges: NDArray[np.intp]) -> None:
        self.ones, tails = np.unique(edges[:, 0], return_inverse=True)
        self.twos, heads = np.unique(edges[:, 1], return_inverse=True)
        n_one, n_two = len(self.ones), len(self.twos)
        supply, room = people_1[self.ones], people_2[self.twos]
        if int(room.sum()) > MOST_IN_FLOW:
            raise BadInput(
                "correspondence: more than 2^31 records hang together; releases that are not cuts "
                "can be compared up to that number"
            )
        source, self.sink, self.spare = n_one + n_two, n_one + n_two + 1, n_one + n_two + 2
        every = int(supply.sum())
        tail = np.concatenate([np.full(n_one, source), tails, n_one + np.arange(n_two)])
        head = np.concatenate([np.arange(n_one), n_one + heads, np.full(n_two, self.sink)])
        capacity = np.concatenate([supply, np.full(len(tails), every), room])
        value, flow = maximum_flow(tail, head, capacity, source, self.sink, self.spare + 1)
        refuse_without_buddies(value < every)
        self.every = every
        carried = np.asarray(flow[tail, head]).ravel().astype(np.int64)
        inner = tail != source  # all that starts at the source is used up, and stays so
        tail, head = tail[inner], head[inner]
        capacity, self.carried = capacity[inner], carried[inner]
        # What can be added to an arc, and what can be taken back from it.
        self.tail, self.head = np.append(tail, head), np.append(head, tail)
        self.open = np.append(capacity - self.carried, self.carried)

    @cached_property
    def _place(self) -> tuple[dict[int, int], dict[int, int]]:
        ones = {int(group): j for j, group in enumerate(self.ones)}
        twos = {int(group): j + len(self.ones) for j, group in enumerate(self.twos)}
        return ones, twos

    def most_from(self, one: int, twos: Sequence[int], most: int) -> int:
        """Largest flow from one group to some groups."""
        start = self._place[0][one]
        ends = [self._place[1][each] for each in twos if each in self._place[1]]
        between = (self.tail == start) & np.isin(self.head, ends)
        now = self._now(between)
        if now == most:
            return now
        closed = between | ((self.head == start) & np.isin(self.tail, ends))
        return now + self._more(closed, self.spare, start, [(self.spare, end) for end in ends])

    def most_into(self, ones: Sequence[int], two: int, most: int) -> int:
        """Largest flow from some groups to one group."""
        end = self._place[1][two]
        starts = [self._place[0][each] for each in ones if each in self._place[0]]
        between = (self.head == end) & np.isin(self.tail, starts)
        now = self._now(between)
        if now == most:
            return now
        closed = between | ((self.tail == end) & np.isin(self.head, starts))
        extra = [(start, self.spare) for start in starts]
        return now + self._more(closed, end, self.spare, extra)

    def fewest_into(self, two: int) -> int:
        """Smallest flow through one group of the second release."""
        end = self._place[1][two]
        through = (self.tail == end) & (self.head == self.sink)
        now = self._now(through)
        if not now:
            return 0
        closed = through | ((self.tail == self.sink) & (self.head == end))
        return now - self._more(closed, end, self.sink, [])

    def _now(self, arcs: NDArray[np.bool_]) -> int:
        return int(self.carried[arcs[: len(self.carried)]].sum())

    def _more(
        self, closed: NDArray[np.bool_], start: int, end: int, extra: Sequence[tuple[int, int]]
    ) -> int:
        usable = ~closed & (self.open > 0)
        tail = np.append(self.tail[usable], [a for a, _ in extra]).astype(np.intp)
        head = np.append(self.head[usable], [b for _, b in extra]).astype(np.intp)
        capacity = np.append(self.open[usable], np.full(len(extra), self.every))
        value, _ = maximum_flow(tail, head, capacity, start, end, self.spare + 1)
        return value
