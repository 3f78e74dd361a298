"""Greedy grouping and its randomized variant, against a transcription of figure 2."""

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

import naive.criteria
import naive.grouping
import naive.groups
import sfumato as sf
from algorithms.grouped import (
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
from sfumato.algorithms.grouping import anatomy, line
from sfumato.algorithms.grouping.greedy import tosses, unit_of


@pytest.fixture(params=["by blocks", "compiled"])
def compiled(request, monkeypatch):
    """Both ways to grow groups, for tables of any size."""
    if request.param == "compiled":
        monkeypatch.setattr(line, "COMPILED", 0)
        monkeypatch.setattr(anatomy, "COMPILED", 0)
    else:
        monkeypatch.setattr(line, "FIRST_LOOK", 2)  # several looks at a group
        monkeypatch.setattr(line, "COUNTS_AT_ONCE", 8)


def expected(frequencies, safe, unit, p, chances, order=()):
    """What the transcription makes of the same chances."""
    people = sorted_by_lots(frequencies, chances.numbers(0), order)
    n_buckets = -(-len(people) // unit)
    goes_on = [False] * n_buckets
    if p:
        goes_on = [Fraction(toss, 2**64) < p for toss in chances.numbers(1)]
    return naive.grouping.greedy_grouping(
        people, lambda group: safe(labelled(frequencies, group)), unit, goes_on
    )


@pytest.mark.long
def test_groups_are_those_of_figure_2(compiled, record_property):
    n = 0
    for seed, rows in enumerate(small_tables(120)):
        frequencies = count(rows)
        for criterion, safe in criteria_with_twins(2 + seed % 3, 1 + seed % 5):
            p = [Fraction(0), Fraction(1, 3), Fraction(4, 5)][seed % 3]
            method = sf.RandomizedGrouping(p) if p else sf.GreedyGrouping()
            chances = Chances(seed)
            try:
                found = groups_of(method.search(frequencies, criterion, chances))
            except sf.Unsatisfiable:
                found = ([], Counter(people_of(frequencies)))
            unit = unit_of(criterion, frequencies)
            groups, left = expected(frequencies, safe, unit, p, chances)
            assert found == ([Counter(group) for group in groups], Counter(left))
            n += 1
    record_property("greedy groupings compared with figure 2", n)


@pytest.mark.long
def test_groups_by_t_closeness_go_row_by_row():
    for seed, rows in enumerate(small_tables(25, seed=3, n_rows=(4, 14))):
        frequencies = count(rows)
        everybody = [row[-1] for row in rows]
        chances = Chances(seed)
        found = groups_of(sf.GreedyGrouping().search(frequencies, sf.TCloseness("1/3"), chances))

        def safe(group, everybody=everybody):
            return naive.criteria.t_close(
                [row[-1] for row in group], everybody, 1 / 3, lambda a, b: a != b
            )

        groups, left = expected(frequencies, safe, 1, 0, chances)
        assert found == ([Counter(group) for group in groups], Counter(left))


def test_figure_6a_only_two_positives_in_front_make_one_group_of_four():
    criterion = sf.LDiversity(2, "frequency", values=["positive"])
    for positive in itertools.combinations("abcd", 2):
        rows = [(q, "positive" if q in positive else "negative") for q in "abcd"]
        frequencies = count(rows, values=["negative", "positive"])
        groups, left = groups_of(sf.GreedyGrouping().search(frequencies, criterion, Chances()))
        if positive == ("a", "b"):
            assert (groups, left) == ([Counter(people_of(frequencies))], Counter())
        elif positive == ("c", "d"):  # the first bucket is safe, the last one never
            assert ([group.total() for group in groups], left.total()) == ([2], 2)
        else:
            assert ([group.total() for group in groups], left.total()) == ([2, 2], 0)


@pytest.mark.long
def test_a_greedy_group_is_a_multiple_of_l_and_no_shorter_one_is_safe(compiled):
    for seed, rows in enumerate(small_tables(150, seed=9, n_rows=(6, 40))):
        l = 2 + seed % 3
        frequencies = count(rows)
        criterion = sf.LDiversity(l, "frequency")
        chances = Chances(seed)
        try:
            groups, left = groups_of(sf.GreedyGrouping().search(frequencies, criterion, chances))
        except sf.Unsatisfiable:
            continue
        people = labelled(frequencies, sorted_by_lots(frequencies, chances.numbers(0)))
        start = 0
        for group in groups:
            size = group.total()
            assert size % l == 0
            values = [row[-1] for row in people[start : start + size]]
            safe = [
                naive.criteria.l_diverse(values[:i], l, "frequency") for i in range(l, size + 1, l)
            ]
            assert safe == [False] * (size // l - 1) + [True]
            start += size
        assert left.total() == len(rows) - start


@pytest.mark.long
def test_row_by_row_and_in_buckets_are_the_same_where_every_value_is_bounded(monkeypatch):
    """Section 4.1: a safe group whose size is no multiple of l has a shorter safe beginning."""
    from sfumato.algorithms.grouping import greedy as greedy_grouping

    for seed, rows in enumerate(small_tables(200, seed=4)):
        criterion = sf.LDiversity(2 + seed % 2, "frequency")
        found = []
        for unit in (unit_of, lambda *_: 1):
            monkeypatch.setattr(greedy_grouping, "unit_of", unit)
            try:
                search = sf.GreedyGrouping().search(count(rows), criterion, Chances(seed))
                found.append(groups_of(search))
            except sf.Unsatisfiable as error:
                found.append(str(error))
        assert found[0] == found[1]


def test_one_at_a_time_gives_the_first_of_a_larger_group_away_where_some_values_are_bounded():
    """A share of 1/2 asked for otherwise than by a whole l: every negative is a group alone."""
    criterion = sf.AlphaKAnonymity("1/2", 1, values=["positive"])
    rows = [(q, "positive" if q in "bcg" else "negative") for q in "abcdefgh"]
    frequencies = count(rows, values=["negative", "positive"])
    groups, _ = groups_of(sf.GreedyGrouping().search(frequencies, criterion, Chances()))
    assert [len(group) for group in groups] == [1, 4, 1, 2]
    for group in groups:
        assert len(group) == 1 or min(group)[-1] == 1
    # In buckets of two the negatives have company.
    criterion = sf.LDiversity(2, "frequency", values=["positive"])
    groups, _ = groups_of(sf.GreedyGrouping().search(frequencies, criterion, Chances()))
    assert [len(group) for group in groups] == [2, 2, 2, 2]


def test_people_are_sorted_by_the_order_that_is_asked_for(compiled):
    for seed, rows in enumerate(small_tables(60, seed=5)):
        frequencies = count(rows)
        criterion = sf.KAnonymity(2)
        if len(rows) < 2:
            continue
        order = frequencies.quasi_identifiers[::-1][: 1 + seed % 2]
        chances = Chances(seed)
        found = groups_of(sf.GreedyGrouping(order).search(frequencies, criterion, chances))
        groups, left = expected(frequencies, naive.criteria.k_anonymity(2), 1, 0, chances, order)
        assert found == ([Counter(group) for group in groups], Counter(left))


def test_an_unknown_name_in_the_order_is_refused_with_the_nearest():
    frequencies = count([("1", "2", "flu"), ("1", "3", "HIV")])
    with pytest.raises(sf.BadInput, match="no quasi-identifier 'q_1'; did you mean 'q1'"):
        sf.GreedyGrouping(["q_1"]).search(frequencies, sf.KAnonymity(1), Chances())
    with pytest.raises(sf.BadInput, match="no quasi-identifier 's'"):
        sf.SymmetricGrouping(["s"]).search(frequencies, sf.KAnonymity(1), Chances())


def test_a_margin_enforces_so_many_times_the_l(compiled):
    random = np.random.default_rng(2)
    cells = zip(random.integers(0, 9, 300), random.choice(VALUES, 300), strict=True)
    frequencies = count([(str(q), str(value)) for q, value in cells])
    for margin, l, enforced in ((math.e, 1, 3), ("3/2", 2, 3), ("3/2", "5/4", 2), (2, 2, 4)):
        method = sf.GreedyGrouping(margin=margin)
        criterion = sf.LDiversity(l, "frequency")
        found = groups_of(method.search(frequencies, criterion, Chances(1)))
        larger = sf.LDiversity(enforced, "frequency")
        assert found == groups_of(sf.GreedyGrouping().search(frequencies, larger, Chances(1)))
        assert len(found[0]) > 3
        for group in found[0]:
            assert group.total() % enforced == 0
            values = Counter(row[-1] for row in group.elements())
            assert max(values.values()) * method.margin * criterion.l <= group.total()


@pytest.mark.parametrize("criterion", [sf.KAnonymity(2), sf.LDiversity(2), sf.TCloseness(0.5)])
def test_a_margin_is_refused_for_other_criteria(criterion):
    frequencies = count([("1", "flu"), ("1", "HIV")])
    with pytest.raises(sf.BadInput, match="a margin multiplies the l"):
        sf.GreedyGrouping(margin=2).search(frequencies, criterion, Chances())


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: sf.GreedyGrouping(margin=0.5), "margin must be a number >= 1, got 0.5"),
        (lambda: sf.GreedyGrouping(margin="x"), "margin must be a number >= 1, got 'x'"),
        (lambda: sf.GreedyGrouping(order=3), "order must be a list of quasi-identifiers, got 3"),
        (lambda: sf.GreedyGrouping(order=["a", "a"]), "names a quasi-identifier twice"),
        (lambda: sf.GreedyGrouping(anatomize="no"), "anatomize must be true or false, got 'no'"),
        (lambda: sf.GreedyGrouping(seed=-1), "seed must be an integer >= 0, got -1"),
        (lambda: sf.RandomizedGrouping(1), "p must be a number from 0 to below 1, got 1"),
        (lambda: sf.RandomizedGrouping(-0.1), "p must be a number from 0 to below 1, got -0.1"),
    ],
)
def test_a_wrong_parameter_is_named_with_its_range(make, said):
    with pytest.raises(sf.BadInput, match=said):
        make()


