"""What a report says, to whom, and that nothing in it can break out of its place."""

import ast
import json
import os
import re
import stat
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path

import jsonschema
import plotly.graph_objects as go
import pyarrow as pa
import pyarrow.csv as pacsv
import pytest

import sfumato as sf
from hard.test_canaries import Ear, Planted, read
from sfumato.files.failpoints import VARIABLE
from sfumato.html import html_table, tag
from sfumato.report import page
from sfumato.report.page import charts
from sfumato.text import percent_lost

PRIVATE = "private: for the steward, not for publication"
SCHEMA = json.loads((Path(page.__file__).parents[1] / "schema.json").read_text())
HOSTILE = [
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "\"'><b>x</b>",
    "%{x} $a$ &lt;i&gt; <br>",
    '<a href="javascript:alert(1)">x</a>',
    "\u2028\u202e<svg/onload=alert(1)>\x07",
]


class Reader(HTMLParser):
    """Reads a page as a browser would: which elements there are, with what attributes and text."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.words = [], [], []
        self._open = []
        self.feed(text.replace(page.plotly_js(), ""))

    def handle_starttag(self, name, attributes):
        self.tags.append(name)
        self.attributes += [(name, *each) for each in attributes]
        self._open.append(name)

    def handle_endtag(self, name):
        if name in self._open:
            while self._open.pop() != name:
                pass

    def handle_data(self, data):
        if not {"script", "style"} & set(self._open):
            self.words.append(data)

    @property
    def text(self):
        return re.sub(r"\s+", " ", "".join(self.words))


@pytest.fixture(scope="module")
def patients():
    return sf.read(
        sf.datasets.patients(),
        identifiers=["name"],
        quasi_identifiers={"age": sf.Intervals(5, 10, 20), "zip": sf.Prefix(), "sex": sf.Flat()},
        sensitive="disease",
    )


@pytest.fixture(scope="module")
def few_patients():
    source = pacsv.read_csv(sf.datasets.patients()).slice(0, 300)
    return sf.read(source, {"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()}, "disease")


@pytest.fixture(scope="module")
def release(patients):
    return sf.anonymize(patients, sf.KAnonymity(5) & sf.LDiversity(3), sf.Samarati(40))


@pytest.fixture(scope="module")
def report(release):
    return sf.audit(release)


@pytest.fixture(scope="module")
def hostile():
    """A release whose column names and values want to be markup."""
    n = 240
    table = pa.table(
        {
            HOSTILE[0]: [str(20 + j % 40) for j in range(n)],
            HOSTILE[1]: [HOSTILE[j % 6] for j in range(n)],
            HOSTILE[2]: [HOSTILE[(j // 7) % 6] for j in range(n)],
            HOSTILE[4]: [HOSTILE[3]] * n,
        }
    )
    return sf.anonymize(
        sf.read(table, [HOSTILE[0], HOSTILE[1]], HOSTILE[2], insensitive=[HOSTILE[4]]),
        sf.KAnonymity(3) & sf.LDiversity("3/2", "frequency", values=HOSTILE[:2]),
        sf.Mondrian(),
    )


def saved(report, place, *, private=False):
    path = report.save(place, private=private)
    return path.read_text(), json.loads(path.with_suffix(".json").read_text())


# ----------------------------------------------------------------------------------------- content


def test_the_public_page_says_what_was_published_promised_and_found(report):
    text = Reader(report.to_html()).text
    shown = report.subject
    for expected in (
        f"{shown.n_rows:,}",
        "rows suppressed",
        "Not shown to be safe",
        "Samarati(max_suppressed=40)",
        "KAnonymity(k=5)",
        "at least 5 people",
        "at least 3 different sensitive values",
        "What could not be run",
        *(f"level {level}" for level in shown.levels.values() if level),
        "at most 20%",
        "differential privacy",
    ):
        assert expected in text, expected
    for finding in report.public().findings:
        assert finding.name in text
        assert finding.knows in text


def test_the_public_page_knows_nothing_that_only_the_original_tells(report):
    public, steward = report.to_html(), report.to_html(private=True)
    for private in ("Who is worst off", "in the original", "information loss", "columns dropped"):
        assert private not in Reader(public).text
        assert private in Reader(steward).text
    assert PRIVATE not in Reader(public).text
    assert 'class="public"' in public


def test_the_public_report_is_the_same_without_the_original(report, release, tmp_path):
    loaded = sf.load(release.save(tmp_path / "out"))
    assert release.n_suppressed > 0
    assert report._document(private=False) == sf.audit(loaded)._document(private=False)
    assert report.to_html() == sf.audit(loaded).to_html()


def test_the_stewards_page_has_witnesses_loss_and_distributions(report, release):
    page_text = Reader(report.to_html(private=True)).text
    assert PRIVATE in page_text
    for name, lost in sf.utility.loss_per_attribute(release).items():
        assert f"{name}{percent_lost(lost)}" in page_text
    finding = next(each for each in report.findings if each.attack == "homogeneity")
    assert finding.worst["value"] in page_text
    written = report._document(private=True)["steward"]
    (distribution,) = written["distributions"]
    assert distribution["rows_original"] == release.n_rows + release.n_suppressed
    assert distribution["rows_published"] == release.n_rows
    assert sum(each["original"] for each in distribution["values"]) == 2000
    assert written["missing"] == []


def test_a_broken_promise_is_said_at_the_top(release):
    failing = sf.audit(release, criterion=sf.KAnonymity(500))
    text = failing.to_html()
    assert '<h1 class="bad">' in text
    assert "attacks succeeded" in Reader(text).text
    assert "FAILS for" in Reader(text).text


def test_a_belief_that_the_promise_allows_is_said_beside_the_verdict(patients):
    report = sf.audit(sf.anonymize(patients, sf.KAnonymity(5) & sf.LDiversity(2), sf.Mondrian()))
    remarks = " ".join(report._document(private=False)["remarks"])
    assert re.search(r"belief reaches [\d.]+% for somebody; the promise, less than 100%", remarks)


def test_a_bound_is_not_said_to_be_reached(report):
    promised = sf.attacks.Bound("<", 1)
    first = replace(report.findings[0], promised=promised, found=Fraction(1), is_bound=True)
    assert replace(first, holds=True).briefly == "< 100%"  # less was shown another way
    assert replace(first, holds=None).briefly == "<= 100%"
    assert replace(first, holds=True, found=Fraction(1, 2)).briefly == "<= 50%"
    between = replace(first, is_bound=False, interval=(0.75, 1.0))
    assert replace(between, holds=True).briefly == "75% to < 100%"
    assert replace(between, holds=None).briefly == "75% to 100%"


def test_a_sampled_answer_says_how_sure_it_is(report):
    (first, *rest) = report.findings
    sampled = replace(report, findings=(replace(first, interval=(0.1, 0.2)), *rest))
    assert "10% to 20%" in Reader(sampled.to_html(private=True)).text


@pytest.mark.parametrize("private", [False, True])
def test_a_table_of_unknown_origin_can_be_reported(private, tmp_path):
    table = sf.read(sf.datasets.patients(), ["age", "sex"], "disease")
    text, written = saved(sf.audit(table), tmp_path, private=private)
    jsonschema.validate(written, SCHEMA)
    assert written["subject"] == "table"
    assert written["method"] is written["promise"] is None
    assert written["published"]["columns_not_looked_at"] == 2
    assert "how it was made is not known" in Reader(text).text
    if private:
        assert len(written["steward"]["missing"]) == 2


def test_a_loaded_release_reported_privately_says_what_is_missing(release, patients, tmp_path):
    loaded = sf.load(release.save(tmp_path / "out"))
    text, written = saved(sf.audit(loaded), tmp_path / "report", private=True)
    jsonschema.validate(written, SCHEMA)
    assert written["steward"]["loss"] is None
    assert "the original is not at hand" in Reader(text).text
    with_it = sf.audit(loaded, original=patients)._document(private=True)["steward"]
    own = sf.audit(release)._document(private=True)["steward"]
    assert with_it["missing"] == []
    assert with_it["distributions"] == own["distributions"]
    for there, here in zip(with_it["loss"]["attributes"], own["loss"]["attributes"], strict=True):
        assert there["name"] == here["name"]
        assert there["loss"] == pytest.approx(here["loss"], abs=1e-9)


def test_a_table_without_a_sensitive_column_can_be_reported(tmp_path):
    table = sf.read(sf.datasets.patients(), ["age", "sex"])
    for private in (False, True):
        text, written = saved(sf.audit(table), tmp_path / str(private), private=private)
        jsonschema.validate(written, SCHEMA)
        assert "the release has no sensitive column" in Reader(text).text


CRITERIA = [
    sf.KAnonymity(2),
    sf.LDiversity(2),
    sf.LDiversity("3/2", "entropy"),
    sf.LDiversity("5/4", "frequency", values=["flu"]),
    sf.LDiversity("5/4", "frequency", values=["flu", "asthma"], pooled=True),
    sf.LDiversity(2, values=["flu", "asthma"], pooled=True),
    sf.RecursiveDiversity(3, 2),
    sf.TCloseness("1/2"),
    sf.AlphaKAnonymity("3/4", 2),
    sf.PSensitiveKAnonymity(2, 2),
]


def test_what_people_guard_has_words_and_a_report():
    source = pacsv.read_csv(sf.datasets.patients())
    guard = pa.array([None, None, None, "flu"] * source.num_rows)[: source.num_rows]
    table = sf.read(source.append_column("guard", guard), ["age", "sex"], "disease")
    written = sf.audit(
        sf.anonymize(table, sf.PersonalizedPrivacy("5/4", "guard"), sf.Mondrian())
    )._document(private=True)
    jsonschema.validate(written, SCHEMA)
    (said,) = written["promise_in_words"]
    assert "at most 80% of the people" in said["words"]
    assert "is not published." in said["words"]


@pytest.mark.long
@pytest.mark.parametrize("criterion", CRITERIA, ids=str)
def test_every_promise_has_words_and_a_report(few_patients, criterion):
    report = sf.audit(sf.anonymize(few_patients, criterion, sf.Mondrian()))
    for private in (False, True):
        written = report._document(private=private)
        jsonschema.validate(written, SCHEMA)
        (said,) = written["promise_in_words"]
        assert said["words"].endswith(".")
        assert said["words"] != type(criterion).__doc__.split("\n")[0]


def test_several_sensitive_columns_make_several_distributions(tmp_path):
    table = sf.read(sf.datasets.patients(), ["age"], ["disease", "sex"])
    report = sf.audit(sf.anonymize(table, sf.KAnonymity(3)))
    _, written = saved(report, tmp_path, private=True)
    jsonschema.validate(written, SCHEMA)
    assert [each["attribute"] for each in written["steward"]["distributions"]] == ["disease", "sex"]


# -------------------------------------------------------------------------------------------- JSON


@pytest.mark.parametrize("private", [False, True])
def test_the_json_is_what_the_schema_says_and_what_the_audit_says(report, tmp_path, private):
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    _, written = saved(report, tmp_path, private=private)
    jsonschema.validate(written, SCHEMA)
    said = (report if private else report.public()).to_json(private=private)
    for key, value in said.items():
        if key != "findings":
            assert written[key] == value
    for found, expected in zip(written["findings"], said["findings"], strict=True):
        assert found.items() >= expected.items()


def test_the_schema_refuses_a_witness_in_a_public_report(report):
    written = report._document(private=False)
    for change in (
        {"steward": report._document(private=True)["steward"]},
        {"findings": [written["findings"][0] | {"worst": {}}]},
        {"more": 1},
    ):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(written | change, SCHEMA)


def test_the_schema_is_documented():
    documented = (Path(__file__).parents[2] / "docs" / "report.md").read_text()
    definitions = SCHEMA["$defs"]
    for part in (SCHEMA, *(definitions[name] for name in ("finding", "published", "steward"))):
        for name in part["properties"]:
            assert f"`{name}`" in documented or f".{name}`" in documented, name


# ---------------------------------------------------------------------------------------- escaping

ALLOWED = set(
    re.findall(
        r"\w+",
        "html head meta title link style body main header footer section article p h1 h2 h3 ul li "
        "dl dt dd div span b small code i table thead tbody tr th td details summary script nav ol "
        "a pre",
    )
)


@pytest.mark.parametrize("private", [False, True])
def test_names_and_values_cannot_become_markup(hostile, private):
    text = sf.audit(hostile).to_html(private=private)
    read_back = Reader(text)
    assert set(read_back.tags) <= ALLOWED
    assert read_back.tags.count("script") == 3
    assert not [each for each in read_back.attributes if each[1].startswith("on")]
    assert not [each for each in read_back.attributes if each[1] in ("src", "srcset", "action")]
    links = [each[2] for each in read_back.attributes if each[1] == "href"]
    assert links[0] == "data:,"
    assert all(re.fullmatch(r"#[a-z_]+", link) for link in links[1:])
    assert HOSTILE[0] in read_back.text  # as text it is there
    assert "\x07" not in text


def test_plotly_gets_no_tag_and_no_template(hostile):
    drawn = charts.figures(sf.audit(hostile)._document(private=True))
    written = json.dumps(drawn)
    assert "<" not in written
    assert "template" not in written
    assert {"chart-beliefs", "chart-loss", "chart-distribution-0"} == set(drawn)
    for figure in drawn.values():
        go.Figure(figure)  # refused if it is none


def test_the_embedded_json_cannot_end_its_script():
    written = page.as_script_data({HOSTILE[1]: HOSTILE})
    assert not set("<>&\u2028") & set(written)
    assert json.loads(written) == {HOSTILE[1]: HOSTILE}


def test_what_a_notebook_shows_is_escaped_and_names_nobody(hostile):
    report = sf.audit(hostile)
    shown = [hostile.table, hostile, report, *report.findings, hostile.check(), hostile.summary()]
    for each in [*shown, sf.check(hostile.table)]:
        text = each._repr_html_()
        assert set(Reader(text).tags) <= {
            "table", "caption", "thead", "tbody", "tr", "th", "td"
        }  # fmt: skip
        assert len(text) < 6000
    assert "worst" not in report._repr_html_()


def test_a_table_in_html_escapes_everything():
    written = html_table([HOSTILE[0]], [[HOSTILE[1]], [None], [3]], HOSTILE[2])
    assert Reader(written).text == f"{HOSTILE[2]}{HOSTILE[0]}{HOSTILE[1]}None3"
    assert tag("p", title=HOSTILE[2]) == ('<p title="&quot;&#x27;&gt;&lt;b&gt;x&lt;/b&gt;"></p>')


def test_no_address_is_asked_for(report):
    for private in (False, True):
        text = report.to_html(private=private).replace(page.plotly_js(), "")
        assert "http" not in text.replace("http-equiv", "")
        assert "url(" not in text
        assert "@import" not in text
        (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', text)
        assert policy.startswith("default-src &#x27;none&#x27;")
        assert "unsafe-inline" not in policy.split("style-src")[0]


# ---------------------------------------------------------------------------------------- canaries


@pytest.mark.long
@pytest.mark.parametrize("name", ["regions", "levels"])
def test_no_canary_is_heard_in_a_public_report(name, tmp_path, record_property):
    planted = Planted(20261116)
    if name == "levels":  # one person is suppressed, with values nobody else has
        method, source = sf.Samarati(1), planted.table
    else:
        method, source = sf.Mondrian(), planted.without_last
    table = read(planted, source, last=name == "levels")
    promise = sf.KAnonymity(4) & sf.LDiversity(2)
    context = {"recipient": "the university", "controls": planted.controls}
    release = sf.anonymize(table, promise, method, untouched_identify=True, context=context)
    assert release.n_suppressed == (name == "levels")
    ear = Ear(planted)
    loaded = sf.load(release.save(tmp_path / "out"))
    for j, subject in enumerate((release, loaded)):
        report = sf.audit(subject, original=table)
        path = report.save(tmp_path / str(j))
        assert sorted(each.name for each in path.parent.iterdir()) == ["report.html", "report.json"]
        text = path.read_text()
        assert page.plotly_js() in text
        ear.quiet("the page", text.replace(page.plotly_js(), ""))
        ear.quiet("its JSON", path.with_suffix(".json").read_bytes())
        for framework in (None, "gdpr", "ema"):
            again = report.to_html(framework=framework)
            ear.quiet("the page again", again.replace(page.plotly_js(), ""))
        for shown in (report, report.public(), subject, *report.findings, table):
            ear.quiet(f"what a notebook shows of a {type(shown).__name__}", shown._repr_html_())
        if name == "levels":
            steward = report.save(tmp_path / f"steward {j}", private=True)
            heard = ear.heard(steward.with_suffix(".json").read_bytes())
            assert any(each.startswith(b"DISEASE") for each in heard)  # so the search can fail
    record_property("places searched for canaries", ear.n_places)
    record_property("bytes searched for canaries", ear.n_bytes)


# ------------------------------------------------------------------------------------------- files


def test_the_stewards_files_are_the_owners_alone(report, tmp_path):
    old = os.umask(0)
    try:
        report.save(tmp_path / "private", private=True)
        report.save(tmp_path / "page")
    finally:
        os.umask(old)
    modes = {each.name: stat.S_IMODE(each.stat().st_mode) for each in tmp_path.glob("*/*")}
    assert modes == {
        "report.html": 0o666,
        "report.json": 0o666,
        "report-steward.html": 0o600,
        "report-steward.json": 0o600,
    }


def test_an_older_report_is_replaced_and_a_loose_mode_with_it(report, tmp_path):
    for name in ("report-steward.html", "report-steward.json"):
        (tmp_path / name).write_text("old")
        (tmp_path / name).chmod(0o644)
    path = report.save(tmp_path, private=True)
    for name in ("report-steward.html", "report-steward.json"):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
    assert path.read_text().startswith("<!DOCTYPE html>")


def test_a_stewards_report_is_not_put_beside_a_release(report, release, tmp_path):
    place = release.save(tmp_path / "out")
    with pytest.raises(sf.BadInput, match="choose another place for the steward's report"):
        report.save(place, private=True)
    report.save(place)
    assert sf.load(place).check()


def test_what_cannot_be_written_leaves_nothing(report, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    with pytest.raises(sf.BadInput, match="cannot write"):
        report.save(tmp_path / "file")
    report.save(tmp_path / "out")
    before = (tmp_path / "out" / "report.html").read_text()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(sf.BadInput, match="no space left"):
        report.save(tmp_path / "out")
    assert (tmp_path / "out" / "report.html").read_text() == before
    assert len(list((tmp_path / "out").iterdir())) == 2


SAVE = """
import sys
import sfumato as sf
from sfumato.text import percent_lost
table = sf.read(sf.datasets.patients(), ["age", "sex"], "disease")
sf.audit(table).save(sys.argv[1], private=True)
"""


@pytest.mark.long
def test_a_killed_save_leaves_a_whole_report_or_none(tmp_path):
    command = [sys.executable, "-c", SAVE, str(tmp_path / "out")]
    killed = os.environ | {VARIABLE: "report.written"}
    assert subprocess.run(command, env=killed, check=False).returncode == -9
    (staged,) = (tmp_path / "out").iterdir()
    assert stat.S_IMODE(staged.stat().st_mode) == 0o700
    assert subprocess.run(command, check=False).returncode == 0
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["report-steward.html", "report-steward.json"]


# -------------------------------------------------------------------------------------------- cost


@pytest.mark.long
def test_plotly_is_not_imported_before_a_page_is_written():
    code = (
        "import sys, sfumato as sf; sf.audit; sf.Report; "
        "print([name for name in sys.modules if name.split('.')[0] == 'plotly'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ast.literal_eval(done.stdout) == []


def test_a_part_of_the_promise_that_could_not_be_judged_is_said_in_the_verdict(tmp_path):
    rows = {"q": list("aaabbbc"), "s": list("xxyyyxz")}
    table = sf.read(pa.table(rows), {"q": sf.Tree(["a", "b", "c"])}, "s")
    promise = sf.KAnonymity(3) & sf.TCloseness("1/4")
    release = sf.anonymize(table, promise, sf.Incognito(max_suppressed=1))
    report = sf.audit(sf.load(release.save(tmp_path / "out")))
    assert "without a verdict: skewness (s)" in report.heading
    assert "Not shown: without a verdict: skewness (s)" in Reader(report.to_html()).text
    assert "skewness (s)" not in sf.audit(release).heading


# ------------------------------------------------------------------------------------ rows hidden


@pytest.mark.long
def test_rows_are_hidden_at_the_root_whatever_it_is_called(tmp_path):
    """As "anything", as `*`, and not as a value that looks like a star."""
    people = pa.table({"place": ["Rome", "Oslo"] * 4, "zip": ["1", "2"] * 4, "sign": ["*"] * 8})
    rules = {
        "place": sf.Tree({"anything": {"south": ["Rome"], "north": ["Oslo"]}}),
        "zip": sf.Flat(),
        "sign": sf.Flat(),
    }
    table = sf.read(people, rules)
    for level, n_hidden in ((2, 8), (1, 0)):
        method = sf.Recode({"place": level, "zip": 1, "sign": 0})
        release = sf.anonymize(table, sf.KAnonymity(4), method)
        release.save(tmp_path / str(level))
        for subject in (release, sf.load(tmp_path / str(level))):
            sf.audit(subject).save(tmp_path / "report")
            written = json.loads((tmp_path / "report" / "report.json").read_text())
            columns = {c["name"]: c["rows_hidden"] for c in written["published"]["columns"]}
            assert columns == {"place": n_hidden, "zip": 8, "sign": 0}


def test_two_tables_do_not_claim_to_hide_anybody():
    table = sf.read(sf.datasets.patients(), ["age", "sex"], "disease")
    promise = sf.KAnonymity(3) & sf.LDiversity(2, "frequency")
    page = sf.audit(sf.anonymize(table, promise, sf.Anatomy())).to_html()
    assert "Every group has at least 3 people." in page
    assert "with the same published ones" not in page
