"""The five statistics: floats against fractions, fractions against all worlds, ties, and bounds."""

import random
from fractions import Fraction

import numpy as np
import pytest

import naive.knowledge
import sfumato.compiled
from formulas.knowledge_releases import release, values_of
from sfumato.data.groups import Histogram
from sfumato.errors import BadInput
from sfumato.formulas.knowledge.breach import (
    CASES,
    Point,
    exposed,
    largest_breach,
    minima,
    of_value,
    statistics,
)
from sfumato.formulas.knowledge.exact import Statistics, exact_lacking, exact_odds
from sfumato.formulas.knowledge.kernels import lacking, odds

HALF = Fraction(1, 2)


def arrays(groups):
    """A release as the formulas take it; values are numbered as they sort."""
    values = values_of(groups)
    dense = [[counts.get(value, 0) for value in values] for _, counts in groups]
    return Histogram.from_dense(dense), np.array([n for n, _ in groups])


def exact_statistics(groups, point, case):
    """(group, value code, the five statistics), written down from the paper's section 7.1."""
    values = values_of(groups)
    for g, (n, counts) in enumerate(groups):
        for code, value in enumerate(values):
            if having := counts.get(value, 0):
                rest = sorted((c for v, c in counts.items() if v != value), reverse=True)[: point.l]
                kept = exact_odds(n, having, rest, point.k, case)
                yield (
                    g,
                    code,
                    Statistics(
                        kept * exact_lacking(n, having, point.m, point.k + 1, case),
                        exact_odds(n, having, rest, 0, case),
                        kept,
                        exact_lacking(n, having, point.m, 0, case),
                        exact_lacking(n, having, point.m, point.k, case),
                    ),
                )


def five(one):
    return [one.together, one.alone, one.kept, one.family, one.family_beside_others]


def larger_release(rng, case):
    groups = []
    for _ in range(rng.randint(1, 6)):
        n = rng.choice([1, 2, 5, 17, 40])
        if case == "single":
            cards = [rng.choice("ABCDEFG") for _ in range(n)]
            counts = {value: cards.count(value) for value in sorted(set(cards))}
        else:
            most = n if case == "set" else 2 * n
            counts = {v: rng.randint(0, most) for v in "ABCDEFG"[: rng.randint(1, 7)]}
        groups.append((n, {value: count for value, count in counts.items() if count}))
    return groups


@pytest.mark.long
@pytest.mark.parametrize("case", CASES)
def test_floats_are_the_fractions_and_zero_is_exactly_zero(case):
    rng = random.Random(1)
    for _ in range(150):
        groups = larger_release(rng, case)
        point = Point(rng.randint(0, 8), rng.randint(0, 20), rng.randint(0, 40))
        histogram, sizes = arrays(groups)
        found = statistics(histogram, sizes, *point, case)
        expected = [five(each) for _, _, each in exact_statistics(groups, point, case)]
        assert found.shape == (len(expected), 5)
        for row, exact in zip(found, expected, strict=True):
            for number, fraction in zip(row, exact, strict=True):
                assert (number == 0) == (fraction == 0)
                assert number == pytest.approx(float(fraction), rel=1e-12, abs=1e-299)


@pytest.mark.parametrize("case", CASES)
def test_loops_say_the_same_as_they_are_written_and_as_machine_code(case, monkeypatch):
    rng = random.Random(3)
    found = []
    given = []
    for _ in range(40):
        groups = larger_release(rng, case)
        given.append((*arrays(groups), (rng.randint(0, 8), rng.randint(0, 9), rng.randint(0, 9))))
    for few_steps, kept in ((-1, True), (10**12, False)):
        monkeypatch.setattr(sfumato.compiled, "FEW_STEPS", few_steps)
        monkeypatch.setattr(sfumato.compiled, "is_kept", lambda kernel, kept=kept: kept)
        found.append([statistics(h, sizes, *point, case) for h, sizes, point in given])
        found[-1] += [minima(h, sizes, Point(*point), case) for h, sizes, point in given]
        limits = Fraction(1, 3), Fraction(9, 10)
        found[-1] += [exposed(h, s, Point(*p), c, case) for h, s, p in given for c in limits]
    assert all(np.array_equal(one, other) for one, other in zip(*found, strict=True))


@pytest.mark.long
@pytest.mark.parametrize("case", CASES)
def test_minima_and_the_largest_breach_are_exact(case):
    rng = random.Random(2)
    for _ in range(100):
        groups = larger_release(rng, case)
        point = Point(rng.randint(0, 4), rng.randint(0, 6), rng.randint(0, 6))
        histogram, sizes = arrays(groups)
        totals = [Statistics() for _ in values_of(groups)]
        for _, code, each in exact_statistics(groups, point, case):
            totals[code] = totals[code].merge(each)
        for code, total in enumerate(totals):
            assert of_value(histogram, sizes, code, point, case) == total
        breaches = [total.breach for total in totals]
        largest = max(breaches, default=Fraction(0))
        first = breaches.index(largest) if breaches else None
        assert largest_breach(histogram, sizes, point, case) == (largest, first)


@pytest.mark.parametrize("case", CASES)
def test_one_pass_gives_the_minima_of_all_groups(case):
    rng = np.random.default_rng(6)
    counts = rng.multinomial(30, [0.1, 0.2, 0.3, 0.4, 0], size=4500)
    histogram, sizes = Histogram.from_dense(counts), counts.sum(axis=1)
    point = Point(1, 3, 2)
    found = minima(histogram, sizes, point, case)
    every = statistics(histogram, sizes, *point, case)
    for code in range(4):
        assert found[code].tolist() == every[histogram.codes == code].min(axis=0).tolist()
    assert found[4].tolist() == [np.inf] * 3 + [1, 1]


