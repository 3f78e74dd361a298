"""The whole audit: releases made, loaded and foreign; what cannot be run; what is refused."""

import json
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.attacks import (
    BackgroundKnowledge,
    CannotRun,
    Homogeneity,
    Linkage,
    Similarity,
    Skewness,
)
from sfumato.attacks.attack import ATTACKS
from sfumato.attacks.people_above_risk import PeopleAboveRisk

ROWS = {
    "age": [21, 24, 37, 38, 52, 55, 57, 61],
    "sex": ["m", "f", "m", "f", "m", "f", "m", "f"],
    "disease": ["flu", "flu", "HIV", "asthma", "flu", "HIV", None, "flu"],
    "income": [10, 20, 20, 40, 10, 20, 30, None],
}
RULES = {"age": sf.Intervals(10, 20), "sex": sf.Tree(["f", "m", "x"])}
TREE = {"lung": ["flu", "asthma"], "blood": ["HIV"]}


def table(sensitive=("disease",), **changes):
    rows = {name: values for name, values in (ROWS | changes).items() if values is not None}
    return sf.read(pa.table(rows), RULES, list(sensitive), hierarchies=trees(sensitive))


def trees(sensitive):
    return {"disease": sf.Tree(TREE)} if "disease" in sensitive else {}


@pytest.fixture(scope="module")
def release():
    return sf.anonymize(table(), sf.KAnonymity(2) & sf.LDiversity(2), sf.Mondrian())


def told(report):
    """What an audit says, as a machine reads it."""
    return [
        (f.name, f.knows, f.before, f.found, str(f.promised), f.holds, f.n_exceeding)
        for f in report.findings
    ]


BY_METHOD = ("minimality", "mechanism")  # nobody says how a foreign table was made


@pytest.mark.long
@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize(
    "promised",
    [
        sf.KAnonymity(2) & sf.LDiversity(2, attribute="disease"),
        sf.PSensitiveKAnonymity(2, 2, attribute="disease"),
        sf.KAnonymity(2) & sf.TCloseness("1/2", attribute="disease"),
        sf.KEAnonymity(2, 5, attribute="income"),
    ],
    ids=str,
)
def test_a_release_is_audited_alike_wherever_it_comes_from(tmp_path, promised, kind):
    """Made here; loaded, with the original; read as anybody's file, with original and promise."""
    sensitive = ["disease", "income"]
    original = table(sensitive)
    release = sf.anonymize(original, promised, sf.Mondrian())
    audited = sf.audit(release)
    place = release.save(tmp_path / "out", kind)
    foreign = sf.read(place / f"data.{kind}", list(RULES), sensitive, hierarchies=trees(sensitive))
    expected = told(audited)
    assert told(sf.audit(sf.load(place), original)) == expected
    by_anybody = [each for each in expected if not each[0].startswith(BY_METHOD)]
    assert told(sf.audit(foreign, original, criterion=promised)) == by_anybody
    assert not any(f.holds is False for f in audited.findings if not f.knows_method)
    # What everybody sees is the same, whoever looks, with the publisher's word in it.
    in_public = told(sf.audit(release).public())
    assert told(sf.audit(sf.load(place))) == in_public
    assert told(sf.audit(sf.load(place), original).public()) == in_public


def test_a_foreign_table_without_a_promise_gets_no_verdict_but_on_certainty(release):
    foreign = sf.read(release.to_arrow(), list(RULES), "disease")
    report = sf.audit(foreign)
    assert {f.promised.assumed for f in report.findings if f.promised} == {True}
    assert {f.verdict for f in report.findings} <= {"nothing promised", "nobody is certain"}


def test_every_attack_is_a_finding_or_a_reason(release):
    for subject in (release, sf.read(release.to_arrow(), list(RULES))):
        report = sf.audit(subject)
        named = [f.attack for f in report.findings] + [each.name for each in report.not_run]
        for kind in ATTACKS.values():
            if kind is PeopleAboveRisk:  # asked for only where a promise names a risk
                continue
            assert any(each.startswith(kind.name) for each in named)
        for each in report.not_run:
            assert each.reason[0].islower()
            assert "\n" not in each.reason


