"""Chen 2009, section 8, run again: what must come out on any data, and what did on all of Adult."""

import pytest

import sfumato as sf
from sfumato.criteria import RecursiveDiversity
from sfumato.formulas.knowledge import Point
from sfumato.papers.chen2009 import adult, applications
from sfumato.papers.chen2009.dimensions import changes, curves, rows_of, series

PLACES = {"L": [0, 1], "K": [0, 5], "M": [0, 1]}


def test_a_curve_varies_one_dimension_and_keeps_the_others_at_the_base():
    found = curves(Point(2, 6, 2), PLACES)
    assert list(found) == ["(L, 6, 2)", "(2, K, 2)", "(2, 6, M)"]
    assert found["(2, K, 2)"] == {0: (2, 0, 2), 5: (2, 5, 2)}


def test_what_is_impossible_is_said_so_and_what_was_not_asked_is_left_open():
    points = curves(Point(0, 0, 0), PLACES)
    number = {(0, 0, 0): 1.0, (0, 5, 0): 3.0, (0, 0, 1): 2.0}.get
    assert rows_of(points, [number]) == (
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
    parts = adult.training_parts(table, 4)
    assert [part.n_rows for part in parts] == [3_000] * 4
    assert (
        sum(part.frequencies().reference("occupation") for part in parts).tolist()
        == (3 * table.frequencies().reference("occupation")).tolist()
    )


def test_a_criterion_that_no_part_satisfies_has_no_utility():
    parts = adult.training_parts(adult.people(["age", "sex"], quick=True), 2)
    assert adult.Utility.over(parts, sf.Skyline([(13, 0, 0, 0.9)])) == adult.Utility(None, None)


def test_the_class_is_among_what_others_may_know_of_an_application():
    table = applications.applications(quick=False)
    assert table.schema.sensitive == ("has_nurs",)
    assert "class" in table.schema.quasi_identifiers
    assert table.n_rows == 12_960


@pytest.mark.slow
def test_table_2_is_the_papers():
    panel = adult.table_2(quick=False)
    assert [row[3] for row in panel.rows] == [row[4] for row in panel.rows] == ["yes"] * 7
    assert all(claim.agrees for claim in panel.claims)
    assert "784 groups" in panel.remark


@pytest.mark.slow
def test_table_3_has_groups_ten_times_smaller_and_less_divergence():
    panel = adult.table_3(quick=False)
    assert all(claim.agrees for claim in panel.claims), panel.claims
    (_, size, _, large, _), (_, near, _, far, _), *_ = panel.rows
    assert 80 < size < 110
    assert large > 10 * size
    assert 1.35 < near < 1.5
    assert far - near >= 0.35
