"""COUNT queries: which are asked, and what a table or a release answers.

A query names a set of values for some quasi-identifiers and for the sensitive attribute, and asks
how many people have values in all of them (Cormode 2010, section 5.3; Wong 2009, section 7.2, which
takes its queries from Xiao and Tao's Anatomy).
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.data.frequency import FrequencySet
from sfumato.data.groups import Counts, Histogram
from sfumato.data.keys import distinct_rows
from sfumato.data.recoding import Bucketing

CELLS = 1 << 18  # numbers in one array at a time: what a processor keeps at hand
EXTREME = 100  # queries of the strongest correlation, to either side

Floats = NDArray[np.float64]
Sets = NDArray[np.bool_]  # (n_queries, n_values)


@dataclass(frozen=True, eq=False)
class Queries:
    """Some queries: per attribute which of its values each asks for; all values: not asked."""

    quasi_identifiers: tuple[Sets, ...]
    sensitive: Sets

    def __len__(self) -> int:
        return len(self.sensitive)

    def part(self, first: int, last: int) -> Queries:
        """Some of them, from `first` up to but not including `last`."""
        sets = tuple(each[first:last] for each in self.quasi_identifiers)
        return Queries(sets, self.sensitive[first:last])


@dataclass(frozen=True)
class Workload:
    """Random queries about tables with given domains: the same ones for every release of a table.

    Each query asks about `dimension` quasi-identifiers, any as likely as any other, and about the
    sensitive attribute. How many values of an attribute with |D| values it names: for "wong" the
    smallest number that is at least |D| selectivity^(1/(dimension + 1)), so that the expected
    selectivity of independent attributes is that of the whole query; for "cormode" any number from
    0 to selectivity |D| is as likely. Which values they are is uniform. Cormode 2010 states the
    rule for quasi-identifiers; the sensitive attribute follows the same one here.
    """

    kind: Literal["cormode", "wong"]
    n_queries: int
    dimension: int
    selectivity: Fraction
    seed: int

    def most_values(self, base: int) -> int:
        """Number of values of an attribute that a query names; for "cormode" at most.

        >>> Workload("wong", 1, 8, Fraction(1, 20), 0).most_values(14)
        11
        >>> Workload("cormode", 1, 8, Fraction(1, 20), 0).most_values(74)
        3
        """
        if self.kind == "cormode":
            return math.floor(self.selectivity * base)
        n = self.dimension + 1
        wanted = self.selectivity * base**n  # b^n >= s |D|^n, decided in integers
        b = max(math.ceil(base * float(self.selectivity) ** (1 / n)) - 1, 0)
        while b**n < wanted:
            b += 1
        return int(b)

    def queries(self, bases: Sequence[int]) -> Iterator[Queries]:
        """Draw them, some at a time; bases: numbers of values, the sensitive attribute's last.

        Every attribute has a random stream of its own, so the queries do not depend on how many
        are drawn at a time.
        """
        first, *streams = np.random.SeedSequence(self.seed).spawn(len(bases) + 1)
        random = np.random.default_rng(first)
        n_asked = np.full(self.n_queries, self.dimension)
        subsets = _subsets(random, n_asked, len(bases) - 1)  # (n_queries, n_quasi_identifiers)
        most = [self.most_values(base) for base in bases]
        if self.kind == "cormode":
            sizes = random.integers(0, most, (self.n_queries, len(bases)), endpoint=True)
        else:
            sizes = np.tile(most, (self.n_queries, 1))
        streams_of = [np.random.default_rng(stream) for stream in streams]
        at_once = max(1, CELLS // sum(bases))
        for start in range(0, self.n_queries, at_once):
            some = slice(start, start + at_once)
            sets = [
                _subsets(random, size, base)
                for random, size, base in zip(streams_of, sizes[some].T, bases, strict=True)
            ]
            for each, used in zip(sets[:-1], subsets[some].T, strict=True):
                each[~used] = True
            yield Queries(tuple(sets[:-1]), sets[-1])


def _subsets(random: np.random.Generator, sizes: NDArray[np.signedinteger], base: int) -> Sets:
    """Draw a subset of each size, every one as likely as any other; (len(sizes), base)."""
    order = random.random((len(sizes), base)).argsort(axis=1)
    chosen = np.empty((len(sizes), base), dtype=bool)
    np.put_along_axis(chosen, order, np.arange(base) < sizes[:, np.newaxis], axis=1)
    return chosen


@dataclass(frozen=True, eq=False)
class Answering:
    """A table as far as it answers queries: people in boxes, and their sensitive values.

    The answer is the sum over entries of people times the share of the box that the query covers
    (people are taken to be spread evenly over its ground values, and the attributes to be
    independent) times 1 if the query asks for their value, or the share of their group's people
    with a value it asks for.
    """

    boxes: NDArray[np.int32]  # (n_entries, n_quasi_identifiers, 2): [low, high] ground ranks
    people: Counts  # (n_entries,)
    values: NDArray[np.signedinteger]  # (n_entries,) the sensitive value, or the group
    groups: Histogram | None = None  # (n_groups, n_values): nobody knows who has which value

    @classmethod
    def generalized(cls, boxes: NDArray[np.int32], histogram: Histogram) -> Answering:
        """Every group is a box, with as many people of each value; single cells are exact."""
        return cls(boxes[histogram.group_of], histogram.counts, histogram.codes)

    @classmethod
    def exact(cls, frequencies: FrequencySet, attribute: str) -> Answering:
        """The table itself."""
        whole = frequencies.as_it_is()
        return cls.generalized(whole.boxes, whole.groups(attribute).histogram)

    @classmethod
    def bucketized(cls, bucketing: Bucketing, attribute: str) -> Answering:
        """Two tables: quasi-identifiers are as they were, values are those of the group."""
        inside = bucketing.members(attribute)
        combination, bucket = inside.members.T
        ground = bucketing.combinations.combinations
        cells = np.stack([ground.codes(name)[combination] for name in ground.columns], axis=1)
        return cls(np.stack([cells, cells], axis=2), inside.people, bucket, inside.histogram)

    def answers(self, queries: Queries) -> Floats:
        """Answer some queries; whole numbers are exact below 2^53."""
        at_once = max(1, CELLS // max(len(self.people), 1))
        parts = [
            self._answers(queries.part(first, first + at_once))
            for first in range(0, len(queries), at_once)
        ]
        return np.concatenate([np.zeros(0), *parts])

    def _answers(self, queries: Queries) -> Floats:
        shares = [
            _covered(sides, sets)
            for sides, sets in zip(self._factors.sides, queries.quasi_identifiers, strict=True)
        ]
        shares.append(self._asked(queries.sensitive))
        for one, other, pairs in self._factors.joins:
            shares.append(shares[one].take(pairs[:, 0], axis=0))
            shares[-1] *= shares[other].take(pairs[:, 1], axis=0)
        (one, first), (other, second) = self._factors.last
        covered = shares[one].take(first, axis=0)  # (n_entries, n_queries)
        covered *= shares[other].take(second, axis=0)
        people = self.people.astype(np.float64)
        return np.asarray(np.einsum("i,ij->j", people, covered))  # in one thread

    def _asked(self, sets: Sets) -> Floats:
        """Share of the people of every value, or of every group, that is asked for."""
        weights = sets.T.astype(np.float64)  # (n_values, n_queries)
        if self.groups is None or not len(self.people):
            return weights
        hit = weights.take(self.groups.codes, axis=0)
        hit *= self._shares
        return np.asarray(np.add.reduceat(hit, self.groups.starts[:-1], axis=0))

    @cached_property
    def _shares(self) -> Floats:
        """Share that each value has in its group, which is never empty; (n_cells, 1)."""
        assert self.groups is not None  # noqa: S101  (nobody else asks)
        starts, counts = self.groups.starts, self.groups.counts
        sizes = np.repeat(np.add.reduceat(counts, starts[:-1]), np.diff(starts))
        return np.asarray(counts / sizes)[:, np.newaxis]

    @cached_property
    def _factors(self) -> _Factors:
        return _Factors.of(self.boxes, self.values)


@dataclass(frozen=True, eq=False)
class _Factors:
    """How to multiply the shares of many entries: what several have in common is multiplied once.

    Factors are numbered: the quasi-identifiers, the sensitive values or groups, then each join of
    two earlier ones, which has a row for every pair of their rows that occurs together.
    """

    sides: list[NDArray[np.int32]]  # per quasi-identifier its distinct intervals
    joins: list[tuple[int, int, NDArray[np.int32]]]  # two factors, (n_pairs, 2): rows of them
    last: list[tuple[int, NDArray[np.intp]]]  # the two that are left, and the row of every entry

    @classmethod
    def of(cls, boxes: NDArray[np.int32], values: NDArray[np.signedinteger]) -> _Factors:
        distinct = [distinct_rows(boxes[:, j]) for j in range(boxes.shape[1])]
        sides, rows = [each for each, _ in distinct], [row for _, row in distinct]
        rows.append(values.astype(np.intp))
        left = [(int(row.max(initial=0)), j) for j, row in enumerate(rows)]
        joins = []
        while len(left) > 2:
            (_, one), (_, other), *left = sorted(left)  # the two with the fewest rows
            pairs, row = distinct_rows(np.stack([rows[one], rows[other]], axis=1))
            left.append((len(pairs), len(rows)))
            rows.append(row)
            joins.append((one, other, pairs))
        return cls(sides, joins, [(j, rows[j]) for _, j in left])


def _covered(sides: NDArray[np.int32], sets: Sets) -> Floats:
    """Share of every interval's ground values that is in every set; (n_sides, n_queries)."""
    low, high = sides.T
    upto = np.zeros((sets.shape[1] + 1, len(sets)))
    np.cumsum(sets.T, axis=0, out=upto[1:])
    return np.asarray((upto[high + 1] - upto[low]) / (high - low + 1)[:, np.newaxis])


