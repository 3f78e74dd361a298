"""Safe is what was shown, failed is what was broken, and all else is undecided."""

import json
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pyarrow as pa
import pytest

import sfumato as sf
from cli.common import run
from descriptions import rewrite
from sfumato.attacks import Bound, Finding, Target
from sfumato.attacks.attack import ATTACKS
from sfumato.report.audit import Report
from sfumato.report.in_words import remarks
from sfumato.report.publishers_word import given_word
from sfumato.report.sentences import line, sentences
from sfumato.report.verdict import NotRun, worst

HALF = Bound("<=", Fraction(1, 2))
PEOPLE = {"age": [20, 21, 22, 23], "disease": ["flu", "HIV", "flu", "HIV"]}


def read(**more) -> sf.Table:
    return sf.read(pa.table(PEOPLE | more), {"age": sf.Intervals(2, 4)}, ["disease", *more])


def finding(holds, *, attribute="disease", promised=HALF, knows_method=False, name="some"):
    return Finding(
        name,
        attribute,
        "things",
        "belief",
        Fraction(1, 2),
        Fraction(1, 2),
        promised,
        holds,
        0 if holds is not False else 2,
        4,
        knows_method=knows_method,
    )


def report(*findings, not_run=(), promised=None, table=None) -> Report:
    table = table or read()
    target = Target.of(table, criterion=promised)
    return Report(table, target, findings, tuple(not_run))


K, L = sf.KAnonymity(2), sf.LDiversity(2)
KNOWING = finding(True, knows_method=True, name="knowing")


def test_numbers_of_people_need_no_attack_that_knows_the_method():
    assert report(finding(True, attribute=None), promised=K).verdict == "safe"


def test_a_promise_about_values_is_safe_only_by_an_attack_that_knows_the_method():
    assert report(finding(True), promised=K & L).verdict == "undecided"
    assert report(finding(True), KNOWING, promised=K & L).verdict == "safe"
    untold = finding(None, knows_method=True)
    assert report(finding(True), untold, promised=K & L).verdict == "undecided"


def test_what_failed_failed_whatever_else_was_shown():
    for knowing, applies in product((KNOWING, finding(None, knows_method=True)), (True, False)):
        missing = NotRun("other", "why", "disease", applies)
        found = report(finding(False), knowing, not_run=[missing], promised=K & L)
        assert found.verdict == "failed"
        assert "UNSAFE: 1 succeeded" in found.heading


def test_an_attack_that_applies_and_was_not_run_leaves_it_open():
    missing = NotRun("linkage", "the list is unreadable")
    found = report(finding(True), not_run=[missing], promised=K)
    assert (found.verdict, bool(found), found.holds) == ("undecided", False, False)
    assert found.heading == (
        "1 attack on 4 people: not shown to be safe: could not be run: linkage"
    )
    beside = replace(missing, applies=False)
    assert report(finding(True), not_run=[beside], promised=K).verdict == "safe"


def test_what_an_attack_that_knows_the_method_decided_others_need_not():
    missing = NotRun("last step", "boxes overlap", "disease")
    untold = finding(None)
    assert report(untold, KNOWING, not_run=[missing], promised=L).verdict == "safe"
    assert report(untold, promised=K).verdict == "undecided"
    about_people = replace(untold, attribute=None)
    assert report(about_people, KNOWING, promised=K & L).verdict == "undecided"


def test_every_column_that_was_promised_something_needs_its_own():
    table = read(income=[1, 2, 3, 4])
    both = report(KNOWING, promised=L, table=table)
    assert both.verdict == "undecided"
    assert "decided about income" in both.heading
    one = sf.LDiversity(2, attribute="disease")
    assert report(KNOWING, promised=one, table=table).verdict == "safe"
    income = replace(KNOWING, attribute="income")
    assert report(KNOWING, income, promised=L, table=table).verdict == "safe"


def test_where_nothing_was_promised_nothing_is_shown():
    found = report(finding(True), KNOWING)
    assert (found.verdict, found.left_open) == ("undecided", ("nothing was promised",))
    assert report(finding(False)).verdict == "failed"


def test_json_and_page_say_the_same():
    for found, colour in (
        (report(KNOWING, promised=L), "good"),
        (report(finding(True), promised=L), "open"),
        (report(finding(False), promised=L), "bad"),
    ):
        told = found.to_json()
        assert (told["verdict"], told["holds"]) == (found.verdict, found.verdict == "safe")
        page = found.to_html(private=True)
        assert f'<h1 class="{colour}">' in page
        assert bool(told["left_open"]) == (found.verdict == "undecided")
        for reason in told["left_open"]:
            assert reason in page


def test_the_worst_of_several_verdicts_counts():
    verdicts = ("failed", "undecided", "safe")
    for one, other in product(range(3), repeat=2):
        assert worst(verdicts[one], verdicts[other]) == verdicts[min(one, other)]


def test_the_public_report_is_never_better_than_the_private_one():
    release = sf.anonymize(read(), K, sf.Samarati())
    private = sf.audit(release)
    assert private.public().verdict == private.verdict == "safe"
    for holds, verdict in ((None, "undecided"), (False, "failed")):
        told = replace(private, findings=(*private.findings, finding(holds)))
        assert told.verdict == verdict
        assert told.public().verdict == verdict
        assert told._document(private=False)["verdict"] == verdict


