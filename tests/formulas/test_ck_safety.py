"""(c,k)-safety: the fast minimum against all worlds and all choices of k implications."""

import itertools
import random
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.knowledge
from profiles import examples
from sfumato.data.groups import Histogram
from sfumato.errors import BadInput
from sfumato.formulas.knowledge.implications import exact_lacking, exposed, largest_belief


def release(groups):
    """Histogram and sizes of lists of values."""
    values = sorted({value for group in groups for value in group})
    dense = [[group.count(value) for value in values] for group in groups]
    matrix = np.array(dense, dtype=np.int64).reshape(len(groups), len(values))
    return Histogram.from_dense(matrix), np.array([len(group) for group in groups], dtype=np.int64)


def of_counts(rows):
    return release([[v for v, n in enumerate(row) for _ in range(n)] for row in rows])


GROUPS = st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=4), min_size=1, max_size=2)
SMALL = GROUPS.filter(lambda groups: sum(map(len, groups)) <= 6)


@examples(150)
@given(SMALL, st.integers(0, 3))
def test_beliefs_equal_those_over_all_worlds_and_all_implications(groups, k):
    expected = naive.knowledge.beliefs_with_implications(groups, k)
    histogram, sizes = release(groups)
    assert largest_belief(histogram, sizes, k) == max(expected)
    for c in {*expected, Fraction(1, 2), Fraction(9, 10), Fraction(1)}:
        assert exposed(histogram, sizes, c, k).tolist() == [each >= c for each in expected]


@pytest.mark.parametrize(
    ("groups", "k"),
    [
        (["aabbc", "abc"], 2),
        (["abcd", "aab"], 2),
        (["abcde"], 3),
        (["abcd", "abcd"], 2),
        (["ab", "ab", "abc"], 1),
        (["aabc", "abcc"], 3),
        (["a", "abcd"], 1),
        (["aabbccd"], 3),
    ],
)
def test_more_values_and_more_groups_too(groups, k):
    groups = [list(group) for group in groups]
    expected = naive.knowledge.beliefs_with_implications(groups, k)
    histogram, sizes = release(groups)
    assert largest_belief(histogram, sizes, k) == max(expected)
    for c in {*expected, min(Fraction(1), max(expected) + Fraction(1, 10**12))}:
        assert exposed(histogram, sizes, c, k).tolist() == [each >= c for each in expected]


def partitions(n, most):
    if n == 0:
        yield ()
    for first in range(min(n, most), 0, -1):
        for rest in partitions(n - first, first):
            yield (first, *rest)


def lacking(counts, j):
    """M(g, j) straight from its definition."""
    n, counts = sum(counts), sorted(counts, reverse=True)
    found = []
    for parts in partitions(j, j):
        product = Fraction(1)
        for i, a in enumerate(parts):
            left = max(0, n - i - sum(counts[:a]))
            product = product * left / (n - i) if left else Fraction(0)
            if not product:
                break
        found.append(product)
    return min(found)


def odds(groups, k):
    """The least odds of every group straight from the definition: all splits of k + 1."""
    found = [None] * len(groups)
    for split in itertools.product(range(k + 2), repeat=len(groups)):
        if sum(split) == k + 1:
            whole = Fraction(1)
            for counts, j in zip(groups, split, strict=True):
                whole *= lacking(counts, j)
            for g, (counts, j) in enumerate(zip(groups, split, strict=True)):
                if j:
                    here = whole * sum(counts) / max(counts)
                    found[g] = here if found[g] is None else min(found[g], here)
    return found


COUNTED = st.lists(st.lists(st.integers(1, 30), min_size=1, max_size=8), min_size=1, max_size=4)


@examples(150)
@given(COUNTED, st.integers(0, 5), st.booleans())
def test_larger_groups_equal_the_minimum_over_all_splits_and_partitions(groups, k, twice):
    if twice:  # groups of one kind
        groups = [*groups[:2], *groups[:2]]
    expected = [1 / (1 + each) for each in odds(groups, k)]
    histogram, sizes = of_counts(groups)
    assert largest_belief(histogram, sizes, k) == max(expected)
    near = [each + Fraction(sign, 10**14) for each in expected for sign in (-1, 0, 1)]
    for c in {each for each in near if each <= 1}:
        assert exposed(histogram, sizes, c, k).tolist() == [each >= c for each in expected]


@examples(100)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=7), st.integers(0, 8))
def test_the_least_probability_in_a_group_is_over_all_partitions(counts, most):
    falling = sorted(counts, reverse=True)
    expected = [lacking(counts, j) for j in range(most + 1)]
    assert exact_lacking(sum(counts), falling, most) == expected
    assert expected == sorted(expected, reverse=True)  # more statements, less probable


