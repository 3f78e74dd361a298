"""Good nodes early: down from the top, then again and again from nodes near above the best.

Where sizes of groups decide what a node costs, a step is chosen by what it gains for whom it leaves
out, which one pass over the groups tells of every column. Elsewhere nodes are priced one by one.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.lattice import kernels
from sfumato.algorithms.lattice.boxes import Boxes, by_group
from sfumato.algorithms.lattice.lattice import Node, right_below
from sfumato.algorithms.lattice.rollup import Start
from sfumato.compiled import suited
from sfumato.progress import report

MOST_COUNTED = 6000  # nodes
MOST_PRICED = 4  # of so many steps of a proof, one is taken for pricing nodes beforehand


class Priced(Protocol):
    """A safe node and what it costs; the better one is less."""

    @property
    def node(self) -> Node:
        """Its levels."""

    def __lt__(self, other: Any, /) -> bool: ...


TryOut = Callable[[Node, Start | None], Priced | None]  # the second: a node below, counted before


def descend_by_size(boxes: Boxes, try_out: TryOut) -> None:
    """Walk down from the top, then again and again from nodes near above the best.

    A step down is the one that gains most for every person more who is left out; a walk goes on as
    long as it gains anything. Moves raise one column or two, and walk down in the others. No more
    nodes are counted than the root of their number, since on a small lattice the proof comes first,
    and no more than half of a budget: the rest is for the bound.
    """
    walks = _Walks(boxes, lambda node: try_out(node, None))
    if boxes.nodes.budget == 1:
        try_out(walks.best, None)
    if not walks.down(boxes.lattice.heights, ()):
        return
    most = min(math.isqrt(boxes.lattice.n_nodes), MOST_COUNTED)
    if boxes.nodes.budget is not None:
        most = min(most, boxes.nodes.budget // 2)
    better = True
    while better:
        best = walks.best
        walks.look_around()
        for node, raised in _raised(best, boxes.lattice.heights):
            if boxes.nodes.n > most:
                return
            walks.down(node, raised)
            if walks.best != best:
                break
        better = walks.best != best


def descend_by_price(boxes: Boxes, try_out: TryOut, bound: Callable[[Node], Any]) -> None:
    """Walk down from the top, at each step to the first safe node in the order of their bounds.

    Then nodes near the best are priced, and from nodes near above it walks go down to the cheapest
    of those right below, as long as that gains anything: on a large lattice, or for half of a
    budget. The rest is for the proof, which prices nodes itself where values have no part in it and
    people cost by what is told of them.
    """
    walks = _PricedWalks(boxes, try_out)
    best = walks.first(bound)
    if best is None or (boxes.size_alone and boxes.units.by == "codes"):
        return
    walks.most = min(math.isqrt(boxes.lattice.n_nodes) // MOST_PRICED, MOST_COUNTED)
    if boxes.nodes.budget is not None:
        walks.most = boxes.nodes.budget // 2
    better = True
    while better and not walks.over:
        before = best
        walks.look_around(best.node)
        best = walks.down(best, ())
        for node, raised in _raised(best.node, boxes.lattice.heights):
            if best is not before or walks.over:
                break
            there = walks.at(node)
            there = there and walks.down(there, raised)
            if there is not None and there < best:
                best = there
        better = best is not before


def _raised(best: Node, heights: Node) -> Iterator[tuple[Node, tuple[int, ...]]]:
    """Give nodes with one column, or two, one or two levels higher, the nearest first."""
    for steps in ((1,), (2,), (1, 1), (1, 2), (2, 1)):
        for columns in itertools.combinations(range(len(best)), len(steps)):
            node = list(best)
            for j, n in zip(columns, steps, strict=True):
                node[j] += n
            if all(node[j] <= heights[j] for j in columns):
                yield tuple(node), columns


class _Walks:
    """Walks over a lattice, and the best node of all of them."""

    def __init__(self, boxes: Boxes, try_out: Callable[[Node], object]) -> None:
        self.boxes, self.try_out = boxes, try_out
        self.people = boxes.ground
        self.best: Node = boxes.lattice.heights
        self.least: int | None = None  # what the best costs, in units
        self.seen: set[Node] = set()

    def look_around(self) -> None:
        """Count people at the levels right below the best: walks go no lower, and cost less."""
        low = tuple(max(level - 1, 0) for level in self.best)
        self.people = self.boxes.raised(self.boxes.ground, low)

    def down(self, node: Node, fixed: tuple[int, ...]) -> bool:
        """Walk down, but not in some columns; whether the first node is safe."""
        report("looking for a good node", self.boxes.nodes.n)
        bad, price = self._priced(node)
        if bad > self.boxes.limit:
            return False
        first = self.best if fixed else None
        try:
            while node not in self.seen:
                self.seen.add(node)
                if self.least is None or price < self.least:
                    self.least, self.best = price, node
                step = self._step(node, bad, price, fixed)
                if step is None:
                    break
                node, bad, price = step
        finally:
            if self.best != first:
                self.try_out(self.best)
        return True

    def _priced(self, node: Node) -> tuple[int, int]:
        """Count who is left out at a node, and what it costs, in units."""
        boxes, people = self.boxes, self.people
        boxes.nodes.take(leave=1)
        cost, more = self._costs(node)
        top = boxes.levels.climb(people.keys, people.low, node)
        index, _, sums = suited(kernels, top.size).aggregated(top, people.counts)
        small = (sums < boxes.k)[index]
        price = self._constant(node) + int(cost.sum()) + int(more[small].sum())
        return int(people.counts[small].sum()), price

    def _step(
        self, node: Node, bad: int, price: int, fixed: tuple[int, ...]
    ) -> tuple[Node, int, int] | None:
        """Give the best step down that costs less, with who is left out and the price there."""
        boxes, people, levels = self.boxes, self.people, self.boxes.levels
        _, starts, order = by_group(levels.climb(people.keys, people.low, node), people.counts)
        people = replace(people, keys=people.keys[order], counts=people.counts[order])
        self.people = people
        below = tuple(max(level - 1, low) for level, low in zip(node, people.low, strict=True))
        own = levels.climb(people.keys, people.low, below)
        cost, more = self._costs(node)
        total = int(cost.sum())
        best: tuple[float, tuple[Node, int, int]] | None = None
        for j, level in enumerate(node):
            if below[j] == level or j in fixed:
                continue
            under = (*node[:j], level - 1, *node[j + 1 :])
            less = self._gained(j, level)
            gained = int(less.sum())
            boxes.nodes.take(leave=1)
            n, gain = suited(kernels, own.size).left_out(
                starts,
                own,
                levels.words[j],
                levels.shifts[j],
                levels.masks[j],
                people.counts,
                more + less,
                boxes.k,
            )
            there = self._constant(under) + total - gained + int(gain)
            if n > boxes.limit or there >= price:
                continue
            constant = self._constant(node) - self._constant(under)
            rate = (gained + constant) / (max(int(n) - bad, 0) + 1)
            if best is None or rate > best[0]:
                best = rate, (under, int(n), there)
        return None if best is None else best[1]

    def _costs(self, node: Node) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Give what people cost at a node, and what more if left out."""
        boxes, people = self.boxes, self.people
        return boxes.units.of_people(people.counts, boxes.per_person(people.keys, node))

    def _gained(self, j: int, level: int) -> NDArray[np.int64]:
        """Give what everybody costs less with a column one level lower."""
        boxes, people = self.boxes, self.people
        if not len(boxes.costs):
            return np.zeros(len(people.counts), dtype=np.int64)
        above, below = (
            boxes.levels.column_costs(people.keys, boxes.costs, j, each)
            for each in (level, level - 1)
        )
        return np.asarray(people.counts * (above - below))

    def _constant(self, node: Node) -> int:
        return sum(own[a] for own, a in zip(self.boxes.constants, node, strict=True))


