"""Every example in the documentation runs."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

import sfumato as sf
from sfumato.cli.app import app
from sfumato.job import Job

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
NEEDS = {"cluster.md": "spark"}  # a fixture that a page cannot do without
PARAMETERS = [
    pytest.param(page, marks=pytest.mark.engines) if page.name in NEEDS else page for page in PAGES
]
ALONE = [  # but the tutorial, whose Python follows commands
    each for page, each in zip(PAGES, PARAMETERS, strict=True) if page.name != "tutorial.md"
]
ADDING = sorted((ROOT / "docs" / "adding").glob("*.md"))


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)


@pytest.fixture
def _needed(request):
    """Start what a page cannot do without."""
    page = request.node.callspec.params["page"]
    if page.name in NEEDS:
        request.getfixturevalue(NEEDS[page.name])


@pytest.mark.long
@pytest.mark.usefixtures("_needed")
@pytest.mark.parametrize("page", ALONE, ids=lambda page: page.name)
def test_the_python_of_a_page_runs_from_top_to_bottom(page, tmp_path, monkeypatch, capsys):
    shutil.copy(sf.datasets.patients(), tmp_path)
    monkeypatch.chdir(tmp_path)
    code = "\n".join(blocks(page, "python"))
    exec(compile(code, page.name, "exec"), {})
    if page.name == "README.md":
        (shown,) = re.findall(
            r"^```\n(promise .*?)^```", page.read_text(), re.DOTALL | re.MULTILINE
        )
        assert shown in capsys.readouterr().out


@pytest.mark.long
@pytest.mark.parametrize("page", ADDING, ids=lambda page: page.name)
def test_what_a_page_adds_works_in_a_process_of_its_own(page, tmp_path):
    """What is defined joins, so it must not join the other tests."""
    shutil.copy(sf.datasets.patients(), tmp_path)
    (tmp_path / "example.py").write_text("\n".join(blocks(page, "python")))
    done = subprocess.run(
        [sys.executable, "-W", "error", "example.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.usefixtures("_needed")
@pytest.mark.parametrize("page", PARAMETERS, ids=lambda page: page.name)
def test_the_jobs_of_a_page_run(page, tmp_path):
    shutil.copy(sf.datasets.patients(), tmp_path)
    for number, text in enumerate(blocks(page, "toml")):
        tomllib.loads(text)
        path = tmp_path / f"job{number}.toml"
        path.write_text(text)
        job = Job.load(path)
        assert sf.anonymize(job.table(), job.criterion, job.method).check()


@pytest.mark.long
def test_the_commands_of_the_readme_run_in_their_order(tmp_path, monkeypatch):
    """In the directory that the Python above them leaves; exit codes other than 0 are announced."""
    monkeypatch.chdir(tmp_path)
    readme = ROOT / "README.md"
    exec(compile(blocks(readme, "python")[0], readme.name, "exec"), {})
    (job,) = blocks(readme, "toml")
    Path("job.toml").write_text(job)
    (commands,) = blocks(readme, "sh")
    for line in commands.splitlines():
        command, said = line.split("#")
        if command.startswith("sed "):
            subprocess.run(command, shell=True, check=True)
            continue
        _, *arguments = command.split()
        done = CliRunner().invoke(app, arguments)
        announced = re.findall(r"exit code (\d)", said)
        assert done.exit_code == int(*announced), f"{command}: {done.output}"
    assert Path("page", "report.html").exists()


def test_the_commands_a_newcomer_needs_stand_at_the_top():
    top = (ROOT / "README.md").read_text().split("## ")[0]
    assert "make demo" in top
    assert "make test" in top


def test_links_between_pages_lead_somewhere():
    for page in [*PAGES, *ADDING, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]:
        for target in re.findall(r"\]\((?!http)([^)#]+)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
