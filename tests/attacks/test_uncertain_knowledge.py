"""Knowledge held with a probability: counted, against weighing every world."""

import itertools
import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.knowledge
from profiles import examples
from sfumato.attacks.knowledge import breach_probability, posterior
from sfumato.attacks.knowledge.uncertain import uncertain_posterior
from sfumato.errors import BadInput

CASES = ["single", "set", "multiset"]
TABLE_1B = [(4, {"AIDS": 2, "Flu": 2}), (4, {"AIDS": 1, "Cancer": 1, "Flu": 2})]
TOM, GARY, ANN = (1, 3), (1, 2), (0, 0)
PROBABILITIES = st.sampled_from(
    [Fraction(1, 2), Fraction(2, 3), Fraction(9, 10), Fraction(99, 100), Fraction(1)]
)


@st.composite
def releases(draw, case):
    groups = []
    for _ in range(draw(st.integers(1, 2))):
        if case == "single":
            values = draw(st.lists(st.sampled_from("abc"), min_size=1, max_size=4))
            groups.append((len(values), {v: values.count(v) for v in sorted(set(values))}))
        else:
            n = draw(st.integers(1, 3))
            counts = {v: draw(st.integers(0, min(n, 2))) for v in "abc"}
            groups.append((n, {v: count for v, count in counts.items() if count}))
    return groups


@st.composite
def questions(draw, case):
    groups = draw(releases(case))
    people = [(g, i) for g, (n, _) in enumerate(groups) for i in range(n)]
    target = draw(st.sampled_from(people))
    rest = [person for person in people if person != target]
    pieces = st.sampled_from(list(itertools.product(rest, "abcd")) if case == "single" else rest)
    excluded = draw(st.dictionaries(st.sampled_from("abcd"), PROBABILITIES, max_size=3))
    others = draw(st.dictionaries(pieces, PROBABILITIES, max_size=3)) if rest else {}
    family = draw(st.dictionaries(st.sampled_from(rest), PROBABILITIES, max_size=3)) if rest else {}
    return groups, target, draw(st.sampled_from("aab")), excluded, others, family


@pytest.mark.parametrize("case", CASES)
@examples(150)
@given(data=st.data())
def test_counting_equals_weighing_every_world(case, data):
    question = data.draw(questions(case))
    expected = naive.knowledge.uncertain_belief(*question, case)
    if expected is None:
        with pytest.raises(BadInput, match="contradicts"):
            uncertain_posterior(*question, case)
    else:
        assert uncertain_posterior(*question, case) == expected


def certain(pieces):
    return dict.fromkeys(pieces, 1)


@pytest.mark.parametrize("case", CASES)
@examples(100)
@given(data=st.data())
def test_with_certainty_it_is_the_posterior_and_with_a_half_no_knowledge(case, data):
    groups, target, value, *known = data.draw(questions(case))
    halves = [dict.fromkeys(pieces, 0.5) for pieces in known]
    nothing = posterior(groups, target, value, case=case)
    assert uncertain_posterior(groups, target, value, *halves, case) == nothing
    said = [person for person, _ in known[1]] if case == "single" else []
    if len(set(said)) < len(said):  # two values of one person: never certain
        return
    try:
        expected = posterior(groups, target, value, *map(list, known), case)
    except BadInput:
        with pytest.raises(BadInput):
            uncertain_posterior(groups, target, value, *map(certain, known), case)
    else:
        assert uncertain_posterior(groups, target, value, *map(certain, known), case) == expected


def test_tom_of_table_1b_between_not_knowing_and_knowing():
    """The walk of Chen 2009, section 3: 1/3, 1/2 with Gary's flu, 2/3 with Ann as family."""
    found = [
        uncertain_posterior(TABLE_1B, TOM, "AIDS", {"Cancer": 1}, {(GARY, "Flu"): p}, {ANN: p})
        for p in (Fraction(1, 2), Fraction(3, 4), Fraction(1))
    ]
    assert found[0] == Fraction(1, 3)
    assert found[0] < found[1] < found[2]
    assert found[2] == Fraction(2, 3)


