"""The n-th call of the system fails, the n-th allocation fails: a whole release or none, one line.

Calls are those of Python; what DuckDB asks of the system is tried by full disks, limits and kills.
"""

import errno
import fcntl
import io
import os
import signal
import subprocess
import sys

import pytest

import sfumato as sf

CALLS = {
    os: [
        *("chmod", "fsync", "link", "listdir", "lstat", "mkdir", "open", "rename", "replace"),
        *("rmdir", "scandir", "stat", "statvfs", "unlink"),
    ],
    io: ["open"],
    fcntl: ["flock"],
}


class Failing:
    """Lets one call of the system fail: the n-th since it was told so."""

    def __init__(self, monkeypatch, number):
        self.n_calls, self.n, self.number = 0, None, number
        for module, names in CALLS.items():
            for name in names:
                self._wrap(monkeypatch, module, name)

    def _wrap(self, monkeypatch, module, name):
        real = getattr(module, name)

        def call(*args, **kwargs):
            if self.n is not None:
                self.n_calls += 1
                if self.n_calls == self.n:
                    raise OSError(self.number, os.strerror(self.number), str(args[:1]))
            return real(*args, **kwargs)

        monkeypatch.setattr(module, name, call)


def release(method):
    rules = {"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()}
    table = sf.read(sf.datasets.patients(), rules, sensitive="disease", identifiers=["name"])
    return sf.anonymize(table, sf.KAnonymity(5) & sf.LDiversity(2), method)


def calls_failed(tmp_path, monkeypatch, number, method, step):
    """Save again and again, another call failing each time; give how many failed."""
    found = release(method)
    for n in range(1, 1000, step):
        place = tmp_path / str(n)
        place.mkdir()
        failing = Failing(monkeypatch, number)
        failing.n = n
        saved, said = place / "out", ""
        try:
            found.save(saved)
        except sf.BadInput as error:
            said = str(error)
        failing.n = None
        monkeypatch.undo()
        assert [each for each in place.iterdir() if each != saved] == [], (n, said)
        assert "\n" not in said, (n, said)
        assert saved.exists() == (not said or "is there and complete" in said), (n, said)
        if saved.exists():
            assert sf.load(saved).check(), n
        if failing.n_calls < n:
            return n // step
    raise AssertionError("it never ended")


@pytest.mark.parametrize("number", [errno.EIO, errno.EACCES])
def test_a_call_of_the_system_that_fails_leaves_a_whole_release_or_none(
    tmp_path, monkeypatch, record_property, number
):
    n_failed = calls_failed(tmp_path, monkeypatch, number, sf.Samarati(), step=5)
    record_property("failed calls of the system survived", n_failed)


@pytest.mark.slow
@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC, errno.EMFILE, errno.EACCES])
@pytest.mark.parametrize("method", [sf.Samarati(), sf.Anatomy()], ids=str)
def test_every_call_of_the_system_may_fail(tmp_path, monkeypatch, record_property, number, method):
    n_failed = calls_failed(tmp_path, monkeypatch, number, method, step=1)
    record_property("failed calls of the system survived", n_failed)


ALLOCATING = """
import sys
from pathlib import Path
import _testcapi
import sfumato as sf
place, first, step, last = Path(sys.argv[1]), *map(int, sys.argv[2:])
rules = {"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()}
table = sf.read(sf.datasets.patients(), rules, sensitive="disease", identifiers=["name"])
release = sf.anonymize(table, sf.KAnonymity(5), sf.Samarati())
for nth in range(first, last, step):
    target, failed = place / str(nth), None
    print("tries", nth, flush=True)
    try:
        _testcapi.set_nomemory(nth, nth + 1)
        try:
            release.save(target)
        finally:
            _testcapi.remove_mem_hooks()
    except Exception as error:
        failed = error  # held: what has to go must not wait for it
    assert failed is not None or target.exists(), (nth, "a false success")
    if target.exists():
        assert sf.load(target).check()
    names = sorted(each.name for each in place.iterdir() if each.name.startswith("."))
    assert not names, (nth, names, failed)
    print("failed" if failed else "saved", nth, flush=True)
"""


def allocations_failed(tmp_path, first, step, last):
    """Let one allocation of Python's fail in each save; count failed saves, and ended processes.

    C libraries may end a process that has no memory. That is a kill: it leaves a whole release or
    none, and what it staged is swept by the next.
    """
    pytest.importorskip("_testcapi", reason="Python was built without its own tests")
    n_failed = n_ended = 0
    while first < last:
        arguments = [str(tmp_path), str(first), str(step), str(last)]
        done = subprocess.run(
            [sys.executable, "-c", ALLOCATING, *arguments],
            capture_output=True,
            text=True,
            check=False,
        )
        lines = [line.split() for line in done.stdout.splitlines()]
        n_failed += sum(word == "failed" for word, _ in lines)
        if done.returncode == 0:
            break
        assert -done.returncode in (signal.SIGABRT, signal.SIGSEGV), done.stderr[-2000:]
        word, nth = lines[-1]
        assert word == "tries", lines[-1]
        if (tmp_path / nth).exists():
            assert sf.load(tmp_path / nth).check()
        n_ended += 1
        first = int(nth) + step
    return n_failed, n_ended


@pytest.mark.long
def test_an_allocation_that_fails_leaves_a_whole_release_or_none(tmp_path, record_property):
    n_failed, n_ended = allocations_failed(tmp_path, 1, 197, 6000)
    assert n_failed
    record_property("failed allocations survived", n_failed)
    record_property("failed allocations that ended the process", n_ended)


@pytest.mark.slow
@pytest.mark.parametrize("first", [3, 1003, 2003, 3003, 4003, 5003])
def test_every_so_many_an_allocation_may_fail(tmp_path, record_property, first):
    n_failed, n_ended = allocations_failed(tmp_path, first, 13, first + 1000)
    record_property("failed allocations survived", n_failed)
    record_property("failed allocations that ended the process", n_ended)


REMOVING = """
import sys
from pathlib import Path
import _testcapi
from sfumato.files.private_directory import PrivateDirectory
place = Path(sys.argv[1])
n_failed = 0
for nth in range(400):
    staging, held = PrivateDirectory(place), None
    (staging.path / "inner").mkdir()
    for name in ("data.csv", "inner/data.csv"):
        (staging.path / name).write_text("original")
    try:
        with staging:
            _testcapi.set_nomemory(nth, nth + 1)
            raise ValueError("the save failed before")
    except Exception as error:
        held = error
    finally:
        _testcapi.remove_mem_hooks()
    assert not list(place.iterdir()), (nth, repr(held))
    n_failed += not isinstance(held, ValueError)
assert n_failed, "no allocation failed"
print(n_failed)
"""


def test_an_allocation_that_fails_while_a_private_directory_goes_leaves_nothing(
    tmp_path, record_property
):
    pytest.importorskip("_testcapi", reason="Python was built without its own tests")
    done = subprocess.run(
        [sys.executable, "-c", REMOVING, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    record_property("failed allocations survived", int(done.stdout))
