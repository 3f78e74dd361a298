"""The examples of docs/engines.md run, on a server that is there."""

import re
import shlex
from pathlib import Path

import pytest

import sfumato as sf

PAGE = (Path(__file__).parents[3] / "docs" / "engines.md").read_text()
BLOCKS = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
THEIRS = "postgresql://ada@db.example/clinic"


@pytest.fixture(scope="module")
def clinic(server):
    """The database of the page, with its table."""
    rows = sf.read(sf.datasets.patients(), ["age"]).source.to_batches(["zip"]).read_all()
    server.run("CREATE SCHEMA visits")
    server.put(rows, "patients", "visits")
    return server


def test_the_example_of_the_page(clinic, tmp_path, monkeypatch):
    (example,) = [block for block in BLOCKS if "sf.anonymize" in block]
    monkeypatch.chdir(tmp_path)
    exec(example.replace(THEIRS, clinic.address()), {"sf": sf})
    assert sf.load("out/2026-q1").check().holds


@pytest.mark.engines
def test_the_command_of_the_page(clinic, tmp_path, sfumato):
    (line,) = [line for block in BLOCKS for line in block.splitlines() if line[:2] == "$ "]
    _, program, *words = shlex.split(line)
    assert program == "sfumato"
    code, said = sfumato(*(word.replace(THEIRS, clinic.address()) for word in words), cwd=tmp_path)
    assert code == 0, said
