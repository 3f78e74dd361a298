"""Papers run again: from the command line to the page, and claims that must hold on any data."""

import fcntl
import json
import math
import os
import signal
import subprocess
import sys
import time
from fractions import Fraction

import numpy as np
import pytest

import naive.formation
import naive.minimality
import sfumato as sf
from cli.common import run
from report.test_browser import CHROMIUM, Visit, browser  # noqa: F401  (a fixture)
from report.test_page import Reader
from sfumato.cli import output
from sfumato.errors import STEERING
from sfumato.papers import PAPERS
from sfumato.papers.chen2009.adult import table_2
from sfumato.papers.chen2009.applications import figure_9
from sfumato.papers.cormode2010 import adult_table, closeness, risks
from sfumato.papers.reproduction import Chart, Claim, Panel, Reproduction
from sfumato.papers.wong2009 import minimality, setting

NAMES = sorted(PAPERS)


class Runs(dict):
    """Papers run when they are asked for, each by one of the processes that test at a time."""

    def __init__(self, base):
        super().__init__()
        self.base = base

    def __missing__(self, name):
        place, printed = self.base / name / "new" / "directory", self.base / f"{name}.json"
        with (self.base / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not printed.exists():
                result = run("reproduce", name, "--quick", "--json", "--output", place)
                assert result.exit_code == 0, result.output
                printed.write_text(result.stdout)
        self[name] = json.loads(printed.read_text()), place
        return self[name]


@pytest.fixture(scope="session")
def runs(tmp_path_factory):
    """Every paper, quickly, by the command line: what was printed and where the files are."""
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent  # that of all workers
    base = base / "papers"
    base.mkdir(exist_ok=True)
    return Runs(base)


def panels(document, start):
    return [panel for panel in document["panels"] if panel["title"].startswith(start)]


def column(panel, name):
    return [row[panel["header"].index(name)] for row in panel["rows"]]


# ---- The frame


@pytest.mark.every
@pytest.mark.parametrize("name", NAMES)
def test_a_paper_is_written_as_json_and_as_a_page(runs, name):
    document, place = runs[name]
    assert sorted(path.name for path in place.iterdir()) == [f"{name}.html", f"{name}.json"]
    assert json.loads((place / f"{name}.json").read_text()) == document
    assert document["paper"] == name
    assert document["quick"] is True
    seen = Reader((place / f"{name}.html").read_text())
    text = " ".join(seen.words)
    assert seen.tags.count("section") == len(document["panels"])
    for panel in document["panels"]:
        assert panel["title"] in text
        assert all(len(row) == len(panel["header"]) for row in panel["rows"])
        assert all(claim["ours"] in text for claim in panel["claims"])
    assert seen.tags.count("script") == 3
    assert not [each for each in seen.attributes if str(each[2]).startswith(("http", "//"))]


def test_a_paper_is_printed_as_tables(capsys):
    result = run("reproduce", "cormode2010", "--quick")
    assert result.exit_code == 0
    for said in ("VLDB", "Figure 5 (a)", "the paper says", "a quick look at a sample"):
        assert said in result.stdout


@pytest.mark.every
@pytest.mark.skipif(not CHROMIUM, reason="needs Chromium: apt-get install chromium")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("width", "scheme"), [pytest.param(1400, "light", marks=pytest.mark.slow), (400, "dark")]
)
def test_the_page_opens_alone_and_fits(browser, runs, name, width, scheme):  # noqa: F811
    path = runs[name][1] / f"{name}.html"
    with Visit(browser, path, width, scheme) as visit:
        assert visit.said == []
        assert [url for url in visit.asked if not url.startswith("data:")] == [path.as_uri()]
        root = "document.documentElement"
        assert visit.page.evaluate(f"{root}.scrollWidth <= {root}.clientWidth")
        drawn = sum(panel["chart"] is not None for panel in runs[name][0]["panels"])
        assert visit.page.locator(".chart .main-svg").count() >= drawn > 0


