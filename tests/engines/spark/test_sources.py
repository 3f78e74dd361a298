"""Where rows come from: frames, tables, Parquet directories, CSV files; and what is refused."""

import datetime
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.job import Job

pytestmark = pytest.mark.engines
RULES = {"age": sf.Intervals(5, 10, 20), "zip": sf.Prefix(), "sex": sf.Flat()}


@pytest.fixture(scope="module")
def patients():
    source = sf.engines.DuckDB().open(sf.datasets.patients())
    return source.to_batches(["zip"]).read_all()


@pytest.fixture(scope="module")
def frame(spark, patients):
    return spark.createDataFrame(patients)


@pytest.fixture(scope="module")
def expected(patients):
    return sf.read(patients, RULES, "disease").frequencies()


def assert_counted_alike(table, expected):
    found = table.frequencies()
    assert found.keys.tolist() == expected.keys.tolist()
    assert found.counts.tolist() == expected.counts.tolist()


def test_a_frame_is_read_where_it_is(spark, frame, expected):
    assert_counted_alike(sf.read(frame, RULES, "disease", engine=sf.engines.Spark(spark)), expected)
    assert_counted_alike(sf.read(frame, RULES, "disease", engine="spark"), expected)
    assert spark.conf.get("spark.sql.session.timeZone") == "America/New_York"


def test_no_other_session_sees_the_frame_once_it_is_read(spark, frame):
    """It is resolved by then, and is read without the view that was shared."""
    shared = "SHOW VIEWS IN global_temp"
    table = sf.read(frame, RULES, "disease", engine=sf.engines.Spark(spark))
    assert not spark.newSession().sql(shared).collect()
    release = sf.anonymize(table, sf.KAnonymity(5), sf.Mondrian())
    assert not spark.newSession().sql(shared).collect()
    assert not spark.sql("SHOW VIEWS LIKE 'sfumato_*'").collect()
    assert release.check().holds


@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")
def test_a_frame_without_an_engine_is_brought_here(frame, expected):
    assert_counted_alike(sf.read(frame, RULES, "disease"), expected)


def test_a_frame_that_cannot_be_brought_here_says_where_it_can_be_read(spark):
    broken = spark.sql("SELECT raise_error('no worker') AS age, 1 AS zip")
    with pytest.raises(sf.BadInput, match=r"Spark frame cannot be brought .*sf.engines.Spark\("):
        sf.read(broken, ["age"])
    with pytest.raises(sf.BadInput) as refused:
        sf.read(broken, ["age"], engine="spark").frequencies()
    assert "no worker" not in str(refused.value)


def test_tables_and_views_are_read_by_name(spark, frame, expected):
    frame.createOrReplaceTempView("patients_seen")
    frame.write.mode("overwrite").saveAsTable("patients_kept")
    for name in ("patients_seen", "patients_kept", "default.patients_kept"):
        assert_counted_alike(sf.read(name, RULES, "disease", engine="spark"), expected)
    spark.sql("DROP TABLE patients_kept")


def test_texts_of_a_fixed_length_have_no_blanks_at_the_end(spark, counted):
    spark.sql("CREATE TABLE padded (a char(5), b varchar(5), c string) USING parquet")
    spark.sql("INSERT INTO padded VALUES ('ab', 'ab ', 'ab '), (' ', ' ', ' '), (NULL, NULL, NULL)")
    expected = {("ab", "ab ", "ab "): 1, ("", " ", " "): 1, (None, None, None): 1}
    for source in ("padded", spark.table("padded")):
        table = sf.read(source, ["a", "b", "c"], engine="spark", alike="keep")
        assert counted(table) == expected
    spark.sql("DROP TABLE padded")


def test_a_job_names_a_table(spark, frame, tmp_path):
    frame.createOrReplaceTempView("patients_of_a_job")
    (tmp_path / "job.toml").write_text(
        'source = "patients_of_a_job"\noutput = "out"\nengine = "spark"\n'
        '[columns]\nquasi_identifiers = ["age"]\n[[criteria]]\nk_anonymity = { k = 2 }\n'
    )
    assert Job.load(tmp_path / "job.toml").table().frequencies().n_rows == 2000


def test_a_directory_of_parquet_files_is_one_table(frame, expected, tmp_path):
    place = tmp_path / "a [b] {c}*"
    (tmp_path / "in").mkdir()
    frame.repartition(5).write.parquet(str(tmp_path / "in" / "x"))
    (tmp_path / "in" / "x").rename(place)
    table = sf.read(place, RULES, "disease", engine="spark")
    assert_counted_alike(table, expected)
    assert len(table.source.files) >= 5


