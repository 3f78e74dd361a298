"""m-confidentiality: a promise of a mechanism, which groups can only break (Wong 2009)."""

import json
from fractions import Fraction

import pyarrow as pa
import pytest
from typer.testing import CliRunner

import sfumato as sf
from sfumato.algorithms.compatibility import default_method, methods
from sfumato.cli.app import app

VALUES = ["HIV", "flu", "none"]
ABLE = {"Anatomy", "Checked", "Mondrian", "OneGroup", "OptimalConfidential"}


def people(values, ages=None) -> sf.Table:
    ages = ages or list(range(20, 20 + len(values)))
    table = pa.table({"age": ages, "s": list(values)})
    return sf.read(table, {"age": sf.Intervals(2, 4, 8)}, "s", hierarchies={"s": sf.Tree(VALUES)})


EIGHT = ["HIV", "flu", "none", "flu", "HIV", "none", "flu", "none"]


def test_a_share_above_one_over_m_breaks_it_and_a_share_below_shows_nothing():
    kept = sf.check(people(["HIV", "none"], [20, 20]), sf.Confidentiality(2))
    assert (bool(kept), kept.failed) == (False, False)
    assert "no verdict: groups can only break it" in repr(kept)
    broken = sf.check(people(EIGHT), sf.Confidentiality(2))
    assert broken.failed
    assert sf.check(people(EIGHT), sf.Confidentiality(2, ["HIV"])).measured[0].n_people_failing == 2


@pytest.mark.parametrize("method", methods(), ids=str)
def test_only_methods_are_taken_of_which_it_is_known_what_they_tell(method):
    refused = method.refuses(sf.Confidentiality(2, ["HIV"]))
    if refused is not None and not method.joint:
        assert type(method).__name__ in {"KOptimize", "SensitiveGrouping"}
    if refused is None:
        assert type(method).__name__ in ABLE
        assert not method.joint or method.judges_itself
    if type(method).__name__ in {"Mondrian", "Optimal", "TopDown"} and refused:
        assert "looks at who has which value" in refused


def test_others_are_refused_before_values_are_looked_at(tmp_path):
    """The file is gone when the method is asked, so whoever would look would fail to."""
    file = tmp_path / "people.csv"
    file.write_text("age,s\n" + "".join(f"{20 + j},{v}\n" for j, v in enumerate(EIGHT)))
    table = sf.read(file, {"age": sf.Intervals(5)}, "s")
    file.unlink()
    with pytest.raises(sf.BadInput, match=r"Optimal\(\) cannot enforce Confidentiality\(m=2\)"):
        sf.anonymize(table, sf.Confidentiality(2), sf.Optimal())
    with pytest.raises(sf.BadInput, match=r"people\.csv"):
        sf.anonymize(table, sf.Confidentiality(2), sf.OptimalConfidential(2))


def test_what_people_guard_is_not_promised_beside_it():
    both = sf.Confidentiality(2) & sf.PersonalizedPrivacy(2, "guard")
    assert "what people guard" in sf.Checked(sf.Mondrian(), ks=[2]).refuses(both)


def test_who_is_left_over_gives_his_value_away():
    assert "left over" in sf.SensitiveGrouping().refuses(sf.Confidentiality(2))


def test_without_a_method_one_is_taken_that_tells_nothing():
    assert default_method(sf.KAnonymity(3) & sf.Confidentiality(2)) == sf.Mondrian(look_ahead=True)


@pytest.mark.parametrize(
    "method",
    [sf.Mondrian(look_ahead=True), sf.Checked(sf.Mondrian(), ks=[8]), sf.OptimalConfidential(2)],
    ids=str,
)
def test_the_audit_decides_by_the_mechanism(method, tmp_path):
    promise = sf.KAnonymity(2) & sf.Confidentiality(2, ["HIV"])
    release = sf.anonymize(people(EIGHT), promise, method)
    report = sf.audit(release)
    (finding,) = [each for each in report.findings if each.attack == "mechanism"]
    assert report.verdict == "safe"
    assert finding.holds
    assert finding.found <= Fraction(1, 2) == finding.promised.number
    loaded = sf.load(release.save(tmp_path / "out"))
    assert loaded.criterion == promise
    assert sf.audit(loaded, people(EIGHT)).verdict == "safe"