def test_what_nobody_can_publish_is_said_with_the_evidence():
    frequencies = count([("1", "flu"), ("2", "flu"), ("3", "HIV")])
    with pytest.raises(sf.Unsatisfiable, match=r"even as one group of all 3 rows .* reaches 1.5"):
        sf.GreedyGrouping().search(frequencies, sf.LDiversity(2, "frequency"), Chances())


def test_a_table_without_sensitive_values_is_refused():
    frequencies = count([("1", "2"), ("1", "3")], sensitive=0)
    for method in (
        sf.GreedyGrouping(),
        sf.SymmetricGrouping(),
        sf.Anatomy(),
        sf.OneGroup(),
        sf.SensitiveGrouping(),
    ):
        with pytest.raises(sf.BadInput, match="the table has no sensitive column"):
            method.search(frequencies, sf.KAnonymity(1), Chances())


@pytest.mark.long
def test_every_order_of_equal_people_is_equally_likely():
    """Two of five equal people are ill: each of the 10 places of the two comes up alike."""
    rows = [("1", value) for value in ["flu", "flu", "none", "none", "none"]]
    frequencies = count(rows, values=["flu", "none"])
    criterion = sf.LDiversity(1, "frequency")  # buckets of one: a group for each person
    chances = Chances(11)
    n, places = 2000, Counter()
    for _ in range(n):
        groups, _ = groups_of(sf.GreedyGrouping().search(frequencies, criterion, chances))
        places[tuple(i for i, group in enumerate(groups) if (0, 0) in group)] += 1
    assert set(places) == set(itertools.combinations(range(5), 2))
    chi_square = sum((each - n / 10) ** 2 / (n / 10) for each in places.values())
    assert chi_square < 27.9  # 9 degrees of freedom: one in a thousand


