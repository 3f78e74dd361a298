"""What MASK gives away (Wong 2009, section 6): counted by group against worlds of people."""

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest

import naive.masking
from sfumato.data.groups import Histogram
from sfumato.formulas.masking.at_limit import above_limit
from sfumato.formulas.masking.lots import Masking, outputs
from sfumato.formulas.masking.posterior import NeverPublished, posteriors
from sfumato.formulas.masking.refusal import refusal
from sfumato.formulas.masking.values import posteriors_by_value

F = Fraction
XXI = [2, 2, 2]  # people in Q, q3 and q4
ONE_VALUE = (F(1),)


@pytest.mark.parametrize(
    ("published", "expected", "with_one_reference"),
    [
        ((1, 1, 0), [F(5, 8), F(5, 8), 0], [F(5, 8), F(5, 8), 0]),  # XXI(c)
        ((0, 1, 1), [0, F(5, 8), F(5, 8)], [0, F(5, 8), F(5, 8)]),
        ((1, 1, 1), [F(3, 5)] * 3, [F(17, 26)] * 3),
        ((0, 0, 0), [F(1, 4)] * 3, [F(3, 7)] * 3),
    ],
)
def test_table_xxi_and_theorem_4(published, expected, with_one_reference):
    """Above 1/2, which theorem 4 rules out; section 6.1.2 beside it."""
    assert posteriors(XXI, published, F(2)) == expected
    assert posteriors(XXI, published, F(2), reference=1) == with_one_reference


def test_the_group_that_looks_safest_can_be_believed_most():
    """Nobody of two is published; shares of fives leave nobody of two, whatever was there."""
    found = posteriors([2, 5, 5, 5], [0, 1, 1, 2], F(2))
    assert found == _beliefs([2, 5, 5, 5], F(2), F(1, 2), "paper")[0, 1, 1, 2]
    assert found == [F(21, 26), F(7, 20), F(7, 20), F(2, 5)]


def test_a_refusal_says_most():
    assert refusal(XXI, F(2)) == [F(4, 5)] * 3
    assert refusal(XXI, F(2), reference=1) == [1] * 3
    with pytest.raises(NeverPublished, match="refuses no table"):
        refusal(XXI, F(1))


def test_telling_how_many_were_changed_says_more():
    """Three sensitive people, two of them published: table XXI(c) with its own number told."""
    assert posteriors(XXI, (1, 1, 0), F(2), total=3) == [F(3, 4), F(3, 4), 0]
    assert posteriors(XXI, (1, 1, 0), F(2), total=2) == [F(1, 2), F(1, 2), 0]


def test_beliefs_average_to_the_prior():
    for l, reference in itertools.product((F(2), F(3)), ("paper", 1)):
        sizes, p0 = [3, 2, 4, 3], F(1, 5)
        seen = _chances(sizes, l, p0, reference)
        mean = [F(0)] * len(sizes)
        for output, chance in seen.items():
            if output is None:
                found = refusal(sizes, l, p0, reference)
            else:
                found = posteriors(sizes, output, l, p0, reference)
            mean = [a + chance * b for a, b in zip(mean, found, strict=True)]
        assert mean == [p0] * len(sizes)


@pytest.mark.parametrize("least", [500, pytest.param(20_000, marks=pytest.mark.slow)])
def test_every_world_and_lot_counts(least):
    """Against people one by one: pooled numbers, known totals, full histograms, refusals."""
    draw = random.Random(21)
    n_outputs = n_differ = 0
    while n_outputs < least:
        sizes = [draw.randint(1, 3) for _ in range(draw.randint(1, 4))]
        shares = draw.choice([ONE_VALUE, (F(1, 3), F(2, 3)), (F(1, 3), F(1, 6), F(1, 2))])
        if (1 + len(shares)) ** sum(sizes) > 300:
            continue
        l, p0 = draw.choice([F(2), F(3), F(3, 2)]), draw.choice([F(1, 2), F(1, 3), F(1, 7)])
        reference, replacement = draw.choice(["paper", 1]), draw.choice(["table", "group"])
        settings = l, p0, shares, reference, replacement
        for output, expected in naive.masking.beliefs(sizes, *settings).items():
            n_outputs += 1
            if output is None:
                assert refusal(sizes, l, p0, reference) == expected
                continue
            assert posteriors_by_value(output, *settings) == expected
            pooled = posteriors(sizes, naive.masking.pooled(output), l, p0, reference)
            n_differ += pooled != expected
            assert pooled == expected or len(shares) > 1  # one other value: nothing is added
        total = draw.choice([None, draw.randint(0, sum(sizes))])
        look = naive.masking.pooled
        for seen, expected in naive.masking.beliefs(
            sizes, l, p0, ONE_VALUE, reference, total=total, look=look
        ).items():
            n_outputs += 1
            if seen is None:
                assert refusal(sizes, l, p0, reference, total) == expected
            else:
                assert posteriors(sizes, seen, l, p0, reference, total) == expected
    assert n_differ > least // 10


