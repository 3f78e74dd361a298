"""Greedy grouping: the risk of every bucket against listing every world, and its limits."""

import math
from fractions import Fraction

import pytest

import naive.minimality
from sfumato.formulas.minimality.buckets import bucket_risk, exact_bucket_risk


@pytest.mark.parametrize("p", [Fraction(0), Fraction(1, 2), Fraction(13, 20)])
@pytest.mark.parametrize("l", [1, 2, 3, 4])
@pytest.mark.parametrize("m", [1, 2, 3, 4, 5])
def test_every_world_counts(l, m, p):
    for n_sensitive in range(m + 1):
        expected = naive.minimality.bucket_risk(l, m, p, n_sensitive)
        if expected is None:
            with pytest.raises(ValueError, match="cannot end with"):
                exact_bucket_risk(l, m, p, n_sensitive)
        else:
            assert exact_bucket_risk(l, m, p, n_sensitive) == expected


def test_theorem_6_sharper():
    """The first bucket's risk grows to (l / (l - 1))^(l - 1) / l, and stays below e / l."""
    for l, limit in zip(range(2, 7), [2, 2.25, 2.370, 2.441, 2.488], strict=True):
        exact = (l / (l - 1)) ** (l - 1)
        assert exact == pytest.approx(limit, abs=5e-4)
        risks = [l * bucket_risk(l, m)[0] for m in (2, 5, 20, 100)]
        assert risks == sorted(risks)
        assert risks[0] == pytest.approx(2)
        assert exact - 0.02 < risks[-1] <= exact < math.e


def test_randomized_grouping_lowers_the_risk_but_not_to_the_promise():
    """The paper calls p = 0.65 safe at l = 6; exactly, it is not."""
    found = [6 * bucket_risk(6, m, p=0.65)[0] for m in (2, 3, 4)]
    assert found == pytest.approx([1.109, 1.201, 1.281], abs=5e-4)
    for m in (2, 3, 4):
        risks = [bucket_risk(6, m, p)[0] for p in (0, 0.2, 0.4, 0.6, 0.65, 0.99)]
        assert risks == sorted(risks, reverse=True)
        assert risks[-1] > 1 / 6


def test_theorem_7_fails_below_for_fewer_sensitive_people():
    assert bucket_risk(6, 3, p=0.5, n_sensitive=1)[0] < 1 / 6


def test_beliefs_add_up_to_the_sensitive_people():
    for n_sensitive in (2, 3, 4):
        risks = exact_bucket_risk(5, 4, Fraction(1, 3), n_sensitive)
        assert 5 * sum(risks) == n_sensitive


@pytest.mark.parametrize("wrong", [(0, 2, 0, None), (2, 0, 0, None), (2, 2, 1, None), (2, 2, 0, 3)])
def test_what_cannot_be_is_refused(wrong):
    with pytest.raises(ValueError, match=r"at least|at most"):
        bucket_risk(*wrong)
