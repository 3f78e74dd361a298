"""A MASK that holds: enumerated person by person, and no mechanism changes fewer values."""

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

import naive.masking
from sfumato.formulas.masking.posterior import NeverPublished, posteriors
from sfumato.formulas.masking.public_draws import (
    beliefs,
    binomial,
    expected_changes,
    hypergeometric,
    largest_cap,
    public_draws,
)
from sfumato.formulas.masking.refusal import refusal

F = Fraction


def priors(seed, n):
    draw = random.Random(seed)
    while n:
        size, m = draw.randint(1, 9), draw.choice([F(2), F(3), F(5, 2), F(4)])
        if draw.random() < 0.6:
            prior = binomial(size, F(draw.randint(1, 40), 40) / m)
        else:
            n_unpublished = draw.randint(1, 12)
            total = draw.randint(0, n_unpublished)
            if total * m > size + n_unpublished:
                continue
            prior = hypergeometric(size, n_unpublished, total)
        n -= 1
        yield prior, m


def test_every_output_stays_within_1_over_m():
    for prior, m in priors(4, 300):
        draws = public_draws(prior, m)
        assert sorted(draws) == list(range(len(prior)))
        for x, draw in draws.items():
            assert sum(draw.values()) == 1
            assert all(0 < chance <= 1 and y <= x for y, chance in draw.items())
            assert x * m > len(prior) - 1 or draw == {x: 1}  # who does not violate is untouched
        assert max(beliefs(prior, draws)) <= 1 / m


@pytest.mark.parametrize("n", [40, pytest.param(1000, marks=pytest.mark.slow)])
def test_no_mechanism_changes_fewer_values(n):
    """Against a linear program over all mechanisms that make nobody sensitive."""
    for prior, m in priors(5, n):
        least = float(expected_changes(prior, public_draws(prior, m)))
        assert least == pytest.approx(_least_changes(prior, m), abs=1e-7)
        cap = largest_cap(prior, m)
        capped = {x: {min(x, cap): F(1)} for x in range(len(prior))}
        assert max(beliefs(prior, capped)) <= 1 / m
        assert expected_changes(prior, capped) >= least - 1e-12


def test_values_say_nothing_when_they_are_drawn_from_the_prior():
    """People one by one, two other values: all that is published depends on pooled numbers."""
    shares = (F(1, 3), F(2, 3))
    for sizes, m in [((3, 2), F(2)), ((2, 2), F(3, 2)), ((4, 1), F(3))]:
        p0 = F(4, 5) / m
        priors = {size: binomial(size, p0) for size in sizes}
        draws = {size: public_draws(priors[size], m) for size in sizes}
        seen = naive.masking.learned(
            sizes, p0, shares, lambda groups, d=draws: naive.masking.drawn(groups, d, (), shares, 3)
        )
        for output, found in seen.items():
            for histogram, size, belief in zip(output, sizes, found, strict=True):
                by_number = beliefs(priors[size], draws[size])
                assert belief == by_number[histogram[0]] <= 1 / m
        fewer = naive.masking.learned(
            sizes,
            p0 / 3,
            shares,
            lambda groups, d=draws: naive.masking.drawn(groups, d, (), shares, 3),
        )
        assert max(map(max, fewer.values())) <= 1 / m  # a smaller prior is covered, too


@pytest.mark.parametrize(("sizes", "m", "total"), [((3, 2, 4), 2, 2), ((2, 2, 3), 2, 1)])
def test_a_known_total_needs_people_of_whom_nothing_is_published(sizes, m, total):
    """The last group is held back: m times as many people as are sensitive."""
    held_back = sizes[-1]
    assert held_back >= m * total
    draws = {size: public_draws(hypergeometric(size, held_back, total), F(m)) for size in sizes}
    reserve = (len(sizes) - 1,)
    found = naive.masking.learned(
        sizes,
        F(1, 2),
        (F(1),),
        lambda groups: naive.masking.drawn(groups, draws, reserve, (F(1),), 2),
        total=total,
    )
    assert max(map(max, found.values())) <= F(1, m)


def test_without_them_a_known_total_tells_what_was_hidden():
    sizes, m = (3, 2, 4), F(2)
    draws = {size: public_draws(binomial(size, F(2, 9)), m) for size in sizes}
    found = naive.masking.learned(
        sizes,
        F(1, 2),
        (F(1),),
        lambda groups: naive.masking.drawn(groups, draws, (), (F(1),), 2),
        total=2,
    )
    assert max(map(max, found.values())) > 1 / m


@pytest.mark.parametrize(("l", "size"), [(2, 2), (2, 4), (3, 3), (4, 4)])
def test_mask_holds_at_no_prior_where_l_divides_a_size(l, size):
    """As many groups as l, all published with exactly 1/l: one of them may hide more."""
    for p0 in (F(1, 10**6), F(1, 100)):
        published = [size // l] * l
        assert min(posteriors([size] * l, published, F(l), p0)) > F(1, l)


@pytest.mark.parametrize(
    ("l", "size", "n_groups", "largest"), [(2, 3, 3, 150), (2, 5, 3, 260), (3, 2, 4, 210)]
)
def test_the_largest_prior_at_which_mask_holds(l, size, n_groups, largest):
    """In thousandths, by tens; see bench/masking.py for the whole table."""
    assert _mask_at_worst(size, n_groups, l, F(largest, 1000)) <= F(1, l)
    assert _mask_at_worst(size, n_groups, l, F(largest + 10, 1000)) > F(1, l)


def test_a_prior_above_1_over_m_is_refused():
    with pytest.raises(ValueError, match="take a smaller m"):
        public_draws(binomial(3, F(2, 3)), F(2))
    with pytest.raises(ValueError, match="take a smaller m"):
        largest_cap(binomial(3, F(2, 3)), F(2))
    at_most = public_draws(binomial(3, F(1, 2)), F(2))  # nothing is learned at 1/m
    assert beliefs(binomial(3, F(1, 2)), at_most) == [F(1, 2)] * 2


def test_thinning_alone_never_holds():
    """Every sensitive value replaced with probability r: a wholly sensitive group may come out."""
    size, p0, r = 3, F(1, 100), F(99, 100)
    thinned = {
        x: {y: math.comb(x, y) * (1 - r) ** y * r ** (x - y) for y in range(x + 1)}
        for x in range(size + 1)
    }
    assert beliefs(binomial(size, p0), thinned)[-1] == 1


def _mask_at_worst(size, n_groups, l, p0):
    worst = [refusal([size] * n_groups, F(l), p0)[0]]
    for published in itertools.combinations_with_replacement(range(size // l + 1), n_groups):
        try:
            worst += posteriors([size] * n_groups, published, F(l), p0)
        except NeverPublished:
            continue
    return max(worst)


def _least_changes(prior, m):
    size = len(prior) - 1
    pairs = [(x, y) for x in range(size + 1) for y in range(x + 1)]
    weights = np.array([float(prior[x]) for x, _ in pairs])
    found = linprog(
        [(x - y) * w for (x, y), w in zip(pairs, weights, strict=True)],
        A_ub=[
            [
                (x - size / float(m)) * w * (y == at)
                for (x, y), w in zip(pairs, weights, strict=True)
            ]
            for at in range(size + 1)
        ],
        b_ub=np.zeros(size + 1),
        A_eq=[[float(x == at) for x, _ in pairs] for at in range(size + 1)],
        b_eq=np.ones(size + 1),
    )
    return found.fun
