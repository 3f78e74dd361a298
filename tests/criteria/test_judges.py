"""What searches are told of groups: the verdicts of the definition, and who cannot be saved."""

import itertools
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.criteria
import sfumato as sf
from profiles import examples
from sfumato.algorithms import compatibility as registry
from sfumato.data.groups import Histogram

DOMAIN, _ = sf.Tree({"low": ["1", "2"], "high": ["5", "9"]}).grow("score", ["1", "2", "5", "9"])
CHOSEN = [
    sf.KAnonymity(3),
    sf.LDiversity(2),
    sf.LDiversity(3, "entropy"),
    sf.LDiversity("5/2", "entropy"),
    sf.LDiversity("3/2", "entropy", values=["1", "2"], pooled=True),
    sf.LDiversity(2, "frequency"),
    sf.RecursiveDiversity(4, 3),
    sf.RecursiveDiversity("2/3", 3),
    sf.RecursiveDiversity("1/2", 1),
    sf.RecursiveDiversity(2, 9),
    sf.TCloseness("1/5"),
    sf.TCloseness("1/4", "ordered"),
    sf.TCloseness("1/3", "hierarchical"),
    sf.TCloseness(0),
]
CRITERIA = CHOSEN + [
    each
    for each in registry.criteria()
    if each.guarding is None and not each.sets and each.by_group and each not in CHOSEN
]
COUNTS = np.array([each for each in itertools.product(range(4), repeat=4) if any(each)])
REFERENCES = [[6, 6, 6, 6], [9, 1, 0, 4]]
EACH = pytest.mark.parametrize("criterion", CRITERIA, ids=str)


def groups(counts, reference, domain=DOMAIN):
    """Groups whose values stand in no order, as a search counts them."""
    counts = np.asarray(counts)
    sorted_values = Histogram.from_dense(counts)
    order = np.lexsort((-sorted_values.codes, sorted_values.group_of))
    entries = (sorted_values.codes[order], sorted_values.counts[order])
    histogram = Histogram(sorted_values.starts, *entries, counts.shape[1])
    return sf.Groups(counts.sum(axis=1), histogram, domain, reference=reference)


def judged(criterion, counts, reference, domain=DOMAIN):
    """Give verdicts and surpluses."""
    judge = criterion.judge(domain, np.asarray(reference, dtype=np.int64))
    seen = groups(counts, reference, domain)
    held = judge.holds(seen)
    return held, judge.surplus(seen, held)


@cache
def by_definition(criterion, reference):
    """Give the verdict of the definition on every small group."""
    dense = sf.Groups(COUNTS.sum(axis=1), COUNTS, DOMAIN, reference=list(reference))
    return criterion.holds(dense)


@EACH
@pytest.mark.parametrize("reference", REFERENCES, ids=str)
def test_a_judge_says_what_the_definition_says(criterion, reference):
    held, _ = judged(criterion, COUNTS, reference)
    assert (held == by_definition(criterion, tuple(reference))).all()


@EACH
@pytest.mark.parametrize("reference", REFERENCES, ids=str)
def test_no_fewer_people_than_the_surplus_have_to_go(criterion, reference):
    verdicts = by_definition(criterion, tuple(reference))
    known = dict(zip(map(tuple, COUNTS.tolist()), verdicts.tolist(), strict=True))
    held, surplus = judged(criterion, COUNTS, reference)
    assert (surplus[held] == 0).all()
    fewest = np.array([naive.criteria.fewest_to_go(c, known.get) for c in COUNTS.tolist()])
    if criterion.monotone(suppression=True):
        # every part of such a group fails, too: everybody is left out
        assert (surplus == np.where(held, 0, COUNTS.sum(axis=1))).all()
        assert (fewest >= surplus).all()
    elif criterion.monotone(suppression=False):
        assert (surplus[~held] >= 1).all()
        assert (surplus <= fewest).all()
    else:
        assert not surplus.any()


@pytest.mark.parametrize("criterion", [c for c in CHOSEN if c.promised() and "Rec" in str(c)])
def test_the_surplus_of_recursive_diversity_is_the_fewest_people(criterion):
    verdicts = by_definition(criterion, (6, 6, 6, 6))
    known = dict(zip(map(tuple, COUNTS.tolist()), verdicts.tolist(), strict=True))
    _, surplus = judged(criterion, COUNTS, [6, 6, 6, 6])
    fewest = [naive.criteria.fewest_to_go(c, known.get) for c in COUNTS.tolist()]
    assert surplus.tolist() == fewest


