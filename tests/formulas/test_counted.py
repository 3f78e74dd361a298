"""Worlds counted by compiled loops: against enumeration, and against tables of counts."""

from fractions import Fraction

import numpy as np
import pytest

import naive.minimality
from sfumato.formulas.minimality import counted
from sfumato.formulas.minimality.counted import CellProblem, Limits, count_problem
from sfumato.formulas.minimality.kernels import count_tables
from sfumato.formulas.minimality.posterior import RejectedStep, posterior

MANY = 10**9


def generated(rng, most_groups, most_people):
    """Give groups with cells and values, steps with children in some cells, and others there."""
    n_groups, n_values = int(rng.integers(1, most_groups + 1)), int(rng.integers(1, 5))
    pool, people, histograms = [], [], []
    for g in range(n_groups):
        sizes = rng.integers(1, 3, int(rng.integers(1, 4)))
        sizes[0] += int(rng.integers(0, max(1, most_people - sizes.sum() + 1)))
        pool += [g] * len(sizes)
        people += sizes.tolist()
        values = rng.integers(0, n_values, sizes.sum())
        histograms.append(np.bincount(values, minlength=n_values))
    n_cells = len(people)
    children, fixed, step = [], [], []
    for s in range(int(rng.integers(1, 4))):
        for _ in range(int(rng.integers(1, 4))):
            row = np.zeros(n_cells, dtype=bool)
            row[rng.choice(n_cells, int(rng.integers(1, n_cells + 1)), replace=False)] = True
            children.append(row)
            fixed.append(rng.integers(0, 2, n_values) * int(rng.integers(0, 2)))
            step.append(s)
    return CellProblem(
        np.array(people),
        np.array(pool),
        np.array(histograms),
        np.array(children),
        np.array(step),
        np.array(fixed),
    )


def generated_limits(rng, n_values):
    """Give any of the three thresholds; the share of some values only."""
    least = int(rng.integers(0, 4))
    share = [Fraction(1, 2), Fraction(2, 3), Fraction(1, 3)][int(rng.integers(3))]
    n_bounded = int(rng.integers(0, n_values + 1))
    return Limits(least, *share.as_integer_ratio(), n_bounded, int(rng.integers(0, 4)))


def breaking(limits):
    """Say the same of lists of values."""

    def broken(child):
        shares = [Fraction(child.count(v), len(child)) for v in range(limits.n_bounded)]
        return (
            len(child) < limits.people
            or max(shares, default=0) > Fraction(limits.numerator, limits.denominator)
            or len(set(child)) < limits.n_different
        )

    return broken


def in_words(problem):
    """Give a problem as the twin takes it."""
    names = range(len(problem.histograms))
    cells = [
        [c for c in np.flatnonzero(problem.pool == g).tolist() for _ in range(problem.people[c])]
        for g in names
    ]
    values = [np.repeat(np.arange(len(row)), row).tolist() for row in problem.histograms]
    steps = {}
    for row, s, others in zip(problem.children, problem.step, problem.fixed, strict=True):
        own = set(np.flatnonzero(row).tolist())
        around = np.repeat(np.arange(len(others)), others).tolist()
        steps.setdefault(int(s), []).append((own, around))
    return cells, values, list(steps.values())


@pytest.fixture(params=["at once", "found out first"])
def _way(request, monkeypatch):
    """Numbers that need few primes are counted at once, others when it is known to be possible."""
    monkeypatch.setattr(counted, "FEW", 100 if request.param == "at once" else 0)


@pytest.mark.usefixtures("_way")
@pytest.mark.parametrize("seed", range(6))
def test_small_problems_are_exactly_what_all_worlds_say(seed):
    rng = np.random.default_rng(seed)
    n_impossible = 0
    for _ in range(60):
        problem = generated(rng, 3, 4)
        limits = generated_limits(rng, problem.histograms.shape[1])
        n_worlds, sums = naive.minimality.counted_worlds(*in_words(problem), breaking(limits))
        if not n_worlds:
            n_impossible += 1
            with pytest.raises(ValueError, match="in no world"):
                count_problem(problem, limits, MANY)
            continue
        found = count_problem(problem, limits, MANY)
        assert found.n_worlds == n_worlds
        for cell, row in enumerate(found.sums):
            assert row == [sums[cell][v] for v in range(len(row))]
    assert 0 < n_impossible < 60


@pytest.mark.parametrize("seed", range(4))
def test_numbers_of_many_digits_are_those_of_tables_of_counts(seed):
    rng = np.random.default_rng(seed)
    n_long = 0
    for _ in range(20):
        problem = generated(rng, 3, 50)
        share = Fraction(1, 2)
        limits = Limits(0, *share.as_integer_ratio(), problem.histograms.shape[1], 2)

        def breaks(found):
            sizes = found.sum(axis=1)
            return (2 * found.max(axis=1) > sizes) | ((found > 0).sum(axis=1) < 2)

        steps = [
            RejectedStep(problem.children[problem.step == s], problem.fixed[problem.step == s])
            for s in np.unique(problem.step)
        ]
        try:
            slow = posterior(
                problem.people,
                problem.histograms,
                steps,
                breaks,
                pool=problem.pool,
                samples=False,
            )
        except ValueError:
            with pytest.raises(ValueError, match="in no world"):
                count_problem(problem, limits, MANY)
            continue
        if slow.expected is None:
            continue
        found = count_problem(problem, limits, MANY)
        n_long += found.n_worlds > 2**64
        for cell, row in enumerate(found.sums):
            # Cells in the same children are one there, and share what it has.
            whole = slow.expected[slow.cell[cell]] / int(slow.people[slow.cell[cell]])
            expected = [Fraction(n, found.n_worlds * int(problem.people[cell])) for n in row]
            assert expected == whole.tolist()
    assert n_long


def test_what_has_few_tables_is_counted_and_what_has_many_is_not(monkeypatch):
    rng = np.random.default_rng(0)
    monkeypatch.setattr(counted, "MOST_COUNTS", 0)
    for _ in range(60):
        problem = generated(rng, 3, 5)
        n_tables = int(
            np.prod(
                [
                    len(counts_of(problem, g, row))
                    for g, row in enumerate(problem.histograms.tolist())
                ]
            )
        )
        assert count_tables(*problem[:3], MANY) == n_tables
        limits = Limits(0, 1, 1, 0, 100)  # every child breaks
        assert count_problem(problem, limits, n_tables) is not None
        assert count_problem(problem, limits, n_tables - 1) is None


def counts_of(problem, g, histogram):
    """Every different table of counts of one group."""
    cells = np.repeat(np.flatnonzero(problem.pool == g), problem.people[problem.pool == g])
    values = np.repeat(np.arange(len(histogram)), histogram).tolist()
    return {
        tuple(sorted(zip(cells.tolist(), order, strict=True)))
        for order in naive.minimality.deals(values)
    }


def test_numbers_too_long_for_the_primes_are_refused():
    problem = CellProblem(
        np.array([5_000, 5_000]),
        np.array([0, 0]),
        np.array([[5_000, 5_000]]),
        np.array([[True, False]]),
        np.array([0]),
        np.array([[0, 0]]),
    )
    with pytest.raises(OverflowError, match="too long"):
        count_problem(problem, Limits(0, 1, 2, 2, 0), MANY)
