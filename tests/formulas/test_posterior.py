"""What is believed by somebody who knows what was tried: against enumeration, person by person."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.minimality
from profiles import examples
from sfumato.formulas.minimality import buckets
from sfumato.formulas.minimality import exact as exact_credibility
from sfumato.formulas.minimality.coupled import GroupPart, coupled
from sfumato.formulas.minimality.posterior import LEAST, RejectedStep, merged, posterior
from sfumato.formulas.minimality.posterior import wilson as wilson_interval

NO_LIMIT = 10**9


def more_than_half(found):
    """2-diversity by frequency, of the first value."""
    return 2 * found[:, 0] > found.sum(axis=1)


def not_two_values(found):
    return (found > 0).sum(axis=1) < 2


def most_is_most(found):
    return 2 * found.max(axis=1) > found.sum(axis=1)


RULES = {
    more_than_half: lambda child: 2 * child.count(0) > len(child),
    not_two_values: lambda child: len(set(child)) < 2,
    most_is_most: lambda child: 2 * max(map(child.count, child), default=0) > len(child),
}


def generated(rng, *, weights=False):
    """Give a small group, steps, and both in the words of the twin."""
    n_cells, n_values = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    sizes = rng.integers(1, 4 if n_cells < 4 else 3, n_cells)
    while sizes.sum() > 7:
        sizes[np.argmax(sizes)] -= 1
    values = rng.integers(0, n_values, sizes.sum())
    histogram = np.bincount(values, minlength=n_values)
    steps, plain = [], []
    for _ in range(int(rng.integers(1, 4))):
        n_children = int(rng.integers(1, 4))
        children = [
            sorted(rng.choice(n_cells, int(rng.integers(1, n_cells + 1)), replace=False).tolist())
            for _ in range(n_children)
        ]
        fixed = rng.integers(0, 2, (n_children, n_values)) * int(rng.integers(0, 2))
        limit = int(rng.integers(0, 3)) if rng.random() < 0.3 else 0
        weight = Fraction(int(rng.integers(1, 4)), 4) if weights else Fraction(0)
        steps.append(RejectedStep.of(children, n_cells, fixed, limit, weight))
        others = [np.repeat(np.arange(n_values), row).tolist() for row in fixed]
        plain.append((list(zip(children, others, strict=True)), limit, weight))
    cells = np.repeat(np.arange(n_cells), sizes).tolist()
    return sizes, histogram, steps, cells, values.tolist(), plain


@pytest.mark.parametrize("seed", range(12))
def test_small_groups_are_exactly_what_all_worlds_say(seed):
    rng = np.random.default_rng(seed)
    for _ in range(40):
        sizes, histogram, steps, cells, values, plain = generated(rng, weights=seed % 3 == 0)
        fast = list(RULES)[int(rng.integers(3))]
        slow = naive.minimality.posterior(cells, values, plain, RULES[fast])
        if slow is None:
            with pytest.raises(ValueError, match="in no world"):
                posterior(sizes, histogram, steps, fast)
            continue
        found = posterior(sizes, histogram, steps, fast)
        assert found.exact
        for cell, row in slow.items():
            for value, expected in row.items():
                assert found.of_cell(cell, value) == expected / int(sizes[cell])


@pytest.mark.parametrize("seed", range(8))
def test_groups_that_take_their_steps_together_are_what_all_worlds_say(seed):
    """Several groups are one group of the twin in which values stay inside their own group."""
    rng = np.random.default_rng(100 + seed)
    for _ in range(12):
        n_values, n_steps = 2, int(rng.integers(1, 3))
        limits = [int(rng.integers(0, 3)) if rng.random() < 0.3 else 0 for _ in range(n_steps)]
        parts, worlds = [], []
        for _ in range(int(rng.integers(1, 4))):
            sizes = rng.integers(1, 3, int(rng.integers(1, 4)))
            values = rng.integers(0, n_values, sizes.sum())
            histogram = np.bincount(values, minlength=n_values)
            steps = {}
            for s in range(n_steps):
                if rng.random() < 0.8:
                    split = rng.integers(0, 2, len(sizes))
                    children = [np.flatnonzero(split == v).tolist() for v in set(split.tolist())]
                    fixed = np.zeros((len(children), n_values), dtype=np.int64)
                    steps[s] = RejectedStep.of(children, len(sizes), fixed)
            parts.append(GroupPart(sizes, histogram, steps, more_than_half))
            worlds.append((np.repeat(np.arange(len(sizes)), sizes).tolist(), values.tolist()))
        slow = all_worlds_together(worlds, parts, limits)
        if slow is None:
            with pytest.raises(ValueError, match="in no world"):
                coupled(parts, limits)
            continue
        for found, rows in zip(coupled(parts, limits), slow, strict=True):
            for (cell, value), share in rows.items():
                assert found.of_cell(cell, value) == share


def all_worlds_together(groups, parts, limits):
    """Shares by group, cell and value over all worlds of all groups; None: there is none."""
    import itertools

    total = 0
    sums = [{} for _ in groups]
    for world in itertools.product(
        *(sorted(naive.minimality.deals(values)) for _, values in groups)
    ):
        n_broken = [0] * len(limits)
        for (cells, _), values, part in zip(groups, world, parts, strict=True):
            for s, step in part.steps.items():
                for inside in step.children:
                    child = [v for c, v in zip(cells, values, strict=True) if inside[c]]
                    n_broken[s] += len(child) if RULES[more_than_half](child) else 0
        if all(n > limit for n, limit in zip(n_broken, limits, strict=True)):
            total += 1
            for rows, (cells, _), values in zip(sums, groups, world, strict=True):
                for c, v in zip(cells, values, strict=True):
                    rows[c, v] = rows.get((c, v), 0) + 1
    if not total:
        return None
    return [
        {(c, v): Fraction(n, total * cells.count(c)) for (c, v), n in rows.items()}
        for rows, (cells, _) in zip(sums, groups, strict=True)
    ]


def separate(*sizes):
    return RejectedStep.of(
        [[i] for i in range(len(sizes))], len(sizes), np.zeros((len(sizes), 2), int)
    )


def test_two_groups_like_table_1_in_one_release():
    """Either of them may be why nothing lower was published: 26/41, where one alone gives 1."""
    part = GroupPart(np.array([2, 5]), np.array([2, 5]), {0: separate(2, 5)}, more_than_half)
    for found in coupled([part, part], [0]):
        assert found.of_cell(0, 0) == Fraction(26, 41)
    (alone,) = coupled([part], [0])
    assert alone.of_cell(0, 0) == 1


@pytest.mark.parametrize("whole_numbers", [True, False])
@pytest.mark.parametrize("fixed", [0, 3])
def test_sums_give_what_tables_give(fixed, whole_numbers, monkeypatch):
    """Where one value alone counts, a dynamic program takes over from enumeration."""
    if not whole_numbers:
        monkeypatch.setattr(exact_credibility, "MOST_STEPS", -1)
    rng = np.random.default_rng(5)
    for _ in range(60):
        sizes = rng.integers(1, 12, 4)
        n = int(rng.integers(1, sizes.sum()))
        histogram = np.array([n, sizes.sum() - n])
        children = [[0], [1], [2]]  # the last cell is in no child
        step = RejectedStep.of(children, 4, rng.integers(0, fixed + 1, (3, 2)))
        try:
            exact = posterior(sizes, histogram, [step], more_than_half)
        except ValueError:
            continue
        quick = posterior(
            sizes, histogram, [step], more_than_half, share=(0, Fraction(2)), most_tables=0
        )
        assert exact.exact
        assert quick.n_effective is None
        if quick.exact:
            assert (quick.expected[quick.cell] == exact.expected[exact.cell]).all()
        else:
            assert not whole_numbers
            low, high = quick.interval
            shares = exact.expected / exact.people[:, np.newaxis]
            assert ((low <= shares) & (shares <= high)).all()
            assert (high - low).max() < 1e-8


@pytest.mark.parametrize("l", [2, 3])
@pytest.mark.parametrize("prefixes", [True, False])
def test_floats_as_good_as_the_bound_are_counted_again(l, prefixes, monkeypatch):
    """By symmetry each child's share is 1/l, which is allowed: no float may say more."""
    monkeypatch.setattr(exact_credibility, "MOST_STEPS", -1)
    monkeypatch.setattr(buckets, "MOST_EXACT", -1)
    sizes, none = np.array([6] * l), np.zeros((1, 2), dtype=np.int64)
    histogram = np.array([6, 6 * (l - 1)])
    if prefixes:  # that count alike whether they break or not: else the first would have more
        one = Fraction(1)
        steps = [RejectedStep.of([list(range(n))], l, none, weight=one) for n in range(1, l)]
    else:
        steps = [RejectedStep.of([[i] for i in range(l)], l, np.repeat(none, l, axis=0))]

    def exceeds(counts):
        return l * counts[:, 0] > counts.sum(axis=1)

    found = posterior(sizes, histogram, steps, exceeds, share=(0, Fraction(l)), most_tables=0)
    assert found.exact
    assert {found.of_cell(i, 0) for i in range(l)} == {Fraction(1, l)}
    monkeypatch.setattr(exact_credibility, "MOST_STEPS_NEAR", -1)
    monkeypatch.setattr(buckets, "MOST_EXACT_NEAR", -1)
    floats = posterior(sizes, histogram, steps, exceeds, share=(0, Fraction(l)), most_tables=0)
    low, high = floats.interval
    assert (low[:, 0] < 1 / l).all()
    assert (high[:, 0] > 1 / l).all()


