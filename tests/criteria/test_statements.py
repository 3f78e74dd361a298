"""What criteria state of themselves is true: of every small group."""

import itertools
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

import sfumato as sf
from sfumato.algorithms import compatibility as registry

DOMAIN, _ = sf.Tree({"low": ["1", "2"], "high": ["5", "9"]}).grow("score", ["1", "2", "5", "9"])
EVERYTHING_IS_SAFE = sf.RecursiveDiversity(2, 1)
CHOSEN = [
    sf.KAnonymity(3),
    sf.BCFAnonymity(2),
    sf.LDiversity(2),
    sf.LDiversity(2, values=["1", "2"], pooled=True),
    sf.LDiversity("5/2", "entropy"),
    sf.LDiversity("3/2", "entropy", values=["1", "2"], pooled=True),
    sf.LDiversity("5/2", "frequency"),
    sf.LDiversity(2, "frequency", values=["2", "5"]),
    sf.LDiversity(2, "frequency", values=["2", "5"], pooled=True),
    sf.RecursiveDiversity(3, 2),
    sf.RecursiveDiversity("2/3", 3),
    sf.RecursiveDiversity("1/2", 1),
    EVERYTHING_IS_SAFE,
    sf.TCloseness("1/2"),
    sf.TCloseness("1/4", "ordered"),
    sf.AlphaKAnonymity("2/5", 3),
    sf.AlphaKAnonymity("1/2", 2, values=["9"]),
    sf.AlphaKAnonymity("1/2", 1, values=["1", "9"], pooled=True),
    sf.PSensitiveKAnonymity(2, 3),
    sf.KEAnonymity(2, 4),
    sf.KEAnonymity(2, 0),
    sf.CKSafety("4/5", 1),
    sf.Skyline([(1, 0, 0, "4/5")]),
]
CRITERIA = CHOSEN + [
    each
    for each in registry.criteria()  # and all others, the examples that they give
    if each.guarding is None and not each.sets and each not in CHOSEN
]
COUNTS = np.array([each for each in itertools.product(range(5), repeat=4) if any(each)])
SIZES = COUNTS.sum(axis=1)
EACH = pytest.mark.parametrize("criterion", CRITERIA, ids=str)


def groups(counts):
    """Groups of a table that has each value as often."""
    return sf.Groups(counts.sum(axis=1), counts, DOMAIN, reference=[6, 6, 6, 6])


@cache
def holding(criterion):
    """Say which of the groups are safe, each by itself."""
    return criterion.alone(groups(COUNTS))


def protected(criterion):
    """(n_groups, n_values) people by what their value counts as; nobody where that is nothing."""
    codes = criterion.protects(DOMAIN)
    found = np.zeros_like(COUNTS)
    for column, code in enumerate(codes.tolist()):
        if code >= 0:
            found[:, code] += COUNTS[:, column]
    return found


def allowed(bound, counts, sizes):
    return np.array(
        [bound.allows(Fraction(int(n), int(size))) for n, size in zip(counts, sizes, strict=True)]
    )


@EACH
def test_thresholds_are_the_definition(criterion):
    known = criterion.thresholds()
    if known is None:
        return
    counted = protected(criterion)
    kept = (known.people <= SIZES) & ((counted > 0).sum(axis=1) >= known.values)
    if known.share is not None:
        most = counted.max(axis=1)
        kept &= most * known.share.denominator <= SIZES * known.share.numerator
    assert (holding(criterion) == kept).all()


@EACH
def test_a_safe_group_is_as_large_and_as_diverse_as_is_said(criterion):
    safe = holding(criterion)
    assert (SIZES[safe] >= criterion.least_size).all()
    assert ((COUNTS[safe] > 0).sum(axis=1) >= criterion.values_wanted()).all()


@EACH
def test_nobody_believes_more_than_is_allowed(criterion):
    safe = holding(criterion) & criterion.looks_at_values
    most = protected(criterion).max(axis=1)
    assert allowed(criterion.belief_allowed(), most, SIZES)[safe].all()