@pytest.mark.long
@pytest.mark.parametrize("case", CASES)
def test_the_largest_belief_lies_between_knowing_nothing_and_knowing_all_of_it(case):
    """BP(0,0,0) <= breach <= BP(l,k,m), over every choice of so many pieces."""
    chance = random.Random(11)
    n_between = 0
    for _ in range(12):
        groups = [(chance.randint(3, 4), {"a": chance.randint(1, 2), "b": 1}) for _ in range(2)]
        if case == "single":
            groups = [(sum(c.values()) + 1, {**c, "c": 1}) for _, c in groups]
        people = [(g, i) for g, (n, _) in enumerate(groups) for i in range(n)]
        p = Fraction(chance.choice([6, 7, 8, 9]), 10)
        largest = Fraction(0)
        for target, u, v in itertools.permutations(people, 3):
            if target[1] or (u[1] > 2) or (v[1] > 2):  # people of a group are alike
                continue
            for x, y in itertools.product("bc", "abc"):
                other = {(u, y): p} if case == "single" else {u: p}
                found = uncertain_posterior(groups, target, "a", {x: p}, other, {v: p}, case)
                largest = max(largest, found)
        nothing = breach_probability(groups, "a", 0, 0, 0, case)
        everything = breach_probability(groups, "a", 1, 1, 1, case)
        assert nothing <= largest <= everything
        n_between += nothing < largest < everything
    assert n_between


def test_hundreds_of_pieces_are_counted_at_once():
    groups = [(2000, {"a": 300, "b": 1000, "c": 700}), (900, {"a": 100, "c": 800})]
    others = {((0, i), "bc"[i % 2]): Fraction(4, 5) for i in range(1, 60)}
    family = {(1, i): Fraction(9, 10) for i in range(30)}
    found = uncertain_posterior(groups, (0, 0), "a", {"b": 0.75, "c": 0.6}, others, family)
    assert Fraction(3, 20) < found < breach_probability(groups, "a", 2, 59, 30)
    lacking = dict.fromkeys([(0, i) for i in range(1, 60)], 0.8)
    in_sets = uncertain_posterior(groups, (0, 0), "a", {"b": 0.75}, lacking, family, "set")
    assert Fraction(3, 20) < in_sets < breach_probability(groups, "a", 1, 59, 30, "set")


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ({"excluded": {"Flu": 0.4}}, "from 1/2 to 1, got 0.4"),
        ({"excluded": {"Flu": 1.1}}, "from 1/2 to 1"),
        ({"excluded": {"Flu": "x"}}, "from 1/2 to 1"),
        ({"excluded": ["Flu"]}, "must be {piece: probability}"),
        ({"others": {ANN: 0.9}}, "no member|person must be|must be"),
        ({"others": {"ab": 0.9}}, "must be {"),
        ({"others": {(TOM, "Flu"): 0.9}}, "target cannot be"),
        ({"family": {TOM: 0.9}}, "target cannot be"),
        ({"family": {(7, 0): 0.9}}, "no member 0 in group 7"),
        ({"excluded": {"AIDS": 1, "Flu": 1, "Cancer": 1}}, "contradicts"),
    ],
)
def test_what_cannot_be_known_is_refused(known, message):
    with pytest.raises(BadInput, match=message):
        uncertain_posterior(TABLE_1B, TOM, "AIDS", **known)


def test_a_value_that_nobody_has_is_believed_of_nobody():
    assert uncertain_posterior(TABLE_1B, TOM, "Plague", {"Flu": 0.9}) == 0
    assert uncertain_posterior(TABLE_1B, TOM, "AIDS", {"Plague": 0.9, "Pox": 0.9}) == Fraction(1, 4)
