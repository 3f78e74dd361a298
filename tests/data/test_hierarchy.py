"""Every way to write a hierarchy down, what it grows into, and what is refused."""

import csv
import datetime
import json
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.groups
import naive.hierarchies
import sfumato as sf
from properties.generated import trees
from sfumato.data.decimals import canonical_numbers
from sfumato.data.hierarchy import LevelTable
from sfumato.data.labels.writer import interval_labels
from sfumato.errors import BadInput, shown

INTEGERS = st.lists(st.integers(-200, 200), min_size=1, max_size=8, unique=True)
CODES = st.lists(st.text("0123", max_size=4), min_size=1, max_size=8, unique=True)
DATES = st.lists(st.dates(), min_size=1, max_size=8, unique=True)


def grow(rule, values):
    """The domain, checked to say of every given value where it is."""
    domain, codes = rule.grow("age", values)
    assert [str(domain.labels[code]) for code in codes] == [str(value) for value in values]
    return domain


def paths(domain):
    """What a domain holds as rows of labels, ground value first."""
    return list(zip(*domain.taxonomy.labels, strict=True))


def path(rule, value, *others):
    return next(row for row in paths(grow(rule, [value, *others])) if row[0] == value)


def refusal(make):
    with pytest.raises(BadInput) as caught:
        make()
    return caught.value


# ----------------------------------------------------------------------------------- all of them

GROWING = {
    "flat numbers": (sf.Flat(), ["3", "12"]),
    "flat text": (sf.Flat(), ["b", "a"]),
    "intervals": (sf.Intervals(5, 10), ["31", "38", "-4"]),
    "prefix": (sf.Prefix(), ["13053", "130", "2"]),
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
    "tree": (sf.Tree({"E": ["x"], "A": ["y"]}), {"tree": {"E": ["x"], "A": ["y"]}}),
    "table": (LevelTable((("x", "*"), ("y", "*"))), {"level_table": [["x", "*"], ["y", "*"]]}),
}


@pytest.mark.parametrize(("rule", "spec"), SPECS.values(), ids=SPECS)
def test_a_hierarchy_is_written_down_and_read_back(rule, spec):
    assert rule.spec() == spec
    again = sf.Hierarchy.from_spec(json.loads(json.dumps(spec)), "here")
    assert type(again) is type(rule)
    assert again.spec() == spec


def test_a_single_width_may_be_written_without_a_list():
    assert sf.Hierarchy.from_spec({"intervals": 10}, "here") == sf.Intervals(10)


@pytest.mark.parametrize("spec", [{}, {"flat": True, "prefix": True}, ["flat"], None])
def test_a_specification_names_exactly_one_hierarchy(spec):
    message = str(refusal(lambda: sf.Hierarchy.from_spec(spec, "job.toml: age")))
    assert message.startswith("job.toml: age: give one hierarchy out of dates, flat, intervals")


def test_a_specification_names_a_known_hierarchy():
    message = str(refusal(lambda: sf.Hierarchy.from_spec({"flatt": True}, "job.toml: age")))
    assert message == "job.toml: age: unknown name 'flatt'; did you mean 'flat'?"


def test_a_hierarchy_without_parameters_is_switched_on_by_true():
    error = refusal(lambda: sf.Hierarchy.from_spec({"prefix": 3}, "job.toml: zip"))
    assert str(error) == "job.toml: zip: write prefix = true, got 3"


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


# ------------------------------------------------------------------------------------------ Flat


def test_flat_orders_numbers_as_numbers_and_text_as_text():
    assert grow(sf.Flat(), ["10", "9", "-1.5", "100"]).labels == ("-1.5", "9", "10", "100")
    assert grow(sf.Flat(), ["10", "9", "x"]).labels == ("10", "9", "x")
    assert grow(sf.Flat(), [10, 9, 2.5]).labels == (2.5, 9, 10)


def test_flat_publishes_a_value_or_nothing():
    assert paths(grow(sf.Flat(), ["b", "a"])) == [("a", "*"), ("b", "*")]


def test_numbers_have_places_on_an_axis_and_text_has_none():
    assert grow(sf.Flat(), ["10", "9", None]).numbers.tolist()[:2] == [9, 10]
    assert grow(sf.Flat(), ["10", "9", "x"]).numbers is None


