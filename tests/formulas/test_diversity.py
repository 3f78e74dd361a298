"""Entropy and shares of whole histograms against one group at a time."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import naive.criteria
from profiles import examples
from sfumato.data.groups import Histogram
from sfumato.formulas.measures.diversity import entropy, entropy_diverse, head_and_tail

# Rows of counts over three values.
ROWS = st.lists(st.lists(st.integers(0, 12), min_size=3, max_size=3), min_size=1, max_size=6)


def filled(row):
    return [count for count in row if count]


@given(ROWS)
def test_entropy_is_that_of_the_shares(rows):
    found = entropy(Histogram.from_dense(rows))
    for row, value in zip(rows, found, strict=True):
        shares = [count / sum(row) for count in filled(row)]
        assert value == pytest.approx(-sum(p * math.log(p) for p in shares), abs=1e-12)
        assert value >= 0


@examples(200)
@given(ROWS, st.fractions(1, 4, max_denominator=8))
@example([[5, 5, 0], [5, 4, 0], [5, 6, 0], [1, 1, 1], [9, 0, 0], [0, 0, 0]], Fraction(2))
def test_each_group_is_judged_exactly(rows, l):
    expected = [
        naive.criteria.entropy_at_least(filled(row), l) if any(row) else l <= 1 for row in rows
    ]
    assert entropy_diverse(Histogram.from_dense(rows), l).tolist() == expected


@pytest.mark.parametrize("count", [1, 10**6, 2**53, 2**60])
@pytest.mark.parametrize("m", [2, 3, 7, 10])
def test_uniform_groups_are_ties_at_any_size(count, m):
    rows = [[count] * m + [0], [0] + [count] * m]
    assert entropy_diverse(Histogram.from_dense(rows), Fraction(m)).tolist() == [True, True]
    above = m + Fraction(1, 10**9)
    assert entropy_diverse(Histogram.from_dense(rows), above).tolist() == [False, False]


def test_near_ties_that_a_float_cannot_tell_are_decided():
    """The entropies of these groups differ from log 2 by less than 10^-15."""
    big = 2**30
    rows = [[big, big], [big, big + 2], [big - 2, big]]
    assert np.unique(entropy(Histogram.from_dense(rows)).round(14)).size == 1
    assert entropy_diverse(Histogram.from_dense(rows), Fraction(2)).tolist() == [True, False, False]


@pytest.mark.parametrize("l", [Fraction(10**30), Fraction(10**20 + 1, 10**20)], ids=str)
def test_thresholds_beyond_machine_integers_are_judged_too(l):
    expected = [naive.criteria.entropy_at_least([2, 2], l), naive.criteria.entropy_at_least([4], l)]
    assert entropy_diverse(Histogram.from_dense([[2, 2], [4, 0]]), l).tolist() == expected


@given(ROWS, st.integers(1, 5))
def test_head_and_tail_are_the_largest_count_and_the_sum_from_the_lth_on(rows, l):
    head, tail = head_and_tail(Histogram.from_dense(rows), l)
    ordered = [sorted(row, reverse=True) for row in rows]
    assert head.tolist() == [row[0] for row in ordered]
    assert tail.tolist() == [sum(row[l - 1 :]) for row in ordered]