@EACH
@pytest.mark.parametrize("n", range(4))
def test_nobody_believes_more_than_is_allowed_where_values_are_ruled_out(criterion, n):
    """The worst that n values can do: those that are most frequent beside the one in question."""
    safe = holding(criterion) & criterion.looks_at_values
    ordered = -np.sort(-COUNTS, axis=1)
    left = ordered[:, 0] + ordered[:, 1 + n :].sum(axis=1)
    assert allowed(criterion.belief_after(n), ordered[:, 0], left)[safe].all()


@EACH
def test_a_bound_on_shares_is_all_there_is_where_that_is_said(criterion):
    if criterion.bounds_shares:
        most = protected(criterion).max(axis=1)
        within = allowed(criterion.belief_allowed(), most, SIZES)
        assert (holding(criterion.without_sizes()) == within).all()


@EACH
def test_values_can_be_exchanged_where_that_is_said(criterion):
    if criterion.exchangeable:
        for order in itertools.permutations(range(4)):
            assert (criterion.alone(groups(COUNTS[:, order])) == holding(criterion)).all()


@EACH
def test_without_sizes_only_shares_matter(criterion):
    alone = criterion.without_sizes()
    if alone is None or not criterion.by_group:
        return
    assert holding(alone)[holding(criterion)].all()
    for more in (2, 3, 7):
        assert (alone.alone(groups(more * COUNTS)) == holding(alone)).all()


@EACH
def test_shares_do_not_matter_where_that_is_said(criterion):
    alone = criterion.without_sizes()
    if alone is not None and not criterion.looks_at_shares:
        assert (alone.alone(groups(np.minimum(COUNTS, 1))) == holding(alone)).all()


@EACH
def test_so_many_different_values_are_enough(criterion):
    enough = criterion.enough_different()
    if enough is not None and criterion.protects(DOMAIN).tolist() == list(range(4)):
        differ = (COUNTS <= 1).all(axis=1) & (max(enough, criterion.least_size) <= SIZES)
        assert holding(criterion)[differ].all()


@EACH
def test_a_stricter_criterion_implies_the_one_asked_for(criterion):
    stricter = criterion.stricter(Fraction(3, 2))
    if stricter is not None:
        assert holding(criterion)[holding(stricter)].all()
        assert not holding(stricter)[holding(criterion)].all()


@EACH
def test_distances_and_ranges_are_those_measured(criterion):
    distance, wide = criterion.distance_allowed(), criterion.range_wanted()
    if distance is not None:
        for counts, safe in zip(COUNTS, holding(criterion), strict=True):
            found = criterion.measure(groups(counts[np.newaxis]))
            if isinstance(found, Fraction):
                assert distance.allows(found) == safe
    if wide is not None:
        numbers = np.array([int(value) for value in DOMAIN.labels])
        high = np.where(COUNTS > 0, numbers, 0).max(axis=1)
        low = np.where(COUNTS > 0, numbers, 99).min(axis=1)
        assert ((high - low)[holding(criterion)] >= wide).all()


@pytest.mark.parametrize("criterion", CHOSEN, ids=str)
def test_some_groups_are_safe_and_some_are_not(criterion):
    """Else the tests above would show nothing."""
    assert holding(criterion).any()
    assert holding(criterion).all() == (criterion is EVERYTHING_IS_SAFE)


def test_every_statement_is_made_by_some_criterion():
    """Else the tests above would show nothing of it."""
    assert any(each.thresholds() for each in CRITERIA)
    assert any(each.exchangeable for each in CRITERIA)
    assert any(each.bounds_shares for each in CRITERIA)
    assert any(not each.looks_at_shares for each in CRITERIA)
    assert any(each.stricter(Fraction(2)) is not None for each in CRITERIA)
    assert any(each.distance_allowed() is not None for each in CRITERIA)
    assert any(each.range_wanted() is not None for each in CRITERIA)
    assert any(not each.belief_after(1).allows(Fraction(1)) for each in CRITERIA)
