"""Who stands where, among people that are too many to be here."""

from dataclasses import replace

import numpy as np
import pytest

from algorithms.in_pieces import generated, read


@pytest.mark.parametrize("most", [1, 30, 10**6])
def test_people_at_places_are_those_of_the_table_in_order(most):
    table = read(generated(5, 900))
    people = table.frequencies()
    codes = {name: people.codes(name) for name in people.columns}
    place = dict(zip(people.columns, range(9), strict=False))
    stored = replace(table.stored(None, by_value=True), most=most)
    regions = stored.regions
    young, old = regions.take_out(0, place["age"], np.array([[0, 19], [30, 59]]))
    dice, asked, expected = np.random.default_rng(0), [], []
    for region, (low, high) in ((young, (0, 19)), (old, (30, 59))):
        inside = (codes["age"] >= low) & (codes["age"] <= high)
        for value in range(6):
            mine = np.flatnonzero(inside & (codes["disease"] == value))
            everybody = np.repeat(mine, people.counts[mine])
            for each in dice.choice(len(everybody), 5).tolist():
                asked.append((region, value, each))
                expected.append(everybody[each])
    where, value, at = np.array(asked).T
    keys, n = stored.standing(regions, where, value[:, np.newaxis].astype(np.int32), at)
    assert np.array_equal(keys, people.keys[expected])
    assert np.array_equal(n, people.counts[expected])
