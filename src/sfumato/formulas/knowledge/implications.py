"""(c,k)-safety: who knows k implications about people (Martin 2007; Chen 2009, section 5.1).

An implication says "if w has the value z, then t has the value s". The worst k of them leave t
with s unless t lacks s and every w_i lacks z_i, so the odds against s are the least probability
that k + 1 statements are all false, over the probability that t has s. The statements of one group
go to its people, the most to one person, and are about the most frequent values; how many go to
which group is a minimum over all groups, so no group can be judged alone. (The program of Chen's
appendix A.3 is for another language: it does not give this.)

Floats decide where the answer is clear, fractions where it is near the threshold.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.data.groups import Counts, Histogram
from sfumato.errors import BadInput
from sfumato.formulas.exact import CLEAR, log


def largest_belief(histogram: Histogram, sizes: Counts, k: int) -> Fraction:
    """Give the largest probability that somebody has a value, over all k implications.

    A group of nobody says nothing; where there are no people at all the answer is 0.

    >>> largest_belief(Histogram.from_dense([[1, 1, 1, 1]]), np.array([4]), 1)
    Fraction(1, 3)
    """
    _refuse(histogram, sizes)
    if not sizes.any():
        return Fraction(0)
    kinds = _Kinds.of(histogram, sizes, k)
    if kinds is None:
        return Fraction(1)
    odds = kinds.log_odds
    least = odds.min()
    if least == -np.inf:
        return Fraction(1)
    near = np.flatnonzero(odds <= least + CLEAR)
    return 1 / (1 + min(kinds.exact_odds(kind) for kind in near.tolist()))


def exposed(histogram: Histogram, sizes: Counts, c: Fraction, k: int) -> NDArray[np.bool_]:
    """Say for every group whether somebody in it has a value with probability c or more.

    The k implications may be about people of all groups. A release is (c,k)-safe when no group is
    exposed.

    >>> exposed(Histogram.from_dense([[1, 1, 1, 1]]), np.array([4]), Fraction(1, 3), 1)
    array([ True])
    """
    _refuse(histogram, sizes)
    filled = sizes > 0
    kinds = _Kinds.of(histogram, sizes, k) if filled.any() else None
    if kinds is None:
        return filled
    if c >= 1:
        return np.asarray((kinds.log_odds == -np.inf)[kinds.which] & filled)
    limit = (1 - c) / c
    unclear = np.abs(kinds.log_odds - log(limit)) <= CLEAR
    hit = kinds.log_odds < log(limit)
    for kind in np.flatnonzero(unclear).tolist():
        hit[kind] = kinds.exact_odds(kind) <= limit
    return np.asarray(hit[kinds.which] & filled)


def exposed_alone(histogram: Histogram, sizes: Counts, c: Fraction, k: int) -> NDArray[np.bool_]:
    """Say the same where all implications are about people of the same group; in fractions."""
    _refuse(histogram, sizes)
    width = max(1, min(k + 1, int(histogram.n_distinct().max(initial=0))))
    rows = np.concatenate([sizes[:, np.newaxis], _largest(histogram, width)], axis=1)
    kinds, which = np.unique(rows, axis=0, return_inverse=True)
    limit = (1 - c) / c
    hit = []
    for n, *counts in kinds.tolist():
        lacking = exact_lacking(n, counts, k + 1)[k + 1] if k < sum(map(bool, counts)) else 0
        hit.append(n > 0 and lacking * n <= limit * counts[0])
    return np.array(hit, dtype=bool)[which.reshape(-1)]


def exact_lacking(n: int, counts: Iterable[int], n_pieces: int) -> list[Fraction]:
    """Give M(g, j) for j = 0 to n_pieces: the least probability of j false statements in a group.

    counts: those of the most frequent values, falling; what is missing counts 0.

    >>> exact_lacking(4, [2, 1, 1], 2)
    [Fraction(1, 1), Fraction(1, 2), Fraction(1, 6)]
    """
    upto = [0]
    for count in counts:
        upto.append(upto[-1] + count)
    impossible = Fraction(2)  # above every probability
    after = [[Fraction(1)] + [impossible] * n_pieces] * (n_pieces + 1)
    for i in range(min(n, n_pieces) - 1, -1, -1):
        least = [[Fraction(1)] + [impossible] * n_pieces]
        for a in range(1, n_pieces + 1):
            left = max(0, n - i - upto[min(a, len(upto) - 1)])
            factor = Fraction(left, n - i)
            row = list(least[-1])
            for j in range(a, n_pieces + 1):
                rest = after[a][j - a]
                if not left:
                    row[j] = Fraction(0)
                elif rest <= 1:
                    row[j] = min(row[j], factor * rest)
            least.append(row)
        after = least
    return after[n_pieces] if n else [Fraction(1)] * (n_pieces + 1)


@dataclass(eq=False)
class _Kinds:
    """Groups that are alike for k implications: of one size, with the same largest counts."""

    k: int
    sizes: Counts  # (n_kinds,)
    counts: Counts  # (n_kinds, width): the most frequent values, falling
    n_groups: Counts  # (n_kinds,)
    which: NDArray[np.intp]  # (n_all_groups,)
    logs: NDArray[np.float64]  # (n_kinds, k + 2): log M(kind, j)
    log_odds: NDArray[np.float64]  # (n_kinds,): against the most believed value of a person
    _exact: dict[int, list[Fraction]] = field(default_factory=dict)
    _others: dict[int, list[Fraction]] = field(default_factory=dict)
    _pool: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, histogram: Histogram, sizes: Counts, k: int) -> _Kinds | None:
        """Count them; None: nobody is safe, for there are no more values than implications."""
        n_distinct = histogram.n_distinct()
        filled = sizes > 0
        if k >= n_distinct[filled].min():
            return None
        from sfumato.formulas.knowledge.implication_kernels import (  # noqa: PLC0415  (a compiler)
            best_split,
            lacking,
        )

        width = min(k + 1, int(n_distinct.max()))
        rows = np.concatenate([sizes[:, np.newaxis], _largest(histogram, width)], axis=1)
        kinds, which, n_groups = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
        kind_sizes, counts = kinds[:, 0].copy(), kinds[:, 1:].copy()
        logs = lacking(kind_sizes, np.cumsum(counts, axis=1), k + 1)
        # More than k + 1 groups of a kind are as good as k + 2: one for t, the rest for the others.
        copies = np.repeat(np.arange(len(kinds)), np.minimum(n_groups, k + 2))
        split = np.empty(len(kinds))
        split[copies] = best_split(logs[copies], k + 1)
        log_odds = np.full(len(kinds), np.inf)
        some = kind_sizes > 0
        log_odds[some] = split[some] + np.log(kind_sizes[some] / counts[some, 0])
        return cls(k, kind_sizes, counts, n_groups, which.reshape(-1), logs, log_odds)

    def exact_odds(self, kind: int) -> Fraction:
        """Give the least odds against the most frequent value of somebody in such a group."""
        own, others = self._lacking(kind), self._of_others(kind)
        pieces = self.k + 1
        whole = min(own[j] * others[pieces - j] for j in range(1, pieces + 1))
        return whole * Fraction(int(self.sizes[kind]), int(self.counts[kind, 0]))

    def _lacking(self, kind: int) -> list[Fraction]:
        if kind not in self._exact:
            counts = self.counts[kind].tolist()
            self._exact[kind] = exact_lacking(int(self.sizes[kind]), counts, self.k + 1)
        return self._exact[kind]

    def _of_others(self, kind: int) -> list[Fraction]:
        """Give the least product over the groups but one of this kind, for j = 0 to k."""
        if not self._pool:
            self._pool = self._candidates()
        key = kind if kind in self._pool else -1
        if key not in self._others:
            products = [Fraction(1)] * (self.k + 1)
            for other in self._pool:
                copies = min(int(self.n_groups[other]), self.k + 2) - (other == kind)
                for _ in range(min(copies, self.k)):
                    row = self._lacking(other)
                    products = [
                        min(row[i] * products[j - i] for i in range(j + 1))
                        for j in range(self.k + 1)
                    ]
            self._others[key] = products
        return self._others[key]

    def _candidates(self) -> list[int]:
        """Find kinds that suffice: for every j those of the k + 1 groups with the least M(g, j).

        A best choice uses at most k other groups; one with j that is not among these could be
        exchanged for one of these that is not in use.
        """
        pool: set[int] = set()
        copies = np.minimum(self.n_groups, self.k + 2)
        for j in range(1, self.k + 1):
            logs = self.logs[:, j]
            order = np.argsort(logs, kind="stable")
            last = int(np.searchsorted(np.cumsum(copies[order]), self.k + 2))
            last = min(last, len(order) - 1)
            edge = logs[order[last]]
            if edge == -np.inf:
                pool |= set(order[: last + 1].tolist())
                continue
            clear = order[: int(np.searchsorted(logs[order], edge - CLEAR))]
            close = order[len(clear) : int(np.searchsorted(logs[order], edge + CLEAR, "right"))]
            pool |= set(clear.tolist())
            n = int(copies[clear].sum())
            exact = {kind: self._lacking_of(kind, j) for kind in close.tolist()}
            for kind in sorted(exact, key=exact.__getitem__):
                if n >= self.k + 2:
                    break
                pool.add(kind)
                n += int(copies[kind])
        return sorted(pool)

    def _lacking_of(self, kind: int, j: int) -> Fraction:
        if kind in self._exact:
            return self._exact[kind][j]
        return exact_lacking(int(self.sizes[kind]), self.counts[kind].tolist(), j)[j]


def _largest(histogram: Histogram, width: int) -> Counts:
    """Give the largest counts of every group, falling; (n_groups, width)."""
    group = histogram.group_of
    order = np.lexsort((-histogram.counts, group))
    rank = np.arange(len(group)) - histogram.starts[group]  # groups stay where they are
    kept = rank < width
    counts = np.zeros((histogram.n_groups, width), dtype=np.int64)
    counts[group[kept], rank[kept]] = histogram.counts[order][kept]
    return counts


def _refuse(histogram: Histogram, sizes: Counts) -> None:
    upto = np.concatenate([[0], np.cumsum(histogram.counts)])
    if (upto[histogram.starts[1:]] - upto[histogram.starts[:-1]] != sizes).any():
        raise BadInput(
            "(c,k)-safety: everybody has one value, but the values of some group do not add up to "
            "its people; for sets of values use a Skyline"
        )
