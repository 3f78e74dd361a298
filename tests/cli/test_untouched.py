"""Columns published untouched, at the command line."""

import json

import pytest

from cli.common import run

JOB = """
source = "people.csv"
output = "out"
[columns]
sensitive = ["disease"]
insensitive = ["address", "last_name", "longitude"]
[columns.quasi_identifiers]
age = { intervals = [5, 10, 20] }
zip = { prefix = true }
[[criteria]]
k_anonymity = { k = 3 }
"""


@pytest.fixture
def job(tmp_path):
    rows = [
        f"{20 + 5 * j % 40},10{j % 4}1,{'flu' if j % 2 else 'cold'},street {j},Name {j % 50},1.{j}1"
        for j in range(63)
    ]
    header = "age,zip,disease,address,last_name,longitude"
    (tmp_path / "people.csv").write_text("\n".join([header, *rows, ""]))
    (tmp_path / "job.toml").write_text(JOB)
    return tmp_path / "job.toml"


@pytest.mark.parametrize("option", [[], ["--dry-run"], ["--no-audit"]])
def test_columns_that_identify_people_are_refused(job, option):
    refused = run("anonymize", job, *option)
    assert refused.exit_code == 2
    assert "address (63 values), last_name (50 values), longitude (63 values)" in refused.stderr
    assert "63 people of 63" in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert not (job.parent / "out").exists()


@pytest.mark.long
def test_what_the_job_allows_is_published_and_found_by_the_audit(job):
    job.write_text("untouched_identify = true\n" + JOB)
    made = run("anonymize", job, "--no-audit", "--json")
    assert made.exit_code == 0
    told = json.loads(made.stdout)
    assert told["untouched_identify"] is True
    assert told["untouched"]["smallest_group"] == 1
    assert told["untouched"]["alone"] == 63
    assert told["untouched"]["determined"]["address"] == ["age", "zip"]
    audited = run("audit", job.parent / "out", "--json")
    assert audited.exit_code == 1
    findings = {each["attack"]: each for each in json.loads(audited.stdout)["findings"]}
    assert findings["linkage, prosecutor"]["holds"]
    linked = findings["linkage, untouched columns"]
    assert (linked["holds"], linked["people_exceeding"], linked["found"]) == (False, 63, 1)
    with_original = run("audit", job, "--json")
    assert with_original.exit_code == 1
    assert "address gives age, zip away" in with_original.stdout
    checked = run("check", job.parent / "out")
    assert "Published untouched: address (63 values)" in checked.stdout.replace("\n", " ")
    assert json.loads(run("check", job.parent / "out", "--json").stdout)["untouched"]["alone"] == 63


def test_with_an_audit_nothing_that_fails_is_written(job):
    job.write_text("untouched_identify = true\n" + JOB)
    assert run("anonymize", job).exit_code == 1
    assert not (job.parent / "out").exists()


TELLING = """
source = "people.csv"
output = "out"
[columns]
sensitive = ["disease", "birth_year"]
[columns.quasi_identifiers]
age = { intervals = [5, 10, 20] }
[[criteria]]
k_anonymity = { k = 5 }
"""


def test_a_year_of_birth_is_refused_named_and_found(tmp_path):
    rows = [f"{20 + j % 60},{2006 - j % 60},{'flu' if j % 7 else 'cold'}" for j in range(180)]
    (tmp_path / "people.csv").write_text("\n".join(["age,birth_year,disease", *rows, ""]))
    job = tmp_path / "job.toml"
    job.write_text(TELLING)
    refused = run("anonymize", job)
    assert refused.exit_code == 2
    assert "birth_year tells age" in refused.stderr
    assert "is 3 instead of 5: 180 people of 180" in refused.stderr
    checked = json.loads(run("check", job, "--json").stdout)
    assert checked["untouched"]["telling"] == {"birth_year": ["age"]}
    job.write_text("untouched_identify = true\n" + TELLING)
    assert run("anonymize", job, "--no-audit").exit_code == 0
    for subject in (job, tmp_path / "out"):
        audited = run("audit", subject, "--json")
        assert audited.exit_code == 1
        assert "birth_year tells age" in audited.stdout
