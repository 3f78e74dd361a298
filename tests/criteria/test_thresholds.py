"""Criteria as thresholds on a few counts, beside the criteria themselves."""

import numpy as np
import pytest

import sfumato as sf
from sfumato.data.groups import Groups

CRITERIA = [
    sf.KAnonymity(3),
    sf.LDiversity(3),
    sf.LDiversity("5/2", "frequency"),
    sf.AlphaKAnonymity("2/3", 2),
    sf.PSensitiveKAnonymity(2, 4),
]


@pytest.mark.parametrize("criterion", CRITERIA, ids=str)
def test_thresholds_break_what_the_criterion_breaks(criterion):
    rng = np.random.default_rng(3)
    rows = rng.integers(0, 4, size=(400, 4)) * rng.integers(0, 2, size=(400, 4))
    rows = rows[rows.any(axis=1)]
    groups = Groups(sizes=rows.sum(axis=1), histogram=rows.tolist(), values=list("abcd"))
    held = criterion.holds(groups)
    assert 0 < held.sum() < len(rows)
    assert np.array_equal(criterion.thresholds().broken(rows.astype(np.int64)), ~held)