def test_what_stands_in_a_panel_is_text_everywhere(capsys):
    hostile = "<script>alert(1)</script>[bold]"
    panel = Panel(
        hostile,
        (hostile,),
        ((hostile,), (None,)),
        hostile,
        (Claim(hostile, hostile, agrees=False),),
        Chart("bars", hostile, hostile, (1.0,), {hostile: [2.0]}),
    )
    found = Reproduction("x", hostile, (panel,))
    seen = Reader(found.to_html())
    assert seen.tags.count("script") == 3
    assert hostile in seen.words
    assert "<script>" not in found._repr_html_()
    output.print_reproduction(found)
    assert "[bold]" in capsys.readouterr().out


def test_what_steers_a_terminal_is_escaped_in_the_numbers(tmp_path):
    Reproduction("x", "a\u202eb\x9b31m", ()).save(tmp_path)
    numbers = (tmp_path / "x.json").read_text(encoding="utf-8")
    assert STEERING.findall(numbers.replace("\n", "")) == []
    assert json.loads(numbers)["citation"] == "a\u202eb\x9b31m"


def test_an_unknown_paper_is_refused_with_the_nearest():
    result = run("reproduce", "cormode2011")
    assert result.exit_code == 2
    assert result.stderr == (
        "sfumato: reproduce: no paper 'cormode2011'; did you mean 'cormode2010'?\n"
    )
    with pytest.raises(
        sf.BadInput, match="known are 'chen2009', 'cormode2010', 'fung2008', 'wong2009'"
    ):
        sf.reproduce("x")
    with pytest.raises(sf.BadInput, match="quick must be true or false"):
        sf.reproduce("wong2009", quick="yes")


def test_a_place_that_cannot_be_written_is_refused_before_the_work(tmp_path):
    (tmp_path / "file").write_text("")
    start = time.monotonic()
    for place in (tmp_path / "file", tmp_path / "file" / "inside"):
        result = run("reproduce", "cormode2010", "--output", place)  # not even --quick
        assert result.exit_code == 2
        assert "cannot write" in result.stderr
        assert result.stdout == ""
    assert time.monotonic() - start < 20  # a full run takes minutes


def test_an_interrupt_ends_the_work_and_leaves_nothing(tmp_path):
    place = tmp_path / "out"
    command = [sys.executable, "-m", "sfumato", "reproduce", "cormode2010", "--output", str(place)]
    with subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # Where the tests run in the background it would be ignored from the start.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    ) as process:
        while not place.exists() and process.poll() is None:
            time.sleep(0.05)
        time.sleep(1)
        os.kill(process.pid, signal.SIGINT)
        process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGINT
    assert list(place.iterdir()) == []


