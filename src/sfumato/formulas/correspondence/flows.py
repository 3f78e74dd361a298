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
        source, self.sink = n_one + n_two, n_one + n_two + 1
        every = int(supply.sum())
        tail = np.concatenate([np.full(n_one, source), tails, n_one + np.arange(n_two)])
        head = np.concatenate([np.arange(n_one), n_one + heads, np.full(n_two, self.sink)])
        capacity = np.concatenate([supply, np.full(len(tails), every), room])
        value, flow = maximum_flow(tail, head, capacity, source, self.sink, self.sink + 1)
        refuse_without_buddies(value < every)
        carried = np.asarray(flow[tail, head]).ravel().astype(np.int64)
        inner = tail != source  # all that starts at the source is used up, and stays so
        tail, head = tail[inner], head[inner]
        capacity, carried = capacity[inner], carried[inner]
        # What can be added to an arc, and what can be taken back from it.
        self.tail, self.head = np.append(tail, head), np.append(head, tail)
        self.open = np.append(capacity - carried, carried)

    @cached_property
    def _place(self) -> tuple[dict[int, int], dict[int, int]]:
        ones = {int(group): j for j, group in enumerate(self.ones)}
        twos = {int(group): j + len(self.ones) for j, group in enumerate(self.twos)}
        return ones, twos

    @cached_property
    def _arcs(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Where the arcs of each node begin, these, and for every node -1."""
        order = np.argsort(self.tail, kind="stable").astype(np.int64)
        first = np.searchsorted(self.tail[order], np.arange(self.sink + 2)).astype(np.int64)
        return first, order, np.full(self.sink + 1, -1, dtype=np.int64)

    def most_from(self, one: int, twos: Sequence[int], most: int) -> int:
        """Largest flow from one group to some groups."""
        ends = [self._place[1][each] for each in twos if each in self._place[1]]
        return sum(self._between(self._place[0][one], ends, most, forward=False))

    def most_into(self, ones: Sequence[int], two: int, most: int) -> int:
        """Largest flow from some groups to one group."""
        starts = [self._place[0][each] for each in ones if each in self._place[0]]
        return sum(self._between(self._place[1][two], starts, most, forward=True))

    def fewest_into(self, two: int) -> int:
        """Smallest flow through one group of the second release."""
        now, elsewhere = self._between(self._place[1][two], [self.sink], -1, forward=True)
        return now - elsewhere

    def _between(
        self, pivot: int, others: Sequence[int], most: int, *, forward: bool
    ) -> tuple[int, int]:
        """Give the flow between a node and others, and how much more can go; see `rerouted`."""
        from sfumato.compiled import suited  # noqa: PLC0415  (a compiler)
        from sfumato.formulas.correspondence import residual_kernels  # noqa: PLC0415  (likewise)

        first, arcs, seen = self._arcs
        nodes = np.array(others, dtype=np.int64)
        loops = suited(residual_kernels, len(arcs))
        now, more = loops.rerouted(
            first, arcs, self.head, self.open, seen, pivot, nodes, most, forward
        )
        return int(now), int(more)
