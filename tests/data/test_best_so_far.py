"""How far a search got, read back from files that may be damaged."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.recoding import BestSoFar

NUMBERS = st.integers() | st.integers(-(10**400), 10**400) | st.floats() | st.sampled_from([0, 0.0])


@given(NUMBERS, NUMBERS)
def test_what_was_read_back_can_be_told(cost, least):
    read = BestSoFar.from_json({"by": "loss", "cost": cost, "least": least})
    if read is None:
        assert not 0 <= least <= cost or cost > 1e308
        return
    assert read.gap >= 0
    assert read.proved == (read.gap == 0)
    assert str(read.by) in read.in_words
    assert BestSoFar.from_json(json.loads(json.dumps(read.to_json()))) == read


@pytest.mark.parametrize(
    ("cost", "least"), [(0, -10), (-1, -10), (9, 10), (float("nan"), 0), (float("inf"), 0)]
)
def test_costs_that_no_search_finds_are_damage(cost, least):
    assert BestSoFar.from_json({"by": "loss", "cost": cost, "least": least}) is None


def test_what_costs_nothing_is_proved():
    assert BestSoFar("loss", 0, 0).in_words == "0 by loss, proved: nothing is below"