def test_larger_groups_against_numbers():
    """Against numbers of sensitive people, with binomial weights, where people are too many."""
    draw = random.Random(6)
    for _ in range(12):
        sizes = [draw.randint(1, 6) for _ in range(draw.randint(2, 4))]
        l, p0 = draw.choice([F(2), F(3), F(5, 2), F(4)]), draw.choice([F(1, 2), F(1, 9)])
        reference = draw.choice(["paper", 1])
        for output, expected in _beliefs(sizes, l, p0, reference).items():
            if output is None:
                assert refusal(sizes, l, p0, reference) == expected
            else:
                assert posteriors(sizes, output, l, p0, reference) == expected


def test_own_values_betray_who_was_replaced():
    """Two x in a group of three that were drawn from its own: one was there, or none could be."""
    shares = (F(1, 3), F(1, 6), F(1, 2))
    published = [(0, 0, 1, 0), (0, 0, 3, 0)]
    settings = F(3, 2), F(1, 3), shares
    by_value = posteriors_by_value(published, *settings, replacement="group")
    assert by_value == [F(3, 31), F(27, 31)]
    assert posteriors([1, 3], [0, 0], *settings[:2]) == [F(4, 13), F(1, 13)]


def test_a_value_published_once_was_nobodys_replacement():
    """All other values differ, so nothing was changed and the published shares are the truth."""
    published = [(1, 1, 0, 0, 0), (1, 0, 1, 0, 0), (0, 0, 0, 1, 1)]
    found = posteriors_by_value(published, F(2), F(1, 3), [F(1, 4)] * 4)
    assert found == [F(1, 2), F(1, 2), 0]
    assert max(posteriors(XXI, [1, 1, 0], F(2), F(1, 3))) > F(1, 2)


def test_many_groups_are_weighed_by_likeness():
    """2^50 sets of violating groups, of which the most are alike."""
    found = posteriors([2] * 50, [1] * 10 + [0] * 40, F(2), F(1, 10))
    assert found is not None
    assert found[0] > F(1, 2) > found[-1]
    varied = [2 + i % 4 for i in range(40)]
    some = [i % 3 % 2 for i in range(40)]
    assert posteriors(varied, some, F(2), F(1, 10), most_references=20) is None
    assert posteriors_by_value([(0, 5, 5)] * 4, F(2), F(1, 3), [F(1, 2)] * 2, most_states=9) is None


@pytest.mark.parametrize(
    ("published", "total", "why"),
    [
        ([2, 0, 0], None, "no group of which more than 1/l"),
        ([1, 1, 0], 1, "makes nobody sensitive"),
        ([1, 1, 0], 6, "no table with so many"),
    ],
)
def test_what_mask_never_publishes_is_said(published, total, why):
    with pytest.raises(NeverPublished, match=why):
        posteriors(XXI, published, F(2), total=total)


def _tables(sizes, p0):
    """Give every vector of sensitive people by group, and its binomial weight."""
    for numbers in itertools.product(*(range(size + 1) for size in sizes)):
        pairs = list(zip(sizes, numbers, strict=True))
        yield numbers, math.prod(math.comb(n, x) * p0**x * (1 - p0) ** (n - x) for n, x in pairs)


def _chances(sizes, l, p0, reference):
    chances = {}
    for numbers, weight in _tables(sizes, p0):
        for output, chance in outputs(sizes, numbers, l, reference).items():
            chances[output] = chances.get(output, 0) + weight * chance
    return chances


def _beliefs(sizes, l, p0, reference):
    chances, people = _chances(sizes, l, p0, reference), {}
    for numbers, weight in _tables(sizes, p0):
        for output, chance in outputs(sizes, numbers, l, reference).items():
            before = people.get(output, [F(0)] * len(sizes))
            shares = [F(x, n) for x, n in zip(numbers, sizes, strict=True)]
            people[output] = [a + weight * chance * b for a, b in zip(before, shares, strict=True)]
    return {seen: [n / chances[seen] for n in sums] for seen, sums in people.items()}


def test_groups_at_the_limit_are_believed_above_it_where_it_is_said_so():
    """For every output of small tables, by the exact posterior of all values."""
    draw = random.Random(20)
    seen = set()
    for _ in range(400):
        l = draw.choice([F(2), F(3), F(3, 2), F(1)])
        replacement, reference = draw.choice(["table", "group"]), draw.choice(["paper", 1])
        n_values = draw.choice([1, 2, 3])
        published = []
        for _ in range(draw.randint(1, 4)):
            size = draw.randint(1, 4)
            at_limit = draw.random() < 0.8 and (size / l).denominator == 1
            n_masked = int(size / l) if at_limit else draw.randint(0, math.floor(size / l))
            others = [draw.randrange(n_values) for _ in range(size - n_masked)]
            published.append((n_masked, *(others.count(value) for value in range(n_values))))
        lots = Masking(l, reference, replacement)
        masked = np.arange(1 + n_values) == 0
        above = above_limit(Histogram.from_dense(published), masked, lots)
        shares = [F(1, n_values)] * n_values
        for p0 in (F(1, 20), F(2, 5)):
            exact = posteriors_by_value(published, l, p0, shares, reference, replacement)
            for histogram, said, belief in zip(published, above, exact, strict=True):
                if histogram[0] * l == sum(histogram):
                    assert said == (belief > 1 / l)
                    seen.add((said, replacement, reference))
                else:
                    assert not said
    assert len(seen) == 8
