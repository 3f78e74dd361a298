"""No verdict rests on floating-point luck: thresholds met exactly, missed by one, at any scale.

Every verdict is compared with integers and fractions (tests/naive), on counts of people from one
to beyond what a float can hold; near the end of 64 bits the answer is right or refused.
"""

import math
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.criteria
import naive.hierarchies
import naive.lattice
import naive.loss
import sfumato as sf
from profiles import examples, scaled
from properties.generated import Generated, tables
from sfumato.algorithms import mondrian
from sfumato.algorithms.algorithm import allowed_rows
from sfumato.data.frequency import FrequencySet
from sfumato.data.schema import Schema
from sfumato.engines.protocol import Source
from sfumato.formulas.measures import loss

VALUES = ["1", "2", "5", "9"]
TREE = {"few": ["1", "2"], "many": ["5", "9"]}
PATHS = [(leaf, node, "*") for node, leaves in TREE.items() for leaf in leaves]
DOMAIN, _ = sf.Tree(TREE).grow("s", VALUES)
SCALES = [1, 2**31, 2**33, 2**53 - 1, 2**53, 2**53 + 1]
VERDICTS = "verdicts at a threshold compared with exact arithmetic"


def groups_of(*counts, reference=None):
    """Groups with the given counts of every value."""
    counts = [list(each) + [0] * (len(VALUES) - len(each)) for each in counts]
    return sf.Groups([sum(each) for each in counts], counts, DOMAIN, reference)


# ------------------------------------------------------------------------------------- thresholds


def forms(exact):
    """Every way to write a threshold down that means exactly this fraction."""
    yield exact
    yield f"{exact.numerator}/{exact.denominator}"
    if exact.denominator == 1:
        yield exact.numerator
        yield np.int64(exact.numerator)
    if exact.denominator <= 1000 and exact < 1000:  # a float can mean any fraction like this
        yield exact.numerator / exact.denominator
        yield np.float64(exact.numerator) / exact.denominator
    if 10**9 % exact.denominator == 0:
        yield Decimal(exact.numerator) / Decimal(exact.denominator)


def test_a_threshold_means_the_same_however_it_is_written(record_property):
    thresholds = [Fraction(p, q) for q in range(1, 60) for p in range(1, 2 * q + 1)]
    n = 0
    for exact in thresholds:
        for form in forms(exact):
            assert sf.RecursiveDiversity(form, 2).c == exact, form
            assert sf.KEAnonymity(1, form).e == exact, form
            if exact <= 1:
                assert sf.AlphaKAnonymity(form, 1).alpha == exact, form
                assert sf.TCloseness(form).t == exact, form
            else:
                assert sf.LDiversity(form, "entropy").l == exact, form
            n += 1
    assert sf.AlphaKAnonymity(0.1 + 0.2, 1).alpha == Fraction(3, 10)
    assert sf.TCloseness(1 - 0.9).t == Fraction(1, 10)
    assert sf.LDiversity(1 / (0.1 + 0.2), "frequency").l == Fraction(10, 3)
    record_property("thresholds read", n)


@pytest.mark.parametrize("tiny", [1e-10, 7e-10, 1e-300])
def test_a_threshold_too_small_for_a_small_fraction_does_not_become_nought(tiny):
    assert sf.KEAnonymity(1, tiny).e == Fraction(repr(tiny))
    assert sf.TCloseness(tiny).t == Fraction(repr(tiny))
    assert not sf.KEAnonymity(1, tiny).holds(groups_of([1])).any()


# --------------------------------------------------------------- exactly, one more, and one less


