"""Background knowledge: beliefs, skylines and witnesses against all worlds and all knowledge."""

import itertools
import random
from fractions import Fraction

import numpy as np
import pytest

import naive.knowledge
import sfumato as sf
from formulas.knowledge_releases import release, values_of
from sfumato.attacks.knowledge import (
    attribute_skyline,
    breach_probability,
    knowledge_skyline,
    posterior,
    witness,
)
from sfumato.errors import BadInput
from sfumato.formulas.knowledge.breach import CASES, Point
from sfumato.formulas.knowledge.skyline import skyline_of

GRID = {"single": (18, 6), "set": (20, 5), "multiset": (20, 4)}  # releases, people


def breaches(groups, value, case):
    """The largest belief about anybody, for exactly (l, k, m)."""
    largest = {}
    for by_amount in naive.knowledge.breaches_by_group(groups, value, case):
        for amount, belief in by_amount.items():
            largest[amount] = max(largest.get(amount, 0), belief)
    return largest


def amounts(groups):
    """Every (l, k, m) that can matter, and some that cannot be."""
    people = sum(n for n, _ in groups)
    return itertools.product(
        range(len(values_of(groups)) + 1), range(people + 1), range(people + 1)
    )


def people_of(found, case):
    """Put names to a witness: the target, the others, the family."""
    used = dict.fromkeys((found.group, found.others_group, found.family_group), 0)

    def somebody(group):
        used[group] += 1
        return group, used[group] - 1

    target = somebody(found.group)
    if case == "single":
        others = [
            (somebody(found.others_group), value)
            for value, people in found.others_have
            for _ in range(people)
        ]
    else:
        others = [somebody(found.others_group) for _ in range(found.n_others)]
    assert len(others) == found.n_others
    return target, others, [somebody(found.family_group) for _ in range(found.n_family)]


@pytest.mark.long
@pytest.mark.parametrize("case", CASES)
def test_breaches_skylines_and_witnesses_are_those_of_all_worlds(case):
    rng = random.Random(11)
    n_releases, people = GRID[case]
    for _ in range(n_releases):
        groups = release(rng, case, people, values="ABC")
        value = rng.choice(values_of(groups))
        truth = breaches(groups, value, case)
        table = {}
        for point in amounts(groups):
            table[point] = naive.knowledge.up_to(truth, *point)
            assert breach_probability(groups, value, *point, case) == table[point]
            found = witness(groups, value, *point, case)
            assert found.breach == table[point]
            target, others, family = people_of(found, case)
            used = len(found.ruled_out), len(others), len(family)
            assert all(some <= most for some, most in zip(used, point, strict=True))
            assert posterior(groups, target, value, found.ruled_out, others, family, case) == (
                found.breach
            )
        ends = len(values_of(groups)), 1 + max(k for _, k, _ in table), 1 + max(table)[2]
        for c in {Fraction(1), Fraction(1, 2), rng.choice(sorted(table.values()))} - {0}:
            expected = naive.knowledge.skyline_by_scan(lambda *point: table[point], c, ends)  # noqa: B023
            assert knowledge_skyline(groups, value, c, case) == expected


@pytest.mark.long
@pytest.mark.parametrize("case", CASES)
def test_skyline_of_an_attribute_is_safe_for_every_value(case):
    rng = random.Random(12)
    for _ in range(25):
        groups = release(rng, case, people=6, values="ABC")
        values = values_of(groups)
        c = Fraction(rng.randint(1, 20), 20)
        people = sum(n for n, _ in groups)
        expected = naive.knowledge.skyline_by_scan(
            lambda *point: max(breach_probability(groups, v, *point, case) for v in values),  # noqa: B023
            c,
            (len(values), people + 1, people + 1),
        )
        assert attribute_skyline(groups, c, case) == expected


@pytest.mark.long
@pytest.mark.parametrize("case", CASES)
def test_skylines_of_larger_releases_are_those_of_a_scan(case):
    rng = random.Random(13)
    for _ in range(3):
        groups = []
        for _ in range(rng.randint(1, 12)):
            n = rng.randint(6, 14)
            cards = [rng.choice("AABCDE") for _ in range(n)]
            groups.append((n, {value: cards.count(value) for value in sorted(set(cards))}))
        if "A" not in values_of(groups):
            continue
        c = Fraction(rng.randint(10, 19), 20)
        expected = naive.knowledge.skyline_by_scan(
            lambda *point: breach_probability(groups, "A", *point, case),  # noqa: B023
            c,
            (len(values_of(groups)), 15, 15),
        )
        assert knowledge_skyline(groups, "A", c, case) == expected


