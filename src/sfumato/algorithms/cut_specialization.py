"""Top-down specialization by one cut per column: a node gives way to its children everywhere."""

from __future__ import annotations

import heapq
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.judging import Judge
from sfumato.criteria.base import Criterion, is_monotone
from sfumato.data.frequency import FrequencySet, sum_by
from sfumato.data.recoding import Cut
from sfumato.formulas.exact import sum_of_products
from sfumato.progress import report

Candidate = tuple[Fraction, int, int, int]  # -gain, column, first and last rank of a node


def cut(frequencies: FrequencySet, criterion: Criterion) -> Cut:
    """Specialize the whole table, which is safe as one group, until no node can be.

    Where a union of safe groups is safe, a node that cannot be replaced now never can; otherwise
    it is tried again after every replacement. What a node saves does not depend on the others.
    """
    table = _Table(frequencies, criterion)
    for_good = is_monotone(criterion, frequencies, suppression=False)
    roots = [(j, 0, len(domain) - 1) for j, domain in enumerate(table.judge.domains)]
    waiting = [found for root in roots for found in table.candidates(*root)]
    heapq.heapify(waiting)
    failed: list[Candidate] = []
    done = 0
    while waiting:
        report("specializing", done, done + len(waiting))
        candidate = heapq.heappop(waiting)
        if not table.replace(*candidate[1:]):
            failed.append(candidate)
            continue
        done += 1
        again = [] if for_good else failed
        failed = failed if for_good else []
        for following in (*table.below(*candidate[1:]), *again):
            heapq.heappush(waiting, following)
    names = frequencies.quasi_identifiers
    nobody = np.zeros((0, len(names)), dtype=np.int32)
    return Cut(dict(zip(names, table.intervals, strict=True)), nobody)


class _Table:
    """The cut so far, and the group of every combination under it."""

    def __init__(self, frequencies: FrequencySet, criterion: Criterion) -> None:
        self.judge = Judge(frequencies, criterion)
        self.counts = self.judge.counted.counts
        self.group_of = np.zeros(len(self.counts), dtype=np.intp)
        self.n_groups = 1  # numbers given so far, in use or not
        self.people = [
            sum_by(self.judge.codes[:, j].astype(np.intp), self.counts, len(domain))
            for j, domain in enumerate(self.judge.domains)
        ]
        self.intervals = [
            np.tile(np.array([0, len(domain) - 1], dtype=np.int32), (len(domain), 1))
            for domain in self.judge.domains
        ]

    def candidates(self, j: int, low: int, high: int) -> list[Candidate]:
        """Give a node, with what its children would save, if it has children and people."""
        people = self.people[j][low : high + 1]
        if low == high or not people.any():
            return []
        saved = (high - low) - np.diff(self._children(j, low, high), axis=1)[:, 0]
        base = len(self.judge.domains[j])
        return [(-Fraction(sum_of_products(people, saved), base - 1), j, low, high)]

    def below(self, j: int, low: int, high: int) -> list[Candidate]:
        """Give the children of a node as candidates."""
        nodes = np.unique(self._children(j, low, high), axis=0).tolist()
        return [found for node in nodes for found in self.candidates(j, *node)]

    def replace(self, j: int, low: int, high: int) -> bool:
        """Replace a node by its children if that leaves every group safe."""
        codes = self.judge.codes[:, j]
        keys = np.flatnonzero((codes >= low) & (codes <= high))
        children = self._children(j, low, high)
        child = children[codes[keys] - low, 0].astype(np.intp)
        base = len(self.judge.domains[j])
        groups, group = np.unique(self.group_of[keys] * base + child, return_inverse=True)
        if not self.judge.groups(group, keys, self.counts[keys], len(groups)).all():
            return False
        self.group_of[keys] = self.n_groups + group
        self.n_groups += len(groups)
        self.intervals[j][low : high + 1] = children
        return True

    def _children(self, j: int, low: int, high: int) -> NDArray[np.int32]:
        """Give the child that holds each rank of a node, as an interval; (high - low + 1, 2).

        Of a node with a single child, which stands for the same values, the children of that.
        """
        taxonomy = self.judge.domains[j].taxonomy
        ends = np.array([[low], [high]], dtype=np.int32)
        level = int(taxonomy.enclosing_level(*ends)[0]) - 1
        ranks = slice(low, high + 1)
        return np.stack([taxonomy.low[level, ranks], taxonomy.high[level, ranks]], axis=1)