@pytest.mark.parametrize("case", CASES)
def test_parts_of_a_release_are_judged_apart_and_merged(case):
    rng = random.Random(3)
    for _ in range(50):
        groups = larger_release(rng, case)
        point = Point(1, 2, 2)
        histogram, sizes = arrays(groups)
        cut = rng.randint(0, len(groups))
        for code in range(histogram.n_values):
            first = of_value(histogram.rows(0, cut), sizes[:cut], code, point, case)
            rest = of_value(histogram.rows(cut, len(sizes)), sizes[cut:], code, point, case)
            assert first.merge(rest) == of_value(histogram, sizes, code, point, case)


@pytest.mark.parametrize("case", CASES)
def test_exposed_are_those_whom_some_knowledge_gives_away_in_all_worlds(case):
    rng = random.Random(4)
    for _ in range(15):
        groups = release(rng, case, people=5, values="ABC")
        values = values_of(groups)
        code = rng.randrange(len(values))
        by_group = naive.knowledge.breaches_by_group(groups, values[code], case)
        histogram, sizes = arrays(groups)
        for _ in range(12):
            point = Point(rng.randint(0, 3), rng.randint(0, 4), rng.randint(0, 4))
            reached = [naive.knowledge.up_to(breaches, *point) for breaches in by_group]
            for c in {*reached, HALF, Fraction(1)} - {0}:  # every tie, and around it
                found = exposed(histogram, sizes, point, c, case, code)
                everything = exposed(histogram, sizes, point, c, case)
                for entry, group in enumerate(histogram.group_of):
                    if histogram.codes[entry] == code:
                        assert found[entry] == everything[entry] == (reached[group] >= c)
                    else:
                        assert not found[entry]


def test_a_tie_of_many_groups_is_decided_exactly():
    """Nine tenths of a group share a value: 9/10 fails at 0.9, and holds just above it."""
    sizes = np.arange(10, 2000, 10)
    histogram = Histogram.from_dense(np.stack([sizes * 9 // 10, sizes // 10], axis=1))
    point = Point(0, 0, 0)
    assert exposed(histogram, sizes, point, Fraction(9, 10)).tolist() == [True, False] * 199
    assert not exposed(histogram, sizes, point, Fraction(9, 10) + Fraction(1, 10**15)).any()


@pytest.mark.parametrize("case", [0, 1, 2])
def test_knowledge_beyond_all_floats_is_not_certainty(case):
    """What is tiny but possible stays positive, and c = 1 is not reached."""
    n, having, m = 100_000, 30_000, 40_000
    assert 0 < lacking(n, having, m, 0, case) < 1e-200
    name = CASES[case]
    counts = [[having, n - having]] if name == "single" else [[having, 5]]
    histogram, sizes = Histogram.from_dense(counts), np.array([n])
    point = Point(0, 0, m)
    assert not exposed(histogram, sizes, point, Fraction(1), name, 0).any()
    assert exposed(histogram, sizes, Point(0, 0, n), Fraction(1), name, 0).any()


@pytest.mark.parametrize("case", CASES)
def test_kernels_agree_with_fractions_on_large_groups(case):
    rng, code = random.Random(5), CASES.index(case)
    for _ in range(60):
        n = rng.randint(2, 5000)
        having = rng.randint(1, n)
        m, k = rng.randint(0, n), rng.randint(0, n)
        exact = float(exact_lacking(n, having, m, k, case))
        assert lacking(n, having, m, k, code) == pytest.approx(exact, rel=1e-10, abs=1e-299)
        ruled_out = rng.randint(0, n - having)
        share = (n - ruled_out) / n
        exact = float(exact_odds(n, having, [ruled_out], k, case))
        assert odds(n, having, ruled_out, share, k, code) == pytest.approx(
            exact, rel=1e-10, abs=1e-299
        )


@pytest.mark.parametrize("case", CASES)
def test_amounts_larger_than_any_group_are_certainty(case):
    histogram, sizes = Histogram.from_dense([[2, 3]]), np.array([5])
    huge = 10**30
    assert largest_breach(histogram, sizes, Point(0, huge, 0), case)[0] == 1
    assert largest_breach(histogram, sizes, Point(0, 0, huge), case)[0] == 1
    assert exposed(histogram, sizes, Point(huge, huge, huge), Fraction(1), case).all()


@pytest.mark.parametrize(
    ("case", "sizes", "counts", "why"),
    [
        ("single", [3], [[1, 1]], "must add up"),
        ("single", [1], [[1, 1]], "must add up"),
        ("set", [2], [[3, 0]], "nobody has a value twice"),
        ("multiset", [0], [[1, 0]], "somebody must have"),
    ],
)
def test_groups_that_cannot_be_dealt_out_are_refused(case, sizes, counts, why):
    with pytest.raises(BadInput, match=why):
        statistics(Histogram.from_dense(counts), np.array(sizes), 0, 0, 0, case)


@pytest.mark.parametrize("case", CASES)
def test_people_without_values_and_groups_without_people(case):
    histogram, sizes = Histogram.from_dense([[0, 0], [1, 1]]), np.array([0, 2])
    assert of_value(histogram, sizes, 0, Point(0, 0, 0), case).breach == HALF
    empty = Histogram.from_dense(np.zeros((1, 0), dtype=np.int64))
    assert largest_breach(empty, np.array([0]), Point(0, 0, 0), case) == (0, None)
    assert exposed(empty, np.array([0]), Point(0, 0, 0), HALF, case).shape == (0,)
