"""l-diversity in every kind, against one group at a time and by integers."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.criteria
import naive.groups
import sfumato as sf
from profiles import examples
from sfumato.criteria import CRITERIA
from sfumato.errors import BadInput, shown

VALUES = ["flu", "HIV", "cold", "acne"]
GROUPS = st.lists(
    st.lists(st.sampled_from(VALUES), min_size=1, max_size=12), min_size=1, max_size=5
)
SOME_VALUES = st.lists(st.sampled_from(VALUES), min_size=1, unique=True)
# A threshold as a user writes it, and what is meant.
FRACTIONS = st.one_of(
    st.integers(1, 5).map(lambda l: (l, Fraction(l))),
    st.fractions(1, 5, max_denominator=12).map(lambda l: (l, l)),
    st.fractions(1, 5, max_denominator=12).map(lambda l: (float(l), l)),
    st.fractions(1, 5, max_denominator=12).map(lambda l: (str(l), l)),
)


def seen(members):
    """What a criterion sees of groups given as lists of values."""
    dense = [[group.count(value) for value in VALUES] for group in members]
    return sf.Groups([len(group) for group in members], dense, VALUES)


def of_counts(*rows):
    """Groups given by their counts of flu, HIV, ..."""
    rows = np.array(rows, dtype=np.int64)
    return sf.Groups(rows.sum(axis=1), rows, VALUES[: rows.shape[1]])


# --------------------------------------------------------------------------------------- judging


@given(GROUPS, st.integers(1, 5))
def test_distinct_counts_different_values(members, l):
    expected = [naive.criteria.l_diverse(group, l, "distinct") for group in members]
    assert sf.LDiversity(l).holds(seen(members)).tolist() == expected


@examples(200)
@given(GROUPS, FRACTIONS)
def test_entropy_is_judged_exactly(members, threshold):
    l, exact = threshold
    expected = [naive.criteria.l_diverse(group, exact, "entropy") for group in members]
    assert sf.LDiversity(l, "entropy").holds(seen(members)).tolist() == expected


@examples(200)
@given(GROUPS, FRACTIONS)
def test_frequency_bounds_the_share_of_every_value(members, threshold):
    l, exact = threshold
    expected = [naive.criteria.l_diverse(group, exact, "frequency") for group in members]
    assert sf.LDiversity(l, "frequency").holds(seen(members)).tolist() == expected


@examples(200)
@given(GROUPS, FRACTIONS, SOME_VALUES)
def test_frequency_bounds_only_the_given_values(members, threshold, values):
    l, exact = threshold
    expected = [naive.criteria.l_diverse(group, exact, "frequency", values) for group in members]
    criterion = sf.LDiversity(l, "frequency", values=values)
    assert criterion.holds(seen(members)).tolist() == expected


@examples(200)
@given(GROUPS, FRACTIONS, SOME_VALUES, st.sampled_from(["distinct", "entropy", "frequency"]))
def test_pooled_values_count_as_one(members, threshold, values, kind):
    l, exact = threshold if kind != "distinct" else (math.ceil(threshold[1]),) * 2
    expected = [
        naive.criteria.l_diverse(group, exact, kind, values, pooled=True) for group in members
    ]
    criterion = sf.LDiversity(l, kind, values=values, pooled=True)
    assert criterion.holds(seen(members)).tolist() == expected


def test_pooled_values_may_break_what_each_for_itself_keeps():
    """Wong's sensitive value set against Cormode's two values one at a time."""
    groups = of_counts([2, 1, 1, 0])
    alone = sf.LDiversity(4, "frequency", values=["HIV", "cold"])
    assert alone.holds(groups).tolist() == [True]
    together = sf.LDiversity(4, "frequency", values=["HIV", "cold"], pooled=True)
    assert together.holds(groups).tolist() == [False]
    assert together.measure(groups) == 2


def test_values_may_be_given_as_numbers_or_as_text():
    groups = sf.Groups([3], [[2, 1]], [1, "2"])
    for values in ([1], ["1"]):
        assert sf.LDiversity(2, "frequency", values).measure(groups) == Fraction(3, 2)
    for values in ([2], ["2"]):
        assert sf.LDiversity(2, "frequency", values).measure(groups) == 3


# ------------------------------------------------------------------------------------ exact ties


@pytest.mark.parametrize("third", [1, 2**53 // 3, 2**53 + 1, 2**60 + 1])
@pytest.mark.parametrize("l", [3, 1 / (1 / 3), Fraction(3), "3"])
def test_a_share_of_exactly_a_third_holds_at_three_and_above_it_does_not(third, l):
    groups = of_counts([third] * 3, [third, third, third - 1], [third, third, third + 1])
    expected = [True, False, False]
    assert sf.LDiversity(l, "frequency").holds(groups).tolist() == expected


@pytest.mark.parametrize("tenth", [1, 2**53 + 1, 2**59 + 1])
def test_a_share_of_three_tenths_is_the_sum_of_a_tenth_and_two_tenths(tenth):
    groups = of_counts([3 * tenth, 3 * tenth, 3 * tenth, tenth])
    l = 1 / (0.1 + 0.2)
    assert sf.LDiversity(l, "frequency").l == Fraction(10, 3)
    assert sf.LDiversity(l, "frequency").holds(groups).tolist() == [True]
    assert not sf.LDiversity(l + 1e-8, "frequency").holds(groups).any()


def test_products_beyond_64_bits_do_not_wrap_around():
    big = 2**61
    groups = of_counts([big, big], [big + 1, big], [big, big - 1])
    assert sf.LDiversity(2, "frequency").holds(groups).tolist() == [True, False, False]
    near = Fraction(2 * 10**9 - 1, 10**9)
    assert sf.LDiversity(near, "frequency").holds(groups).tolist() == [True, True, True]


@pytest.mark.parametrize("count", [1, 3, 10**6, 2**53 + 1])
@pytest.mark.parametrize("m", [2, 3, 4])
def test_a_uniform_group_of_m_values_has_entropy_log_m(count, m):
    groups = of_counts([count] * m + [0] * (4 - m))
    assert sf.LDiversity(m, "entropy").holds(groups).tolist() == [True]
    assert sf.LDiversity(m + 1e-9, "entropy").holds(groups).tolist() == [False]


def test_a_person_short_of_uniform_is_short_of_log_two():
    big = 10**9
    groups = of_counts([big, big], [big, big - 1])
    assert sf.LDiversity(2, "entropy").holds(groups).tolist() == [True, False]


# ------------------------------------------------------------------------------------- measuring


@given(GROUPS)
def test_distinct_measures_the_fewest_values(members):
    assert sf.LDiversity(2).measure(seen(members)) == min(len(set(group)) for group in members)


@given(GROUPS)
def test_frequency_measures_one_over_the_largest_share(members):
    shares = [Fraction(max(naive.groups.histogram(g).values()), len(g)) for g in members]
    assert sf.LDiversity(2, "frequency").measure(seen(members)) == 1 / max(shares)


@given(GROUPS)
def test_entropy_measures_e_to_the_smallest_entropy(members):
    found = Fraction(sf.LDiversity(2, "entropy").measure(seen(members)))
    counts = [naive.groups.histogram(group).values() for group in members]
    little = Fraction(1, 10**9)
    assert all(naive.criteria.entropy_at_least(each, found * (1 - little)) for each in counts)
    assert not all(naive.criteria.entropy_at_least(each, found * (1 + little)) for each in counts)


@examples(200)
@given(GROUPS, FRACTIONS, st.one_of(st.none(), SOME_VALUES), st.booleans())
def test_what_is_measured_is_the_largest_l_that_holds(members, threshold, values, pooled):
    criterion = sf.LDiversity(
        threshold[0], "frequency", values, pooled=pooled and values is not None
    )
    groups = seen(members)
    found = criterion.measure(groups)
    assert criterion.holds(groups).all() == (found >= criterion.promised())


def test_what_nobody_has_is_bounded_by_anything():
    groups = of_counts([3, 0, 0])
    assert sf.LDiversity(2, "frequency", values=["HIV"]).measure(groups) == math.inf
    assert sf.LDiversity(2, "frequency", values=["HIV"]).holds(groups).tolist() == [True]


@pytest.mark.parametrize("kind", ["distinct", "entropy", "frequency"])
def test_without_groups_there_is_nothing_to_measure(kind):
    groups = sf.Groups([], np.zeros((0, 4)), VALUES)
    assert sf.LDiversity(2, kind).measure(groups) is None
    assert sf.LDiversity(2, kind).holds(groups).tolist() == []


@pytest.mark.parametrize("kind", ["distinct", "entropy", "frequency"])
def test_sizes_alone_do_not_tell_diversity(kind):
    with pytest.raises(BadInput, match="these groups have no sensitive values"):
        sf.LDiversity(2, kind).holds(sf.Groups([3, 4]))


def test_the_promise_is_the_threshold():
    assert sf.LDiversity(3).promised() == 3
    assert sf.LDiversity(1.5, "entropy").promised() == Fraction(3, 2)


# -------------------------------------------------------------------------------- generalizing on


@given(GROUPS, FRACTIONS, st.sampled_from(["distinct", "entropy", "frequency"]))
@examples(200)
def test_a_union_of_safe_groups_is_safe(members, threshold, kind):
    """That is what `monotone(suppression=False)` says."""
    l = threshold[0] if kind != "distinct" else math.ceil(threshold[1])
    criterion = sf.LDiversity(l, kind)
    assert criterion.monotone(suppression=False)
    if criterion.holds(seen(members)).all():
        union = [value for group in members for value in group]
        assert criterion.holds(seen([union])).all()


def test_only_distinct_values_survive_being_joined_by_anybody():
    """{5 flu, 5 HIV} with {3 flu} is no longer 2-diverse by entropy or frequency."""
    safe, joined = of_counts([5, 5]), of_counts([8, 5])
    for kind in ("entropy", "frequency"):
        criterion = sf.LDiversity(2, kind)
        assert criterion.holds(safe).all()
        assert not criterion.holds(joined).any()
        assert not criterion.monotone(suppression=True)
    assert sf.LDiversity(2).holds(joined).all()
    assert sf.LDiversity(2).monotone(suppression=True)


# -------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize("l", [0, 0.5, -3, "x", None, True, [2], "1/0", float("nan"), math.inf])
def test_l_is_a_number_from_one(l):
    with pytest.raises(BadInput) as caught:
        sf.LDiversity(l, "entropy")
    assert str(caught.value) == f"LDiversity: l must be a number >= 1, got {shown(l)}"


@pytest.mark.parametrize("l", [2.5, "5/2", Fraction(5, 2)])
def test_values_are_counted_in_whole_numbers(l):
    with pytest.raises(BadInput) as caught:
        sf.LDiversity(l)
    assert str(caught.value) == f"LDiversity: l must be an integer for distinct values, got {l!r}"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"kind": "entropic"}, "kind must be one of distinct, entropy, frequency, got 'entropic'"),
        ({"kind": "frequency", "values": []}, "values is empty; leave it out to protect every"),
        ({"kind": "frequency", "values": "HIV"}, "values must be a list of values, got"),
        ({"kind": "frequency", "pooled": True}, "pooled needs the values that count as one"),
        ({"values": ["HIV"]}, 'with kind="distinct" values can only be pooled into one; say'),
        ({"kind": "entropy", "values": ["HIV"]}, 'with kind="entropy" values can only be pooled'),
    ],
)
def test_parameters_that_do_not_go_together_are_refused(options, said):
    with pytest.raises(BadInput) as caught:
        sf.LDiversity(2, **options)
    assert str(caught.value).startswith(f"LDiversity: {said}")


@pytest.mark.parametrize("values", [5, [["HIV"]], [{"a": 1}]], ids=str)
def test_values_that_are_no_list_of_values_are_refused(values):
    with pytest.raises(BadInput, match="LDiversity: values must be a list of values"):
        sf.LDiversity(2, "frequency", values=values)


def test_l_may_come_from_an_array():
    assert sf.LDiversity(np.int64(2)) == sf.LDiversity(2)


# -------------------------------------------------------------------------------- written down


@pytest.mark.parametrize(
    ("criterion", "parameters"),
    [
        (sf.LDiversity(3), {"l": 3}),
        (sf.LDiversity(1.5, "entropy"), {"l": "3/2", "kind": "entropy"}),
        (sf.LDiversity(1 / 0.3, "frequency"), {"l": "10/3", "kind": "frequency"}),
        (
            sf.LDiversity(2, "frequency", {"b", "a"}, pooled=True, attribute="disease"),
            {
                "l": 2,
                "kind": "frequency",
                "values": ["a", "b"],
                "pooled": True,
                "attribute": "disease",
            },
        ),
        (sf.LDiversity(2, "frequency", [7, 5]), {"l": 2, "kind": "frequency", "values": [5, 7]}),
    ],
)
def test_it_is_written_down_and_read_back(criterion, parameters):
    defaults = {"kind": "distinct", "values": None, "pooled": False, "attribute": None}
    assert criterion.spec() == [{"l_diversity": defaults | parameters}]
    (spec,) = json.loads(json.dumps(criterion.spec()))
    assert CRITERIA.from_spec(spec, "here") == criterion


def test_the_order_in_which_values_are_named_makes_no_difference():
    one, other = ["HIV", "flu", "HIV"], {"flu", "HIV"}
    assert sf.LDiversity(2, "frequency", one) == sf.LDiversity(2, "frequency", other)


def test_it_is_shown_as_the_call_that_makes_it():
    criterion = sf.LDiversity(1.5, "frequency", ["HIV"])
    assert str(criterion) == "LDiversity(l='3/2', kind='frequency', values=['HIV'])"
    assert sf.LDiversity("3/2", "frequency", ["HIV"]) == criterion
