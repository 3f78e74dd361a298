"""A job whose people have any number of sensitive values."""

import csv
import json
from collections import Counter

import pytest

from cli.common import run

JOB = """
source = "visits.csv"
output = "out"
[columns]
person = "patient"
sensitive = "diagnosis"
quasi_identifiers = ["age"]
[[criteria]]
k_anonymity = { k = 3 }
[[criteria]]
skyline = { points = [[1, 1, 1, 0.95]], case = "set" }
[method]
one_group = {}
"""
VISITS = """patient,age,diagnosis
1,30,flu
1,30,gout
2,30,cold
3,40,
4,40,flu
5,50,gout
5,50,cold
6,50,gout
"""


def job(folder, written=JOB, visits=VISITS):
    (folder / "job.toml").write_text(written)
    (folder / "visits.csv").write_text(visits)
    return folder / "job.toml"


@pytest.mark.long
def test_a_job_publishes_people_and_values_apart(tmp_path):
    assert run("anonymize", job(tmp_path), "--allow-undecided").exit_code == 0
    with (tmp_path / "out" / "data.csv").open(newline="") as file:
        assert [row["age"] for row in csv.DictReader(file)] == ["30", "30", "40", "40", "50", "50"]
    with (tmp_path / "out" / "sensitive.csv").open(newline="") as file:
        values = Counter(row["diagnosis"] for row in csv.DictReader(file))
    assert values == {"flu": 2, "gout": 3, "cold": 2}
    assert json.loads((tmp_path / "out" / "release.json").read_text())["set_valued"] == "diagnosis"
    audited = run("audit", tmp_path / "job.toml", "--json")
    assert audited.exit_code == 5
    told = json.loads(audited.stdout)
    assert (told["people"], told["verdict"]) == (6, "undecided")
    names = [each["attack"] for each in told["findings"]]
    assert names == ["homogeneity", "background knowledge", "knowledge (1, 1, 1)"]
    assert run("check", tmp_path / "out").exit_code == 0


def test_a_job_for_one_value_each_says_why_it_cannot_be_done(tmp_path):
    refused = run("anonymize", job(tmp_path, JOB.replace("one_group", "mondrian")))
    assert refused.exit_code == 2
    told = " ".join(refused.output.split())
    assert "Mondrian() cannot publish 'diagnosis', of which people have any number" in told
    assert not (tmp_path / "out").exists()


def test_people_whose_rows_disagree_are_counted_and_not_shown(tmp_path):
    refused = run("anonymize", job(tmp_path, visits=VISITS.replace("5,50,cold", "5,5005,cold")))
    assert refused.exit_code == 2
    told = " ".join(refused.output.split())
    assert "person: 1 person has more than one value of 'age'" in told
    assert "5005" not in told
