"""Groups that failed steps hold together, solved by compiled counting; equal problems once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.known_method.solver import NO_WORLD, GroupBeliefs, Solver
from sfumato.compiled import suited
from sfumato.data.groups import Counts
from sfumato.errors import CannotRun
from sfumato.formulas.minimality import kernels
from sfumato.formulas.minimality.counted import CellProblem, CountedWorlds, Limits, count_problem
from sfumato.formulas.minimality.posterior import BUDGET, MOST_TABLES

LARGEST = 2**62
STATED = 8  # looks at a member of a child, and at the values of its group
MOST_BITS = 4_096  # of a number of worlds; longer ones are counted by whoever lists them


@dataclass(frozen=True, eq=False)
class _Solution:
    """What is believed of people in the cells of a problem."""

    people: list[int]  # (n_cells,)
    counted: CountedWorlds
    known: dict[tuple[int, int, int, int], Fraction] = field(default_factory=dict)

    def share(self, cell: int, column: int, part: int, whole: int) -> Fraction:
        """Give the belief in a value that `part` of the `whole` people have whose column it is."""
        key = (cell, column, part, whole)
        if key not in self.known:
            expected = self.counted.sums[cell][column] * part
            people = self.people[cell] * whole
            self.known[key] = Fraction(expected, self.counted.n_worlds * people)
        return self.known[key]


class CountedComponents:
    """Solves components under criteria that are stated in a few numbers, exactly."""

    def __init__(self, solver: Solver, limits: Limits, place: NDArray[np.intp]) -> None:
        members, values = solver.members, solver.members.histogram
        self.solver, self.limits = solver, limits
        self.members = (members.starts, members.people, members.group_of, place)
        self.histogram = (values.starts, values.codes, values.counts)
        self.number = np.full(len(members.boxes), -1, dtype=np.int64)
        self.seen = self.number.copy()
        self.column = np.full(values.n_values, -1, dtype=np.int64)
        self.solved: dict[object, _Solution | None] = {}

    @classmethod
    def of(cls, solver: Solver) -> CountedComponents | None:
        """Ask a criterion; None: it says more than a few numbers."""
        if solver.thresholds is None or (solver.lump != np.arange(len(solver.lump))).any():
            return None
        shares = [each.share for each in solver.thresholds if each.share is not None]
        share = min(shares, default=Fraction(1))
        n_values = solver.members.histogram.n_values
        people = int(solver.members.sizes.sum())
        if share.denominator * people >= LARGEST:
            return None
        place = np.zeros(len(solver.members.codes), dtype=np.intp)
        place[solver.members.combination] = np.arange(len(solver.members.combination))
        limits = Limits(
            max(each.people for each in solver.thresholds),
            share.numerator,
            share.denominator,
            n_values if shares else 0,
            max(each.values for each in solver.thresholds),
        )
        return cls(solver, limits, place)

    def takes(self, groups: NDArray[np.intp]) -> bool:
        """Whether the worlds of some groups have a number that is short enough to be counted."""
        n_people = int(self.solver.members.sizes[groups].sum())
        return n_people * len(self.column).bit_length() <= MOST_BITS

    def beliefs(
        self, groups: NDArray[np.intp], steps: Sequence[Sequence[NDArray[np.intp]]]
    ) -> list[GroupBeliefs] | None:
        """Solve groups that steps hold together; None: they have too many worlds.

        steps: the combinations in each child of every step.
        """
        children = [child for step in steps for child in step]
        step = np.repeat(np.arange(len(steps)), [len(step) for step in steps])
        starts = self.members[0]
        n_members = int((starts[groups + 1] - starts[groups]).sum())
        loops = suited(kernels, n_members + STATED * sum(map(len, children)))
        label, people, pool, inside, cells, kept, codes, counts = loops.state(
            groups,
            self.members,
            self.histogram,
            np.concatenate(children),
            np.cumsum([len(child) for child in children]),
            step,
            self.number,
            self.seen,
            self.column,
        )
        cell = np.argsort(cells)[label]
        people, pool, inside = people[cells], pool[cells], inside[:, cells]
        if not kept.all():
            inside, counts = inside[kept], counts[np.append(np.ones(len(groups), bool), kept)]
            step = np.cumsum(np.diff(step[kept], prepend=0) > 0)
        histograms = counts[: len(groups)]
        rare = self._rare(people, pool, inside, histograms, counts[len(groups) :])
        n_named = len(codes)
        limits = self.limits._replace(n_bounded=min(self.limits.n_bounded, n_named))
        if rare is not None:
            n_named = int(len(rare) - rare.sum())
            limits = limits._replace(n_bounded=n_named, n_different=0)
        # Values are alike: in an order by their counts, equal problems look the same.
        order = np.lexsort(counts if rare is None else (*counts, rare))
        counts = counts[:, order]
        if rare is not None:
            whole = counts[:, n_named:].sum(axis=1, keepdims=True)
            counts = np.concatenate([counts[:, :n_named], whole], axis=1)
        problem = CellProblem(
            people, pool, counts[: len(groups)], inside, step, counts[len(groups) :]
        )
        solution = self._solution(problem, limits)
        if solution is None:
            return None
        if len(groups) == 1 and len(people) == 1:
            return []
        column = np.empty(len(codes), dtype=np.intp)
        column[order] = np.minimum(np.arange(len(codes)), counts.shape[1] - 1)
        return self._by_group(groups, cell, problem, solution, codes, histograms, column)

    def _by_group(
        self,
        groups: NDArray[np.intp],
        cell: NDArray[np.int64],
        problem: CellProblem,
        solution: _Solution,
        codes: NDArray[np.int64],
        histograms: Counts,
        column: NDArray[np.intp],
    ) -> list[GroupBeliefs]:
        """Give every group its part of a solution, and every rare value its own of what is rare."""
        beliefs, end = [], 0
        cells = np.searchsorted(problem.pool, np.arange(len(groups) + 1)).tolist()
        for k, g in enumerate(groups.tolist()):
            begin, end = end, end + int(self.members[0][g + 1] - self.members[0][g])
            own = np.flatnonzero(histograms[k])
            wholes = problem.histograms[k, column[own]]
            entries = list(
                zip(column[own].tolist(), histograms[k, own].tolist(), wholes.tolist(), strict=True)
            )
            shares = [
                [solution.share(i, c, part, whole) for c, part, whole in entries]
                for i in range(cells[k], cells[k + 1])
            ]
            row = cell[begin:end] - cells[k]
            people = problem.people[cells[k] : cells[k + 1]]
            beliefs.append(GroupBeliefs(g, row, people, codes[own].astype(np.int32), shares))
        return beliefs

    def _solution(self, problem: CellProblem, limits: Limits) -> _Solution | None:
        key = (limits, *(each.tobytes() for each in problem), problem.histograms.shape)
        if key in self.solved:
            return self.solved[key]
        most = min(MOST_TABLES, min(BUDGET, self.solver.work) // problem.cost)
        try:
            counted = count_problem(problem, limits, most)
        except ValueError:
            raise CannotRun(NO_WORLD) from None
        solution = None
        if counted is not None:
            self.solver.work -= counted.work
            solution = _Solution(problem.people.tolist(), counted)
        self.solved[key] = solution
        return solution

    def _rare(
        self,
        people: Counts,
        pool: NDArray[np.int64],
        inside: NDArray[np.bool_],
        histograms: Counts,
        fixed: Counts,
    ) -> NDArray[np.bool_] | None:
        """Say which values have too few people to break any child; None: one at most.

        Where shares are bounded and nothing else, it does not matter which of them a person has.
        """
        if self.solver.bound is None:
            return None
        starts = np.searchsorted(pool, np.arange(len(histograms)))
        own = np.add.reduceat(inside * people, starts, axis=1)  # (n_children, n_groups)
        most = fixed + np.minimum(histograms, own[:, :, np.newaxis]).sum(axis=1)
        sizes = fixed.sum(axis=1) + own.sum(axis=1)
        limit = self.limits.numerator * sizes[:, np.newaxis]
        rare = np.asarray((self.limits.denominator * most <= limit).all(axis=0))
        return rare if rare.sum() > 1 else None
