"""Ground values of a column, and the text under which intervals of them are published."""

import datetime
import itertools
import math
import re
import string
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import naive.ways_up
import sfumato as sf
from profiles import examples
from properties.generated import trees
from sfumato.data.decimals import (
    as_number,
    floor_to,
    number_text,
)
from sfumato.data.labels import writer
from sfumato.data.labels.bounds import shortest_between, simplest_between
from sfumato.data.labels.grammar import range_text
from sfumato.data.labels.texts import Labels
from sfumato.data.labels.writer import interval_labels

# Numbers as a canonical column writes them; one text per number.
NUMBERS = st.one_of(
    st.integers(-150, 150).map(str),
    st.integers(-(10**20), 10**20).map(str),
    st.decimals(-100, 100, places=2).map(number_text),
)
TEXTS = st.text("abM ", min_size=1, max_size=4)
DATES = st.dates(datetime.date(1890, 1, 1), datetime.date(2030, 12, 31))


def grown(rule, values):
    return rule.grow("column", values)[0]


def label(domain, low, high):
    return interval_labels(domain, np.array([[low, high]], dtype=np.int32))[0]


def intervals(domain):
    return list(itertools.combinations_with_replacement(range(len(domain)), 2))


def all_labels(domain):
    pairs = np.array(intervals(domain), dtype=np.int32)
    return dict(zip(intervals(domain), interval_labels(domain, pairs), strict=True))


def missing_too(values):
    """Distinct values of a column, sometimes with the missing one."""
    distinct = st.lists(values, min_size=1, max_size=7, unique=True)
    return st.tuples(distinct, st.booleans()).map(lambda drawn: drawn[0] + [None] * drawn[1])


def sides(text):
    """The bounds of a range label: (low, high, whether the missing value belongs to it)."""
    found = re.fullmatch(r"(?:\[(.+), (.+)\)|<(.+?)|>=(.+?))( or missing)?", text, re.DOTALL)
    if found is None:
        return None
    both_low, both_high, high, low, missing = found.groups()
    return both_low or low, both_high or high, missing is not None


def is_node(domain, low, high):
    taxonomy = domain.taxonomy
    nodes = zip(taxonomy.low.ravel(), taxonomy.high.ravel(), strict=True)
    return (low, high) in set(nodes)


# ------------------------------------------------------------------------------ interval labels


@examples(150)
@given(
    st.one_of(
        missing_too(NUMBERS).map(lambda v: grown(sf.Flat(), v)),
        missing_too(NUMBERS).map(lambda v: grown(sf.Intervals(5, 10, 100), v)),
        missing_too(TEXTS).map(lambda v: grown(sf.Flat(), v)),
        missing_too(st.text("019", min_size=1, max_size=3)).map(lambda v: grown(sf.Prefix(), v)),
        missing_too(DATES).map(lambda v: grown(sf.Dates(), v)),
        missing_too(DATES.map(str)).map(lambda v: grown(sf.Dates(), v)),
        trees("v").map(lambda rows: grown(table(rows), [None, rows[0][0]])),
        trees("v").map(lambda rows: grown(table(rows), [rows[0][0]])),
    )
)
def test_distinct_intervals_get_distinct_labels(domain):
    labels = all_labels(domain)
    assert len(set(labels.values())) == len(labels)


def table(rows):
    return sf.Hierarchy.from_spec({"level_table": rows}, "here")


@examples(150)
@given(missing_too(NUMBERS), st.sampled_from([sf.Flat(), sf.Intervals(5, 10)]))
def test_a_numeric_range_holds_exactly_the_numbers_of_its_interval(values, rule):
    domain = grown(rule, values)
    for (low, high), text in all_labels(domain).items():
        if low == high or text in ("*", "not missing"):
            assert text != "not missing" or (low, high) == (0, len(domain) - 2)
            continue
        if sides(text) is None:
            assert text == f"{domain.labels[low]} or missing"
            continue
        below, above, missing = sides(text)
        for rank, value in enumerate(domain.labels):
            inside = (
                missing
                if value is None
                else (below is None or Decimal(below) <= Decimal(value))
                and (above is None or Decimal(value) < Decimal(above))
            )
            assert inside == (low <= rank <= high), (text, value)