def lifts(queries: Queries, truth: Floats, marginals: Sequence[Counts]) -> list[Fraction]:
    """By which factor each true count exceeds the product of the selectivities.

    marginals: people with each value of each attribute, the sensitive attribute's last. Fractions,
    so that equal factors are equal; 1 where somebody's set holds nobody.
    """
    sets = (*queries.quasi_identifiers, queries.sensitive)
    hit = [chosen @ people for chosen, people in zip(sets, marginals, strict=True)]
    everybody = int(marginals[-1].sum()) ** (len(marginals) - 1)
    factors = []
    for count, *parts in zip(truth.tolist(), *(each.tolist() for each in hit), strict=True):
        expected = math.prod(parts)
        factors.append(Fraction(int(count) * everybody, expected) if expected else Fraction(1))
    return factors


def most_correlated(
    factors: Sequence[Fraction], n: int = EXTREME
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Positions of the n largest factors above 1 and of the n smallest below, strongest first.

    Of equal factors the first ones are taken.

    >>> most_correlated([Fraction(2), Fraction(1), Fraction(1, 3), Fraction(5)], n=1)
    (array([3]), array([2]))
    """
    of = factors.__getitem__
    above = heapq.nlargest(n, (j for j, factor in enumerate(factors) if factor > 1), key=of)
    below = heapq.nsmallest(n, (j for j, factor in enumerate(factors) if factor < 1), key=of)
    return np.array(above, dtype=np.intp), np.array(below, dtype=np.intp)
