"""How much may an adversary know? The skyline criterion (Chen 2009, section 4)."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.knowledge
import sfumato as sf
from profiles import examples
from sfumato.criteria import CRITERIA

amounts = st.tuples(*[st.integers(0, 2)] * 3)
thresholds = st.sampled_from([Fraction(1, 2), Fraction(3, 5), Fraction(2, 3), Fraction(9, 10)])
rows = st.lists(st.integers(0, 2), min_size=3, max_size=3).filter(lambda r: 0 < sum(r) < 5)


def groups_of(histogram):
    return sf.Groups([sum(row) for row in histogram], histogram, ["a", "b", "c"])


def released(histogram):
    """The naive twin's form."""
    counted = [{v: n for v, n in zip("abc", row, strict=True) if n} for row in histogram]
    return [(sum(row), found) for row, found in zip(histogram, counted, strict=True)]


@pytest.mark.long
@examples(40)
@given(st.lists(rows, min_size=1, max_size=2), amounts, thresholds, st.sampled_from("abc"))
def test_it_holds_iff_the_breach_probability_is_below_the_threshold(histogram, point, c, value):
    criterion = sf.Skyline({value: [(*point, c)]})
    if not any(row["abc".index(value)] for row in histogram):
        assert criterion.measure(groups_of(histogram)) == 0
        assert criterion.holds(groups_of(histogram)).all()
        return
    by_group = naive.knowledge.breaches_by_group(released(histogram), value, "single")
    breaches = [naive.knowledge.up_to(each, *point) for each in by_group]
    breach = max(breaches)
    assert np.array_equal(criterion.holds(groups_of(histogram)), [each < c for each in breaches])
    assert criterion.holds(groups_of(histogram)).all() == (breach < c)
    assert criterion.measure(groups_of(histogram)) == breach


@examples(200)
@given(st.lists(rows, min_size=1, max_size=4), st.integers(2, 5))
def test_k_anonymity_is_to_know_all_but_two_of_a_group(histogram, k):
    """Proposition 3: everybody's value is their name."""
    sizes = [sum(row) for row in histogram]
    names = [
        [int(g == j) for j, n in enumerate(sizes) for _ in range(n)] for g in range(len(sizes))
    ]
    identities = sf.Groups(sizes, names, [str(i) for i in range(sum(sizes))])
    assert np.array_equal(
        sf.Skyline([(0, k - 2, 0, 1)]).holds(identities), sf.KAnonymity(k).holds(identities)
    )


@examples(200)
@given(
    st.lists(st.lists(st.integers(0, 9), min_size=5, max_size=5).filter(any), min_size=1),
    st.integers(2, 5),
    st.sampled_from([Fraction(1, 2), Fraction(1), Fraction(5), Fraction(10)]),
)
def test_recursive_diversity_is_to_rule_out_all_but_two(histogram, l, c):
    """Proposition 4: (c, l)-diversity is (l - 2, 0, 0) at c / (c + 1)."""
    groups = sf.Groups([sum(row) for row in histogram], histogram, "vwxyz")
    skyline = sf.Skyline([(l - 2, 0, 0, c / (c + 1))])
    assert np.array_equal(skyline.holds(groups), sf.RecursiveDiversity(c, l).holds(groups))


def test_nothing_is_safe_from_who_rules_out_all_values_but_one():
    """Footnote 4."""
    groups = sf.Groups([300], [[100, 100, 100]], "abc")
    assert sf.Skyline([(1, 0, 0, 1)]).holds(groups).all()
    assert not sf.Skyline([(2, 0, 0, 1)]).holds(groups).any()


def test_a_breach_of_exactly_nine_tenths_fails_at_0_9():
    groups = sf.Groups([10], [[9, 1]], "ab")
    assert not sf.Skyline({"a": [(0, 0, 0, 0.9)]}).holds(groups).any()
    assert sf.Skyline({"a": [(0, 0, 0, 0.9000001)]}).holds(groups).all()


def test_what_is_known_of_one_group_exposes_people_of_another():
    """A relative in the second group has the value for sure."""
    first, second = [5, 5], [3, 0]
    alone = sf.Groups([10], [first], "ab")
    both = sf.Groups([10, 3], [first, second], "ab")
    promise = sf.Skyline({"a": [(0, 0, 1, 1)]})
    assert promise.holds(alone).all()
    assert not promise.holds(both).any()
    assert not promise.by_group


def test_points_that_another_includes_are_left_out():
    points = [(1, 1, 5, 0.5), (1, 3, 4, 0.5), (1, 1, 4, 0.5), (1, 3, 4, 0.6), (1, 5, 2, 0.5)]
    kept = [(1, 1, 5), (1, 3, 4), (1, 5, 2)]
    assert [limit.point for limit in sf.Skyline(points).points] == kept


def test_values_without_a_default_are_not_protected():
    groups = sf.Groups([4], [[4, 0]], "ab")
    assert sf.Skyline({"b": [(0, 0, 0, 0.1)]}).holds(groups).all()
    assert not sf.Skyline({"b": [(0, 0, 0, 0.1)]}, default=[(0, 0, 0, 1)]).holds(groups).any()
    assert sf.Skyline({"a": [(0, 0, 0, 0.5)], "b": [(0, 0, 0, 0.1)]}).measure(groups) == (1, 0)


