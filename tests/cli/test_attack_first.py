"""`sfumato anonymize --audit` attacks before anything is written."""

import json

import pytest

from cli.common import run

HEAD = """
source = "people.csv"
output = "out"
[columns]
sensitive = ["disease"]
[columns.quasi_identifiers]
age = { intervals = [5, 10] }
"""
GREEDY = """
[[criteria]]
l_diversity = { l = 2, kind = "frequency", values = ["HIV"] }
[method]
greedy_grouping = {}
"""


@pytest.fixture
def place(tmp_path):
    """Two people with HIV stand first, so that greedy grouping gives them away."""
    values = ["HIV", "HIV", "flu", "flu", "cold", "cold"]
    rows = [f"{20 + j},{value}" for j, value in enumerate(values)]
    (tmp_path / "people.csv").write_text("\n".join(["age,disease", *rows]) + "\n")
    return tmp_path


@pytest.mark.long
def test_where_an_attack_succeeds_nothing_is_written(place):
    (place / "job.toml").write_text(HEAD + GREEDY)
    result = run("anonymize", place / "job.toml", "--audit")
    assert result.exit_code == 1
    assert "nothing was written" in result.output
    assert "When an attack succeeds" in result.output
    assert "Checked" in result.output
    assert "Not attacked" not in result.output
    assert not (place / "out").exists()
    plain = run("anonymize", place / "job.toml")
    assert (plain.exit_code, (place / "out" / "sensitive.csv").exists()) == (0, True)
    hint = (
        f"Not attacked: sfumato audit {place / 'out'} --original {place / 'job.toml'}, or --audit"
    )
    assert hint in plain.output


def test_where_none_succeeds_the_release_is_written(place):
    (place / "job.toml").write_text(HEAD + GREEDY.replace("greedy_grouping", "anatomy"))
    result = run("anonymize", place / "job.toml", "--audit", "--json")
    assert result.exit_code == 0
    told = json.loads(result.output)
    assert told["audit"]["holds"] is True
    assert told["output"] == str(place / "out")
    assert (place / "out" / "data.csv").exists()


@pytest.mark.long
def test_a_dry_run_is_attacked_too(place):
    (place / "job.toml").write_text(HEAD + GREEDY)
    result = run("anonymize", place / "job.toml", "--audit", "--dry-run", "--json")
    assert result.exit_code == 1
    assert json.loads(result.output)["output"] is None
    assert not (place / "out").exists()


def test_a_missing_parameter_is_named(place):
    (place / "job.toml").write_text(HEAD + GREEDY.replace("greedy_grouping", "randomized_grouping"))
    result = run("anonymize", place / "job.toml")
    assert result.exit_code == 2
    assert "randomized_grouping: the parameter 'p' is missing" in result.stderr


def test_single_brackets_are_told_from_double_ones(place):
    (place / "job.toml").write_text(HEAD + GREEDY.replace("[[criteria]]", "[criteria]"))
    result = run("anonymize", place / "job.toml")
    assert (result.exit_code, "write [[criteria]]" in result.stderr) == (2, True)


def test_the_demo_does_not_take_a_directory_that_is_in_use(place, monkeypatch):
    monkeypatch.chdir(place)
    result = run("demo", "--output", ".")
    assert result.exit_code == 2
    assert "exists already" in result.stderr