@pytest.mark.parametrize(
    "text", ["01234", "+5", "1e3", "1_000", " 5", "5 ", "0x1F", "5.", ".5", "", "-", "٣", "1,5"]
)
def test_text_that_a_number_would_not_be_written_as_stays_text(text):
    assert canonical_numbers(["7", text]) is None
    domain = grow(sf.Flat(), ["7", text])
    assert domain.numbers is None
    assert set(domain.labels) == {"7", text}


@pytest.mark.parametrize("text", ["0", "7", "-7", "0.5", "-0.50", "10", str(2**70), "9" * 300])
def test_text_written_as_a_number_is_a_number(text):
    assert canonical_numbers([text, None]) == {text: Decimal(text)}


def test_a_number_too_long_to_be_one_is_text():
    assert canonical_numbers(["9" * 501]) is None


@pytest.mark.parametrize("value", [True, datetime.date(2026, 11, 15), float("nan"), "x"])
def test_truth_dates_and_nan_are_no_numbers(value):
    assert canonical_numbers([value]) is None


def test_leading_noughts_survive():
    domain = grow(sf.Flat(), ["01234", "1234"])
    assert domain.labels == ("01234", "1234")


# ------------------------------------------------------------------------------------- Intervals


def test_intervals_widen_around_a_number():
    assert path(sf.Intervals(5, 10, 20), "37") == ("37", "[35, 40)", "[30, 40)", "[20, 40)", "*")


@pytest.mark.parametrize(
    ("value", "widths", "expected"),
    [
        ("-1", [5], "[-5, 0)"),
        ("0", [5], "[0, 5)"),
        ("5", [5], "[5, 10)"),
        ("-5", [5], "[-5, 0)"),
        ("0.3", [0.1], "[0.3, 0.4)"),
        (0.30000000000000004, [0.1], "[0.3, 0.4)"),
        (2.5, [5], "[0, 5)"),
        ("1e2", [50], "[100, 150)"),
        (Decimal("7.50"), [Decimal("2.5")], "[7.5, 10)"),
        ("18446744073709551617", [10], "[18446744073709551610, 18446744073709551620)"),
    ],
)
def test_a_number_lies_in_its_range(value, widths, expected):
    assert path(sf.Intervals(*widths), value)[1] == expected


@given(
    st.lists(st.decimals(-1000, 1000, places=2).map(str), min_size=1, max_size=5, unique=True),
    st.sampled_from([(5, 10, 20), (0.25, 0.5), (7,), (3, 21)]),
)
def test_ranges_are_aligned_to_multiples_and_not_to_the_extremes_of_the_data(values, widths):
    for value, *ranges, _ in paths(grow(sf.Intervals(*widths), values)):
        for text, width in zip(ranges, widths, strict=True):
            low, high = (Fraction(side) for side in text[1:-1].split(", "))
            assert low <= Fraction(value) < high
            assert high - low == Fraction(width)
            assert low % Fraction(width) == 0


def test_intervals_without_widths_have_a_root_only():
    assert paths(grow(sf.Intervals(), ["10", "9"])) == [("9", "*"), ("10", "*")]


def test_a_range_is_the_same_whatever_other_numbers_there_are():
    few, many = path(sf.Intervals(5, 10), "37"), path(sf.Intervals(5, 10), "37", "36", "34", "1000")
    assert few == many


@pytest.mark.parametrize("width", [0, -5, "x", float("nan"), float("inf"), None, True])
def test_a_width_is_a_number_above_nought(width):
    error = refusal(lambda: sf.Intervals(width))
    assert str(error) == f"Intervals: a width must be a number > 0, got {width!r}"


@pytest.mark.parametrize(
    ("widths", "said"),
    [
        ((5, 12), "12 after 5"),
        ((10, 5), "5 after 10"),
        ((5, 5), "5 after 5"),
        ((0.1, 0.25), "0.25 after 0.1"),
    ],
)
def test_widths_that_do_not_nest_are_refused(widths, said):
    error = refusal(lambda: sf.Intervals(*widths))
    assert str(error).startswith("Intervals: widths must nest")
    assert said in str(error)


