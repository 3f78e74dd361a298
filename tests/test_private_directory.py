"""Originals on disk are for us alone, go when we go, and do not outlive a crash for long."""

import errno
import fcntl
import gc
import os
import secrets
import signal
import stat
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.files.private_directory import PrivateDirectory, spill_parent, sweep


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def dead(parent):
    """Make what a process that died has left: a directory with a name of ours, and no lock."""
    path = parent / f".sfumato-{secrets.token_hex(8)}"
    path.mkdir(mode=0o700)
    (path / "spill").mkdir()
    (path / "spill" / "originals").write_text("names")
    return path


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """A temporary place of our own, for this process and for those it starts."""
    place = tmp_path / "tmp"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    monkeypatch.setenv("TMPDIR", str(place))
    return place


def files_below(place):
    return [path for path in place.rglob("*") if not path.is_dir() and not path.is_symlink()]


# --------------------------------------------------------------------------------- one directory


def test_only_the_owner_may_look_inside(tmp_path):
    before = os.umask(0)
    try:
        with PrivateDirectory(tmp_path) as private:
            assert mode(private.path) == 0o700
    finally:
        os.umask(before)


def test_it_stands_in_its_parent_under_a_name_of_its_own(tmp_path):
    with PrivateDirectory(tmp_path) as one, PrivateDirectory(tmp_path) as other:
        assert one.path.parent == other.path.parent == tmp_path
        assert one.path != other.path


def test_closing_removes_it_with_everything_inside_and_may_be_done_twice(tmp_path):
    private = PrivateDirectory(tmp_path)
    (private.path / "deep" / "er").mkdir(parents=True)
    (private.path / "deep" / "er" / "originals").write_text("names")
    private.close()
    assert list(tmp_path.iterdir()) == []
    private.close()


def test_it_is_removed_when_the_work_inside_fails(tmp_path):
    def work():
        with PrivateDirectory(tmp_path) as private:
            (private.path / "originals").write_text("names")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        work()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
def test_it_is_removed_when_nobody_holds_it_any_more(tmp_path):
    private = PrivateDirectory(tmp_path)
    assert private.path.is_dir()
    del private
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_what_becomes_something_else_is_kept(tmp_path):
    with PrivateDirectory(tmp_path) as private:
        (private.path / "data").write_text("published")
        private.become(tmp_path / "release")
    gc.collect()
    assert [path.name for path in tmp_path.iterdir()] == ["release"]
    assert (tmp_path / "release" / "data").read_text() == "published"
    assert sweep(tmp_path) == 0


def test_what_cannot_be_locked_goes_at_once(tmp_path, monkeypatch):
    """Also while somebody holds the error, and with it all that it passed through."""

    def refused(handle, operation):
        raise PermissionError(errno.EACCES, "no")

    monkeypatch.setattr(fcntl, "flock", refused)
    n_open = len(list(Path("/proc/self/fd").iterdir()))
    with pytest.raises(PermissionError) as held:
        PrivateDirectory(tmp_path)
    assert held.value.errno == errno.EACCES
    assert list(tmp_path.iterdir()) == []
    assert len(list(Path("/proc/self/fd").iterdir())) == n_open


def test_a_name_that_somebody_takes_meanwhile_is_left_to_him(tmp_path, monkeypatch):
    other = tmp_path / "once-more"
    other.mkdir()
    (other / "his").write_text("own")
    real = Path.exists
    monkeypatch.setattr(Path, "exists", lambda path: path != other and real(path))
    private = PrivateDirectory(tmp_path, other.name)
    assert private.path != other
    private.close()
    assert (other / "his").read_text() == "own"


def test_a_private_directory_does_not_leak_handles(tmp_path):
    def handles():
        return len(list(Path("/proc/self/fd").iterdir()))

    before = handles()
    for _ in range(20):
        dead(tmp_path)
        with PrivateDirectory(tmp_path):
            pass
    assert handles() == before


# -------------------------------------------------------------------------------------- sweeping


def test_what_the_dead_left_is_swept_at_the_next_start(tmp_path):
    left = [dead(tmp_path), dead(tmp_path)]
    with PrivateDirectory(tmp_path) as private:
        assert [path for path in left if path.exists()] == []
        assert list(tmp_path.iterdir()) == [private.path]