def just_at(scale):
    """Criterion, counts, verdict: the threshold met exactly, and a person on either side of it."""
    s, third, tenth = scale, 1 / 3, 0.1 + 0.2
    k_cases = [(sf.KAnonymity(3 * s), [3 * s + d], d >= 0) for d in (-1, 0, 1)]
    share_cases = [
        (criterion, [s + d, 2 * s - d], d <= 0)
        for d in (-1, 0, 1)
        for criterion in (
            sf.AlphaKAnonymity(third, 1, values=["1"]),
            sf.AlphaKAnonymity("1/3", 3 * s, values=["1"]),
            sf.LDiversity(3, "frequency", values=["1"]),
            sf.LDiversity(3.0, "frequency", values=["1", "5"], pooled=True),
        )
    ]
    one_person_less = [  # the same count out of one person less, or more
        (sf.AlphaKAnonymity(third, 1, values=["1"]), [s, 2 * s + d], d >= 0) for d in (-1, 0, 1)
    ]
    tenth_cases = [
        (criterion, [3 * s + d, 3 * s, 3 * s, s - d], d <= 0)
        for d in (-1, 0, 1)
        for criterion in (sf.AlphaKAnonymity(tenth, 1), sf.LDiversity(1 / tenth, "frequency"))
    ]
    recursive = [  # strictly below
        (sf.RecursiveDiversity(tenth, 2), [3 * s + d, 5 * s, 5 * s], False) for d in (-1, 0, 1)
    ] + [(sf.RecursiveDiversity(1 + third, 2), [4 * s + d, 3 * s], d < 0) for d in (-1, 0, 1)]
    uniform = [
        (sf.LDiversity(2, "entropy"), [s + d, s], d == 0) for d in (-1, 0, 1) if s + d > 0
    ] + [
        (sf.LDiversity(4, "entropy"), [s] * 4, True),
        (sf.LDiversity(3, "entropy", values=["1", "5"], pooled=True), [s, 2 * s, s, 2 * s], True),
        (sf.LDiversity(3, "entropy", values=["1", "5"], pooled=True), [s, 2 * s, s, s], s == 0),
    ]
    distinct = [
        (sf.LDiversity(2), [s, 1], True),
        (sf.LDiversity(2), [s, 0], False),
        (sf.LDiversity(3), [s, 1], False),
        (sf.PSensitiveKAnonymity(2, s + 1), [s, 1], True),
        (sf.PSensitiveKAnonymity(2, s + 2), [s, 1], False),
        (sf.PSensitiveKAnonymity(2, s + 1), [s + 1, 0], False),
        (sf.KEAnonymity(s + 1, 4), [s, 0, 1], True),
        (sf.KEAnonymity(s + 2, 4), [s, 0, 1], False),
        (sf.KEAnonymity(s + 1, 4 + Fraction(1, 10**30)), [s, 0, 1], False),
    ]
    return [
        *(k_cases + share_cases + one_person_less),
        *(tenth_cases + recursive + uniform + distinct),
    ]


@pytest.mark.parametrize("scale", SCALES)
def test_exactly_the_threshold_is_kept_and_one_person_decides(scale, record_property):
    cases = just_at(scale)
    for criterion, counts, expected in cases:
        found = criterion.holds(groups_of(counts)).tolist()
        assert found == [expected], (criterion, counts)
    record_property(VERDICTS, len(cases))


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("distance", ["equal", "ordered", "hierarchical"])
def test_a_distance_of_exactly_t_is_close_and_one_person_decides(distance, scale, record_property):
    reference = [3 * scale, 2 * scale, 4 * scale, scale]
    n = 0
    for moved in (-1, 0, 1):
        counts = [3 * scale, 3 * scale, 3 * scale, scale + moved]
        exact = naive.criteria.counts_distance(counts, reference, distance, PATHS)
        groups = groups_of(counts, reference=reference)
        assert sf.TCloseness(1, distance).measure(groups) == exact
        for other in (-1, 0, 1):
            near = [3 * scale, 3 * scale, 3 * scale, scale + other]
            t = naive.criteria.counts_distance(near, reference, distance, PATHS)
            assert sf.TCloseness(t, distance).holds(groups).tolist() == [exact <= t]
            n += 1
        assert not sf.TCloseness(exact - Fraction(1, 10**40), distance).holds(groups).any()
        n += 1
    record_property(VERDICTS, n)


# ------------------------------------------------------------------------------ generated groups

SMALL = st.lists(st.integers(0, 9), min_size=4, max_size=4).filter(any)


@st.composite
def scaled_counts(draw):
    """Counts that are a simple pattern at some scale, some of them off by one."""
    pattern, scale = draw(SMALL), draw(st.sampled_from(SCALES))
    off = draw(st.lists(st.integers(-1, 1), min_size=4, max_size=4))
    return [
        max(0, count * scale + d) if count else 0 for count, d in zip(pattern, off, strict=True)
    ], pattern


