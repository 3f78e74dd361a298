"""How a command ends that was asked to stop."""

import json
import random
import signal
import subprocess
import sys

import pytest

# a request that comes while Python executes a text, as it does for every dataclass
WITHIN_EXEC = """
from sfumato.cli.signals import stoppable
import os, signal
signal.signal(signal.{name}, signal.SIG_DFL)  # it may be ignored where tests run
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


# a search without an end, interrupted once or twice as soon as it has something
SEARCHING = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored where tests run
from sfumato import progress
from sfumato.cli import main
times = {times}

def interrupt(stage, done=0, total=None):
    global times
    if stage.startswith("searching, best") and times:
        times -= 1
        os.kill(os.getpid(), signal.SIGINT)

with progress.listening(interrupt):
    sys.argv = ["sfumato", "anonymize", "job.toml", {option!r}]
    main()
"""
JOB = """
source = "people.csv"
output = "out"
[columns.quasi_identifiers]
age = { intervals = [5, 20] }
pay = { intervals = [10, 100] }
[[criteria]]
k_anonymity = { k = 20 }
[method]
k_optimize = {}
"""


@pytest.mark.long
@pytest.mark.parametrize(("times", "code"), [(1, 0), (2, 130)])
def test_the_first_interrupt_of_k_optimize_writes_its_best_and_the_second_ends(
    tmp_path, times, code
):
    people = [f"{20 + 7 * j % 60},{37 * j % 400}" for j in range(4000)]
    (tmp_path / "people.csv").write_text("age,pay\n" + "\n".join(people))
    (tmp_path / "job.toml").write_text(JOB)
    (tmp_path / "search.py").write_text(SEARCHING.format(times=times, option="--no-audit"))
    command = [sys.executable, "search.py"]
    ended = subprocess.run(command, check=False, cwd=tmp_path, capture_output=True, text=True)
    assert ended.returncode == code, ended.stderr
    if code:
        assert not (tmp_path / "out").exists()
        return
    described = json.loads((tmp_path / "out" / "release.json").read_text())
    assert described["best_so_far"]["gap"] > 0


BY_VALUES = """
source = "people.csv"
output = "out"
[columns]
sensitive = ["disease"]
[columns.quasi_identifiers]
{columns}
[[criteria]]
k_anonymity = {{ k = 5 }}
[[criteria]]
l_diversity = {{ l = 2 }}
[method]
optimal = {{ max_suppressed = 0.05 }}
"""


@pytest.mark.long
@pytest.mark.parametrize(("option", "code"), [("--details", 5), ("--allow-undecided", 0)])
def test_who_interrupts_a_search_by_values_is_told_at_once_what_is_undecided(
    tmp_path, option, code
):
    names, chance = [f"c{j}" for j in range(9)], random.Random(4)
    lines = [
        ",".join([*(str(chance.randrange(16)) for _ in names), chance.choice(["flu", "", "gout"])])
        for _ in range(3000)
    ]
    (tmp_path / "people.csv").write_text("\n".join([",".join([*names, "disease"]), *lines]))
    columns = "\n".join(f"{name} = {{ intervals = [2, 4, 8] }}" for name in names)
    (tmp_path / "job.toml").write_text(BY_VALUES.format(columns=columns))
    (tmp_path / "search.py").write_text(SEARCHING.format(times=1, option=option))
    command = [sys.executable, "search.py"]
    ended = subprocess.run(command, check=False, cwd=tmp_path, capture_output=True, text=True)
    assert ended.returncode == code, ended.stdout + ended.stderr
    said = " ".join(ended.stdout.split())
    assert "Ctrl-C ended the search" in said
    assert "give it a budget in nodes" in said
    assert (tmp_path / "out").exists() == (code == 0)
    assert ("--allow-undecided writes it anyway" in said) == (code == 5)
    assert "tried" not in said
