"""Top-down specialization by one cut per column: a node gives way to its children everywhere."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.failed_steps import FailedStep, PublishedGroups, by_child
from sfumato.algorithms.top_down.judge import Judge
from sfumato.criteria.criterion import Criterion
from sfumato.criteria.judging import is_monotone
from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet, sum_by
from sfumato.data.groups import Counts
from sfumato.data.keys import distinct_rows
from sfumato.data.recoding import Cut
from sfumato.formulas.exact import sum_of_products
from sfumato.progress import report

Node = tuple[int, int, int]  # column, first and last rank
Candidate = tuple[Fraction, int, int, int]  # -gain, column, first and last rank of a node


def cut(frequencies: FrequencySet, criterion: Criterion) -> Cut:
    """Specialize the whole table, which is safe as one group, until no node can be.

    Where a union of safe groups is safe, a node that cannot be replaced now never can; otherwise
    it is tried again after every replacement. What a node saves does not depend on the others.
    """
    judge = Judge(frequencies, criterion)
    table = CutTable(judge.counted)

    def replaced(node: Node) -> bool:
        split = table.split(node)
        safe = judge.groups(split.group, split.keys, split.counts, split.n_groups).all()
        if safe:
            table.accept(split)
        return bool(safe)

    for_good = is_monotone(criterion, frequencies, suppression=False)
    specialize(table, replaced, for_good=for_good)
    return table.cut


def specialize(trees: Trees, replaced: Callable[[Node], bool], *, for_good: bool) -> None:
    """Replace nodes, the one that saves most first, until none can be.

    replaced: replaces a node, if that is safe, and says so; for_good: what cannot be replaced once
    never can.
    """
    waiting = [entry for root in trees.roots for entry in _candidates(trees, root)]
    heapq.heapify(waiting)
    failed: list[Candidate] = []
    done = 0
    while waiting:
        report("specializing", done, done + len(waiting))
        candidate = heapq.heappop(waiting)
        if not replaced(candidate[1:]):
            failed.append(candidate)
            continue
        done += 1
        again = [] if for_good else failed
        failed = failed if for_good else []
        below = [entry for node in trees.below(candidate[1:]) for entry in _candidates(trees, node)]
        for following in (*below, *again):
            heapq.heappush(waiting, following)


def failed_nodes(published: PublishedGroups, least: int) -> Iterator[FailedStep]:
    """Give the replacements that were tried and not safe, seen from what was published."""
    table = CutTable(published.ground)
    waiting = [entry for root in table.roots for entry in _candidates(table, root)]
    heapq.heapify(waiting)
    while waiting:
        candidate = heapq.heappop(waiting)
        split = table.split(candidate[1:])
        if published.separated(split.group, split.keys):
            if int(sum_by(split.group, split.counts, split.n_groups).min()) >= least:
                yield by_child(split.keys, split.group)
            continue
        table.accept(split)
        for node in table.below(candidate[1:]):
            for following in _candidates(table, node):
                heapq.heappush(waiting, following)


def _candidates(trees: Trees, node: Node) -> list[Candidate]:
    """Give a node, with what its children would save, if it has children and people."""
    return [(-trees.saved(node), *node)] if trees.can_split(node) else []


@dataclass(frozen=True, eq=False)
class Split:
    """A node replaced by its children, worked out and not yet done."""

    node: Node
    children: NDArray[np.int32]  # (n_ranks, 2): the child that holds each rank of the node
    keys: NDArray[np.intp]  # combinations under the node
    counts: Counts  # people of each
    group: NDArray[np.intp]  # the new group of each, from 0
    owner: NDArray[np.intp]  # (n_groups,) the group that each new one is a part of

    @property
    def n_groups(self) -> int:
        """Number of new groups."""
        return len(self.owner)


class Trees:
    """The trees of all columns, and how many people have which of their values."""

    def __init__(self, domains: list[Domain], people: list[Counts]) -> None:
        self.domains, self.people = domains, people

    @property
    def roots(self) -> list[Node]:
        """The root of every column."""
        return [(j, 0, len(domain) - 1) for j, domain in enumerate(self.domains)]

    def can_split(self, node: Node) -> bool:
        """Whether a node has children and people."""
        j, low, high = node
        return low < high and bool(self.people[j][low : high + 1].any())

    def saved(self, node: Node) -> Fraction:
        """Give the information loss that the children of a node would save."""
        j, low, high = node
        less = (high - low) - np.diff(self.children(node), axis=1)[:, 0]
        saved = sum_of_products(self.people[j][low : high + 1], less)
        return Fraction(saved, len(self.domains[j]) - 1)

    def below(self, node: Node) -> list[Node]:
        """Give the children of a node."""
        return [
            (node[0], low, high) for low, high in np.unique(self.children(node), axis=0).tolist()
        ]

    def children(self, node: Node) -> NDArray[np.int32]:
        """Give the child that holds each rank of a node, as an interval; (high - low + 1, 2).

        Of a node with a single child, which stands for the same values, the children of that.
        """
        j, low, high = node
        taxonomy = self.domains[j].taxonomy
        ends = np.array([[low], [high]], dtype=np.int32)
        level = int(taxonomy.enclosing_level(*ends)[0]) - 1
        ranks = slice(low, high + 1)
        return np.stack([taxonomy.low[level, ranks], taxonomy.high[level, ranks]], axis=1)


class CutTable(Trees):
    """The cut so far, and the group of every combination under it."""

    def __init__(self, counted: FrequencySet) -> None:
        self.names = counted.quasi_identifiers
        domains = [counted.domains[name] for name in self.names]
        self.codes = np.stack([counted.codes(name) for name in self.names], axis=1)
        self.counts = counted.counts
        self.group_of = np.zeros(len(self.counts), dtype=np.intp)
        self.n_groups = 1  # numbers given so far, in use or not
        people = [
            sum_by(self.codes[:, j].astype(np.intp), self.counts, len(domain))
            for j, domain in enumerate(domains)
        ]
        super().__init__(domains, people)
        self.intervals = [
            np.tile(np.array([0, len(domain) - 1], dtype=np.int32), (len(domain), 1))
            for domain in self.domains
        ]
        self._order = [np.argsort(codes, kind="stable") for codes in self.codes.T]
        self._sorted = [
            codes[order] for codes, order in zip(self.codes.T, self._order, strict=True)
        ]

    @property
    def cut(self) -> Cut:
        """The cut as it stands."""
        nobody = np.zeros((0, len(self.names)), dtype=np.int32)
        return Cut(dict(zip(self.names, self.intervals, strict=True)), nobody)

    @property
    def told(self) -> list[str]:
        """The columns whose roots were replaced."""
        sides = zip(self.names, self.intervals, strict=True)
        return [name for name, side in sides if side[0, 1] < len(side) - 1]

    def split(self, node: Node) -> Split:
        """Replace a node by its children, on paper."""
        j, low, high = node
        begin, end = np.searchsorted(self._sorted[j], [low, high + 1])
        keys = np.sort(self._order[j][begin:end])
        children = self.children(node)
        child = children[self.codes[keys, j] - low, 0].astype(np.intp)
        base = len(self.domains[j])
        groups, group = np.unique(self.group_of[keys] * base + child, return_inverse=True)
        return Split(node, children, keys, self.counts[keys], group, groups // base)

    def go_on(self, intervals: Sequence[NDArray[np.int32]]) -> None:
        """Begin where another table has come to; intervals: its own."""
        lows = [side[codes, 0] for side, codes in zip(intervals, self.codes.T, strict=True)]
        _, self.group_of = distinct_rows(np.stack(lows, axis=1))
        self.n_groups = int(self.group_of.max(initial=0)) + 1
        self.intervals = [side.copy() for side in intervals]

    def accept(self, split: Split) -> None:
        """Replace the node."""
        j, low, high = split.node
        self.group_of[split.keys] = self.n_groups + split.group
        self.n_groups += split.n_groups
        self.intervals[j][low : high + 1] = split.children
