"""Groups that failed steps hold together, and the cells of people whom no step tells apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.known_method.membership import Membership
from sfumato.attacks.known_method.solver import Solver
from sfumato.data.groups import Counts
from sfumato.formulas.minimality.posterior import RejectedStep, merged


@dataclass(frozen=True, eq=False)
class Component:
    """Some groups, and the steps of all their members that broke."""

    members: Membership
    solver: Solver
    groups: NDArray[np.intp]
    steps: Sequence[RejectedStep]

    @cached_property
    def place(self) -> NDArray[np.intp]:
        """The members, as positions in those of all groups."""
        starts = self.members.starts
        return np.concatenate([np.arange(starts[g], starts[g + 1]) for g in self.groups.tolist()])

    @cached_property
    def pool(self) -> NDArray[np.intp]:
        """(n_members,): the number of everybody's group in this component."""
        return np.searchsorted(self.groups, self.members.group[self.place])

    @cached_property
    def _merged(self) -> tuple[NDArray[np.intp], Counts, list[RejectedStep]]:
        return merged(self.members.people[self.place], self.steps, self.pool)

    @property
    def cell(self) -> NDArray[np.intp]:
        """(n_members,): the cell of each; people in one are believed alike."""
        return self._merged[0]

    @property
    def people(self) -> Counts:
        """(n_cells,)."""
        return self._merged[1]

    @property
    def cell_steps(self) -> list[RejectedStep]:
        """The steps by cells instead of members."""
        return self._merged[2]

    @cached_property
    def group_of_cell(self) -> NDArray[np.intp]:
        """(n_cells,): the number of each cell's group in this component."""
        pool_of_cell = np.zeros(len(self.people), dtype=np.intp)
        pool_of_cell[self.cell] = self.pool
        return pool_of_cell

    @cached_property
    def inside(self) -> NDArray[np.bool_]:
        """(n_children, n_cells): who is in which child, of all steps."""
        return np.concatenate([step.children for step in self.cell_steps])

    @cached_property
    def fixed(self) -> Counts:
        """(n_children, n_values): values of the people of other components in each child."""
        return np.concatenate([step.fixed for step in self.cell_steps])

    @cached_property
    def first_child(self) -> NDArray[np.intp]:
        """(n_steps,): where the children of each step begin."""
        return np.cumsum([0, *(len(step.children) for step in self.cell_steps[:-1])])

    def cells_of(self, number: int) -> NDArray[np.intp]:
        """List the cells of one group."""
        return np.flatnonzero(self.group_of_cell == number)

    def histogram(self, number: int) -> tuple[NDArray[np.int32], Counts]:
        """Give the values of one group, and how many of its people have each."""
        g = int(self.groups[number])
        row = self.members.histogram.rows(g, g + 1)
        return row.codes, row.counts
