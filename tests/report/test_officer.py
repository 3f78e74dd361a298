"""The report for an officer: which release, four threats, techniques, context, evidence."""

import datetime
import hashlib
import itertools
import json
import re
import shutil
from dataclasses import replace
from fractions import Fraction

import jsonschema
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from cli.common import run
from naive import histogram as naive
from report.test_page import SCHEMA, Reader
from sfumato.attacks import Bound, Finding
from sfumato.release.context import Context
from sfumato.release.description import AS_THEY_ARE
from sfumato.report.page.frameworks import FRAMEWORKS, TITLES
from sfumato.report.parts.histogram import CONTINUOUS, MOST_BINS, histogram
from sfumato.report.parts.techniques import MEANING, techniques
from sfumato.report.parts.threats import threat_of, threats

CONTEXT = {
    "recipient": "University of Somewhere",
    "release_model": "non-public",
    "controls": "LOCKEDROOM 7 and a contract",
    "review_date": "2031-03-01",
}
JOB = """
source = "patients.csv"
output = "out/2026-q1"
[columns]
identifiers = ["name"]
sensitive = ["disease"]
[columns.quasi_identifiers]
age = { intervals = [5, 10, 20] }
sex = { tree = ["female", "male", "other"] }
[context]
recipient = "University of Somewhere"
controls = "LOCKEDROOM 7 and a contract"
review_date = 2031-03-01
[[criteria]]
k_anonymity = { k = 5 }
[method]
samarati = {}
"""
RULES = {"age": sf.Intervals(5, 10, 20, top=80), "zip": sf.Prefix(), "sex": sf.Flat()}


@pytest.fixture(scope="module")
def patients(tmp_path_factory):
    source = tmp_path_factory.mktemp("source") / "patients.csv"
    shutil.copy(sf.datasets.patients(), source)
    return sf.read(source, RULES, "disease", identifiers=["name"])


@pytest.fixture(scope="module")
def release(patients):
    promise = sf.KAnonymity(5) & sf.LDiversity(3)
    return sf.anonymize(patients, promise, sf.Samarati(40), context=CONTEXT)


@pytest.fixture(scope="module")
def saved(release, tmp_path_factory):
    return release.save(tmp_path_factory.mktemp("out") / "2026-q1")


@pytest.fixture(scope="module")
def report(release, saved):
    return sf.audit(release)


def documents(report, **more):
    return [report._document(private=private, **more) for private in (False, True)]


# -------------------------------------------------------------------------------- which release


def test_the_report_says_which_release_it_is_about(report, saved):
    told = json.loads((saved / "release.json").read_text())
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    digest = hashlib.sha256((saved / "data.csv").read_bytes()).hexdigest()
    for written in documents(report):
        assert written["release"] == {
            "name": "2026-q1",
            "digest": told["sha256"],
            "files": [{"name": "data.csv", "sha256": digest}],
            "made": today,
            "sfumato": sf.__version__,
        }
        assert written["release"]["made"] == told["made"]
        text = Reader(report.to_html(private=written["private"])).text
        for said in ("2026-q1", told["sha256"], digest, today, f"sfumato {sf.__version__}"):
            assert said in text


def test_the_hash_of_the_source_is_the_stewards(report, patients):
    (path,) = patients.source.files
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    public, steward = documents(report)
    assert steward["steward"]["sources"] == [{"name": "patients.csv", "sha256": digest}]
    assert digest not in json.dumps(public)
    assert digest not in report.to_html()
    assert digest in report.to_html(private=True)


def test_a_release_that_is_not_saved_has_no_name(patients):
    report = sf.audit(sf.anonymize(patients, sf.KAnonymity(5)))
    for written in documents(report):
        jsonschema.validate(written, SCHEMA)
        assert written["release"]["name"] is written["release"]["digest"] is None
        assert written["release"]["files"] == []
    assert "not saved yet" in Reader(report.to_html()).text


def test_a_table_is_named_by_its_file_and_its_digest_is_the_stewards(patients):
    (path,) = patients.source.files
    report = sf.audit(sf.read(path, ["age", "sex"], "disease"))
    public, steward = documents(report)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert public["release"]["name"] == "patients.csv"
    assert digest not in json.dumps(public)  # nobody said that the file is published
    assert steward["steward"]["sources"] == [{"name": "patients.csv", "sha256": digest}]


