"""`sfumato anonymize` attacks before anything is published."""

import csv
import json

import pyarrow as pa
import pytest

import sfumato as sf
from cli.common import run
from sfumato.release.first_rows import first_rows
from sfumato.table import Table

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

ONE_TABLE = """
[[criteria]]
k_anonymity = { k = 2 }
[method]
samarati = {}
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
    result = run("anonymize", place / "job.toml")
    assert result.exit_code == 1
    assert "nothing was written" in result.output
    assert "When an attack succeeds" in result.output
    assert "Checked" in result.output
    assert "Not attacked" not in result.output
    assert not (place / "out").exists()
    assert {each.name for each in place.iterdir()} == {"people.csv", "job.toml"}


@pytest.mark.long
def test_who_opts_out_publishes_a_release_that_says_so(place):
    (place / "job.toml").write_text(HEAD + GREEDY)
    result = run("anonymize", place / "job.toml", "--no-audit")
    assert (result.exit_code, (place / "out" / "sensitive.csv").exists()) == (0, True)
    assert f"sfumato audit {place / 'out'} --original {place / 'job.toml'}" in result.output
    assert json.loads((place / "out" / "release.json").read_text())["attacked"] == "not attacked"
    said = "not attacked before it was published"
    assert said in str(sf.load(place / "out").summary())
    assert said in (place / "out" / "codebook.html").read_text()
    assert said in " ".join((place / "out" / "README.txt").read_text().split())
    assert said in run("check", place / "out").output
    assert said in " ".join(run("audit", place / "out").output.split())
    assert json.loads(run("check", place / "out", "--json").output)["attacked"] == "not attacked"


def test_what_was_attacked_is_what_is_renamed_into_place(place, monkeypatch):
    """One deal, one file: the attacks read the file that gets the name."""
    (place / "job.toml").write_text(HEAD + GREEDY.replace("greedy_grouping", "anatomy"))
    real, attacked, deals = sf.audit, [], []
    write = Table.write

    def audit(release):
        files = release.written.files
        attacked.append({(p.name, p.stat().st_ino) for p in map(files.path, ("data", "sensitive"))})
        assert files.directory.parent == place
        assert not (place / "out").exists()
        return real(release)

    def written(*arguments):
        deals.append(arguments[1])
        return write(*arguments)

    monkeypatch.setattr(sf, "audit", audit)
    monkeypatch.setattr(Table, "write", written)
    assert run("anonymize", place / "job.toml").exit_code == 0
    assert attacked == [{(p.name, p.stat().st_ino) for p in (place / "out").glob("*.csv")}]
    assert len(deals) == 1
    assert json.loads((place / "out" / "release.json").read_text())["attacked"] == "safe"


def test_a_file_that_changes_while_it_is_attacked_is_not_published(place, monkeypatch):
    (place / "job.toml").write_text(HEAD + GREEDY.replace("greedy_grouping", "anatomy"))
    real = sf.audit

    def audit(release):
        report = real(release)
        with release.written.files.path("data").open("a") as file:
            file.write("1,99\n")
        return report

    monkeypatch.setattr(sf, "audit", audit)
    result = run("anonymize", place / "job.toml")
    assert (result.exit_code, (place / "out").exists()) == (2, False)
    assert "has changed" in result.stderr


def test_a_dry_run_shows_the_first_rows_as_they_would_be_published(place):
    (place / "job.toml").write_text(HEAD + ONE_TABLE)
    shown = run("anonymize", place / "job.toml", "--dry-run", "--no-audit", "--json")
    (rows,) = json.loads(shown.output)["first_rows"].values()
    told = " ".join(run("anonymize", place / "job.toml", "--dry-run", "--no-audit").output.split())
    assert "First rows of data, as they would be published" in told
    assert all(value in told for row in rows for value in row.values())
    assert run("anonymize", place / "job.toml", "--no-audit").exit_code == 0
    with (place / "out" / "data.csv").open(newline="") as file:
        published = [*csv.DictReader(file)]
    assert [row["age"] for row in rows] == [*dict.fromkeys(row["age"] for row in published)][:5]
    assert all(row in published for row in rows)


@pytest.mark.parametrize(
    ("way", "columns"),
    [
        ("bounds", ["age_low", "age_high", "disease"]),
        ("midpoint", ["age", "age_mid", "disease"]),
    ],
)
def test_a_dry_run_shows_numbers_as_they_would_be_published(place, way, columns):
    job = f'{HEAD}{ONE_TABLE}[publish]\nnumbers = "{way}"\n'
    (place / "job.toml").write_text(job.replace("[5, 10]", "{ widths = [5], top = 25 }"))
    shown = run("anonymize", place / "job.toml", "--dry-run", "--no-audit", "--json")
    assert shown.exit_code == 0
    rows = json.loads(shown.output)["first_rows"]["data"]
    told = run("anonymize", place / "job.toml", "--dry-run", "--no-audit").output
    first_rows = told.split("as they would be published")[1].split("Dry run")[0]
    assert " open " in first_rows
    assert "missing" not in first_rows
    assert run("anonymize", place / "job.toml", "--no-audit").exit_code == 0
    with (place / "out" / "data.csv").open(newline="") as file:
        published = [*csv.DictReader(file)]
    assert [*rows[0]] == columns
    assert len(rows) == len({tuple(row[c] for c in columns[:2]) for row in published})
    written = [{name: value or "" for name, value in row.items()} for row in rows]
    assert all(row in published for row in written)
    assert any("" in row.values() for row in written)  # the open end


def test_of_two_tables_the_same_groups_are_shown(place):
    table = sf.read(place / "people.csv", {"age": sf.Intervals(5)}, sensitive="disease")
    release = sf.anonymize(table, sf.LDiversity(2, "frequency"), sf.Anatomy())
    rows = release.first_rows()
    assert [*rows] == ["data", "sensitive"]
    for name, few in rows.items():
        published = release.to_arrow(name).to_pylist()
        assert all(row in published for row in few)
        groups = [row["group"] for row in few]
        assert groups == [*dict.fromkeys(row["group"] for row in published)][:5]


def test_no_more_rows_are_read_than_it_takes():
    batches = [[1, 1, 2], [2, 2, 3], [3, 4]]
    read = []

    def reader():
        for each in batches:
            read.append(each)
            yield pa.record_batch({"g": each, "x": [*range(len(each))]})

    assert first_rows(reader(), ["g"], 3) == [{"g": 1, "x": 0}, {"g": 2, "x": 2}, {"g": 3, "x": 2}]
    apart = [pa.record_batch({"x": [1, 2, 3, 4], "g": ["a", None, "a", None]})]
    assert first_rows(apart, ["g"]) == [{"x": 1, "g": "a"}, {"x": 4, "g": None}]
    assert read == batches[:2]


def test_the_place_can_be_given(place):
    (place / "job.toml").write_text(HEAD + GREEDY.replace("greedy_grouping", "anatomy"))
    elsewhere = place / "deep" / "elsewhere"
    result = run("anonymize", place / "job.toml", "--output", elsewhere, "--json")
    assert (result.exit_code, json.loads(result.output)["output"]) == (0, str(elsewhere))
    assert sf.load(elsewhere).check()
    assert not (place / "out").exists()
    assert run("anonymize", place / "job.toml", "--output", elsewhere).exit_code == 2


def test_where_none_succeeds_the_release_is_written(place):
    (place / "job.toml").write_text(HEAD + GREEDY.replace("greedy_grouping", "anatomy"))
    result = run("anonymize", place / "job.toml", "--json")
    assert result.exit_code == 0
    told = json.loads(result.output)
    assert told["audit"]["holds"] is True
    assert told["output"] == str(place / "out")
    assert (place / "out" / "data.csv").exists()


@pytest.mark.long
def test_a_dry_run_is_attacked_too(place):
    (place / "job.toml").write_text(HEAD + GREEDY)
    result = run("anonymize", place / "job.toml", "--dry-run", "--json")
    assert result.exit_code == 1
    assert json.loads(result.output)["output"] is None
    assert json.loads(result.output)["first_rows"] is None  # they would not be public
    assert not (place / "out").exists()
    shown = run("anonymize", place / "job.toml", "--dry-run", "--json", "--show-values")
    assert json.loads(shown.output)["first_rows"]["data"]


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


def test_what_was_found_beyond_the_promise_is_said_before_it_is_published(place):
    """What `audit` remarks stands in `anonymize` as well, without --details."""
    (place / "job.toml").write_text(HEAD + ONE_TABLE)
    made = run("anonymize", place / "job.toml")
    report = sf.audit(sf.load(place / "out")) if (place / "out").exists() else None
    assert report is not None, made.output
    assert report.remarks
    said = " ".join(made.output.split())
    assert "for somebody; nothing was promised about this." in said
    assert said.index("left out") < said.index("nothing was promised about this")