def test_the_name_stays_a_function_and_costs_nothing_until_used():
    script = (
        "import sys, sfumato as sf; assert 'sfumato.papers' not in sys.modules; "
        "sf.reproduce; sf.reproduce; assert callable(sf.reproduce); "
        "assert not [m for m in sys.modules if m.startswith('sfumato.papers.cormode')]"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_a_help_that_teaches():
    said = run("reproduce", "--help").stdout
    for name in NAMES:
        assert name in said
    assert "start with --quick" in " ".join(said.split())


# ---- Chen 2009


def test_only_what_is_measured_differs_from_run_to_run(runs):
    document, _ = runs["chen2009"]
    times = [panel["title"] for panel in document["panels"] if panel["measured"]]
    assert [title.split(":")[0] for title in times] == [
        *(f"Figure 6 ({which})" for which in "abcd"),
        "Figure 7",
    ]
    again = Reproduction("chen2009", "", (table_2(quick=True), next(figure_9(quick=True))))
    written = json.loads(json.dumps(again.to_json()))["panels"]
    assert written == [*panels(document, "Table 2"), *panels(document, "Figure 9")[:1]]


def test_impossible_settings_are_said_to_be_and_have_no_number(runs):
    figures = [*panels(runs["chen2009"][0], "Figure 8"), *panels(runs["chen2009"][0], "Figure 9")]
    assert len(figures) == 6
    for panel in figures:
        of_target = panel["header"][1]
        assert column(panel, of_target)[-1] == "impossible"
        assert panel["chart"]["series"][of_target][-1] is None


# ---- Cormode 2010


def test_no_bucket_exceeds_what_is_possible(runs):
    (panel,) = panels(runs["cormode2010"][0], "Figure 3 (a, b)")
    largest, most = column(panel, "largest risk, in 1/l"), column(panel, "most possible")
    for found, limit in zip(largest, most, strict=True):
        assert 1 < found <= limit < math.e
    assert all(0 < share < 50 for share in column(panel, "at risk, %"))


def test_randomization_lowers_the_largest_risk_but_not_to_what_was_promised(runs):
    (panel,) = panels(runs["cormode2010"][0], "Figure 4")
    by_value = {}
    for value, p, risk in zip(
        column(panel, "sensitive value"),
        column(panel, "p"),
        column(panel, "largest risk, in 1/l"),
        strict=True,
    ):
        by_value.setdefault(value, {})[p] = risk
    for risk in by_value.values():
        assert 1 < risk[0.65] < risk[0.0]


def test_both_groups_of_figure_6_give_themselves_away(runs):
    (panel,) = panels(runs["cormode2010"][0], "Figure 6")
    assert column(panel, "belief to be positive") == [1, 1, 0]


def test_anatomized_methods_have_groups_near_l(runs):
    for panel in panels(runs["cormode2010"][0], "Figure 5"):
        names = ["Base", "Base(Ana)", "SG", "SG(Ana)", "RGG", "RGG(Ana)"]
        assert panel["header"][-6:] == names
        assert all(0 < error < 10 for row in panel["rows"] for error in row[-6:])


def test_people_at_risk_are_those_of_the_slow_formula():
    sizes = np.array([4, 8, 8, 12, 12, 16, 8, 5])  # the last ends with a part of a bucket
    sensitive = np.array([1, 2, 2, 3, 0, 4, 1, 1])
    for l, p in ((4, Fraction(2, 5)), (4, Fraction(13, 20))):
        above, largest = 0, Fraction(0)
        for size, n in zip(sizes[:-1] // l, sensitive, strict=False):
            for risk in naive.minimality.bucket_risk(l, int(size), p, int(n)):
                above += l * (risk > Fraction(1, l))
                largest = max(largest, risk)
        found = risks.exposed(sizes, sensitive, l, p)
        assert found.percent == 100 * above / 68
        assert found.largest == float(largest * l)
        assert found.n_not_judged == 5


@pytest.mark.parametrize("value", risks.VALUES)
@pytest.mark.parametrize("p", ["0", "0.65"])
def test_an_audit_finds_the_same_people_at_risk(value, p):
    table, l = adult_table(quick=True), 5  # 4,000 people: no bucket is smaller
    method = sf.RandomizedGrouping(p, seed=1)
    release = sf.anonymize(table, sf.LDiversity(l, "frequency", values=[value]), method)
    ours = risks.exposed(*risks.counted(release, value), l, method.p)
    assert ours.n_not_judged == 0
    # The paper takes everybody's place as known, as does whoever has nothing but the release.
    found = sf.attacks.grouping.MethodBased().run(sf.attacks.Target.public(release))
    assert float(found.found) * l == pytest.approx(ours.largest)
    assert found.n_exceeding == round(ours.percent / 100 * release.n_rows) > 0


@pytest.mark.parametrize(
    ("values", "t"), [("aabbc", "3/10"), ("aabbcc", "1/5"), ("abbccc", "1/4"), ("aaabbc", "2/5")]
)
def test_sampled_beliefs_are_those_of_all_orders(values, t):
    from sfumato.papers.cormode2010.sampling import sample

    reference, t = {"a": 30, "b": 20, "c": 50}, Fraction(t)
    expected = naive.formation.beliefs_of_never_close(values, reference, t)
    codes = np.array(["abc".index(value) for value in values])
    tally = np.zeros((2, len(values), 3), dtype=np.int64)
    limit = np.array([t.numerator, t.denominator])
    kept = sample(codes, np.array([30, 20, 50]), limit, 40_000, 10**8, 7, tally)
    if expected is None:
        assert kept == 0
        return
    assert kept == 40_000
    found = tally.sum(axis=0) / kept
    exact = np.array([[float(each[v]) for v in "abc"] for each in expected])
    assert np.abs(found - exact).max() < 0.012  # more than four standard deviations
    share = np.array([0.3, 0.2, 0.5])
    distance, low, high = closeness._measured(tally, share)
    true = np.abs(exact - share).sum(axis=1) / 2
    assert np.abs(distance - true).max() < 0.02
    assert (low <= distance + 1e-12).all()
    assert (distance <= high + 1e-12).all()


def test_the_beliefs_about_a_group_add_up_to_what_is_in_it():
    """So not everybody can be nearer to the table than the group is."""
    table = adult_table(quick=True)
    release = sf.anonymize(table, sf.TCloseness(0.5), sf.GreedyGrouping(seed=1))
    histograms = closeness.histograms_of(release)
    assert (histograms.sum(axis=1) == release.sizes).all()
    reference = table.frequencies().reference("occupation")
    found = closeness.distances(histograms[:20], reference, Fraction(1, 2), 400, "test")
    assert found.n_people == release.sizes[:20].sum()
    assert found.n_surely <= found.n_above <= found.n_people
    assert found.largest >= found.largest_but_last >= found.largest_first > 0


@pytest.mark.slow
def test_exactly_on_adult_the_largest_risks_at_l_6():
    """The paper sampled 2.52 and 2.70, which exceed (6/5)^5 = 2.488."""
    table = adult_table(quick=False)
    found = {}
    for value in risks.VALUES:
        criterion = sf.LDiversity(6, "frequency", values=[value])
        release = sf.anonymize(table, criterion, sf.GreedyGrouping(seed=2010))
        found[value] = risks.exposed(*risks.counted(release, value), 6, Fraction(0))
    assert found["Tech-support"].largest == pytest.approx(2.43, abs=0.01)
    assert 2.46 < found["Craft-repair"].largest < risks.most_possible(6) < 2.4884


# ---- Fung 2008


def test_every_release_made_against_the_first_is_safe_and_only_times_are_measured(runs):
    document, _ = runs["fung2008"]
    figures = panels(document, "Figure 2")
    assert len(figures) == 6
    for panel in figures:
        ks = column(panel, "k")
        for name in ("FA = CA, safe", "BA, safe"):
            assert all(left >= k for left, k in zip(column(panel, name), ks, strict=True))
    measured = [panel["title"] for panel in document["panels"] if panel["measured"]]
    assert [title.split(":")[0] for title in measured] == ["Section 6"]


# ---- Wong 2009


@pytest.fixture(scope="module")
def absent():
    """The release of the two printed cases, at m = 2."""
    return minimality.attacked(setting.adult_table(["age", "marital-status", "workclass"]), 2)


def test_both_real_cases_are_uncovered(runs):
    (panel,) = panels(runs["wong2009"][0], "Section 7.1")
    assert column(panel, "credibility") == [1, 1]
    assert column(panel, "private") == [2, 17]


def test_credibilities_add_up_to_the_sensitive_people(absent):
    found = minimality.beliefs(absent, 2)
    assert found.people.sum() == 45_222
    assert found.sensitive.sum() == setting.N_SENSITIVE
    assert found.people @ found.credibility == pytest.approx(setting.N_SENSITIVE)
    assert (found.credibility >= 0).all()
    assert (found.credibility <= 1 + 1e-9).all()


def test_only_generalized_classes_are_problematic(absent):
    """Of a class that is published as it is everybody sees the share, and it is safe."""
    found = minimality.beliefs(absent, 2)
    assert found.problematic(2).any()
    how = absent.recoding
    whole = how.boxes[how.parts[:, 1]]
    generalized = (whole[:, :, 0] != whole[:, :, 1]).any(axis=1)
    classes = np.unique(how.combinations.combination_of[how.parts[generalized, 0]])
    assert np.isin(np.flatnonzero(found.problematic(2)), classes).all()


@pytest.mark.slow
def test_figure_7_at_m_2_has_the_credibility_that_the_paper_states():
    table = setting.adult_table(setting.QUASI_IDENTIFIERS)
    found = minimality.Problematic.over(table, 2, 2)
    assert found.n_sensitive == setting.N_SENSITIVE
    assert found.credibility == pytest.approx(0.9, abs=0.05)
    assert found.least <= found.proportion <= found.most
