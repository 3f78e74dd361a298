"""Cormode 2010, sections 4 and 5, appendices B to D: exact risks, and where the paper is wrong."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import naive.criteria
import naive.formation
import naive.grouping
import sfumato as sf
from sfumato.attacks.grouping import MethodBased
from sfumato.attacks.minimality import Minimality
from sfumato.formulas.minimality.buckets import bucket_risk, exact_bucket_risk, prefix_risk
from sfumato.formulas.minimality.posterior import RejectedStep, posterior
from worked_examples.tables import (
    CORMODE_FIG6A_WORLD,
    CORMODE_FIG6B_HALVES,
    CORMODE_FIG6B_QI,
    CORMODE_FIG6B_SA,
    CORMODE_FIG6B_WORLD,
)

ZERO = Fraction(0)


def valid(counts):
    """Every proper beginning of buckets has more sensitive people than buckets."""
    return all(sum(counts[:i]) > i for i in range(1, len(counts)))


@pytest.mark.parametrize(("l", "m"), [(2, 2), (2, 4), (2, 5), (3, 3), (3, 5), (4, 4), (5, 3)])
def test_lemmas_9_to_11_count_the_worlds_in_which_the_first_bucket_has_k(l, m):
    ways = dict.fromkeys(range(l + 1), 0)
    for counts in itertools.product(range(l + 1), repeat=m):
        if sum(counts) == m and valid(counts):
            ways[counts[0]] += math.prod(math.comb(l, n) for n in counts)
    scale = Fraction(1, m - 1)  # the paper counts people by name: m! (ml - m)! times as many
    most = min(l, m)
    for k in range(2, most + 1):
        assert ways[k] == (k - 1) * scale * math.comb(l, k) * math.comb(m * l - l, m - k)
    assert ways[0] == ways[1] == 0
    weighted = l * (l - 1) * scale * math.comb(m * l - 2, m - 2)
    assert sum(k * n for k, n in ways.items()) == weighted
    assert sum(ways.values()) == scale * math.comb(m * l - l, m)
    assert exact_bucket_risk(l, m, ZERO, None)[0] == weighted / sum(ways.values()) / l


@pytest.mark.parametrize("l", range(2, 9))
def test_theorem_8_risk_falls_from_bucket_to_bucket(l):
    for m in range(1, 10):
        risks = exact_bucket_risk(l, m, ZERO, None)
        assert all(a > b for a, b in itertools.pairwise(risks))
        assert m == 1 or risks[-1] == 0


@pytest.mark.parametrize("l", range(2, 9))
def test_the_first_bucket_comes_ever_nearer_to_its_limit_and_never_to_e(l):
    limit = Fraction(l, l - 1) ** (l - 1) / l
    risks = [exact_bucket_risk(l, m, ZERO, None)[0] for m in range(1, 26)]
    for m, risk in enumerate(risks[1:], start=2):
        product = math.prod(
            Fraction(m * l - 1 - j, m * l - m - j) for j in range(1, l)
        )  # appendix D: theorem 6 before it is bounded
        assert risk == product / l
    assert risks[0] == Fraction(1, l)
    if l == 2:  # both of the first two are sensitive, always
        assert set(risks[1:]) == {limit} == {Fraction(1)}
    else:
        assert risks == sorted(set(risks))
    assert limit * (1 - Fraction(1, 20)) < risks[-1] <= limit < Fraction(math.e) / l
    assert float(limit) == pytest.approx(l * bucket_risk(l, 2_000)[0] / l, rel=1e-3)


def test_two_buckets_have_twice_the_risk_whatever_l():
    for l in range(2, 12):
        assert exact_bucket_risk(l, 2, ZERO, None) == [Fraction(2, l), 0]


@pytest.mark.parametrize("l", [2, 3, 6])
@pytest.mark.parametrize(
    "p", [Fraction(1, 100), Fraction(1, 2), Fraction(13, 20), Fraction(99, 100)]
)
def test_randomized_grouping_stays_above_the_promise_where_it_can_be_attacked(l, p):
    """Theorem 7's upper end is theorem 6; its lower end, 1/l, is not reached from above."""
    for m in range(2, 9):
        first, *_, last = exact_bucket_risk(l, m, p, None)
        greedy = exact_bucket_risk(l, m, ZERO, None)[0]
        assert Fraction(1, l) < first <= greedy
        assert last < Fraction(1, l)


