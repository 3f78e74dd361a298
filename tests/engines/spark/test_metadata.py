"""What a user's session says of columns, beside their values, is nothing that a release tells."""

import pytest

import sfumato as sf

pytestmark = pytest.mark.engines
MARK = b"PLANTED"
COLUMNS = {
    "age": "cast(id % 7 AS int)",
    "zip": "cast(id % 3 AS string)",
    "born": "date_add(date'1990-01-01', cast(id % 5 AS int))",
    "cost": "cast(id % 4 AS decimal(9,2))",
    "disease": "concat('d', id % 3)",
    "visit": "named_struct('on', cast(id AS int), 'notes', array(named_struct('of', id)))",
    "marks": "map('a', named_struct('b', id))",
}
INSIDE = {
    "visit": "struct<on: int COMMENT '{0}', notes: array<struct<of: bigint COMMENT '{0}'>>>",
    "marks": "map<string, struct<b: bigint COMMENT '{0}'>>",
}


@pytest.fixture
def planted(spark):
    """Every column has a comment, and a list of its values as `ml` leaves one behind."""
    from pyspark.sql import functions as F
    from pyspark.sql.types import StructType

    frame = spark.range(60).selectExpr(*(f"{how} AS {name}" for name, how in COLUMNS.items()))
    values = []
    for name in COLUMNS:
        value, mark = F.col(name), f"PLANTED-{name}"
        if name in INSIDE:
            value = value.cast(StructType.fromDDL(f"v {INSIDE[name].format(mark)}")["v"].dataType)
        said = {"comment": mark, "ml_attr": {"vals": [mark], "type": "nominal"}}
        values.append(value.alias(name, metadata=said))
    return frame.select(*values)


def released(source, spark, method, place):
    roles = {"quasi_identifiers": {"age": sf.Intervals(2), "zip": sf.Prefix(), "born": None}}
    roles |= {"sensitive": "disease", "insensitive": ["cost", "visit"]}
    roles["quasi_identifiers"]["born"] = sf.Dates()
    table = sf.read(source, engine=sf.engines.Spark(spark), **roles)
    release = sf.anonymize(table, sf.KAnonymity(3), method, untouched_identify=True)
    return release.save(place, format="parquet")


def files_of(place):
    return [path.read_bytes() for path in place.rglob("*") if path.is_file()]


@pytest.mark.parametrize("kind", ["frame", "table", "parquet"])
@pytest.mark.parametrize("method", [sf.Mondrian(), sf.Optimal()], ids=["join", "lookup"])
def test_what_is_said_of_columns_is_not_published(spark, planted, tmp_path, kind, method):
    """Spark would write it into the footer of every Parquet file."""
    planted.write.parquet(str(tmp_path / "planted"))
    assert any(MARK in file for file in files_of(tmp_path / "planted"))
    source = {"frame": planted, "table": "planted", "parquet": tmp_path / "planted"}[kind]
    planted.createOrReplaceTempView("planted")
    place = released(source, spark, method, tmp_path / "out")
    found = files_of(place)
    assert sum(file[:4] == b"PAR1" for file in found)
    assert not [file for file in found if MARK in file]


def test_of_a_type_nothing_else_is_lost(spark, planted):
    from sfumato.engines.spark.kinds import bare

    frame = bare(planted)
    assert MARK.decode() not in frame.schema.json()
    assert frame.schema.simpleString() == planted.schema.simpleString()
    assert frame.collect() == planted.collect()