@examples(150)
@given(missing_too(TEXTS))
def test_a_text_range_of_an_open_column_holds_exactly_the_values_of_its_interval(values):
    domain = grown(sf.Prefix(), values)
    for (low, high), text in all_labels(domain).items():
        if low == high or is_node(domain, low, high) or text in ("*", "not missing"):
            assert text != "not missing" or (low, high) == (0, len(domain) - 2)
            continue
        if sides(text) is None:
            assert text == f"{domain.labels[low]} or missing"
            continue
        below, above, missing = sides(text)
        for rank, value in enumerate(domain.labels):
            inside = (
                missing
                if value is None
                else (below is None or below <= value) and (above is None or value < above)
            )
            assert inside == (low <= rank <= high), (text, value)


@examples(150)
@given(trees("v"), st.booleans())
def test_an_interval_of_a_closed_tree_is_a_node_or_the_set_of_its_largest_nodes(rows, missing):
    domain = grown(table(rows), [rows[0][0], None] if missing else [rows[0][0]])
    assert domain.closed
    below = {each: {labels[0] for labels in rows if each in labels} for row in rows for each in row}
    if missing:
        below["*"].add(None)
        below["missing"] = {None}
    for (low, high), text in all_labels(domain).items():
        ground = set(domain.labels[low : high + 1])
        if low == high:
            assert text == domain.labels[low]
        elif is_node(domain, low, high):
            assert below[text] == ground
        else:
            names = text.removeprefix("{").removesuffix("}").split(", ")
            assert text == "{" + ", ".join(names) + "}"
            assert set.union(*(below[name] for name in names)) == ground
            assert sum(len(below[name]) for name in names) == len(ground)
            for name in names:  # no node around one of them fits into the interval
                around = [node for node in below.values() if below[name] < node <= ground]
                assert not around


@examples(150)
@given(trees("v"), st.booleans(), st.data())
def test_the_largest_nodes_of_intervals_are_those_of_each(rows, missing, data):
    domain = grown(table(rows), [rows[0][0], None] if missing else [rows[0][0]])
    paths = [*rows, *([(None, *[None] * (len(rows[0]) - 2), "*")] if missing else [])]
    some = data.draw(st.lists(st.sampled_from(intervals(domain)), max_size=6))
    sides = np.array(some, dtype=np.int32).reshape(-1, 2)
    first, level = domain.taxonomy.largest_nodes(sides[:, 0], sides[:, 1])
    expected = {
        (node[0], top) for each in some for node, top in naive.ways_up.largest_nodes(paths, *each)
    }
    assert [*zip(first.tolist(), level.tolist(), strict=True)] == sorted(expected)
    alone = {node for each in some for node in domain.largest_nodes(*each)}
    assert alone == expected


def test_a_single_value_is_published_as_itself_and_a_node_of_a_tree_by_its_name():
    domain = grown(sf.Prefix(), ["1305", "1306", "1402", "2000"])
    assert label(domain, 0, 0) == "1305"
    assert label(domain, 0, 1) == "130*"
    assert label(domain, 0, 2) == "1***"
    assert label(domain, 0, 3) == "*"


def test_a_part_of_an_ordered_column_reaches_to_its_cuts_whatever_node_has_the_same_values():
    domain = grown(sf.Intervals(5, 10), ["31", "33", "36", "38", "41"])
    assert label(domain, 0, 1) == "<35"
    assert label(domain, 2, 3) == "[35, 40)"
    assert label(domain, 0, 3) == "<40"
    assert label(domain, 0, 4) == "*"
    assert [domain.node_level(*ends) for ends in [(0, 1), (2, 3), (0, 4)]] == [None, None, 3]


def test_the_missing_value_alone_is_published_as_missing():
    domain = grown(sf.Flat(), ["a", None])
    assert label(domain, 1, 1) is None


def test_a_side_of_a_region_has_no_bound_where_the_data_end():
    """The smallest and the largest number belong to somebody; they are not published."""
    domain = grown(sf.Flat(), ["17", "23", "38", "52", "94"])
    assert label(domain, 0, 1) == "<30"
    assert label(domain, 3, 4) == ">=50"
    assert label(domain, 1, 2) == "[20, 50)"