class _PricedWalks:
    """Walks over a lattice by what nodes cost; none is priced twice."""

    def __init__(self, boxes: Boxes, try_out: TryOut) -> None:
        self.boxes, self.try_out = boxes, try_out
        self.priced: dict[Node, Priced | None] = {}
        self.start: Start | None = None  # counted below all nodes that are looked at
        self.most = 0  # nodes that may be counted

    @property
    def over(self) -> bool:
        """Whether as many nodes were counted as may be."""
        return self.boxes.nodes.n > self.most

    def first(self, bound: Callable[[Node], Any]) -> Priced | None:
        """Walk down from the top to a node without a safe one right below; None: it is not safe."""
        best, here = None, self.at(self.boxes.lattice.heights)
        while here is not None:
            best = here
            below = sorted(right_below(here.node), key=lambda each: (bound(each), each))
            here = next((safe for each in below if (safe := self.at(each)) is not None), None)
        return best

    def look_around(self, best: Node) -> None:
        """Count people at the levels right below the best: walks go no lower, and cost less."""
        low = tuple(max(level - 1, 0) for level in best)
        self.start = self.boxes.lattice.rollup.start_at(low)

    def at(self, node: Node) -> Priced | None:
        """Price a node; None: it is not safe."""
        if node not in self.priced:
            report("looking for a good node", self.boxes.nodes.n)
            self.priced[node] = self.try_out(node, self.start)
        return self.priced[node]

    def down(self, here: Priced, fixed: tuple[int, ...]) -> Priced:
        """Go to the cheapest node right below, but not in some columns, while that gains."""
        floor = self.boxes.bottom if self.start is None else self.start.node
        while not self.over:
            node = here.node
            below = (
                self.at((*node[:j], level - 1, *node[j + 1 :]))
                for j, level in enumerate(node)
                if level > floor[j] and j not in fixed
            )
            best = min((safe for safe in below if safe is not None), default=here)
            if not best < here:
                break
            here = best
        return here