def test_widths_that_only_floats_cannot_tell_nest():
    assert path(sf.Intervals(0.1, 0.3), "0.5")[1:3] == ("[0.5, 0.6)", "[0.3, 0.6)")


def test_widths_far_apart_nest_as_well():
    assert sf.Intervals(1e-20, 1e20).widths == (1e-20, 1e20)


def test_ranges_of_numbers_beyond_any_machine_word_are_exact():
    value = "123456789012345678901234567890123"
    low, high = value[:-1] + "0", value[:-1] + "5"
    assert path(sf.Intervals(5), value)[1] == f"[{low}, {high})"


def test_numbers_that_do_not_parse_are_counted_and_kept_out_of_the_message():
    error = refusal(lambda: sf.Intervals(5).grow("age", ["37", "unknown", None, "4o"]))
    assert str(error).startswith("column 'age': 2 distinct values are not numbers; ")
    assert error.values == ("unknown", "4o")
    assert "unknown" not in str(error)
    assert "'unknown', '4o'" in error.with_values()


@pytest.mark.parametrize("value", ["1_000", "٣"])
def test_underscores_and_foreign_digits_make_no_number(value):
    assert "not numbers" in str(refusal(lambda: sf.Intervals(5).grow("age", [value])))


# ---------------------------------------------------------------------------------------- Prefix


def test_a_prefix_is_masked_from_the_right():
    assert path(sf.Prefix(), "13053") == ("13053", "1305*", "130**", "13***", "1****", "*")


def test_a_shorter_code_waits_for_its_turn():
    assert path(sf.Prefix(), "13", "13053") == ("13", "13", "13", "13", "1****", "*")


def test_a_prefix_keeps_leading_noughts():
    assert path(sf.Prefix(), "01234")[1] == "0123*"


def test_an_empty_code_is_a_value_and_not_the_missing_one():
    rows = paths(grow(sf.Prefix(), ["", "12", None]))
    assert rows == [("", "", "*"), ("12", "1*", "*"), (None, None, "*")]


@given(CODES.filter(any))
def test_a_masked_code_stands_for_the_codes_that_start_alike(values):
    domain = grow(sf.Prefix(), values)
    longest = max(map(len, values))
    for value, *masked, _ in paths(domain):
        for kept, text in zip(range(longest - 1, 0, -1), masked, strict=True):
            together = [row[0] for row in paths(domain) if row[longest - kept] == text]
            if len(value) > kept:
                alike = [v for v in values if len(v) > kept and v[:kept] == value[:kept]]
                assert sorted(together) == sorted(alike)
            else:
                assert together == [value]


def test_numbers_are_masked_as_text():
    assert path(sf.Prefix(), 130, 7) == (130, "13*", "1**", "*")


# ----------------------------------------------------------------------------------------- Dates


@pytest.mark.parametrize(
    "value",
    ["2026-11-15", datetime.date(2026, 11, 15), datetime.datetime(2026, 11, 15, 23, 59)],
    ids=["text", "date", "datetime"],
)
def test_a_date_becomes_its_month_its_year_and_its_decade(value):
    assert path(sf.Dates(), value) == (value, "2026-11", "2026", "2020s", "*")


@pytest.mark.parametrize(
    ("value", "decade"), [("1999-12-31", "1990s"), ("2000-01-01", "2000s"), ("0987-06-05", "0980s")]
)
def test_a_decade_starts_with_its_round_year(value, decade):
    assert path(sf.Dates(), value)[3] == decade


@given(DATES)
def test_dates_are_ordered_by_the_calendar(dates):
    domain = grow(sf.Dates(), [date.isoformat() for date in dates])
    assert domain.labels == tuple(date.isoformat() for date in sorted(dates))
    assert domain.numbers.tolist() == [date.toordinal() for date in sorted(dates)]


def test_dates_that_do_not_parse_are_counted_and_kept_out_of_the_message():
    values = ["2026-11-15", "15.11.2026", "2026-02-30", None, ""]
    error = refusal(lambda: sf.Dates().grow("birth", values))
    said = "column 'birth': 3 distinct values are not dates; write them as YYYY-MM-DD"
    assert str(error) == said
    assert error.values == ("15.11.2026", "2026-02-30", "")


