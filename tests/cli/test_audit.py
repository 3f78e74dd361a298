"""sfumato audit, and what check says of the columns."""

import json
from collections import Counter

import pytest
from rich.cells import cell_len

import sfumato as sf
from cli.common import JOB, run
from sfumato.cli.command import EXIT_CODES
from sfumato.cli.output import print_rows
from sfumato.report.audit import COLUMNS


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    place = tmp_path_factory.mktemp("audited")
    (place / "patients.csv").write_bytes(sf.datasets.patients().read_bytes())
    (place / "job.toml").write_text(JOB)
    assert run("anonymize", place / "job.toml", "--no-audit").exit_code == 0
    return place


def attacks(result):
    return {each["attack"]: each for each in json.loads(result.stdout)["findings"]}


def test_a_saved_release_is_attacked_with_what_everybody_has(place):
    result = run("audit", place / "out" / "2026-q1", "--json")
    assert result.exit_code == 5  # nobody who knows the method was tried
    assert json.loads(result.stdout)["verdict"] == "undecided"
    found = attacks(result)
    assert found["linkage, prosecutor"]["promised"]["value"] == 0.2
    assert found["background knowledge"]["found"] >= 2
    assert "linkage, journalist" not in found
    assert "worst" not in found["homogeneity"]


@pytest.mark.parametrize("original", ["patients.csv", "job.toml"])
def test_with_the_original_people_are_matched(place, original):
    release = place / "out" / "2026-q1"
    result = run("audit", release, "--original", place / original, "--json", "--steward")
    assert result.exit_code == EXIT_CODES[json.loads(result.stdout)["verdict"]]
    found = attacks(result)
    assert found["linkage, journalist"]["found"] == 0.2
    assert set(found["homogeneity"]["worst"]["group"]) == {"age", "zip", "sex"}


def test_a_job_file_stands_for_its_release_and_its_source(place):
    assert "linkage, journalist" in attacks(run("audit", place / "job.toml", "--json"))


def test_a_list_of_people_is_an_external_table(place):
    people = place / "people.csv"
    people.write_text("age,zip,sex\n" + "34,02177,female\n" * 3)
    result = run("audit", place / "out" / "2026-q1", "--external", people, "--json")
    journalist = attacks(result)["linkage, journalist"]
    assert journalist["knows"] == "a list of 3 people with their quasi-identifiers"
    assert journalist["found"] == 0.2  # three people fit, but the group has five rows
    assert "nobody on the list fits" in journalist["note"]
    assert result.exit_code == 5


def test_another_tools_file_is_unsafe_where_somebody_is_certain(place):
    result = run("audit", place / "patients.csv", "-q", "age,zip,sex", "-s", "disease")
    assert result.exit_code == 1
    assert "CERTAIN" in result.stdout
    assert "Not run" not in result.stdout
    told = run("audit", place / "patients.csv", "-q", "age,zip,sex", "-s", "disease", "--details")
    assert "Not run: linkage, journalist: it needs" in told.stdout


def test_a_promise_of_another_tool_is_held_against_it(place):
    data = place / "out" / "2026-q1" / "data.csv"
    asked = ["audit", data, "-q", "age,zip,sex", "-s", "disease"]
    assert run(*asked, "-k", 5).exit_code == 0
    assert run(*asked, "-k", 6).exit_code == 1
    told = run(*asked, "-k", 5, "-l", 3)  # about values, by nobody knows which method
    assert told.exit_code == 5
    assert "not shown to be safe: no attack that knows the method has decided about disease" in (
        " ".join(told.stdout.split())
    )
    assert run(*asked, "-k", 6, "-l", 3).exit_code == 1


def test_where_nothing_was_promised_an_audit_only_measures(place):
    data = place / "out" / "2026-q1" / "data.csv"
    result = run("audit", data, "-q", "age,zip,sex", "-s", "disease", "--json")
    told = json.loads(result.stdout)
    assert (result.exit_code, told["verdict"], told["holds"]) == (0, "undecided", False)
    assert told["left_open"] == ["nothing was promised"]


