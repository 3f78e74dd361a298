"""Small programs in whole numbers, solved as linear programs and by branching where these are not.

A solver for integer programs is not used: linear programs nearly always have whole solutions here.
Every solution is rounded and checked in whole numbers, so nothing that is called possible rests on
a solver. One that breaks its equations is asked for again, from nothing; so is one that is said not
to exist after there was one.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sfumato.data.groups import Counts
from sfumato.errors import BrokenPromise
from sfumato.formulas.correspondence.linear_program import LinearProgram

NEAR = 1e-6


class IntegerProgram:
    """Whole numbers x >= 0 with `sums @ x == need` and `growth @ x >= 0`; both sparse, integer."""

    def __init__(
        self, sums: Any, need: Counts, growth: Any | None = None, most_boxes: float = math.inf
    ) -> None:
        """Write it down; `most_boxes`: how many to look at, after which the best so far counts."""
        self.sums, self.need, self.growth = sums, need, growth
        self.most_boxes = most_boxes
        self.relaxed = LinearProgram(sums, need, growth)
        self._has_solution = False

    def best(self, gain: Counts) -> Counts | None:
        """Find a solution with the largest `gain @ x`; None: there is none, or none was found."""
        try:
            best = self._searched(gain)
            if best is not None or not self._has_solution:
                return best
        except BrokenPromise:
            pass
        self.relaxed.forget()
        best = self._searched(gain)
        if best is None and self._has_solution and math.isinf(self.most_boxes):
            raise BrokenPromise("internal error: a linear program lost its solution")
        return best

    def _searched(self, gain: Counts) -> Counts | None:
        n = len(gain)
        best: Counts | None = None
        most = -math.inf
        open_boxes = [(np.zeros(n), np.full(n, np.inf))]
        n_boxes = 0
        while open_boxes and n_boxes < self.most_boxes:
            n_boxes += 1
            low, high = open_boxes.pop()
            answer = self.relaxed.best(gain, low, high)
            if answer is None or math.floor(answer.x @ gain + NEAR) <= most:
                continue
            solution = answer.x
            distance = np.abs(solution - np.rint(solution))
            j = int(np.argmax(distance))
            if distance[j] <= NEAR:
                best = self._checked(solution)
                self._has_solution = True
                most = int(best @ gain)
                continue
            below, above = high.copy(), low.copy()
            below[j], above[j] = math.floor(solution[j]), math.ceil(solution[j])
            open_boxes += [(low, below), (above, high)]
        return best

    def _checked(self, solution: Any) -> Counts:
        whole: Counts = np.rint(solution).astype(np.int64)
        wrong = (whole < 0).any() or (self.sums @ whole != self.need).any()
        shrunk = self.growth is not None and (self.growth @ whole < 0).any()
        if wrong or shrunk:
            raise BrokenPromise("internal error: a solution breaks its own equations")
        return whole
