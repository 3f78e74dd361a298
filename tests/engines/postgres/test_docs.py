"""The example of docs/engines.md runs, on a server that is there."""

import re
from pathlib import Path

import sfumato as sf

PAGE = Path(__file__).parents[3] / "docs" / "engines.md"
THEIRS = "postgresql://ada@db.example/clinic"


def test_the_example_of_the_page(server, tmp_path, patients, monkeypatch):
    blocks = re.findall(r"```text\n(.*?)```", PAGE.read_text(), re.DOTALL)
    (example,) = [block for block in blocks if "sf.anonymize" in block]
    server.run("CREATE SCHEMA visits")
    server.put(patients, "patients", "visits")
    monkeypatch.chdir(tmp_path)
    exec(example.replace(THEIRS, server.address()), {"sf": sf})
    assert sf.load("out/2026-q1").check().holds