@st.composite
def judged(draw):
    """A criterion whose threshold the pattern meets exactly, a group near it, and the truth."""
    counts, pattern = draw(scaled_counts())
    other, _ = draw(scaled_counts())
    reference = [a + b for a, b in zip(counts, other, strict=True)]
    protected = draw(st.sampled_from([None, [0], [0, 2], [1, 2, 3]]))
    pooled = protected is not None and draw(st.booleans())
    named = None if protected is None else [VALUES[j] for j in protected]
    k = max(1, sum(counts) + draw(st.integers(-1, 1)))
    bounded = pattern if protected is None else [pattern[j] for j in protected]
    largest = sum(bounded) if pooled else max(bounded)
    share = Fraction(largest or 1, sum(pattern))
    l = draw(st.integers(1, 4))
    tail = sum(sorted(pattern, reverse=True)[l - 1 :])
    c = Fraction(max(pattern), tail or 1)
    distance = draw(st.sampled_from(["equal", "ordered", "hierarchical"]))
    whole = [a + b for a, b in zip(pattern, draw(SMALL), strict=True)]
    near = naive.criteria.counts_distance(pattern, whole, distance, PATHS)
    exact = (
        naive.criteria.counts_distance(counts, reference, distance, PATHS) if any(counts) else near
    )
    t = draw(st.sampled_from([exact, near]))
    present = [int(v) for v, count in zip(VALUES, counts, strict=True) if count]
    spread = max(present, default=0) - min(present, default=0)
    e = draw(st.sampled_from([spread, spread + Fraction(1, 10**12), 4]))
    n_values = sum(map(bool, counts))

    def written(threshold):
        return draw(st.sampled_from(list(forms(threshold))))

    cases = {
        "k": (sf.KAnonymity(k), sum(counts) >= k),
        "distinct": (sf.LDiversity(l), n_values >= l),
        "frequency": (
            sf.LDiversity(written(1 / share), "frequency", named, pooled),
            naive.criteria.counts_frequency(counts, 1 / share, protected, pooled),
        ),
        "alpha": (
            sf.AlphaKAnonymity(written(share), k, named, pooled),
            sum(counts) >= k
            and naive.criteria.counts_frequency(counts, 1 / share, protected, pooled),
        ),
        "recursive": (
            sf.RecursiveDiversity(written(c), l),
            naive.criteria.counts_recursive(counts, c, l),
        ),
        "p": (sf.PSensitiveKAnonymity(min(l, k), k), sum(counts) >= k and n_values >= min(l, k)),
        "ke": (sf.KEAnonymity(k, e), sum(counts) >= k and spread >= e),
        "t": (sf.TCloseness(min(t, 1), distance), exact <= min(t, 1)),
    }
    criterion, truth = cases[draw(st.sampled_from(sorted(cases)))]
    return criterion, groups_of(counts, reference=reference), truth


def test_generated_groups_are_judged_as_fractions_judge_them(record_property):
    n = 0

    @examples(600)
    @given(judged())
    def compare(case):
        nonlocal n
        criterion, groups, truth = case
        if groups.sizes[0]:
            assert criterion.holds(groups).tolist() == [truth]
            n += 1

    compare()
    assert n > scaled(400)
    record_property(VERDICTS, n)


def test_generated_entropies_are_judged_as_integers_judge_them(record_property):
    n = 0

    @examples(300)
    @given(scaled_counts(), st.integers(1, 40))
    def compare(drawn, denominator):
        nonlocal n
        counts, pattern = drawn
        if not any(counts):
            return
        people, total = [c for c in pattern if c], sum(pattern)
        reached = math.exp(math.log(total) - sum(c * math.log(c) for c in people) / total)
        l = max(Fraction(1), Fraction(reached).limit_denominator(denominator))
        found = sf.LDiversity(l, "entropy").holds(groups_of(counts)).tolist()
        assert found == [naive.criteria.counts_entropy_at_least(counts, l)]
        n += 1

    compare()
    record_property(VERDICTS, n)


def test_what_is_measured_is_exact_at_every_scale(record_property):
    n = 0

    @examples(200)
    @given(st.lists(scaled_counts(), min_size=1, max_size=4))
    def compare(drawn):
        nonlocal n
        many = [counts for counts, _ in drawn if any(counts)]
        if not many:
            return
        groups = groups_of(*many)
        shares = [Fraction(max(counts), sum(counts)) for counts in many]
        assert sf.AlphaKAnonymity(1, 1).measure(groups) == (max(shares), min(map(sum, many)))
        assert sf.LDiversity(1, "frequency").measure(groups) == 1 / max(shares)
        tails = [sum(counts) - max(counts) for counts in many]
        worst = (
            max(Fraction(max(counts), tail) for counts, tail in zip(many, tails, strict=True))
            if all(tails)
            else math.inf
        )
        assert sf.RecursiveDiversity(1, 2).measure(groups) == worst
        assert sf.KAnonymity(1).measure(groups) == min(map(sum, many))
        n += 4

    compare()
    record_property("values measured and compared with exact arithmetic", n)


# ------------------------------------------------------------------------ at the end of 64 bits


MOST = 2**63 - 1
TOO_MANY = [[2**63], [2**64], [2**63, 1], np.array([2**63], dtype=np.uint64)]


@pytest.mark.parametrize("sizes", TOO_MANY, ids=["2^63", "2^64", "2^63 and 1", "an array"])
def test_more_people_than_can_be_counted_are_refused(sizes):
    with pytest.raises(sf.BadInput, match="Groups: a size must be"):
        sf.Groups(sizes)
    with pytest.raises(sf.BadInput, match="Groups: a count must be"):
        sf.Groups([1], [sizes], [str(j) for j in range(len(sizes))])
    with pytest.raises(sf.BadInput, match="Groups: a reference count must be"):
        sf.Groups([1], [[1] * len(sizes)], [str(j) for j in range(len(sizes))], reference=sizes)


