"""Credibility against listing every world, and at sizes where listing is out of the question."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import naive.minimality
from profiles import examples
from sfumato.formulas.minimality import exact as exact_credibility
from sfumato.formulas.minimality.credibility import (
    NobodyBreaks,
    credibility,
    credibility_local,
    credibility_superset,
)

LS = st.sampled_from([1, 2, 3, Fraction(5, 2), Fraction(7, 3), 1.5])


@st.composite
def classes(draw, largest=7):
    found = []
    for _ in range(draw(st.integers(1, 4))):
        size = draw(st.integers(1, largest))
        generalized = draw(st.integers(0, size))
        found.append((size, generalized, draw(st.integers(0, size - generalized))))
    return found


def agrees(found, expected):
    return all(
        math.isclose(a, b, rel_tol=1e-12, abs_tol=0) for a, b in zip(found, expected, strict=True)
    )


@examples(300)
@given(classes(), st.data(), LS)
def test_parts_of_classes_agree_with_all_worlds(given_classes, data, l):
    n_sensitive = data.draw(st.integers(0, sum(g for _, g, _ in given_classes)))
    expected = naive.minimality.credibility_local(given_classes, n_sensitive, l)
    if expected is None:
        with pytest.raises(ValueError, match="nothing was generalized"):
            credibility_local(given_classes, n_sensitive, l)
    else:
        assert agrees(credibility_local(given_classes, n_sensitive, l), expected)


@pytest.mark.long
@examples(100)
@given(st.lists(st.integers(1, 6), min_size=1, max_size=4), st.data(), LS)
def test_whole_classes_agree_with_all_worlds(sizes, data, l):
    n_sensitive = data.draw(st.integers(0, sum(sizes)))
    expected = naive.minimality.credibility_local([(n, n, 0) for n in sizes], n_sensitive, l)
    assume(expected is not None)
    assert agrees(credibility(sizes, n_sensitive, l), expected)


@examples(60)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=3), st.data(), LS)
def test_people_who_may_be_absent_agree_with_all_choices(population, data, l):
    n_present = data.draw(st.integers(1, sum(population)))
    n_sensitive = data.draw(st.integers(0, n_present))
    expected = naive.minimality.credibility_superset(population, n_present, n_sensitive, l)
    if expected is None:
        with pytest.raises(ValueError, match="nothing was generalized"):
            credibility_superset(population, n_present, n_sensitive, l)
    else:
        assert credibility_superset(population, n_present, n_sensitive, l) == expected


@pytest.mark.parametrize(
    ("sizes", "n_sensitive", "l"),
    [
        ([3] * 40, 20, 2),
        ([1, 2, 3, 5, 8, 13] * 5, 30, 3),
        ([40, 60], 30, 2),
        ([90, 10], 20, Fraction(5, 2)),
        ([100, 100], 60, 2),  # breaking is a tail that no float of a binomial would show
        ([200, 1], 90, 2),
    ],
)
def test_many_people_agree_with_exact_counts(sizes, n_sensitive, l):
    expected = naive.minimality.credibility_counted(sizes, n_sensitive, l)
    found = credibility(sizes, n_sensitive, l)
    assert max(abs(a / float(b) - 1) for a, b in zip(found, expected, strict=True)) < 1e-9


@pytest.mark.parametrize(
    ("sizes", "n_sensitive"),
    [
        ([2] * 50_000, 20_000),
        ([50_000, 50_000], 30_000),
        ([99_000, 1_000], 20_000),
        ([60_000, 40_000], 30_001),
        ([1, 2, 3, 5, 8, 13] * 3_000, 10_000),
    ],
)
def test_a_hundred_thousand_people_neither_overflow_nor_vanish(sizes, n_sensitive):
    found = credibility(sizes, n_sensitive, 2)
    assert ((found >= 0) & (found <= 1)).all()
    # Whatever is known, everybody's beliefs add up to the sensitive people there are.
    assert math.isclose(float(found @ np.array(sizes)), n_sensitive, rel_tol=1e-9)


def test_classes_of_one_kind_are_believed_alike():
    """Theorem 1's side: with classes of one size there is nothing to tell them apart by."""
    assert np.allclose(credibility([5] * 7, 12, 2), 12 / 35, rtol=1e-12)


@given(st.lists(st.integers(1, 5), min_size=1, max_size=3), st.data())
def test_without_exclusion_belief_is_the_share(sizes, data):
    """Theorem 1: if every world breaks the rule, nothing is learnt."""
    n_sensitive = data.draw(st.integers(1, sum(sizes)))
    worlds = [
        ms for ms in itertools.product(*(range(n + 1) for n in sizes)) if sum(ms) == n_sensitive
    ]
    assume(all(any(2 * m > n for m, n in zip(ms, sizes, strict=True)) for ms in worlds))
    assert np.allclose(credibility(sizes, n_sensitive, 2), n_sensitive / sum(sizes), rtol=1e-12)


@pytest.mark.parametrize(
    ("given_classes", "n_sensitive", "l"),
    [([(3, 4, 0)], 1, 2), ([(3, 1, 3)], 1, 2), ([(3, 3, 0)], 4, 2), ([(3, 3, 0)], 1, 0)],
)
def test_impossible_counts_are_refused(given_classes, n_sensitive, l):
    with pytest.raises(ValueError, match=r"no class has|cannot be sensitive|above 0"):
        credibility_local(given_classes, n_sensitive, l)


@examples(100)
@given(classes(largest=12), st.data(), LS)
def test_whole_numbers_and_floats_count_the_same_ways(given_classes, data, l):
    """Either is right by itself; which one is used is only a matter of speed."""
    n_sensitive = data.draw(st.integers(0, sum(g for _, g, _ in given_classes)))
    found = []
    for most_steps in (-1, 10**9):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(exact_credibility, "MOST_STEPS", most_steps)
            try:
                found.append(credibility_local(given_classes, n_sensitive, l))
            except NobodyBreaks:
                found.append([])
    assert agrees(*found)
