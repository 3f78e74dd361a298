"""A release keeps what it wrote, and starts from that as long as it is the same."""

import gc
import os
import stat
import subprocess
import sys

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf

ROLES = {
    "quasi_identifiers": {"age": sf.Intervals(5, 10), "zip": sf.Prefix()},
    "sensitive": "disease",
    "identifiers": ["name"],
}
ASKED = {
    "check": lambda release: release.check(),
    "another criterion": lambda release: release.check(sf.KAnonymity(2)),
    "audit": sf.audit,
    "to_arrow": lambda release: release.to_arrow(),
    "to_pandas": lambda release: release.to_pandas(),
    "to_polars": lambda release: release.to_polars(),
    "stream": pa.table,
    "published": lambda release: release.published,
    "seen": lambda release: release.seen,
    "summary": lambda release: release.summary(),
}


def made(method=None):
    table = sf.read(sf.datasets.patients(), **ROLES)
    return sf.anonymize(table, sf.KAnonymity(5) & sf.LDiversity(2), method)


@pytest.fixture(scope="module", params=["made here", "loaded"])
def release(request, tmp_path_factory):
    place = tmp_path_factory.mktemp("release") / "out"
    release = made()
    release.save(place)
    if request.param == "loaded":
        release = sf.load(place)
    return release, place / "data.csv"


@pytest.mark.parametrize("asked", ASKED)
def test_a_file_that_has_changed_is_refused(release, asked):
    release, data = release
    before = data.read_bytes()
    data.write_bytes(before.replace(b"flu", b"HIV", 1))
    try:
        with pytest.raises(sf.BadInput) as error:
            ASKED[asked](release)
    finally:
        data.write_bytes(before)
    assert str(error.value) == (
        f"{data}: the file has changed since the release was saved or loaded (checksums differ); "
        "restore it"
    )
    ASKED[asked](release)  # what it holds counts, not when it was written


@pytest.mark.parametrize("asked", ASKED)
def test_a_file_that_is_gone_is_refused(release, asked):
    release, data = release
    data.rename(data.with_suffix(".away"))
    try:
        with pytest.raises(sf.BadInput, match=r"data\.csv: the file is gone since the release was"):
            ASKED[asked](release)
    finally:
        data.with_suffix(".away").rename(data)
    ASKED[asked](release)