@pytest.mark.parametrize("value", ["20261115", "2026-W46-7"])
def test_dates_written_in_another_form_than_the_one_asked_for_are_refused(value):
    assert "write them as YYYY-MM-DD" in str(refusal(lambda: sf.Dates().grow("birth", [value])))


# ------------------------------------------------------------------------------------------ Tree


def test_a_tree_is_a_nested_dict():
    rule = sf.Tree({"Europe": ["France", "Italy"], "Asia": {"Japan": None, "China": None}})
    assert paths(grow(rule, ["Japan"])) == [
        ("France", "Europe", "*"),
        ("Italy", "Europe", "*"),
        ("Japan", "Asia", "*"),
        ("China", "Asia", "*"),
    ]


def test_a_single_key_names_the_root():
    assert path(sf.Tree({"World": {"Europe": ["France"], "Asia": ["Japan"]}}), "France") == (
        "France",
        "Europe",
        "World",
    )


def test_a_list_is_a_closed_set_of_values():
    assert paths(grow(sf.Tree(["b", "a"]), ["a"])) == [("b", "*"), ("a", "*")]


def test_a_tree_of_one_leaf_has_a_root_above_it():
    assert paths(grow(sf.Tree({"a": None}), ["a"])) == [("a", "*")]


def test_a_leaf_above_the_greatest_depth_stays_itself_until_its_parent():
    rule = sf.Tree({"Europe": {"North": ["Norway"], "Malta": None}, "unknown": None})
    assert path(rule, "Norway") == ("Norway", "North", "Europe", "*")
    assert path(rule, "Malta") == ("Malta", "Malta", "Europe", "*")
    assert path(rule, "unknown") == ("unknown", "unknown", "unknown", "*")


def test_a_tree_lists_values_that_nobody_has():
    domain = grow(sf.Tree({"E": ["x", "y"], "A": ["z"]}), ["z"])
    assert domain.labels == ("x", "y", "z")


def test_numbers_of_the_data_are_found_by_their_text():
    domain, codes = sf.Tree({"low": ["1", "2"], "high": ["3"]}).grow("grade", [3, "1"])
    assert [domain.labels[code] for code in codes] == ["3", "1"]


def test_a_closed_tree_of_ascending_numbers_is_ordered_and_another_is_not():
    ascending = grow(sf.Tree({"low": ["1", "2"], "high": ["30"]}), ["1"])
    assert ascending.numbers.tolist() == [1, 2, 30]
    assert grow(sf.Tree({"odd": ["1", "3"], "even": ["2"]}), ["1"]).numbers is None


@pytest.mark.parametrize("tree", [{}, [], {"a": []}, {"a": {}, "b": []}], ids=str)
def test_a_tree_without_leaves_is_refused(tree):
    assert str(refusal(lambda: sf.Tree(tree))) == "Tree: no leaves; give at least one ground value"


@pytest.mark.parametrize("tree", ["abc", 5, {"a": "abc"}, {"a": 5, "b": ["x"]}, None], ids=str)
def test_a_tree_of_something_else_is_refused(tree):
    assert "Tree: a node holds a dict or a list of leaves, got" in str(
        refusal(lambda: sf.Tree(tree))
    )


@pytest.mark.parametrize("tree", [["a", "b", "a"], {"E": ["a"], "A": {"a": None}}], ids=str)
def test_a_value_in_two_places_of_a_tree_is_refused(tree):
    error = refusal(lambda: sf.Tree(tree))
    assert (str(error), error.values) == ("Tree: a ground value stands in two places", ("a",))


def test_leaves_that_read_the_same_are_refused():
    error = refusal(lambda: sf.Tree({"E": [1, "1"], "A": ["x"]}))
    assert str(error) == "Tree: a ground value stands in two places"


def test_a_missing_value_is_no_leaf():
    assert "Tree: " in str(refusal(lambda: sf.Tree([None, "x"])))


def test_a_node_name_in_two_places_of_a_tree_is_refused():
    rule = sf.Tree({"E": {"North": ["a"]}, "A": {"North": ["b"], "South": ["c"]}})
    error = refusal(lambda: rule.grow("country", ["a"]))
    assert str(error).startswith("column 'country': Tree: ")
    assert "not nested" in str(error) or "two different sets" in str(error)


