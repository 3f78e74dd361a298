"""Methods are run so many times; every lot they draw counts as often as it comes."""

from fractions import Fraction

import numpy as np
import pytest

from sfumato.algorithms.lots import drawn_order
from sfumato.attacks.mechanism.budget import Budget
from sfumato.errors import CannotRun


def first_of(*kinds):
    return lambda draw: kinds[int(drawn_order(np.array(kinds), draw)[0])]


@pytest.mark.parametrize("kinds", [(0,), (0, 1), (0, 0, 1), (0, 1, 1, 2)])
def test_an_outcome_is_as_likely_as_it_is_frequent_among_all_orders(kinds):
    chances = Budget(100, "").chances(first_of(*kinds))
    assert chances == {kind: Fraction(kinds.count(kind), len(kinds)) for kind in set(kinds)}


@pytest.mark.parametrize("counted", [False, True])
def test_runs_are_paid_for_and_one_is_free_where_the_world_was_counted(counted):
    budget = Budget(5, "too many")
    budget.chances(first_of(0, 1), counted=counted)
    assert budget.left == 3 + counted
    with pytest.raises(CannotRun, match="too many"):
        budget.chances(first_of(0, 1, 2), counted=counted)


def test_as_many_worlds_may_be_looked_at_as_were_allowed():
    budget = Budget(3, "too many")
    budget.spend(3)
    with pytest.raises(CannotRun, match="too many"):
        budget.spend(1)
