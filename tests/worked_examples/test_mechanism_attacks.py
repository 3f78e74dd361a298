"""The examples in which a method gives its people away, as releases that are audited."""

import csv
import json
from collections import Counter
from fractions import Fraction

import pyarrow as pa
import pytest

import sfumato as sf
from attacks.made import believed
from cli.common import run
from sfumato.attacks import Mechanism, Minimality
from worked_examples.tables import (
    CORMODE_FIG6B_WORLD,
    NS,
    WONG_I_B,
    WONG_IX,
    WONG_X,
    WONG_X_CREDIBILITY,
    WONG_XIX_A,
    WONG_XIX_COLUMNS,
    WONG_XVI,
    WONG_XVI_COLUMNS,
)
from worked_examples.test_wong_mechanism import FIG4, FIG6, HALVES, HIV, columns_of

TABLE_1B = columns_of(WONG_I_B, ("QID", "Disease"))


def mechanism(release, original=None):
    return Mechanism().run(release, original)


def test_table_18_a_is_half_by_minimality_and_certain_by_mechanism():
    table = sf.read(pa.table(columns_of(WONG_XVI, WONG_XVI_COLUMNS)), FIG4, "Disease")
    release = sf.anonymize(table, HIV, sf.Optimal("loss", weights=HALVES))
    assert Minimality().run(release).found == Fraction(1, 2)
    finding = mechanism(release)
    assert (finding.found, finding.holds) == (1, False)


def test_all_six_people_of_table_19_are_certain_by_the_default_method():
    rules = {"Age": sf.Intervals(5), "Zipcode": sf.Intervals(1000)}
    table = sf.read(pa.table(columns_of(WONG_XIX_A, WONG_XIX_COLUMNS)), rules, "Disease")
    release = sf.anonymize(table, sf.KAnonymity(2) & HIV, sf.Mondrian())
    finding = mechanism(release)
    assert (finding.found, finding.holds) == (1, False)
    assert not sf.audit(release)
    # Two are certain to have HIV, which exceeds 1/2; that four others have not was not promised.
    assert finding.n_exceeding == 2


@pytest.mark.parametrize("specialization", ["lattice", "sequence"])
def test_table_20_is_certain_by_zhangs_algorithm(specialization):
    table = sf.read(pa.table(TABLE_1B), FIG6, "Disease")
    release = sf.anonymize(table, HIV, sf.ThreePhase("loss", specialization))
    assert (mechanism(release).found, mechanism(release).holds) == (1, False)


def test_table_1_c_by_relaxed_mondrian_is_believed_too_much():
    table = sf.read(pa.table(TABLE_1B), FIG6, "Disease")
    finding = mechanism(sf.anonymize(table, HIV, sf.Mondrian(strict=False)))
    assert finding.found > Fraction(1, 2)
    assert finding.holds is False


def test_table_1_d_is_certain_loaded_too(tmp_path):
    """Local recoding: boxes overlap, and who is in which follows from all worlds that fit."""
    table = sf.read(pa.table(TABLE_1B), FIG6, "Disease")
    release = sf.anonymize(table, HIV, sf.TopDown())
    loaded = sf.load(release.save(tmp_path / "out"))
    for finding in (mechanism(release), mechanism(loaded, table)):
        assert (finding.found, finding.holds) == (1, False)


def test_table_9_is_published_as_table_10_where_a_part_is_kept():
    """Two people are generalized, six where unsafe children go back whole; q1 is 3/5 either way."""
    table = sf.read(pa.table(columns_of(WONG_IX, ("QID", "Disease"))), FIG6, "Disease")
    release = sf.anonymize(table, HIV, sf.TopDown("local", keep="part"))
    rows = release.to_arrow().to_pylist()
    assert Counter(tuple(row.values()) for row in rows) == Counter(WONG_X)
    beliefs = believed(release)
    assert {name: beliefs[name,]["HIV"] for name in ("q1", "q2")} == WONG_X_CREDIBILITY
    assert (mechanism(release).found, mechanism(release).holds) == (Fraction(3, 5), False)
    whole = sf.anonymize(table, HIV, sf.TopDown("local")).to_arrow()
    assert whole["QID"].to_pylist().count("Q") == 6


