"""Programs in whole numbers against trying everything."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from profiles import examples
from sfumato.formulas.correspondence.integer_program import IntegerProgram

SIGNS = st.integers(-1, 1)


@st.composite
def programs(draw):
    n = draw(st.integers(1, 5))
    row = st.lists(st.integers(0, 1), min_size=n, max_size=n)
    sums = [*draw(st.lists(row, max_size=3)), [1] * n]  # the last keeps it finite
    some = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    growth = draw(st.lists(st.lists(SIGNS, min_size=n, max_size=n), max_size=3))
    need = np.array(sums) @ some
    if draw(st.booleans()):
        need[draw(st.integers(0, len(need) - 1))] += 1
    gain = draw(st.lists(st.integers(-2, 2), min_size=n, max_size=n))
    return np.array(sums), need, np.array(growth, dtype=int).reshape(-1, n), np.array(gain)


@examples(150)
@given(programs())
def test_the_best_is_the_best_of_all(program):
    sums, need, growth, gain = program
    every = (
        np.array(x)
        for x in itertools.product(range(int(need.max()) + 1), repeat=len(gain))
        if sum(x) == need[-1]
    )
    fitting = [x for x in every if (sums @ x == need).all() and (growth @ x >= 0).all()]
    best = IntegerProgram(csr_array(sums), need, csr_array(growth)).best(gain)
    if best is None:
        assert not fitting
    else:
        assert any((best == x).all() for x in fitting)
        assert best @ gain == max(x @ gain for x in fitting)


@pytest.mark.parametrize("n", [3, 5, 7])
def test_halves_are_refused(n):
    # Of n neighbours in a circle no two may be chosen: n / 2 in fractions, less in whole numbers.
    ring = np.array([[int(j in (k, (k + 1) % n)) for j in range(n)] for k in range(n)])
    sums = np.hstack([ring, np.eye(n, dtype=int)])
    gain = np.array([1] * n + [0] * n)
    program = IntegerProgram(csr_array(sums), np.ones(n, int), csr_array((0, 2 * n), dtype=int))
    best = program.best(gain)
    assert best is not None
    assert best @ gain == n // 2
