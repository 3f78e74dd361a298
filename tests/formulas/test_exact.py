"""Thresholds: decided by integers, whatever floats would say."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import naive.criteria
from profiles import examples
from sfumato.formulas.exact import at_most, below, entropy_at_least, largest_ratio
from sfumato.parameters import fraction

COUNTS = st.lists(st.integers(1, 40), min_size=1, max_size=6)


def exponential_of_entropy(counts):
    n = sum(counts)
    return math.exp(math.log(n) - sum(c * math.log(c) for c in counts) / n)


# ---------------------------------------------------------------------------------------- at_most

SHARES = st.one_of(
    st.fractions(0, 1, max_denominator=12),
    st.fractions(0, 1, max_denominator=10**9),
    st.fractions(0, 1, max_denominator=10**30),
)
PAIRS = st.lists(
    st.tuples(st.integers(0, 2**62), st.integers(1, 2**62)).map(sorted),
    min_size=1,
    max_size=6,
)


def arrays(pairs):
    counts = np.array([count for count, _ in pairs], dtype=np.int64)
    return counts, np.array([size for _, size in pairs], dtype=np.int64)


def judged(pairs, share):
    return at_most(*arrays(pairs), share).tolist()


@examples(300)
@given(PAIRS, SHARES)
def test_shares_are_compared_as_integers(pairs, share):
    assert judged(pairs, share) == [count <= share * size for count, size in pairs]
    assert below(*arrays(pairs), share).tolist() == [c < share * size for c, size in pairs]


@pytest.mark.parametrize("third", [1, 2**53 // 3, 2**53 + 1, 2**60 + 1])
def test_exactly_a_third_is_at_most_a_third_and_a_person_less_makes_it_more(third):
    pairs = [(third, 3 * third), (third, 3 * third - 1), (third, 3 * third + 1)]
    assert judged(pairs, Fraction(1, 3)) == [True, False, True]
    assert judged(pairs, fraction(1 / 3)) == [True, False, True]
    assert below(*arrays(pairs), fraction(1 / 3)).tolist() == [False, False, True]


@pytest.mark.parametrize("size", [10, 10 * 2**53, 10 * (2**53 + 1), 2**62 // 10 * 10])
def test_three_tenths_are_at_most_the_sum_of_a_tenth_and_two_tenths(size):
    share = size // 10 * 3
    pairs = [(share, size), (share + 1, size), (share, size - 1)]
    assert judged(pairs, fraction(0.1 + 0.2)) == [True, False, False]


@pytest.mark.parametrize("count", [2**61, 2**62, 2**63 - 1])
def test_products_beyond_64_bits_do_not_wrap_around(count):
    share = Fraction(10**9 - 1, 10**9)
    assert judged([(count, count), (count - 1, count)], share) == [False, False]
    assert judged([(count, count), (0, count)], Fraction(1)) == [True, True]
    assert judged([(1, count)], Fraction(1, count)) == [True]
    assert judged([(1, count - 1)], Fraction(1, count)) == [False]


def test_nothing_to_judge_is_no_judgement():
    assert judged([], Fraction(1, 2)) == []


# ---------------------------------------------------------------------------------- largest_ratio


@given(PAIRS)
def test_the_largest_ratio_is_exact(pairs):
    assert largest_ratio(*arrays(pairs)) == max(Fraction(count, size) for count, size in pairs)


def test_the_largest_ratio_is_found_where_floats_say_another_one_is_larger():
    one, other = (2**53 - 1, 2**54), (2**53 + 1, 2**54 + 3)
    assert float(one[0]) / float(one[1]) > float(other[0]) / float(other[1])
    assert largest_ratio(*arrays([one, other])) == Fraction(*other)


def test_without_groups_there_is_no_ratio_and_over_nobody_it_is_infinite():
    assert largest_ratio(*arrays([])) is None
    assert largest_ratio(*arrays([(1, 2), (1, 0)])) == math.inf


# ------------------------------------------------------------------------------- entropy_at_least


@examples(300)
@given(COUNTS, st.fractions(1, 7, max_denominator=20))
@example([4, 1, 1, 1, 1], Fraction(4))  # not uniform, and e to its entropy is exactly 4
@example([8, 2, 2, 2, 2], Fraction(4))
@example([2, 1, 1], Fraction(3))
def test_entropy_is_compared_as_integers_are(counts, l):
    assert entropy_at_least(np.array(counts), l) == naive.criteria.entropy_at_least(counts, l)


@examples(300)
@given(COUNTS, st.sampled_from([10, 10**4, 10**6, 10**9]))
def test_entropy_is_compared_as_integers_are_next_to_a_tie(counts, denominator):
    """The threshold is the fraction nearest to what is achieved, on either side of it."""
    near = Fraction(exponential_of_entropy(counts)).limit_denominator(denominator)
    l = max(Fraction(1), near)
    assert entropy_at_least(np.array(counts), l) == naive.criteria.entropy_at_least(counts, l)


@given(st.integers(1, 60), st.one_of(st.integers(1, 10**6), st.sampled_from([2**53, 2**53 + 1])))
def test_a_uniform_group_of_m_values_reaches_exactly_m(m, count):
    counts = np.full(m, count, dtype=np.int64)
    assert entropy_at_least(counts, Fraction(m))
    assert not entropy_at_least(counts, m + Fraction(1, 10**9))
    assert m == 1 or entropy_at_least(counts, m - Fraction(1, 10**9))


@pytest.mark.parametrize("count", [2, 10**3, 10**9, 2**40, 2**53])
def test_a_group_that_is_a_person_short_of_uniform_does_not_reach_two(count):
    assert not entropy_at_least(np.array([count, count - 1]), Fraction(2))
    assert not entropy_at_least(np.array([count, count + 2]), Fraction(2))
    assert entropy_at_least(np.array([count, count]), Fraction(2))


@pytest.mark.parametrize("scale", [1, 7, 10**6, 2**50])
def test_a_tie_needs_no_uniform_group(scale):
    counts = np.array([4, 1, 1, 1, 1], dtype=np.int64) * scale
    assert entropy_at_least(counts, Fraction(4))
    assert not entropy_at_least(counts, 4 + Fraction(1, 10**9))


@given(COUNTS)
def test_every_group_reaches_one_and_none_more_than_its_number_of_values(counts):
    assert entropy_at_least(np.array(counts), Fraction(1))
    assert not entropy_at_least(np.array(counts), len(counts) + Fraction(1, 10**9))


@pytest.mark.parametrize(
    ("counts", "l"),
    [
        pytest.param([2**61 - 1, 2**61 - 3], Fraction(2), id="large counts"),
        pytest.param([5, 5], Fraction("2.00000000000000000000000000057"), id="a long threshold"),
    ],
)
def test_near_ties_of_large_numbers_are_decided_at_once(counts, l):
    assert not entropy_at_least(np.array(counts), l)


def test_a_group_of_nobody_reaches_nothing_above_one():
    nobody = np.zeros(0, dtype=np.int64)
    assert entropy_at_least(nobody, Fraction(1))
    assert not entropy_at_least(nobody, Fraction(2))