def test_sums_share_the_other_values_out_alike():
    sizes, histogram = np.array([4, 6, 5]), np.array([4, 8, 3])
    step = RejectedStep.of([[0], [1], [2]], 3, np.zeros((3, 3), int))
    exact = posterior(sizes, histogram, [step], more_than_half)
    quick = posterior(
        sizes, histogram, [step], more_than_half, share=(0, Fraction(2)), most_tables=0
    )
    assert np.abs(quick.expected - exact.expected.astype(float)).max() < 1e-9


def coverage(n_runs):
    """How often the interval of a sampled share holds the truth, over groups and seeds."""
    cases = [
        (np.array([2, 2, 10]), np.array([5, 9]), [separate(2, 2, 10)], more_than_half),
        (np.array([3, 4]), np.array([3, 2, 2]), [], not_two_values),
        (np.array([3, 3, 4]), np.array([4, 3, 3]), [], most_is_most),
    ]
    inside = total = 0
    for sizes, histogram, stated, rule in cases:
        steps = stated
        if not steps:
            zero = np.zeros((len(sizes), len(histogram)), int)
            steps = [
                RejectedStep.of(
                    [[i] for i in range(len(sizes))], len(sizes), zero, 0, Fraction(1, 5)
                )
            ]
        truth = posterior(sizes, histogram, steps, rule)
        share = truth.expected.astype(float) / truth.people[:, np.newaxis]
        for seed in range(n_runs):
            found = posterior(
                sizes,
                histogram,
                steps,
                rule,
                rng=np.random.default_rng(seed),
                most_tables=0,
                budget=14 * 700,
            )
            assert found.n_effective >= LEAST
            inside += int(((found.low <= share) & (share <= found.high)).sum())
            total += share.size
    return inside / total


