"""Worlds are counted before they are gone through."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.attacks.mechanism.worlds import dealt_tables, fewest_tables
from sfumato.formulas.boxes.fillings import Fillings
from sfumato.formulas.minimality.deals import tables


@given(st.lists(st.integers(1, 4), min_size=1, max_size=5), st.data())
def test_no_more_tables_are_promised_than_there_are(sizes, data):
    n = sum(sizes)
    first = data.draw(st.integers(0, n))
    second = data.draw(st.integers(0, n - first))
    for histogram in ([first, n - first], [first, second, n - first - second]):
        every = tables(np.array(sizes), np.array(histogram), 10**6)
        least = fewest_tables(np.array(sizes), np.array(histogram), 10**6)
        assert 1 <= least <= len(every)
        if len(histogram) == 2:
            assert least == len(every)
        assert np.array_equal(dealt_tables(np.array(sizes), np.array(histogram), 10**6), every)


@pytest.mark.parametrize("method", [sf.Mondrian(strict=False), sf.TopDown(), sf.Samarati(3)])
def test_a_hopeless_case_ends_before_ways_to_fill_groups_are_listed(method, monkeypatch):
    rng = np.random.default_rng(3)
    columns = {"q": rng.integers(0, 60, 300), "r": rng.integers(0, 9, 300)}
    columns["s"] = rng.choice(list("hnmo"), 300)
    table = sf.read(pa.table(columns), {"q": sf.Intervals(5, 20), "r": sf.Intervals(3)}, "s")
    release = sf.anonymize(table, sf.KAnonymity(3) & sf.LDiversity(2), method)
    monkeypatch.setattr(Fillings, "every", None)
    with pytest.raises(sf.attacks.CannotRun, match="too many worlds"):
        sf.attacks.Mechanism().run(release)
