"""Regions that ranges of values are taken out of, and people who stay there all the same."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.keys import Layout
from sfumato.data.regions import DEEPEST, Branch, Regions
from sfumato.errors import NoRoom

LAYOUT = Layout.of([8, 3])


def region_of(tree, codes):
    """Follow the cuts; codes: of a key."""
    while isinstance(tree, Branch):
        tree = tree.below if codes[tree.column] <= tree.last else tree.above
    return tree


def depth(tree):
    return 1 + max(depth(tree.below), depth(tree.above)) if isinstance(tree, Branch) else 0


@given(st.sets(st.integers(0, 9), min_size=2), st.data())
def test_whoever_is_in_a_range_is_taken_out_and_the_others_stay(ends, data):
    bounds = sorted(ends)
    ranges = [[low, high - 1] for low, high in pairwise(bounds)]
    chosen = data.draw(st.lists(st.sampled_from(ranges), min_size=1, unique_by=tuple).map(sorted))
    regions = Regions([[0, 9], [0, 2]], Layout.of([10, 3]))
    new = regions.take_out(0, 0, np.array(chosen))
    assert len(new) == len(chosen)
    assert regions.boxes[0].tolist() == [[0, 9], [0, 2]]
    for code in range(10):
        mine = [
            number for number, (low, high) in zip(new, chosen, strict=True) if low <= code <= high
        ]
        assert region_of(regions.tree, (code, 0)) == (mine or [0])[0]
    for number, side in zip(new, chosen, strict=True):
        assert regions.boxes[number].tolist() == [side, [0, 2]]


def test_a_thousand_ranges_are_few_cuts_deep():
    regions = Regions([[0, 999]], Layout.of([1000]))
    new = regions.take_out(0, 0, np.repeat(np.arange(1000), 2).reshape(-1, 2))
    assert new == [*range(1, 1001)]
    assert depth(regions.tree) == 10


def test_a_region_that_is_too_deep_is_refused():
    regions = Regions([[0, 1]] * DEEPEST, Layout.of([2] * DEEPEST))
    for column in range(DEEPEST // 2):  # a range is two cuts: from what is below, and above
        assert regions.take_out(column, column, np.array([[0, 0]])) == [column + 1]
    with pytest.raises(NoRoom, match="cuts of the same people"):
        regions.take_out(DEEPEST // 2, DEEPEST // 2, np.array([[0, 0]]))


@given(st.data())
def test_people_who_are_sent_back_are_counted_once(data):
    """However far down they were, and whoever of the same key went back before."""
    every = np.stack(np.meshgrid(np.arange(8), np.arange(3), indexing="ij"), axis=-1).reshape(-1, 2)
    keys = LAYOUT.pack(every.T.astype(np.int32))
    regions = Regions([[0, 7], [0, 2]], LAYOUT)
    open_ones = dict.fromkeys(regions.take_out(0, 0, np.array([[0, 3], [4, 7]])), 0)
    for _ in range(data.draw(st.integers(1, 8))):
        region = data.draw(st.sampled_from(sorted(open_ones)))
        low, high = regions.boxes[region, 0].tolist()
        if high - low > 1 and data.draw(st.booleans()):
            parts = regions.take_out(region, 0, np.array([[low, low], [high - 1, high]]))
            open_ones.update(dict.fromkeys(parts, region))
            del open_ones[region]
            continue
        key = keys[data.draw(st.integers(3 * low, 3 * high + 2))][np.newaxis]
        mine = (regions.shares.keys == key).all(axis=1)
        people = regions.shares.people[mine & (regions.shares.region == region)]
        n = int(people.sum()) if mine.any() else 10
        stay = mine & (regions.shares.region == open_ones[region])
        if n and not stay.any():  # a key goes back once
            back = data.draw(st.integers(1, n))
            regions.send_back(
                open_ones[region], key, np.array([region]), np.array([n]), np.array([back])
            )
    shares = regions.shares
    for key, (code, _) in zip(keys, every.tolist(), strict=True):
        mine = (shares.keys == key).all(axis=1)
        assert shares.people[mine].sum() in (0, 10)
        assert (shares.people[mine] > 0).all()
        assert len(np.unique(shares.region[mine])) == mine.sum()
        low, high = regions.boxes[shares.region[mine], 0].T
        assert ((low <= code) & (code <= high)).all()
    assert len(np.unique(shares.keys[shares.first], axis=0)) == shares.first.sum()