def test_values_missing_from_a_tree_are_counted_and_kept_out_of_the_message():
    rule = sf.Tree({"E": ["x"], "A": ["y"]})
    error = refusal(lambda: rule.grow("country", ["x", "Atlantis", None, "Mu"]))
    assert str(error).startswith("column 'country': 2 distinct values are missing from its hier")
    assert error.values == ("Atlantis", "Mu")
    assert "Atlantis" not in str(error)


# ------------------------------------------------------------------------- tables and their files


@given(trees("v"), st.randoms(use_true_random=False))
def test_a_table_grows_into_its_own_rows_in_tree_order(rows, random):
    shuffled = list(rows)
    random.shuffle(shuffled)
    domain = grow(LevelTable(tuple(shuffled)), [rows[0][0]])
    assert sorted(paths(domain)) == sorted(rows)
    for value, *_ in rows:
        for level in range(len(rows[0])):
            rank = domain.labels.index(value)
            assert domain.taxonomy.labels[level][rank] == naive.hierarchies.label_at(
                rows, value, level
            )


@given(trees("v"), st.sampled_from([";", ","]), st.sampled_from(["\n", "\r\n"]))
def test_a_table_is_read_from_a_file_with_either_separator(tmp_path_factory, rows, sep, end):
    file = tmp_path_factory.mktemp("hierarchy") / "tree.csv"
    file.write_text("".join(sep.join(row) + end for row in rows), encoding="utf-8", newline="")
    assert sf.Hierarchy.from_csv(file).rows == tuple(rows)
    assert sf.Hierarchy.from_csv(str(file), sep=sep).rows == tuple(rows)


@pytest.fixture
def read(tmp_path):
    """Write a file and read it as a hierarchy."""

    def reading(text, **options):
        file = tmp_path / "tree.csv"
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return sf.Hierarchy.from_csv(file, **options)

    return reading


def test_a_file_may_have_a_byte_order_mark_quotes_and_empty_lines(read):
    text = '\ufeff"Smith; John";"a ""b""";*\n\n01234;x;*\n'
    assert read(text).rows == (("Smith; John", 'a "b"', "*"), ("01234", "x", "*"))


def test_the_separator_is_the_more_frequent_one_of_the_first_line(read):
    assert read("a,b;*\nc,d;*\n", sep=";").rows == (("a,b", "*"), ("c,d", "*"))
    assert read("a;b,c,*\nd;b,c,*\n").rows == (("a;b", "c", "*"), ("d;b", "c", "*"))


def test_a_table_without_a_common_root_gets_one(read):
    assert path(read("a;x\nb;y\n"), "a") == ("a", "x", "*")
    assert path(read("a\nb\n"), "a") == ("a", "*")
    assert path(read("a;World\nb;World\n"), "a") == ("a", "World")


def test_a_ragged_file_is_refused_with_the_line(read, tmp_path):
    error = refusal(lambda: read("a;x;*\nb;x;*\nc;*\n"))
    assert str(error) == f"{tmp_path / 'tree.csv'}, line 3: 2 fields where line 1 has 3"


def test_a_repeated_value_is_refused_with_both_lines_and_without_the_value(read, tmp_path):
    error = refusal(lambda: read("secret;x;*\nb;x;*\n\nsecret;y;*\n"))
    assert str(error) == f"{tmp_path / 'tree.csv'}, line 4: the ground value of line 1 again"
    assert error.values == ("secret",)


def test_a_file_that_does_not_nest_is_refused_when_it_is_grown(read):
    error = refusal(lambda: read("a;x;P;*\nb;x;Q;*\n").grow("job", ["a"]))
    assert str(error).startswith("column 'job': hierarchy table: not nested")