def test_what_is_in_use_is_not_swept(tmp_path):
    with PrivateDirectory(tmp_path) as private:
        (private.path / "originals").write_text("names")
        dead(tmp_path)
        assert sweep(tmp_path) == 1
        assert (private.path / "originals").read_text() == "names"


@pytest.mark.parametrize(
    "name",
    [
        *("release", ".sfumato", ".sfumato-", ".sfumato-notes", ".sfumato-0123456789abcde"),
        *(".sfumato-0123456789abcdef0", ".sfumato-0123456789ABCDEF", "sfumato-0123456789abcdef"),
    ],
)
def test_a_foreign_directory_is_not_touched(tmp_path, name):
    (tmp_path / name).mkdir()
    (tmp_path / name / "file").write_text("mine")
    with PrivateDirectory(tmp_path):
        pass
    assert (tmp_path / name / "file").read_text() == "mine"


def test_a_foreign_file_with_a_name_of_ours_is_not_touched(tmp_path):
    path = tmp_path / ".sfumato-0123456789abcdef"
    path.write_text("mine")
    assert sweep(tmp_path) == 0
    assert path.read_text() == "mine"


def test_a_link_with_a_name_of_ours_is_not_followed(tmp_path):
    (tmp_path / "victim").mkdir()
    (tmp_path / "victim" / "file").write_text("mine")
    (tmp_path / "parent").mkdir()
    (tmp_path / "parent" / ".sfumato-0123456789abcdef").symlink_to(tmp_path / "victim")
    assert sweep(tmp_path / "parent") == 0
    assert (tmp_path / "victim" / "file").read_text() == "mine"


def test_a_link_inside_what_the_dead_left_is_not_followed(tmp_path):
    (tmp_path / "victim").mkdir()
    (tmp_path / "victim" / "file").write_text("mine")
    (tmp_path / "parent").mkdir()
    (dead(tmp_path / "parent") / "link").symlink_to(tmp_path / "victim")
    assert sweep(tmp_path / "parent") == 1
    assert list((tmp_path / "parent").iterdir()) == []
    assert (tmp_path / "victim" / "file").read_text() == "mine"


def test_what_was_remade_under_its_name_is_not_swept(tmp_path, monkeypatch):
    """Its owner removes it and has it again while a sweeper stands before its lock."""
    first = PrivateDirectory(tmp_path)
    name, again = first.path.name, []
    flock = fcntl.flock

    def meanwhile(handle, how):
        if not again:
            monkeypatch.setattr(fcntl, "flock", flock)
            first.close()
            again.append(PrivateDirectory(tmp_path, name))
        flock(handle, how)

    monkeypatch.setattr(fcntl, "flock", meanwhile)
    assert sweep(tmp_path) == 0
    assert again[0].path == first.path
    assert again[0].path.is_dir()
    again[0].close()


