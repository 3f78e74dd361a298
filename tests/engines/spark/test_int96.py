"""Moments of 96 bits, which Spark writes unless it is told otherwise: instants, as it has them."""

import datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf

pytestmark = pytest.mark.engines
MOMENTS = [datetime.datetime(2026, 1, 1, 5), datetime.datetime(2026, 7, 1, 5, 0, 0, 5)]
TEXTS = ["2026-01-01 05:00:00+00", "2026-07-01 05:00:00.000005+00"]
SQL = "timestamp'2026-01-01 05:00:00+00', timestamp'2026-07-01 05:00:00.000005+00'"


@pytest.fixture(params=["spark", "arrow"])
def place(request, spark, tmp_path):
    """Files with one column of 96 bits, one of nanoseconds and no zone, and one of lists."""
    place = tmp_path / "in"
    if request.param == "spark":
        moments = f"array({SQL})"
        rows = spark.range(12).selectExpr(
            "CAST(id % 2 AS int) AS age",
            f"{moments}[CAST(id % 2 AS int)] AS seen",
            f"{moments} AS visits",
        )
        rows.write.parquet(str(place))
    else:
        place.mkdir()
        moments = pa.array(MOMENTS * 6, pa.timestamp("us"))
        lists = pa.array([MOMENTS] * 12, pa.list_(pa.timestamp("us")))
        rows = pa.table({"age": [0, 1] * 6, "seen": moments, "visits": lists})
        pq.write_table(rows, place / "a.parquet", use_deprecated_int96_timestamps=True)
    part = next(place.glob("*.parquet"))
    assert pq.ParquetFile(part).schema.column(1).physical_type == "INT96"
    return place


def test_they_are_counted_as_instants(spark, place):
    table = sf.read(place, ["seen"], engine=sf.engines.Spark(spark))
    assert table.people_by_value("seen") == dict.fromkeys(TEXTS, 6)


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_they_are_published_as_instants(spark, place, tmp_path, kind):
    untouched = ["seen", "visits"] if kind == "parquet" else ["seen"]
    table = sf.read(place, ["age"], insensitive=untouched, engine=sf.engines.Spark(spark))
    release = sf.anonymize(table, sf.KAnonymity(2), sf.Mondrian(), untouched_identify=True)
    rows = sf.load(release.save(tmp_path / "out", format=kind)).to_arrow()
    assert rows.num_rows == 12
    if kind == "csv":
        assert {*rows["seen"].to_pylist()} == {*TEXTS}
        return
    expected = [each.replace(tzinfo=datetime.UTC) for each in MOMENTS]
    assert {*rows["seen"].to_pylist()} == {*expected}
    assert rows["visits"].to_pylist() == [expected] * 12


def test_beside_nanoseconds_each_is_what_it_is(spark, tmp_path):
    """Arrow has one type for both."""
    from pyspark.sql import functions as F

    from sfumato.engines.spark.cluster import Cluster

    source = pa.table({"a": pa.array([1], pa.timestamp("ns"))})
    pq.write_table(source, tmp_path / "nanos.parquet")
    cluster = Cluster(spark)
    with cluster.explained("both"):
        cluster.own.conf.set("spark.sql.legacy.parquet.nanosAsLong", "false")
        cluster.own.conf.set("spark.sql.parquet.outputTimestampType", "INT96")
        moment = F.lit("2026-01-01 05:00:00").cast("timestamp_ltz").alias("b")
        rows = cluster.own.read.parquet(str(tmp_path / "nanos.parquet")).select("a", moment)
        rows.write.parquet(str(tmp_path / "both"))
    table = sf.read(tmp_path / "both", ["a", "b"], engine=sf.engines.Spark(spark))
    assert table.people_by_value("a") == {"1970-01-01 00:00:00.000000001": 1}
    assert table.people_by_value("b") == {TEXTS[0]: 1}
