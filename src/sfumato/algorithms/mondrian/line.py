"""The regions of a search seen along one dimension, and where they can be cut."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.frequency import sum_by
from sfumato.data.groups import Counts
from sfumato.data.keys import Codes


@dataclass(frozen=True, eq=False)
class Line:
    """The regions of a batch seen along one dimension: cells of people with the same value.

    Cells are sorted by region and value; cutting at a cell puts it and all below it to the left.
    """

    region: NDArray[np.intp]  # (n_cells,)
    value: NDArray[np.int32]  # (n_cells,)
    left: Counts  # (n_cells,) people of the region up to and including the cell
    total: Counts  # (n_cells,) people of the region
    starts: NDArray[np.intp]  # (n_regions,) first cell of every region
    ends: NDArray[np.intp]  # (n_regions,) last cell
    cell_of: NDArray[np.intp]  # (n_members,) the cell of every combination in the batch

    @classmethod
    def of(cls, domain: Domain, region: NDArray[np.intp], codes: Codes, counts: Counts) -> Line:
        """See combinations by region and value."""
        cells, cell_of = np.unique(region * len(domain) + codes, return_inverse=True)
        where, value = np.divmod(cells, len(domain))
        people = sum_by(cell_of, counts, len(cells))
        starts = np.flatnonzero(np.diff(where, prepend=-1))
        ends = np.append(starts[1:], len(cells)) - 1
        upto = np.cumsum(people)
        before = (upto - people)[starts]
        left = upto - before[where]
        return cls(where, value.astype(np.int32), left, left[ends][where], starts, ends, cell_of)

    @property
    def low(self) -> NDArray[np.int32]:
        """Smallest value in every region."""
        return self.value[self.starts]

    @property
    def high(self) -> NDArray[np.int32]:
        """Largest value in every region."""
        return self.value[self.ends]

    def boundaries(self, domain: Domain) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
        """Give the last rank below a cut at each cell, and the cells to cut at, best first.

        A tree is cut between its largest nodes first; then nearest to halving; then lower.
        """
        following = np.append(self.value[1:], 0)
        inner = np.ones(len(self.value), dtype=bool)
        inner[self.ends] = False
        cells = np.flatnonzero(inner)
        uneven = np.abs(2 * self.left[cells] - self.total[cells])
        rank = (self.value + following - 1) // 2  # half-way through the values in between
        if domain.numbers is not None:
            return rank, cells[np.lexsort((cells, uneven))]
        # The two neighbours part below the smallest node around both.
        level = domain.taxonomy.enclosing_level(self.value[cells], following[cells])
        rank[cells] = domain.taxonomy.high[level - 1, self.value[cells]]
        return rank, cells[np.lexsort((cells, uneven, -level))]
