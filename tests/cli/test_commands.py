"""The command line: what it prints, what it writes, how it ends."""

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

import sfumato as sf
from cli.common import JOB, run
from sfumato.job import Job

GUARDED = """[[criteria]]
personalized_privacy = { l = 2, guarding = "guard" }
[columns.hierarchies]
disease = { csv = "diseases.csv" }
"""


@pytest.fixture
def place(tmp_path) -> Path:
    (tmp_path / "patients.csv").write_bytes(sf.datasets.patients().read_bytes())
    (tmp_path / "job.toml").write_text(JOB)
    return tmp_path


def with_job(place: Path, old: str, new: str) -> Path:
    assert old in JOB
    (place / "job.toml").write_text(JOB.replace(old, new))
    return place / "job.toml"


@pytest.mark.long
def test_the_demo_makes_a_release_and_says_where_it_is(tmp_path):
    result = run("demo", "--output", tmp_path / "demo")
    assert result.exit_code == 0
    assert f"The release is in {tmp_path / 'demo'}" in result.stdout.replace("\n", "")
    assert sf.load(tmp_path / "demo").check()
    handed_out = sorted(each.name for each in (tmp_path / "demo-report").iterdir())
    assert handed_out == ["report.html", "report.json", "skyline.html", "skyline.json"]
    private = sorted(each.name for each in (tmp_path / "demo-steward").iterdir())
    assert private == ["report-steward.html", "report-steward.json"]
    assert sf.ReleaseSeries(tmp_path / "demo-series").verify()


@pytest.mark.long
def test_the_demo_speaks_json(tmp_path):
    result = run("demo", "--output", tmp_path / "demo", "--json")
    found = json.loads(result.stdout)
    assert found["check"]["holds"] is True
    assert found["release"]["rows"] == 48842


def test_a_job_makes_its_release_beside_itself(place):
    result = run("anonymize", place / "job.toml", "--no-audit")
    assert result.exit_code == 0, result.stderr
    assert sf.load(place / "out" / "2026-q1").check()
    assert "1 column dropped" in result.stdout
    assert "identifiers: name" not in result.stdout
    shown = run("anonymize", place / "job.toml", "--no-audit", "--dry-run", "--details")
    assert "identifiers: name" in shown.stdout


def test_a_dry_run_writes_nothing(place):
    before = sorted(place.rglob("*"))
    result = run("anonymize", place / "job.toml", "--no-audit", "--dry-run")
    assert result.exit_code == 0
    assert "nothing was written" in result.stdout
    assert sorted(place.rglob("*")) == before


def test_a_job_speaks_json(place):
    found = json.loads(run("anonymize", place / "job.toml", "--no-audit", "--json").stdout)
    assert found["smallest_group"] >= 5
    assert found["output"].endswith("2026-q1")


def test_a_job_with_a_hierarchy_file_and_samarati(place):
    (place / "sex.csv").write_text("female;*\nmale;*\nother;*\n")
    job = with_job(place, "sex = { flat = true }", 'sex = { csv = "sex.csv" }')
    job.write_text(
        job.read_text().replace(
            "mondrian = { strict = true }", "samarati = { max_suppressed = 0.05 }"
        )
    )
    assert run("anonymize", job, "--no-audit").exit_code == 0
    assert sf.load(place / "out" / "2026-q1").levels is not None


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('source = "patients.csv"', 'source = "nowhere.csv"', "no such file"),
        ('source = "patients.csv"', "", "the key 'source' is missing"),
        ('source = "patients.csv"', 'source = "patients.csv"\nsorce = 1', "did you mean 'source'"),
        ('source = "patients.csv"', 'source = "."', "is a directory"),
        ('source = "patients.csv"', "source = ", "not TOML"),
        ('identifiers = ["name"]', 'identifiers = ["nmae"]', "did you mean 'name'"),
        ('identifiers = ["name"]', 'identifiers = ["disease"]', "give it one role"),
        ('identifiers = ["name"]', "identifiers = 5", "columns.identifiers: "),
        ('identifiers = ["name"]', 'identifers = ["name"]', "did you mean 'identifiers'"),
        ("age = { intervals = [5, 10, 20] }", "age = { intervals = [5, 7] }", "must nest"),
        (
            "age = { intervals = [5, 10, 20] }",
            "age = { interval = [5] }",
            "mean 'intervals'",
        ),
        (
            "zip = { prefix = true }",
            "zip = { intervals = [5] }\nname = { intervals = [5] }",
            "one role",
        ),
        ("k_anonymity = { k = 5 }", "k_anonymity = { k = 0 }", "integer >= 1, got 0"),
        ("k_anonymity = { k = 5 }", "k_anonymity = { kk = 5 }", "unknown parameter 'kk'"),
        ("k_anonymity = { k = 5 }", "k_anonymity = {}", "missing"),
        ("k_anonymity = { k = 5 }", "k_anonimity = { k = 5 }", "did you mean 'k_anonymity'"),
        ("l_diversity = { l = 3 }", 'l_diversity = { l = "x" }', "number >= 1"),
        ("mondrian = { strict = true }", "mondrain = {}", "did you mean 'mondrian'"),
    ],
)
def test_a_wrong_job_gets_one_line_and_writes_nothing(place, old, new, message):
    result = run("anonymize", with_job(place, old, new))
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (place / "out").exists()