def test_what_could_not_be_run_names_the_column():
    same = {"income": [1] * 8}
    report = sf.audit(table(["disease", "income"], **same), criterion=sf.KAnonymity(1))
    reasons = {each.name: each.reason for each in report.not_run}
    assert "certain already" in reasons["background knowledge (income)"]


def test_the_report_is_json_and_points_at_nobody(release):
    report = sf.audit(release)
    public = json.dumps(report.to_json())
    assert '"worst"' not in public
    assert '"worst"' in json.dumps(report.to_json(private=True))
    assert bool(report) is report.holds is (report.verdict == "safe")


def found(report, attack, attribute="disease"):
    (finding,) = [f for f in report.findings if (f.attack, f.attribute) == (attack, attribute)]
    return finding


def published(**columns):
    return sf.read(pa.table({"q": columns.pop("q"), **columns}), ["q"], list(columns))


def test_each_part_of_a_promise_is_shown_beside_its_own_values():
    subject = published(q=list("aaabbb"), disease=["flu", "flu", "HIV", "flu", "flu", "flu"])
    promised = sf.LDiversity(1) & sf.AlphaKAnonymity("1/3", 1, values=["HIV"])
    finding = found(sf.audit(subject, criterion=promised), "homogeneity")
    assert (finding.found, finding.promised.value, finding.holds) == (
        Fraction(1, 3),
        Fraction(1, 3),
        True,
    )
    broken = promised & sf.LDiversity(2)
    finding = found(sf.audit(subject, criterion=broken), "homogeneity")
    assert (finding.found, str(finding.promised), finding.n_exceeding) == (1, "< 1", 3)


def test_pooled_values_are_one_value_with_one_share():
    subject = published(q=list("aaabbb"), disease=["flu", "HIV", "ill", "ill", "ill", "flu"])
    pooled = sf.LDiversity("3/2", "frequency", values=["flu", "HIV"], pooled=True)
    finding = found(sf.audit(subject, criterion=pooled), "homogeneity")
    assert (finding.found, finding.before) == (Fraction(2, 3), Fraction(1, 2))
    assert finding.worst["value"].split(" or ") == ["HIV", "flu"]
    distinct = sf.LDiversity(2, values=["flu", "HIV"], pooled=True)
    finding = found(sf.audit(subject, criterion=distinct), "homogeneity")
    assert (str(finding.promised), finding.found, finding.holds) == ("< 1", Fraction(2, 3), True)


def test_a_promise_beyond_a_belief_says_so():
    subject = published(q=list("aaa"), disease=["flu", "flu", "HIV"])
    finding = found(sf.audit(subject, criterion=sf.LDiversity(3)), "homogeneity")
    assert (finding.holds, finding.found, str(finding.promised)) == (False, Fraction(2, 3), "< 1")
    assert finding.note == "LDiversity(l=3) is more than that, and does not hold"


def test_recursive_diversity_is_a_promise_about_what_can_be_ruled_out():
    subject = published(q=list("a" * 6), disease=["u", "u", "u", "v", "v", "w"])
    promised = sf.RecursiveDiversity(3, 3)  # 3 < 3 * 1 fails
    target = sf.attacks.Target.of(subject, criterion=promised)
    finding = BackgroundKnowledge(excludes=1).find(target)
    assert (finding.found, str(finding.promised)) == (Fraction(3, 4), "< 0.75")
    assert (finding.holds, finding.n_exceeding) == (False, 6)
    assert BackgroundKnowledge(excludes=2).find(target).promised is None


def test_a_promise_about_all_columns_binds_who_knows_less():
    subject = published(q=list("aaaa"), s=list("xxyy"), t=list("uvuv"))
    report = sf.audit(subject, criterion=sf.LDiversity(2, "frequency"))
    for attack in ("homogeneity", "homogeneity, other values known"):
        finding = found(report, attack, "s")
        assert (finding.found, finding.promised.value) == (Fraction(1, 2), Fraction(1, 2))


def test_numbers_in_a_tree_that_is_not_in_their_order_have_a_range_if_one_is_promised():
    source = pa.table({"q": list("aabb"), "income": ["1", "9", "2", "5"]})
    tree = sf.Tree({"odd": ["9", "1", "5"], "even": ["2"]})
    subject = sf.read(source, ["q"], "income", hierarchies={"income": tree})
    finding = found(sf.audit(subject, criterion=sf.KEAnonymity(2, 4)), "similarity", "income")
    assert (finding.found, finding.holds, finding.n_exceeding) == (3, False, 2)
    assert (finding.worst["from"], finding.worst["to"]) == ("2", "5")