@pytest.mark.long
def test_what_was_not_saved_is_staged_in_a_private_place(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    release = made()
    assert release.check()
    place = release.written.files.directory
    assert place.is_relative_to(tmp_path)
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert [path.name for path in place.iterdir()] == ["data.parquet"]
    assert "name" not in pq.read_schema(place / "data.parquet").names
    del release
    gc.collect()
    assert not place.exists()


@pytest.mark.long
def test_saving_gives_up_what_was_staged(tmp_path):
    release = made()
    rows = release.to_arrow().num_rows
    staged = release.written.files.directory
    release.save(tmp_path / "out")
    gc.collect()
    assert not staged.exists()
    assert release.to_arrow().num_rows == rows
    assert release.written.files.directory == tmp_path / "out"


@pytest.mark.parametrize("damage", [lambda p: p.unlink(), lambda p: p.write_bytes(b"PAR1PAR1")])
def test_what_is_staged_and_not_what_it_was_is_written_anew(tmp_path, damage):
    release = made()
    assert release.check()
    damage(release.written.files.path("data"))
    release.save(tmp_path / "out", "parquet")
    assert sf.load(tmp_path / "out").check()


def test_a_copy_that_is_not_what_was_checked_is_not_published(tmp_path, monkeypatch):
    def copied_wrong(path, place):
        place.write_bytes(path.read_bytes()[:-1])

    release = made()
    assert release.check()
    monkeypatch.setattr("sfumato.release.files.saved.copyfile", copied_wrong)
    with pytest.raises(sf.BrokenPromise, match=r"the copy of data\.parquet is not what was"):
        release.save(tmp_path / "out", "parquet")
    assert not [*tmp_path.iterdir()]
    assert release.check()  # of what is still staged


def test_a_disk_without_room_for_a_copy_is_refused(tmp_path, monkeypatch):
    release = made()
    assert release.check()
    monkeypatch.setattr("sfumato.release.files.space.free_bytes", lambda place: 100)
    with pytest.raises(sf.BadInput, match=r"out: cannot write: not enough room"):
        release.save(tmp_path / "out", "parquet")
    assert not [*tmp_path.iterdir()]


def test_the_newest_place_counts(tmp_path):
    release = made()
    release.save(tmp_path / "first")
    release.save(tmp_path / "second", format="parquet")
    (tmp_path / "first" / "data.csv").unlink()
    assert release.check()
    assert release.to_arrow().num_rows == release.n_rows


@pytest.mark.long
def test_a_table_that_fails_leaves_nothing_staged(tmp_path, monkeypatch):
    from dataclasses import replace

    monkeypatch.setenv("TMPDIR", str(tmp_path))
    whole = made()
    broken = sf.Release(replace(whole.description, criterion=sf.KAnonymity(10_000)), whole.private)
    for _ in range(2):
        with pytest.raises(sf.BrokenPromise, match="the written table fails"):
            broken.check()
    del whole, broken
    gc.collect()
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


@pytest.mark.long
def test_nothing_is_left_when_the_process_ends(tmp_path):
    code = (
        "import sfumato as sf\n"
        "table = sf.read(sf.datasets.patients(), ['age', 'zip'], sensitive='disease')\n"
        "release = sf.anonymize(table, sf.KAnonymity(5))\n"
        "print(release.to_arrow().num_rows, release.written.files.directory.exists())\n"
    )
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split()[1] == "True"
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not list(tmp_path.rglob(".sfumato-*"))


# ------------------------------------------------------------------------------- Arrow C streams


@pytest.mark.long
def test_everybody_who_speaks_arrow_reads_a_release(tmp_path):
    release = made()
    rows = release.to_arrow()
    assert pa.table(release).equals(rows)
    assert pl.DataFrame(release).equals(pl.from_arrow(rows))
    with pa.RecordBatchReader.from_stream(release) as reader:
        assert reader.schema == rows.schema
        assert pa.Table.from_batches(reader).equals(rows)
    release.save(tmp_path / "out", format="csv")
    loaded = sf.load(tmp_path / "out")
    assert pl.DataFrame(loaded).equals(pl.from_arrow(loaded.to_arrow()))


def test_a_reader_may_wish_for_other_types():
    release = made()
    schema = pa.schema([field.with_type(pa.large_string()) for field in pa.table(release).schema])
    assert pa.table(release, schema=schema).schema == schema
    numbers = pa.schema([field.with_type(pa.int64()) for field in schema])
    with pytest.raises(pa.ArrowInvalid):
        pa.table(release, schema=numbers)


def test_rows_are_streamed_batch_by_batch(monkeypatch):
    monkeypatch.setattr("sfumato.engines.duckdb.source.ROWS_AT_ONCE", 100)
    release = made()
    with pa.RecordBatchReader.from_stream(release) as reader:
        sizes = [batch.num_rows for batch in reader]
    assert sum(sizes) == release.n_rows
    assert len(sizes) > 1


def test_of_two_tables_the_one_with_the_people_is_streamed():
    release = made(sf.Anatomy())
    assert pa.table(release).equals(release.to_arrow("data"))
    assert pa.table(release).column_names == ["group", "age", "zip"]


@pytest.mark.long
def test_a_stream_goes_on_when_nobody_holds_the_release():
    release = made()
    n_rows = release.n_rows
    reader = pa.RecordBatchReader.from_stream(release)
    staged = release.written.files.directory
    del release
    gc.collect()
    assert sum(batch.num_rows for batch in reader) == n_rows
    del reader
    gc.collect()
    assert not staged.exists()
