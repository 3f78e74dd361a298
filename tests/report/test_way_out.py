"""A failing audit names the method that keeps the promise, tried on the same table."""

import json
from pathlib import Path

import jsonschema
import pyarrow as pa
import pytest

import sfumato as sf
from cli.common import JOB, run
from sfumato.release.description import AS_THEY_ARE
from sfumato.report import way_out
from sfumato.text import percent_lost

RULES = {"age": sf.Intervals(5, 10, 20), "zip": sf.Prefix(), "sex": sf.Flat()}
PROMISE = sf.KAnonymity(5) & sf.LDiversity(2, "frequency")
TOML = JOB.replace("out/2026-q1", "out").replace("{ l = 3 }", '{ l = 2, kind = "frequency" }')


@pytest.fixture(scope="module")
def patients():
    return sf.read(sf.datasets.patients(), RULES, sensitive="disease")


@pytest.fixture(scope="module")
def failed(patients):
    return sf.audit(sf.anonymize(patients, PROMISE, sf.Mondrian()))


@pytest.fixture
def place(tmp_path):
    (tmp_path / "patients.csv").write_bytes(sf.datasets.patients().read_bytes())
    (tmp_path / "job.toml").write_text(TOML)
    return tmp_path


@pytest.mark.long
def test_what_is_named_keeps_the_promise_when_one_runs_it(patients, failed):
    assert failed.verdict == "failed"
    best = failed.way_out.best
    again = sf.anonymize(patients, PROMISE, best.method)
    assert sf.audit(again).holds
    assert best.loss == pytest.approx(sf.utility.information_loss(again))
    assert failed.way_out.loss == pytest.approx(sf.utility.information_loss(failed.subject))
    assert f"{best.method} keeps the promise" in str(failed.way_out)
    assert f"{percent_lost(best.loss)} instead of {percent_lost(failed.way_out.loss)}" in str(
        failed.way_out
    )


@pytest.mark.long
def test_every_verdict_is_that_of_its_own_audit(patients, failed):
    for each in failed.way_out.tries:
        assert each.verdict == sf.audit(sf.anonymize(patients, PROMISE, each.method)).verdict
    assert {each.verdict for each in failed.way_out.tries} >= {"safe"}


def test_who_does_not_fail_by_the_method_needs_no_way_out(patients):
    assert sf.audit(sf.anonymize(patients, PROMISE, sf.Anatomy())).way_out is None
    assert sf.audit(sf.anonymize(patients, sf.KAnonymity(5), sf.Mondrian())).way_out is None


@pytest.mark.long
def test_two_tables_are_replaced_by_two_tables(patients):
    report = sf.audit(sf.anonymize(patients, PROMISE, sf.GreedyGrouping()))
    assert report.verdict == "failed"
    assert report.way_out.best.method == sf.Anatomy()
    assert f"as two tables ({AS_THEY_ARE})" in str(report.way_out)
    assert AS_THEY_ARE in report.way_out.best.outcome


def test_where_none_is_found_it_says_what_was_tried():
    codes = ["3yn", "3xn", "2yh", "1yh", "4xn", "2xn", "1yh", "2xn"]
    rows = [dict(zip("abs", code, strict=True)) for code in codes]
    rules = {"a": sf.Tree({"A": ["1", "2"], "B": ["3", "4"]}), "b": sf.Tree(["x", "y"])}
    table = sf.read(pa.Table.from_pylist(rows), rules, sensitive="s")
    release = sf.anonymize(table, sf.KAnonymity(2), sf.Mondrian())
    report = sf.audit(release, criterion=sf.LDiversity(3))  # there are two values
    assert report.verdict == "failed"
    assert {each.verdict for each in report.way_out.tries} == {None}  # refused
    assert report.way_out.best is None
    said = "none was found. Tried: keep to LDiversity(l=3); by Mondrian(): "
    assert said in str(report.way_out)
    assert report.to_json()["way_out"]["method"] is None


@pytest.mark.long
def test_without_the_original_it_is_named_as_not_tried(failed, tmp_path):
    loaded = sf.audit(sf.load(failed.subject.save(tmp_path / "out")))
    assert loaded.verdict == "failed"  # the publisher's word
    told = loaded.to_json()["way_out"]
    assert (told["tried"], told["method"]) == (False, None)
    assert all(each["verdict"] is None for each in told["methods"])
    assert "not tried, since the original is not at hand" in told["words"]
    again = sf.audit(sf.load(tmp_path / "out"), sf.datasets.patients())
    assert again.way_out.best == failed.way_out.best
    assert again.way_out.loss == pytest.approx(failed.way_out.loss)


def test_no_other_method_is_tried_when_the_time_is_over(patients, monkeypatch):
    monkeypatch.setattr(way_out, "SECONDS", -1)
    report = sf.audit(sf.anonymize(patients, PROMISE, sf.Mondrian()))
    assert {each.verdict for each in report.way_out.tries} == {None}
    assert all("not tried" in each.reason for each in report.way_out.tries)


def test_a_report_for_everybody_does_not_show_it(failed, tmp_path):
    pages = [failed.save(tmp_path / str(p), private=p) for p in (False, True)]
    shown = [json.loads(page.with_suffix(".json").read_text())["way_out"] for page in pages]
    assert shown[0] is None
    assert shown[1] == failed.way_out.to_json()
    schema = json.loads((Path(way_out.__file__).parent / "schema.json").read_text())
    for page in pages:
        jsonschema.Draft202012Validator(schema).validate(
            json.loads(page.with_suffix(".json").read_text())
        )
    texts = [page.read_text() for page in pages]
    assert ["A way out" in text for text in texts] == [False, True]
    assert "look_ahead" not in texts[0]


def files(place: Path) -> list[Path]:
    return sorted(each for each in place.rglob("*") if each.is_file())


@pytest.mark.long
def test_the_command_line_tries_it_and_writes_nothing(place, failed):
    before = files(place)
    told = run("anonymize", place / "job.toml")
    assert told.exit_code == 1
    assert f"Way out: {failed.way_out.best.method} keeps the promise" in told.output.replace(
        "\n", " "
    )
    machine = run("anonymize", place / "job.toml", "--json")
    assert machine.exit_code == 1
    found = json.loads(machine.output)["audit"]["way_out"]
    assert found["method"] == failed.way_out.best.method.spec()
    assert found["information_loss"] == pytest.approx(failed.way_out.best.loss)
    assert files(place) == before


@pytest.mark.long
def test_an_audit_of_a_saved_release_tries_it_with_the_original(place, failed):
    assert run("anonymize", place / "job.toml", "--no-audit").exit_code == 0
    told = run("audit", place / "job.toml", "--json")
    assert told.exit_code == 1
    found = json.loads(told.output)["way_out"]
    assert found["method"] == failed.way_out.best.method.spec()
    blind = run("audit", place / "out", "--json")  # nobody said how it was made to be attacked
    assert json.loads(blind.output)["way_out"] is None
    assert blind.exit_code == 5


def test_every_method_that_was_tried_has_a_line_and_the_advice_stands_once(failed):
    way_out = failed.way_out
    others = [each for each in way_out.tries if each is not way_out.best]
    first, title, *tried, advice = way_out.lines
    assert "keeps the promise" in first
    assert title == "Tried as well:"
    assert len(tried) == len(others) > 1
    assert str(way_out).count(advice) == 1
