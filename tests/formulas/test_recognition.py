"""Distinction, separation and Shapley's shares against pairs and orders, one by one."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.recognition
from profiles import examples
from sfumato.formulas.measures.loss import coverage_loss, exact_loss, information_loss
from sfumato.formulas.measures.recognition import (
    distinction,
    n_below,
    people_per_group,
    prosecutor,
    separation,
    shapley,
)

SIZES = st.lists(st.integers(1, 6), min_size=1, max_size=6)


def people(sizes):
    """Rows of one column that make groups of these sizes."""
    return [(group,) for group, size in enumerate(sizes) for _ in range(size)]


@given(SIZES, st.integers(1, 8))
def test_every_share_is_that_of_the_rows(sizes, k):
    rows, counts = people(sizes), np.array(sizes, dtype=np.int64)
    assert distinction(counts) == naive.recognition.right_guesses(rows, [0])
    assert distinction(counts) == Fraction(len(set(rows)), len(rows))
    assert separation(counts) == naive.recognition.separation(rows, [0])
    assert n_below(counts, k) == naive.recognition.people_below(rows, [0], k)
    assert prosecutor(counts) == max(Fraction(1, size) for size in sizes)
    assert people_per_group(counts) == Fraction(sum(sizes), len(sizes))


@examples(60)
@given(
    st.integers(0, 4).flatmap(lambda n: st.lists(st.integers(-9, 9), min_size=2**n, max_size=2**n))
)
def test_shapley_is_the_average_over_all_orders(worth):
    members = range(len(worth).bit_length() - 1)
    expected = naive.recognition.shapley(lambda chosen: worth[sum(1 << j for j in chosen)], members)
    found = shapley(worth)
    assert found == [expected[j] for j in members]
    assert sum(found) == worth[-1] - worth[0]


@pytest.mark.parametrize("n", [0, 3, 6])
def test_shapley_refuses_what_are_not_all_sets(n):
    with pytest.raises(ValueError, match=f"{n} sets are not all sets"):
        shapley([1] * n)


def test_one_row_makes_no_pair():
    one = np.array([1])
    assert separation(one) == 0
    assert distinction(one) == prosecutor(one) == people_per_group(one) == 1
    assert n_below(one, 2) == 1


def test_nobody_is_at_no_risk():
    nobody = np.zeros(0, dtype=np.int64)
    shares = [distinction, separation, prosecutor, people_per_group]
    assert [share(nobody) for share in shares] == [0] * 4
    assert n_below(nobody, 5) == 0


def test_counts_beyond_machine_integers_are_exact():
    big = 2**40
    sizes = np.array([big, big, 1])
    n = 2 * big + 1
    assert distinction(sizes) == Fraction(3, n)
    assert separation(sizes) == Fraction(2 * (big * big + 2 * big), n * (n - 1))
    assert n_below(sizes, 10**30) == n


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 7)), min_size=1, max_size=6))
def test_the_exact_loss_of_a_column_is_the_one_in_use(values):
    counts, coverage = (np.array(each) for each in zip(*values, strict=True))
    boxes = np.stack([np.zeros_like(coverage), coverage - 1], axis=1)[:, np.newaxis]
    found = exact_loss(counts, coverage, 7)
    expected = information_loss(coverage_loss(boxes, [7]), counts, np.ones(1))
    assert float(found) == pytest.approx(expected)
    lost = [Fraction(c - 1, 6) for n, c in values for _ in range(n)]
    assert found == sum(lost) / len(lost)


def test_a_column_of_one_value_has_nothing_to_lose_exactly():
    assert exact_loss(np.array([3]), np.array([1]), 1) == 0
