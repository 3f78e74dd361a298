"""Batches of a series that are on a cluster: published as the same rows are from anywhere."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.data.read_settings import ReadSettings

pytestmark = pytest.mark.engines


def rows(start, end):
    numbers = range(start, end)
    return pa.table(
        {
            "name": [f"p{j}" for j in numbers],
            "age": [20 + 7 * j % 31 for j in numbers],
            "disease": [["flu", "gout", "cold"][j % 3] for j in numbers],
        }
    )


def test_two_releases_of_batches_on_a_cluster_are_those_of_their_rows(spark, tmp_path):
    made = []
    for where in ("cluster", "here"):
        rules = {"age": sf.Intervals(5, 10)}
        series = sf.ReleaseSeries.create(
            tmp_path / where, rules, sf.KAnonymity(5), "disease", ["name"]
        )
        for j, batch in enumerate((rows(0, 150), rows(150, 260))):
            source = batch
            if where == "cluster":
                place = tmp_path / f"batch{j}"
                place.mkdir()
                pq.write_table(batch, place / "part.parquet")
                frame = spark.read.parquet(str(place))
                source = sf.engines.Spark(spark).open(frame, ReadSettings())
            series.publish(source)
        made.append([each.to_arrow().to_pylist() for each in series.releases().values()])
    assert made[0] == made[1]
    assert [len(each) for each in made[0]] == [150, 260]
