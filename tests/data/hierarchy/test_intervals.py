"""Intervals: ranges around numbers, and which widths are refused."""

import itertools
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from data.hierarchy.grown import grow, path, paths, refusal
from naive.hierarchies import capped_row
from sfumato.data.labels.reader import LabelReader
from sfumato.data.labels.writer import interval_labels


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
        ((5, 12), "12 after 5; 5 and 10 would nest"),
        ((10, 5), "5 after 10; 5 and 10 would nest"),
        ((5, 5), "5 after 5; 5 and 10 would nest"),
        ((5, 9), "9 after 5; 5 and 10 would nest"),
        ((0.1, 0.25), "0.25 after 0.1; 0.1 and 0.2 would nest"),
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


BOUNDS = st.sampled_from([(18, 90), (None, 0), (-2.5, None), (3, 4), (-100, 100)])


@given(
    st.lists(st.decimals(-120, 120, places=1).map(str), min_size=1, max_size=8, unique=True),
    st.sampled_from([(5, 10, 20), (0.25, 0.5), (7,), ()]),
    BOUNDS,
)
def test_beyond_a_bound_nobody_is_told_apart_at_any_level(values, widths, bounds):
    bottom, top = bounds
    domain, codes = sf.Intervals(*widths, bottom=bottom, top=top).grow("age", values)
    rows = paths(domain)
    for value, code in zip(values, codes.tolist(), strict=True):
        expected = capped_row(value, widths, bottom, top)
        for text, there in zip(rows[code], expected, strict=False):
            if isinstance(there, str):
                assert text == there
            elif isinstance(there, tuple):
                assert tuple(Fraction(end) for end in text[1:-1].split(", ")) == there
            else:
                assert Fraction(text) == there
        assert rows[code][-1] == "*"
        assert len(rows[code]) == len(widths) + 2


def test_no_range_of_any_region_tells_numbers_beyond_a_bound_apart():
    rule = sf.Intervals(5, bottom=18, top=90)
    for values in ([17, 18, 88, 97], [3, 17, 90, 97, 104], [20, 30]):
        domain, _ = rule.grow("age", values)
        pairs = itertools.combinations_with_replacement(range(len(domain)), 2)
        sides = np.array([*pairs], dtype=np.int32)
        for text in interval_labels(domain, sides):
            assert all(18 <= int(number) <= 90 for number in re.findall(r"\d+", text))


def test_a_value_beyond_a_bound_is_found_and_a_text_that_divides_a_tail_is_not_read():
    domain, codes = sf.Intervals(5, bottom=18, top=90).grow("age", [4, 40, 95, 97, None])
    assert codes.tolist() == [0, 1, 2, 2, 3]
    assert [domain.code_of(age) for age in (0, 40, "104.5", None, 41)] == [0, 1, 2, 3, None]
    reader = LabelReader(domain)
    assert reader.intervals(">=90") == [(2, 2)]
    assert reader.intervals("<18 or missing") == [(0, 0), (3, 3)]
    assert reader.intervals("[18, 90)") == [(1, 1)]
    for text in ("[85, 95)", ">=97", "97", "<4", "[0, 20)", "4"):
        assert reader.intervals(text) is None


@pytest.mark.parametrize(
    ("bounds", "said"),
    [
        ({"top": "90"}, "top must be a number, got '90'"),
        ({"bottom": True}, "bottom must be a number, got True"),
        ({"bottom": float("nan")}, "bottom must be a number, got nan"),
        ({"bottom": 90, "top": 18}, "bottom must be less than top, got 90 and 18"),
    ],
)
def test_bounds_are_numbers_in_their_order(bounds, said):
    assert str(refusal(lambda: sf.Intervals(5, **bounds))) == f"Intervals: {said}"


def test_two_numbers_that_look_the_same_are_refused_between_the_bounds():
    with pytest.raises(sf.BadInput, match="look the same"):
        sf.Intervals(top=9).grow("grade", [1, 1.0, 97])


def test_a_domain_changes_no_text_and_is_written_down_and_read():
    rule, plain = sf.Intervals(5, top=50, domain=[0, 120]), sf.Intervals(5, top=50)
    texts = [each.grow("age", ["7", "61", None])[0].taxonomy.labels for each in (rule, plain)]
    assert texts[0] == texts[1]
    assert rule.spec() == {"intervals": {"widths": [5], "top": 50, "domain": [0, 120]}}
    assert sf.Hierarchy.from_spec(rule.spec(), "here") == rule
    assert rule.in_words() == "ranges of 5, >=50, within [0, 120]"
    assert rule.extent == (0, 120)
    assert plain.extent == (None, None)


@pytest.mark.parametrize("values", [["0", "120"], [0, 120.0, None], ["119.99"]])
def test_the_ends_of_a_domain_are_in_it(values):
    assert len(grow(sf.Intervals(5, domain=[0, 120]), values)) == len(values)


@pytest.mark.parametrize("top", [None, 90])
@pytest.mark.parametrize("ages", [[5, 121], ["5", "-1"], [5.0, 120.5]])
def test_a_value_outside_of_the_domain_is_refused_even_in_a_tail(ages, top, tmp_path):
    file = tmp_path / "people.csv"
    file.write_text("age,sex\n" + "".join(f"{age},f\n" for age in ages * 3))
    rules = {"age": sf.Intervals(5, top=top, domain=[0, 120]), "sex": sf.Flat()}
    with pytest.raises(sf.BadInput) as caught:
        sf.anonymize(sf.read(file, quasi_identifiers=rules), sf.KAnonymity(2))
    assert str(caught.value) == (
        "column 'age': 1 distinct value outside of the domain [0, 120]; mend the data, or declare "
        "a wider domain"
    )
    assert [str(each) for each in caught.value.values] == [str(ages[1])]


@pytest.mark.parametrize(
    "domain", [[], [1], [0, 1, 2], [5, 5], [9, 1], ["0", "1"], "09", 7, [0, True]]
)
def test_a_domain_is_two_numbers(domain):
    with pytest.raises(sf.BadInput, match="Intervals: domain must be two numbers, the smaller"):
        sf.Intervals(5, domain=domain)


def test_bottom_and_top_lie_in_the_domain():
    sf.Intervals(5, bottom=0, top=120, domain=[0, 120])
    with pytest.raises(sf.BadInput, match=r"top must lie in the domain \[0, 120\], got 121"):
        sf.Intervals(5, top=121, domain=[0, 120])
    with pytest.raises(sf.BadInput, match=r"bottom must lie in the domain \[0, 120\], got -1"):
        sf.Intervals(5, bottom=-1, domain=[0, 120])