# ---------------------------------------------------------------------- first sheet and contents


@pytest.mark.parametrize("private", [False, True])
def test_the_contents_lead_to_every_section(report, private):
    page = Reader(report.to_html(private=private))
    links = [value[1:] for tag, name, value in page.attributes if (tag, name) == ("a", "href")]
    places = [value for tag, name, value in page.attributes if (tag, name) == ("section", "id")]
    assert links == places
    assert len(places) == len(set(places)) >= 11
    assert set(places) <= set(TITLES)


def test_the_first_sheet_has_what_a_board_asks(report):
    text = report.to_html()
    sheet = Reader(text[: text.index("<nav")]).text
    for said in (
        "Public report",
        report._document(private=False)["heading"],
        "2026-q1",
        "rows published",
        "at least 5 people",
        *("singling out", "linkability", "inference", "membership"),
        "University of Somewhere",
        "Stated by the steward, not measured",
        "Signature",
    ):
        assert said in sheet, said


def test_the_public_page_asks_nobody_to_do_anything(report):
    """It is for who gets the release: no option, no parameter, no advice to who made it."""
    text = Reader(report.to_html()).text
    assert not re.search(r"--\w|\w=,|\(\w+=\)|sf\.|give (one|the)|Audit the release", text)
    for written in documents(report):
        hints = [each["hint"] for each in written["not_run"]]
        assert any(hints) == written["private"]
        if not written["private"]:
            advised = [*written["findings"], *written["not_run"]]
            assert not any(each["remedy"] for each in advised)


# ---------------------------------------------------------------------------------------- threats


def test_every_attack_of_ours_says_which_threat_it_tries(report):
    names = [each.name for each in (*report.findings, *report.not_run)]
    assert {threat_of(name) for name in names} == {"singling out", "linkability", "inference"}
    for attack in sf.attacks.attack.ATTACKS.values():
        if attack.__module__.startswith("sfumato."):
            assert attack.threat is not None


def test_the_four_threats_have_a_row_each_and_every_attack_a_place(report):
    for written in documents(report):
        rows = {each["threat"]: each for each in written["threats"]}
        assert [*rows] == ["singling out", "linkability", "inference", "membership"]
        tried = [name for row in rows.values() for name in row["tried"]]
        assert sorted(tried) == sorted(each["name"] for each in written["findings"])
        missed = [each["attack"] for row in rows.values() for each in row["not_tried"]]
        assert sorted(missed) == sorted(each["attack"] for each in written["not_run"])
        assert rows["membership"]["outcome"] == "not tried"
        assert "is not protected" in rows["membership"]["words"]
        assert rows["singling out"]["outcome"] == "kept"
        assert rows["singling out"]["words"].endswith("promised at most 20%.")
    assert rows["inference"]["outcome"] == "open"  # undecided: no attack on the method could be run
    assert written["verdict"] == "undecided"


def test_nothing_is_kept_that_was_not_promised(patients):
    report = sf.audit(sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati()))
    rows = {each["threat"]: each["outcome"] for each in report._document(private=True)["threats"]}
    assert report.verdict == "safe"
    assert rows == {
        "singling out": "kept",
        "linkability": "kept",  # k bounds what linking everybody yields, too
        "inference": "measured",
        "membership": "not tried",
    }


def test_what_succeeds_is_said_with_its_number(release):
    report = sf.audit(release, criterion=sf.KAnonymity(500))
    rows = {each["threat"]: each for each in report._document(private=False)["threats"]}
    assert rows["singling out"]["outcome"] == "failed"
    finding = report.findings[0]
    assert f"It concerns {finding.n_exceeding:,} people." in rows["singling out"]["words"]
    assert "promised at most 1 in 500" in rows["singling out"]["words"]