def test_a_group_that_cannot_be_saved_is_all_surplus():
    """Two values are never as even as three; 30 of one value and 1 of two others leave 3 people."""
    counts = [[40, 40, 0, 0], [30, 1, 1, 0], [30, 20, 10, 0]]
    _, surplus = judged(sf.LDiversity(3, "entropy"), counts, [6, 6, 6, 6])
    assert surplus.tolist() == [80, 29, 29]  # of the last 30, in truth
    _, surplus = judged(sf.TCloseness("1/5"), [[8, 0, 0, 0], [8, 8, 8, 0]], [6, 6, 6, 6])
    assert surplus.tolist() == [8, 24]  # nobody of values with more than a fifth of the table


def naive_verdict(criterion, counts, reference):
    """Judge one group in fractions, from the definitions."""
    values = [str(code) for code, count in enumerate(counts) for _ in range(count)]
    n, total = sum(counts), sum(reference)
    if criterion == "entropy":
        return naive.criteria.entropy_at_least([c for c in counts if c], 3)
    if criterion == "recursive":
        return naive.criteria.recursive_diverse(values, 2, 3)
    gaps = [Fraction(c, n) - Fraction(r, total) for c, r in zip(counts, reference, strict=True)]
    if criterion == "equal":
        return sum(map(abs, gaps)) / 2 <= Fraction(1, 5)
    if criterion == "ordered":
        steps = max(1, len(gaps) - 1)
        return sum(map(abs, itertools.accumulate(gaps))) / steps <= Fraction(1, 5)
    pairs = [gaps[0] + gaps[1], gaps[2] + gaps[3]]
    return (sum(map(abs, gaps)) + sum(map(abs, pairs))) / 4 <= Fraction(1, 5)


KINDS = {
    "entropy": sf.LDiversity(3, "entropy"),
    "recursive": sf.RecursiveDiversity(2, 3),
    "equal": sf.TCloseness("1/5"),
    "ordered": sf.TCloseness("1/5", "ordered"),
    "hierarchical": sf.TCloseness("1/5", "hierarchical"),
}


@pytest.mark.parametrize("kind", KINDS)
@examples(60)
@given(
    st.lists(st.integers(0, 7), min_size=4, max_size=4).filter(any),
    st.lists(st.integers(0, 99), min_size=4, max_size=4).filter(any),
)
def test_a_judge_and_its_surplus_agree_with_enumeration_in_fractions(kind, counts, more):
    reference = [a + b for a, b in zip(counts, more, strict=True)]  # the group is of the table
    held, surplus = judged(KINDS[kind], [counts], reference)

    def is_safe(part):
        return naive_verdict(kind, part, reference)

    assert held.tolist() == [is_safe(counts)]
    fewest = naive.criteria.fewest_to_go(counts, is_safe)
    assert (not held[0]) <= surplus[0] <= fewest
    if kind == "equal":  # in whole people at most one more for each value
        assert surplus[0] >= fewest - len(counts)


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_that_do_not_fit_into_machine_words_are_judged_by_the_definition(kind):
    huge = 2**58
    counts, reference = [[huge, huge, huge, 1]], [2 * huge, huge, huge, huge]
    held, surplus = judged(KINDS[kind], counts, reference)
    dense = sf.Groups([3 * huge + 1], counts, DOMAIN, reference=reference)
    assert held.tolist() == KINDS[kind].holds(dense).tolist()
    assert surplus[0] >= 1 - held[0]


@pytest.mark.parametrize("method", [sf.Optimal(), sf.Samarati(), sf.Incognito()], ids=str)
def test_a_number_of_people_may_name_a_column_that_it_does_not_look_at(method):
    table = sf.read(
        sf.datasets.patients(), {"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()}, "disease"
    )
    levels = [
        sf.anonymize(table, promise, method).levels
        for promise in (sf.KAnonymity(5), sf.KAnonymity(5, attribute="disease"))
    ]
    assert levels[0] == levels[1]