def test_what_cannot_be_had_ends_with_3(place):
    result = run("anonymize", with_job(place, "{ k = 5 }", "{ k = 2001 }"))
    assert result.exit_code == 3
    assert "reaches 2,000" in result.stderr
    assert not (place / "out").exists()


def test_a_second_run_of_a_job_is_refused(place):
    assert run("anonymize", place / "job.toml", "--no-audit").exit_code == 0
    result = run("anonymize", place / "job.toml", "--no-audit")
    assert result.exit_code == 2
    assert "never overwritten" in result.stderr


@pytest.mark.long
def test_values_are_shown_only_when_asked_for_or_on_a_terminal(place):
    (place / "sex.csv").write_text("female;*\nmale;*\n")
    job = with_job(place, "sex = { flat = true }", 'sex = { csv = "sex.csv" }')
    assert "'other'" not in run("anonymize", job).stderr
    assert "'other'" in run("anonymize", job, "--show-values").stderr
    master, terminal = pty.openpty()
    command = [sys.executable, "-m", "sfumato", "anonymize", str(job)]
    subprocess.run(command, stderr=terminal, stdout=subprocess.DEVNULL, check=False)
    os.close(terminal)
    assert b"'other'" in os.read(master, 65536)


@pytest.mark.long
def test_progress_is_shown_on_a_terminal_and_not_in_a_pipe(place):
    command = [
        sys.executable,
        "-m",
        "sfumato",
        "anonymize",
        str(place / "job.toml"),
        "--no-audit",
        "--dry-run",
    ]
    piped = subprocess.run(command, capture_output=True, check=True)
    assert piped.stderr == b""
    master, terminal = pty.openpty()
    environment = {**os.environ, "TERM": "xterm"}
    subprocess.run(command, stderr=terminal, stdout=subprocess.DEVNULL, env=environment, check=True)
    os.close(terminal)
    assert re.search(rb"reading|counting|searching|cutting", os.read(master, 65536))


def test_check_measures_a_raw_table():
    result = run("check", sf.datasets.patients(), "-q", "age,zip,sex", "-s", "disease", "--json")
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert found["groups"] == 1802
    assert [each["found"] for each in found["criteria"][:4]] == [1, 1, 1.0, 1]
    assert found["alone"] == 1622


def test_check_ends_with_1_when_a_requirement_fails():
    result = run("check", sf.datasets.patients(), "-q", "age,sex", "-s", "disease", "-k", 5)
    assert result.exit_code == 1
    assert "FAILS" in result.stdout


@pytest.mark.long
def test_check_reads_a_release_a_job_and_another_tools_output(place):
    assert run("check", place / "job.toml").exit_code == 1  # the raw table is not safe
    assert run("anonymize", place / "job.toml", "--no-audit").exit_code == 0
    released = place / "out" / "2026-q1"
    assert run("check", released).exit_code == 0
    assert run("check", released, "-k", 1000).exit_code == 1
    assert (
        run(
            "check", released / "data.csv", "-q", "age,zip,sex", "-s", "disease", "-k", 5, "-l", 3
        ).exit_code
        == 0
    )


def test_check_needs_to_know_what_others_know():
    result = run("check", sf.datasets.patients(), "-k", "5")
    assert result.exit_code == 2
    assert "--quasi-identifiers" in result.stderr


def test_help_teaches():
    assert "sfumato demo" in run("--help").stdout
    assert "[columns.quasi_identifiers]" in run("anonymize", "--help").stdout
    assert run("--version").stdout.strip() == sf.__version__