@pytest.mark.parametrize("text", [b"", b"\n\n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_refused(read, text):
    assert str(refusal(lambda: read(text))).endswith("tree.csv: the hierarchy is empty")


def test_a_file_that_is_no_text_is_refused(read):
    assert str(refusal(lambda: read(b"\xff\xfe;x\n"))).endswith(": not UTF-8 text")


def test_a_file_that_cannot_be_read_is_refused_with_the_reason(tmp_path):
    absent = refusal(lambda: sf.Hierarchy.from_csv(tmp_path / "absent.csv"))
    assert str(absent).endswith("absent.csv: cannot read the hierarchy: no such file or directory")
    folder = refusal(lambda: sf.Hierarchy.from_csv(tmp_path))
    assert str(folder).endswith("cannot read the hierarchy: is a directory")


def test_a_table_without_rows_is_refused():
    assert str(refusal(lambda: LevelTable(()))) == "hierarchy table: no rows"


@pytest.mark.parametrize("rows", [(("a", "*"), ("b",)), ((), ())])
def test_a_ragged_table_is_refused(rows):
    error = refusal(lambda: LevelTable(rows))
    assert str(error) == "hierarchy table: every row needs the same number of levels"


def test_a_table_with_a_repeated_value_is_refused():
    error = refusal(lambda: LevelTable((("a", "*"), ("a", "*"))))
    assert "hierarchy table: a ground value stands in two places" in str(error)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        pytest.param("a\u2028b;*\nc;*\n", (("a\u2028b", "*"), ("c", "*")), id="line separator"),
        pytest.param("a\x0cb;*\nc;*\n", (("a\x0cb", "*"), ("c", "*")), id="form feed"),
        pytest.param('"a\nb";*\nc;*\n', (("a\nb", "*"), ("c", "*")), id="quoted line end"),
    ],
)
def test_only_line_ends_outside_quotes_end_a_line(read, text, rows):
    assert read(text).rows == rows


def test_a_ragged_file_with_an_empty_first_line_names_the_right_line(read):
    assert "line 3: 2 fields where line 2 has 3" in str(refusal(lambda: read("\na;x;*\nb;*\n")))


def test_a_label_that_is_a_page_long_is_refused_with_its_line(read):
    message = str(refusal(lambda: read("a;*\n" + "b" * 200_000 + ";*\n")))
    assert "tree.csv, line 2: field larger than field limit" in message


@pytest.mark.parametrize("sep", [";;", "", 5])
def test_a_separator_is_one_character(read, sep):
    message = str(refusal(lambda: read("a;;*\nb;;*\n", sep=sep)))
    assert message.endswith(f"tree.csv: sep must be one character, got {sep!r}")


# ----------------------------------------------------------------------------- the files of ARX

HEIGHTS = {
    "age": 4,
    "education": 3,
    "marital-status": 2,
    "native-country": 2,
    "occupation": 2,
    "race": 1,
    "salary-class": 1,
    "sex": 1,
    "workclass": 2,
}


@pytest.mark.parametrize("name", HEIGHTS)
def test_the_hierarchies_of_arx_hold_every_value_of_its_adult_table(arx_adult, name):
    with (arx_adult / "adult.csv").open(newline="") as file:
        values = sorted({row[name] for row in csv.DictReader(file, delimiter=";")})
    with (arx_adult / f"adult_hierarchy_{name}.csv").open(newline="") as file:
        rows = [tuple(row) for row in csv.reader(file, delimiter=";")]
    domain = grow(sf.Hierarchy.from_csv(arx_adult / f"adult_hierarchy_{name}.csv"), values)
    assert domain.taxonomy.height == HEIGHTS[name]
    assert sorted(paths(domain)) == sorted(rows)
    assert domain.taxonomy.labels[-1][0] == "*"
    assert (domain.numbers is not None) == (name == "age")


def test_regions_over_the_trees_of_arx_are_nodes_ranges_or_sets(arx_adult):
    def published(name, values):
        rule = sf.Hierarchy.from_csv(arx_adult / f"adult_hierarchy_{name}.csv")
        domain, codes = rule.grow(name, values)
        ends = np.array([[codes.min(), codes.max()]], dtype=np.int32)
        return interval_labels(domain, ends)[0]

    assert published("age", ["17", "19"]) == "[17, 20)"
    assert published("age", ["41", "45"]) == "[41, 46)"
    assert published("sex", ["Male", "Female"]) == "*"
    assert published("education", ["Bachelors", "Doctorate"]) == "Higher education"
    parts = "{Undergraduate, Prof-school, Assoc-acdm}"
    assert published("education", ["Bachelors", "Assoc-acdm"]) == parts