def test_the_missing_value_can_be_ruled_out_and_is_called_so():
    subject = published(q=list("aaa"), disease=["flu", None, None])
    finding = BackgroundKnowledge(excludes=[None]).run(subject)
    assert (finding.before, finding.found) == (Fraction(2, 3), 1)
    assert finding.knows.endswith("; that it is not missing")
    assert Homogeneity().run(subject).worst["value"] == "missing"


def test_somebody_with_a_published_value_may_be_in_a_wider_group_too():
    """37 is published as itself for women and as a range for men."""
    rows = {"age": [37, 37, 37, 38, 36, 39], "sex": list("ffmmmm"), "s": list("uvuvuv")}
    original = sf.read(pa.table(rows), {"age": sf.Intervals(10), "sex": sf.Flat()}, "s")
    labels = pa.table({"age": ["37"] * 2 + ["[30, 40)"] * 4, "sex": rows["sex"], "s": rows["s"]})
    subject = sf.read(labels, ["age", "sex"], "s")
    finding = BackgroundKnowledge(excludes=["u"], who={"age": 37, "sex": "m"}).run(
        subject, original
    )
    assert finding.worst["group"] == {"age": "[30, 40)", "sex": "m"}


# --------------------------------------------------------------------------------- bad input

ODD = ["release", None, 3, b"x", [], {}, pd.DataFrame({"age": [1]}), np.arange(3), object()]


def one_clear_line(error):
    text = str(error.value)
    assert text
    assert "\n" not in text
    assert "internal error" not in text


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: type(odd).__name__)
@pytest.mark.parametrize(
    "attack", [Linkage(), Homogeneity(), BackgroundKnowledge(), Skewness(), Similarity(), sf.audit]
)
def test_only_releases_and_tables_are_attacked(attack, odd):
    with pytest.raises(
        sf.BadInput, match=r"expected a release .*, or a table from sf\.read"
    ) as error:
        attack(odd) if attack is sf.audit else attack.run(odd)
    one_clear_line(error)


@pytest.mark.parametrize(
    "odd", [each for each in ODD if each is not None], ids=lambda odd: type(odd).__name__
)
def test_odd_arguments_are_refused(release, odd, record_property):
    tries = [
        lambda: sf.audit(release, odd),
        lambda: sf.audit(release, criterion=odd),
        lambda: sf.audit(release, external=odd),
        lambda: Linkage(odd),
        lambda: Linkage("journalist", odd),
        lambda: Homogeneity(attribute=odd).run(release),
        lambda: Skewness(others=odd),
        lambda: Homogeneity().run(release, odd),
    ]
    if not isinstance(odd, (int, list)):
        tries.append(lambda: BackgroundKnowledge(excludes=odd))
    if not isinstance(odd, dict):
        tries.append(lambda: BackgroundKnowledge(who=odd))
    for each in tries:
        with pytest.raises(sf.BadInput) as error:
            each()
        one_clear_line(error)
    record_property("bad inputs tried", len(tries))


@pytest.mark.parametrize(
    ("excludes", "said"),
    [
        (-1, "must be an integer >= 0, got -1"),
        (True, "got True"),
        (1.5, "got 1.5"),
        ("flu", "got 'flu'"),
        (["plague"], "nobody has one of the values to rule out in column 'disease'"),
        ([["flu"]], "nobody has one of the values"),
        ([10**5000], "nobody has one of the values"),
        ([object()], "nobody has one of the values"),
    ],
    ids=["negative", "true", "float", "text", "unknown", "nested", "long", "object"],
)
def test_odd_exclusions_are_refused(release, excludes, said):
    with pytest.raises(sf.BadInput, match=said) as error:
        BackgroundKnowledge(excludes=excludes).run(release)
    one_clear_line(error)


def test_nothing_excluded_is_what_homogeneity_finds(release):
    expected = Homogeneity().run(release).found
    for nothing in (0, [], set()):
        assert BackgroundKnowledge(excludes=nothing).run(release).found == expected


