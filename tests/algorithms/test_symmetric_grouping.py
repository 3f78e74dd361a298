"""Symmetric grouping against a transcription of figure 7, and two baselines."""

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

import naive.criteria
import naive.grouping
import sfumato as sf
from algorithms.grouped import (
    Chances,
    count,
    criteria_with_twins,
    groups_of,
    labelled,
    people_of,
    small_tables,
    sorted_by_lots,
)
from sfumato.algorithms.grouping import line as lines
from sfumato.algorithms.grouping.symmetric import least_people


@pytest.fixture(params=["by histograms", "compiled"])
def compiled(request, monkeypatch):
    """Both ways to judge halves, for tables of any size."""
    if request.param == "compiled":
        monkeypatch.setattr(lines, "COMPILED", 0)


@pytest.mark.long
def test_groups_are_those_of_figure_7(compiled, record_property):
    n = 0
    for seed, rows in enumerate(small_tables(150, seed=1, n_rows=(1, 40))):
        frequencies = count(rows)
        for criterion, safe in criteria_with_twins(1 + seed % 3, 1 + seed % 5):
            chances = Chances(seed)
            try:
                found, left = groups_of(
                    sf.SymmetricGrouping().search(frequencies, criterion, chances)
                )
            except sf.Unsatisfiable:
                assert not safe(labelled(frequencies, people_of(frequencies)))
                continue
            people = sorted_by_lots(frequencies, chances.numbers(0))
            groups = naive.grouping.symmetric_grouping(
                people,
                lambda group, safe=safe, all_=frequencies: safe(labelled(all_, group)),
                least_people(criterion),
            )
            assert found == [Counter(group) for group in groups]
            assert not left
            n += 1
    assert n > 500
    record_property("symmetric groupings compared with figure 7", n)