MOMENT = datetime.datetime(2026, 1, 2)
DIFFERENT = {
    "fewer": (pa.table({"a": [1], "b": [1]}), pa.table({"a": [1]}), "no column 'b', unlike"),
    "more": (pa.table({"a": [1]}), pa.table({"a": [1], "b": [1]}), "a column 'b' that is not in"),
    "cases": (pa.table({"a": [1]}), pa.table({"A": [1]}), "no column 'a', but 'A', unlike"),
    "types": (pa.table({"a": [1]}), pa.table({"a": ["1"]}), "column 'a' has the type string"),
    "widths": (
        pa.table({"a": pa.array([1], pa.int32())}),
        pa.table({"a": pa.array([1], pa.int64())}),
        "column 'a' has the type (int64|bigint)",
    ),
    "zones": (
        pa.table({"a": pa.array([MOMENT], pa.timestamp("us"))}),
        pa.table({"a": pa.array([MOMENT], pa.timestamp("us", "UTC"))}),
        "column 'a' has the type timestamp",
    ),
}


@pytest.mark.parametrize("scheme", ["", "file://"], ids=["here", "far"])
@pytest.mark.parametrize("kind", DIFFERENT)
def test_files_of_other_columns_are_not_one_table(spark, tmp_path, kind, scheme):
    """Spark would fill in what one lacks, and put types together."""
    place = tmp_path / "a {b}"
    place.mkdir()
    *tables, said = DIFFERENT[kind]
    for j, table in enumerate(tables):
        pq.write_table(table, place / f"{j}.parquet")
    if not scheme:
        with pytest.raises(
            sf.BadInput, match=rf"1\.parquet: {said}.*0\.parquet; files that are one"
        ):
            sf.read([place / "0.parquet", place / "1.parquet"], ["a"])
    source = f"{scheme}{place}" if not scheme else f"{scheme}{tmp_path}/a \\{{b\\}}"
    with pytest.raises(sf.BadInput, match=rf"1\.parquet: {said}.*0\.parquet; files that are one"):
        sf.read(source, ["a"], engine="spark")


def test_partitions_of_a_directory_keep_their_zeros(spark, tmp_path):
    rows = spark.createDataFrame(pa.table({"zip": ["01", "02"] * 3, "age": [1, 2, 3] * 2}))
    rows.write.partitionBy("zip").parquet(str(tmp_path / "parts"))
    table = sf.read(tmp_path / "parts", ["zip"], "age", engine="spark")
    assert sorted(table.domains["zip"].labels) == ["01", "02"]


def test_csv_is_text_and_tells_empty_from_missing(counted, tmp_path):
    place = tmp_path / "people.csv"
    lines = ['zip;"a ""b""";note', '01234;"";x', "01234;;x", '"a;b";"two\nlines";', " 1 ;5;é"]
    place.write_text("\n".join(lines) + "\n")
    ours, theirs = (
        sf.read(place, ["zip", 'a "b"'], "note", engine=engine) for engine in ("spark", "duckdb")
    )
    assert counted(ours) == counted(theirs)
    assert ours.source.columns == theirs.source.columns == ("zip", 'a "b"', "note")


def test_files_of_any_kind_are_read_with_their_settings(spark, counted, tmp_path):
    place = tmp_path / "people.csv"
    place.write_bytes("age;größe\n 30 ;1,5\n31;-99\n".encode("cp1252"))
    settings = {"encoding": "cp1252", "decimal": ",", "trim": True, "missing": ["-99"]}
    ours, theirs = (
        sf.read(place, ["age"], "größe", engine=engine, **settings)
        for engine in ("spark", "duckdb")
    )
    assert counted(ours) == counted(theirs) == {("30", "1.5"): 1, ("31", None): 1}
    assert ours.read_counts == theirs.read_counts


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"a,b\n", "no rows"),
        (b"a,b\n1,2\n3\n", "line 3: 1 fields where the header has 2"),
        (b"a,b\n1,2,3\n", "line 2: 3 fields where the header has 2"),
        (b"a,b\n1,\xff\n", "not UTF-8 text"),
        (b"a,A\n1,2\n", "have the same name but for upper and lower case"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_in_a_line(spark, tmp_path, content, message):
    place = tmp_path / "people.csv"
    place.write_bytes(content)
    with pytest.raises(sf.BadInput, match=message) as refused:
        sf.read(place, ["a"], "b", engine="spark").frequencies()
    assert "Exception" not in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("expression", "named"),
    [
        ("map('a', 1)", "map"),
        ("named_struct('a', 1)", "struct"),
        ("CAST('a' AS BINARY)", "binary"),
        ("INTERVAL '1' DAY", "interval day"),
    ],
)
def test_what_cannot_be_counted_is_refused_by_name(spark, expression, named):
    frame = spark.sql(f"SELECT {expression} AS odd, 1 AS age")
    with pytest.raises(sf.BadInput, match=f"column 'odd': values of type {named}"):
        sf.read(frame, ["age", "odd"], engine="spark").frequencies()
    assert sf.read(frame, ["age"], engine="spark").frequencies().n_rows == 1


