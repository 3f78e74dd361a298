"""A table that does not fit: executors finish its pieces, and it comes out the same."""

import gc
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.data.keys import bytes_of_a_key
from sfumato.data.recoding import Piecewise
from sfumato.engines.spark.cluster import WITHOUT_US, Cluster
from sfumato.engines.spark.kept_counts import SparkCounted

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


def test_pieces_fit_an_executor_and_what_comes_here_fits_the_driver(spark, monkeypatch):
    at_once = sf.anonymize(read(None), sf.KAnonymity(3), sf.Mondrian(), untouched_identify=True)
    monkeypatch.setattr("sfumato.table.most_keys", lambda *_: 60)
    engine = sf.engines.Spark(spark)
    table, goes = read(engine), []
    in_one_go = SparkCounted._in_one_go

    def seen(counted, regions, inside, sizes, most, work):
        goes.append((sizes.sum(), sizes.max(), most))
        return in_one_go(counted, regions, inside, sizes, most, work)

    monkeypatch.setattr(SparkCounted, "_in_one_go", seen)
    monkeypatch.setattr(engine._cluster, "executor_share", 20 * bytes_of_a_key(2))
    monkeypatch.setattr(engine._cluster, "most_at_once", 100 * 8 * 4)
    in_pieces = sf.anonymize(table, sf.KAnonymity(3), sf.Mondrian(), untouched_identify=True)
    assert len(goes) > 1
    assert all(most == 20 for _, _, most in goes)
    assert all(n - largest <= 100 for n, largest, _ in goes)
    assert in_pieces.to_arrow().equals(at_once.to_arrow())


def test_workers_import_us_without_a_word():
    """Of pandas, say, which pyspark warns of where its tests are imported."""
    imported = [sys.executable, "-c", "import sfumato.engines.spark.kept_counts"]
    done = subprocess.run(imported, capture_output=True, check=True, text=True)
    assert (done.stdout, done.stderr) == ("", "")


def test_workers_without_us_are_told_apart(spark):
    error = RuntimeError("ModuleNotFoundError: No module named 'sfumato'")
    said = str(Cluster(spark)._meaning(error, "people", None))
    assert said == f"people: {WITHOUT_US}"


def test_groups_of_pieces_are_handed_over_in_blocks(spark, tmp_path, monkeypatch):
    """Nobody has all of their keys: they are in a file, which goes with what was written by it."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    method = sf.Mondrian(strict=True)
    at_once = sf.anonymize(read(None), sf.KAnonymity(3), method, untouched_identify=True)
    monkeypatch.setattr("sfumato.table.most_keys", lambda *_: 60)
    monkeypatch.setattr("sfumato.engines.spark.handing_over.BLOCK", 20)
    frame, sent, blocks = Cluster.frame, [], []
    write_table = pq.ParquetWriter.write_table

    def handed(cluster, table):
        sent.extend([table.num_rows] if "place" in table.column_names else [])
        return frame(cluster, table)

    def written(writer, table, *more, **named):
        blocks.extend([table.num_rows] if "place" in table.column_names else [])
        return write_table(writer, table, *more, **named)

    engine = sf.engines.Spark(spark)
    in_pieces = sf.anonymize(read(engine), sf.KAnonymity(3), method, untouched_identify=True)
    assert isinstance(in_pieces.recoding, Piecewise)
    monkeypatch.setattr(Cluster, "frame", handed)
    monkeypatch.setattr(pq.ParquetWriter, "write_table", written)
    assert in_pieces.to_arrow().equals(at_once.to_arrow())
    assert not sent
    assert len(blocks) > 3
    assert max(blocks) <= 2 * 20
    assert [*tmp_path.glob("sfumato-*/**/handed_over.parquet")]
    del in_pieces
    gc.collect()
    assert not [*tmp_path.glob("sfumato-*/**/handed_over.parquet")]