@pytest.mark.long
def test_sampled_intervals_hold_the_truth_at_the_stated_rate():
    assert coverage(40) >= 0.95


@pytest.mark.slow
def test_sampled_intervals_hold_the_truth_at_the_stated_rate_over_many_seeds():
    assert coverage(400) >= 0.95


def test_too_few_samples_are_no_answer():
    """Seven of a million worlds: rejection finds hardly any of them."""
    sizes, histogram = np.array([12, 12]), np.array([12, 12])
    step = RejectedStep.of([[0]], 2, np.zeros((1, 2), int))

    def all_alike(found):
        return found[:, 1] == 0

    found = posterior(
        sizes,
        histogram,
        [step],
        all_alike,
        rng=np.random.default_rng(1),
        most_tables=0,
        budget=100_000,
    )
    assert found.expected is None
    assert found.n_effective < LEAST
    with pytest.raises(ValueError, match="unknown"):
        found.of_cell(0, 0)
    assert posterior(sizes, histogram, [step], all_alike).of_cell(0, 0) == 1


def test_sampling_stops_when_the_interval_is_narrow():
    sizes = np.array([30, 40])
    found = posterior(
        sizes,
        np.array([20, 50]),
        [RejectedStep.of([[0], [1]], 2, np.zeros((2, 2), int), 0, Fraction(1))],
        more_than_half,
        rng=np.random.default_rng(3),
        most_tables=0,
    )
    assert (found.high - found.low).max() <= 0.04
    assert found.n_effective <= 5 * 4096
    assert found.of_cell(0, 0) == pytest.approx(2 / 7, abs=0.04)


def test_wilson_intervals_are_those_of_the_textbook():
    low, high = wilson_interval(np.array([0.0, 0.5]), 10)
    assert low == pytest.approx([0.0, 0.2366], abs=1e-4)
    assert high == pytest.approx([0.2775, 0.7634], abs=1e-4)


@examples(100)
@given(seed=st.integers(0, 10**6), n_cells=st.integers(1, 40), n_steps=st.integers(0, 8))
def test_cells_in_the_same_children_are_taken_together(seed, n_cells, n_steps):
    draw = np.random.default_rng(seed)
    steps = [
        RejectedStep(draw.random((n, n_cells)) < 0.3, np.zeros((n, 2), dtype=np.int64))
        for n in draw.integers(1, 4, n_steps).tolist()
    ]
    sizes, pool = draw.integers(1, 5, n_cells), draw.integers(0, 3, n_cells)
    for pools in (None, pool):
        cell, people, kept = merged(sizes, steps, pools)
        bits = [child.tolist() for step in steps for child in step.children]
        own = list(zip(*bits, [0] * n_cells if pools is None else pool.tolist(), strict=True))
        in_order = sorted(set(own))
        assert cell.tolist() == [in_order.index(each) for each in own]
        assert people.tolist() == [sum(sizes[cell == c]) for c in range(len(in_order))]
        for step, taken in zip(steps, kept, strict=True):
            assert (taken.children[:, cell] == step.children).all()
