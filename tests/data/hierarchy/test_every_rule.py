"""What all hierarchies have in common, and how they are written down."""

import json
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.groups
import sfumato as sf
from data.hierarchy.grown import CODES, DATES, INTEGERS, grow, paths, refusal
from sfumato.data.hierarchy import LevelTable
from sfumato.errors import shown

GROWING = {
    "flat numbers": (sf.Flat(), ["3", "12"]),
    "flat text": (sf.Flat(), ["b", "a"]),
    "intervals": (sf.Intervals(5, 10), ["31", "38", "-4"]),
    "prefix": (sf.Prefix(), ["13053", "130", "2"]),
    "lengths": (sf.Prefix(3, 2), ["13053", "130", "2"]),
    "tails": (sf.Intervals(5, 10, bottom=0, top=40), ["31", "38", "<0"]),
    "dates": (sf.Dates(), ["2026-11-15", "1999-01-02"]),
    "tree": (sf.Tree({"E": ["x", "y"], "A": {"z": None}}), ["y", "z"]),
    "table": (LevelTable((("x", "E", "*"), ("y", "A", "*"))), ["y", "x"]),
    "table without a root": (LevelTable((("x", "E"), ("y", "A"))), ["y", "x"]),
}


@pytest.mark.parametrize(("rule", "values"), GROWING.values(), ids=GROWING)
def test_a_missing_value_is_a_leaf_of_its_own_under_the_root(rule, values):
    without, domain = grow(rule, values), grow(rule, [values[0], None, *values[1:]])
    assert domain.labels == (*without.labels, None)
    assert domain.taxonomy.height == without.taxonomy.height
    *alone, root = paths(domain)[-1]
    assert set(alone) == {None}
    assert root == domain.taxonomy.labels[-1][0] == without.taxonomy.labels[-1][0]
    last = len(domain) - 1
    for level in range(domain.taxonomy.height):
        assert domain.taxonomy.low[level, last] == last
    assert domain.taxonomy.low[-1].tolist() == [0] * len(domain)


@pytest.mark.parametrize(("rule", "values"), GROWING.values(), ids=GROWING)
def test_only_what_the_steward_listed_is_closed(rule, values):
    assert grow(rule, values).closed == isinstance(rule, (sf.Tree, LevelTable))


@pytest.mark.parametrize("rule", [sf.Flat(), sf.Intervals(5), sf.Prefix(), sf.Dates()], ids=str)
def test_a_column_in_which_everything_is_missing_has_one_value(rule):
    domain = grow(rule, [None])
    assert domain.labels == (None,)
    assert domain.taxonomy.labels[-1][0] == "*"


@given(
    st.one_of(
        st.tuples(st.just(sf.Intervals(5, 10, 40)), INTEGERS),
        st.tuples(st.just(sf.Prefix()), CODES),
        st.tuples(st.just(sf.Dates()), DATES),
        st.tuples(st.just(sf.Flat()), CODES),
    )
)
def test_every_level_nests_in_the_next_and_ends_in_one_root(drawn):
    rule, values = drawn
    rows = paths(grow(rule, values))
    for level in range(len(rows[0]) - 1):
        for group in naive.groups.rows_by_group(rows, [level]).values():
            assert len({row[level + 1] for row in group}) == 1
    assert {row[-1] for row in rows} == {"*"}


@pytest.mark.parametrize(
    ("rule", "values"), [(sf.Tree(["3", "4"]), [3, "3"]), (sf.Flat(), [1, 1.0])], ids=str
)
def test_values_that_would_be_counted_as_one_are_refused(rule, values):
    error = refusal(lambda: rule.grow("grade", values))
    assert "two different values look the same" in str(error)


def test_values_that_would_be_counted_as_one_are_refused_with_their_column():
    assert "'grade'" in str(refusal(lambda: sf.Flat().grow("grade", [1, 1.0])))


