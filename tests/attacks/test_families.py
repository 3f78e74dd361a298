"""Families that have a value together or not at all: counted, against listing every world."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.knowledge
from profiles import examples
from sfumato.attacks.knowledge import breach_probability
from sfumato.attacks.knowledge.families import same_value_families
from sfumato.errors import BadInput
from sfumato.formulas.knowledge import families
from sfumato.formulas.knowledge import sampled as sampled_families
from sfumato.formulas.knowledge.families import family_beliefs, largest_belief

CASES = ["single", "set", "multiset"]


@st.composite
def releases(draw, case):
    groups = []
    for _ in range(draw(st.integers(1, 3))):
        n = draw(st.integers(1, 4))
        having = draw(st.integers(0, n))
        if case == "single":
            counts = {"a": having, "b": n - having}
        else:
            counts = {"a": draw(st.integers(0, min(n, 3)))}
        groups.append((n, {value: count for value, count in counts.items() if count}))
    people = [(g, i) for g, (n, _) in enumerate(groups) for i in range(n)]
    edges = st.tuples(st.sampled_from(people), st.sampled_from(people))
    return groups, draw(st.lists(edges, max_size=5))


@pytest.mark.parametrize("case", CASES)
@examples(150)
@given(data=st.data())
def test_beliefs_equal_those_over_every_world(case, data):
    groups, edges = data.draw(releases(case))
    expected = naive.knowledge.beliefs_in_families(groups, "a", edges, case)
    rng = np.random.default_rng(0)
    if expected is None:
        with pytest.raises(BadInput, match="no world"):
            same_value_families(groups, "a", edges, case)
        return
    found = list(family_beliefs(groups, "a", edges, case, rng))
    assert {each.person: each.belief for each in found}.items() <= expected.items()
    worst = same_value_families(groups, "a", edges, case)
    assert worst.belief == max(expected.values()) == expected[worst.person]
    assert worst.interval is None


@pytest.mark.parametrize("case", CASES)
def test_people_without_families_are_believed_as_published(case):
    groups = [(4, {"a": 1, "b": 3}), (5, {"a": 2, "b": 3})]
    found = same_value_families(groups, "a", [], case)
    assert found.belief == breach_probability(groups, "a", 0, 0, 0, case)
    assert found.person == (1, 0)
    assert same_value_families(groups, "nowhere", [], case).belief == 0


def test_a_family_too_large_for_the_value_gives_the_rest_away():
    """Three who agree cannot share two occurrences, so the other two have them."""
    edges = [((0, 0), (0, 1)), ((0, 1), (0, 2))]
    found = same_value_families([(5, {"a": 2, "b": 3})], "a", edges)
    assert (found.person, found.belief) == ((0, 3), 1)


def test_a_chain_through_many_groups_hangs_together():
    """One couple from each group to the next: nobody is judged apart; two worlds remain."""
    groups = [(2, {"a": 1, "b": 1})] * 12
    edges = [((g, 1), (g + 1, 0)) for g in range(11)]
    assert same_value_families(groups, "a", edges).belief == Fraction(1, 2)
    closed = [*edges, ((11, 1), (0, 0))]  # a ring: again all or nothing
    assert same_value_families(groups, "a", closed).belief == Fraction(1, 2)
    with pytest.raises(BadInput, match="no world"):
        same_value_families(groups, "a", [*edges, ((0, 0), (0, 1))])


def test_groups_that_do_not_hang_together_cost_no_states_together(monkeypatch):
    monkeypatch.setattr(families, "MOST_STATES", 10)
    groups = [(6, {"a": 2, "b": 4})] * 50
    edges = [((g, 0), (g, 1)) for g in range(50)]
    assert same_value_families(groups, "a", edges).interval is None


@pytest.mark.long
def test_a_long_chain_of_groups_is_exact():
    """Each group's families are through before those of the next but one begin."""
    groups = [(5, {"a": 2, "b": 3})] * 400
    edges = [((g, i), (g + 1, i + 2)) for g in range(399) for i in range(2)]
    found = same_value_families(groups, "a", edges)
    assert found.interval is None
    few = same_value_families(groups[:3], "a", [edge for edge in edges if edge[1][0] < 3])
    assert few.belief == max(
        naive.knowledge.beliefs_in_families(
            groups[:3], "a", [edge for edge in edges if edge[1][0] < 3], "single"
        ).values()
    )


@pytest.mark.long
@pytest.mark.parametrize("case", CASES)
def test_samples_contain_the_truth_in_their_interval(case, monkeypatch):
    """Overlapping families in three groups, exact and sampled; seeds are given."""
    groups = [(30, {"a": 9, "b": 21}), (20, {"a": 4, "b": 16}), (25, {"a": 10, "b": 15})]
    edges = [((0, i), (1, i)) for i in range(6)] + [((1, i + 6), (2, i)) for i in range(7)]
    edges += [((2, 10 + i), (2, 20 + i)) for i in range(4)] + [((0, 20), (0, 21))]
    rng = np.random.default_rng(0)
    exact = {each.person: each for each in family_beliefs(groups, "a", edges, case, rng)}
    assert all(each.interval is None for each in exact.values())
    monkeypatch.setattr(families, "MOST_STATES", 5)
    monkeypatch.setattr(sampled_families, "BUDGET", 2_000_000)
    outside = n = 0
    for seed in range(5):
        found = list(family_beliefs(groups, "a", edges, case, np.random.default_rng(seed)))
        assert {each.person for each in found} == set(exact)
        for each in found:
            low, high = each.interval
            assert high - low < 0.05
            outside += not low <= exact[each.person].belief <= high
            n += 1
        largest = largest_belief(found)
        assert largest.interval[0] <= max(e.belief for e in exact.values()) <= largest.interval[1]
    assert outside <= 0.1 * n


@pytest.mark.long
def test_what_has_too_many_states_is_sampled_with_an_interval(monkeypatch):
    """Couples between every group and the next six: more states than can be counted."""
    groups = [(40, {"a": 12, "b": 28})] * 30
    edges = [
        ((g, 2 * i), ((g + i + 1) % 30, 2 * i + 1))
        for g, i in itertools.product(range(30), range(6))
    ]
    found = same_value_families(groups, "a", edges)
    low, high = found.interval
    assert 0.2 < low <= found.belief <= high < 0.5
    monkeypatch.setattr(families, "MOST_STATES", 1000)  # the same answer, sooner
    assert found == same_value_families(groups, "a", edges)
    assert found != same_value_families(groups, "a", edges, seed=1)


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([((0, 0), (0, 9))], "no member 9 in group 0"),
        ([((0, 0),)], "pair of people"),
        ([(0, 1)], r"\(group, member\)"),
        ([7], "pair of people"),
    ],
)
def test_edges_between_nobody_are_refused(edges, message):
    with pytest.raises(BadInput, match=message):
        same_value_families([(2, {"a": 1, "b": 1})], "a", edges)


def test_there_must_be_somebody():
    with pytest.raises(BadInput, match="nobody"):
        same_value_families([], "a", [])
