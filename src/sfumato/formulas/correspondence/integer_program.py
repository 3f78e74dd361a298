"""Small programs in whole numbers, solved as linear programs and by branching where these are not.

SciPy's own solver for integer programs is not used: the presolve of SciPy 1.17 calls some feasible
programs of ours infeasible, and gives too small an optimum for others. Linear programs without
presolve nearly always have whole solutions here. Every solution is rounded and checked in whole
numbers, so nothing that is called possible rests on a solver.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sfumato.data.groups import Counts
from sfumato.errors import BrokenPromise

SOLVED, IMPOSSIBLE = 0, 2  # SciPy's status of a program
NEAR = 1e-6


class IntegerProgram:
    """Whole numbers x >= 0 with `sums @ x == need` and `growth @ x >= 0`; both sparse, integer."""

    def __init__(self, sums: Any, need: Counts, growth: Any, most_boxes: float = math.inf) -> None:
        """Write it down; `most_boxes`: how many to look at, after which the best so far counts."""
        self.sums, self.need, self.growth = sums, need, growth
        self.most_boxes = most_boxes

    def best(self, gain: Counts) -> Counts | None:
        """Find a solution with the largest `gain @ x`; None: there is none, or none was found."""
        n = len(gain)
        best: Counts | None = None
        most = -math.inf
        open_boxes = [(np.zeros(n), np.full(n, np.inf))]
        n_boxes = 0
        while open_boxes and n_boxes < self.most_boxes:
            n_boxes += 1
            low, high = open_boxes.pop()
            solution = self._relaxed(gain, low, high)
            if solution is None or math.floor(solution @ gain + NEAR) <= most:
                continue
            distance = np.abs(solution - np.rint(solution))
            j = int(np.argmax(distance))
            if distance[j] <= NEAR:
                best = self._checked(solution)
                most = int(best @ gain)
                continue
            below, above = high.copy(), low.copy()
            below[j], above[j] = math.floor(solution[j]), math.ceil(solution[j])
            open_boxes += [(low, below), (above, high)]
        return best

    def _relaxed(self, gain: Counts, low: Any, high: Any) -> Any:
        """Solve it without whole numbers, between bounds; None: there is no solution."""
        from scipy.optimize import linprog  # noqa: PLC0415  (heavy, so imported when used)

        result = linprog(
            -gain.astype(float),
            A_ub=-self.growth if self.growth.shape[0] else None,
            b_ub=np.zeros(self.growth.shape[0]) if self.growth.shape[0] else None,
            A_eq=self.sums,
            b_eq=self.need,
            bounds=np.stack([low, high], axis=1),
            method="highs-ds",
            options={"presolve": False},
        )
        if result.status == IMPOSSIBLE:
            return None
        if result.status != SOLVED:
            raise BrokenPromise(f"internal error: a linear program failed: {result.message}")
        return result.x

    def _checked(self, solution: Any) -> Counts:
        whole: Counts = np.rint(solution).astype(np.int64)
        wrong = (whole < 0).any() or (self.sums @ whole != self.need).any()
        if wrong or (self.growth @ whole < 0).any():
            raise BrokenPromise("internal error: a solution breaks its own equations")
        return whole
