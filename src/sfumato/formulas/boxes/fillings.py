"""How many people of each kind are in which box, where boxes overlap and counts are all there is.

A filling puts people of kinds into boxes that hold their kind, so that every box has its size;
whoever is left over is in none. A transportation problem: one filling is a flow, and it is the only
one if nobody can change places along a cycle of what the flow leaves open.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.data.groups import Counts
from sfumato.formulas.flow import maximum_flow

MOST_PEOPLE = 2**31 - 1  # SciPy's flows count in 32 bits
DEAD_ENDS = 16  # times as many fillings may be begun as there are


@dataclass(frozen=True, eq=False)
class Fillings:
    """Kinds of people, boxes, and which kind fits which box.

    >>> two = Fillings(np.array([2, 5]), np.array([4, 3]), np.array([[0, 0], [1, 0], [1, 1]]))
    >>> two.one().tolist(), two.is_only(two.one())
    ([2, 2, 3], True)
    """

    people: Counts  # (n_kinds,)
    sizes: Counts  # (n_boxes,)
    pairs: NDArray[np.intp]  # (n_pairs, 2): a kind, and a box that it fits

    def one(self) -> Counts | None:
        """Give people by pair in some filling: (n_pairs,). None: the boxes cannot be filled."""
        kind, box = self.pairs[:, 0], self.pairs[:, 1]
        n_kinds, n_boxes = len(self.people), len(self.sizes)
        source, sink = n_kinds + n_boxes, n_kinds + n_boxes + 1
        every = int(self.sizes.sum())
        if every > MOST_PEOPLE:
            raise ValueError("more than 2^31 people")
        tail = np.concatenate([np.full(n_kinds, source), kind, n_kinds + np.arange(n_boxes)])
        head = np.concatenate([np.arange(n_kinds), n_kinds + box, np.full(n_boxes, sink)])
        open_ = np.minimum(self.people[kind], self.sizes[box])
        capacity = np.concatenate([np.minimum(self.people, every), open_, self.sizes])
        value, flow = maximum_flow(tail, head, capacity, source, sink, sink + 1)
        if value < every:
            return None
        if not len(kind):
            return np.zeros(0, dtype=np.int64)
        return np.asarray(flow[kind, n_kinds + box]).ravel().astype(np.int64)

    def left_over(self, filling: Counts) -> Counts:
        """Count the people of each kind who are in no box: (n_kinds,)."""
        inside = np.bincount(self.pairs[:, 0], weights=filling, minlength=len(self.people))
        return np.asarray(self.people - inside.astype(np.int64))

    def is_only(self, filling: Counts) -> bool:
        """Say whether there is no other filling.

        Two fillings differ by cycles: somebody of a kind goes into a box, somebody else of this
        box into another, and so on. Pairs that have people can be used both ways, so a cycle
        among them is one; a pair that has none can only be added to, which closes a cycle where
        the way back is open.
        """
        from scipy.sparse import coo_array  # noqa: PLC0415  (heavy, so imported when used)
        from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

        n_kinds, nowhere = len(self.people), len(self.people) + len(self.sizes)
        n = nowhere + 1
        left = self.left_over(filling)
        kind = np.concatenate([self.pairs[:, 0], np.arange(n_kinds)])
        place = np.concatenate([self.pairs[:, 1] + n_kinds, np.full(n_kinds, nowhere)])
        used = np.concatenate([filling, left]) > 0
        ones = np.ones(int(used.sum()), dtype=np.int8)
        graph = coo_array((ones, (kind[used], place[used])), shape=(n, n))
        n_parts, _ = connected_components(graph, directed=False)
        if len(ones) > n - n_parts:  # more than a forest has
            return False
        tail = np.concatenate([kind, place[used]])
        head = np.concatenate([place, kind[used]])
        graph = coo_array((np.ones(len(tail), dtype=np.int8), (tail, head)), shape=(n, n))
        _, part = connected_components(graph, directed=True, connection="strong")
        return not bool((part[kind[~used]] == part[place[~used]]).any())

    def every(self, most: int) -> Counts | None:
        """List all fillings: (n, n_pairs). None: more than `most`, or too many to look through."""
        fillings = np.zeros((1, len(self.pairs)), dtype=np.int64)
        left = self.people[np.newaxis].astype(np.int64)  # (n, n_kinds)
        own = [np.flatnonzero(self.pairs[:, 1] == box) for box in range(len(self.sizes))]
        order = sorted(range(len(own)), key=lambda box: len(own[box]))
        for place, box in enumerate(order):
            open_ = np.full(len(fillings), int(self.sizes[box]))  # places in the box
            for j, pair in enumerate(own[box].tolist()):
                kind = self.pairs[pair, 0]
                later = left[:, self.pairs[own[box][j + 1 :], 0]].sum(axis=1)
                low, high = np.maximum(open_ - later, 0), np.minimum(open_, left[:, kind])
                ways = np.maximum(high - low + 1, 0)
                total = int(ways.sum())
                if total > DEAD_ENDS * most:
                    return None
                row = np.repeat(np.arange(len(fillings)), ways)
                chosen = low[row] + np.arange(total) - np.repeat(np.cumsum(ways) - ways, ways)
                fillings, left = fillings[row], left[row]
                fillings[:, pair] = chosen
                left[:, kind] -= chosen
                open_ = open_[row] - chosen
            full = open_ == 0
            for rest in order[place + 1 :]:
                room = left[:, self.pairs[own[rest], 0]].sum(axis=1)
                full &= room >= self.sizes[rest]
            fillings, left = fillings[full], left[full]
        return None if len(fillings) > most else fillings

    def ways(self, filling: Counts) -> int:
        """Count in how many ways people with names can be in the boxes so."""
        together = math.prod(map(math.factorial, self.people.tolist()))
        apart = [*filling.tolist(), *self.left_over(filling).tolist()]
        return together // math.prod(map(math.factorial, apart))

    @cached_property
    def parts(self) -> list[Part]:
        """Take what hangs together apart: kinds and boxes that no pair leads out of."""
        from scipy.sparse import coo_array  # noqa: PLC0415  (heavy, so imported when used)
        from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

        n_kinds, n = len(self.people), len(self.people) + len(self.sizes)
        kind, box = self.pairs[:, 0], self.pairs[:, 1]
        ones = np.ones(len(kind), dtype=np.int8)
        graph = coo_array((ones, (kind, n_kinds + box)), shape=(n, n))
        n_parts, part = connected_components(graph, directed=False)
        parts = []
        for members in _by_part(part, n_parts):
            kinds, boxes = members[members < n_kinds], members[members >= n_kinds] - n_kinds
            if len(boxes):
                parts.append(self._part(kinds, boxes))
        return parts

    def _part(self, kinds: NDArray[np.intp], boxes: NDArray[np.intp]) -> Part:
        mine = np.flatnonzero(np.isin(self.pairs[:, 1], boxes))
        pairs = np.stack(
            [
                np.searchsorted(kinds, self.pairs[mine, 0]),
                np.searchsorted(boxes, self.pairs[mine, 1]),
            ],
            axis=1,
        )
        return Part(kinds, boxes, Fillings(self.people[kinds], self.sizes[boxes], pairs))


@dataclass(frozen=True, eq=False)
class Part:
    """Some kinds and boxes of a larger problem."""

    kinds: NDArray[np.intp]
    boxes: NDArray[np.intp]
    fillings: Fillings


def _by_part(part: NDArray[np.intp], n_parts: int) -> list[NDArray[np.intp]]:
    order = np.argsort(part, kind="stable")
    starts = np.searchsorted(part[order], np.arange(1, n_parts))
    return np.split(order, starts)
