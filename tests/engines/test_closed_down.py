"""The engine reads the file that was named and no other, and can be told nothing else."""

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.engines.duckdb.connection.session import Session

NAMES = [
    *(
        "a\\*b",
        "a*b",
        "a?b",
        "a[1]",
        "a\\[1]",
        "a[!b]",
        "**",
        "\\\\*",
        "a\\b",
        "{a,b}",
        "~",
        "$HOME",
    ),
    *("s3:b", "a'b", 'a"b', "a;b", "a%20b", "file:b", "größe", "a b", "-a", "#", "a\nb"),
]


@pytest.fixture
def crowd(tmp_path):
    """Files that a pattern would find beside the one that is meant."""
    for name in ("axb", "a1b", "a1", "ab", "a", "b", "a\\xb"):
        for end, write in WRITERS.items():
            write(tmp_path / f"{name}.{end}", "other")
    return tmp_path


WRITERS = {
    "csv": lambda path, whose: path.write_text(f"age,sex\n{whose},f\n"),
    "parquet": lambda path, whose: pq.write_table(pa.table({"age": [whose], "sex": ["f"]}), path),
}


@pytest.mark.parametrize("end", WRITERS)
@pytest.mark.parametrize("name", NAMES)
def test_a_file_of_any_name_is_read_and_no_other(read, crowd, name, end):
    path = crowd / f"{name}.{end}"
    WRITERS[end](path, "mine")
    assert read(path, ["age", "sex"]).domains["age"].labels == ("mine",)


@pytest.mark.parametrize("name", NAMES)
def test_a_directory_of_any_name_holds_releases_and_batches(crowd, name):
    place = crowd / name
    place.mkdir()
    source = place / f"{name}.csv"
    source.write_text("who,age,sex\n" + "".join(f"{j},{j % 2},f\n" for j in range(6)))
    release = sf.anonymize(sf.read(source, ["age", "sex"], identifiers=["who"]), sf.KAnonymity(2))
    assert sf.load(release.save(place / "out", "parquet")).check()


def test_the_engine_reaches_nothing_else_and_is_told_nothing_else(tmp_path):
    connection = Session().connection
    here = pa.table({"a": [1]})  # a variable that SQL could take for a table
    for query in (
        "SELECT * FROM read_csv('http://localhost:1/x.csv')",
        "SELECT * FROM read_parquet('s3://bucket/x.parquet')",
        "LOAD httpfs",
        "SELECT * FROM here",
        "SET memory_limit = '1TB'",
        "SET TimeZone = 'Asia/Tokyo'",
        "SET lock_configuration = false",
        "SET enable_external_access = true",
    ):
        with pytest.raises(duckdb.Error):
            connection.execute(query)
    assert here.num_rows == 1


@pytest.mark.parametrize("name", ["a*b", "a?b", "a[1]"])
def test_a_temporary_place_that_would_be_a_pattern_is_refused(tmp_path, monkeypatch, name):
    (tmp_path / name).mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / name))
    with pytest.raises(sf.BadInput, match="set TMPDIR to another place"):
        sf.read(pa.table({"a": [1]}), ["a"])