def test_any_falling_surface_is_walked_to_its_corners():
    rng = random.Random(14)
    for _ in range(200):
        corners = [[rng.randint(0, 9) for _ in range(3)] for _ in range(rng.randint(0, 4))]

        def unsafe(l, k, m):
            return any(l >= a and k >= b and m >= c for a, b, c in corners)  # noqa: B023

        def breach(l, k, m):
            return int(unsafe(l, k, m) or k >= 12 or m >= 12)

        found = skyline_of(lambda l: lambda k, m: not breach(l, k, m), 5, 40)
        assert sorted(found) == naive.knowledge.skyline_by_scan(breach, 1, (6, 14, 14))


def random_knowledge(rng, groups, case):
    """Named knowledge, possible or not."""
    persons = [(g, i) for g, (n, _) in enumerate(groups) for i in range(n)]
    rng.shuffle(persons)
    values = [*values_of(groups), "Z"]
    target, rest = persons[0], persons[1:]
    others = [person for person in rest if rng.random() < 0.35]
    if case == "single":
        others = [(person, rng.choice(values)) for person in others]
    family = [person for person in rest if rng.random() < 0.35]  # some of them are others, too
    excluded = [value for value in values if rng.random() < 0.3]
    return target, rng.choice(values), excluded, others, family


@pytest.mark.parametrize("case", CASES)
def test_posterior_counts_the_worlds_in_which_all_that_is_known_is_true(case):
    rng = random.Random(15)
    n_possible = 0
    for _ in range(300):
        groups = release(rng, case, people=6, values="ABC")
        knowledge = random_knowledge(rng, groups, case)
        expected = naive.knowledge.named_posterior(groups, *knowledge, case)
        if expected is None:
            with pytest.raises(BadInput, match="cannot be true at once"):
                posterior(groups, *knowledge, case)
        else:
            n_possible += 1
            assert posterior(groups, *knowledge, case) == expected
    assert 100 < n_possible < 300


@pytest.mark.parametrize("case", CASES)
def test_groups_objects_are_read_like_lists(case):
    lists = [(4, {"AIDS": 2, "Flu": 2}), (4, {"AIDS": 1, "Cancer": 1, "Flu": 2})]
    groups = sf.Groups([4, 4], [[2, 0, 2], [1, 1, 2]], ["AIDS", "Cancer", "Flu"])
    for point in itertools.product(range(3), range(3), range(3)):
        one = breach_probability(lists, "AIDS", *point, case)
        assert one == breach_probability(groups, "AIDS", *point, case)
        assert witness(lists, "AIDS", *point, case).breach == one
    assert knowledge_skyline(lists, "AIDS", 0.9, case) == knowledge_skyline(
        groups, "AIDS", 0.9, case
    )
    assert attribute_skyline(lists, 0.9, case) == attribute_skyline(groups, 0.9, case)
    others = [((1, 1), "Flu")] if case == "single" else [(1, 1)]
    one = posterior(lists, (1, 0), "AIDS", ["Cancer"], others, [(0, 0)], case)
    assert one == posterior(groups, (1, 0), "AIDS", ["Cancer"], others, [(0, 0)], case)


def test_for_sets_the_largest_l_stands_for_any():
    """Nothing else can be ruled out, so the walk ends (the paper's does not)."""
    assert knowledge_skyline([(4, {"A": 1})], "A", Fraction(1, 2), "set") == [(0, 0, 1), (0, 1, 0)]
    for l in (0, 1, 5, 10**6):
        assert breach_probability([(4, {"A": 1})], "A", l, 0, 0, "set") == Fraction(1, 4)
    with_others = [(4, {"A": 1, "B": 1})]
    assert max(l for l, _, _ in knowledge_skyline(with_others, "A", Fraction(1, 2), "set")) == 1


def test_unsafe_without_knowledge_is_an_empty_skyline():
    assert knowledge_skyline([(2, {"A": 1, "B": 1})], "A", Fraction(1, 2)) == []