SPECS = {
    "flat": (sf.Flat(), {"flat": True}),
    "prefix": (sf.Prefix(), {"prefix": True}),
    "dates": (sf.Dates(), {"dates": True}),
    "intervals": (sf.Intervals(5, 10), {"intervals": [5, 10]}),
    "tails": (
        sf.Intervals(5, bottom=18, top=89.5),
        {"intervals": {"widths": [5], "bottom": 18, "top": 89.5}},
    ),
    "lengths": (sf.Prefix(2, 3), {"prefix": [3, 2]}),
    "formats": (sf.Dates("DD.MM.YYYY"), {"dates": ["DD.MM.YYYY"]}),
    "tree": (sf.Tree({"E": ["x"], "A": ["y"]}), {"tree": {"E": ["x"], "A": ["y"]}}),
    "table": (LevelTable((("x", "*"), ("y", "*"))), {"level_table": [["x", "*"], ["y", "*"]]}),
}


@pytest.mark.parametrize(("rule", "spec"), SPECS.values(), ids=SPECS)
def test_a_hierarchy_is_written_down_and_read_back(rule, spec):
    assert rule.spec() == spec
    again = sf.Hierarchy.from_spec(json.loads(json.dumps(spec)), "here")
    assert type(again) is type(rule)
    assert again.spec() == spec
    assert again == rule


@pytest.mark.parametrize(
    ("spec", "rule"),
    [
        ({"prefix": 3}, sf.Prefix(3)),
        ({"dates": "MM.YYYY"}, sf.Dates("MM.YYYY")),
        ({"intervals": {"top": 90}}, sf.Intervals(top=90)),
        ({"intervals": {"widths": 5, "top": 90}}, sf.Intervals(5, top=90)),
    ],
    ids=str,
)
def test_a_job_file_may_write_less(spec, rule):
    assert sf.Hierarchy.from_spec(spec, "here") == rule


def test_a_single_width_may_be_written_without_a_list():
    assert sf.Hierarchy.from_spec({"intervals": 10}, "here") == sf.Intervals(10)


@pytest.mark.parametrize("spec", [{}, {"flat": True, "prefix": True}, ["flat"], None])
def test_a_specification_names_exactly_one_hierarchy(spec):
    message = str(refusal(lambda: sf.Hierarchy.from_spec(spec, "job.toml: age")))
    assert message.startswith("job.toml: age: give one hierarchy out of categories, dates, flat")


def test_a_specification_names_a_known_hierarchy():
    message = str(refusal(lambda: sf.Hierarchy.from_spec({"flatt": True}, "job.toml: age")))
    assert message == "job.toml: age: unknown name 'flatt'; did you mean 'flat'?"


def test_a_hierarchy_without_parameters_is_switched_on_by_true():
    @dataclass(frozen=True)
    class Without(sf.Hierarchy):
        """A rule that has no parameters."""

        def grow(self, column, values):
            raise NotImplementedError

    assert Without.of_parameter(True) == Without()
    with pytest.raises(sf.BadInput, match="write without = true, got 3"):
        Without.of_parameter(3)


def test_a_table_in_a_specification_is_a_list_of_rows():
    for rows in (True, "ab", ["ab"]):
        error = refusal(
            lambda rows=rows: sf.Hierarchy.from_spec({"level_table": rows}, "job.toml: age")
        )
        assert str(error) == f"job.toml: age: a table is a list of rows, got {shown(rows)}"


@pytest.mark.parametrize(
    "spec",
    [
        {"intervals": [5, 12]},
        {"intervals": "10"},
        {"intervals": {"tops": 90}},
        {"intervals": {"bottom": 9, "top": 9}},
        {"intervals": {"bottom": "low"}},
        {"prefix": [3, 3]},
        {"prefix": [0]},
        {"prefix": {"lengths": [3]}},
        {"dates": "DD.MM.YY"},
        {"dates": 5},
        {"tree": 5},
        {"tree": {}},
        {"level_table": []},
        {"level_table": [["x", "*"], ["y"]]},
    ],
    ids=str,
)
def test_every_refusal_of_a_parameter_says_where_it_stands(spec):
    error = refusal(lambda: sf.Hierarchy.from_spec(spec, "job.toml: age"))
    assert str(error).startswith("job.toml: age: ")
