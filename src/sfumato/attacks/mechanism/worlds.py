"""Worlds: who of the people with known quasi-identifiers has which sensitive values.

People with equal quasi-identifiers are alike, so a world is a table of counts: how many people of
each combination have which value.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.data.groups import Counts
from sfumato.formulas.minimality.deals import tables

LARGEST = 1 << 26  # counts that are held at once
MOST_STEPS = 1 << 20  # of counting choices


@dataclass(frozen=True, eq=False)
class World:
    """A table of counts, and how much of it belongs to suppressed people."""

    people: Counts  # (n_combinations, n_values), suppressed ones included
    suppressed: Counts  # (n_combinations, n_values)
    weight: Fraction  # before anything is known of the method, up to a factor


@dataclass(frozen=True, eq=False)
class Dealing:
    """Published values that are dealt to some people."""

    sizes: Counts  # (n_combinations,): people who get one
    histogram: Counts  # (n_values,)

    def n_tables(self, most: int) -> int:
        """Count the ways; more than `most` where there are more."""
        cells = self.sizes[self.sizes > 0]
        own = dealt_tables(cells, self.histogram, most)
        return most + 1 if own is None else len(own)


@dataclass(frozen=True, eq=False)
class Case:
    """Who is suppressed, and in which ways everybody else may be in the published groups."""

    suppressed: Counts  # (n_combinations,)
    alternatives: Sequence[Sequence[Dealing]]  # a combination may be in several dealings of one

    def n_worlds(self, n_values: int, most: int) -> int:
        """Count the worlds, some more than once; more than `most` where there are more."""
        hidden = 1
        for n in self.suppressed[self.suppressed > 0].tolist():
            hidden *= math.comb(n + n_values - 1, n)
            if hidden > most:
                return hidden
        total = 0
        for dealings in self.alternatives:
            product = hidden
            for dealing in dealings:
                product *= dealing.n_tables(most)
                if total + product > most:
                    return total + product
            total += product
        return total

    def published(self) -> list[Counts]:
        """List how many published people of each combination have which value: each table once."""
        tables: dict[bytes, Counts] = {}
        for dealings in self.alternatives:
            for parts in itertools.product(*map(_tables, dealings)):
                whole = sum(parts[1:], parts[0])
                tables[whole.tobytes()] = whole
        return list(tables.values())


def every_world(counts: Counts, case: Case, prior: Sequence[Fraction]) -> Iterator[World]:
    """Deal published values in every way, and give suppressed people any values.

    Args:
        counts: (n_combinations,): all people.
        case: Who is suppressed, and what is dealt to whom else.
        prior: (n_values,): how likely each value is for somebody of whom nothing is known.
    """
    n_values, suppressed = len(prior), case.suppressed
    free = np.flatnonzero(suppressed)
    choices = [list(multisets(int(suppressed[i]), n_values)) for i in free.tolist()]
    published = case.published()
    for given in itertools.product(*choices):
        hidden = np.zeros((len(counts), n_values), dtype=np.int64)
        for i, row in zip(free.tolist(), given, strict=True):
            hidden[i] = row
        chance = math.prod(
            (prior[v] ** int(n) for v, n in enumerate(hidden.sum(axis=0)) if n), start=Fraction(1)
        )
        for shown in published:
            people = hidden + shown
            yield World(people, hidden, chance * ways(counts, people))


def fewest_tables(sizes: Counts, histogram: Counts, most: int) -> int:
    """Bound the number of tables with these margins from below, without listing any.

    The people who have one value may be in any cells; each such choice leaves a table at least.

    >>> fewest_tables(np.array([1, 1, 2]), np.array([2, 2]), 100)
    4
    """
    best = 1
    for n in np.unique(histogram).tolist():
        if 0 < n < int(sizes.sum()):
            best = max(best, _choices(sizes.tolist(), min(n, int(sizes.sum()) - n), most))
            if best > most:
                break
    return best


def without_some(histogram: Counts, n: int) -> Counts:
    """Take n values away, of those that are left most.

    >>> without_some(np.array([5, 1, 3]), 4).tolist()
    [2, 1, 2]
    """
    left = histogram.copy()
    for _ in range(n):
        left[left.argmax()] -= 1
    return left


def _choices(sizes: Sequence[int], n: int, most: int) -> int:
    """Count the ways to take n people out of cells, or bound their number from below."""
    different = math.comb(len(sizes), n)  # one of each cell
    if different > most or len(sizes) * n > MOST_STEPS:
        return max(different, 1)
    ways_to = [1, *[0] * n]  # take so many
    for size in sizes:
        before = list(itertools.accumulate(ways_to, initial=0))
        ways_to = [before[k + 1] - before[max(0, k - size)] for k in range(n + 1)]
    return ways_to[n]


def dealt_tables(sizes: Counts, histogram: Counts, most: int) -> Counts | None:
    """List every table of counts with these margins; None: more than `most`, or too large."""
    if not len(sizes):
        return None if histogram.any() else np.zeros((1, 0, len(histogram)), dtype=np.int64)
    room = LARGEST // max(1, len(sizes) * len(histogram))
    least = fewest_tables(sizes, histogram, most)
    return None if least > min(most, room) else tables(sizes, histogram, min(most, room))


def _tables(dealing: Dealing) -> list[Counts]:
    """List the tables of counts over all combinations."""
    inside = np.flatnonzero(dealing.sizes)
    own = tables(dealing.sizes[inside], dealing.histogram, np.iinfo(np.int64).max)
    assert own is not None  # noqa: S101  (they were counted)
    whole = np.zeros((len(own), len(dealing.sizes), len(dealing.histogram)), dtype=np.int64)
    whole[:, inside] = own
    return list(whole)


def multisets(n: int, n_values: int) -> Iterator[tuple[int, ...]]:
    """Give every way in which n people who are alike can have values."""
    for chosen in itertools.combinations_with_replacement(range(n_values), n):
        row = [0] * n_values
        for value in chosen:
            row[value] += 1
        yield tuple(row)


def ways(counts: Counts, people: Counts) -> int:
    """Count the worlds in which everybody has a name that a table of counts stands for."""
    orders = math.prod(math.factorial(int(n)) for n in people.ravel().tolist() if n > 1)
    return math.prod(math.factorial(int(n)) for n in counts.tolist()) // orders


def suppressed_sets(free: NDArray[np.bool_], counts: Counts, n: int) -> Iterator[Counts]:
    """Give every number of suppressed people by combination that adds up to n.

    free: the combinations of which some may be suppressed.
    """
    places = np.flatnonzero(free)
    for chosen in itertools.combinations_with_replacement(range(len(places)), n):
        suppressed = np.zeros(len(counts), dtype=np.int64)
        np.add.at(suppressed, places[list(chosen)], 1)
        if (suppressed <= counts).all():
            yield suppressed