@pytest.mark.long
def test_many_groups_of_many_kinds_have_the_exact_answer_of_the_worst_few():
    """What is far from the worst does not matter: the answer is that of a few groups alone."""
    chance = random.Random(5)
    rows = [[chance.randint(8, 12) for _ in range(12)] for _ in range(3000)]
    histogram, sizes = of_counts(rows)
    k = 3
    found = largest_belief(histogram, sizes, k)
    worst = set()
    for j in range(1, k + 2):
        worst |= set(sorted(range(len(rows)), key=lambda g, j=j: lacking(rows[g], j))[: k + 2])
    frequent = sorted(range(len(rows)), key=lambda g: -max(rows[g]) / sum(rows[g]))[:20]
    few = [rows[g] for g in sorted({*worst, *frequent})]
    assert found == largest_belief(*of_counts(few), k)
    hit = exposed(histogram, sizes, found, k)
    assert hit.any()
    assert not exposed(histogram, sizes, found + Fraction(1, 10**15), k).any()


def test_groups_that_are_alike_but_for_one_are_told_apart_by_who_else_is_there():
    """A pair of kinds: whoever is in the only weak group lacks another weak one to lean on."""
    weak, strong = [3, 1, 1, 1, 1, 1], [1] * 9
    alone, two = of_counts([weak, strong]), of_counts([weak, weak, strong])
    assert largest_belief(*alone, 1) == max(naive_beliefs := beliefs([weak, strong], 1))
    assert naive_beliefs[1] < naive_beliefs[0]
    assert largest_belief(*two, 1) == max(beliefs([weak, weak, strong], 1))


def beliefs(groups, k):
    return [1 / (1 + each) for each in odds(groups, k)]


# ------------------------------------------------------------------------------------ boundaries


@examples(100)
@given(COUNTED, st.integers(0, 20))
def test_as_many_implications_as_other_values_make_somebody_certain(groups, more):
    """Proposition 5 of Chen 2009, and everybody once there are as many as a group has values."""
    histogram, sizes = of_counts(groups)
    fewest = min(map(len, groups))
    assert largest_belief(histogram, sizes, fewest - 1 + more) == 1
    assert exposed(histogram, sizes, Fraction(1), fewest + more).all()
    alike = [[1] * fewest] if fewest > 1 else [[1, 1]]
    assert largest_belief(*of_counts(alike), len(alike[0]) - 2) < 1


def test_huge_amounts_of_knowledge_cost_nothing():
    histogram, sizes = of_counts([[1] * 50])
    assert largest_belief(histogram, sizes, 10**9) == 1


def test_groups_of_nobody_expose_nobody_and_hold_no_statement():
    histogram = Histogram.from_dense([[2, 1, 1], [0, 0, 0]])
    sizes = np.array([4, 0])
    assert largest_belief(histogram, sizes, 1) == largest_belief(*of_counts([[2, 1, 1]]), 1)
    assert exposed(histogram, sizes, Fraction(1, 100), 1).tolist() == [True, False]
    assert exposed(histogram, sizes, Fraction(1, 100), 5).tolist() == [True, False]
    empty = Histogram.from_dense(np.zeros((0, 3), dtype=np.int64))
    assert largest_belief(empty, np.zeros(0, dtype=np.int64), 1) == 0
    assert exposed(empty, np.zeros(0, dtype=np.int64), Fraction(1, 2), 1).tolist() == []


def test_sets_of_values_are_refused():
    with pytest.raises(BadInput, match="one value"):
        largest_belief(Histogram.from_dense([[2, 2]]), np.array([3]), 1)


def test_across_groups_implications_do_more_than_within_one():
    """So nothing can be judged group by group: each of these two alone is below 0.67."""
    groups = [[5, 2, 3, 1, 2], [6, 1, 2, 2, 6]]
    alone = [largest_belief(*of_counts([group]), 2) for group in groups]
    assert alone == [Fraction(55, 83), Fraction(2, 3)]
    assert largest_belief(*of_counts(groups), 2) == max(beliefs(groups, 2)) == Fraction(17, 25)


# ---------------------------------------------------------------------------------- monotonicity


ROWS = st.lists(
    st.lists(st.integers(0, 4), min_size=4, max_size=4).filter(any), min_size=2, max_size=3
)


@examples(200)
@given(ROWS, st.integers(0, 2))
def test_merging_groups_makes_nobody_more_certain(rows, k):
    """Neither those who are merged, beyond the more certain half, nor those of other groups."""
    first, second, *rest = rows
    merged = [[a + b for a, b in zip(first, second, strict=True)], *rest]
    before, after = of_counts(rows), of_counts(merged)
    assert largest_belief(*after, k) <= largest_belief(*before, k)
    apart = beliefs([[n for n in row if n] for row in rows], k)
    for c in {*apart}:
        was, now = exposed(*before, c, k), exposed(*after, c, k)
        assert now[0] <= (was[0] | was[1])
        assert (now[1:] <= was[2:]).all()


def test_the_number_of_implications_only_adds():
    groups = [[4, 3, 2, 1, 1, 1], [2, 2, 2, 2, 2]]
    found = [largest_belief(*of_counts(groups), k) for k in range(6)]
    assert found == sorted(found)
    assert found[0] == Fraction(1, 3)  # no implication: the largest share
    assert Counter(found)[Fraction(1)] == 2
