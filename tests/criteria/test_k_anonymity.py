"""k-anonymity: groups of at least k people."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.criteria
import sfumato as sf
from sfumato.criteria import CRITERIA
from sfumato.errors import BadInput, shown

SIZES = st.lists(st.integers(1, 9), max_size=8)


@given(SIZES, st.integers(1, 10))
def test_a_group_holds_when_it_has_k_people(sizes, k):
    twin = naive.criteria.k_anonymity(k)
    assert sf.KAnonymity(k).holds(sf.Groups(sizes)).tolist() == [twin([()] * n) for n in sizes]


@given(SIZES, st.integers(1, 10))
def test_what_is_measured_is_the_largest_k_that_holds(sizes, k):
    groups, criterion = sf.Groups(sizes), sf.KAnonymity(k)
    if not sizes:
        assert criterion.measure(groups) is None
        return
    found = criterion.measure(groups)
    assert sf.KAnonymity(found).holds(groups).all()
    assert not sf.KAnonymity(found + 1).holds(groups).all()
    assert criterion.holds(groups).all() == (found >= criterion.promised())


def test_sizes_beyond_what_a_float_holds_are_told_apart():
    groups = sf.Groups([2**53, 2**53 + 1])
    assert sf.KAnonymity(2**53 + 1).holds(groups).tolist() == [False, True]
    assert sf.KAnonymity(2**70).holds(groups).tolist() == [False, False]
    assert sf.KAnonymity(2**53 + 1).measure(groups) == 2**53


def test_no_sensitive_value_matters():
    groups = sf.Groups([3], [[3, 0]], ["HIV", "flu"])
    assert sf.KAnonymity(3).holds(groups).tolist() == [True]
    assert not sf.KAnonymity(3).looks_at_values


def test_more_people_never_break_it():
    assert sf.KAnonymity(5).monotone(suppression=True)
    assert sf.KAnonymity(5).monotone(suppression=False)


@pytest.mark.parametrize("k", [0, -1, 2.0, 2.5, "5", None, True, float("nan"), [3]])
def test_k_is_a_whole_number_from_one(k):
    with pytest.raises(BadInput) as caught:
        sf.KAnonymity(k)
    assert str(caught.value) == f"KAnonymity: k must be an integer >= 1, got {shown(k)}"


def test_k_may_come_from_an_array():
    assert [sf.KAnonymity(k) for k in np.arange(2, 4)] == [sf.KAnonymity(2), sf.KAnonymity(3)]


def test_it_is_written_down_and_read_back():
    criterion = sf.KAnonymity(5)
    assert str(criterion) == "KAnonymity(k=5)"
    assert criterion.spec() == [{"k_anonymity": {"k": 5, "attribute": None}}]
    (spec,) = json.loads(json.dumps(criterion.spec()))
    assert CRITERIA.from_spec(spec, "here") == criterion
