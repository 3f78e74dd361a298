"""Chance is what it is said to be: people dealt out, and groups that go on by tosses.

Randomness comes from the operating system, as when publishing. A fair one is called unfair once in
a thousand million runs; a deal that keeps to an order, or a toss that is off, practically always.
"""

import itertools
import os
from collections import Counter
from fractions import Fraction
from functools import partial
from math import prod

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import chi2

import naive.grouping
import sfumato as sf
from algorithms.grouped import count, groups_of, labelled, people_of
from sfumato.algorithms.grouping.greedy import unit_of
from sfumato.algorithms.lots import distinct_orders
from sfumato.data.recoding.lots import Dealt

SIGNIFICANCE = 1e-9
DRAWN = "outcomes of chance drawn"


def refuse_unlike(drawn, chances):
    """Compare how often outcomes came with their probabilities; rare ones count together."""
    assert sum(chances.values()) == 1
    assert set(drawn) <= set(chances)  # nothing that cannot be
    n = sum(drawn.values())
    often = [outcome for outcome, chance in chances.items() if chance * n >= 5]
    cells = [(drawn[outcome], float(chances[outcome] * n)) for outcome in often]
    rare = 1 - sum((chances[outcome] for outcome in often), Fraction(0))
    if rare:
        cells.append((n - sum(seen for seen, _ in cells), float(rare * n)))
    assert len(cells) > 1
    statistic = sum((seen - expected) ** 2 / expected for seen, expected in cells)
    assert statistic < chi2.isf(SIGNIFICANCE, len(cells) - 1), cells


@pytest.mark.parametrize("n", [3000, pytest.param(60_000, marks=pytest.mark.slow)])
def test_every_deal_is_equally_likely(n, record_property):
    """Two of five people of one combination go into group 7, and three of another go apart."""
    parts = np.array([[0, 7, 2], [0, 8, 3], [1, 7, 1], [1, 8, 1], [1, 9, 1]])
    drawn = Counter(
        tuple(np.concatenate(list(Dealt.of(*parts.T, os.urandom(32)))).tolist()) for _ in range(n)
    )
    first, second = distinct_orders((7, 7, 8, 8, 8)), distinct_orders((7, 8, 9))
    deals = [(*one, *two) for one, two in itertools.product(first, list(second))]
    refuse_unlike(drawn, dict.fromkeys(deals, Fraction(1, len(deals))))
    record_property(DRAWN, n)


def published_place(table, criterion, method):
    """In which group each of the marked people is published."""
    release = sf.anonymize(table, criterion, method, untouched_identify=True)
    rows = release.to_arrow().to_pylist()
    return tuple(row["group"] for row in sorted(rows, key=lambda row: row["mark"]))


@pytest.mark.long
@pytest.mark.parametrize("n", [40, pytest.param(720, marks=pytest.mark.slow)])
def test_everybody_is_published_in_each_group_alike(n, record_property):
    """Three people who are alike, in three groups: through the whole of `anonymize`."""
    frame = pa.table(
        {"zip": ["1"] * 6, "disease": ["flu"] * 3 + ["gout"] * 3, "mark": list("abcdef")}
    )
    table = sf.read(frame, quasi_identifiers=["zip"], sensitive="disease", insensitive=["mark"])
    drawn = Counter(
        published_place(table, sf.LDiversity(2, "frequency"), sf.Anatomy()) for _ in range(n)
    )
    orders = list(itertools.permutations((1, 2, 3)))
    for three in (slice(0, 3), slice(3, 6)):
        places = Counter()
        for place, times in drawn.items():
            places[place[three]] += times
        refuse_unlike(places, dict.fromkeys(orders, Fraction(1, 6)))
    record_property(DRAWN, n)


def outcome_of(groups, left):
    return tuple(tuple(sorted(Counter(each).items())) for each in (*groups, left))


def chances_of(frequencies, safe, unit, p):
    """Every outcome with its probability: all orders of equal people, and all tosses."""
    people = sorted(people_of(frequencies))
    blocks = [list(block) for _, block in itertools.groupby(people, lambda row: row[:-1])]
    orders = [list(distinct_orders(tuple(block))) for block in blocks]
    n_buckets = -(-len(people) // unit)
    chances = Counter()
    for order in itertools.product(*orders):
        for goes_on in itertools.product([True, False], repeat=n_buckets):
            groups, left = naive.grouping.greedy_grouping(
                [row for block in order for row in block],
                lambda group: safe(labelled(frequencies, group)),
                unit,
                goes_on,
            )
            chance = prod([p if each else 1 - p for each in goes_on], start=Fraction(1))
            chances[outcome_of(groups, left)] += chance / prod(map(len, orders))
    return chances


@pytest.mark.long
@pytest.mark.parametrize("p", [Fraction(1, 3), Fraction(13, 20)], ids=str)
@pytest.mark.parametrize("n", [1500, pytest.param(30_000, marks=pytest.mark.slow)])
def test_randomized_groups_are_as_likely_as_the_tosses_make_them(n, p, record_property):
    rows = [("1", "flu"), ("1", "none"), ("1", "none"), ("2", "flu"), ("2", "HIV")]
    rows += [("3", "none"), ("3", "none")]
    frequencies, criterion = count(rows), sf.LDiversity(2)
    unit = unit_of(criterion, frequencies)
    safe = partial(distinct, l=2)
    chances = chances_of(frequencies, safe, unit, p)
    assert len(chances) > 10
    method = sf.RandomizedGrouping(p)
    drawn = Counter(
        outcome_of(*groups_of(method.search(frequencies, criterion, os.urandom))) for _ in range(n)
    )
    refuse_unlike(drawn, chances)
    record_property(DRAWN, n)


def distinct(group, l):
    return len({row[-1] for row in group}) >= l
