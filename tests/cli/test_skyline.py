"""`sfumato skyline`: how much an adversary has to know."""

import json

import pytest

from cli.common import JOB, run

DISEASES = ("flu", "HIV", "none", "asthma")


def patient(j):
    return f"n{j},{20 + j % 30},{13050 + j % 7},{'fm'[j % 2]},{DISEASES[(j * 7 + j // 9) % 4]}\n"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    place = tmp_path_factory.mktemp("skyline")
    rows = "".join(map(patient, range(200)))
    (place / "patients.csv").write_text(f"name,age,zip,sex,disease\n{rows}")
    (place / "job.toml").write_text(JOB)
    assert run("anonymize", place / "job.toml", "--no-audit").exit_code == 0
    return place


def test_a_saved_release_has_a_table_of_points(place):
    result = run("skyline", place / "out/2026-q1", "--value", "flu", "--confidence", "0.9")
    assert result.exit_code == 0, result.output
    assert "'flu' of 'disease', 90% sure" in result.output
    assert "people" in result.output
    assert "Beyond" not in result.output


def test_the_steward_sees_who_would_be_given_away(place):
    result = run(
        "skyline", place / "job.toml", "--value", "flu", "--confidence", "9/10", "--steward"
    )
    assert result.exit_code == 0, result.output
    assert "Beyond (" in result.output
    assert "who has it" in result.output


def test_json_and_a_page(place, tmp_path):
    command = ("skyline", place / "out/2026-q1", "--json", "--output", tmp_path / "page")
    result = run(*command)
    written = json.loads(result.output)
    assert written["value"] is None
    assert written == json.loads((tmp_path / "page/skyline.json").read_text())
    assert (tmp_path / "page/skyline.html").exists()


def test_another_tools_file_needs_its_columns(place):
    wrong = run("skyline", place / "patients.csv", "-q", "age,zip,sex")
    assert wrong.exit_code != 0
    right = run("skyline", place / "patients.csv", "-q", "sex", "-s", "disease", "--value", "HIV")
    assert right.exit_code == 0, right.output


def test_what_nobody_has_is_one_line(place):
    result = run("skyline", place / "out/2026-q1", "--value", "flue")
    assert result.exit_code == 2
    assert "did you mean 'flu'" in result.output


def test_rows_of_one_person_are_one_person(tmp_path):
    (tmp_path / "long.csv").write_text("p,a,d\n1,x,flu\n1,x,HIV\n2,x,flu\n3,y,HIV\n3,y,flu\n4,y,\n")
    rows = ("check", tmp_path / "long.csv", "-q", "a", "--json")
    assert json.loads(run(*rows).output)["rows"] == 6
    assert json.loads(run(*rows, "-s", "d", "--person", "p", "-k", "2").output)["rows"] == 4


def test_spellings_are_named_as_check_names_them(tmp_path):
    source = tmp_path / "people.csv"
    diseases = ["HIV", "hiv", "flu", "cold"] * 5
    source.write_text("\n".join(["age,disease", *(f"1,{each}" for each in diseases), ""]))
    named = "Values that only look different: disease (2 spellings of 1 value)"
    assert named in run("check", source, "-q", "age", "-s", "disease").output
    done = run("skyline", source, "-q", "age", "-s", "disease")
    assert named in done.output
    told = json.loads(run("skyline", source, "-q", "age", "-s", "disease", "--json").output)
    assert told["look_alikes"]["undecided"] == {"disease": {"n_values": 1, "n_spellings": 2}}
    merged = run("skyline", source, "-q", "age", "-s", "disease", "--alike", "merge")
    assert named not in merged.output
    assert "Spellings merged: disease (2 spellings of 1 value)" in merged.output
