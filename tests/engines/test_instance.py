"""Sources that are open at a time share a DuckDB, and see nothing of each other."""

import gc
import os
import threading

import duckdb
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.engines.duckdb.connection.instance import shared
from sfumato.engines.duckdb.connection.session import Session
from sfumato.files.private_directory import spill_parent


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))


def table(values):
    return sf.read(pa.table({"a": values, "s": ["x", "y"] * (len(values) // 2)}), ["a"], "s")


def test_starting_it_once_is_enough(monkeypatch):
    started = []
    connect = duckdb.connect
    monkeypatch.setattr(
        duckdb, "connect", lambda config: started.append(config) or connect(config=config)
    )
    release = sf.anonymize(table([1, 1, 2, 2]), sf.KAnonymity(2))
    assert sf.audit(release)
    del release
    gc.collect()
    assert table([3, 3]).n_rows == 2  # though nobody used it in between
    assert len(started) <= 1


def test_what_one_source_makes_another_does_not_see():
    one, other = table([1, 1, 2, 2]), table(["x", "y", "y", "x", "z", "z"])
    assert (one.n_rows, other.n_rows) == (4, 6)
    assert sorted(one.domains["a"].labels) == [1, 2]
    assert sorted(other.domains["a"].labels) == ["x", "y", "z"]
    names = "SELECT table_name FROM duckdb_tables() UNION ALL SELECT view_name FROM duckdb_views() "
    count = f"SELECT count(*) FROM ({names} WHERE NOT internal) AS t"
    assert Session().connection.execute(count).fetchall() == [(0,)]


def test_threads_open_and_close_as_they_like():
    failures = []

    def work(n):
        try:
            for _ in range(20):
                assert sf.anonymize(table([n] * 6), sf.KAnonymity(2)).check()
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=[n]) for n in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert failures == []
    gc.collect()
    assert list(spill_parent().iterdir()) == []


def test_it_spills_where_the_steward_says_now(tmp_path, monkeypatch):
    first = Session()
    (tmp_path / "other").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "other"))
    second = Session()
    assert second.directory.is_relative_to(tmp_path / "other")
    assert not first.directory.is_relative_to(tmp_path / "other")
    spill = second.connection.execute("SELECT current_setting('temp_directory')").fetchall()
    assert spill == [(str(second.directory / "spill"),)]


def test_one_that_has_spilled_is_not_used_again(with_little_memory):
    with_little_memory("60MB")
    session = Session()
    used = shared()
    session.connection.execute(
        "CREATE TEMP TABLE t AS SELECT md5(i::VARCHAR) AS a FROM range(2_000_000) AS t(i)"
    )
    assert (session.directory / "spill").exists()
    assert shared() is used  # while somebody has it
    del session
    assert shared() is not used
    assert list(spill_parent().iterdir()) == []


@pytest.mark.parametrize("kind", [duckdb.FatalException, duckdb.OutOfMemoryException])
def test_one_that_broke_is_not_used_again(kind):
    session, broken = Session(), shared()
    with pytest.raises(sf.BadInput), session.explained():
        raise kind("the database has been invalidated")
    assert shared() is not broken


def test_a_stream_is_attached_to_one_of_its_own():
    frame = pa.table({"a": [1, 1, 2, 2]})
    beside = table([1, 1])
    streams = [sf.read(frame.to_reader(), ["a"]) for _ in range(2)]
    assert [each.n_rows for each in (beside, *streams)] == [2, 4, 4]


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_starts_its_own():
    parents = table([1, 1, 2, 2])
    assert parents.n_rows == 4
    child = os.fork()
    if child == 0:
        os._exit(0 if table([5, 5, 5, 5]).n_rows == 4 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert parents.frequencies().n_rows == 4
