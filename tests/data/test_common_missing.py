"""Texts with and without missing values, in one order: as enumerating all orders finds it."""

import itertools
import random

import pytest

from sfumato.data.labels.in_common_missing import with_missing


def generated(dice):
    """Runs of pieces, some with missing values, or two releases with a largest value each."""
    n = dice.randint(1, 5)
    spans = []
    if dice.random() < 0.5:
        for _ in range(dice.randint(1, 5)):
            low, high = sorted(dice.sample(range(n + 1), 2))
            spans.append(((low, high), dice.random() < 0.4))
        return n, spans
    for top in (dice.randrange(n), dice.randrange(n)):
        for _ in range(dice.randint(1, 3)):
            low = dice.randint(0, top)
            also = dice.random() < 0.5
            within = (low, dice.randint(low + 1, top + 1))
            spans.append(dice.choice([((top, top + 1), True), ((low, n), also), (within, False)]))
    return n, spans


def members(spans):
    return [{*range(*span), *(["missing"] if also else [])} for span, also in spans]


def has_an_order(n, sets):
    for order in itertools.permutations([*range(n), "missing"]):
        places = [[order.index(each) for each in several] for several in sets]
        if all(max(each) - min(each) + 1 == len(each) for each in places):
            return True
    return False


@pytest.mark.parametrize("seed", range(400))
def test_intervals_meet_where_the_texts_do(seed):
    n, spans = generated(random.Random(seed))
    sets = members(spans)
    found = with_missing(n, [span for span, _ in spans], [also for _, also in spans])
    if found is None:
        return
    intervals, missing = found
    ranks = [set(range(low, high + 1)) for low, high in intervals]
    for own, inside in zip(sets, ranks, strict=True):
        assert ("missing" in own) == (missing in inside)
    for number in range(2, len(sets) + 1):
        for chosen in itertools.combinations(range(len(sets)), number):
            shared = set.intersection(*(sets[j] for j in chosen))
            assert bool(shared) == bool(set.intersection(*(ranks[j] for j in chosen)))


def test_an_order_is_mostly_found_where_there_is_one():
    refused = wrongly = 0
    for seed in range(300):
        n, spans = generated(random.Random(seed))
        if with_missing(n, [span for span, _ in spans], [also for _, also in spans]) is None:
            refused += 1
            wrongly += has_an_order(n, members(spans))
    assert refused
    assert wrongly < 300 // 30


def test_the_largest_value_or_missing_is_behind_all_others():
    #        a       b       c, the largest  c or missing
    spans = [(0, 1), (2, 3), (4, 5), (4, 5)]
    assert with_missing(6, spans, [False, False, False, True]) == (
        [(0, 0), (1, 1), (2, 2), (2, 3)],
        3,
    )