def test_a_suppressed_singleton_is_certain():
    columns = {"q": list("abbcc"), "s": ["HIV", "n", "n", "n", "HIV"]}
    rules = {"q": sf.Tree({"Q": ["a", "b", "c"]})}
    release = sf.anonymize(sf.read(pa.table(columns), rules, "s"), HIV, sf.Samarati(1))
    assert release.n_suppressed == 1
    finding = mechanism(release)
    assert (finding.found, finding.holds, finding.n_exceeding) == (1, False, 1)
    assert finding.worst["group"] == "suppressed"


def test_figure_6_b_of_cormode_is_certain():
    """The halves would have been safe in every world but one: both positives are in the first."""
    public = {"x": sf.Tree(["a", "b", "c", "d"])}
    table = sf.read(pa.table(columns_of(CORMODE_FIG6B_WORLD, ("x", "s"))), public, "s")
    promise = sf.KAnonymity(2) & sf.LDiversity(2, "frequency", ["Positive"])
    release = sf.anonymize(table, promise, sf.Mondrian())
    assert len(release.groups) == 1
    finding = mechanism(release)
    assert (finding.found, finding.holds, finding.n_exceeding) == (1, False, 2)


def test_three_people_whose_values_no_failed_step_tells_apart_are_safe():
    """Everything is one group because of its size alone: nothing is learned."""
    public = {"q": sf.Tree(["q1", "q2"])}
    table = sf.read(pa.table({"q": ["q1", "q2", "q2"], "s": ["HIV", "n", "n"]}), public, "s")
    release = sf.anonymize(table, sf.KAnonymity(2) & HIV, sf.Mondrian())
    finding = mechanism(release)
    assert (finding.found, finding.holds) == (Fraction(1, 3), True)


CASES = {
    "table 19": (
        columns_of(WONG_XIX_A, WONG_XIX_COLUMNS),
        "Age = { intervals = [5] }\nZipcode = { intervals = [1000] }",
        "mondrian = {}",
    ),
    "table 1 d": (TABLE_1B, 'QID = { tree = { "*" = { Q = ["q1", "q2"] } } }', "top_down = {}"),
}


@pytest.mark.parametrize("case", CASES)
def test_the_command_line_says_unsafe_and_writes_nothing(case, tmp_path):
    columns, rules, method = CASES[case]
    sensitive = "Disease"
    with (tmp_path / "people.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    (tmp_path / "job.toml").write_text(
        f'source = "people.csv"\noutput = "out"\n[columns]\nsensitive = ["{sensitive}"]\n'
        f"[columns.quasi_identifiers]\n{rules}\n[[criteria]]\nk_anonymity = {{ k = 2 }}\n"
        '[[criteria]]\nl_diversity = { l = 2, kind = "frequency", values = ["HIV"] }\n'
        f"[method]\n{method}\n"
    )
    done = run("anonymize", tmp_path / "job.toml", "--json")
    assert done.exit_code == 1
    assert not (tmp_path / "out").exists()
    findings = json.loads(done.stdout)["audit"]["findings"]
    found = {each["attack"]: each for each in findings}
    assert found["mechanism"]["found"] in (1, "1")
    assert NS not in done.stdout


@pytest.mark.parametrize(
    ("promise", "method"),
    [
        (sf.Skyline({"HIV": [(0, 0, 0, 0.51)]}), sf.SkylineMondrian()),
        (sf.Skyline({"HIV": [(0, 0, 0, 0.51)]}), sf.Samarati()),
        (sf.Skyline({"HIV": [(0, 0, 0, 0.51)]}), sf.Optimal("loss")),
        (sf.BCFAnonymity(1) & HIV, sf.BCFAnonymizer()),
    ],
    ids=["SkylineMondrian", "Samarati", "Optimal", "BCFAnonymizer"],
)
def test_table_1_c_promised_otherwise_is_certain_too(promise, method):
    """A skyline point without facts bounds belief alone; all of these go as far as they can."""
    release = sf.anonymize(sf.read(pa.table(TABLE_1B), FIG6, "Disease"), promise, method)
    finding = mechanism(release)
    assert (finding.found, finding.holds) == (1, False)
    assert sf.audit(release).verdict == "failed"
