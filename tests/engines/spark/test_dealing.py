"""Split combinations: everybody gets the place that was decided, and no key waits for one task."""

import gc
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.data.labels.texts import Labels
from sfumato.data.recoding import SUPPRESSED, Assignment
from sfumato.engines.spark import dealing
from sfumato.engines.spark.cluster import Cluster

pytestmark = pytest.mark.engines
KEY = bytes(range(32))
N = 20_000


def halved(table: sf.Table) -> Assignment:
    """Send half of every combination to one group, a third to another, and leave out the rest."""
    ground = table.frequencies().combinations
    n, order = ground.counts, np.arange(len(ground))
    parts = [
        np.stack([order, np.zeros_like(order), n // 2], axis=1),
        np.stack([order, np.ones_like(order), n // 3], axis=1),
        np.stack([order, np.full(len(ground), SUPPRESSED), n - n // 2 - n // 3], axis=1),
    ]
    sides = [[0, len(table.domains[name]) - 1] for name in table.schema.quasi_identifiers]
    boxes = np.array([sides] * 2, dtype=np.int32)
    texts = {name: Labels.of(["first", "second"]) for name in table.schema.quasi_identifiers}
    return Assignment(ground, boxes, np.concatenate(parts), texts)


def written(rows: pa.Table, insensitive: list[str], target: Path, engine: str) -> list[dict]:
    table = sf.read(rows, ["age"], "disease", insensitive=insensitive, engine=engine)
    table.write(halved(table), target, "parquet", KEY)
    return pq.read_table(target).to_pylist()


def test_no_task_holds_the_rows_of_a_skewed_key(spark, tmp_path, monkeypatch):
    """They are counted where they are, and cut into pieces before they are people again."""
    held = []
    monkeypatch.setattr(dealing, "AT_ONCE", 64)
    matched = dealing.matched

    def seen(cluster, frame, values, beside, how="inner"):
        held.append(frame)
        return matched(cluster, frame, values, beside, how)

    joined_with = dealing.joined_with

    def joined(frame, *beside):
        held.append(frame)
        return joined_with(frame, *beside)

    monkeypatch.setattr(dealing, "matched", seen)
    monkeypatch.setattr(dealing, "joined_with", joined)
    rows = pa.table({"age": [7] * N, "disease": ["flu"] * N})
    table = sf.read(rows, ["age"], "disease", engine="spark")
    how = halved(table)
    table.write(how, tmp_path / "out", "parquet", KEY)
    counted, people = held
    assert counted.count() == 1  # a row, with the number of people
    sizes = people.groupBy(spark_partition()).count().toArrow()["count"].to_pylist()
    assert sum(sizes) == N
    assert len(sizes) == 3
    assert max(sizes) < N / 2


def test_places_are_handed_over_in_blocks(spark, tmp_path, monkeypatch):
    """Nobody has all of them: they are in a file, which goes with what was written by it."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(dealing, "BLOCK", 1000)
    frame, write_places, sent, blocks = Cluster.frame, dealing._write_places, [], []

    def handed_over(cluster, table):
        sent.append(table.num_rows)
        return frame(cluster, table)

    def written_places(dealt, target):
        n_placed = write_places(dealt, target)
        file = pq.ParquetFile(target)
        blocks.extend(file.metadata.row_group(j).num_rows for j in range(file.num_row_groups))
        return n_placed

    monkeypatch.setattr(Cluster, "frame", handed_over)
    monkeypatch.setattr(dealing, "_write_places", written_places)
    rows = pa.table({"age": [7] * N, "disease": ["flu"] * N, "note": range(N)})
    ours = written(rows, ["note"], tmp_path / "ours", "spark")
    assert sorted(sent)[-2] < 100  # all but the rows themselves
    assert len(blocks) >= N // 1000
    assert max(blocks) <= 2000
    assert sum(blocks) == len(ours)
    assert ours == written(rows, ["note"], tmp_path / "theirs", "duckdb")
    gc.collect()
    assert not [*tmp_path.glob("sfumato-*/**/places.parquet")]


def spark_partition():
    from pyspark.sql import functions

    return functions.spark_partition_id()


def test_keys_compare_as_unsigned_words(spark, tmp_path):
    """The first column has the topmost bits, and its last codes make a signed word negative."""
    rows = pa.table(
        {"age": [0, 1] * 40, "disease": [f"d{j % 5}" for j in range(80)], "note": range(80)}
    )
    ours = written(rows, ["note"], tmp_path / "ours", "spark")
    assert ours == written(rows, ["note"], tmp_path / "theirs", "duckdb")