def test_unknown_columns_are_named(release):
    with pytest.raises(sf.BadInput, match="who: 'agee' is not a quasi-identifier; did you mean"):
        BackgroundKnowledge(who={"agee": 3}).run(release)
    with pytest.raises(sf.BadInput, match="who: 3 is not a quasi-identifier"):
        BackgroundKnowledge(who={3: 3}).run(release)
    with pytest.raises(sf.BadInput, match="attribute 'disese' is not sensitive; did you mean"):
        Homogeneity(attribute="disese").run(release)
    with pytest.raises(sf.BadInput, match="several sensitive columns"):
        Homogeneity().run(table(["disease", "income"]))
    with pytest.raises(CannotRun, match="no other sensitive column"):
        Homogeneity(others=True).run(release)
    with pytest.raises(CannotRun, match="nobody in the release fits"):
        BackgroundKnowledge(who={"age": 21, "sex": "x"}).run(release)
    for value in (10**5000, object(), [1]):
        with pytest.raises(CannotRun, match="nobody in the release fits"):
            BackgroundKnowledge(who={"age": value}).run(release)


def test_another_table_is_not_the_original(release, tmp_path):
    loaded = sf.load(release.save(tmp_path / "out"))
    fewer = sf.read(pa.table(ROWS), ["age"], "disease")
    with pytest.raises(sf.BadInput, match="original: 'sex' is a quasi-identifier of the release"):
        sf.audit(loaded, fewer)
    with pytest.raises(sf.BadInput, match="original: 'disease' is a sensitive column of the rel"):
        sf.audit(loaded, table(["income"]))
    with pytest.raises(sf.BadInput, match="original: a published sensitive value is not in it"):
        sf.audit(loaded, sf.read(pa.table(ROWS | {"disease": ["flu"] * 8}), RULES, "disease"))
    half = {name: values[:4] for name, values in ROWS.items()}
    with pytest.raises(sf.BadInput, match="original: it has 4 rows, and 8 were released"):
        sf.audit(loaded, table(**half))
    twice = {name: values * 2 for name, values in ROWS.items()}
    with pytest.raises(sf.BadInput, match="original: it has 16 rows, and 8 were released"):
        sf.audit(loaded, table(**twice))
    people = sf.read(pa.table({"age": [1]}), {"age": sf.Intervals(10)})
    for refused in (
        lambda: sf.audit(loaded, external=people),
        lambda: Linkage("journalist", people).run(loaded),
    ):
        with pytest.raises(sf.BadInput, match="external: 'sex' is a quasi-identifier of the rel"):
            refused()


def test_an_original_with_other_people_is_refused(tmp_path):
    def read(first):
        rows = {"age": [first + j for j in range(40)], "sex": ["f", "m"] * 20}
        rows["disease"] = ["flu", "HIV", "asthma", "flu", "HIV"] * 8
        rules = {"age": sf.Intervals(10, 20), "sex": sf.Flat()}
        return sf.read(pa.table(rows), rules, "disease")

    release = sf.anonymize(read(20), sf.KAnonymity(5), sf.Mondrian())
    loaded = sf.load(release.save(tmp_path / "out"))
    assert sf.audit(loaded, read(20))
    with pytest.raises(sf.BadInput, match="do not fit the published rows; is it the table"):
        sf.audit(loaded, read(90))


def test_a_list_of_strangers_links_nobody(release):
    strangers = sf.read(pa.table({"age": [200], "sex": ["x"]}), RULES)
    for model in ("journalist", "marketer"):
        with pytest.raises(CannotRun, match=r"^nobody on the list fits any published row"):
            Linkage(model, strangers).run(release)


def test_a_promise_of_nothing_does_not_make_certainty_welcome():
    subject = published(q=list("abb"), disease=["flu", "HIV", "HIV"])
    for nothing in (sf.KAnonymity(1), sf.LDiversity(1), sf.AlphaKAnonymity(1, 1)):
        report = sf.audit(subject, criterion=nothing)
        linked, believed = report.findings[0], found(report, "homogeneity")
        assert (linked.verdict, believed.verdict) == (
            "CERTAIN for 1 person",
            "CERTAIN for 3 people",
        )


