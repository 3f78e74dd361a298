"""A table that does not fit: executors finish its pieces, and it comes out the same."""

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.data.recoding import Piecewise
from sfumato.engines.spark.cluster import WITHOUT_US, Cluster

pytestmark = pytest.mark.engines


def people():
    rng = np.random.default_rng(3)
    n = 300
    return pa.table(
        {
            "age": (rng.random(n) * rng.random(n) * 60).astype(int),
            "zip": [f"{z:02d}" for z in rng.integers(0, 20, n)],
            "disease": rng.choice(["flu", "HIV", "ulcer"], n),
            "visit": rng.integers(0, 2, n),
        }
    )


def read(engine):
    rules = {"age": sf.Intervals(5, 10), "zip": sf.Prefix()}
    return sf.read(people(), rules, "disease", insensitive=["visit"], engine=engine)


@pytest.mark.parametrize(
    ("promise", "most"),
    [
        (sf.KAnonymity(3), 60),
        (sf.KAnonymity(3) & sf.LDiversity(2), 60),
        (sf.KAnonymity(200), 50),  # one region, which is read in several parts
    ],
    ids=str,
)
def test_the_same_release(spark, monkeypatch, promise, most):
    at_once = sf.anonymize(read(None), promise, sf.Mondrian(), untouched_identify=True)
    monkeypatch.setattr("sfumato.table.most_keys", lambda *_: most)
    engine = sf.engines.Spark(spark)
    in_pieces = sf.anonymize(read(engine), promise, sf.Mondrian(), untouched_identify=True)
    assert isinstance(in_pieces.recoding, Piecewise)
    assert in_pieces.to_arrow().equals(at_once.to_arrow())
    assert np.array_equal(in_pieces.published_boxes[0], at_once.published_boxes[0])


def test_workers_without_us_are_told_apart(spark):
    error = RuntimeError("ModuleNotFoundError: No module named 'sfumato'")
    said = str(Cluster(spark)._meaning(error, "people", None))
    assert said == f"people: {WITHOUT_US}"
