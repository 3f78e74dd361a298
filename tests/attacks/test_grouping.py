"""The attack on grouping methods: against every world of small tables, by literal replay."""

import math
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import naive
import sfumato as sf
from attacks.grouped_worlds import (
    CASES,
    by_frequency,
    counted,
    groups_in,
    in_proportion,
    parts_of,
    target_of,
    worlds_say,
)
from attacks.made import VALUE_TREE, VALUES
from sfumato.attacks import CannotRun, Target
from sfumato.attacks.grouping import MethodBased

SEEDS = [*range(6), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(6, 120))]
PER_SEED = 40


def values_of(rng):
    """Values of a few people in a row, neighbours often alike; not too many worlds."""
    n_values = int(rng.integers(2, 5))
    n = int(rng.integers(3, {2: 12, 3: 9, 4: 8}[n_values]))
    chosen = rng.choice(VALUES, n_values, replace=False)
    values = [str(v) for v in rng.choice(chosen, n, p=rng.dirichlet(np.full(n_values, 1.5)))]
    return sorted(values) if rng.random() < 0.2 else values


def method_for(case, rng, kind):
    anatomize = case.partition is not None and bool(rng.random() < 0.4)
    if kind == "greedy" and isinstance(case.criterion, sf.LDiversity):
        margin = Fraction(3, 2) if case.criterion.kind == "frequency" and rng.random() < 0.3 else 1
        return sf.GreedyGrouping(margin=margin, anatomize=anatomize)
    if kind == "greedy":
        return sf.GreedyGrouping(anatomize=anatomize)
    if kind == "randomized":
        return sf.RandomizedGrouping(str(rng.choice(["1/3", "13/20", "9/10"])), anatomize=anatomize)
    return sf.SymmetricGrouping(anatomize=anatomize)


def formed_as_written(method, recoding, n_people):
    """Where tosses decided where groups ended, what the publisher wrote down of it."""
    how = recoding.how
    if how.formed is None or not isinstance(method, sf.RandomizedGrouping):
        return None
    group = np.full(n_people, -1)
    group[how.combinations.codes("q")[how.parts[:, 0]]] = how.formed[:, 0]
    return parts_of(group.tolist())


def compared(values, case, method, target, group):
    """Compare beliefs for each position, and the finding, with what all worlds say."""
    parts = parts_of(group)
    written = formed_as_written(method, target.recoding, len(values))
    expected, formed, unit = worlds_say(values, case, method, parts, written)
    same_for_positions(target, method, case, expected, parts, formed, unit)
    finding = MethodBased().find(target)
    counts = counted(values)
    exceeding = [
        i for i, shares in expected.items() if not case.believable(in_proportion(shares), counts)
    ]
    assert finding.n_exceeding == len(exceeding)
    assert finding.holds is (not exceeding)
    if len(case.criterion.parts) == 1 and case.criterion.parts[0] != sf.LDiversity(
        1, "frequency", ["1"]
    ):
        assert finding.found == max(
            sum(shares.get(v, Fraction(0)) for v in pool)
            for shares in expected.values()
            for pool in case.protected
        )
    return finding, expected


def same_for_positions(target, method, case, expected, parts, formed, unit):
    learned, members = MethodBased()._learned(target, method, case.criterion)
    assert not learned.unknown
    labels = members.frequencies.domains["s"].labels
    halves = isinstance(method, sf.SymmetricGrouping)
    bucket = {
        i: j // (((len(row) + 1) // 2) if halves else unit)
        for row in formed
        for j, i in enumerate(row)
    }
    seen = set()
    for each in learned.beliefs:
        part = parts[each.group]
        buckets = sorted({bucket[i] for i in part})
        assert len(buckets) == len(each.row) or len(each.row) == 1
        seen.update([each.group] if each.alike is None else each.alike.tolist())
        for i in part:
            row = each.row[buckets.index(bucket[i])] if len(each.row) > 1 else each.row[0]
            shares = zip(each.codes.tolist(), each.shares[row], strict=True)
            assert {labels[c]: share for c, share in shares if share} == expected[i]
    for g in set(range(len(parts))) - seen:  # nothing is learned
        values = [v for i in parts[g] for v in expected[i]]
        assert values
        assert all(expected[i] == expected[parts[g][0]] for i in parts[g])


@pytest.mark.parametrize("kind", ["greedy", "randomized", "symmetric"])
@pytest.mark.parametrize("seed", SEEDS)
def test_beliefs_are_exactly_what_all_worlds_say(seed, kind):
    rng = np.random.default_rng([seed, len(kind)])
    n = 0
    while n < PER_SEED:
        case = CASES[int(rng.integers(len(CASES)))]
        values, method = values_of(rng), method_for(case, rng, kind)
        try:
            target, group = target_of(values, case, method, int(rng.integers(1 << 30)))
        except sf.Unsatisfiable:
            continue
        try:
            compared(values, case, method, target, group)
        except AssertionError:
            print("EXAMPLE", values, str(case), str(method), group)
            raise
        n += 1
