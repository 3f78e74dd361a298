"""Combinations that do not fit, cut on the cluster: the release is that of the embedded engine."""

import importlib

import numpy as np
import pytest

import sfumato as sf
from algorithms.in_pieces import boxes_of, generated, read, room_for
from algorithms.test_in_pieces_top_down_local import HALF, read_uneven, uneven

pytestmark = pytest.mark.engines
SKYLINE = sf.Skyline([(1, 1, 0, "9/10"), (0, 0, 2, "4/5")])
ASKED = [
    (sf.Mondrian(), sf.KAnonymity(5) & sf.LDiversity(3)),
    (sf.SkylineMondrian(), SKYLINE),
    (sf.SkylineMondrian("widest"), SKYLINE & sf.KAnonymity(300)),
    (sf.TopDown("cut"), sf.KAnonymity(5) & sf.LDiversity(2)),
]


@pytest.mark.parametrize(("method", "criterion"), ASKED, ids=str)
def test_the_release_is_that_of_the_embedded_engine(method, criterion, spark):
    people = generated(2, 800)
    whole = sf.anonymize(read(people), criterion, method)
    source = sf.engines.Spark(spark).open(spark.createDataFrame(people))
    with room_for(300):
        theirs = sf.anonymize(read(source), criterion, method)
    assert boxes_of(theirs) == boxes_of(whole)
    assert theirs.to_arrow("data").to_pylist() == whole.to_arrow("data").to_pylist()


def test_lots_on_the_cluster_are_those_of_the_embedded_engine(spark, monkeypatch):
    """Those drawn for pieces, by the executors, too."""
    module = importlib.import_module("sfumato.release.anonymize")
    monkeypatch.setattr(module, "chances", lambda _: np.random.default_rng(0).bytes)
    people, written = uneven(12), []
    for engine, most in (("duckdb", 10**6), ("spark", 60)):
        source = sf.engines.Spark(spark) if engine == "spark" else None
        with room_for(most):
            table = read_uneven(people, engine=source)
            written.append(
                sf.anonymize(table, HALF, sf.TopDown(keep="part"), untouched_identify=True)
            )
    whole, theirs = written
    assert whole.recoding.splits
    assert boxes_of(theirs) == boxes_of(whole)
    assert theirs.to_arrow("data").to_pylist() == whole.to_arrow("data").to_pylist()