def test_another_release_can_be_asked_about_it():
    """Two people alike who both have HIV are joined with four others: that tells (table I)."""
    jobs = pa.table({"job": ["a"] * 2 + ["b"] * 4, "s": ["HIV"] * 2 + ["none"] * 4})
    rules = {"s": sf.Tree(VALUES)}
    table = sf.read(jobs, {"job": sf.Tree(["a", "b"])}, "s", hierarchies=rules)
    release = sf.anonymize(table, sf.LDiversity(2, "frequency", ["HIV"]), sf.Optimal())
    assert not release.check(sf.Confidentiality(2, ["HIV"])).failed  # nobody can tell by groups
    report = sf.audit(release, criterion=sf.Confidentiality(2, ["HIV"]))
    found = {each.attack: each.found for each in report.findings if each.holds is False}
    assert found["mechanism"] == 1


def test_what_is_believed_where_nothing_is_published_is_another_question():
    """Two halves, each published or not by its shares: a refusal tells that one is uneven."""
    ages = [20, 21, 30, 31]
    uneven = people(["HIV", "HIV", "flu", "none"], ages)
    method, promise = sf.Checked(sf.Mondrian(), ks=[2]), sf.Confidentiality(2, ["HIV"])
    with pytest.raises(sf.Unsatisfiable):
        sf.anonymize(uneven, promise, method)
    finding = sf.attacks.Refusal().run(uneven, promise, method)
    assert (finding.found > Fraction(1, 2), finding.holds) == (True, False)
    assert sf.anonymize(uneven, promise, sf.OptimalConfidential(2)).levels == {"age": 4}


@pytest.mark.parametrize("m", [0, "1/2", None, "x", True])
def test_m_is_a_number_of_at_least_one(m):
    with pytest.raises(sf.BadInput, match="Confidentiality: m must be"):
        sf.Confidentiality(m)


def test_it_is_said_in_words():
    pooled = sf.Confidentiality("3/2", ["flu", "HIV"], pooled=True)
    assert str(pooled) == "Confidentiality(m='3/2', values=['HIV', 'flu'], pooled=True)"
    assert "with more than 66.7% to have HIV, flu, taken together." in pooled.in_words()
    assert "with more than 50% to have a sensitive value." in sf.Confidentiality(2).in_words()


JOB = """
source = "people.csv"
output = "out"
[columns]
sensitive = ["s"]
[columns.quasi_identifiers]
age = {{ intervals = [2, 4, 8] }}
[[criteria]]
k_anonymity = {{ k = 2 }}
[[criteria]]
confidentiality = {{ m = 2, values = ["HIV"] }}
[method]
{method}
"""


def test_the_command_line_publishes_what_passes(tmp_path):
    rows = "".join(f"{20 + j},{v}\n" for j, v in enumerate(EIGHT))
    (tmp_path / "people.csv").write_text("age,s\n" + rows)
    job = tmp_path / "job.toml"
    job.write_text(JOB.format(method="optimal_confidential = { m = 2 }"))
    done = CliRunner().invoke(app, ["anonymize", str(job), "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["audit"]["verdict"] == "safe"
    checked = CliRunner().invoke(app, ["check", str(tmp_path / "out"), "--json"])
    assert checked.exit_code == 5  # only an audit can tell
    job.write_text(JOB.format(method="optimal = {}").replace('"out"', '"other"'))
    refused = CliRunner().invoke(app, ["anonymize", str(job)])
    assert refused.exit_code == 2
    assert not (tmp_path / "other").exists()
