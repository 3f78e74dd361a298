"""How a hierarchy fits a column: its levels as a tree of people, and the gaps on both sides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.hierarchy import Hierarchy
from sfumato.data.labels.writer import node_text
from sfumato.data.values import published_text
from sfumato.errors import BadInput, nearest, shown
from sfumato.table import Table
from sfumato.text import count, counted, people

MOST_NODES = 60  # that are drawn unless all are asked for
MOST_CHILDREN = 20  # of one node
MISSING = "(missing)"
COLUMNS = ("level", "nodes", "nobody's", "fewest people", "most people")


def rule_of(table: Table, column: str) -> Hierarchy:
    """Give the hierarchy of a column; one that has none is refused."""
    rules = table.schema.hierarchies
    if column not in rules:
        raise BadInput(
            f"column {shown(column)} is neither a quasi-identifier nor sensitive"
            f"{nearest(column, rules)}"
        )
    return rules[column]


@dataclass(frozen=True)
class Level:
    """Nodes of one level; fewest and most: people of a node that somebody has."""

    level: int
    n_nodes: int
    n_empty: int
    fewest: int
    most: int


@dataclass(frozen=True)
class Node:
    """A node of the tree with its people; of several levels with the same values, the highest."""

    name: str
    n_people: int
    low: int
    high: int
    level: int  # the lowest at which it is one node


@dataclass(frozen=True, eq=False)
class HierarchyFit:
    """A hierarchy grown over a column, with the people of each of its nodes.

    >>> import sfumato as sf
    >>> rule = sf.Tree(["female", "male", "other", "?"])
    >>> patients = sf.read(sf.datasets.patients(), {"sex": rule})
    >>> fit = HierarchyFit.of(patients, "sex")
    >>> [node.name for node in fit.nobodys], fit.levels[0].n_nodes, len(fit.lacking)
    (['?'], 4, 0)
    """

    column: str
    rule: Hierarchy
    domain: Domain
    counts: NDArray[np.int64]  # (n,) people by rank
    lacking: dict[object, int]  # values of the data that the hierarchy does not take -> people

    @classmethod
    def of(cls, table: Table, column: str) -> HierarchyFit:
        """Count the people of a column's values, and find these in its hierarchy."""
        rule, n_people = rule_of(table, column), table.people_by_value(column)
        lacking: dict[object, int] = {}
        try:
            domain, codes = rule.grow(column, [*n_people])
        except BadInput as error:
            odd = {value: n_people[value] for value in error.values if value in n_people}
            if not odd or (len(odd) == len(n_people) and not rule.closed):
                raise
            lacking = odd
            domain, codes = rule.grow(column, [v for v in n_people if v not in odd])
        counts = np.zeros(len(domain), dtype=np.int64)
        np.add.at(counts, codes, [n for value, n in n_people.items() if value not in lacking])
        return cls(column, rule, domain, counts, lacking)

    @property
    def heading(self) -> str:
        """What the column is generalized by, and how many people there are."""
        height, n_people = self.domain.taxonomy.height, int(self.counts.sum())
        return f"{self.rule.in_words()}, height {height}, {people(n_people)}"

    @cached_property
    def levels(self) -> list[Level]:
        """Count the nodes of every level, the ground first."""
        taxonomy, levels = self.domain.taxonomy, []
        for level in range(taxonomy.height + 1):
            starts = np.unique(taxonomy.low[level])
            sums = np.add.reduceat(self.counts, starts)
            some = sums[sums > 0]
            fewest, most = int(some.min(initial=sums.max())), int(some.max(initial=0))
            levels.append(Level(level, len(sums), int((sums == 0).sum()), fewest, most))
        return levels

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The levels for people; see `COLUMNS`."""
        return [
            (str(each.level), *map(count, (each.n_nodes, each.n_empty, each.fewest, each.most)))
            for each in reversed(self.levels)
        ]

    @property
    def gaps(self) -> list[str]:
        """Say what does not fit, in numbers."""
        said = []
        if self.lacking:
            values, n_people = counted(len(self.lacking), "value"), sum(self.lacking.values())
            said.append(f"the hierarchy lacks {values} of the data ({people(n_people)})")
        if self.nobodys:
            n_leaves = int((self.counts == 0).sum())
            said.append(
                f"nobody has {counted(n_leaves, 'value')} of the hierarchy, under "
                f"{counted(len(self.nobodys), 'node')}"
            )
        return said

    @cached_property
    def nobodys(self) -> list[Node]:
        """The largest nodes that nobody is in."""

        def largest(node: Node) -> Iterator[Node]:
            if node.n_people == 0:
                yield node
            elif not self.counts[node.low : node.high + 1].all():
                for child in self.children(node):
                    yield from largest(child)

        return [*largest(self.root)]

    @property
    def root(self) -> Node:
        """Everybody."""
        return self._node(0, self.domain.taxonomy.height)

    def children(self, node: Node) -> list[Node]:
        """The parts of a node, in their order; none of a ground value."""
        if node.level == 0:
            return []
        nodes, rank = [], node.low
        while rank <= node.high:
            nodes.append(self._node(rank, node.level - 1))
            rank = nodes[-1].high + 1
        return nodes

    def _node(self, rank: int, level: int) -> Node:
        taxonomy = self.domain.taxonomy
        low, high = int(taxonomy.low[level, rank]), int(taxonomy.high[level, rank])
        name, bottom = node_text(self.domain, low, level), level
        while bottom > 0 and taxonomy.high[bottom - 1, low] == high:
            bottom -= 1
        if low == high:
            name = node_text(self.domain, low, bottom)
        n_people = int(self._n_below[high + 1] - self._n_below[low])
        return Node(MISSING if name is None else name, n_people, low, high, bottom)

    @cached_property
    def _n_below(self) -> NDArray[np.int64]:
        return np.concatenate([[0], np.cumsum(self.counts)])

    def lines(self, *, every: bool = False) -> Iterator[str]:
        """Draw the tree with the names of its nodes, which are values of the data: private.

        every: Also where there are many nodes.
        """
        taxonomy = self.domain.taxonomy
        last, n_nodes = taxonomy.height - 1, 0  # the lowest level that is drawn
        for level in range(taxonomy.height - 1, -1, -1):
            n_nodes += self.levels[level].n_nodes
            if n_nodes <= MOST_NODES or every:
                last = level

        def drawn(node: Node, depth: int) -> Iterator[str]:
            parts = self.children(node)
            hidden = parts and node.level <= last
            below = f" ({counted(len(parts), 'part')})" if hidden else ""
            yield f"{'  ' * depth}{node.name}: {count(node.n_people)}{below}"
            shown_parts = [] if hidden else parts if every else parts[:MOST_CHILDREN]
            for part in shown_parts:
                yield from drawn(part, depth + 1)
            if not hidden and len(parts) > len(shown_parts):
                rest = parts[len(shown_parts) :]
                n_people = sum(part.n_people for part in rest)
                yield f"{'  ' * (depth + 1)}... and {count(len(rest))} more: {count(n_people)}"

        return drawn(self.root, 0)

    def to_json(self, *, values: bool = False) -> dict[str, Any]:
        """Write counts and shapes; values: with names of nodes and values, which are private."""
        written: dict[str, Any] = {
            "column": self.column,
            "hierarchy": self.rule.in_words(),
            "people": int(self.counts.sum()),
            "levels": [
                {
                    "level": each.level,
                    "nodes": each.n_nodes,
                    "empty": each.n_empty,
                    "fewest": each.fewest,
                    "most": each.most,
                }
                for each in self.levels
            ],
            "lacking": {"values": len(self.lacking), "people": sum(self.lacking.values())},
            "nobodys": {
                "values": int((self.counts == 0).sum()),
                "nodes": len(self.nobodys),
            },
        }
        if values:
            written["lacking"]["named"] = [published_text(value) for value in self.lacking]
            written["nobodys"]["named"] = [node.name for node in self.nobodys]
            written["tree"] = self._tree(self.root)
        return written

    def _tree(self, node: Node) -> dict[str, Any]:
        parts = [self._tree(part) for part in self.children(node)]
        own = {"name": node.name, "people": node.n_people}
        return own | ({"parts": parts} if parts else {})