def test_counts_that_add_up_to_too_many_are_refused():
    with pytest.raises(sf.BadInput, match="counts of a group add up to 2"):
        sf.Groups([MOST], [[2**62, 2**62]], ["a", "b"])
    with pytest.raises(sf.BadInput, match="reference counts add up to 2"):
        sf.Groups([2], [[1, 1]], ["a", "b"], reference=[MOST, 1])
    assert len(sf.Groups([MOST], [[2**62, 2**62 - 1]], ["a", "b"], reference=[MOST, 0])) == 1


def test_a_reference_for_other_values_is_refused():
    with pytest.raises(
        sf.BadInput, match=r"the reference must have the shape \(2,\), .* got \(3,\)"
    ):
        sf.Groups([2], [[1, 1]], ["a", "b"], reference=[1, 1, 1])


@pytest.mark.parametrize("most", [2**62, 2**62 + 1, MOST - 1, MOST])
def test_products_of_the_largest_counts_are_right(most, record_property):
    half = most // 2
    counts = [half, most - half, 0, 0]
    groups = groups_of(counts, reference=counts)
    spread = groups_of([most], reference=[most - 1, 0, 0, 1])
    cases = [
        (sf.AlphaKAnonymity(Fraction(most - half, most), most), groups, True),
        (sf.AlphaKAnonymity(Fraction(most - half - 1, most), 1), groups, False),
        (sf.KAnonymity(most), groups, True),
        (sf.KAnonymity(most + 1), groups, False),
        (sf.RecursiveDiversity(Fraction(most - half, half), 2), groups, False),
        (sf.RecursiveDiversity(Fraction(most - half + 1, half), 2), groups, True),
        (sf.LDiversity(2, "entropy"), groups, most % 2 == 0),
        (sf.LDiversity(2 - Fraction(1, 10**9), "entropy"), groups, True),
        (sf.TCloseness(0), groups, True),
        (sf.TCloseness(Fraction(1, most)), spread, True),
        (sf.TCloseness(Fraction(1, most + 1)), spread, False),
        (sf.TCloseness(Fraction(1, most), "ordered"), spread, True),
        (sf.TCloseness(Fraction(1, most + 1), "ordered"), spread, False),
        (sf.TCloseness(Fraction(1, most), "hierarchical"), spread, True),
        (sf.TCloseness(Fraction(1, most + 1), "hierarchical"), spread, False),
    ]
    for criterion, seen, expected in cases:
        assert criterion.holds(seen).tolist() == [expected], criterion
    record_property(VERDICTS, len(cases))


@pytest.mark.parametrize("huge", [2**64, 10**30])
def test_a_threshold_beyond_64_bits_is_judged_like_any_other(huge):
    nobody = sf.Groups([], np.zeros((0, 4)), DOMAIN)
    for groups in (groups_of([2, 1]), groups_of([0]), nobody):
        n = len(groups)
        for criterion in (
            sf.KAnonymity(huge),
            sf.LDiversity(huge),
            sf.LDiversity(huge, "entropy"),
            sf.PSensitiveKAnonymity(huge, huge),
            sf.KEAnonymity(1, huge),
            sf.RecursiveDiversity(Fraction(1, huge), 2),
            sf.AlphaKAnonymity(Fraction(1, huge), huge),
        ):
            assert criterion.holds(groups).tolist() == [False] * n, criterion
    assert not sf.LDiversity(huge, "frequency").holds(groups_of([2, 1])).any()
    assert sf.RecursiveDiversity(huge, 2).holds(groups_of([2, 1])).all()


# --------------------------------------------------------------- what may be suppressed, and loss


