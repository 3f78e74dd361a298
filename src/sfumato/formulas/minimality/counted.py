"""Worlds of groups that failed steps hold together, counted by compiled loops, in whole numbers.

What `posterior` enumerates for any criterion, for one that is stated in a few numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.compiled import suited
from sfumato.data.groups import Counts
from sfumato.formulas.minimality import kernels
from sfumato.formulas.minimality.posterior import IMPOSSIBLE

BELOW = 2**31  # primes whose products 64 bits hold
NEAR = 4_096  # there are hundreds of primes so near below
MOST_COUNTS = 100_000  # that are looked at before tables are counted
FEW = 2  # primes that cost next to nothing


class Limits(NamedTuple):
    """What a child breaks by."""

    people: int  # fewer of them
    numerator: int  # a larger share than numerator / denominator
    denominator: int
    n_bounded: int  # of one of the first so many values
    n_different: int  # fewer different values


class CellProblem(NamedTuple):
    """Values to deal to the cells of some groups, and the steps that break."""

    people: Counts  # (n_cells,)
    pool: NDArray[np.int64]  # (n_cells,): the number of each cell's group, ascending
    histograms: Counts  # (n_groups, n_values)
    children: NDArray[np.bool_]  # (n_children, n_cells)
    step: NDArray[np.int64]  # (n_children,): the step that each is a child of, ascending
    fixed: Counts  # (n_children, n_values): other people in each

    @property
    def cost(self) -> int:
        """Counts of one table."""
        return int(self.histograms.shape[1]) * (len(self.people) + len(self.step))


@dataclass(frozen=True, eq=False)
class CountedWorlds:
    """In how many worlds every step breaks, and who has which value in these."""

    n_worlds: int
    sums: list[list[int]]  # (n_cells, n_values): people, over all these worlds
    work: int  # counts that were dealt


@dataclass(frozen=True, eq=False)
class _Remainders:
    """Numbers below a bound, from what is left when they are divided by some primes."""

    primes: NDArray[np.int64]

    @cached_property
    def factors(self) -> tuple[list[int], int]:
        """What remainders are multiplied by to be added up, and what the sum is divided by."""
        primes = self.primes.tolist()
        product = math.prod(primes)
        return [product // p * pow(product // p, -1, p) for p in primes], product

    def number(self, remainders: list[int]) -> int:
        """Give the one number that leaves these."""
        factors, product = self.factors
        return sum(map(int.__mul__, remainders, factors)) % product


def count_problem(problem: CellProblem, limits: Limits, most: int) -> CountedWorlds | None:
    """Count the worlds in which every step breaks; None: too many.

    most: where there are no more tables of counts, they are counted in any case.

    Raises:
        ValueError: There is none.
        OverflowError: There are so many that there are too few primes.
    """
    if not len(problem.step) or most < 1:
        return None
    own = math.prod(map(_n_worlds, problem.histograms.tolist()))
    remainders = _enough(own * int(problem.people.max()) + 1)
    primes = remainders.primes
    stated = (*map(np.ascontiguousarray, problem), tuple(limits))
    tried = primes if len(primes) <= FEW else primes[:0]
    most_rows = MOST_COUNTS // (len(problem.people) + len(problem.step))
    loops = suited(kernels, MOST_COUNTS)
    n_rows, *found = loops.count_worlds(*stated, tried, most_rows)
    if n_rows > most_rows:
        loops = suited(kernels, most * problem.cost)
        if loops.count_tables(*stated[:3], most) > most:
            return None
    if n_rows > most_rows or tried is not primes:
        n_rows, *found = loops.count_worlds(*stated, primes, np.iinfo(np.int64).max)
    worlds, order, sums, free = found
    n_worlds = remainders.number(worlds.tolist())
    if not n_worlds:
        raise ValueError(IMPOSSIBLE)
    # What was left for whoever comes behind, for each person of a cell.
    behind = np.cumsum(free, axis=0)[np.arange(len(order)), problem.pool[order]] % primes
    sums[order] = (sums + problem.people[order, np.newaxis, np.newaxis] * behind) % primes
    rows = [[remainders.number(each) for each in row] for row in sums.tolist()]
    return CountedWorlds(n_worlds, rows, int(n_rows) * problem.histograms.shape[1])


def _n_worlds(histogram: list[int]) -> int:
    """Count the ways to deal values to people."""
    return math.factorial(sum(histogram)) // math.prod(map(math.factorial, histogram))


def _enough(least: int) -> _Remainders:
    """Give so many primes that numbers below a bound can be told apart."""
    return _by_primes(-(-least.bit_length() // 30))


@cache
def _by_primes(n: int) -> _Remainders:
    if n > len(_primes()):
        raise OverflowError(f"numbers of {30 * n} bits are too long")
    return _Remainders(_primes()[-n:])


@cache
def _primes() -> NDArray[np.int64]:
    """List primes a little below 2**31; each is larger than 2**30."""
    root = math.isqrt(BELOW)
    prime = np.ones(root + 1, dtype=bool)
    near = np.ones(NEAR, dtype=bool)
    for i in range(2, root + 1):
        if prime[i]:
            prime[i * i :: i] = False
            near[-(BELOW - NEAR) % i :: i] = False
    return np.flatnonzero(near) + (BELOW - NEAR)