def test_a_file_that_changes_is_refused(spark, patients, tmp_path):
    place = tmp_path / "in.parquet"
    pq.write_table(patients, place)
    table = sf.read(place, RULES, "disease", engine="spark")
    table.frequencies()
    release = sf.anonymize(table, sf.KAnonymity(5), sf.Mondrian())
    pq.write_table(patients.slice(10), place)
    with pytest.raises(sf.BadInput, match="has changed since it was opened"):
        release.save(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_settings_are_refused_by_name_where_spark_reads(spark, frame):
    with pytest.raises(sf.BadInput, match=r"^decimal: is for files that are converted"):
        sf.read(frame, RULES, "disease", decimal=",", engine="spark")


@pytest.mark.parametrize("source", [7, [1], {"a": 1}])
def test_what_is_no_source_is_refused(spark, source):
    with pytest.raises(sf.BadInput, match=r"^cannot read a "):
        sf.read(source, ["age"], engine="spark")


def test_what_is_not_there_is_named(spark, tmp_path):
    with pytest.raises(sf.BadInput, match="no such file, and no table or view"):
        sf.read("no_such_table", ["age"], engine="spark")
    with pytest.raises(sf.BadInput, match="cannot read: no such file"):
        sf.read(f"{tmp_path}/x/y.csv", ["age"], engine="spark")
    (tmp_path / "empty").mkdir()
    with pytest.raises(sf.BadInput, match="no Parquet files are in it"):
        sf.read(tmp_path / "empty", ["age"], engine="spark")


def test_a_session_is_asked_for_by_its_type():
    with pytest.raises(sf.BadInput, match="engine 'spark': give a Spark session"):
        sf.read("x.csv", ["age"], engine=sf.engines.Spark("local[2]"))


STOPPED = """
import sys
import sfumato as sf
from pyspark.sql import SparkSession
session = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
engine = sf.engines.Spark(session)
table = sf.read(sf.datasets.patients(), ["age"], engine=engine)
session.stop()
again = lambda: sf.read(sf.datasets.patients(), ["age"], engine=sf.engines.Spark(session))
for look in (table.frequencies, again):
    try:
        look()
    except sf.BadInput as error:
        print(error)
"""


def test_a_stopped_session_is_said_to_be_one(tmp_path):
    said = subprocess.run(
        [sys.executable, "-c", STOPPED], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert len(said) == 2
    assert all("the Spark session has been stopped" in line for line in said)


def test_without_java_it_is_said_what_to_install(tmp_path, monkeypatch):
    script = "import sfumato as sf; sf.read('x.csv', ['age'], engine='spark')"
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        env={"PATH": str(tmp_path)},
        check=False,
    )
    assert "install openjdk-17-jre-headless" in done.stderr.splitlines()[-1]


def test_times_are_those_of_utc_whatever_the_session_says(spark, counted):
    moment = datetime.datetime(2026, 1, 2, 3, 4, tzinfo=datetime.UTC)
    frame = spark.createDataFrame(pa.table({"when": [moment] * 2, "age": [1, 2]}))
    table = sf.read(frame, ["when"], "age", engine="spark")
    assert {row[0] for row in counted(table)} == {"2026-01-02 03:04:00+00"}


def test_where_pyspark_is_missing_the_extra_is_named(monkeypatch):
    monkeypatch.setattr("sfumato.engines.spark.find_spec", lambda name: None)
    with pytest.raises(sf.BadInput, match=r"pip install 'sfumato\[spark\]'"):
        sf.read("x.csv", ["age"], engine="spark")