def test_a_toss_is_compared_exactly():
    limit = 2**64 // 3  # floor(2^64 / 3): the last number that goes on
    numbers = np.array([0, limit, limit + 1, 2**64 - 1], dtype="<u8")
    assert tosses(Fraction(1, 3), 4, lambda n: numbers.tobytes()).tolist() == [
        True,
        True,
        False,
        False,
    ]
    assert not tosses(Fraction(0), 4, lambda n: numbers.tobytes()).any()
    never = tosses(1 - Fraction(1, 10**30), 4, lambda n: numbers.tobytes())
    assert never.tolist() == [True, True, True, False]  # no p below 1 goes on for ever


@pytest.mark.long
def test_safe_groups_end_by_tosses_as_often_as_p_says():
    """All values differ, so only tosses decide: sizes in buckets are geometric."""
    n, l = 40000, 2
    rows = [(f"{i:05d}", ("flu", "none")[i % 2]) for i in range(n)]
    frequencies = count(rows, values=["flu", "none"])
    recoding = sf.RandomizedGrouping(0.65).search(
        frequencies, sf.LDiversity(l, "frequency"), Chances(4)
    )
    sizes = np.bincount(recoding.parts[:, 1], weights=recoding.parts[:, 2]) / l
    n_groups = len(sizes)
    assert abs(np.mean(sizes == 1) - 0.35) < 5 * math.sqrt(0.35 * 0.65 / n_groups)
    assert abs(np.mean(sizes == 3) - 0.35 * 0.65**2) < 5 * math.sqrt(0.15 / n_groups)


