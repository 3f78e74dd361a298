"""Combinations that do not fit, cut on the cluster: the release is that of the embedded engine."""

import pytest

import sfumato as sf
from algorithms.in_pieces import boxes_of, generated, read, room_for

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