def test_randomized_grouping_at_the_papers_safe_point():
    found = [6 * exact_bucket_risk(6, m, Fraction(13, 20), None)[0] for m in (2, 3, 4)]
    assert [round(float(each), 3) for each in found] == [1.109, 1.201, 1.281]


def test_theorem_7_has_no_lower_end_with_fewer_sensitive_people_than_buckets():
    """Below n_s / (m l), even: who is first in a group that went on is less likely to be it."""
    for l, m in itertools.product((2, 3, 6), (2, 3, 4)):
        for n in range(1, m):
            risk = exact_bucket_risk(l, m, Fraction(1, 2), n)
            assert min(risk) < Fraction(1, l)
            if n == 1:
                assert risk[0] == Fraction(1, m * l)
    # Two of three buckets' worth, and no bucket is as risky as one in l.
    assert max(exact_bucket_risk(6, 3, Fraction(9, 10), 2)) < Fraction(1, 6)


def half_risk(left, right, n, l):
    """The larger belief of two parts of a group of whom n are sensitive; None: no world."""
    sizes, s = np.array([left, right]), left + right
    step = RejectedStep.of([[0], [1]], 2, np.zeros((2, 2), dtype=np.int64))
    try:
        found = posterior(
            sizes, np.array([n, s - n]), [step], lambda have: l * have[:, 0] > have.sum(axis=1)
        )
    except ValueError:
        return None
    return max(found.of_cell(i, 0) for i in range(2))


