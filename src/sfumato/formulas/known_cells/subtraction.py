"""What follows of cells without any search: by subtraction, and between bounds.

Where a class has one cell that is not known yet, its values are what the others leave. So every
cell of releases that are nested is known. Of the rest, simple bounds are true of all worlds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.data.groups import Counts
from sfumato.formulas.correspondence.pairs import refuse_without_buddies
from sfumato.formulas.known_cells.cells import KnownCells

MOST_ROUNDS = 100  # of bounds that tighten each other; stopping early leaves them wider


class Bounds:
    """Between how many and how many people of every cell have a value, in any world.

    `lower` and `upper` are (n_cells, n_values); where they meet for all values, a cell is `known`.
    """

    def __init__(self, cells: KnownCells) -> None:
        self.cells = cells
        shape = (len(cells), cells.n_values)
        self.lower, self.upper = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        self.known: NDArray[np.bool_] = np.zeros(len(cells), dtype=bool)
        self.left = [each.copy() for each in cells.histograms]  # of people in cells not known
        self._subtract()
        self._first()
        for _ in range(MOST_ROUNDS):
            if not self._tighten():
                break
        met = ~self.known & (self.lower == self.upper).all(axis=1)
        self._settle(met, self.lower[met])
        refuse_without_buddies(bool((self.lower > self.upper).any()))
        refuse_without_buddies(any(bool((each < 0).any()) for each in self.left))

    def _subtract(self) -> None:
        """Settle cells that are the only ones of a class, until there is none."""
        classes = self.cells.classes
        while True:
            n_before = int(self.known.sum())
            for j, left in enumerate(self.left):
                held = classes[:, j]
                open_ = ~self.known & (held >= 0)
                n_open = np.bincount(held[open_], minlength=len(left))
                alone = open_ & (n_open[held] == 1)
                self._settle(alone, left[held[alone]])
            if int(self.known.sum()) == n_before:
                return

    def _settle(self, chosen: NDArray[np.bool_], counts: Counts) -> None:
        """Take people out whose values are known."""
        refuse_without_buddies(bool((counts.sum(axis=1) != self.cells.sizes[chosen]).any()))
        self.lower[chosen] = self.upper[chosen] = counts
        self.known[chosen] = True
        for j, left in enumerate(self.left):
            held = self.cells.classes[chosen, j]
            np.subtract.at(left, held[held >= 0], counts[held >= 0])

    def _first(self) -> None:
        """No more people of a cell have a value than there are, or than have it in a class."""
        some = np.flatnonzero(~self.known)
        upper = np.repeat(self.cells.sizes[some, np.newaxis], self.cells.n_values, axis=1)
        for j, left in enumerate(self.left):
            held = self.cells.classes[some, j]
            upper[held >= 0] = np.minimum(upper[held >= 0], left[held[held >= 0]])
        self.upper[some] = upper

    def _tighten(self) -> bool:
        """Let what others must, or can at most, have bound what is left; False: nothing changed."""
        some = np.flatnonzero(~self.known)
        lower, upper = self.lower[some], self.upper[some]
        sizes = self.cells.sizes[some, np.newaxis]
        least = np.maximum(lower, sizes - (upper.sum(axis=1, keepdims=True) - upper))
        most = np.minimum(upper, sizes - (lower.sum(axis=1, keepdims=True) - lower))
        for j, left in enumerate(self.left):
            inside = np.flatnonzero(self.cells.classes[some, j] >= 0)
            held = self.cells.classes[some[inside], j]
            low, high = np.zeros_like(left), np.zeros_like(left)
            np.add.at(low, held, lower[inside])
            np.add.at(high, held, upper[inside])
            least[inside] = np.maximum(least[inside], (left - high)[held] + upper[inside])
            most[inside] = np.minimum(most[inside], (left - low)[held] + lower[inside])
        changed = bool((least > lower).any() or (most < upper).any())
        self.lower[some], self.upper[some] = least, most
        return changed
