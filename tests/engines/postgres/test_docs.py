"""The examples of docs/engines.md run, on a server that is there."""

import re
import shlex
from pathlib import Path

import pytest

import sfumato as sf

PAGE = (Path(__file__).parents[3] / "docs" / "engines.md").read_text()
BLOCKS = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
THEIRS = re.compile(r"postgresql://(?:ada|bob)@db\.example/clinic")


@pytest.fixture(scope="module")
def clinic(server):
    """The database of the page, with its table."""
    rows = sf.read(sf.datasets.patients(), ["age"]).source.to_batches(["zip"]).read_all()
    server.run("CREATE SCHEMA visits", "CREATE SCHEMA research")
    server.put(rows, "patients", "visits")
    return server


def here(text, clinic):
    """The same on the server that is there."""
    return THEIRS.sub(lambda _: clinic.address(), text)


def test_the_example_of_the_page(clinic, tmp_path, monkeypatch):
    examples = [block for block in BLOCKS if block[:2] != "$ "]
    assert len(examples) == 2
    monkeypatch.chdir(tmp_path)
    exec(here("".join(examples), clinic), {"sf": sf})
    assert sf.load("out/2026-q1").check().holds


@pytest.mark.engines
def test_the_commands_of_the_page(clinic, tmp_path, monkeypatch, sfumato):
    if not clinic.ask("SELECT 1 FROM pg_class WHERE relname = 'q1'"):
        test_the_example_of_the_page(clinic, tmp_path, monkeypatch)
    lines = [line for block in BLOCKS for line in block.splitlines() if line[:2] == "$ "]
    assert len(lines) == 2
    for line in lines:
        _, program, *words = shlex.split(line)
        assert program == "sfumato"
        code, said = sfumato(*(here(word, clinic) for word in words), cwd=tmp_path)
        assert code == 0, said
