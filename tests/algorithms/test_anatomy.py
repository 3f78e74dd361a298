"""Anatomy against a transcription of its description, on generated tables."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

import naive.grouping
import sfumato as sf
from algorithms.grouped import (
    PROTECTED,
    VALUES,
    Chances,
    count,
    criteria_with_twins,
    groups_of,
    labelled,
    people_of,
    small_tables,
    sorted_by_lots,
)
from sfumato.algorithms.grouping import anatomy
from sfumato.algorithms.grouping.greedy import unit_of


@pytest.fixture(params=["as it is", "compiled"])
def compiled(request, monkeypatch):
    """Both ways to deal values out, for tables of any size."""
    if request.param == "compiled":
        monkeypatch.setattr(anatomy, "COMPILED", 0)


def named(rows, protected=None, pooled=False, everything=True):
    """What must differ within a group, for every row of labels; None: it may repeat."""
    pool = min(VALUES.index(value) for value in protected) if protected else None
    names = []
    for row in rows:
        code = VALUES.index(row[-1])
        if protected and row[-1] in protected:
            names.append(pool if pooled else code)
        else:
            names.append(code if everything else None)
    return names


def wanted(l, k):
    """For each criterion of `criteria_with_twins`: how names are made, values, people."""
    only = {"protected": PROTECTED, "everything": False}
    return [
        ({}, l, l),
        (only, l, l),
        (only | {"pooled": True}, l, l),
        ({"everything": False}, 1, k),
        ({}, l, l),
        ({}, l, l),
        ({"protected": PROTECTED, "pooled": True}, l, l),
        ({}, l + 1, max(k, l + 1)),
        ({}, max(l, 2), max(k, l, 2)),
        ({}, l, max(k, l)),
        ({}, l, l),  # 1 < 2 (n - l + 1) from n = l on
    ]


@pytest.mark.long
def test_groups_are_those_of_the_description(compiled, record_property):
    n = 0
    for seed, rows in enumerate(small_tables(300, seed=2, n_rows=(1, 40))):
        l, k = 1 + seed % 3, 1 + seed % 7
        frequencies = count(rows)
        people = labelled(frequencies, people_of(frequencies))
        for (criterion, safe), (how, n_different, n_people) in zip(
            criteria_with_twins(l, k), wanted(l, k), strict=True
        ):
            chances = Chances(seed)
            names = named(people, **how)
            try:
                found, left = groups_of(sf.Anatomy().search(frequencies, criterion, chances))
            except sf.Unsatisfiable:
                none = [0] * len(people)
                assert (
                    naive.grouping.anatomy(
                        names, n_different, n_people, none, list(range(len(people)))
                    )
                    is None
                )
                continue
            lots = [lot >> 1 for lot in chances.numbers(0)]
            groups = naive.grouping.anatomy(names, n_different, n_people, lots, chances.numbers(1))
            rows_of = [Counter(people_of(frequencies)[i] for i in group) for group in groups]
            assert found == rows_of
            assert not left
            for group in found:
                assert safe(labelled(frequencies, list(group.elements())))
            n += 1
    assert n > 1000
    record_property("anatomies compared with the description", n)


@pytest.mark.long
def test_anatomized_groups_are_the_anatomies_of_greedy_groups(compiled, record_property):
    n = 0
    for seed, rows in enumerate(small_tables(100, seed=17, n_rows=(6, 40))):
        l, k = 2 + seed % 2, 1 + seed % 5
        frequencies = count(rows)
        people = people_of(frequencies)
        for (criterion, safe), (how, n_different, n_people) in zip(
            criteria_with_twins(l, k), wanted(l, k), strict=True
        ):
            chances = Chances(seed)
            method = sf.GreedyGrouping(anatomize=True)
            try:
                found, left = groups_of(method.search(frequencies, criterion, chances))
            except sf.Unsatisfiable:
                continue
            line = sorted_by_lots(frequencies, chances.numbers(0))
            unit = unit_of(criterion, frequencies)
            greedy, behind = naive.grouping.greedy_grouping(
                line,
                lambda group, safe=safe, all_=frequencies: safe(labelled(all_, group)),
                unit,
                [False] * len(people),
            )
            assert left == Counter(behind)
            lots = iter([lot >> 1 for lot in chances.numbers(1)])
            turns, groups = chances.numbers(2), []
            for group in greedy:
                mine, turns = turns[: len(group)], turns[len(group) :]
                names = named(labelled(frequencies, group), **how)
                parts = naive.grouping.anatomy(names, n_different, n_people, lots, mine)
                parts = [range(len(group))] if parts is None else parts  # too uneven: stays
                groups += [Counter(group[i] for i in part) for part in parts]
            assert found == groups
            n += 1
    assert n > 500
    record_property("anatomized groupings compared with the description", n)


@pytest.mark.long
def test_every_group_has_l_different_values_and_one_more_if_somebody_was_left_over(compiled):
    for seed, rows in enumerate(small_tables(150, seed=6, n_rows=(4, 60))):
        l = 2 + seed % 3
        frequencies = count(rows)
        try:
            found, _ = groups_of(
                sf.Anatomy().search(frequencies, sf.LDiversity(l, "frequency"), Chances(seed))
            )
        except sf.Unsatisfiable:
            most = max(Counter(row[-1] for row in rows).values())
            assert most * l > len(rows)
            continue
        assert len(found) == len(rows) // l
        for group in found:
            values = [row[-1] for row in group.elements()]
            assert len(values) == len(set(values)) >= l
        assert sum(group.total() - l for group in found) == len(rows) % l


def test_figure_6a_two_groups_with_a_positive_and_a_negative_each():
    rows = [("a", "negative"), ("b", "negative"), ("c", "positive"), ("d", "positive")]
    frequencies = count(rows, values=["negative", "positive"])
    criterion = sf.LDiversity(2, "frequency", values=["positive"])
    for seed in range(20):
        found, _ = groups_of(sf.Anatomy().search(frequencies, criterion, Chances(seed)))
        assert [sorted(row[-1] for row in group) for group in found] == [[0, 1], [0, 1]]


def test_figure_6b_three_groups_with_at_most_one_positive_each():
    rows = [(q, "negative") for q in "abcc"] + [(q, "positive") for q in "cd"]
    frequencies = count(rows, values=["negative", "positive"])
    criterion = sf.LDiversity(2, "frequency", values=["positive"])
    for seed in range(20):
        found, _ = groups_of(sf.Anatomy().search(frequencies, criterion, Chances(seed)))
        positives = [sum(row[-1] for row in group.elements()) for group in found]
        assert [group.total() for group in found] == [2, 2, 2]
        assert sorted(positives) == [0, 1, 1]


@pytest.mark.long
def test_who_stands_for_a_value_is_chance():
    """Three people with flu, three with none: every one of the six matchings is as likely."""
    rows = [(q, "flu") for q in "abc"] + [(q, "none") for q in "def"]
    frequencies = count(rows, values=["flu", "none"])
    chances, n, matchings = Chances(5), 1800, Counter()
    for _ in range(n):
        found, _ = groups_of(
            sf.Anatomy().search(frequencies, sf.LDiversity(2, "frequency"), chances)
        )
        matchings[frozenset(frozenset(row[0] for row in group) for group in found)] += 1
    assert len(matchings) == math.factorial(3)
    assert sum((each - n / 6) ** 2 / (n / 6) for each in matchings.values()) < 20.5  # 5, 0.001


def test_groups_do_not_depend_on_quasi_identifiers():
    """Claim 4: the groups, as values, are the same whoever has them."""
    for seed, rows in enumerate(small_tables(60, seed=13, n_rows=(8, 30))):
        mixed = np.random.default_rng(seed).permutation([row[0] for row in rows])
        others = [(str(q), row[-1]) for q, row in zip(mixed, rows, strict=True)]
        found = []
        for table in (rows, others):
            frequencies = count(table)
            try:
                groups, _ = groups_of(
                    sf.Anatomy().search(frequencies, sf.LDiversity(2), Chances(seed))
                )
            except sf.Unsatisfiable:
                continue
            found.append([sorted(row[-1] for row in group.elements()) for group in groups])
        assert not found or found[0] == found[1]


def test_a_value_that_is_too_frequent_is_refused_with_its_share():
    frequencies = count([("1", "flu")] * 3 + [("2", "HIV")] * 2)
    with pytest.raises(sf.Unsatisfiable, match=r"of 5 rows.* 1 in 2; the most frequent has 3"):
        sf.Anatomy().search(frequencies, sf.LDiversity(2), Chances())
    with pytest.raises(sf.Unsatisfiable, match="of 5 rows, at least 6 are needed"):
        sf.Anatomy().search(frequencies, sf.KAnonymity(6), Chances())


@pytest.mark.parametrize(
    "criterion",
    [sf.TCloseness(0.5), sf.KEAnonymity(2, 1), sf.LDiversity(2) & sf.TCloseness(0.5)],
    ids=str,
)
def test_what_different_values_do_not_ensure_is_refused(criterion):
    frequencies = count([("1", 1), ("2", 2), ("3", 3)], values=[])
    methods = (
        sf.Anatomy(),
        sf.GreedyGrouping(anatomize=True),
        sf.RandomizedGrouping(0.5, anatomize=True),
        sf.SymmetricGrouping(anatomize=True),
    )
    for method in methods:
        with pytest.raises(sf.BadInput, match=r"Anatomy cannot enforce .* need not satisfy"):
            method.search(frequencies, criterion, Chances())


@pytest.mark.parametrize(
    ("criterion", "n_different"),
    [
        (sf.RecursiveDiversity(2, 3), 3),
        (sf.RecursiveDiversity(1, 3), 4),  # 1 < 1 (n - 2) needs n = 4
        (sf.RecursiveDiversity("1/3", 2), 5),
        (sf.AlphaKAnonymity("2/5", 1), 3),
        (sf.LDiversity("7/3", "entropy"), 3),
    ],
    ids=str,
)
def test_as_many_values_as_satisfy_a_criterion_and_not_fewer(criterion, n_different):
    rows = [(str(i), value) for i in range(6) for value in VALUES]
    frequencies = count(rows)
    found, _ = groups_of(sf.Anatomy().search(frequencies, criterion, Chances()))
    assert {group.total() for group in found} <= {n_different, n_different + 1, n_different + 2}
    assert len(found) == 30 // n_different
    fewer = sf.Groups([n_different - 1], [[1] * (n_different - 1)], VALUES[: n_different - 1])
    assert not criterion.holds(fewer).any()


def test_pools_that_overlap_are_told_apart_from_each_other_in_no_group():
    rows = [(str(i), VALUES[i % 5]) for i in range(30)]
    frequencies = count(rows)
    criterion = sf.LDiversity(2, "frequency", ["flu", "HIV"], True) & sf.LDiversity(
        2, "frequency", ["HIV", "asthma"], True
    )
    with pytest.raises(sf.Unsatisfiable, match="the most frequent has 18"):
        sf.Anatomy().search(frequencies, criterion, Chances())
    rows += [(str(i), "none") for i in range(6)]
    found, _ = groups_of(sf.Anatomy().search(count(rows), criterion, Chances()))
    for group in found:
        assert sum(row[-1] < 3 for row in group.elements()) <= 1


def test_one_of_two_sensitive_columns_is_made_to_differ():
    rows = [(str(i), str(i % 2), str(i % 3)) for i in range(12)]
    frequencies = count(rows, sensitive=2)
    found, _ = groups_of(
        sf.Anatomy().search(frequencies, sf.LDiversity(3, attribute="s1"), Chances())
    )
    assert all(len({row[-1] for row in group}) == 3 for group in found)
    with pytest.raises(sf.BadInput, match="several sensitive columns"):
        sf.Anatomy().search(frequencies, sf.LDiversity(2), Chances())
    two = sf.LDiversity(2, attribute="s") & sf.LDiversity(2, attribute="s1")
    with pytest.raises(sf.BadInput, match="these are about several"):
        sf.Anatomy().search(frequencies, two, Chances())


def test_a_large_table_is_dealt_out_the_same_compiled_or_not(monkeypatch):
    random = np.random.default_rng(3)
    rows = [(str(q), VALUES[v]) for q, v in random.integers(0, 5, (6001, 2))]
    frequencies = count(rows)
    criterion = sf.LDiversity(4, "frequency", values=VALUES[:4])
    found = []
    for limit in (5000, 10**6):
        monkeypatch.setattr(anatomy, "COMPILED", limit)
        found.append(sf.Anatomy().search(frequencies, criterion, Chances(1)).parts)
    assert np.array_equal(*found)


def test_somebody_left_over_joins_each_group_that_lacks_the_value_alike():
    """Two a, two b, one c at l = 2: groups {a, b} and {a, b}, and c joins either of them."""
    rows = [("1", value) for value in ["flu", "flu", "HIV", "HIV", "none"]]
    frequencies = count(rows)
    chances, n, first = Chances(8), 600, 0
    for _ in range(n):
        groups, _ = groups_of(sf.Anatomy().search(frequencies, sf.LDiversity(2), chances))
        assert sorted(group.total() for group in groups) == [2, 3]
        first += groups[0].total() == 3
    assert abs(first - n / 2) < 4 * math.sqrt(n / 4)


def test_properties_say_what_an_adversary_can_use():
    methods = (sf.Anatomy(), sf.OneGroup(), sf.SensitiveGrouping())
    assert [method.joint for method in methods] == [False] * 3
    joint = (sf.GreedyGrouping(), sf.RandomizedGrouping("1/2"), sf.SymmetricGrouping())
    assert [method.joint for method in joint] == [True] * 3
    assert [method.symmetric for method in joint] == [False, False, True]
    assert sf.OneGroup().deterministic
    assert not sf.Anatomy().deterministic


@pytest.mark.parametrize(
    "method",
    [
        sf.Anatomy(seed=3),
        sf.OneGroup(),
        sf.SensitiveGrouping(),
        sf.GreedyGrouping(["zip", "age"], margin=math.e, anatomize=True),
        sf.RandomizedGrouping(0.65, order=["zip"], seed=1),
        sf.SymmetricGrouping(["zip"], anatomize=True),
    ],
    ids=str,
)
def test_a_method_is_written_down_and_read_back(method):
    from sfumato.algorithms import ALGORITHMS

    assert ALGORITHMS.from_spec(method.spec(), "method") == method


def test_a_margin_of_e_is_close_to_e():
    assert abs(sf.GreedyGrouping(margin=math.e).margin - Fraction(math.e)) < Fraction(1, 10**12)