def test_the_steward_is_told_who_is_worst_off(place):
    said = run("audit", place / "job.toml", "--steward").stdout
    assert "Worst off, homogeneity (disease): group: age" in " ".join(said.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["patients.csv"], "say which columns others may know"),
        (["out/2026-q1", "--original", "nowhere.csv"], "nowhere.csv: cannot read"),
        (["out/2026-q1", "--original", "few.csv"], "unknown column 'sex'"),
        (["out/2026-q1", "--original", "other.csv"], "is it the table that was released?"),
        (["out/2026-q1", "--external", "few.csv"], "unknown column 'sex'"),
        (["out/2026-q1", "--enforced", "l_diversity l = 3"], "as job files say it"),
        (["out/2026-q1", "--enforced", "l_diversitie = { l = 3 }"], "did you mean"),
    ],
)
def test_wrong_use_gets_one_line(place, monkeypatch, arguments, message):
    (place / "few.csv").write_text("age,zip,disease\n1,2,flu\n")
    (place / "other.csv").write_text("age,zip,sex,disease\n1,2,male,nothing\n")
    monkeypatch.chdir(place)
    result = run("audit", *arguments)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert message in result.stderr


def table_1(place, method):
    """Release the people of Wong's table I."""
    (place / "people.csv").write_text("q,s\n" + "q1,HIV\n" * 2 + "q2,none\n" * 5)
    (place / "job.toml").write_text(
        'source = "people.csv"\noutput = "out"\n[columns]\nsensitive = ["s"]\n'
        '[columns.quasi_identifiers]\nq = { tree = { Q = ["q1", "q2"] } }\n[[criteria]]\n'
        f'l_diversity = {{ l = 2, kind = "frequency", values = ["HIV"] }}\n[method]\n{method}\n'
    )
    assert run("anonymize", place / "job.toml", "--no-audit").exit_code == 0


@pytest.mark.long
def test_who_is_in_overlapping_groups_follows_from_counts(tmp_path):
    table_1(tmp_path, "top_down = {}")  # two of q2 go with q1, three are published as they are
    result = run("audit", tmp_path / "out", "--original", tmp_path / "job.toml", "--json")
    assert result.exit_code == 1
    for attack in ("minimality", "mechanism"):
        assert attacks(result)[attack]["found"] == 1


@pytest.mark.long
def test_a_list_with_people_who_are_not_in_the_table_leaves_doubt(tmp_path):
    table_1(tmp_path, "samarati = {}")
    (tmp_path / "list.csv").write_text("q\n" + "q1\n" * 3 + "q2\n" * 5)
    listed = (tmp_path / "job.toml").read_text().replace("people.csv", "list.csv")
    (tmp_path / "list.toml").write_text(listed.replace('sensitive = ["s"]\n', ""))
    result = run("audit", tmp_path / "job.toml", "--external", tmp_path / "list.toml", "--json")
    assert attacks(result)["minimality"]["found"] == 1
    assert attacks(result)["minimality, external"]["found"] == pytest.approx(2 / 3)
    assert result.exit_code == 1


@pytest.mark.long
def test_what_a_publisher_kept_to_can_be_said(tmp_path):
    """2-diversity makes q1 certain, 3-diversity fails in every world."""
    table_1(tmp_path, "samarati = {}")
    kept = 'l_diversity = { l = 3, kind = "frequency", values = ["HIV"] }'
    as_promised = attacks(run("audit", tmp_path / "job.toml", "--json"))
    stricter = attacks(run("audit", tmp_path / "job.toml", "--enforced", kept, "--json"))
    for attack in ("minimality", "mechanism"):
        assert as_promised[attack]["found"] == 1
        assert stricter[attack]["found"] == pytest.approx(2 / 7)
        assert "having been enforced" in stricter[attack]["knows"]


def test_check_says_which_columns_make_people_recognizable(place):
    asked = ["check", place / "patients.csv", "-q", "age,zip,sex", "--drivers"]
    assert "What each column adds to distinction" in run(*asked).stdout
    found = json.loads(run(*asked, "--json").stdout)["drivers"]
    assert {each["attribute"] for each in found["attributes"]} == {"age", "zip", "sex"}
    assert run("check", place / "out" / "2026-q1", "--drivers").exit_code == 2


@pytest.mark.parametrize("width", [32, 40, 60, 79, 80, 81, 99, 100, 120, 200])
def test_no_letter_of_a_table_is_lost_at_any_width(capsys, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    row = ["linkage, prosecutor", "the target's quasi-identifiers; that it is in the table"]
    row += ["1 value to rule out", "<= 20%", "0.0020%", "4", "FAILS for 4 people; [b]漢字[/b]"]
    print_rows("", COLUMNS, [row, row])
    printed = capsys.readouterr().out
    assert max(map(cell_len, printed.splitlines())) <= width
    assert Counter(printed) >= Counter("".join([*COLUMNS, *row, *row]).replace(" ", ""))