# ------------------------------------------------------------------------------- the command line

JOB = """
source = "people.csv"
output = "out"
[columns]
sensitive = ["disease"]
[columns.quasi_identifiers]
age = { intervals = [2, 4] }
[[criteria]]
k_anonymity = { k = 2 }
[[criteria]]
l_diversity = { l = 2 }
[method]
samarati = {}
"""


@pytest.fixture
def job(tmp_path, monkeypatch):
    """A job whose audit is undecided: only two attacks are tried, and none knows the method."""
    known = {kind.name: kind for kind in (sf.attacks.Linkage, sf.attacks.Homogeneity)}
    monkeypatch.setattr(ATTACKS, "_kinds", known)
    rows = [f"{a},{d}" for a, d in zip(*PEOPLE.values(), strict=True)]
    (tmp_path / "people.csv").write_text("\n".join(["age,disease", *rows]) + "\n")
    (tmp_path / "job.toml").write_text(JOB)
    return tmp_path / "job.toml"


def test_what_is_not_shown_to_be_safe_is_not_written(job):
    done = run("anonymize", job)
    assert done.exit_code == 5
    assert "nothing was written" in done.output
    assert not (job.parent / "out").exists()


def test_unless_the_steward_says_so_and_then_it_still_says_undecided(job):
    done = run("anonymize", job, "--allow-undecided", "--json")
    assert done.exit_code == 0
    told = json.loads(done.output)
    assert (told["audit"]["verdict"], told["output"]) == ("undecided", str(job.parent / "out"))
    assert run("check", job.parent / "out").exit_code == 0
    audited = run("audit", job, "--report", job.parent / "report", "--json")
    assert (audited.exit_code, json.loads(audited.stdout)["verdict"]) == (5, "undecided")
    written = json.loads((job.parent / "report" / "report.json").read_text())
    assert written["verdict"] == "undecided"


def test_a_dry_run_of_what_is_undecided_says_so(job):
    assert run("anonymize", job, "--dry-run").exit_code == 5
    assert run("anonymize", job, "--dry-run", "--allow-undecided").exit_code == 0
    assert not (job.parent / "out").exists()


def test_what_fails_is_not_written_even_if_undecided_is_allowed(job):
    promise = JOB.replace("k_anonymity = { k = 2 }", "k_anonymity = { k = 1 }")
    promise = promise.replace("l_diversity = { l = 2 }", "l_diversity = { l = 1 }")
    job.write_text(promise)  # then everybody is published as he is
    done = run("anonymize", job, "--allow-undecided")
    assert done.exit_code == 1
    assert not (job.parent / "out").exists()


def test_allowing_what_nobody_looked_for_is_refused(job):
    done = run("anonymize", job, "--allow-undecided", "--no-audit")
    assert done.exit_code == 2
    assert "--no-audit asks for none" in done.stderr


# ----------------------------------------------------------------------------- the publisher's word


def grouped() -> sf.Release:
    """By a method that leaves attacks which know it something to find."""
    return sf.anonymize(read(), sf.LDiversity(2, "frequency"), sf.GreedyGrouping(anatomize=True))


def knowing(report):
    return {each.name: each for each in report.findings if each.knows_method}


def test_what_the_publisher_found_is_carried_to_who_cannot(tmp_path):
    release = grouped()
    found = knowing(sf.audit(release))
    assert found
    assert all(each.holds is not None for each in found.values())
    loaded = sf.audit(sf.load(release.save(tmp_path / "out")))
    told = knowing(loaded)
    assert told.keys() == found.keys()
    for name, each in told.items():
        own = found[name]
        assert (each.holds, each.found, each.before) == (own.holds, own.found, own.before)
        assert (each.promised, each.n_exceeding) == (own.promised, own.n_exceeding)
        assert "the publisher's word" in each.note
        assert each.worst is None


def test_a_page_counts_his_word_apart_from_what_was_tried(tmp_path):
    """Who has the release cannot try it again, and the page says so."""
    release = grouped()
    sf.audit(release)
    loaded = sf.audit(sf.load(release.save(tmp_path / "out")))
    told = [each.name for each in loaded.findings if "word" in (each.note or "")]
    page = loaded.to_html()
    n_tried = len(loaded.findings) - len(told)
    assert f"{n_tried} attack" in page
    assert f"is published; of {len(told)} more the publisher’s word is shown:" in page
    again = "measures it again, all but {}, which is the publisher’s word, beside"
    assert again.format("; ".join(told)) in page
    # The same numbers on the terminal and by threat, where a row says whose word it is.
    assert loaded.heading.startswith(f"{n_tried} attack")
    assert f"and the publisher's word on {len(told)} more" in loaded.heading
    rows = [row for row in loaded.short_rows if row[-1].endswith(", the publisher's word")]
    assert len(rows) == len(told)
    threats = loaded._document(private=False)["threats"]
    assert [name for each in threats for name in each["told"]] == told
    assert sum(len(each["tried"]) for each in threats) == n_tried


