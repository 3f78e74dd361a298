"""Spark in short: a frame becomes a release, and the embedded engine reads the same rows."""

import pytest

import sfumato as sf

pytestmark = pytest.mark.long


def test_a_release_is_made_on_spark_and_read_without_it(spark, tmp_path):
    source = sf.engines.DuckDB().open(sf.datasets.patients())
    frame = spark.createDataFrame(source.to_batches(["zip"]).read_all())
    rules = {"age": sf.Intervals(5, 10, 20), "zip": sf.Prefix(), "sex": sf.Flat()}
    made = {}
    for name, rows, engine in (
        ("spark", frame, sf.engines.Spark(spark)),
        ("duckdb", sf.datasets.patients(), "duckdb"),
    ):
        table = sf.read(rows, rules, "disease", identifiers=["name"], engine=engine)
        release = sf.anonymize(table, sf.KAnonymity(5) & sf.LDiversity(2), sf.Mondrian())
        made[name] = release.save(tmp_path / name, format="parquet")
    parts = sorted(path.name for path in (made["spark"] / "data.parquet").iterdir())
    assert parts == [f"part-{j:05}.parquet" for j in range(len(parts))]
    ours, theirs = (sf.load(made[name]) for name in ("spark", "duckdb"))
    assert ours.check().holds
    assert ours.to_arrow().to_pylist() == theirs.to_arrow().to_pylist()
