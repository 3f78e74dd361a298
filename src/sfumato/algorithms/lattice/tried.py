"""Nodes tried one by one, up to a budget: what was found, and what is proved of it."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from sfumato.algorithms.lattice.counted_nodes import CountedNodes, Enough
from sfumato.algorithms.lattice.lattice import Lattice, Node, right_below
from sfumato.algorithms.lattice.minimal import Prefer, below, preference
from sfumato.data.recoding import BestSoFar
from sfumato.progress import report

MEASURES: dict[Prefer, str] = {
    "absolute_distance": "height",
    "relative_distance": "relative height",
    "distribution": "minus the number of groups",
    "suppression": "suppressed rows",
}


class Tried:
    """Tries nodes, and remembers those that are safe until nodes may not be counted any more."""

    def __init__(self, lattice: Lattice, limit: int, nodes: CountedNodes) -> None:
        self.lattice, self.limit, self.nodes = lattice, limit, nodes
        self.safe: list[Node] = []
        self.lowest = 0  # no node of less height is safe
        self.finished = True

    def allowed(self, node: Node) -> bool:
        """Whether a node leaves out no more people than may be."""
        if not self.allowed_part(self.lattice, node):
            return False
        self.safe.append(node)
        return True

    def allowed_part(self, lattice: Lattice, node: Node) -> bool:
        """Whether the same holds of a node over some of the columns."""
        self.nodes.take()
        return lattice.is_allowed(node, self.limit)

    def run(self, search: Callable[[Lattice, Tried], list[Node]]) -> list[Node]:
        """Give what a search finds, or, if it ended early, the lowest safe nodes that it tried."""
        try:
            if self.nodes.budget is not None:
                self._descend()
            return search(self.lattice, self)
        except Enough:
            self.finished = False
            if self.nodes.budget is None and not self.safe:
                self.nodes.enforced = False
                self._descend()
            return self.minimal()

    def minimal(self) -> list[Node]:
        """Give the safe nodes with no safe one below them, of those that were tried."""
        found: list[Node] = []
        for node in sorted(set(self.safe), key=sum):
            if not any(below(lower, node) for lower in found):
                found.append(node)
        return found

    def told(self, node: Node, prefer: Prefer) -> BestSoFar | None:
        """Say how good the node is, and what none is better than; None: all was tried.

        What was tried in so many nodes depends on values where the criterion looks at them: then
        the bound is one that holds whoever has which value.
        """
        if self.finished and self.nodes.budget is None:
            return None
        cost = preference(self.lattice, node, prefer)[0]
        criterion = self.lattice.criterion
        least = Fraction(0)
        if prefer == "distribution":
            least = Fraction(-(self.lattice.frequencies.n_rows // criterion.least_size))
        if all(part.size_alone for part in criterion.parts):
            if self.finished:
                least = cost
            elif prefer == "absolute_distance":
                least = Fraction(self.lowest)
        return BestSoFar.of(
            MEASURES[prefer], cost, min(cost, least), interrupted=self.nodes.interrupted
        )

    def _descend(self) -> None:
        """Find one safe node in any case: down from the top, the highest column first."""
        heights = self.lattice.heights

        def unevenness(node: Node) -> Fraction:
            shares = (Fraction(a * a, b * b) for a, b in zip(node, heights, strict=True))
            return sum(shares, Fraction(0))

        node: Node | None = heights if self.allowed(heights) else None
        while node is not None:
            steps = sorted(right_below(node), key=unevenness)
            node = next((each for each in steps if self.allowed(each)), None)


def minimal_nodes(lattice: Lattice, tried: Tried) -> list[Node]:
    """Find every safe node with no safe node below it, whether or not the criterion is monotone.

    Nodes are tried by height. One above a minimal node cannot be minimal, so it is not counted.
    """
    minimal: list[Node] = []
    done = 0
    for height in range(lattice.height + 1):
        if not minimal:
            tried.lowest = height
        for node in lattice.at_height(height):
            report("searching", done, lattice.n_nodes)
            done += 1
            above = any(below(lower, node) for lower in minimal)
            if not above and tried.allowed(node):
                minimal.append(node)
    return minimal
