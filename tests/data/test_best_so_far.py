"""How far a search got, read back from files that may be damaged."""

import json
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sfumato.data.recoding import BestSoFar

NUMBERS = st.integers() | st.integers(-(10**400), 10**400) | st.floats() | st.sampled_from([0, 0.0])


@given(NUMBERS, NUMBERS)
def test_what_was_read_back_can_be_told(cost, least):
    read = BestSoFar.from_json({"by": "loss", "cost": cost, "least": least})
    if read is None:
        assert not least <= cost or max(abs(cost), abs(least)) > 1e300
        return
    assert read.gap >= 0
    assert read.proved == (read.gap == 0)
    assert str(read.by) in read.in_words
    assert BestSoFar.from_json(json.loads(json.dumps(read.to_json()))) == read


@pytest.mark.parametrize(
    ("cost", "least"), [(9, 10), (-10, -9), (float("nan"), 0), (float("inf"), 0), (0, -(10**400))]
)
def test_costs_that_no_search_finds_are_damage(cost, least):
    assert BestSoFar.from_json({"by": "loss", "cost": cost, "least": least}) is None


@given(st.fractions(), st.fractions())
@example(Fraction(10**17 + 1, 10), Fraction(10**17, 10))
@example(Fraction(2**53 + 1), Fraction(2**54 + 1, 2))
def test_only_what_is_proved_has_no_gap(one, other):
    cost, least = max(one, other), min(one, other)
    assert BestSoFar.of("loss", cost, least).proved == (cost == least)


def test_what_costs_nothing_is_proved():
    assert BestSoFar("loss", 0, 0).in_words == "0 by loss, proved: nothing is below"