def test_almost_certain_is_not_written_as_certain():
    subject = published(q=["a"] * 3000 + ["b"], disease=["flu"] * 2999 + ["HIV", "HIV"])
    finding = found(sf.audit(subject), "homogeneity")
    assert finding.text(Fraction(2999, 3000)) == "99.967%"
    assert finding.text(Fraction(1, 10**9)) == "0.00000010%"
    assert finding.text(Fraction(1)) == "100%"


def test_what_was_certain_before_is_not_said_to_be_uncertain():
    subject = published(q=list("aab"), disease=["flu"] * 3)
    finding = found(sf.audit(subject), "homogeneity")
    assert (finding.holds, finding.verdict) == (True, "certain before, too")


def test_what_could_not_be_run_says_what_was_known():
    subject = published(q=list("aa"), disease=["flu", "HIV"], income=[1, 2])
    report = sf.audit(subject)
    run = {finding.name for finding in report.findings}
    not_run = {each.name for each in report.not_run}
    assert "background knowledge (disease)" in run
    assert "background knowledge, other values known (disease)" in not_run
    assert not run & not_run


def test_a_kind_that_is_certain_is_said_even_where_another_belief_rises_more():
    tree = sf.Tree({"cancer": ["lung", "skin"], "other": ["flu", "ok"]})
    rows = {"q": list("aabbcccc"), "disease": ["lung", "skin"] * 2 + ["flu", "ok", "ok", "ok"]}
    subject = sf.read(pa.table(rows), ["q"], "disease", hierarchies={"disease": tree})
    finding = found(sf.audit(subject), "similarity")
    assert finding.note == "the kind of value is certain for 8 people, though values differ"
    mixed = sf.read(
        pa.table({"q": list("aabb"), "disease": ["lung", "skin", "flu", "lung"]}),
        *(["q"], "disease"),
        hierarchies={"disease": tree},
    )
    note = "the kind of value is certain for 2 people, though values differ"
    assert found(sf.audit(mixed), "similarity").note == note
    known = sf.read(
        pa.table({"q": list("aabb"), "disease": ["lung", "skin"] * 2}),
        *(["q"], "disease"),
        hierarchies={"disease": tree},
    )
    assert found(sf.audit(known), "similarity").note is None  # everybody has cancer, as is known


def test_the_room_shows_attacks_and_their_formulas_and_nothing_else():
    shown = {getattr(sf.attacks, name) for name in dir(sf.attacks)}
    assert shown >= {kind for kind in ATTACKS.values() if kind.__module__.startswith("sfumato.")}
    others = {each.__name__.rpartition(".")[2] for each in shown - set(ATTACKS.values())}
    assert others == {
        *("Attack", "Bound", "CannotRun", "DoesNotApply", "Finding", "Refusal", "Remedy", "Target"),
        *("correspondence", "grouping", "knowledge", "minimality"),
    }


def test_an_attack_that_is_defined_again_takes_its_own_place(monkeypatch):
    monkeypatch.setattr(ATTACKS, "_kinds", {"linkage": sf.attacks.Linkage})
    for _ in range(2):

        class Mine(sf.attacks.Homogeneity):
            name = "mine"

    assert [*ATTACKS.values()] == [sf.attacks.Linkage, Mine]


def test_numbers_that_come_from_the_original_are_called_private(release, tmp_path):
    assert sf.audit(release).to_json()["private"] is True
    assert sf.audit(release).public().to_json()["private"] is False
    release.save(tmp_path / "saved")
    assert sf.audit(sf.load(tmp_path / "saved")).to_json()["private"] is False


def test_one_value_for_all_is_certain_by_the_release_where_others_were_suppressed():
    rows = {"q": list("ppppq"), "disease": ["HIV"] * 4 + ["flu"]}
    table = sf.read(pa.table(rows), {"q": sf.Tree(["p", "q"])}, "disease")
    release = sf.anonymize(table, sf.KAnonymity(2), sf.Incognito(max_suppressed=1))
    for report in (sf.audit(release), sf.audit(release).public()):
        assert found(report, "homogeneity").verdict == "CERTAIN for 4 people"
        assert not report
    assert "1 of 5 attacks succeeded" in sf.audit(release).to_html()