def test_groups_are_safe_and_as_large_as_halving_makes_them():
    for seed, rows in enumerate(small_tables(60, seed=7, n_rows=(2, 60))):
        frequencies = count(rows)
        criterion = sf.LDiversity("3/2", "frequency", values=["HIV"])
        try:
            found, _ = groups_of(
                sf.SymmetricGrouping().search(frequencies, criterion, Chances(seed))
            )
        except sf.Unsatisfiable:
            continue
        possible, sizes = {len(rows)}, {len(rows)}
        while sizes:
            sizes = {half for size in sizes for half in (size // 2, -(-size // 2)) if size > 1}
            possible |= sizes
        for group in found:
            assert group.total() in possible
            assert group.total() >= 2  # ceil(3/2)
            values = [row[-1] for row in labelled(frequencies, list(group.elements()))]
            assert naive.criteria.l_diverse(values, Fraction(3, 2), "frequency", ["HIV"])


def test_three_people_with_one_positive_are_not_split():
    """Figure 7 itself would part {a, b} from {c} wherever c is negative: c would be certain."""
    criterion = sf.LDiversity(2, "frequency", values=["positive"])
    for positive in "abc":
        rows = [(q, "positive" if q == positive else "negative") for q in "abc"]
        frequencies = count(rows, values=["negative", "positive"])
        found, _ = groups_of(sf.SymmetricGrouping().search(frequencies, criterion, Chances()))
        assert [group.total() for group in found] == [3]


def test_least_people_of_a_half():
    assert least_people(sf.LDiversity("5/2", "frequency", values=["a"])) == 3
    assert least_people(sf.AlphaKAnonymity("2/7", 2)) == 4
    assert least_people(sf.KAnonymity(5) & sf.LDiversity(3)) == 5
    assert least_people(sf.KEAnonymity(4, 1)) == 4
    assert least_people(sf.TCloseness(0.5)) == 1


def test_an_unsafe_table_is_refused_with_the_evidence():
    frequencies = count([("1", "flu"), ("2", "flu"), ("3", "HIV")])
    criterion = sf.LDiversity(2, "frequency")
    for method in (sf.SymmetricGrouping(), sf.OneGroup(), sf.SensitiveGrouping()):
        with pytest.raises(
            sf.Unsatisfiable, match=r"even as one group of all 3 rows .* reaches 1.5"
        ):
            method.search(frequencies, criterion, Chances())


def test_one_group_has_everybody():
    for rows in small_tables(20, seed=3):
        frequencies = count(rows)
        found = groups_of(sf.OneGroup().search(frequencies, sf.TCloseness(0), None))
        assert found == ([Counter(people_of(frequencies))], Counter())


def numbers_with_twins(k, e):
    """Criteria for grouping by a number, with their twins."""
    return [
        (sf.KEAnonymity(k, e), lambda rows: naive.criteria.k_e([r[-1] for r in rows], k, e)),
        (sf.KAnonymity(k), naive.criteria.k_anonymity(k)),
        (sf.LDiversity(2), naive.criteria.l_diversity(2)),
        (
            sf.LDiversity("3/2", "frequency"),
            naive.criteria.l_diversity(Fraction(3, 2), "frequency"),
        ),
    ]


@pytest.mark.long
def test_grouping_by_the_sensitive_value_goes_from_the_smallest_to_the_largest(compiled):
    random = np.random.default_rng(12)
    n = 0
    for seed in range(150):
        numbers = random.integers(-5, 12, int(random.integers(1, 25))).tolist()
        rows = [(str(q), x) for q, x in zip(random.integers(0, 3, len(numbers)), numbers)]  # noqa: B905
        frequencies = count(rows, values=[])
        for criterion, safe in numbers_with_twins(1 + seed % 4, 1 + seed % 7):
            chances = Chances(seed)
            try:
                found = groups_of(sf.SensitiveGrouping().search(frequencies, criterion, chances))
            except sf.Unsatisfiable:
                assert not safe(labelled(frequencies, people_of(frequencies)))
                continue
            with_lots = zip(people_of(frequencies), chances.numbers(0), strict=True)
            people = [row for row, _ in sorted(with_lots, key=lambda each: (each[0][-1], each[1]))]
            assert [frequencies.domains["s"].labels[row[-1]] for row in people] == sorted(numbers)

            def judged(group, safe=safe, frequencies=frequencies):
                return safe(labelled(frequencies, group))

            groups, left = naive.grouping.greedy_grouping(people, judged, 1, [False] * len(people))
            if left and judged(groups[-1] + left):
                groups[-1], left = groups[-1] + left, []
            assert found == ([Counter(group) for group in groups], Counter(left))
            n += 1
    assert n > 400


def test_who_stands_for_a_sensitive_value_is_chance():
    """Four people have the same value; two of them make the first group, any two alike."""
    rows = [(q, 1) for q in "abcd"]
    frequencies = count(rows, values=[])
    chances, n, pairs = Chances(3), 1200, Counter()
    for _ in range(n):
        groups, _ = groups_of(sf.SensitiveGrouping().search(frequencies, sf.KAnonymity(2), chances))
        pairs[tuple(sorted(row[0] for row in groups[0]))] += 1
    assert set(pairs) == set(itertools.combinations(range(4), 2))
    assert sum((each - n / 6) ** 2 / (n / 6) for each in pairs.values()) < 20.5  # 5 degrees, 0.001


def test_grouping_by_several_sensitive_columns_is_refused():
    frequencies = count([("1", "flu", "2"), ("1", "HIV", "3")], sensitive=2)
    with pytest.raises(sf.BadInput, match="several sensitive columns"):
        sf.SensitiveGrouping().search(frequencies, sf.LDiversity(2), Chances())
    two = sf.LDiversity(1, attribute="s") & sf.LDiversity(1, attribute="s1")
    with pytest.raises(sf.BadInput, match="these are about several"):
        sf.SensitiveGrouping().search(frequencies, two, Chances())
