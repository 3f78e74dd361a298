"""Linear programs that are asked again and again: the equations stay, gains and bounds change.

One model of HiGHS for each set of equations, which starts from the last answer. Without presolve,
which calls some feasible programs of ours infeasible, and gives too small an optimum for others
(HiGHS 1.15.1, and the one in SciPy 1.17; `tests/formulas/test_integer_program.py` asks).
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.data.groups import Counts
from sfumato.errors import BrokenPromise

Floats = NDArray[np.float64]
Bound = Floats | Counts

MOST_KEPT = 64  # models, of those asked last; a small one has 150 KB
OPTIONS: dict[str, bool | int | str] = {
    "output_flag": False,
    "presolve": "off",
    "solver": "simplex",
    "simplex_strategy": 0,  # primal where the last answer is still a solution, else dual
    "parallel": "off",
    "threads": 1,
}


@dataclass(frozen=True, eq=False)
class Answer:
    """What a solver says, in floats: a hint, until somebody has checked it."""

    x: Floats  # (n_variables,)
    prices: Floats  # (n_rows of sums + n_rows of growth,) what a unit of a row costs


class LinearProgram:
    """The largest `gain @ x` with `sums @ x == need`, `growth @ x >= 0`, between bounds.

    `sums` and `growth` are sparse, by rows. The model is made when it is asked, and anew where it
    was not among the last to be asked, or was copied or pickled. It belongs to one thread.
    """

    _kept: ClassVar[OrderedDict[int, weakref.ref[LinearProgram]]] = OrderedDict()  # who has a model

    def __init__(self, sums: Any, need: Counts, growth: Any | None = None) -> None:
        self.sums, self.need, self.growth = sums, need, growth
        self._model: Any = None

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_model": None}

    def best(self, gain: Counts, low: Bound, high: Bound) -> Answer | None:
        """Ask for the largest `gain @ x` with `low <= x <= high`; None: there is no solution."""
        from highspy import HighsModelStatus  # noqa: PLC0415  (imported when used)

        model, n = self._warm(), self.sums.shape[1]
        variables = np.arange(n, dtype=np.int32)
        model.changeColsCost(n, variables, -gain.astype(np.float64))
        model.changeColsBounds(n, variables, low.astype(np.float64), high.astype(np.float64))
        status = _run(model)
        if status not in (HighsModelStatus.kOptimal, HighsModelStatus.kInfeasible):
            model.clearSolver()  # from the last answer it got lost
            status = _run(model)
        if status == HighsModelStatus.kInfeasible:
            return None
        if status != HighsModelStatus.kOptimal:
            message = model.modelStatusToString(status)
            raise BrokenPromise(f"internal error: a linear program failed: {message}")
        solution = model.getSolution()
        return Answer(np.array(solution.col_value), -np.array(solution.row_dual))

    @property
    def has_model(self) -> bool:
        """Whether it would start from its last answer."""
        return self._model is not None

    def forget(self) -> None:
        """Start the next answer from nothing."""
        self._model = None

    def _warm(self) -> Any:
        """Give the model, and let go the one that was not asked for longest."""
        model = self._model
        if model is None:
            model = self._model = self._written()
        kept = self._kept
        kept[id(self)] = weakref.ref(self)
        kept.move_to_end(id(self))
        while len(kept) > MOST_KEPT:
            oldest = kept.popitem(last=False)[1]()
            if oldest is not None:
                oldest.forget()
        return model

    def _written(self) -> Any:
        """Write the model down: the sums, and below them what may not shrink."""
        from highspy import Highs, HighsLp, HighsStatus, MatrixFormat  # noqa: PLC0415

        parts = [self.sums] if self.growth is None else [self.sums, self.growth]
        n_rows, n = sum(part.shape[0] for part in parts), self.sums.shape[1]
        n_growing = n_rows - len(self.need)
        need = self.need.astype(np.float64)
        lengths = np.concatenate([np.diff(part.indptr) for part in parts])
        written = HighsLp()
        written.num_row_, written.num_col_ = n_rows, n
        written.col_cost_ = np.zeros(n)
        written.col_lower_ = np.zeros(n)
        written.col_upper_ = np.full(n, np.inf)
        written.row_lower_ = np.append(need, np.zeros(n_growing))
        written.row_upper_ = np.append(need, np.full(n_growing, np.inf))
        written.a_matrix_.format_ = MatrixFormat.kRowwise
        written.a_matrix_.start_ = np.append(0, np.cumsum(lengths)).astype(np.int32)
        written.a_matrix_.index_ = np.concatenate([part.indices for part in parts])
        written.a_matrix_.value_ = np.concatenate([part.data for part in parts])
        unread: Any = Highs  # has no types
        model = unread()
        for name, value in OPTIONS.items():
            model.setOptionValue(name, value)
        if model.passModel(written) == HighsStatus.kError:
            raise BrokenPromise("internal error: a linear program could not be written down")
        return model


def _run(model: Any) -> Any:
    from highspy import HighsStatus  # noqa: PLC0415

    if model.run() == HighsStatus.kError:
        # Somebody else in this thread uses HiGHS with more threads, which are kept: that is an
        # error, and costs nothing here, since the simplex method is told to use one.
        model.setOptionValue("threads", 0)
        model.run()
    return model.getModelStatus()