@pytest.mark.long
def test_both_ways_agree_on_a_large_table(monkeypatch):
    rows = next(small_tables(1, seed=21, n_rows=(6000, 6000)))
    frequencies = count(rows)
    for criterion in (
        sf.LDiversity(2, "frequency", values=["HIV"]),
        sf.LDiversity(2, "frequency", values=["flu", "HIV"], pooled=True) & sf.KAnonymity(9),
        sf.LDiversity(2),
    ):
        found = []
        for limit in (5000, 10**6):
            monkeypatch.setattr(line, "COMPILED", limit)
            method = sf.RandomizedGrouping(0.5)
            found.append(method.search(frequencies, criterion, Chances(3)).parts)
        assert np.array_equal(*found)


@pytest.mark.long
def test_anatomized_groups_are_parts_of_greedy_ones_and_safe(compiled):
    n = 0
    for seed, rows in enumerate(small_tables(30, seed=8, n_rows=(6, 40))):
        l = 2 + seed % 2
        for criterion, safe in criteria_with_twins(l, 1 + seed % 4):
            for method in (sf.GreedyGrouping, sf.SymmetricGrouping):
                try:
                    plain = groups_of(method().search(count(rows), criterion, Chances(seed)))
                except sf.Unsatisfiable:
                    continue
                frequencies = count(rows)
                fine = groups_of(
                    method(anatomize=True).search(frequencies, criterion, Chances(seed))
                )
                assert fine[1] == plain[1]
                waiting = list(fine[0])
                for group in plain[0]:  # in order, each made of the next ones
                    parts = Counter()
                    while parts.total() < group.total():
                        part = waiting.pop(0)
                        assert safe(labelled(frequencies, list(part.elements())))
                        parts += part
                    assert parts == group
                assert not waiting
                n += 1
    assert n > 200


def test_an_l_beyond_any_table_is_no_accident(compiled):
    """Nobody has what is bounded: the one bucket that there is holds everybody."""
    frequencies = count([("1", "flu"), ("2", "flu"), ("3", "none")])
    criterion = sf.LDiversity(10**30, "frequency", values=["HIV"])
    for anatomize in (False, True):
        method = sf.GreedyGrouping(anatomize=anatomize)
        groups, left = groups_of(method.search(frequencies, criterion, Chances()))
        assert ([group.total() for group in groups], left.total()) == ([3], 0)
    with pytest.raises(sf.Unsatisfiable, match="even as one group of all 3 rows"):
        sf.GreedyGrouping().search(frequencies, sf.LDiversity(10**30, "frequency"), Chances())


def test_with_two_sensitive_columns_the_one_named_counts(compiled):
    random = np.random.default_rng(6)
    rows = [(str(a), str(b), str(c)) for a, b, c in random.integers(0, 3, (40, 3))]
    frequencies = count(rows, sensitive=2)
    criterion = sf.LDiversity(2, "frequency", attribute="s1")
    recoding = sf.GreedyGrouping().search(frequencies, criterion, Chances(2))
    groups, _ = groups_of(recoding)
    for group in groups:
        assert group.total() % 2 == 0
        assert naive.criteria.l_diverse([row[-1] for row in group.elements()], 2, "frequency")
    # About both, the other counts as a quasi-identifier: row by row, and still safe.
    groups, _ = groups_of(
        sf.GreedyGrouping().search(frequencies, sf.LDiversity("5/4", "frequency"), Chances(2))
    )
    assert groups
    for group in groups:
        for first, second in ((-1, -2), (-2, -1)):
            for people in naive.groups.rows_by_group(group.elements(), [second]).values():
                assert naive.criteria.l_diverse(
                    [row[first] for row in people], Fraction(5, 4), "frequency"
                )


@pytest.mark.long
def test_small_tables_do_not_start_a_compiler(tmp_path):
    import subprocess
    import sys

    script = tmp_path / "small.py"
    script.write_text(
        "import os, sys\n"
        "import pyarrow as pa\n"
        "import sfumato as sf\n"
        "table = sf.read(pa.table({'q': [1, 2, 3, 4], 's': ['a', 'b', 'a', 'b']}), ['q'], 's')\n"
        "criterion = sf.LDiversity(2, 'frequency')\n"
        "for method in (sf.Anatomy(), sf.GreedyGrouping(), sf.SymmetricGrouping()):\n"
        "    method.search(table.frequencies(), criterion, os.urandom)\n"
        "assert 'numba' not in sys.modules\n"
    )
    subprocess.run([sys.executable, script], check=True)