def test_a_range_may_hold_the_missing_value():
    domain = grown(sf.Flat(), ["17", "23", "38", "52", "94", None])
    assert label(domain, 3, 5) == ">=50 or missing"
    assert label(domain, 4, 5) == "94 or missing"
    assert label(domain, 3, 4) == ">=50"


def test_labels_come_in_the_order_of_the_intervals_and_may_repeat():
    domain = grown(sf.Flat(), ["17", "23", "38"])
    asked = np.array([[2, 2], [0, 1], [0, 0], [0, 1]], dtype=np.int32)
    assert list(interval_labels(domain, asked)) == ["38", "<30", "17", "<30"]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (sf.Flat(), "not missing"),
        (sf.Intervals(2), "not missing"),
        (sf.Intervals(100), "not missing"),
        (sf.Tree(["1", "2", "3"]), "not missing"),
        (sf.Tree({"odd": ["1", "3"], "even": ["2"]}), "{odd, even}"),
    ],
)
def test_everything_but_the_missing_value_has_a_label_of_its_own(rule, expected):
    domain = grown(rule, ["1", "2", "3", None])
    assert label(domain, 0, 2) == expected
    assert label(domain, 0, 3) == "*"


@pytest.mark.parametrize("written", [lambda date: date, str], ids=["dates", "text"])
@given(dates=st.lists(DATES, min_size=3, max_size=6, unique=True))
def test_bounds_of_dates_are_the_first_of_a_year_or_of_a_month_or_the_day_before(written, dates):
    domain = grown(sf.Dates(), [written(date) for date in dates])
    for rank, (below, value) in enumerate(itertools.pairwise(sorted(dates)), start=1):
        bound = datetime.date.fromisoformat(writer.bound(domain, rank))
        assert below < bound <= value
        between = [
            date
            for date in (value.replace(month=1, day=1), value.replace(day=1), day_before(value))
            if below < date < value
        ]
        assert bound == (between[0] if between else value)


def day_before(date):
    return date - datetime.timedelta(days=1)


def test_a_date_is_nobodys_bound_unless_the_two_are_neighbours():
    texts = ["2024-05-17", "2025-11-03", "2026-02-07", "2026-04-19", "2026-04-20"]
    domain = grown(sf.Dates(), texts)
    assert label(domain, 1, 2) == "[2025-01-01, 2026-04-01)"
    assert label(domain, 0, 3) == "<2026-04-20"


# --------------------------------------------------------------------------------------- bounds


@examples(300)
@given(NUMBERS, NUMBERS)
@example("37", "38")
@example("-1", "0")
@example("50", "100")
@example("99999999999999999998", "99999999999999999999")
@example("0.09", "0.1")
def test_a_numeric_bound_lies_between_its_neighbours_and_no_rounder_number_does(one, other):
    below, value = sorted(map(Fraction, (one, other)))
    assume(below < value)
    bound = Fraction(simplest_between(*sorted((one, other), key=Fraction)))
    assert below < bound <= value
    if bound not in (0, value):
        step = Fraction(10) ** 30  # the roundest step that the bound is a multiple of
        while bound % step:
            step /= 10
        rounder = (math.ceil(value / (10 * step)) - 1) * 10 * step  # the last one below value
        assert rounder <= below


@examples(300)
@given(NUMBERS, NUMBERS)
def test_a_numeric_bound_is_nobodys_value_unless_there_is_no_whole_number_between(one, other):
    below, value = sorted((one, other), key=Fraction)
    assume(Fraction(below) < Fraction(value))
    neighbours = "." not in one + other and Fraction(value) - Fraction(below) == 1
    assert (Fraction(simplest_between(below, value)) == Fraction(value)) == neighbours


def test_a_bound_between_numbers_beyond_any_machine_word_is_exact():
    below, value = str(10**30 + 940), str(10**30 + 960)
    assert int(below) < int(simplest_between(below, value)) < int(value)