@pytest.mark.long
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.csv"], "no such file"),
        (["."], "no saved release"),
        (
            ["patients.csv", "-q", "age", "-l", "2"],
            "no sensitive column; name one (sensitive=, -s)",
        ),
        (["patients.csv", "-q", "age", "-k", "2", "--kind", "entropy"], "give -l with it"),
        (["out/2026-q1", "-q", "age"], "leave -q, -s, --person and --alike out"),
        (["patients.csv", "-q", "aeg"], "did you mean 'age'"),
        (["colons.csv", "-q", "age"], "is it delimited by"),
    ],
)
def test_a_wrong_check_gets_one_line(place, monkeypatch, arguments, message):
    assert run("anonymize", place / "job.toml", "--no-audit").exit_code == 0
    (place / "colons.csv").write_text("age:sex\n1:m\n")
    monkeypatch.chdir(place)
    result = run("check", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_job_can_use_a_saved_recoding(place):
    assert (
        run(
            "anonymize",
            with_job(place, "mondrian = { strict = true }", "samarati = {}"),
            "--no-audit",
        ).exit_code
        == 0
    )
    job = Job.load(place / "job.toml")
    release = sf.anonymize(job.table(), job.criterion, job.method)
    release.save_recoding(place / "recoding.json")
    saved = 'recode = { file = "recoding.json", max_suppressed = 0.1 }'
    again = with_job(place, "mondrian = { strict = true }", saved)
    again.write_text(again.read_text().replace("2026-q1", "2026-q2"))
    assert run("anonymize", again, "--no-audit").exit_code == 0
    assert sf.load(place / "out" / "2026-q2").levels == release.levels


@pytest.mark.long
def test_a_job_can_let_people_say_what_they_guard(place):
    """The column has no role: it is counted, and stands in no file of the release."""
    lines = (place / "patients.csv").read_text().splitlines()
    wishes = ["guard", *(("hush" if j % 9 == 0 else "") for j in range(len(lines) - 1))]
    written = [f"{line},{wish}" for line, wish in zip(lines, wishes, strict=True)]
    (place / "patients.csv").write_text("\n".join(written) + "\n")
    diseases = sorted({line.split(",")[-1] for line in lines[1:]})
    tree = "".join(f"{d};{'hush' if j < 2 else 'open'};*\n" for j, d in enumerate(diseases))
    (place / "diseases.csv").write_text(tree)
    job = JOB.replace("[[criteria]]\nl_diversity = { l = 3 }", GUARDED)
    (place / "job.toml").write_text(job)
    result = run("anonymize", place / "job.toml", "--no-audit", "--details")
    assert result.exit_code == 0, result.output
    assert "guarding: guard" in result.output
    out = place / "out" / "2026-q1"
    assert not any("hush" in path.read_text() for path in out.iterdir())
    assert run("check", out).exit_code == 5
    assert "no verdict" in run("check", out).output
    assert run("check", place / "job.toml").exit_code == 1  # the raw table is not safe


def test_a_dry_run_says_that_the_place_is_taken(place):
    assert run("anonymize", place / "job.toml", "--no-audit").exit_code == 0
    result = run("anonymize", place / "job.toml", "--no-audit", "--dry-run")
    assert result.exit_code == 0
    assert "exists already" in result.stdout


def test_the_json_of_a_job_says_what_was_promised(place):
    found = json.loads(run("anonymize", place / "job.toml", "--no-audit", "--json").stdout)
    assert found["promise"] == (sf.KAnonymity(5) & sf.LDiversity(3)).spec()
    assert found["method"] == sf.Mondrian().spec()
    assert found["dropped"] == {"identifiers": ["name"]}
    assert found["sensitive_without_criterion"] == []


def test_check_draws_people_over_group_size_before_and_after(place, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    job = place / "job.toml"
    alone = run("check", job)
    assert "In the table as it is, 2,000 of 2,000 people are in groups smaller than 20" in " ".join(
        alone.output.split()
    )
    assert run("anonymize", job, "--no-audit").exit_code == 0
    drawn = run("check", job).output
    words = " ".join(drawn.split())
    assert "Before, with the values as read, 2,000 of 2,000 people" in words
    assert "After, as published," in words
    header = next(line for line in drawn.splitlines() if "group size" in line)
    assert header.split() == ["group", "size", "risk", "before", "after"]
    assert max(map(len, drawn[drawn.index("group size") :].splitlines())) <= 80
    release = run("check", place / "out" / "2026-q1").output
    assert "Before" not in release
    assert "After, as published," in " ".join(release.split())
    written = json.loads(run("check", job, "--json").output)["risk"]
    assert written["before"]["people"] == written["after"]["people"] == 2000


def test_before_is_without_the_top_code_of_a_job(place):
    """The table that is measured has it; what was before has not."""
    top = "intervals = { widths = [10, 20], top = 60 }"
    job = with_job(place, "intervals = [5, 10, 20]", top)
    as_it_is = json.loads(run("check", job, "--json").output)
    assert run("anonymize", job, "--no-audit").exit_code == 0
    written = json.loads(run("check", job, "--json").output)
    raw = json.loads(run("check", place / "patients.csv", "-q", "age,zip,sex", "--json").output)
    assert written["risk"]["before"]["groups"] == raw["groups"]
    assert raw["groups"] > written["groups"] == as_it_is["risk"]["as_it_is"]["groups"]


def test_check_of_a_job_says_why_its_release_was_not_counted(place):
    job = place / "job.toml"
    assert run("anonymize", job, "--no-audit").exit_code == 0
    job.write_text(job.read_text().replace("sex = { flat = true }\n", ""))
    said = " ".join(run("check", job).output.split())
    assert "After: not counted in" in said
    assert "it has other quasi-identifiers than the job." in said
    (place / "out" / "2026-q1" / "release.json").write_text("{}")
    assert "After: not counted in" in " ".join(run("check", job).output.split())
