"""The set enumeration tree, best bound first (Ciriani 2008, section 4.1.1; Bayardo and Agrawal)."""

from __future__ import annotations

import heapq
from collections import OrderedDict
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.k_optimize.best import Best
from sfumato.algorithms.k_optimize.kernels import DISCERNIBILITY
from sfumato.algorithms.k_optimize.nodes import Chosen, Costs, Node, Problem

KEPT = 1 << 27  # bytes of nodes whose cells are kept for those below them
MOST_OPEN = 2_000_000  # nodes; beyond, one branch after the other is finished


class Open(NamedTuple):
    """A node that waits: its bound, and head and tail as packed bits."""

    bound: int
    n_tail: int  # of equal bounds, what is decided most
    number: int
    parent: int  # the number of the node whose cells are finer
    bits: bytes


class Search:
    """Looks for the cheapest set of splits.

    A node is a head of splits that are made and a tail of those that may be made as well. Of the
    open nodes the one of least bound is next. Splits that cannot lead to anything better are
    dropped from its tail: those whose bound with the head is not below the best, too many people
    would be suppressed by, or, where only people count, that split no group. That joins cells and
    raises bounds, so it is done until nothing is dropped. Then the split of the most groups comes
    first: it becomes a child, with the rest of the tail; and the node waits with that rest for its
    other children.

    Nothing is concluded from a node that was dropped about sets that contain it elsewhere: its
    bound was for its own tail. Costs are whole numbers, so what is not below the best is no better.
    """

    def __init__(self, problem: Problem, best: Best) -> None:
        self.problem, self.best = problem, best
        self.waiting: list[Open] = []  # a heap
        self.branch: list[Open] = []  # a stack, while there are too many
        self.floor = 0  # no node of the branch has a lower bound
        self.n_nodes = 0
        self.head = problem.nothing  # of the last node
        self.n_numbered = 0
        self.kept: OrderedDict[int, Node] = OrderedDict()
        self.n_bytes = 0
        top = Node.of(problem, problem.nothing, ~problem.nothing)
        self._push(top.bounds.least.cost, top.head, top.tail, self._keep(top))

    @property
    def least(self) -> int:
        """The least bound of what is open; where nothing is, the best itself."""
        assert self.best.cost is not None  # noqa: S101  (the top was offered)
        least = min([self.best.cost, *(each.bound for each in self.waiting[:1])])
        return min(least, self.floor) if self.branch else least

    def run(self) -> Iterator[int]:
        """Go on until the best is proved; after every node give how many there were."""
        while self.branch or self.waiting:
            node = self.branch.pop() if self.branch else heapq.heappop(self.waiting)
            if self.best.settles(Costs(node.bound, 0)):
                if not self.branch:
                    self.waiting.clear()  # all others have no lower bound
                continue
            if not self.branch:
                self.floor = node.bound
            self.n_nodes += 1
            self._expand(node)
            yield self.n_nodes

    def _expand(self, given: Open) -> None:
        """Drop what cannot help, and open the first child and what is left of the node."""
        node = self._shrunk(self._node(given))
        self.head = node.head
        least, head, finest, tail = node.bounds
        self.best.offer(head, node.head)
        self.best.offer(finest, node.head | node.tail)
        if not node.tail.any() or self.best.settles(least):
            return
        number = self._keep(node)
        first = int(np.argmax(self._order(node)))
        split = int(tail.split[first])
        rest, with_split = node.tail.copy(), node.head.copy()
        rest[split], with_split[split] = False, True
        # The bound with the split was for a tail that is no smaller, and so is the node's own.
        below = max(int(tail.cost[first]), least.cost)
        self._push(least.cost, node.head, rest, number)
        self._push(below, with_split, rest, number)

    def _order(self, node: Node) -> NDArray[np.float64]:
        """Say of every split of a tail how early it comes: by how many groups it splits.

        Where not only sizes count, it also matters how many people are right before and behind it,
        whom it is dear not to tell apart.
        """
        n_split = node.bounds.tail.n_split.astype(np.float64)
        if self.problem.prices.kind == DISCERNIBILITY:
            return n_split
        people = node.people
        behind = node.positions(node.tail)
        return n_split * people[behind - 1] * people[behind]

    def _shrunk(self, node: Node) -> Node:
        """Drop splits from the tail until no more can be."""
        while True:
            if self.best.settles(node.bounds.least):
                return node
            tail = node.bounds.tail
            useless = tail.n_suppressed > self.problem.limit
            if self.best.cost is not None:
                useless |= tail.cost >= self.best.cost
            if self.problem.by_people:
                useless |= tail.n_split == 0
            if not useless.any():
                return node
            dropped = self.problem.nothing
            dropped[tail.split[useless]] = True
            node = node.without(dropped)

    def _push(self, bound: int, head: Chosen, tail: Chosen, parent: int) -> None:
        if self.best.settles(Costs(bound, 0)):
            return
        self.n_numbered += 1
        bits = np.packbits(np.concatenate([head, tail])).tobytes()
        node = Open(bound, int(tail.sum()), self.n_numbered, parent, bits)
        if self.branch or len(self.waiting) >= MOST_OPEN:
            self.branch.append(node)
        else:
            heapq.heappush(self.waiting, node)

    def _node(self, given: Open) -> Node:
        """Lay a node out: from its parent, if that is kept, or from all combinations."""
        n = self.problem.n_splits
        chosen = np.unpackbits(np.frombuffer(given.bits, dtype=np.uint8), count=2 * n).astype(bool)
        head, tail = chosen[:n], chosen[n:]
        parent = self.kept.get(given.parent)
        if parent is None:
            return Node.of(self.problem, head, tail)
        for split in np.flatnonzero(head & ~parent.head).tolist():
            parent = parent.with_split(split)
        gone = parent.tail & ~tail
        return parent.without(gone) if gone.any() else parent

    def _keep(self, node: Node) -> int:
        """Keep the cells of a node for those below it, as long as there is room."""
        self.n_numbered += 1
        self.kept[self.n_numbered] = node
        self.n_bytes += node.n_bytes
        while self.n_bytes > KEPT:
            _, oldest = self.kept.popitem(last=False)
            self.n_bytes -= oldest.n_bytes
        return self.n_numbered