@pytest.mark.parametrize(
    ("below", "value", "bound"),
    [
        (37, 62, "60"),
        (37, 38, "38"),
        ("0.137", "0.152", "0.15"),
        (-62, -37, "-40"),
        (-5, 62, "0"),
        (0.25, 0.5, "0.4"),
        (5, 40, "30"),
        (50, 100, "90"),
        (-5, 0, "-1"),
        ("9", "1234", "1000"),
        ("18446744073709551616", "18446744073709551699", "18446744073709551690"),
    ],
)
def test_bounds_of_numbers_are_round(below, value, bound):
    assert simplest_between(below, value) == bound


@examples(300)
@given(st.text("abc", max_size=4), st.text("abc", max_size=4))
def test_a_text_bound_lies_between_its_neighbours_and_no_shorter_text_does(one, other):
    assume(one != other)
    below, value = sorted((one, other))
    bound = shortest_between(below, value)
    assert below < bound <= value
    for length in range(len(bound)):
        shorter = map("".join, itertools.product("abc", repeat=length))
        assert not [text for text in shorter if below < text <= value]


@given(st.text("abyz019", min_size=1, max_size=4), st.text("abyz019", min_size=1, max_size=4))
@example("A2", "A7")
@example("1950-03-17", "1950-03-19")
def test_a_text_is_nobodys_bound_if_a_letter_before_its_last_one_is_free(one, other):
    assume(one != other)
    below, value = sorted((one, other))
    bound = shortest_between(below, value)
    assert below < bound <= value
    earlier = value[:-1] + chr(ord(value[-1]) - 1)
    if bound == value:
        assert earlier <= below or not earlier[-1].isalnum()


def told(bound, values):
    """The longest beginning of a bound that is the beginning of somebody's value."""
    beginnings = (bound[:length] for length in range(len(bound), -1, -1))
    return next(each for each in beginnings if any(text.startswith(each) for text in values))


@examples(300)
@given(st.lists(st.text("abdyz0127", min_size=1, max_size=4), min_size=2, unique=True))
def test_a_bound_tells_no_more_of_a_text_than_two_values_share_if_there_is_room(values):
    values.sort()
    for rank in range(1, len(values)):
        below, value = values[rank - 1], values[rank]
        bound = shortest_between(below, value)
        assert below < bound <= value
        shared = next(below[:n] for n in range(len(below), -1, -1) if value.startswith(below[:n]))
        known = told(bound, values)
        assert known.startswith(shared)
        assert len(known) <= len(shared) + 1
        after, before = value[len(shared)], below[len(shared) : len(shared) + 1]
        between = [x for x in string.ascii_lowercase + string.digits if before < x < after]
        if chr(ord(after) - 1) in between:
            assert known == shared
        else:
            assert known in (shared, shared + after)


TIMES = st.datetimes(datetime.datetime(2026, 2, 6, 22), datetime.datetime(2026, 2, 7, 3))


@pytest.mark.parametrize("ending", ["", "+00", "microseconds"])
@given(TIMES, st.one_of(TIMES, st.integers(1, 10**7)))
def test_a_time_is_nobodys_bound_unless_the_two_are_neighbours(ending, one, other):
    if isinstance(other, int):
        other = one + datetime.timedelta(microseconds=other)
    if ending != "microseconds":
        one, other = one.replace(microsecond=0), other.replace(microsecond=0)
    assume(one != other)
    lower, upper = sorted((one, other))
    suffix = ending.removeprefix("microseconds")
    below, value = (f"{each}{suffix}" for each in (lower, upper))
    bound = simplest_between(below, value)
    assert below < bound <= value
    if upper - lower > datetime.timedelta(seconds=1):
        assert lower < datetime.datetime.fromisoformat(bound) < upper


def test_a_text_range_holds_no_ground_value_where_a_prefix_tells_them_apart():
    domain = grown(sf.Prefix(), ["divorced", "married", "separated", "single", "widowed"])
    assert label(domain, 1, 2) == "[l, sh)"
    assert label(domain, 0, 2) == "<sh"
    assert label(domain, 3, 4) == ">=sh"


