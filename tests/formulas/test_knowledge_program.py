"""Five statistics against the program of Chen 2009, appendix A.3, which spreads who is known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.knowledge
from profiles import examples
from sfumato.data.groups import Histogram
from sfumato.formulas.knowledge.breach import (
    Point,
    breaches,
    largest_breach,
    minima,
    of_value,
    statistics,
)


def release(groups, n_values):
    dense = [[counts.get(value, 0) for value in range(n_values)] for _, counts in groups]
    return Histogram.from_dense(dense), np.array([n for n, _ in groups], dtype=np.int64)


@st.composite
def releases(draw, case):
    n_values = draw(st.integers(2, 7))
    groups = []
    for _ in range(draw(st.integers(1, 7))):
        counts = draw(st.lists(st.integers(0, 15), min_size=n_values, max_size=n_values))
        counts = counts if any(counts) else [1] * n_values
        if case == "single":
            n = sum(counts)
        elif case == "set":
            n = draw(st.integers(max(counts), max(counts) + 20))
        else:
            n = draw(st.integers(1, 30))
        groups.append((n, {value: count for value, count in enumerate(counts) if count}))
    return groups, n_values


POINTS = st.tuples(st.integers(0, 4), st.integers(0, 5), st.integers(0, 5))


@pytest.mark.parametrize("case", ["single", "set", "multiset"])
@examples(25)
@given(data=st.data(), point=POINTS)
def test_congregated_knowledge_is_as_bad_as_any_spread_over_groups(case, data, point):
    groups, n_values = data.draw(releases(case))
    histogram, sizes = release(groups, n_values)
    expected = [naive.knowledge.breach_by_program(groups, v, *point, case) for v in range(n_values)]
    for value in np.unique(histogram.codes).tolist():
        assert of_value(histogram, sizes, value, Point(*point), case).breach == expected[value]
    assert largest_breach(histogram, sizes, Point(*point), case)[0] == max(expected)


@pytest.mark.parametrize("point", [(3, 4, 4), (0, 6, 3), (5, 2, 0)])
def test_floats_of_many_groups_are_those_of_the_program(point):
    """Groups of 100 with 20 values, as in the paper's figure 6, but fewer of them."""
    counts = np.random.default_rng(3).multinomial(100, [1 / 20] * 20, size=12)
    histogram, sizes = Histogram.from_dense(counts), np.full(12, 100)
    five = statistics(histogram, sizes, *point)
    groups = [(100, dict(enumerate(row.tolist()))) for row in counts]
    for value in (0, 7, 19):
        ss = five[histogram.codes == value].min(axis=0)
        odds = min(ss[0], ss[1] * ss[4], ss[2] * ss[3])
        expected = naive.knowledge.breach_by_program(groups, value, *point)
        assert 1 / (1 + odds) == pytest.approx(float(expected), rel=1e-9)


@examples(100)
@given(data=st.data(), point=POINTS, scale=st.sampled_from([1, 1, 7, 400]))
def test_one_pass_over_all_groups_gives_the_exact_breach_of_every_value(data, point, scale):
    groups, n_values = data.draw(releases("single"))
    groups = [(n * scale, {v: c * scale for v, c in counts.items()}) for n, counts in groups]
    histogram, sizes = release(groups, n_values)
    found = breaches(histogram, sizes, Point(*point))
    for value in range(n_values):
        expected = of_value(histogram, sizes, value, Point(*point)).breach
        assert found[value] == pytest.approx(float(expected), rel=1e-9)
        assert (found[value] == 1) == (expected == 1)


def test_the_five_minima_are_those_of_the_entries():
    counts = np.random.default_rng(4).multinomial(90, np.arange(1, 13) / 78, size=300)
    histogram, sizes = Histogram.from_dense(counts), np.full(300, 90)
    for point in [(0, 0, 0), (3, 5, 2), (10, 32, 10), (11, 1, 1), (50, 200, 200)]:
        five = statistics(histogram, sizes, *point)
        expected = [five[histogram.codes == value].min(axis=0) for value in range(12)]
        np.testing.assert_allclose(minima(histogram, sizes, Point(*point)), expected, rtol=1e-12)
