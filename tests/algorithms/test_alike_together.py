"""Methods that say so put people with the same quasi-identifiers into one group."""

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.algorithms.algorithm import ALGORITHMS
from sfumato.algorithms.mask import Mask

EXAMPLES = [method for kind in ALGORITHMS.values() for method in kind.examples()]
TOGETHER = [each for each in EXAMPLES if each.keeps_alike_together]


@pytest.mark.every
@pytest.mark.parametrize("method", TOGETHER, ids=str)
def test_nobody_is_apart_from_whoever_is_alike(method):
    draw = np.random.default_rng(5)
    promise = sf.KAnonymity(2)
    for _ in range(20):
        n = int(draw.integers(6, 15))
        columns = {"a": draw.integers(0, 4, n), "b": draw.integers(0, 3, n)}
        columns["s"] = draw.choice(["1", "2", "3"], n, p=[0.4, 0.3, 0.3])
        columns["s"][0] = "1"
        rules = {"a": sf.Intervals(1, 2), "b": sf.Intervals(1)}
        table = sf.read(pa.table(columns), rules, "s")
        try:
            release = sf.anonymize(table, promise, method)
        except sf.Unsatisfiable:
            continue
        placed = release.recoding.placement(table.frequencies())
        inside = placed.people > 0
        who = placed.frequencies.combination_of[placed.key[inside]]
        pairs = {*zip(who.tolist(), placed.box[inside].tolist(), strict=True)}
        assert len(pairs) == len({*who.tolist()})


def test_some_say_so_and_those_that_split_do_not():
    kinds = {type(each) for each in TOGETHER}
    assert {sf.Samarati, sf.Optimal, sf.Mondrian, sf.TopDown, sf.KOptimize, Mask} <= kinds
    for method in (sf.Mondrian(strict=False), sf.TopDown(), sf.Local(), sf.CellSuppression()):
        assert not method.keeps_alike_together
        assert not sf.Mask(2, 2, ["1"], method).keeps_alike_together