def test_any_belief_is_above_a_confidence_next_to_nothing():
    groups = [(10**6, {"A": 1, "B": 10**6 - 1})]
    assert knowledge_skyline(groups, "A", Fraction(1, 10**320)) == []
    assert knowledge_skyline(groups, "A", Fraction(1, 10**6)) == []
    assert (0, 0, 0) in knowledge_skyline(groups, "A", Fraction(1, 10**6 - 1))


def test_a_value_that_occurs_nowhere():
    groups = [(2, {"A": 1, "B": 1})]
    assert breach_probability(groups, "C", 9, 9, 9) == 0
    assert posterior(groups, (0, 0), "C") == 0
    for asked in (
        lambda: knowledge_skyline(groups, "C", 0.5),
        lambda: witness(groups, "C", 0, 0, 0),
        lambda: attribute_skyline([(3, {})], 0.5, "set"),
    ):
        with pytest.raises(BadInput, match="occurs in"):
            asked()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda g: breach_probability(g, "A", -1, 0, 0), "l must be an integer >= 0"),
        (lambda g: breach_probability(g, "A", 0, 1.5, 0), "k must be an integer >= 0"),
        (lambda g: breach_probability(g, "A", 0, 0, True), "m must be an integer >= 0"),
        (lambda g: breach_probability(g, "A", 0, 0, 0, "bag"), "case must be one of"),
        (lambda g: breach_probability({}, "A", 0, 0, 0), "groups must be a list"),
        (lambda g: breach_probability([(2, "AB")], "A", 0, 0, 0), "group 0 must be"),
        (
            lambda g: breach_probability([(2, {"A": -2})], "A", 0, 0, 0),
            "occurrences must be an int",
        ),
        (lambda g: breach_probability([(3, {"A": 2})], "A", 0, 0, 0), "must add up"),
        (lambda g: breach_probability([(1, {"A": 2})], "A", 0, 0, 0, "set"), "twice"),
        (
            lambda g: knowledge_skyline(g, "A", 0),
            "confidence must be a number above 0",
        ),
        (
            lambda g: knowledge_skyline(g, "A", 1.01),
            "confidence must be a number above 0",
        ),
        (
            lambda g: knowledge_skyline(g, "A", "high"),
            "confidence must be a number above 0",
        ),
        (lambda g: posterior(g, (0, 2), "A"), "no member 2 in group 0 of 2 people"),
        (lambda g: posterior(g, (1, 0), "A"), "no member 0 in group 1"),
        (lambda g: posterior(g, 0, "A"), r"must be \(group, member\)"),
        (lambda g: posterior(g, (0, 0), "A", others=[(0, 1)]), r"must be \(group, member\)"),
        (lambda g: posterior(g, (0, 0), "A", family=[(0, 0)]), "target cannot be one of"),
        (lambda g: posterior(g, (0, 0), "A", ["A", "B"]), "cannot be true at once"),
        (
            lambda g: posterior(g, (0, 0), "A", others=[((0, 1), "A"), ((0, 1), "B")]),
            "two different values",
        ),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_line(call, message):
    with pytest.raises(BadInput, match=message):
        call([(2, {"A": 1, "B": 1})])


def test_a_skyline_of_many_large_groups_is_found_and_its_points_are_corners():
    """Thousands of people in each group, so k and m go into the hundreds; corners are exact."""
    rng = np.random.default_rng(16)
    sizes = rng.integers(800, 1500, size=3000)
    counts = np.stack([rng.multinomial(n, [0.1, 0.2, 0.3, 0.4]) for n in sizes])
    groups = sf.Groups(sizes, counts, ["a", "b", "c", "d"])
    c = Fraction(9, 10)
    for case in CASES:
        points = knowledge_skyline(groups, "a", c, case)
        assert max(k for _, k, _ in points) > 200
        for l, k, m in random.Random(17).sample(points, 8):
            assert breach_probability(groups, "a", l, k, m, case) < c
            assert breach_probability(groups, "a", l, k + 1, m, case) >= c
            assert breach_probability(groups, "a", l, k, m + 1, case) >= c
            if case == "single" or l < 3:
                assert breach_probability(groups, "a", l + 1, k, m, case) >= c
        assert all(isinstance(point, tuple) and not isinstance(point, Point) for point in points)