def test_what_was_found_beyond_the_promise_stands_beside_what_was_kept(report):
    """A promise that is kept hides nothing that was found where none was made."""
    target = report.target
    kept = belief("kept", Fraction(1, 3), Bound("<=", Fraction(1, 2)), holds=True)
    free = belief("knowledge (1, 1, 1)", Fraction(883, 1000), None, holds=None)
    less = belief("less", Fraction(1, 4), None, holds=None)

    def inference(*findings):
        found = [replace(each, attack=f"homogeneity, {each.attack}") for each in findings]
        return {row["threat"]: row for row in threats(target, found, [], [], "safe")}["inference"]

    row = inference(kept, free, less)
    assert row["outcome"] == "kept"
    beyond = " 88.3% by “homogeneity, knowledge (1, 1, 1) (disease)”, nothing promised."
    assert row["words"].endswith(beyond)
    assert "nothing promised" not in inference(kept, less)["words"]
    bounded = replace(kept, found=1, is_bound=True)
    assert inference(bounded, free)["words"].endswith(beyond)


def belief(name, found, promised, *, holds):
    return Finding(name, "disease", "things", "belief", 0, found, promised, holds, 0, 9)


def test_two_tables_do_not_try_to_hide_who_is_who():
    table = sf.read(sf.datasets.patients(), ["age", "sex"], "disease")
    promise = sf.LDiversity(2, "frequency")
    report = sf.audit(sf.anonymize(table, promise, sf.Anatomy()))
    (row,) = (
        each
        for each in report._document(private=False)["threats"]
        if each["threat"] == "singling out"
    )
    assert row["outcome"] == "not tried"
    assert "published as they are" in row["words"]
    sheet = report.to_html().split("<nav")[0]
    assert AS_THEY_ARE in sheet
    assert AS_THEY_ARE in report.subject.summary().sentences[0]


def test_an_attack_that_succeeded_with_more_fails_its_row_without_its_numbers(report):
    """Of a public report: the name is told, and nothing of what was found."""
    public = report.public()
    found = public.target, public.findings, public.not_run
    name = "minimality (disease)"
    assert name in {each.name for each in public.not_run}
    rows = {each["threat"]: each for each in threats(*found, [name], "failed")}
    assert rows["inference"]["outcome"] == "failed"
    told = "Succeeded with everybody’s quasi-identifiers at hand: minimality (disease)."
    assert rows["inference"]["words"] == told
    assert name not in {each["attack"] for each in rows["inference"]["not_tried"]}


# ------------------------------------------------------------------------------------- techniques


def techniques_of(release):
    written = sf.audit(release)._document(private=True)
    return {each["name"]: each["techniques"] for each in written["techniques"]["columns"]}


def test_what_was_done_to_a_column_has_the_words_of_the_standard(release, report):
    found = techniques_of(release)
    levels = release.levels
    assert found["disease"] == []
    for name, level in levels.items():
        assert ("generalization" in found[name] or "masking" in found[name]) == (level > 0)
    assert "top coding" in found["age"] or found["age"] == ["masking"]
    public, steward = documents(report)
    assert public["techniques"] == steward["techniques"]
    assert public["techniques"]["table"] == ["record suppression"] * (release.n_suppressed > 0)
    assert steward["steward"]["dropped"] == [
        {"name": "name", "technique": "masking", "reason": "it names people"}
    ]


@pytest.mark.parametrize(
    ("bounds", "name"),
    [
        ({"top": 60}, ["top coding"]),
        ({"bottom": 30}, ["bottom coding"]),
        ({"bottom": 30, "top": 60}, ["top and bottom coding"]),
        ({}, []),
    ],
)
def test_coding_of_ends_is_named_by_the_ends_that_are_coded(bounds, name):
    table = sf.read(pa.table({"age": [*range(20, 80)] * 2}), {"age": sf.Intervals(20, **bounds)})
    release = sf.anonymize(table, sf.KAnonymity(2), sf.Recode(levels={"age": 1}))
    columns = [{"name": "age", "role": "quasi-identifier", "rows_hidden": 0}]
    (found,) = techniques(release, columns, 120)
    assert found["techniques"] == ["generalization", *name]
    assert {*name} <= {*MEANING}


