"""Hierarchies proposed from the data: they hold every value, and no bound is anybody's own."""

import time
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.hierarchies
import sfumato as sf
from data.hierarchy.grown import grow
from sfumato.data.hierarchy.proposed import proposed_bands, proposed_tree
from sfumato.data.values import natural_order

TEXTS = st.lists(
    st.one_of(
        st.text("aAb1 -*", max_size=5),
        st.from_regex(r"[A-C]\d{1,3}(\.\d)?", fullmatch=True),
        st.sampled_from(["Self-emp-inc", "Self-emp-not-inc", "other", "Self", "number"]),
        st.integers(0, 500).map(str),
    ),
    min_size=1,
    max_size=40,
    unique=True,
).filter(lambda texts: "*" not in texts)


@given(TEXTS, st.data())
def test_a_proposed_tree_holds_every_value_once(texts, data):
    counts = data.draw(st.lists(st.integers(1, 9), min_size=len(texts), max_size=len(texts)))
    for given_counts in (None, counts):
        domain = grow(sf.Tree.from_values(texts, given_counts), texts)
        assert sorted(domain.labels) == sorted(texts)
        assert domain.taxonomy.height <= 3


def test_codes_are_grouped_by_letters_and_by_numbers():
    assert proposed_tree(["B1", "A10", "A5", "A7"]) == {"A": ["A5", "A7", "A10"], "B": ["B1"]}
    many = proposed_tree([f"J{n:02d}" for n in range(40)] + ["A09"])
    assert [*many["J"]] == ["J00 to J09", "J10 to J19", "J20 to J29", "J30 to J39"]
    assert many["J"]["J10 to J19"] == [f"J{n}" for n in range(10, 20)]


def test_words_are_grouped_by_the_first_and_rare_ones_are_others():
    few = ["Self emp inc", "Self emp not inc", "Private", "odd", "x"]
    assert proposed_tree(few, [9, 9, 9, 1, 1]) == [
        "Private",
        {"Self emp": ["Self emp inc", "Self emp not inc"]},
        {"other": ["odd", "x"]},
    ]


def test_values_that_have_nothing_in_common_are_flat():
    assert proposed_tree(["red", "green", "blue", None]) == ["blue", "green", "red"]


def test_a_node_has_a_name_of_its_own():
    tree = proposed_tree(["Self", "Self emp", "Private"])
    assert tree == [*tree[:1], {"Self (all)": ["Self", "Self emp"]}]


def test_fifty_thousand_codes_are_grouped_and_grown_in_a_moment():
    codes = [f"{letter}{n:05d}" for letter in "ABCDE" for n in range(10_000)]
    start = time.perf_counter()
    tree = sf.Tree.from_values(codes)
    domain, _ = tree.grow("code", codes)
    assert len(domain) == len(codes)
    assert time.perf_counter() - start < 20  # about two seconds on an idle machine


@given(st.lists(st.text("aB019", max_size=5), max_size=6))
def test_texts_are_ordered_as_people_order_them(texts):
    assert sorted(texts, key=natural_order) == sorted(texts, key=naive.hierarchies.natural_parts)


def test_numbers_in_texts_may_have_any_length():
    long = ["A" + "9" * 5000, "A1" + "0" * 5000, "A2"]
    assert sorted(long, key=natural_order) == ["A2", "A" + "9" * 5000, "A1" + "0" * 5000]


NUMBERS = st.one_of(
    st.integers(-500, 500), st.decimals(-50, 50, places=2), st.sampled_from([0, 17, 90])
)


@given(st.dictionaries(NUMBERS.map(str), st.integers(1, 60), min_size=1, max_size=40))
def test_beyond_a_proposed_bound_lie_ten_people_and_one_in_a_hundred(people):
    bands = proposed_bands(people, people.values())
    n_people = sum(people.values())
    n_top, n_bottom = naive.hierarchies.people_beyond(people, bands.bottom, bands.top)
    for bound, n in ((bands.top, n_top), (bands.bottom, n_bottom)):
        if bound is not None:
            assert n >= 10
            assert 100 * n >= n_people
            assert Fraction(bound) % Fraction(bands.widths[0]) == 0
    if bands.bottom is not None and bands.top is not None:
        assert bands.bottom < bands.top
    rule = sf.Intervals.proposed(people, people.values())
    assert rule.widths == tuple(map(float, bands.widths))
    assert rule.grow("age", [*people])[0].taxonomy.height == len(bands.widths) + 1


def test_a_top_is_the_largest_that_enough_people_reach():
    people = dict.fromkeys(range(20, 85), 50) | dict.fromkeys(range(85, 100), 2) | {104: 1}
    bands = proposed_bands(people, people.values())
    assert bands.widths == (Decimal(5), Decimal(10), Decimal(20))
    assert bands.top == 80
    assert bands.bottom is None
    assert (
        naive.hierarchies.people_beyond(people, None, Decimal(85))[0] < sum(people.values()) / 100
    )


@pytest.mark.parametrize("values", [[], [None], ["7"], ["x"]])
def test_what_has_no_spread_has_no_ranges(values):
    assert sf.Intervals.proposed(values, [30] * len(values)) == sf.Intervals()
