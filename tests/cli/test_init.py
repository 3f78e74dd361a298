"""`sfumato init`, and `check` of a file about which nobody said anything."""

import csv
import json
import os
import pty
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import sfumato as sf
from cli.common import run


@pytest.fixture
def place(tmp_path, monkeypatch) -> Path:
    (tmp_path / "patients.csv").write_bytes(sf.datasets.patients().read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.long
def test_init_writes_a_job_that_runs_once_its_line_is_out(place):
    result = run("init", "patients.csv")
    assert result.exit_code == 0, result.stderr
    assert "60 postal codes: quasi-identifier" in result.stdout
    assert "sfumato anonymize job.toml" in result.stdout
    refused = run("anonymize", "job.toml")
    assert refused.exit_code == 2
    assert "take out the line proposed = true" in refused.stderr
    assert run("anonymize", "job.toml", "--dry-run").exit_code == 0
    assert run("check", "job.toml").exit_code in (0, 1)
    shown = run("hierarchy", "show", "job.toml", "zip")
    assert shown.exit_code == 0, shown.stderr
    assert "zip: " in shown.stdout
    for command in (
        ("audit", "job.toml"),
        ("publish", "s", "patients.csv", "--job", "job.toml"),
        ("hierarchy", "export", "job.toml", "zip", "zip.csv"),
        ("hierarchy", "propose", "job.toml", "zip", "zip.toml"),
    ):
        assert "proposed = true" in run(*command).stderr
    job = place / "job.toml"
    job.write_text(job.read_text().replace("proposed = true\n", "", 1))
    assert run("anonymize", "job.toml").exit_code == 0
    assert sf.load(place / "patients-release").check().holds


def test_the_table_fits_80_columns(place):
    result = run("init", "patients.csv", "-o", "other.toml")
    tables = [line for line in result.stdout.splitlines() if line.startswith(" ")]
    assert tables
    assert max(map(len, tables)) <= 80


def test_pipes_and_json_have_no_values_unless_asked(place):
    del place
    values = ("02177", "female", "flu", "Ada ")
    piped = run("init", "patients.csv", "-o", "1.toml").stdout
    written = run("init", "patients.csv", "-o", "2.toml", "--json").stdout
    assert not [value for value in values if value in piped + written]
    assert json.loads(written)["job"] == "2.toml"
    assert json.loads(written)["proposed"] is True
    shown = run("init", "patients.csv", "-o", "3.toml", "--show-values").stdout
    asked = run("init", "patients.csv", "-o", "4.toml", "--json", "--show-values").stdout
    assert "02177" in shown
    assert "02177" in asked
    assert "Ada " not in shown + asked


@pytest.mark.long
def test_a_terminal_shows_an_example_of_each_level(place):
    command = [sys.executable, "-m", "sfumato", "init", "patients.csv"]
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, stdout=theirs, stderr=subprocess.DEVNULL, cwd=place) as running:
        os.close(theirs)
        seen = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:
                break
            if not piece:
                break
            seen += piece
        running.wait()
    os.close(ours)
    assert b"02177" in seen


def test_what_is_there_is_not_overwritten(place):
    (place / "job.toml").write_text("mine")
    result = run("init", "patients.csv")
    assert result.exit_code == 2
    assert "exists already and is not overwritten" in result.stderr
    assert (place / "job.toml").read_text() == "mine"


def test_check_without_roles_lists_the_columns_instead_of_an_error(place):
    del place
    result = run("check", "patients.csv")
    assert result.exit_code == 0
    for name in ("name", "age", "zip", "sex", "disease"):
        assert name in result.stdout
    assert "sfumato init patients.csv" in result.stdout
    assert "-q age,zip,sex" in result.stdout
    written = json.loads(run("check", "patients.csv", "--json").stdout)
    assert [each["role"] for each in written["columns"]].count("quasi-identifier") == 3


def test_a_name_with_a_comma_is_left_to_a_job_file(place):
    (place / "list.csv").write_text('"age, in years",sex\n' + "31,f\n42,m\n" * 10)
    shown = run("check", "list.csv").stdout.splitlines()
    assert [line for line in shown if line.startswith("sfumato")] == ["sfumato init list.csv"]


def test_a_question_that_needs_roles_still_asks_for_them(place):
    del place
    result = run("check", "patients.csv", "-k", "5")
    assert result.exit_code == 2
    assert "sfumato init proposes them" in result.stderr


