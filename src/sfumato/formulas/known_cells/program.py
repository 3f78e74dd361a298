"""Cells that hang together, as one program: bounds that are certified, and worlds that are found.

A linear program bounds how many people of a cell can have a value. What its solver says is only a
hint: the prices that it finds are rounded to fractions, and any prices give a bound that is true,
which is worked out in whole numbers. A world is a solution in whole numbers that was checked.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.groups import Counts
from sfumato.errors import BrokenPromise
from sfumato.formulas.correspondence.integer_program import IntegerProgram
from sfumato.formulas.correspondence.linear_program import Answer
from sfumato.formulas.correspondence.pairs import Index
from sfumato.formulas.known_cells.subtraction import Bounds

UNIT = 2520 * 256  # prices are rounded to fractions of this
MOST_BOXES = 200  # of a search for a world by branching


class Program:
    """The worlds of some cells that share classes with each other, and with no others."""

    def __init__(self, bounds: Bounds, members: Index) -> None:
        """Write the equations down: of every class and value, and of every cell.

        Args:
            bounds: What is known already.
            members: The cells, ascending.
        """
        self.bounds, self.members = bounds, members
        lower, upper = bounds.lower[members], bounds.upper[members]
        self.place, self.value = np.nonzero(lower < upper)  # of every variable
        self.low = lower[self.place, self.value]
        self.high = upper[self.place, self.value]

    @property
    def n_variables(self) -> int:
        """Pairs of a cell and a value that are not known."""
        return len(self.place)

    @cached_property
    def _equations(self) -> tuple[Any, Counts]:
        """The sums over variables, sparse, and what they have to be."""
        from scipy.sparse import csr_array  # noqa: PLC0415  (heavy, so imported when used)

        bounds, members = self.bounds, self.members
        fixed = np.where(
            bounds.lower[members] == bounds.upper[members], bounds.lower[members], 0
        )  # (n_members, n_values)
        rows, columns, needs = [], [], []
        n_rows = 0
        variables = np.arange(self.n_variables)
        for j, left in enumerate(bounds.left):
            held = bounds.cells.classes[members, j]
            inside = held[self.place] >= 0
            kinds = held[self.place[inside]] * left.shape[1] + self.value[inside]
            different, row = np.unique(kinds, return_inverse=True)
            rest = left.copy()
            np.subtract.at(rest, held[held >= 0], fixed[held >= 0])
            rows.append(row.reshape(-1) + n_rows)
            columns.append(variables[inside])
            needs.append(rest.reshape(-1)[different])
            n_rows += len(different)
        different, row = np.unique(self.place, return_inverse=True)
        rows.append(row.reshape(-1) + n_rows)
        columns.append(variables)
        needs.append(bounds.cells.sizes[members[different]] - fixed[different].sum(axis=1))
        at = (np.concatenate(rows), np.concatenate(columns))
        shape = (n_rows + len(different), self.n_variables)
        return csr_array((np.ones(len(at[0]), np.int64), at), shape=shape), np.concatenate(needs)

    @cached_property
    def _whole(self) -> IntegerProgram:
        return IntegerProgram(*self._equations, most_boxes=MOST_BOXES)

    def gain(self, cell: int, codes: NDArray[np.integer]) -> Counts:
        """Count the people of a cell who have one of some values, of those not known."""
        place = int(np.searchsorted(self.members, cell))
        gain: Counts = ((self.place == place) & np.isin(self.value, codes)).astype(np.int64)
        return gain

    def at_most(self, gain: Counts) -> int:
        """Bound the largest `gain @ x` of any world, certified by prices."""
        sums, need = self._equations
        answer: Answer | None = None
        with suppress(BrokenPromise):  # without prices the bound is wide
            answer = self._whole.relaxed.best(gain, self.low, self.high)
        prices = np.zeros(len(need), dtype=np.int64)
        if answer is not None:
            prices = np.rint(answer.prices * UNIT).astype(np.int64)
        rest = gain * UNIT - sums.T @ prices
        most = int(need @ prices) + int(np.where(rest > 0, rest * self.high, rest * self.low).sum())
        return most // UNIT

    def world(self, gain: Counts) -> Counts | None:
        """Find a world with `gain @ x` as large as it gets; None: none was found.

        Returns the people by cell and value; (n_members, n_values).
        """
        solution = self._whole.best(gain)
        if solution is None:
            return None
        people: Counts = self.bounds.lower[self.members].copy()
        people[self.place, self.value] = solution
        return people
