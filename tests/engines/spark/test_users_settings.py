"""What a user has set up for a session changes nothing of what is read and published."""

import datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf

pytestmark = pytest.mark.engines
AGAINST_US = {
    "spark.sql.ansi.doubleQuotedIdentifiers": "true",
    "spark.sql.ansi.enforceReservedKeywords": "true",
    "spark.sql.caseSensitive": "false",
    "spark.sql.decimalOperations.allowPrecisionLoss": "false",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "3",
    "spark.sql.execution.arrow.useLargeVarTypes": "true",
    "spark.sql.files.ignoreCorruptFiles": "true",
    "spark.sql.files.ignoreMissingFiles": "true",
    "spark.sql.files.maxRecordsPerFile": "3",
    "spark.sql.legacy.timeParserPolicy": "LEGACY",
    "spark.sql.parquet.binaryAsString": "true",
    "spark.sql.parquet.inferTimestampNTZ.enabled": "false",
    "spark.sql.parquet.int96TimestampConversion": "true",
    "spark.sql.parquet.mergeSchema": "true",
    "spark.sql.parquet.writeLegacyFormat": "true",
    "spark.sql.retainGroupColumns": "false",
    "spark.sql.session.timeZone": "Asia/Kolkata",
    "spark.sql.sources.useV1SourceList": "",
}


@pytest.fixture
def engine(spark):
    """On a session whose configuration is against us: new sessions take it over."""
    conf = spark.sparkContext._jsc.sc().conf()
    before = {name: conf.get(name, None) for name in AGAINST_US}
    for name, value in AGAINST_US.items():
        conf.set(name, value)
    assert spark.newSession().conf.get("spark.sql.retainGroupColumns") == "false"
    yield sf.engines.Spark(spark)
    for name, value in before.items():
        if value is None:
            conf.remove(name)
        else:
            conf.set(name, value)


def rows():
    moments = [datetime.datetime(2026, 1, 1, 5), datetime.datetime(2026, 7, 1, 5, 0, 0, 5)]
    return pa.table(
        {
            "age": [j % 3 for j in range(24)],
            "at": pa.array(moments * 12, pa.timestamp("us")),
            "since": pa.array(moments * 12, pa.timestamp("us", "UTC")),
            "bytes": pa.array([b"a\xff", b""] * 12),
            "cost": pa.array([None, 1] * 12, pa.decimal128(38, 10)),
            "disease": [f"d{j % 4}" for j in range(24)],
        }
    )


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_the_same_is_published(engine, tmp_path, kind):
    (tmp_path / "in").mkdir()
    pq.write_table(rows(), tmp_path / "in" / "a.parquet")
    made = []
    for source, by in ((tmp_path / "in", engine), (rows(), "duckdb")):
        roles = {"sensitive": "disease", "insensitive": ["at", "since", "bytes", "cost"]}
        table = sf.read(source, ["age"], engine=by, **roles)
        release = sf.anonymize(table, sf.KAnonymity(2), sf.Mondrian(), untouched_identify=True)
        loaded = sf.load(release.save(tmp_path / f"out{len(made)}", format=kind))
        assert loaded.check().holds
        made.append(loaded.to_arrow())
    ours, theirs = made
    assert ours.schema.types == theirs.schema.types
    assert ours.to_pylist() == theirs.to_pylist()


def test_a_damaged_file_is_not_left_out(engine, tmp_path):
    n = 1000
    for j in range(3):
        part = pa.table({"age": [f"v{i % 5}" for i in range(n)], "number": range(n)})
        pq.write_table(part, tmp_path / f"{j}.parquet", compression=None)
    damaged = tmp_path / "1.parquet"
    content = bytearray(damaged.read_bytes())
    content[4:3000] = b"\xff" * 2996
    damaged.write_bytes(content)
    with pytest.raises(sf.BadInput, match="a file is damaged"):
        sf.read(tmp_path, ["age"], engine=engine).frequencies()
