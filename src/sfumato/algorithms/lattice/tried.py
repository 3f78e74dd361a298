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
    """Tries nodes, and remembers those that are safe until nodes may not be counted any more.

    With a budget it begins with one safe node, as low as there is on a way down from the top. A
    search that is to end before it has any takes that way, too, or goes on to the first one.
    """

    def __init__(self, lattice: Lattice, limit: int, nodes: CountedNodes) -> None:
        self.lattice, self.limit, self.nodes = lattice, limit, nodes
        self.safe: list[Node] = []
        self.height = lattice.height  # of the lowest that is safe
        self.lowest = 0  # no node of less height is safe
        self.finished = True
        self.descended = False  # whether the way down from the top was taken
        self.hopeless = False  # nothing is safe
        nodes.enforced = False

    def allowed(self, node: Node) -> bool:
        """Whether a node leaves out no more people than may be."""
        if not self.allowed_part(self.lattice, node):
            return False
        self._keep(node)
        self.nodes.enforced = True
        return True

    def allowed_part(self, lattice: Lattice, node: Node) -> bool:
        """Whether the same holds of a node over some of the columns."""
        if self.nodes.asked() and not self.safe and not self.descended:
            self._descend()
        return self._counted(lattice, node)

    def report(self, stage: str, done: int, total: int) -> None:
        """Report what is done, with the lowest safe node so far."""
        if self.safe:
            stage = f"{stage}, best height {self.height}, none below {self.lowest}"
        report(stage, done, total)

    def run(self, search: Callable[[Lattice, Tried], list[Node]]) -> list[Node]:
        """Give what a search finds, or, if it ended early, the lowest safe nodes that it tried."""
        try:
            if self.nodes.budget is not None:
                self._descend()
            return search(self.lattice, self)
        except Enough:
            self.finished = self.hopeless
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

        The preference is among k-minimal nodes, and the bound is of these. While not all of them
        are known, the node may be above one, and may cost less than all. So where none can cost
        less than it, its height is told, by which ties are broken.

        What was tried in so many nodes depends on values where the criterion looks at them: then
        the bound is one that holds whoever has which value.
        """
        if self.finished and self.nodes.budget is None:
            return None
        cost, _, height, _ = preference(self.lattice, node, prefer)
        size_alone = all(part.size_alone for part in self.lattice.criterion.parts)
        lowest = Fraction(self.lowest if size_alone else 0)
        if size_alone and self.finished:
            least = cost
        elif prefer == "absolute_distance":
            least = lowest
        else:
            least = self._least(prefer)
            if cost <= least:
                prefer, cost, least = "absolute_distance", Fraction(height), lowest
        return BestSoFar.of(
            MEASURES[prefer], cost, min(cost, least), interrupted=self.nodes.interrupted
        )

    def _keep(self, node: Node) -> None:
        self.safe.append(node)
        self.height = min(self.height, sum(node))

    def _counted(self, lattice: Lattice, node: Node) -> bool:
        self.nodes.take()
        return lattice.is_allowed(node, self.limit)

    def _least(self, prefer: Prefer) -> Fraction:
        """Give what no node costs less than, whoever has which value."""
        if prefer != "distribution":
            return Fraction(0)
        return Fraction(-(self.lattice.frequencies.n_rows // self.lattice.criterion.least_size))

    def _descend(self) -> None:
        """Find a safe node, if the top is one: down from there, the highest column first."""
        self.descended = True
        heights = self.lattice.heights

        def unevenness(node: Node) -> Fraction:
            shares = (Fraction(a * a, b * b) for a, b in zip(node, heights, strict=True))
            return sum(shares, Fraction(0))

        node: Node | None = heights if self._counted(self.lattice, heights) else None
        if node is None and self.lattice.monotone(self.limit):
            self.hopeless = True
            raise Enough
        while node is not None:
            self._keep(node)
            steps = sorted(right_below(node), key=unevenness)
            node = next((each for each in steps if self._counted(self.lattice, each)), None)
        self.nodes.enforced = bool(self.safe)


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
            tried.report("searching", done, lattice.n_nodes)
            done += 1
            above = any(below(lower, node) for lower in minimal)
            if not above and tried.allowed(node):
                minimal.append(node)
    return minimal
