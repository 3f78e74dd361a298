"""Signs of differences of logarithms, where floats cannot tell."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.formulas.logarithms import compare_ln, compare_log2

LN_2 = "0.6931471805599453094172321214581765680755001343602552541206800094933936219696947156058"
LOG2_3 = (
    "1.58496250072115618145373894394781650875981440769248106045575265454109822779435856252228047"
)


@pytest.mark.parametrize("digits", [5, 20, 40, 80])
def test_a_logarithm_is_told_from_its_own_first_digits(digits):
    """Cut off it is larger than these, and smaller than these with 1 more in the last place."""
    for compare, number, written in (
        (compare_ln, Fraction(2), LN_2),
        (compare_log2, Fraction(3), LOG2_3),
    ):
        low = Fraction(written[: digits + 2])
        high = low + Fraction(1, 10**digits)
        assert (compare(number, low), compare(number, high)) == (1, -1)
        assert (compare(1 / number, -low), compare(1 / number, -high)) == (-1, 1)


@given(st.integers(-80, 80), st.integers(-3, 3))
def test_powers_of_two_tie_and_their_neighbours_do_not(power, beside):
    number = Fraction(2) ** power * (1 + Fraction(beside, 10**40))
    assert compare_log2(number, Fraction(power)) == (beside > 0) - (beside < 0)


@given(
    st.fractions(Fraction(1, 50), 50, max_denominator=50),
    st.fractions(-6, 6, max_denominator=12),
)
def test_a_binary_logarithm_is_compared_as_powers_are(number, bound):
    """log2 x against a / b is x^b against 2^a."""
    left, right = number**bound.denominator, Fraction(2) ** bound.numerator
    assert compare_log2(number, bound) == (left > right) - (left < right)


@given(
    st.fractions(Fraction(1, 10**6), 10**6, max_denominator=10**6),
    st.fractions(-20, 20, max_denominator=10**3),
)
def test_a_natural_logarithm_is_compared_as_floats_are_where_they_can(number, bound):
    difference = math.log(number) - float(bound)
    if abs(difference) > 1e-9:
        assert compare_ln(number, bound) == (1 if difference > 0 else -1)
    elif number == 1:
        assert compare_ln(number, bound) == (0 if bound == 0 else (-1 if bound > 0 else 1))


def test_what_is_far_away_costs_nothing():
    assert compare_log2(Fraction(3), Fraction(10**300, 7)) == -1
    assert compare_log2(Fraction(3), Fraction(-(10**300), 7)) == 1