@pytest.mark.parametrize("l", range(2, 7))
def test_even_splits_bound_the_risk_by_one_in_l_minus_a_half(l):
    """Attained where the halves have 2 l and 2 l - 1 people, and two are sensitive."""
    bound = 1 / (l - Fraction(1, 2))
    risks = {}
    for s in range(2 * l, 8 * l):
        for n in range(1, s // l + 1):
            risk = half_risk((s + 1) // 2, s // 2, n, l)
            if risk is not None:
                risks[s, n] = risk
    assert max(risks.values()) == bound
    assert [key for key, risk in risks.items() if risk == bound] == [(4 * l - 1, 2)]


def test_uneven_splits_have_no_such_bound():
    """Nine people and two, four sensitive, l = 2: the two are sensitive for certain."""
    assert half_risk(9, 2, 4, 2) == 1


def without_a_check(values, l):
    """Figure 7 as it is printed: halves of any size."""
    return naive.grouping.symmetric_grouping(
        list(range(len(values))), naive.formation.keeping(positive_at_most(l), values), 1
    )


def positive_at_most(l):
    return lambda group: naive.criteria.l_diverse(list(group), l, "frequency", ["+"])


def test_figure_7_without_a_least_size_gives_somebody_away():
    """Three people, one positive, l = 2: had it been among the first two, halves were safe."""
    worlds = [["+", "-", "-"], ["-", "+", "-"], ["-", "-", "+"]]
    whole = [world for world in worlds if without_a_check(world, 2) == [[0, 1, 2]]]
    assert whole == [["-", "-", "+"]]
    # With halves of at least l, as here, three people are never halved, and nothing is learned.
    table = read([("a", "-"), ("b", "-"), ("c", "+")])
    release = sf.anonymize(
        table, sf.LDiversity(2, "frequency", values=["+"]), sf.SymmetricGrouping(seed=1)
    )
    assert MethodBased().run(release).found == Fraction(1, 3)


def read(rows):
    q, s = zip(*rows, strict=True)
    public = sf.Tree(sorted(set(q)))  # the paper's reader knows the values
    return sf.read(pa.table({"q": list(q), "s": list(s)}), {"q": public}, "s")


def test_figure_6a_is_certain():
    rows = [(q, "+" if s == "Positive" else "-") for q, s in CORMODE_FIG6A_WORLD]
    criterion = sf.LDiversity(2, "frequency", values=["+"])
    release = sf.anonymize(read(rows), criterion, sf.GreedyGrouping(seed=1))
    assert release.sizes.tolist() == [4]
    finding = MethodBased().run(release)
    assert (finding.before, finding.found) == (Fraction(1, 2), 1)
    assert finding.holds is False
    assert finding.n_exceeding == 2
    assert finding.worst["who"] in [{"q": q} for q, _ in rows[:2]]
    # By Anatomy alone no such inference is possible.
    safe = sf.anonymize(read(rows), criterion, sf.Anatomy(seed=1))
    assert safe.sizes.tolist() == [2, 2]
    assert MethodBased().run(safe).found == Fraction(1, 2)


def test_figure_6b_strict_mondrian_is_certain_too():
    rows = [(q, "+" if s == "Positive" else "-") for q, s in CORMODE_FIG6B_WORLD]
    assert tuple(q for q, _ in rows) == CORMODE_FIG6B_QI
    assert len(CORMODE_FIG6B_SA) == sum(map(len, CORMODE_FIG6B_HALVES)) == len(rows)
    criterion = sf.LDiversity(2, "frequency", values=["+"]) & sf.KAnonymity(2)  # d is not alone
    release = sf.anonymize(read(rows), criterion, sf.Mondrian())
    assert release.sizes.tolist() == [6]
    finding = Minimality().run(release)
    assert (finding.found, finding.holds, finding.n_exceeding) == (1, False, 2)


@pytest.mark.long
@pytest.mark.parametrize("l", [2, 3, 4])
def test_partitioning_a_greedy_group_gives_somebody_away(l):
    """Theorem 6 says e / l at the most; partitioned, a group of two buckets can be certain."""
    criterion = sf.LDiversity(l, "frequency", values=["+"])
    values = ["+", "+"] + ["-"] * (2 * l - 2)
    table = read([(f"{i:02}", v) for i, v in enumerate(values)])
    plain = sf.anonymize(table, criterion, sf.GreedyGrouping(seed=1))
    assert MethodBased().run(plain).found == Fraction(2, l)
    found = set()
    for seed in range(40 if l > 2 else 4):
        method = sf.GreedyGrouping(anatomize=True, seed=seed)
        finding = MethodBased().run(sf.anonymize(table, criterion, method))
        found.add(finding.found)
        if finding.found == 1:
            assert finding.holds is False
            break
    assert 1 in found


def test_relaxed_splits_of_two_dimensions_can_be_certain():
    """Seven people in a plane, two positive, l = 2: halves of four and three by each dimension.

    A split fails only where both positive people are among the three. Two people are so in both
    dimensions, and one dimension alone would say no more than 2 in 3.
    """
    right, above = {4, 5, 6}, {3, 5, 6}

    def fails(world, three):
        four = set(range(7)) - three
        return 2 * len(three & world) > 3 or 2 * len(four & world) > 4

    worlds = [set(pair) for pair in itertools.combinations(range(7), 2)]
    assert [w for w in worlds if fails(w, right) and fails(w, above)] == [{5, 6}]
    assert len([w for w in worlds if fails(w, right)]) == 3


@pytest.mark.long
@pytest.mark.parametrize("p", [ZERO, Fraction(1, 3), Fraction(13, 20)])
def test_floats_are_as_good_as_fractions(p):
    """Sizes that differ, every number of sensitive people from none to all, up to 300 buckets."""
    from sfumato.formulas.minimality.buckets import _exact_prefix_risk, _float_prefix_risk

    rng = np.random.default_rng(7)
    for m in (1, 2, 3, 10, 40, 300):
        sizes = rng.integers(1, 7, m).tolist()
        whole = sum(sizes)
        upto = np.cumsum(sizes)[:-1].tolist()
        for n in {0, 1, 2, whole // 6, whole // 3, whole - 1, whole}:
            if not 0 <= n <= whole or (m == 300 and n > 120):
                continue
            starts = [n_before * n // whole + 1 for n_before in upto]
            few = [int(rng.integers(0, 2)) * start for start in starts]  # 0: not tried
            for breaks_from in (starts, few, [0] * len(starts)):
                exact = _exact_prefix_risk(sizes, n, breaks_from, p)
                floats = _float_prefix_risk(sizes, n, breaks_from, float(p))
                assert (exact is None) == (floats is None), (sizes, n, breaks_from, p)
                if exact is not None:
                    assert floats == pytest.approx([float(e) for e in exact], rel=1e-9, abs=0)


@pytest.mark.long
def test_very_many_buckets_stay_finite():
    for n in (5_000, 4_000):
        found = prefix_risk([6] * 5_000, n, range(2, 5_001), Fraction(13, 20))
        assert sum(found) == pytest.approx(n)
        assert all(0 <= each <= 6 for each in found)
    greedy = bucket_risk(6, 5_000)
    assert 6 * greedy[0] == pytest.approx((6 / 5) ** 5, rel=1e-3)
    assert greedy == sorted(greedy, reverse=True)
