"""The whole search: good recodings first, then nodes until the best is proved or time is over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np

from sfumato.algorithms.k_optimize.best import Best
from sfumato.algorithms.k_optimize.nodes import Chosen, Problem
from sfumato.algorithms.k_optimize.pricing import Cost, problem_of
from sfumato.algorithms.k_optimize.search import Search
from sfumato.algorithms.k_optimize.split_points import IndexSet, SplitPoints
from sfumato.algorithms.k_optimize.start import cheapest_first, full_domain, improved
from sfumato.data.frequency import FrequencySet

FIRST = 3  # recodings of one column that are improved before anything else
EVERY = 500  # nodes: after so many another recoding is improved: of a column, then a node's head


class Anytime:
    """Looks for the cheapest index set; at any time there is a best one, and a bound."""

    def __init__(
        self,
        frequencies: FrequencySet,
        k: int,
        cost: Cost,
        class_column: str | None,
        limit: int,
    ) -> None:
        self.frequencies = frequencies
        self.problem, self.worth = problem_of(frequencies, k, cost, class_column, limit)
        self.best = Best(self.problem)
        self.nodes = Search(self.problem, self.best)

    def run(self, ended: Callable[[], bool]) -> Iterator[int]:
        """Search; after every step give how many nodes there were so far."""
        levels = _levels(self.problem, self.frequencies)
        starts = cheapest_first(self.problem, [head for own in levels for head in own])
        for start in (self.problem.nothing, *starts[:FIRST]):
            improved(self.problem, start, self.best, ended)
            yield 0
        full_domain(self.problem, levels, self.best, ended)
        improved(self.problem, self.best.head, self.best, ended)
        yield 0
        if ended():
            return
        waiting = starts[FIRST:][::-1]
        for n_nodes in self.nodes.run():
            yield n_nodes
            if n_nodes % EVERY == 0:
                start = waiting.pop() if waiting else self.nodes.head
                improved(self.problem, start, self.best, ended)
            if ended():
                return

    @property
    def cost(self) -> Fraction:
        """What the best costs."""
        assert self.best.cost is not None  # noqa: S101  (the top was offered)
        return self.best.cost * self.worth

    @property
    def least(self) -> Fraction:
        """What nothing costs less than."""
        return self.nodes.least * self.worth

    @property
    def index_set(self) -> IndexSet:
        """The best set of splits, by the numbers of their values."""
        head, problem = self.best.head, self.problem
        starts = SplitPoints.of(self.frequencies).starts
        return frozenset((starts[problem.column[head]] + problem.value[head] + 1).tolist())


def _levels(problem: Problem, frequencies: FrequencySet) -> list[list[Chosen]]:
    """Give the splits of every level of every column, from the root down."""
    levels = []
    for j, name in enumerate(frequencies.quasi_identifiers):
        own = np.flatnonzero(problem.column == j)
        values = problem.value[own]
        # A split before values that nobody has, or all have, is the next one, or none.
        least = int(problem.ground.codes[:, j].min()) if problem.by_people else 0
        taxonomy = frequencies.domains[name].taxonomy
        of_column = []
        for level in range(taxonomy.height, -1, -1):
            lows = np.unique(taxonomy.low[level])
            places = np.searchsorted(values, lows[lows > least])
            chosen = problem.nothing
            chosen[own[places[places < len(own)]]] = True
            of_column.append(chosen)
        levels.append(of_column)
    return levels
