"""The tutorial is followed by a newcomer who does what it says and compares what it shows."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sfumato.cli.app import app

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "tutorial.md"


def run(line: str) -> str:
    """Run one command, which ends as announced, and give what it prints."""
    command, _, said = line.partition("#")
    program, *arguments = command.split()
    (code,) = [int(code) for code in re.findall(r"exit code (\d)", said)] or [0]
    if program == "python":
        script, *rest = arguments
        done = subprocess.run(
            [sys.executable, ROOT / script, *rest], capture_output=True, text=True, check=False
        )
        assert done.returncode == code, done.stderr
        return done.stdout
    assert program == "sfumato"
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == code, f"{command}: {done.output}"
    return done.output


def edit(job: Path, changes: str) -> None:
    """Change the job as the lines say, in the one place that they fit."""
    marks = [(line[0], line[1:]) for line in changes.splitlines()]
    before = "\n".join(text for mark, text in marks if mark in "- ") + "\n"
    after = "".join(f"{text}\n" for mark, text in marks if mark in "+ ")
    text = job.read_text()
    assert text.count(f"\n{before}") == 1, f"the proposal has no line {before}"
    job.write_text(text.replace(f"\n{before}", f"\n{after}"))


def missing(shown: str, printed: str) -> list[str]:
    """Give the lines that are shown and were not printed in this order; dots stand for others."""
    lines = iter(" ".join(line.split()) for line in printed.splitlines())
    wanted = [" ".join(line.removesuffix("...").split()) for line in shown.splitlines()]
    return [text for text in wanted if text and not any(text in line for line in lines)]


@pytest.mark.long
def test_the_tutorial_shows_what_happens(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    printed = ""
    for language, text in re.findall(
        r"^```(\w*)\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE
    ):
        match language:
            case "sh":
                printed = "".join(map(run, text.splitlines()))
            case "diff":
                edit(Path("job.toml"), text)
            case "python":
                exec(compile(text, PAGE.name, "exec"), {})
            case _:
                files = [("survey.csv", "windows-1252"), ("survey-release/data.csv", "utf-8")]
                contents = [Path(f).read_text(e) for f, e in files if Path(f).exists()]
                assert not min((missing(text, each) for each in [printed, *contents]), key=len)
    assert Path("page", "report.html").exists()
    assert "of the home, not of the office" in Path("survey-release", "codebook.html").read_text()


def test_every_run_of_the_script_writes_the_same_people(tmp_path):
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    for path in (one, two):
        subprocess.run([sys.executable, ROOT / "tools" / "make_messy_table.py", path], check=True)
    assert one.read_bytes() == two.read_bytes()