def test_a_share_of_the_rows_is_as_many_as_it_says(record_property):
    n = 0
    for n_rows in (*range(1, 200), 2**31, 2**33, 2**53 - 1, 2**53, 2**53 + 1):
        for numerator in range(11):
            expected = min(numerator * n_rows // 10, n_rows - 1)
            assert allowed_rows(numerator / 10, n_rows) == expected
            assert allowed_rows(sum([0.1] * numerator), n_rows) == expected
            n += 2
        for parts in (3, 7, 49):
            assert allowed_rows(1 / parts, n_rows) == min(n_rows // parts, n_rows - 1)
            n += 1
    record_property("shares of rows compared with exact arithmetic", n)


@pytest.mark.parametrize(("share", "rows"), [(0.3, 3), (0.1 + 0.2, 3), (0.29, 2), (1.0, 9), (3, 3)])
@pytest.mark.parametrize("method", [sf.Samarati, sf.Incognito, sf.Exhaustive, sf.Optimal])
def test_three_tenths_of_ten_rows_are_three(method, share, rows):
    frequencies = seven_alike_and_three_alone()
    chosen = {"metric": "height"} if method is sf.Optimal else {}
    search = method(max_suppressed=share, **chosen).search
    recoding = search(frequencies, sf.KAnonymity(7), None)
    assert recoding.levels == {"q": 0 if rows >= 3 else 1}
    assert recoding.n_suppressed(frequencies) == (3 if rows >= 3 else 0)


def seven_alike_and_three_alone():
    domain, codes = sf.Flat().grow("q", ["a", "b", "c", "d"])
    return FrequencySet.from_codes(
        {"q": domain}, ["q"], [], {"q": codes}, np.array([7, 1, 1, 1], dtype=np.int64)
    )


@given(
    st.lists(st.sampled_from([1, 5, 2**31, 2**33, 2**53 + 1]), min_size=1, max_size=6),
    st.sampled_from([0, 1, 2**33]),
)
def test_losses_of_huge_groups_are_right(sizes, n_suppressed):
    counts = np.array(sizes, dtype=np.int64)
    n = sum(sizes) + n_suppressed
    expected = sum(size**2 for size in sizes) + n_suppressed * n
    assert loss.discernibility(counts, n_suppressed) == expected
    assert loss.average_group_size(counts) == pytest.approx(sum(sizes) / len(sizes))
    lost = np.linspace(0, 1, 2 * len(sizes)).reshape(-1, 2)
    weights = np.array([0.25, 0.75])
    exact = sum(
        size * sum(Fraction(w) * Fraction(x) for w, x in zip(weights, row, strict=True))
        for size, row in zip(sizes, lost.tolist(), strict=True)
    )
    found = loss.information_loss(lost, counts, weights, n_suppressed)
    assert found == pytest.approx(float((exact + n_suppressed) / n), rel=1e-12)


# -------------------------------------------------------------------- frequency sets of huge counts


def times(frequencies, scale):
    """The same table with every person so many times."""
    return replace(frequencies, counts=frequencies.counts * scale)


FAMILY = [
    sf.LDiversity(2),
    sf.LDiversity("3/2", "entropy"),
    sf.LDiversity(1.5, "frequency"),
    sf.RecursiveDiversity(1 / 3, 1),
    sf.RecursiveDiversity(2, 2),
    sf.TCloseness(1 / 3),
    sf.TCloseness(0.1 + 0.2, "ordered"),
    sf.AlphaKAnonymity(2 / 3, 1),
]
LARGE = [2**31, 2**33, 2**53 + 1]


def outcome(method, frequencies, criterion):
    """What a method decides, in a form that can be compared; None: nothing will do."""
    try:
        recoding = method.search(frequencies, criterion, None)
    except sf.Unsatisfiable:
        return None
    grouping = recoding.grouping(frequencies)
    return recoding.levels, grouping.boxes.tolist(), grouping.index.tolist()


METHODS = [
    sf.Mondrian(),
    sf.Mondrian(dimensions="widest"),
    sf.Mondrian(bounds="tight"),
    sf.Mondrian(bounds="cuts"),
    sf.Samarati(),
    sf.Incognito(),
    sf.Exhaustive(),
    sf.Optimal("loss"),
    sf.Optimal("discernibility"),
    sf.Optimal("entropy"),
]


@pytest.mark.parametrize("compiled", [False, True], ids=["arrays", "compiled"])
def test_a_table_of_huge_counts_is_decided_like_the_small_one(
    compiled, monkeypatch, record_property
):
    """k of n people, and k S of n S: the same decisions, and a person more than k S is k + 1."""
    monkeypatch.setattr(mondrian, "COMPILED", 0 if compiled else 5000)
    methods = METHODS[:3] if compiled else METHODS
    n = 0

    @examples(40)
    @given(
        tables(max_rows=12),
        st.integers(1, 4),
        st.sampled_from(LARGE),
        st.sampled_from(methods),
    )
    def compare(table, k, scale, method):
        nonlocal n
        small = table.frequencies()
        large = times(small, scale)
        expected = outcome(method, small, sf.KAnonymity(k))
        assert outcome(method, large, sf.KAnonymity(k * scale)) == expected
        assert outcome(method, large, sf.KAnonymity(k * scale - 1)) == expected
        more = outcome(method, small, sf.KAnonymity(k + 1))
        assert outcome(method, large, sf.KAnonymity(k * scale + 1)) == more
        n += 3

    compare()
    record_property("tables of more than 2^31 people decided like small ones", n)


def test_shares_in_a_table_of_huge_counts_are_those_of_the_small_one(record_property):
    n = 0

    @examples(60)
    @given(
        tables(max_rows=10),
        st.sampled_from(FAMILY),
        st.sampled_from(LARGE),
        st.sampled_from(METHODS),
        st.integers(0, 3),
    )
    def compare(table, criterion, scale, method, limit):
        nonlocal n
        small = table.frequencies()
        fewer, more = method, method
        if "max_suppressed" in vars(method):
            fewer, more = (replace(method, max_suppressed=m) for m in (limit, limit * scale))
        expected = outcome(fewer, small, criterion)
        found = outcome(more, times(small, scale), criterion)
        if limit < len(table.rows):  # else one person is published here, and one of S there
            assert found == expected
            n += 1

    compare()
    record_property("tables of more than 2^31 people decided like small ones", n)


@pytest.mark.parametrize("scale", [1, *LARGE])
@pytest.mark.parametrize("dimensions", ["all", "widest"])
def test_relaxed_halves_of_huge_groups_have_k_to_2k_members(scale, dimensions):
    domain, codes = sf.Flat().grow("q", list(range(9)))
    counts = np.array([5, 1, 9, 2, 2, 7, 1, 4, 3], dtype=np.int64) * scale + 1
    frequencies = FrequencySet.from_codes({"q": domain}, ["q"], [], {"q": codes}, counts)
    k = 3 * scale
    method = sf.Mondrian(strict=False, dimensions=dimensions)
    recoding = method.search(frequencies, sf.KAnonymity(k), lambda n: b"\0" * n)
    combination, group, people = recoding.parts.T.tolist()
    sizes, dealt, values = {}, dict.fromkeys(range(9), 0), {}
    for c, g, n in zip(combination, group, people, strict=True):
        sizes[g] = sizes.get(g, 0) + n
        dealt[c] += n
        values.setdefault(g, set()).add(c)
    assert list(dealt.values()) == counts.tolist()
    assert all(k <= n < 2 * k or len(values[g]) == 1 for g, n in sizes.items())


@pytest.mark.parametrize("scale", [10**4, *LARGE])
def test_the_optimum_is_better_by_one_person_in_all_of_them(scale):
    """Two nodes whose losses differ by one person: floats call it a tie, and take the first."""
    tree = sf.Tree({"A": ["a1", "a2"], "B": ["b"]})
    domain, codes = tree.grow("x", ["a1", "a2", "b"])
    a1, a2, b = codes.tolist()

    def found(metric, rows, limit):
        x, y, people = (np.array(column) for column in zip(*rows, strict=True))
        frequencies = FrequencySet.from_codes(
            {"x": domain, "y": domain}, ["x", "y"], [], {"x": x, "y": y}, people
        )
        method = sf.Optimal(metric, limit)
        return tuple(method.search(frequencies, sf.KAnonymity(scale), None).levels.values())

    by_loss = [(a1, b, 1), (a2, b, scale), (b, a1, 1), (b, a2, scale + 1)]
    assert found("loss", by_loss, 1) == (1, 0)
    by_loss = [(a1, b, 1), (a2, b, scale + 1), (b, a1, 1), (b, a2, scale)]
    assert found("loss", by_loss, 1) == (0, 1)
    by_levels = [(a1, b, 2), (a2, b, scale), (b, a1, 1), (b, a2, scale)]
    assert found("precision", by_levels, 2) == (1, 0)


def test_the_optimum_of_huge_counts_is_the_enumerated_one(record_property):
    n = 0

    @examples(80)
    @given(
        tables(max_rows=8, missing=False),
        st.lists(st.sampled_from([1, 2, 10**9, 2**31, 2**53, 2**53 + 1]), min_size=8, max_size=8),
        st.sampled_from(["loss", "precision", "discernibility"]),
        st.sampled_from([0, 1, 2, 3, 10**9, 2**53]),
    )
    def compare(table, weights, metric, limit):
        nonlocal n
        people = dict.fromkeys(table.rows, 0)
        for row, weight in zip(table.rows, weights, strict=False):
            people[row] += weight
        frequencies = replace(table.frequencies(), counts=weighted(table, people))
        k = max(people.values())
        limit = min(limit, frequencies.n_rows - 1)
        priced = {
            node: exact_price(people, table.paths, node, k, metric)
            for node in naive.lattice.all_nodes(naive.lattice.heights_of(table.paths))
        }
        safe = {node: price for node, (left, price) in priced.items() if left <= limit}
        found = sf.Optimal(metric, limit).search(frequencies, sf.KAnonymity(k), None)
        node = tuple(found.levels.values())
        best = min(safe.values())
        assert safe[node] == best
        assert (sum(node), node) == min((sum(m), m) for m in safe if safe[m] == best)
        assert found.best_so_far.proved
        n += 1

    compare()
    record_property("optima of huge tables compared with exact arithmetic", n)


HALF, WHOLE = 5 * 10**8, 10**9
SQUARES = {
    "a box beyond a word": ("p1xu p2yv q2xu", [HALF, WHOLE, WHOLE], 6),
    "squares beyond a word": ("p1xu p1yu p2xv q1xu", [3, HALF, WHOLE, WHOLE], WHOLE),
    "as many people as there may be": ("p1xu p2yv q2xu", [2**61 - 2, 2**60, 2**60], 2**60),
}


@pytest.mark.parametrize("case", SQUARES)
@pytest.mark.parametrize("suppress", ["rows", "cells"])
def test_the_optimum_by_squares_beyond_a_word_is_the_enumerated_one(case, suppress):
    rows, counts, limit = SQUARES[case]
    people = {
        (row[:2], row[2], row[3], "1"): n for row, n in zip(rows.split(), counts, strict=True)
    }
    paths = [
        [(a + b, a, "*") for a in "pq" for b in "12"],
        [("x", "*"), ("y", "*")],
        [("u", "*"), ("v", "*")],
    ]
    rules = [sf.Hierarchy.from_spec({"level_table": each}, "generated") for each in paths]
    table = Generated(list(people), paths, rules)
    frequencies = replace(table.frequencies(), counts=weighted(table, people))
    k, total = min(WHOLE, max(counts)), sum(counts)
    priced = []
    for node in naive.lattice.all_nodes(naive.lattice.heights_of(paths)):
        left, price = exact_price(people, paths, node, k, "discernibility")
        if suppress == "cells" and left >= k:
            price += left * left - left * total
        if left <= limit:
            priced.append((price, sum(node), node))
    found = sf.Optimal("discernibility", limit, suppress=suppress).search(
        frequencies, sf.KAnonymity(k), None
    )
    assert tuple(found.levels_of_most.values()) == min(priced)[2]
    assert (found.best_so_far.cost, found.best_so_far.gap) == (min(priced)[0], 0)


def weighted(table, people):
    """The number of people of every key of the table's frequency set."""
    frequencies = table.frequencies()
    labels = [
        [frequencies.domains[name].labels[code] for code in frequencies.codes(name)]
        for name in frequencies.columns
    ]
    return np.array([people[row] for row in zip(*labels, strict=True)], dtype=np.int64)


def exact_price(people, paths, node, k, metric):
    """Suppressed people of a node, and its price as a fraction."""
    sizes = {}
    for row, n in people.items():
        published = naive.lattice.generalize([row], paths, node)[0][: len(node)]
        sizes[published] = sizes.get(published, 0) + n
    total = sum(people.values())
    kept = {published: n for published, n in sizes.items() if n >= k}
    left_out = total - sum(kept.values())
    if metric == "discernibility":
        return left_out, sum(n * n for n in kept.values()) + left_out * total
    price = Fraction(left_out)
    heights = naive.lattice.heights_of(paths)
    for row, n in people.items():
        if naive.lattice.generalize([row], paths, node)[0][: len(node)] in kept:
            for j, level in enumerate(node):
                covered = naive.hierarchies.coverage(paths[j], row[j], level)
                lost = {
                    "loss": naive.loss.value_loss(covered, naive.hierarchies.base(paths[j])),
                    "precision": Fraction(level, heights[j]),
                }[metric]
                price += n * lost / len(node)
    return left_out, price


def test_more_people_than_a_search_can_add_up_are_refused():
    domain, codes = sf.Flat().grow("q", ["a", "b"])
    for counts in ([2**62, 1], [2**61, 2**61], [MOST, MOST]):
        with pytest.raises(sf.BadInput, match="more people than can be counted"):
            FrequencySet.from_codes({"q": domain}, ["q"], [], {"q": codes}, np.array(counts))
    most = FrequencySet.from_codes(
        {"q": domain}, ["q"], [], {"q": codes}, np.array([2**61, 2**61 - 1])
    )
    for method in (*METHODS, sf.Mondrian(strict=False)):
        recoding = method.search(most, sf.KAnonymity(2**61 - 1), lambda n: b"\0" * n)
        assert sorted(recoding.published_boxes(most)[1].tolist()) == [2**61 - 1, 2**61]
    with pytest.raises(sf.BadInput, match="more people than can be counted"):
        most.merge(most)


# ------------------------------------------------------------------------- a release of huge counts


class Census:
    """A source that has counted more people than a float can tell apart, and holds no row."""

    name, typed, format = "a census", True, "parquet"
    columns = ("age", "zip", "disease")
    set_valued = None
    read_counts = Source.read_counts  # it was read without settings
    rows = (
        ("30", "10", "flu", 2**53),
        ("30", "11", "flu", 2**53 + 1),
        ("40", "10", "none", 2**33),
        ("40", "11", "none", 2**31 + 1),
    )

    def people(self, person, sensitive, kept):
        return self

    def domains(self, columns, jointly, told):
        self.values = {
            c: sorted({row[self.columns.index(c)] for row in self.rows}) for c in columns
        }
        return self.values

    def count(self, codes, layout, told, at_most):
        found = [
            np.array(
                [codes[c][self.values[c].index(row[self.columns.index(c)])] for row in self.rows]
            )
            for c in codes
        ]
        digests = [np.zeros(len(self.rows), dtype=np.uint64) for _ in told]
        counts = np.array([row[-1] for row in self.rows], dtype=np.int64)
        return layout.pack(found), counts, digests


def test_a_summary_and_the_utility_of_huge_counts_are_right():
    engine = Census()
    schema = Schema.of(engine.columns, ["age", "zip"], "disease")
    table = sf.Table(engine, schema)
    n = 2**53 + 2**53 + 1 + 2**33 + 2**31 + 1
    assert table.n_rows == n
    release = sf.anonymize(table, sf.KAnonymity(2**33), sf.Samarati(2**31 + 1))
    assert release.levels == {"age": 0, "zip": 0}
    assert (release.n_rows, release.n_suppressed) == (n - 2**31 - 1, 2**31 + 1)
    found = release.summary().to_json()
    assert found["rows"] == n - 2**31 - 1
    assert (found["smallest_group"], found["largest_group"]) == (2**33, 2**53 + 1)
    squares = 2**106 + (2**53 + 1) ** 2 + 2**66
    assert (
        found["discernibility"] == squares + (2**31 + 1) * n == sf.utility.discernibility(release)
    )
    lost = pytest.approx((2**31 + 1) / n)
    assert found["information_loss"] == lost == sf.utility.information_loss(release)
    assert sf.utility.precision(release) == pytest.approx(1 - (2**31 + 1) / n)
    assert sf.check(table, sf.KAnonymity(2**31 + 1))
    assert not sf.check(table, sf.KAnonymity(2**31 + 2))
    assert sf.check(table, sf.LDiversity(1)).to_json()["rows"] == n
    generalized = sf.anonymize(table, sf.KAnonymity(2**53 + 1), sf.Samarati())
    assert generalized.levels == {"age": 1, "zip": 0}
    assert sum(generalized.sizes.tolist()) == n


# ------------------------------------------------------------------ tables of almost nothing

ALMOST_NOTHING = {
    "one row": {"a": ["x"], "s": ["flu"]},
    "one value": {"a": ["x"] * 4, "s": ["flu"] * 4},
    "one group": {"a": ["x"] * 4, "s": ["flu", "none", "HIV", None]},
    "all missing": {"a": [None] * 4, "b": [None] * 4, "s": [None] * 4},
    "all different": {"a": ["v", "w", "x", "y"], "b": [1, 2, 3, None], "s": list("pqrs")},
}
ON_ALMOST_NOTHING = [
    sf.Mondrian(),
    sf.Mondrian(strict=False),
    sf.Samarati(),
    sf.Optimal(),
]


@pytest.mark.parametrize("with_values", [False, True], ids=["one column", "with values"])
@pytest.mark.parametrize("columns", ALMOST_NOTHING.values(), ids=ALMOST_NOTHING.keys())
def test_a_table_of_almost_nothing_is_published_or_refused(columns, with_values, record_property):
    """k = 1 and k = n are kept, k = n + 1 is refused; the published table has all n rows."""
    names = [name for name in columns if name != "s"] if with_values else ["a"]
    table = sf.read(pa.table(columns), names, "s" if with_values else None)
    n, n_values = len(columns["a"]), len(set(columns["s"]))
    releases = 0
    for method in ON_ALMOST_NOTHING:
        kept = [sf.KAnonymity(1), sf.KAnonymity(n)]
        broken = [sf.KAnonymity(n + 1)]
        if with_values:
            kept += [sf.LDiversity(n_values), sf.TCloseness(0), sf.AlphaKAnonymity(1, n)]
            kept += [sf.PSensitiveKAnonymity(n_values, n)] if n_values <= n else []
            broken += [sf.LDiversity(n_values + 1), sf.RecursiveDiversity(1, n_values + 1)]
        for criterion in kept:
            release = sf.anonymize(table, criterion, method)
            assert (release.n_rows, release.n_suppressed) == (n, 0)
            assert release.check().n_rows == n
            if criterion == sf.KAnonymity(n):
                assert release.sizes.tolist() == [n]
            releases += 1
        for criterion in broken:
            with pytest.raises(sf.Unsatisfiable):
                sf.anonymize(table, criterion, method)
            releases += 1
    record_property("releases of tables of almost nothing", releases)


@pytest.mark.parametrize(
    "rule",
    [sf.Flat(), sf.Prefix(), sf.Intervals(5, 10), sf.Dates(), sf.Tree(["x"])],
    ids=lambda rule: type(rule).__name__,
)
def test_a_column_without_any_value_is_published_without_any(rule, tmp_path):
    table = sf.read(pa.table({"a": pa.array([None] * 3, pa.string())}), {"a": rule})
    for method in ON_ALMOST_NOTHING:
        release = sf.anonymize(table, sf.KAnonymity(3), method)
        assert set(release.to_arrow()["a"].to_pylist()) <= {None, "*"}
        assert release.check()
