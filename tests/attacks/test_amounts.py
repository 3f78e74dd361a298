"""Amounts of knowledge as attacks on releases, beside what was promised."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import naive.knowledge
import sfumato as sf
from sfumato.attacks import Implications, Knowledge

TABLE_1B = {
    "age": ["2*"] * 4 + ["3*"] * 4,
    "disease": ["AIDS", "Flu", "Flu", "AIDS", "Flu", "Cancer", "Flu", "AIDS"],
}


def read(columns, **extra):
    return sf.read(pa.table(columns), ["age"], sensitive="disease", **extra)


@pytest.mark.long
def test_the_belief_is_the_largest_over_everything_that_could_be_known():
    table = read(TABLE_1B)
    groups = [(4, {"AIDS": 2, "Flu": 2}), (4, {"AIDS": 1, "Cancer": 1, "Flu": 2})]
    breaches = [
        each
        for value in ("AIDS", "Flu", "Cancer")
        for each in naive.knowledge.breaches_by_group(groups, value, "single")
    ]
    for point in [(0, 0, 0), (0, 1, 0), (0, 0, 1), (0, 1, 1)]:
        found = Knowledge(*point).run(table).found
        assert found == max(naive.knowledge.up_to(each, *point) for each in breaches)


def test_without_a_promise_one_fact_of_each_kind_is_tried_and_nothing_is_judged():
    report = sf.audit(read(TABLE_1B))
    (finding,) = [each for each in report.findings if each.attack.startswith("knowledge")]
    assert finding.attack == "knowledge (1, 1, 1)"
    assert (finding.promised, finding.holds) == (None, None)
    assert finding.found == 1
    assert finding.before == Fraction(1, 2)


def test_every_promised_point_is_tried_and_a_broken_one_fails():
    promise = sf.Skyline({"AIDS": [(0, 0, 0, 0.6), (0, 1, 0, 0.6)], "Flu": [(0, 0, 1, 0.9)]})
    report = sf.audit(read(TABLE_1B), criterion=promise)
    found = {each.attack: each for each in report.findings if each.attack.startswith("knowledge")}
    assert list(found) == ["knowledge (0, 0, 1)", "knowledge (0, 1, 0)"]  # (0, 0, 0) is included
    relative, other = found.values()
    assert (relative.found, str(relative.promised), relative.holds) == (
        Fraction(3, 4),
        "< 0.9",
        True,
    )
    # Who knows that Bob has the flu is two thirds sure that Ann has AIDS.
    assert (other.found, other.holds, other.n_exceeding) == (Fraction(2, 3), False, 4)
    assert other.worst["value"] == "AIDS"
    assert other.worst["group"] == {"age": "2*"}
    assert other.worst["others have"] == {"Flu": 1}
    assert not report.holds


def test_values_that_nobody_protects_do_not_fail():
    promise = sf.Skyline({"Cancer": [(1, 0, 0, 0.6)]})
    finding = Knowledge(1, 0, 0).run(sf.attacks.Target.of(read(TABLE_1B), criterion=promise))
    assert finding.worst["value"] == "Cancer"
    assert finding.holds  # one of two is left when the flu is ruled out: 1/2


def test_what_is_promised_against_more_is_promised_against_less():
    promise = sf.Skyline([(0, 1, 1, "3/4")])
    target = sf.attacks.Target.of(read(TABLE_1B), criterion=promise)
    assert str(Knowledge(0, 0, 0).find(target).promised) == "< 0.75"
    assert Knowledge(0, 0, 2).find(target).promised is None


def test_implications_are_held_against_ck_safety():
    draw = np.random.default_rng(1)
    people = {"age": draw.choice(["20", "30"], 60), "disease": draw.choice(list("abcd"), 60)}
    table = read(people)
    promise = sf.CKSafety("4/5", 1)
    report = sf.audit(table, criterion=promise)
    (finding,) = [each for each in report.findings if each.attack.startswith("implications")]
    groups = table.frequencies().as_it_is().groups()
    assert finding.found == promise.measure(groups)
    assert finding.holds == bool(promise.holds(groups).all())
    assert finding.before < finding.found
    assert Implications(2).run(table).promised is None


@pytest.mark.parametrize(
    "wrong", [{"l": -1}, {"k": 1.5}, {"m": True}, {"m": 10**5000}, {"case": "both"}]
)
def test_what_is_no_amount_is_refused(wrong):
    with pytest.raises(sf.BadInput, match="Knowledge"):
        Knowledge(**wrong)


def test_the_public_report_does_not_name_the_worst_off():
    promise = sf.Skyline([(0, 1, 0, 0.6)])
    report = sf.audit(read(TABLE_1B), criterion=promise)
    (finding,) = [each for each in report.findings if each.attack.startswith("knowledge")]
    assert "worst" not in finding.to_json()
    assert finding.to_json(private=True)["worst"]["value"] == "AIDS"