def test_a_page_without_his_word_speaks_of_none(tmp_path):
    page = sf.audit(sf.load(grouped().save(tmp_path / "out"))).to_html()
    assert "publisher’s word" not in page
    assert "measures it again, beside its directory" in page


def test_without_his_word_it_is_undecided(tmp_path):
    loaded = sf.audit(sf.load(grouped().save(tmp_path / "out")))
    assert loaded.verdict == "undecided"
    assert not any("word" in (each.note or "") for each in loaded.findings)


def test_his_word_is_about_his_own_promise_alone(tmp_path):
    release = grouped()
    sf.audit(release, criterion=sf.LDiversity(3, "frequency"))
    assert release.description.verdicts == ()
    sf.audit(release)
    assert release.description.verdicts
    loaded = sf.load(release.save(tmp_path / "out"))
    other = sf.audit(loaded, criterion=sf.LDiversity(1, "frequency"))
    assert not any("word" in (each.note or "") for each in other.findings)


def test_an_attack_that_he_saw_succeed_has_succeeded(tmp_path):
    release = grouped()
    sf.audit(release)
    (stated, *others) = release.description.verdicts
    release.state([replace(stated, holds=False, n_exceeding=3), *others], "failed")
    loaded = sf.audit(sf.load(release.save(tmp_path / "out")))
    assert loaded.verdict == "failed"
    assert "FAILS for 3 people" in repr(loaded)


def test_a_bound_is_not_said_to_be_reached():
    """Nobody is believed more; whether anybody is believed that much is not known."""
    strong = replace(finding(None, promised=None), found=Fraction(3, 4))
    (exact,) = remarks([strong])
    (bound,) = remarks([replace(strong, is_bound=True)])
    (sampled,) = remarks([replace(strong, interval=(0.7, 0.8))])
    assert "belief reaches 75% for somebody" in exact
    assert "belief may reach 75% for somebody" in bound
    assert "belief reaches 70% to 80% for somebody" in sampled
    failing = replace(finding(False), found=Fraction(3, 4), is_bound=True)
    (said,) = sentences([failing], [], 0)
    assert "may be 75% sure of the disease of somebody" in said


def test_his_word_says_where_it_is_a_bound(tmp_path):
    """Else it would read as certainty, and hold all the same."""
    bounded = replace(KNOWING, found=Fraction(1, 3), interval=(0.25, 1.0))
    exact = replace(KNOWING, attack="exact")
    bound, found = given_word([bounded, exact])
    assert (bound.found, bound.holds, bound.is_bound) == (1.0, True, True)
    assert (found.found, found.holds, found.is_bound) == (exact.found, True, False)
    assert bound.to_json()["is_bound"] is True
    assert "is_bound" not in found.to_json()
    release = grouped()
    sf.audit(release)
    (stated, *others) = release.description.verdicts
    assert not stated.is_bound
    release.state([replace(stated, found=1.0, holds=True, is_bound=True), *others], "safe")
    loaded = sf.load(release.save(tmp_path / "out"))
    assert loaded.description.verdicts[0].is_bound
    (word,) = [each for each in sf.audit(loaded).findings if each.is_bound]
    assert word.briefly.startswith("<")


def test_his_word_names_no_value_of_anybody(tmp_path):
    release = grouped()
    sf.audit(release)
    written = json.loads((release.save(tmp_path / "out") / "release.json").read_text())
    assert {key for each in written["verdicts"] for key in each} == {
        *("attack", "attribute", "unit", "before", "found", "promised", "holds"),
        *("people_exceeding", "knows_earlier"),
    }
    assert "HIV" not in json.dumps(written["verdicts"])


@pytest.mark.parametrize(
    "damage",
    [
        {"holds": "yes"},
        {"found": None},
        {"found": "1/0"},
        {"found": "x"},
        {"attribute": "shoe size"},
        {"people_exceeding": -1},
        {"knows_earlier": 1},
        {"is_bound": 1},
        {"attack": 3},
        {"promised": {"relation": "~", "value": 1, "assumed": False}},
        {"promised": {"relation": "<="}},
    ],
)
def test_a_damaged_word_is_refused(tmp_path, damage):
    release = grouped()
    sf.audit(release)
    path = release.save(tmp_path / "out") / "release.json"
    written = json.loads(path.read_text())
    written["verdicts"][0] |= damage
    rewrite(path.parent, written)
    with pytest.raises(sf.BadInput, match="'verdicts' is missing, or not what it was"):
        sf.load(path.parent)
    del written["verdicts"]
    rewrite(path.parent, written)
    with pytest.raises(sf.BadInput, match="'verdicts' is missing"):
        sf.load(path.parent)


@pytest.mark.parametrize(
    ("share", "shown"),
    [("0.9999958", "> 99.99%"), ("0.99991", "> 99.99%"), ("0.9999", "99.990%"), ("1", "100%")],
)
def test_a_line_has_no_more_digits_than_tell_something(share, shown):
    assert line(replace(KNOWING, found=Fraction(share)), named=True)[2] == shown
