"""The n-th call of the system fails, the n-th allocation fails: a whole release or none, one line.

Calls are those of Python; what DuckDB asks of the system is tried by full disks, limits and kills.
"""

import errno
import fcntl
import gc
import io
import os
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
        said = ""
        try:
            found.save(place / "out")
        except sf.BadInput as error:
            said = str(error)
        assert "\n" not in said, n
        failing.n = None
        monkeypatch.undo()
        saved = place / "out"
        assert [each for each in place.iterdir() if each != saved] == [], n
        if saved.exists():
            assert sf.load(saved).check(), n
        if failing.n_calls < n:
            return n // step
    raise AssertionError("it never ended")


@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC])
def test_a_call_of_the_system_that_fails_leaves_a_whole_release_or_none(
    tmp_path, monkeypatch, record_property, number
):
    n_failed = calls_failed(tmp_path, monkeypatch, number, sf.Samarati(), step=5)
    record_property("failed calls of the system survived", n_failed)


@pytest.mark.slow
@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC, errno.EMFILE])
@pytest.mark.parametrize("method", [sf.Samarati(), sf.Anatomy()], ids=str)
def test_every_call_of_the_system_may_fail(tmp_path, monkeypatch, record_property, number, method):
    n_failed = calls_failed(tmp_path, monkeypatch, number, method, step=1)
    record_property("failed calls of the system survived", n_failed)


ALLOCATING = """
import sys
from pathlib import Path
import _testcapi
import sfumato as sf
place, first, step, n_tries = Path(sys.argv[1]), *map(int, sys.argv[2:])
rules = {"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()}
table = sf.read(sf.datasets.patients(), rules, sensitive="disease", identifiers=["name"])
release = sf.anonymize(table, sf.KAnonymity(5), sf.Samarati())
release.save(place / "first")
n_failed = 0
for n in range(n_tries):
    target = place / f"q{n}"
    nth = first + n * step
    try:
        _testcapi.set_nomemory(nth, nth + 1)
        try:
            release.save(target)
        finally:
            _testcapi.remove_mem_hooks()
    except (MemoryError, sf.BadInput):
        n_failed += 1
    if target.exists():
        assert sf.load(target).check()
    names = sorted(each.name for each in place.iterdir() if each.name.startswith("."))
    assert not names, (n, names)
print(n_failed)
"""


def allocations_failed(tmp_path, first, step, n_tries):
    """Let one allocation of Python's fail in each save of a process, which must not die."""
    pytest.importorskip("_testcapi", reason="Python was built without its own tests")
    gc.collect()
    arguments = [str(tmp_path), str(first), str(step), str(n_tries)]
    ended = subprocess.run(
        [sys.executable, "-c", ALLOCATING, *arguments], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr[-2000:]
    return int(ended.stdout)


@pytest.mark.long
def test_an_allocation_that_fails_leaves_a_whole_release_or_none(tmp_path, record_property):
    n_failed = allocations_failed(tmp_path, 1, 97, 30)
    record_property("failed allocations survived", n_failed)