def test_groups_are_generalized_locally_and_two_tables_are_anatomized(patients):
    local = techniques_of(sf.anonymize(patients, sf.KAnonymity(5), sf.Mondrian()))
    assert local["age"] == ["local generalization", "top coding"]
    two = techniques_of(sf.anonymize(patients, sf.LDiversity(2, "frequency"), sf.Anatomy()))
    assert set(map(tuple, two.values())) == {("anatomization",)}
    cut = techniques_of(sf.anonymize(patients, sf.KAnonymity(5), sf.TopDown("cut")))
    assert "local generalization" not in str(cut)


def test_a_column_that_says_nothing_is_masked_and_some_rows_are_suppressed():
    rows = {"place": ["Rome", "Oslo"] * 4, "sign": ["a"] * 8}
    rules = {"place": sf.Tree({"anywhere": ["Rome", "Oslo"]}), "sign": sf.Flat()}
    table = sf.read(pa.table(rows), rules)
    recode = sf.Recode({"place": 1, "sign": 0})
    found = techniques_of(sf.anonymize(table, sf.KAnonymity(4), recode))
    assert found == {"place": ["masking"], "sign": []}
    assert {each for several in found.values() for each in several} <= {*MEANING}


# ---------------------------------------------------------------------------------------- context


def test_the_context_is_a_statement_and_controls_are_the_stewards(report, saved):
    told = json.loads((saved / "release.json").read_text())
    public_part = {name: text for name, text in CONTEXT.items() if name != "controls"}
    assert told["context"] == public_part
    assert sf.load(saved).context == Context(**public_part)
    public, steward = documents(report)
    assert public["context"]["said"] == {
        "recipient": CONTEXT["recipient"],
        "release model": CONTEXT["release_model"],
        "review date": "2031-03-01",
    }
    assert public["context"]["not_published"] == ["controls"]
    assert steward["context"]["said"]["controls"] == CONTEXT["controls"]
    assert "LOCKEDROOM" not in report.to_html() + json.dumps(public)
    assert "LOCKEDROOM" in report.to_html(private=True)
    for path in saved.iterdir():
        assert b"LOCKEDROOM" not in path.read_bytes()
    assert "Nothing of it was measured" in Reader(report.to_html()).text


def test_what_is_not_stated_is_named(patients):
    release = sf.anonymize(patients, sf.KAnonymity(5), context={"recipient": " the board "})
    public, steward = documents(sf.audit(release))
    assert public["context"]["said"] == {"recipient": "the board"}
    assert public["context"]["empty"] == ["release model", "review date"]
    assert steward["context"]["empty"] == ["release model", "controls", "review date"]
    assert "Not stated: release model, review date." in Reader(sf.audit(release).to_html()).text


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"recipent": "x"}, "unknown name 'recipent'; did you mean 'recipient'"),
        ({"recipient": 3}, "recipient must be a text of one line, got 3"),
        ({"controls": "a\nb"}, "controls must be a text of one line"),
        (
            {"release_model": "restricted"},
            "release_model must be one of public, semi-public, non-public, got 'restricted'",
        ),
        ({"review_date": "soon"}, "review_date must be a day such as 2027-03-01"),
        (["x"], "expected texts by recipient, release_model, controls, review_date"),
    ],
)
def test_a_context_that_cannot_be_read_is_refused(patients, given, said):
    with pytest.raises(sf.BadInput, match=re.escape(said)):
        sf.anonymize(patients, sf.KAnonymity(5), context=given)


@pytest.mark.parametrize(
    "damage", [{"controls": "x"}, {"recipient": 3}, {"review_date": "soon"}, [], {"more": "x"}]
)
def test_a_damaged_context_is_not_loaded(saved, tmp_path, damage):
    from sfumato.files.staged import checksum

    place = shutil.copytree(saved, tmp_path / "copy")
    told = json.loads((place / "release.json").read_text()) | {"context": damage}
    told["sha256"] = checksum(told)
    (place / "release.json").write_text(json.dumps(told))
    with pytest.raises(sf.BadInput, match="damaged; 'context'"):
        sf.load(place)


# --------------------------------------------------------------------------- evidence, by the job


