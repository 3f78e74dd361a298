"""Ctrl-C leaves nothing behind, whether Python or the engine is at work."""

import subprocess
import sys

import pytest

INTERRUPTED = """
import os, signal, sys, threading
import numpy as np
import pyarrow as pa
import sfumato as sf
from sfumato.progress import listening

stage, delay, target = sys.argv[1], float(sys.argv[2]), sys.argv[3]
n = 1_500_000
draw = np.random.default_rng(7)
table = sf.read(
    pa.table({"age": draw.integers(0, 90, n), "zip": draw.integers(0, 900, n), "i": np.arange(n)}),
    quasi_identifiers=["age", "zip"],
    insensitive=["i"],
)

def press(now, done, total):
    if now == stage:
        threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT)).start()

try:
    with listening(press):
        sf.anonymize(table, sf.KAnonymity(3), untouched_identify=True).save(target, format="csv")
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.long
@pytest.mark.parametrize(
    ("stage", "delay"), [("reading", 0), ("cutting", 0), ("applying", 0.3), ("reading back", 0.1)]
)
def test_an_interrupt_leaves_nothing(tmp_path, monkeypatch, stage, delay):
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    command = [sys.executable, "-c", INTERRUPTED, stage, str(delay), str(tmp_path / "out" / "q1")]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.stdout == "interrupted\n", result.stderr
    left = [path for path in tmp_path.rglob("*") if path.name not in ("out", "tmp")]
    assert [path for path in left if not path.name.startswith("sfumato-")] == []
