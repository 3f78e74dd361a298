"""Dealing people out: everybody once, by chance alone, and the same with the same secret."""

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.recoding import lots
from sfumato.data.recoding.lots import Dealt, Parts

PARTS = st.lists(
    st.tuples(st.integers(0, 4), st.integers(-1, 9), st.integers(1, 5)), min_size=1, max_size=12
)


def dealt(parts, secret):
    columns = np.array(sorted(parts, key=lambda part: part[0]), dtype=np.int64).T
    return np.concatenate(list(Dealt.of(*columns, secret))).tolist()


@given(PARTS, st.binary(min_size=32, max_size=32))
def test_every_combination_gets_its_places_and_no_other(parts, secret):
    places = dealt(parts, secret)
    begin = 0
    for combination in range(5):
        expected = Counter()
        for c, group, people in parts:
            if c == combination:
                expected[group] += people
        n = expected.total()
        assert Counter(places[begin : begin + n]) == expected
        begin += n
    assert begin == len(places)


@pytest.mark.long
def test_all_orders_of_the_places_are_equally_likely():
    parts = [(3, 0, 1), (3, 1, 1), (3, 2, 2), (9, 5, 1)]
    seen = Counter(tuple(dealt(parts, j.to_bytes(32))) for j in range(12_000))
    orders = {(*order, 5) for order in itertools.permutations([0, 1, 2, 2])}
    assert set(seen) == orders
    chi_squared = sum((seen[order] - 1000) ** 2 / 1000 for order in orders)
    assert chi_squared < 40  # 11 degrees of freedom: more in one of 30,000 choices of secrets


def test_two_combinations_are_dealt_out_independently():
    parts = [(0, 0, 1), (0, 1, 1), (1, 0, 1), (1, 1, 1)]
    seen = Counter(tuple(dealt(parts, j.to_bytes(32))) for j in range(4000))
    assert len(seen) == 4
    assert max(abs(n - 1000) for n in seen.values()) < 150


@given(PARTS, st.integers(1, 12), st.integers(1, 5))
def test_dealing_does_not_depend_on_how_parts_come_in_pieces(parts, block, at_once):
    rows = np.array(sorted(parts, key=lambda part: part[0]), dtype=np.int64)
    keys = rows[:, :1].astype(np.uint64)
    pieces = [
        Parts(keys[first : first + at_once], *rows[first : first + at_once, 1:].T)
        for first in range(0, len(rows), at_once)
    ]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(lots, "BLOCK", block)
        whole = dealt(parts, bytes(32))
        assert np.concatenate(list(Dealt(lambda: iter(pieces), bytes(32)))).tolist() == whole
        begin = 0
        for combination in range(5):
            expected = Counter()
            for c, group, people in parts:
                if c == combination:
                    expected[group] += people
            n = expected.total()
            assert Counter(whole[begin : begin + n]) == expected
            begin += n


def test_a_combination_of_many_people_is_shuffled_as_a_whole(monkeypatch):
    monkeypatch.setattr(lots, "BLOCK", 2)
    parts = [(0, 0, 2), (0, 1, 3)]
    seen = Counter(tuple(dealt(parts, j.to_bytes(32))) for j in range(4000))
    assert len(seen) == 10
    assert max(abs(n - 400) for n in seen.values()) < 100


def test_no_array_is_longer_than_two_blocks(monkeypatch):
    monkeypatch.setattr(lots, "BLOCK", 1000)
    combination = np.arange(5000)
    people = np.where(combination == 2500, 20_000, 3)
    arrays = list(Dealt.of(combination, combination % 7, people, bytes(32)))
    assert max(map(len, arrays)) <= 2000
    split = np.array([0, 0, 1]), np.array([0, 1, 2]), np.array([20_000, 30_000, 5])
    lengths = [len(each) for each in Dealt.of(*split, bytes(32))]
    assert sum(lengths) == 50_005
    assert max(lengths) <= 2000