def test_many_that_start_at_once_do_not_sweep_each_other(tmp_path):
    lost, n_threads = [], 8

    def work():
        for _ in range(25):
            with PrivateDirectory(tmp_path) as private:
                (private.path / "mine").write_text("x")
                if not (private.path / "mine").exists():
                    lost.append(private.path)

    threads = [threading.Thread(target=work) for _ in range(n_threads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert lost == []
    assert list(tmp_path.iterdir()) == []


# ----------------------------------------------------------------------------- the place to spill


def test_the_place_to_spill_is_private_to_the_user(temporary):
    parent = spill_parent()
    assert parent == temporary / f"sfumato-{os.getuid()}"
    assert mode(parent) == 0o700
    assert spill_parent() == parent


@pytest.mark.parametrize("permissions", [0o755, 0o750, 0o701, 0o777])
def test_a_place_that_others_can_enter_is_refused(temporary, permissions):
    spill_parent().chmod(permissions)
    with pytest.raises(sf.BadInput, match="not private to this user; remove it, or set TMPDIR"):
        sf.read(pa.table({"a": [1]}), quasi_identifiers=["a"])


def test_a_place_that_is_a_link_is_refused(temporary, tmp_path):
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (temporary / f"sfumato-{os.getuid()}").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(sf.BadInput, match="not private to this user"):
        spill_parent()


@pytest.mark.parametrize("what", ["file", "dangling link"])
def test_a_place_that_is_no_directory_is_refused(temporary, tmp_path, what):
    place = temporary / f"sfumato-{os.getuid()}"
    if what == "file":
        place.touch()
    else:
        place.symlink_to(tmp_path / "nowhere")
    with pytest.raises(sf.BadInput, match="temporary files"):
        spill_parent()


# ------------------------------------------------------------------------------------- the engine


def test_a_stream_is_kept_in_the_private_directory_and_goes_with_the_table(temporary):
    frame = pa.table({"name": [f"person {j}" for j in range(1000)], "a": ["x"] * 1000})
    table = sf.read(frame.to_reader(), quasi_identifiers=["a"], identifiers=["name"])
    (private,) = spill_parent().iterdir()
    assert mode(private) == 0o700
    assert [path for path in files_below(temporary) if private not in path.parents] == []
    assert files_below(private)
    assert table.n_rows == 1000
    del table
    gc.collect()
    assert list(spill_parent().iterdir()) == []


@pytest.mark.long
def test_the_engine_spills_into_the_private_directory_and_leaves_nothing(
    temporary, tmp_path, with_little_memory
):
    """Counted with little memory, the originals go to disk: there, and nowhere else."""
    source = tmp_path / "in.parquet"
    duckdb.sql("SELECT md5(i::VARCHAR) AS a FROM range(1_000_000) AS t(i)").write_parquet(
        str(source)
    )
    with_little_memory("80MB")
    table = sf.read(source, quasi_identifiers=["a"])
    assert len(set(table._people.domains(["a"], ["a"])["a"])) == 1_000_000
    (private,) = spill_parent().iterdir()
    spilled = files_below(temporary)
    assert sum(path.stat().st_size for path in spilled) > 1_000_000
    assert [path for path in spilled if private / "spill" not in path.parents] == []
    del table
    gc.collect()
    assert list(spill_parent().iterdir()) == []


def test_a_table_that_is_refused_leaves_nothing(temporary, tmp_path):
    (tmp_path / "bad.csv").write_text("a,b\n1\n")
    with pytest.raises(sf.BadInput):
        sf.read(tmp_path / "bad.csv", quasi_identifiers=["a"]).frequencies()
    gc.collect()
    assert list(spill_parent().iterdir()) == []


# ------------------------------------------------------------------------------------ processes

OPEN = """
import os, sys, threading, time
import pyarrow as pa
import sfumato as sf

frame = pa.table({"name": ["Ann", "Bob"], "a": ["x", "y"]})
table = sf.read(frame.to_reader(), quasi_identifiers=["a"], identifiers=["name"])
table.frequencies()
print("open", flush=True)
"""


def started(code):
    process = subprocess.Popen(
        [sys.executable, "-c", OPEN + code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"open\n"
    return process


@pytest.mark.long
def test_a_killed_process_leaves_its_directory_and_the_next_start_sweeps_it(temporary):
    with started("time.sleep(60)") as process:
        (theirs,) = spill_parent().iterdir()
        assert files_below(theirs)
        table = sf.read(pa.table({"a": ["x"]}), quasi_identifiers=["a"])
        assert theirs.exists()  # the process lives, so this start swept nothing
        process.send_signal(signal.SIGKILL)
    assert files_below(theirs)
    del table
    gc.collect()
    assert list(spill_parent().iterdir()) == [theirs]
    again = sf.read(pa.table({"a": ["x"]}), quasi_identifiers=["a"])
    assert not theirs.exists()
    assert again.n_rows == 1


IN_A_CYCLE = "table.own = [table]; sys.table = table"
IN_A_THREAD = "threading.Thread(target=lambda t: time.sleep(60), args=[table], daemon=True).start()"


@pytest.mark.long
@pytest.mark.parametrize(
    "end",
    [
        "",
        "sys.exit(3)",
        "raise ValueError",
        "def stop(): raise KeyboardInterrupt\nstop()",
        IN_A_CYCLE,
        IN_A_THREAD,
    ],
    ids=["end", "exit", "error", "interrupt", "cycle", "thread"],
)
def test_a_process_that_ends_by_itself_leaves_nothing(temporary, end):
    with started(end):
        pass
    assert list(spill_parent().iterdir()) == []


@pytest.mark.long
def test_a_child_that_ends_does_not_take_its_parents_directory_along(temporary):
    fork = """
child = os.fork()
if child == 0:
    sys.exit()
os.waitpid(child, 0)
print("waited", flush=True)
time.sleep(60)
"""
    with started(fork) as process:
        assert process.stdout.readline() == b"waited\n"
        left = list(spill_parent().iterdir())
        process.kill()
    assert len(left) == 1