@pytest.fixture
def job(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(sf.datasets.patients(), "patients.csv")
    (tmp_path / "job.toml").write_text(f"# JOBCANARY\n{JOB}")
    assert run("anonymize", "job.toml").exit_code == 0
    return tmp_path


def test_the_job_file_and_the_command_stand_in_the_stewards_report_alone(job):
    for arguments in (["--report", "page"], ["--report", "private", "--steward"]):
        assert run("audit", "job.toml", *arguments).exit_code == 0
    public = (job / "page" / "report.html").read_text()
    steward = (job / "private" / "report-steward.html").read_text()
    private = json.loads((job / "private" / "report-steward.json").read_text())
    everything = public + (job / "page" / "report.json").read_text()
    for path in (job / "out" / "2026-q1").iterdir():
        everything += path.read_text()
    for canary in ("JOBCANARY", "LOCKEDROOM", "patients.csv", "job.toml"):
        assert canary not in everything
        assert canary in steward or canary in json.dumps(private)
    assert private["steward"]["job"]["text"].startswith("# JOBCANARY")
    assert private["steward"]["command"].startswith("sfumato")
    assert private["context"]["empty"] == ["release model"]
    assert "sfumato audit 2026-q1" in Reader(public).text
    assert "University of Somewhere" in public  # told, as release.json tells it


def test_a_job_that_is_gone_is_one_line(report, tmp_path):
    with pytest.raises(sf.BadInput, match="cannot read the job"):
        report.save(tmp_path, private=True, job=tmp_path / "no.toml")
    (tmp_path / "odd.toml").write_text("= x")
    with pytest.raises(sf.BadInput, match="no TOML"):
        report.save(tmp_path, private=True, job=tmp_path / "odd.toml")


# ------------------------------------------------------------------------------------- frameworks


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_a_framework_chooses_headings_and_nothing_else(report, name):
    plain, framed = report._document(private=True), report._document(private=True, framework=name)
    jsonschema.validate(framed, SCHEMA)
    assert framed == plain | {"framework": name}
    pages = report.to_html(private=True), report.to_html(private=True, framework=name)
    before, after = (re.findall(r'<section id="(\w+)"><h2>', page) for page in pages)
    assert before == after
    for key, heading in FRAMEWORKS[name].headings.items():
        assert key in TITLES
        if key in after:
            assert f"<h2>{heading}</h2>" in pages[1].replace("&amp;", "&")
    assert "is for a person to judge" in Reader(pages[1]).text


def test_no_page_says_that_a_rule_is_met(report):
    said = " ".join(str(each) for each in FRAMEWORKS.values())
    for name in (None, *FRAMEWORKS):
        for private in (False, True):
            said += Reader(report.to_html(private=private, framework=name)).text
    assert not re.search(r"complian|complies|certif(?!ic)|fulfil", said, re.IGNORECASE)


def test_headings_claim_nothing_that_the_page_does_not_show(report):
    for name in FRAMEWORKS:
        said = " ".join(FRAMEWORKS[name].headings.values()).lower()
        for claim in ("was de-identified", "not individually identifiable", "before and after"):
            assert claim not in said
    public = Reader(report.to_html(framework="ema")).text
    assert "Risk of re-identification" in public


def test_an_unknown_framework_is_refused(report, job):
    with pytest.raises(sf.BadInput, match="one of gdpr, hipaa, ema, 27559, got 'ccpa'"):
        report.to_html(framework="ccpa")
    result = run("audit", "job.toml", "--report", "page", "--framework", "ccpa")
    assert result.exit_code == 2
    result = run("audit", "job.toml", "--framework", "gdpr")
    assert "give --report with it" in result.stderr
    assert run("audit", "job.toml", "--report", "page", "--framework", "gdpr").exit_code == 0
    assert "recital 26" in (job / "page" / "report.html").read_text()


# ------------------------------------------------------------------------------ charts and numbers


@given(
    st.lists(
        st.tuples(
            st.decimals(-1000, 1000, places=2, allow_nan=False),
            st.integers(0, 5),
            st.integers(0, 3),
        ),
        min_size=1,
        max_size=60,
        unique_by=lambda each: each[0],
    ),
    st.booleans(),
)
def test_bins_hold_everybody_once_as_counted_one_by_one(entries, missing):
    numbers = [float(x) for x, _, _ in entries] + [None] * missing
    before = np.array([b for _, b, _ in entries] + [2] * missing, dtype=np.int64)
    after = np.minimum(before, [a for _, _, a in entries] + [1] * missing)
    bins = histogram(numbers, before, after)
    held = [x for x, n in zip(numbers, before, strict=True) if x is not None and n]
    assert (bins is None) == (len(held) < CONTINUOUS)
    if bins is None:
        return
    assert 1 < len(bins) <= MOST_BINS
    edges = naive.edges_of([each["label"] for each in bins])
    widths = {two - one for one, two in itertools.pairwise(edges)}
    assert len(widths) == 1
    exact = [None if x is None else Fraction(repr(x)) for x in numbers]
    counted = naive.binned(exact, before.tolist(), after.tolist(), edges)
    assert [(each["original"], each["published"]) for each in bins] == counted
    assert bins[0]["original"]
    assert bins[-1]["original"]


def test_a_continuous_sensitive_column_is_drawn_in_bins(tmp_path):
    draw = np.random.default_rng(5)
    rows = {"age": draw.integers(20, 60, 300), "pay": draw.normal(4000, 900, 300).round(2)}
    report = sf.audit(sf.anonymize(sf.read(pa.table(rows), ["age"], "pay"), sf.KAnonymity(5)))
    path = report.save(tmp_path, private=True)
    (column,) = json.loads(path.with_suffix(".json").read_text())["steward"]["distributions"]
    assert sum(each["original"] for each in column["bins"]) == 300
    assert "drawn in" in Reader(path.read_text()).text
    few = sf.read(pa.table({"age": rows["age"], "pay": draw.integers(0, 5, 300)}), ["age"], "pay")
    written = sf.audit(sf.anonymize(few, sf.KAnonymity(5)))._document(private=True)
    assert written["steward"]["distributions"][0]["bins"] is None


def test_names_with_commas_are_told_apart(tmp_path):
    rows = {
        "age": [20 + j % 30 for j in range(90)],
        "pay, monthly": [f"{j % 7}" for j in range(90)],
        "pay": [f"{j % 5}" for j in range(90)],
        "club, or none": ["x"] * 90,
        "note": ["y"] * 90,
    }
    untouched = ["club, or none", "note"]
    table = sf.read(pa.table(rows), ["age"], ["pay, monthly", "pay"], insensitive=untouched)
    release = sf.anonymize(table, sf.KAnonymity(5), sf.Mondrian(), untouched_identify=True)
    text = Reader(sf.audit(release).to_html(private=True)).text
    assert "homogeneity (pay, monthly); homogeneity (pay)" in text
    assert "Published untouched: “club, or none”, note." in text
    assert "sensitive, no criterion“pay, monthly”, pay" in text  # a row of the summary


def test_every_bar_has_its_number(report):
    from sfumato.report.page.charts import figures

    drawn = figures(report._document(private=True))
    bars = [trace for each in drawn.values() for trace in each["data"] if trace["type"] == "bar"]
    assert len(bars) >= 3
    for trace in bars:
        assert len(trace["text"]) == len(trace["x"])
        assert all(trace["text"])
    findings = report._document(private=True)["findings"]
    said = [each["text"] for each in drawn["chart-beliefs"]["layout"]["annotations"]]
    for each in findings:
        if each["probability"]:
            assert any(f"found {each['shown']['found']}," in text for text in said)


# -------------------------------------------------------------------------- what is where, and who


def test_the_stewards_report_is_not_put_where_pages_are_handed_out(report, tmp_path):
    report.save(tmp_path / "page")
    with pytest.raises(sf.BadInput, match="choose another place for the steward's report"):
        report.save(tmp_path / "page", private=True)
    report.save(tmp_path / "private", private=True)
    with pytest.raises(sf.BadInput, match="holds the steward's report, which is private"):
        report.save(tmp_path / "private")
    skyline = sf.knowledge_skyline(report.subject, confidence="9/10")
    with pytest.raises(sf.BadInput, match="holds the steward's report, which is private"):
        skyline.save(tmp_path / "private")
    assert sorted(each.name for each in (tmp_path / "private").iterdir()) == [
        "report-steward.html",
        "report-steward.json",
    ]
