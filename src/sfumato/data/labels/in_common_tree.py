"""A closed tree as far as several releases show it, laid out so that their texts are intervals."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from sfumato.data.labels.grammar import ROOT, Members, Name, parse, quoted_text
from sfumato.data.values import Interval
from sfumato.errors import CannotRun

Text = str | None


class CommonTree:
    """The nodes on the ways from published nodes up to the root.

    Of the order of a node's children nothing is known but what published sets say: their nodes
    stand in it side by side. A node may have children that nobody shows; where that matters, it
    gets one more, the rest.
    """

    def __init__(self, column: str, paths: Sequence[Sequence[str]]) -> None:
        self.column = column
        self.parent: dict[str, str] = {}
        self.children: dict[str, list[str]] = {}
        roots = {path[-1] for path in paths}
        for path in paths:
            for child, above in itertools.pairwise(path):
                if self.parent.setdefault(child, above) != above or child in roots:
                    raise self._differs()
        if len(roots) > 1:
            raise self._differs()
        (self.root,) = roots
        for child in sorted(self.parent):
            self.children.setdefault(self.parent[child], []).append(child)

    def _differs(self) -> CannotRun:
        return CannotRun(
            f"column {self.column!r}: the releases have different hierarchies; they can be "
            "compared only with the same one"
        )

    def intervals(self, texts: Sequence[Sequence[Text]]) -> dict[Text, Interval] | None:
        """Give the ranks of every text; None: there is no order in which all are intervals."""
        named = {text: self._nodes(text) for several in texts for text in several}
        if None in named.values():
            return None
        nodes = {text: each for text, each in named.items() if each is not None}
        used = [
            {node for text in several for node in nodes[text] if node is not None}
            for several in texts
        ]
        rest = {node for each in used for node in self._with_rest(each)} & set().union(*used)
        ranks = self._ranks(list(nodes.values()), rest)
        intervals: dict[Text, Interval] = {}
        for text, several in nodes.items():
            low, high = min(ranks[n][0] for n in several), max(ranks[n][1] for n in several)
            if sum(ranks[n][1] - ranks[n][0] + 1 for n in several) != high - low + 1:
                return None
            intervals[text] = low, high
        return intervals

    def _nodes(self, text: Text) -> tuple[Text, ...] | None:
        """The nodes that a text names (None among them: missing); None: it names others."""
        if text is None or text == self.root or text in self.parent:
            return (text,)
        if text == ROOT:  # whatever the root is called
            return (self.root,)
        part, _ = parse(text)
        if not isinstance(part, Members):
            return None
        nodes = [None if name is None else self._node(name) for name in part.names]
        return None if nodes.count(None) > part.names.count(None) else tuple(nodes)

    def _node(self, name: Name) -> Text:
        """The node of a name in the public paths, where a value may be quoted; None: none."""
        ways = (quoted_text(name.text), name.text) if name.quoted else (name.text,)
        return next((way for way in ways if way in self.parent), None)

    def _above(self, node: str) -> Iterator[str]:
        while node in self.parent:
            node = self.parent[node]
            yield node

    def _with_rest(self, used: set[str]) -> Iterator[str]:
        """Nodes that one release publishes, or something above them, beside something below.

        Elsewhere whoever is in the rest of a node is in the same classes as the others in it, in
        every release that has the person.
        """
        below = {above for node in used for above in self._above(node)}
        for node in below:
            if node in used or any(above in used for above in self._above(node)):
                yield node

    def _ranks(self, sets: Sequence[tuple[Text, ...]], rest: set[str]) -> dict[Text, Interval]:
        """Number the leaves so that the nodes of every set stand side by side, if we find how."""
        following: dict[str, str] = {}  # child -> the next child of the same node
        first: set[str] = set()
        last: set[str] = set()
        for several in sets:
            for one, two in itertools.pairwise(several):
                self._side_by_side(one, two, following, first, last)
        ranks: dict[Text, Interval] = {}
        n = 0

        def number(node: str) -> None:
            nonlocal n
            start = n
            for child in self._ordered(node, following, first, last):
                if child is None:
                    n += node in rest
                else:
                    number(child)
            if n == start:
                n += 1  # a leaf
            ranks[node] = start, n - 1

        number(self.root)
        ranks[None] = n, n  # missing values are under the root and behind all others
        ranks[self.root] = 0, n
        return ranks

    def _side_by_side(
        self, one: Text, two: Text, following: dict[str, str], first: set[str], last: set[str]
    ) -> None:
        if one is None:
            return
        ups = [one, *self._above(one)]
        if two is None:
            last.update(ups)
            return
        downs = [two, *self._above(two)]
        while len(ups) > 1 and len(downs) > 1 and ups[-2] == downs[-2]:
            ups.pop()
            downs.pop()
        last.update(ups[:-2])
        first.update(downs[:-2])
        if len(ups) > 1 and len(downs) > 1:
            following[ups[-2]] = downs[-2]

    def _ordered(
        self, node: str, following: dict[str, str], first: set[str], last: set[str]
    ) -> list[str | None]:
        """Order the children of a node; None: the place of the rest."""
        children = self.children.get(node, [])
        led = {following[child] for child in children if child in following}
        begin: list[str | None] = []
        middle: list[str | None] = []
        end: list[str | None] = []
        for child in [each for each in children if each not in led] or children[:1]:
            chain = [child]
            while chain[-1] in following and following[chain[-1]] not in chain:
                chain.append(following[chain[-1]])
            place = begin if chain[0] in first else end if chain[-1] in last else middle
            place += chain
        return [*begin, *middle, None, *end]