def test_sets_are_not_monotone():
    """{1 person: B, C} and {2 people: A} are safe at 1/2, and together they are not."""
    apart = sf.Groups([1, 2], [[0, 1, 1], [1, 0, 0]], "ABC")
    merged = sf.Groups([3], [[1, 1, 1]], "ABC")
    promise = sf.Skyline({"A": [(2, 0, 0, "9/17")]}, case="set")
    assert promise.measure(apart) == Fraction(1, 2)
    assert promise.measure(merged) == Fraction(9, 17)
    assert promise.holds(apart).all()
    assert not promise.holds(merged).any()
    assert not promise.monotone(suppression=False)
    assert sf.Skyline([(0, 0, 0, 1)]).monotone(suppression=False)


@pytest.mark.parametrize(
    "criterion",
    [
        sf.Skyline([(1, 2, 3, 0.9), (0, 9, 0, "2/3")]),
        sf.Skyline({"flu": [(1, 0, 0, 0.5)]}, default=[(0, 0, 0, 1)], case="multiset"),
        sf.CKSafety("2/3", 1, attribute="disease"),
    ],
    ids=str,
)
def test_it_can_be_written_down_and_read(criterion):
    (spec,) = criterion.spec()
    again = CRITERIA.from_spec(spec, "criteria")
    assert again == criterion
    assert str(again) == str(criterion)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (([],), "no points"),
        (({},), "no points"),
        (([(1, 2, 3)],), r"a point is \(l, k, m, c\)"),
        (([(1, 2, -3, 0.5)],), "m must be an integer >= 0, got -3"),
        (([(True, 2, 3, 0.5)],), "l must be an integer >= 0"),
        (([(1, 10**10, 3, 0.5)],), "k must be at most"),
        (([(1, 2, 3, 0)],), "c must be a number above 0 and at most 1"),
        (([(1, 2, 3, 1.5)],), "c must be a number above 0 and at most 1"),
        (([(1, 2, 3, 0.5)], [(0, 0, 0, 1)]), "for all values"),
        (({None: [(0, 0, 0, 1)]},), "the missing value has no name"),
        (({1: [(5, 5, 5, 0.1)], "1": [(0, 0, 0, 1)]},), "the same text"),
        (("lkm",), "points must be a list"),
        (([(0, 0, 0, 1)], None, "sets"), "case must be one of single, set, multiset"),
    ],
)
def test_what_is_no_skyline_is_refused(arguments, said):
    with pytest.raises(sf.BadInput, match=said):
        sf.Skyline(*arguments)


def test_ck_safety_refuses_what_it_cannot_be():
    for arguments, said in [
        ((1.5, 1), "at most 1"),
        ((0.5, -1), "k must be"),
        ((0, 1), "c must"),
        ((1, 10**5000), "k must"),
    ]:
        with pytest.raises(sf.BadInput, match=said):
            sf.CKSafety(*arguments)


def test_the_lattice_finds_the_lowest_safe_node_and_methods_that_cannot_are_refused(tmp_path):
    draw = np.random.default_rng(3)
    people = pa.table(
        {
            "zip": [f"{z}" for z in draw.integers(1000, 1020, 300)],
            "sex": draw.choice(["f", "m"], 300),
            "disease": draw.choice(["flu", "HIV", "none", "asthma"], 300),
        }
    )
    table = sf.read(people, {"zip": sf.Prefix(), "sex": sf.Flat()}, sensitive="disease")
    promise = sf.Skyline({"HIV": [(1, 3, 1, 0.8)]}, default=[(1, 0, 0, 0.9)])
    by_all = {tuple(each.minimal(table, promise)) for each in (sf.Samarati(), sf.Incognito())}
    nodes = sf.Exhaustive().minimal(table, promise)
    assert nodes
    assert all(node in nodes for found in by_all for node in found)
    release = sf.anonymize(table, promise, sf.Optimal())
    release.save(tmp_path / "out")
    assert sf.load(tmp_path / "out").check()
    for method in (sf.Mondrian(), sf.Anatomy(), sf.GreedyGrouping(), sf.TopDown()):
        with pytest.raises(sf.BadInput, match="judges one group at a time"):
            sf.anonymize(table, promise, method)


@examples(100)
@given(
    st.lists(rows, min_size=1, max_size=4),
    st.lists(st.tuples(amounts, thresholds), min_size=1, max_size=2),
    st.sampled_from(["single", "set", "multiset"]),
)
def test_alone_every_group_is_judged_as_if_there_were_no_other(histogram, points, case):
    criterion = sf.Skyline([(*point, c) for point, c in points], case=case)
    by_itself = [bool(criterion.holds(groups_of([row])).all()) for row in histogram]
    assert criterion.alone(groups_of(histogram)).tolist() == by_itself


@pytest.mark.parametrize("criterion", [sf.Skyline([(0, 0, 1, 0.9)]), sf.CKSafety(0.9, 1)], ids=str)
@pytest.mark.parametrize(
    "method",
    [each(max_suppressed=1) for each in (sf.Samarati, sf.Incognito, sf.Exhaustive, sf.Optimal)],
    ids=str,
)
def test_one_person_who_exposes_everybody_is_suppressed_and_nobody_else(criterion, method):
    """Whoever has a relative who is known to be ill is known to be ill."""
    people = pa.table(
        {"q": ["a"] * 20 + ["b"] * 20 + ["z"], "s": ["A", "B", "C", "D"] * 10 + ["A"]}
    )
    table = sf.read(people, {"q": sf.Flat()}, sensitive="s")
    assert not criterion.holds(table.frequencies().as_it_is().groups("s"))[:2].any()
    release = sf.anonymize(table, criterion, method)
    assert (release.levels, release.n_suppressed) == ({"q": 0}, 1)
    assert release.check()
    again = sf.Recode(levels={"q": 0}, max_suppressed=1)
    assert sf.anonymize(table, criterion, again).n_suppressed == 1
