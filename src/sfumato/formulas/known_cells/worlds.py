"""What can be said of the people of every cell: bounds, worlds, beliefs."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.data.groups import Counts
from sfumato.formulas.correspondence.pairs import Index
from sfumato.formulas.known_cells.cells import KnownCells
from sfumato.formulas.known_cells.enumeration import beliefs
from sfumato.formulas.known_cells.exchanges import possible_by_exchange
from sfumato.formulas.known_cells.program import Program
from sfumato.formulas.known_cells.subtraction import Bounds

MOST_VARIABLES = 400  # pairs of a cell and a value that a program may leave open
MOST_COUNTED = 60  # of these, where worlds are counted
MOST_STEPS = 20_000  # of counting the worlds of one program
MOST_GIVEN_UP = 3  # programs with more worlds, after which no others are counted
MOST_SOLVED = 2_000  # linear programs that are solved for one release


class Worlds:
    """All worlds that explain every release, as far as they can be told.

    Cells that hang together by classes are one program. Where it is small, its bounds are those of
    linear programs and its worlds can be counted; else the simple bounds stand.

    Args:
        cells: Whose classes are known.
        people: The true values, where they are known; (n_cells, n_values). Other worlds are looked
            for from there, to show what is possible.
    """

    def __init__(self, cells: KnownCells, people: Counts | None = None) -> None:
        self.cells, self.bounds = cells, Bounds(cells)
        self._program_of = np.full(len(cells), -1, dtype=np.intp)
        self._programs: list[Program] = []
        for members in _connected(cells, np.flatnonzero(~self.bounds.known)):
            self._program_of[members] = len(self._programs)
            self._programs.append(Program(self.bounds, members))
        self._possible = self.bounds.lower > 0  # (n_cells, n_values) shown by a world
        if people is not None and self._programs:
            self._possible |= possible_by_exchange(cells, people)
        self._beliefs: dict[int, list[list[Fraction]] | None] = {}
        self._n_given_up = self._n_solved = 0

    @property
    def known(self) -> NDArray[np.bool_]:
        """Cells whose values are known, up to who has which."""
        return self.bounds.known

    def most(self, cell: int, codes: NDArray[np.integer], enough: int = -1) -> int:
        """Bound how many people of a cell have one of some values, in any world.

        enough: A bound that is small enough, so that a smaller one is not looked for.
        """
        lower, upper = self.bounds.lower[cell], self.bounds.upper[cell]
        rest = np.delete(lower, codes)
        bound = min(int(upper[codes].sum()), int(self.cells.sizes[cell] - rest.sum()))
        program = None if bound <= enough else self._program(cell)
        if program is None:
            return bound
        known = int(np.where(lower == upper, lower, 0)[codes].sum())
        return min(bound, known + program.at_most(program.gain(cell, codes)))

    def fewest(self, cell: int, codes: NDArray[np.integer]) -> int:
        """Bound from below how many people of a cell have one of some values, in any world."""
        others = np.setdiff1d(np.arange(self.cells.n_values), codes)
        return int(self.cells.sizes[cell]) - self.most(cell, others)

    def possible(self, cell: int, code: int) -> bool | None:
        """Whether somebody of a cell can have a value; None: no world was found, and none not."""
        if self._possible[cell, code]:
            return True
        if self.bounds.upper[cell, code] == 0:
            return False
        program = self._program(cell)
        if program is None:
            return None
        gain = program.gain(cell, np.array([code]))
        world = program.world(gain)
        if world is not None:
            self._possible[program.members] |= world > 0
        if self._possible[cell, code]:
            return True
        return False if self.most(cell, np.array([code])) == 0 else None

    def belief(self, cell: int) -> list[Fraction] | None:
        """What is believed of everybody in a cell, by value; None: too much to count."""
        size = int(self.cells.sizes[cell])
        if self.known[cell]:
            return [Fraction(each, size) for each in self.bounds.lower[cell].tolist()]
        number = int(self._program_of[cell])
        program = self._programs[number]
        members = program.members
        given_up = number not in self._beliefs and self._n_given_up == MOST_GIVEN_UP
        if given_up or program.n_variables > MOST_COUNTED:
            return None
        if number not in self._beliefs:
            self._beliefs[number] = beliefs(self.bounds, members, MOST_STEPS)
            self._n_given_up += self._beliefs[number] is None
        by_member = self._beliefs[number]
        return None if by_member is None else by_member[int(np.searchsorted(members, cell))]

    def _program(self, cell: int) -> Program | None:
        """Give the program of a cell to solve it once; None: it is too large, or all is known."""
        number = int(self._program_of[cell])
        if number < 0 or self._programs[number].n_variables > MOST_VARIABLES:
            return None
        self._n_solved += 1
        return None if self._n_solved > MOST_SOLVED else self._programs[number]


def _connected(cells: KnownCells, chosen: Index) -> list[Index]:
    """Put cells together that have a class of some release in common."""
    from scipy.sparse import coo_array  # noqa: PLC0415  (heavy, so imported when used)
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    if not len(chosen):
        return []
    starts = np.cumsum([0] + [len(each) for each in cells.histograms])
    cell, release = np.nonzero(cells.classes[chosen] >= 0)
    node = len(chosen) + starts[release] + cells.classes[chosen[cell], release]
    n = len(chosen) + int(starts[-1])
    graph = coo_array((np.ones(len(cell), dtype=np.int8), (cell, node)), shape=(n, n))
    part = connected_components(graph, directed=False)[1][: len(chosen)]
    order = np.argsort(part, kind="stable")
    ends = np.flatnonzero(np.diff(part[order])) + 1
    return [chosen[each] for each in np.split(order, ends)]
