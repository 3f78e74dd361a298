"""A page for everybody does not deny what the auditor knows."""

import json

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.report.in_words import not_tried
from sfumato.report.verdict import NotRun


@pytest.fixture
def release() -> sf.Release:
    """Table I(c) of Wong 2009: safe as it stands, and not against who knows the method."""
    people = pa.table({"q": ["q1"] * 2 + ["q2"] * 5, "s": ["HIV"] * 2 + ["none"] * 5})
    table = sf.read(people, {"q": sf.Tree({"Q": ["q1", "q2"]})}, "s")
    return sf.anonymize(table, sf.LDiversity(2, "frequency", ["HIV"]), sf.Samarati())


def test_the_public_audit_is_no_safer_than_the_steward_s(release, tmp_path):
    report = sf.audit(release)
    public = report.public()
    assert report.verdict == public.verdict == "failed"
    assert not report.holds
    assert not public.holds
    assert "minimality" not in {finding.attack for finding in public.findings}
    report.save(tmp_path)
    written = json.loads((tmp_path / "report.json").read_text())
    assert written["holds"] is False
    assert written["verdict"] == "failed"
    assert "succeeded" in written["heading"]
    assert written["succeeded"] == ["mechanism (s)", "minimality (s)"]


def test_the_public_page_names_the_attacks_that_succeeded_and_no_number_of_theirs(release):
    report = sf.audit(release)
    written = report.public().to_json()
    assert set(written["succeeded"]) == {"minimality (s)", "mechanism (s)"}
    page = report.to_html()
    assert "Succeeded with everybody’s quasi-identifiers at hand: minimality (s)" in page
    shown = {finding["attack"] for finding in written["findings"]}
    assert "minimality" not in shown  # only its name is there, and that it was not denied
    assert not any("Not tried" in each and "minimality" in each for each in _remarks(report))


def _remarks(report):
    return report._document(private=False)["remarks"]


def test_who_has_nothing_but_the_release_is_told_what_was_not_tried(release, tmp_path):
    loaded = sf.load(release.save(tmp_path / "out"))
    report = sf.audit(loaded)
    assert (report.verdict, report.holds) == ("undecided", False)
    assert "not shown to be safe" in report.heading
    assert "minimality (s)" in report.heading
    report.save(tmp_path / "page")
    written = json.loads((tmp_path / "page" / "report.json").read_text())
    assert any("Not tried" in remark for remark in written["remarks"])


def test_what_was_not_tried_is_said_with_its_own_reason(release, tmp_path):
    report = sf.audit(release)
    report.save(tmp_path, private=True)
    written = json.loads((tmp_path / "report-steward.json").read_text())
    (said,) = [remark for remark in written["remarks"] if "Not tried" in remark]
    assert said.startswith("Not tried here: similarity (s): no order or tree is known of 's'; ")
    report.save(tmp_path / "page")
    written = json.loads((tmp_path / "page" / "report.json").read_text())
    missed = [each["attack"] for each in written["not_run"] if each["applies"]]
    applying = [name for name in missed if name not in written["succeeded"]]
    said = " ".join(remark for remark in written["remarks"] if "Not tried" in remark)
    assert all(name in said for name in applying)
    assert "similarity (s): no order or tree is known of 's'." in said  # as the steward reads


def test_attacks_with_one_reason_are_named_together():
    missing = [NotRun(name, "no original") for name in ("linkage, journalist", "b")]
    assert not_tried(missing) == ["Not tried here: linkage, journalist; b: no original."]


def test_who_has_nothing_but_the_release_has_the_publisher_s_word(release, tmp_path):
    sf.audit(release)
    loaded = sf.audit(sf.load(release.save(tmp_path / "out")))
    assert loaded.verdict == "failed"
    (word,) = [each for each in loaded.findings if each.knows_method]
    assert (word.found, word.n_exceeding) == (1, 2)
    assert "the publisher's word" in word.note


def test_a_check_without_a_verdict_is_not_a_yes(tmp_path):
    people = pa.table({"q": ["a", "a", "b"], "s": ["x", "y", "x"]})
    table = sf.read(people, {"q": sf.Flat()}, "s")
    told = sf.check(table).to_json()
    assert told["holds"] is None
    assert {each["holds"] for each in told["criteria"]} == {None}
    assert sf.check(table, sf.KAnonymity(1)).to_json()["holds"] is True
    assert sf.check(table, sf.KAnonymity(2)).to_json()["holds"] is False