@pytest.mark.long
def test_a_workbook_is_proposed_by_the_sheet_with_the_table_or_the_one_that_is_named(place):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.title = "notes"
    book.active.append(["of 2026"])
    people = book.create_sheet("members")
    for row in csv.reader((place / "patients.csv").read_text().splitlines()):
        people.append(row)
    book.save(place / "patients.xlsx")
    done = run("init", "patients.xlsx", "-o", "found.toml")
    assert done.exit_code == 0, done.stderr
    assert 'sheet = "members"' in (place / "found.toml").read_text()
    for row in (["of", "by"], [2026, "us"]):
        book["notes"].append(row)
    book.save(place / "patients.xlsx")
    refused = run("init", "patients.xlsx")
    assert refused.exit_code == 2
    assert "the workbook has 2 sheets ('notes', 'members'); say which one" in refused.stderr
    done = run("init", "patients.xlsx", "--sheet", "members")
    assert done.exit_code == 0, done.stderr
    assert "60 postal codes: quasi-identifier" in done.stdout
    assert 'sheet = "members"' in (place / "job.toml").read_text()
    none = run("init", "patients.xlsx", "--sheet", "notes", "--skip-rows", "0", "-o", "none.toml")
    assert "row 2: a value in column 2" in none.stderr
    assert run("anonymize", "job.toml", "--dry-run").exit_code == 0


@pytest.mark.long
@pytest.mark.parametrize("name", ["liste 2026.csv", "liste.xlsx"])
def test_the_command_that_check_advises_measures_the_table(place, name):
    """Every setting that was found stands in it, quoted for a shell."""
    lines = ["Patienten;;;;", "Name;Geb.-Datum;Größe (m);Geschlecht;Diagnose"]
    for j in range(60):
        born, tall = f"{1 + j % 28:02}.0{1 + j % 9}.{1950 + j % 30}", f"1,{60 + j % 30}"
        tall = tall if j % 9 else "k.A."
        lines.append(f"P{j};{born};{tall};{'mw'[j % 2]};{('Grippe', 'Asthma')[j % 2]}")
    lines.append("Summe;;;;")
    if name.endswith(".csv"):
        (place / name).write_bytes("\r\n".join(lines).encode("windows-1252"))
    else:
        book = pytest.importorskip("openpyxl").Workbook()
        for line in lines:
            book.active.append([text or None for text in line.split(";")])
        book.save(place / name)
    result = run("check", name)
    assert result.exit_code == 0, result.stderr
    advised = [line for line in result.stdout.splitlines() if line.startswith("sfumato ")]
    measuring, proposing = (shlex.split(line)[1:] for line in advised)
    assert proposing == ["init", name]
    assert measuring[:2] == ["check", name]
    assert {"--skip-rows", "--skip-end", "--dates", "--missing"} <= {*measuring}
    measured = run(*measuring, "--json")
    assert measured.exit_code == 0, measured.stderr
    assert json.loads(measured.stdout)["rows"] == 60
    given = run("check", name, "--skip-end", "0").stdout.splitlines()
    assert any(line.startswith("sfumato init") and "--skip-end 0" in line for line in given)


def test_a_job_for_a_series_is_published_as_it_is_proposed(tmp_path, monkeypatch):
    """But for the line that says that nobody has read it."""
    monkeypatch.chdir(tmp_path)
    header, *rows = sf.datasets.patients().read_text().splitlines(keepends=True)
    (tmp_path / "january.csv").write_text(header + "".join(rows[:300]))
    told = run("init", "january.csv", "--series")
    assert told.exit_code == 0
    assert "  sfumato publish series/ january.csv --job job.toml\n" in told.output
    text = (tmp_path / "job.toml").read_text()
    (tmp_path / "job.toml").write_text(text.replace("proposed = true\n", "", 1))
    done = run("publish", "series", "january.csv", "--job", "job.toml", "--rare", "keep")
    assert done.exit_code == 0, done.output
    assert sf.load(tmp_path / "series" / "public" / "001").method.series is not None


def test_a_risk_is_proposed_as_the_promise_and_anonymize_names_the_line(place):
    result = run("init", "patients.csv", "--risk", "0.09")
    assert result.exit_code == 0, result.stderr
    proposed = sf.propose("patients.csv", risk="0.09")
    assert proposed.criterion.parts[0] == sf.MaxRisk("0.09")
    assert proposed.method.ks[0] == 12
    text = Path("job.toml").read_text()
    assert "max_risk" in text
    assert "k_anonymity" not in text
    refused = run("anonymize", "job.toml", "--risk", "0.09")
    assert refused.exit_code == 2
    assert 'max_risk = { risk = "0.09" }' in " ".join(refused.stderr.split())
    assert run("init", "patients.csv", "-o", "other.toml", "--risk", "9").exit_code == 2
    assert not Path("other.toml").exists()


def test_a_meaning_of_no_column_names_the_job_and_withholds_nothing(place):
    assert run("init", "patients.csv").exit_code == 0
    job = Path("job.toml").read_text().replace("proposed = true\n", "")
    Path("job.toml").write_text(job.replace("[describe]\n", '[describe]\nFoo = "x"\n'))
    refused = run("anonymize", "job.toml")
    assert refused.exit_code == 2
    assert "job.toml: describe: unknown column 'Foo'" in refused.stderr
    assert "--show-values" not in refused.stderr
