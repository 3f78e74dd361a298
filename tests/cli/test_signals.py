"""How a command ends that was asked to stop."""

import signal
import subprocess
import sys

import pytest

# a request that comes while Python executes a text, as it does for every dataclass
WITHIN_EXEC = """
from sfumato.cli.signals import stoppable
import os, signal
with stoppable():
    exec("os.kill(os.getpid(), signal.{name})")
"""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_request_ends_with_its_exit_code_wherever_it_comes(tmp_path, name):
    (tmp_path / "stopped.py").write_text(WITHIN_EXEC.format(name=name))
    command = [sys.executable, "-m", "stopped"]  # a module: there Python would end by the signal
    ended = subprocess.run(command, check=False, cwd=tmp_path, capture_output=True, text=True)
    assert ended.returncode == 128 + signal.Signals[name]
    assert ended.stderr == f"sfumato: stopped by {name}; no release was left half-written\n"
