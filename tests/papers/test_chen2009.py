"""Chen 2009, section 8, run again: what must come out on any data."""

import re
import sys

import numpy as np
import pytest

import naive.knowledge
import sfumato as sf
from sfumato.criteria import RecursiveDiversity
from sfumato.data.groups import Histogram
from sfumato.formulas.knowledge.breach import Point, largest_breach
from sfumato.papers.chen2009 import adult, applications, checking, scaling
from sfumato.papers.chen2009.dimensions import changes, curves, rows_of, series
from sfumato.papers.chen2009.program import least_odds

PLACES = {"L": [0, 1], "K": [0, 5], "M": [0, 1]}


def test_a_curve_varies_one_dimension_and_keeps_the_others_at_the_base():
    found = curves(Point(2, 6, 2), PLACES)
    assert list(found) == ["(L, 6, 2)", "(2, K, 2)", "(2, 6, M)"]
    assert found["(2, K, 2)"] == {0: (2, 0, 2), 5: (2, 5, 2)}


def test_what_is_impossible_is_said_so_and_what_was_not_asked_is_left_open():
    points = curves(Point(0, 0, 0), PLACES)
    number = {(0, 0, 0): 1.0, (0, 5, 0): 3.0, (0, 0, 1): 2.0}.get
    assert rows_of(points, number) == (
        (0, 1.0, 1.0, 1.0),
        (1, "impossible", None, 2.0),
        (5, None, 3.0, None),
    )
    assert series(points, number) == (
        (0.0, 1.0, 5.0),
        {"(L, 0, 0)": [1, None, None], "(0, K, 0)": [1, None, 3], "(0, 0, M)": [1, 2, None]},
    )


def test_curves_are_compared_at_the_last_place_that_all_of_them_reach():
    points = curves(Point(0, 0, 0), {"L": [0, 1, 2], "K": [0, 1, 2], "M": [0, 1, 2]})
    values = {p: sum(p) ** 2 * (1.0 + p.l) for curve in points.values() for p in curve.values()}
    values[Point(2, 0, 0)] = None
    assert changes(points, values.get) == (1, {"(L, 0, 0)": 2, "(0, K, 0)": 1, "(0, 0, M)": 1})


def test_the_release_of_table_2_is_diverse():
    table = adult.people(adult.QUASI_IDENTIFIERS, quick=True)
    release = sf.anonymize(table, adult.skyline_of_diversity(c=3, l=6), adult.METHOD)
    assert release.check(RecursiveDiversity(3, 6))


def test_training_parts_are_the_table_without_each_of_its_parts():
    table = adult.people(["age", "sex"], quick=True)
    parts = list(adult.training_parts(table, 4))
    assert [part.n_rows for part in parts] == [3_000] * 4
    assert (
        sum(part.frequencies().reference("occupation") for part in parts).tolist()
        == (3 * table.frequencies().reference("occupation")).tolist()
    )


def test_a_criterion_that_no_part_satisfies_has_no_utility():
    parts = adult.training_parts(adult.people(["age", "sex"], quick=True), 2)
    found = adult.Utility.over(parts, sf.Skyline([(13, 0, 0, 0.9)]))
    assert (found.size, found.kl) == (None, None)
    assert "no partition satisfies" in found.impossible


def test_the_class_is_among_what_others_may_know_of_an_application():
    table = applications.applications(quick=False)
    assert table.schema.sensitive == ("has_nurs",)
    assert "class" in table.schema.quasi_identifiers
    assert table.n_rows == 12_960


def test_nobody_with_a_large_salary_has_a_commission_and_houses_go_with_the_zip_code():
    made = scaling.synthetic_people(20_000).to_pandas()
    assert sorted(made["zip"].unique()) == list(range(1, 10))
    assert ((made["commission"] == 0) == (made["salary"] >= 75)).all()
    assert (made["value"] % made["zip"] == 0).all()
    assert (made["value"] / made["zip"]).between(5, 15).all()
    assert made["age"].between(20, 80).all()
    assert made.equals(scaling.synthetic_people(20_000).to_pandas())
    assert not made.equals(scaling.synthetic_people(20_000, seed=1).to_pandas())


@pytest.mark.parametrize("point", [(0, 0, 0), (2, 3, 0), (1, 0, 3), (4, 2, 2), (1, 5, 4)])
def test_the_compiled_program_is_appendix_a_3(point):
    rng = np.random.default_rng(sum(point))
    for _ in range(12):
        counts = rng.integers(0, 7, (rng.integers(1, 6), 5))
        counts[counts.sum(axis=1) == 0, 0] = 1
        sizes = counts.sum(axis=1)
        odds = least_odds(counts, sizes, *point)
        groups = [
            (int(n), {v: int(c) for v, c in enumerate(row) if c})
            for n, row in zip(sizes, counts, strict=True)
        ]
        for value in np.flatnonzero(counts.sum(axis=0)).tolist():
            expected = float(naive.knowledge.breach_by_program(groups, value, *point))
            assert 1 / (1 + odds[value]) == pytest.approx(expected, rel=1e-12)


def test_both_ways_to_check_are_timed_on_the_same_release():
    found = checking.compare(20_000, Point(3, 4, 5), runs=2, program_runs=1)
    counts = checking.candidate(20_000, 0)
    assert counts.shape == (200, 20)
    assert (counts.sum(axis=1) == 100).all()
    sizes = counts.sum(axis=1)
    breach, _ = largest_breach(Histogram.from_dense(counts), sizes, Point(3, 4, 5))
    assert found.breach == pytest.approx(float(breach))
    assert found.ratio == found.program / found.ours > 1


def test_without_scikit_learn_the_extra_is_named_before_the_work(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    monkeypatch.delattr(checking, "compare")  # the first work that there is
    with pytest.raises(sf.BadInput, match=re.escape(".venv/bin/pip install -e '.[learn]'")):
        sf.reproduce("chen2009")