def test_texts_without_an_order_are_sets():
    domain = grown(sf.Flat(), ["married", "never, so far", "single", "missing", "*", None])
    assert label(domain, 1, 2) == '{married, "missing"}'
    assert label(domain, 0, 1) == '{"*", married}'
    assert label(domain, 3, 5) == '{"never, so far", single, missing}'
    assert label(domain, 0, 5) == "*"


# ------------------------------------------------------------------------------------- the rest


def test_the_span_of_numbers_is_measured_in_their_own_unit():
    domain = grown(sf.Flat(), ["0", "10", "40", "100"])
    low, high = np.array([0, 1, 0, 2]), np.array([0, 2, 3, 3])
    assert domain.span(low, high).tolist() == [0, 0.3, 1, 0.6]


def test_the_span_of_text_is_measured_in_ranks():
    domain = grown(sf.Flat(), ["a", "b", "zz", "zzz", "zzzz"])
    assert domain.span(np.array([0, 1, 0]), np.array([0, 2, 4])).tolist() == [0, 0.25, 1]


def test_the_missing_value_lies_at_the_upper_end_of_the_axis():
    domain = grown(sf.Flat(), ["0", "10", None])
    assert domain.span(np.array([0, 0, 1]), np.array([1, 2, 2])).tolist() == [1, 1, 0]


@pytest.mark.parametrize("values", [["5"], [None], ["5", None], ["1.0", "1.00"]])
def test_a_domain_without_extent_has_no_span(values):
    domain = grown(sf.Flat(), values)
    ends = np.array([0]), np.array([len(domain) - 1])
    assert domain.span(*ends).tolist() == [0]


def test_a_value_is_found_by_itself_and_by_its_text():
    texts, numbers = grown(sf.Flat(), ["01", "5", "7", None]), grown(sf.Flat(), [5, 7])
    assert [texts.code_of(value) for value in ("01", "5", 5, None)] == [0, 1, 1, 3]
    assert [numbers.code_of(value) for value in (7, "7")] == [1, 1]
    assert texts.code_of(1) is None
    assert texts.code_of("8") is None


def test_the_missing_value_is_told_apart_from_the_text_none():
    domain = grown(sf.Flat(), ["None", None])
    assert domain.code_of("None") == 0
    assert domain.code_of(None) == 1


def test_has_missing_says_whether_the_missing_value_is_one_of_the_values():
    assert grown(sf.Flat(), ["a", None]).has_missing
    assert not grown(sf.Flat(), ["a", "None", ""]).has_missing


def test_labels_are_published_as_text_and_the_missing_one_as_missing():
    assert list(Labels.of([1, "b", None, 2.5])) == ["1", "b", None, "2.5"]


def test_a_range_is_half_open():
    assert range_text("20", "40") == "[20, 40)"
    assert range_text(None, "40") == "<40"
    assert range_text("20", None) == ">=20"


@given(
    st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**30), max_value=10**30),
    st.decimals(min_value="0.001", max_value=10**6, places=3),
)
@example(Decimal(10) ** 60 + 1, Decimal(3))
@example(Decimal("-0.1"), Decimal("0.25"))
def test_the_floor_is_the_largest_multiple_not_above(number, step):
    floor = Fraction(floor_to(number, step))
    assert floor == Fraction(number) // Fraction(step) * Fraction(step)


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**25), max_value=10**25))
@example(Decimal("1E+20"))
@example(Decimal("-0.00"))
@example(Decimal("1E-20"))
def test_a_number_is_written_without_exponent_and_without_idle_noughts(number):
    text = number_text(number)
    assert Decimal(text) == number
    assert re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?", text)
    assert text != "-0"


@pytest.mark.parametrize(
    "value", ["", "x", "nan", "inf", "-Infinity", "1e400", "1e-400", "9" * 501, True, None]
)
def test_what_is_not_a_finite_number_is_no_number(value):
    assert as_number(value) is None


def test_numbers_are_read_exactly():
    assert as_number("0.1") == as_number(0.1) == Decimal("0.1")
    assert as_number(2**70) == Decimal(2**70)
    assert as_number(" 12 ") == 12
    assert as_number("1e3") == 1000


def test_nothing_stands_before_the_first_character_of_all():
    assert shortest_between("", "\0") == "\0"
    assert shortest_between("a", "a\0b") == "a\0"
