"""Searches of a lattice that end early, and bounds that prove: against all nodes, one by one."""

import json
import re
import signal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import naive.lattice
import naive.lattice_rows
import sfumato as sf
from profiles import examples
from sfumato.algorithms.lattice.boxes import Boxes
from sfumato.algorithms.lattice.counted_nodes import CountedNodes
from sfumato.algorithms.lattice.kernels import (
    aggregated,
    climbed,
    cost_between,
    costs_of,
    left_out,
    rows,
)
from sfumato.algorithms.lattice.lattice import Lattice, right_below
from sfumato.algorithms.lattice.metric import METRICS
from sfumato.algorithms.lattice.minimal import preference
from sfumato.algorithms.lattice.tried import MEASURES
from sfumato.algorithms.lattice.units import MOST
from sfumato.errors import BadInput, CannotRun
from sfumato.progress import listening

PATHS = [(f"{a}{b}{c}", f"{a}{b}", a, "*") for a in "xyz" for b in "12" for c in "ab"]
CRITERIA = [
    sf.KAnonymity(2),
    sf.KAnonymity(4),
    sf.KAnonymity(3) & sf.LDiversity(2),
    sf.LDiversity(2, "entropy"),
    sf.KAnonymity(2) & sf.RecursiveDiversity(2, 2),
    sf.TCloseness(0.4),
]


def made(seed, n_columns, n_rows, dealt=None):
    """A table of columns that depend on each other, with a hierarchy of up to four levels each.

    dealt: a seed by which everybody gets somebody's sensitive value.
    """
    draw = np.random.default_rng(seed)
    hidden = draw.integers(0, 3, n_rows)
    columns, rules = {}, {}
    for j in range(n_columns):
        steps = 1 + int(draw.integers(0, 3, 2).max())
        paths = [(*path[:steps], "*") for path in PATHS]
        weight = draw.dirichlet(np.full(len(PATHS), 0.4), 3)
        values = [paths[draw.choice(len(PATHS), p=weight[each])][0] for each in hidden]
        columns[f"c{j}"] = values
        rules[f"c{j}"] = sf.Hierarchy.from_spec({"level_table": paths}, f"c{j}")
    columns["s"] = [str(draw.choice(4, p=[0.5, 0.25, 0.15, 0.1])) for _ in hidden]
    if dealt is not None:
        columns["s"] = np.random.default_rng(dealt).permutation(columns["s"])
    return sf.read(pa.table(columns), rules, "s")


@st.composite
def cases(draw):
    """A table, a criterion, and how many may be left out."""
    table = made(draw(st.integers(0, 10**6)), draw(st.integers(2, 4)), draw(st.integers(8, 90)))
    limit = draw(st.sampled_from([0, 2, 5, 10, table.n_rows - 1]))
    return table, draw(st.sampled_from(CRITERIA)), min(limit, table.n_rows - 1)


def ranking(lattice, metric, limit, suppress="rows"):
    """All safe nodes with their prices, the best first, each counted by itself."""
    found = []
    for node in lattice.nodes():
        groups = lattice.rollup.at(node)
        safe = lattice.safe(groups)
        if int(groups.sizes[~safe].sum()) <= limit:
            at_root = lattice.n_at_root(node, groups, safe) if suppress == "cells" else 0
            found.append((metric.price(node, groups, safe, at_root), sum(node), node))
    return sorted(found)


@pytest.mark.long
@examples(100)
@given(cases(), st.sampled_from(sorted(METRICS)), st.sampled_from(["rows", "cells"]))
def test_the_optimum_is_the_first_of_all_nodes_and_says_that_it_is_proved(case, name, suppress):
    table, criterion, limit = case
    frequencies = table.frequencies()
    lattice = Lattice(frequencies, criterion)
    metric = METRICS[name](lattice, None)
    ranked = ranking(lattice, metric, limit, suppress)
    method = sf.Optimal(name, limit, suppress=suppress)
    if not ranked:
        with pytest.raises(sf.Unsatisfiable):
            method.search(frequencies, criterion, None)
        return
    recoding = method.search(frequencies, criterion, None)
    found = tuple(recoding.levels_of_most.values())
    prices = {node: price for price, _, node in ranked}
    if name == "entropy":  # a sum of floats
        assert prices[found] == pytest.approx(ranked[0][0])
    else:
        assert found == ranked[0][2]
    assert recoding.best_so_far.proved
    assert recoding.best_so_far.cost == pytest.approx(float(metric.told(prices[found])))


@pytest.mark.long
@examples(80)
@given(
    cases(),
    st.sampled_from(sorted(METRICS)),
    st.sampled_from(["rows", "cells"]),
    st.integers(1, 120),
)
def test_a_bound_is_never_above_the_least_price_and_a_budget_replays(case, name, suppress, budget):
    table, criterion, limit = case
    frequencies = table.frequencies()
    lattice = Lattice(frequencies, criterion)
    metric = METRICS[name](lattice, None)
    ranked = ranking(lattice, metric, limit, suppress)
    method = sf.Optimal(name, limit, budget=budget, suppress=suppress)
    heard = []
    try:
        with listening(lambda stage, done, total: heard.append(done)):
            recoding = method.search(frequencies, criterion, None)
    except sf.Unsatisfiable:
        top = lattice.rollup.at(lattice.heights)
        monotone = lattice.monotone(limit)
        assert not ranked or not monotone or not lattice.safe(top).all()
        return
    again = method.search(frequencies, criterion, None)
    assert again.levels_of_most == recoding.levels_of_most
    best = recoding.best_so_far
    assert again.best_so_far == best
    prices = {node: float(metric.told(price)) for price, _, node in ranked}
    found = tuple(recoding.levels_of_most.values())
    assert best.cost == pytest.approx(prices[found])
    rounding = 1e-9 * max(1, abs(best.cost))
    assert best.least <= min(prices.values()) + rounding
    assert min(prices.values()) <= best.cost + rounding
    assert not best.interrupted
    assert max(heard, default=0) <= budget
    if best.proved and name != "entropy":
        assert found == ranked[0][2] or prices[found] == min(prices.values())


@examples(60)
@given(cases(), st.sampled_from(sorted(METRICS)), st.data())
def test_no_node_of_a_box_costs_less_than_its_bound(case, name, data):
    """Bounds in units, of any lowest node: what its people cost, and more if they are left out."""
    table, criterion, _ = case
    lattice = Lattice(table.frequencies(), criterion)
    metric = METRICS[name](lattice, None)
    units = metric.units(criterion.least_size, at_root=False)
    boxes = Boxes(lattice, units, table.n_rows, CountedNodes(None))
    low = tuple(data.draw(st.integers(0, height)) for height in lattice.heights)
    node = tuple(data.draw(st.integers(a, b)) for a, b in zip(low, lattice.heights, strict=True))
    people = boxes.raised(boxes.ground, low)
    assert sorted(lattice.rollup.straight(low).sizes) == sorted(people.counts)
    assert sorted(people.counts) == sorted(
        Lattice(table.frequencies().combinations, sf.KAnonymity(1)).rollup.at(low).sizes
    )
    cost, more = units.of_people(people.counts, boxes.per_person(people.keys, low))
    constant = sum(own[a] for own, a in zip(boxes.constants, low, strict=True))
    assert (more >= 0).all()
    groups = lattice.rollup.straight(node)
    safe = lattice.safe(groups)
    if not safe.any():
        return
    price = metric.price(node, groups, safe)
    bound = constant + int(cost.sum())
    assert bound <= units.most(price) < MOST
    assert units.price(bound) <= price + (1e-9 * abs(price) if isinstance(price, float) else 0)


@pytest.mark.long
@examples(120)
@given(
    st.integers(0, 10**6),
    st.integers(2, 4),
    st.sampled_from([2, 3, 5]),
    st.sampled_from([0.2, 0.5, 1.0]),
    st.sampled_from(["loss", "precision", *sorted(METRICS)]),
)
@example(4, 3, 3, 0.5, "loss")
@example(10, 2, 2, 0.5, "loss")
def test_no_box_that_is_opened_has_a_node_below_its_bound(seed, n_columns, k, share, name):
    """Who is left out in all of a box is charged for that, and for no level beside."""
    table = made(seed, n_columns, 40)
    limit = int(share * table.n_rows)
    lattice = Lattice(table.frequencies(), sf.KAnonymity(k))
    metric = METRICS[name](lattice, None)
    opened, push = [], Boxes._push

    def listening_push(self, bound, low, high, *more):
        opened.append((self.units, bound, low, high))
        push(self, bound, low, high, *more)

    ranked = ranking(lattice, metric, limit)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Boxes, "_push", listening_push)
        try:
            sf.Optimal(name, limit).search(table.frequencies(), lattice.criterion, None)
        except sf.Unsatisfiable:
            assert not ranked
    assert opened
    for units, bound, low, high in opened:
        within = [
            price
            for price, _, node in ranked
            if all(a <= level <= b for a, level, b in zip(low, node, high, strict=True))
        ]
        if within:
            assert bound <= units.most(min(within)), (low, high)


def test_the_optimum_of_adult_that_charged_people_twice():
    """Who is left out was charged for the next level of a column as well: 21,052 was "proved"."""
    rules = sf.datasets.adult_hierarchies()
    columns = ["age", "education", "occupation", "relationship", "sex"]
    table = sf.read(sf.datasets.adult(), {name: rules[name] for name in columns})
    release = sf.anonymize(table, sf.KAnonymity(500), sf.Optimal("loss", 0.3))
    assert (*release.levels.values(),) == (3, 3, 2, 1, 0)
    assert release.n_suppressed == 3831
    assert release.description.best_so_far.cost == pytest.approx(21041.64, abs=0.01)
    assert release.gap == 0


METHODS = [
    *(sf.Optimal(name, 0.2, budget=each) for name in METRICS for each in (None, 6)),
    *(
        kind(0.2, prefer=name, budget=6)
        for kind in (sf.Samarati, sf.Incognito)
        for name in MEASURES
    ),
]


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_how_far_a_search_got_is_read_back(tmp_path, method):
    """Whatever is minimized; some costs are below 0."""
    release = sf.anonymize(made(3, 3, 60), sf.KAnonymity(3), method)
    loaded = sf.load(release.save(tmp_path / "out"))
    assert loaded.description.best_so_far == release.description.best_so_far
    assert loaded.gap == release.gap is not None


@examples(100)
@given(cases(), st.sampled_from([sf.Samarati, sf.Incognito, sf.Exhaustive]), st.integers(1, 60))
def test_searches_for_minimal_nodes_give_a_safe_one_within_their_budget(case, kind, budget):
    table, criterion, limit = case
    frequencies = table.frequencies()
    lattice = Lattice(frequencies, criterion)
    method = kind(limit, budget=budget)
    heights = [sum(node) for node in lattice.nodes() if lattice.is_allowed(node, limit)]
    try:
        recoding = method.search(frequencies, criterion, None)
    except sf.Unsatisfiable:
        assert not heights or not lattice.is_allowed(lattice.heights, limit)
        return
    node = tuple(recoding.levels.values())
    assert lattice.is_allowed(node, limit)
    best = recoding.best_so_far
    assert best.cost == sum(node)
    assert best.least <= min(heights) <= best.cost
    assert method.search(frequencies, criterion, None).levels == recoding.levels
    whole = kind(limit).search(frequencies, criterion, None)
    assert whole.best_so_far is None
    if best.proved:
        assert sum(node) == sum(whole.levels.values())
    large = kind(limit, budget=10**6).search(frequencies, criterion, None)
    assert large.levels == whole.levels
    assert large.best_so_far.proved or any(part.looks_at_values for part in criterion.parts)


@examples(200)
@given(
    cases(),
    st.sampled_from([sf.Samarati, sf.Incognito, sf.Exhaustive]),
    st.sampled_from(sorted(MEASURES)),
    st.integers(1, 60),
)
def test_what_is_told_of_a_budgeted_search_is_about_all_minimal_nodes(case, kind, prefer, budget):
    table, criterion, limit = case
    frequencies = table.frequencies()
    lattice = Lattice(frequencies, criterion)
    safe = [node for node in lattice.nodes() if lattice.is_allowed(node, limit)]
    minimal = [node for node in safe if not any(naive.lattice.below(other, node) for other in safe)]
    try:
        recoding = kind(limit, prefer=prefer, budget=budget).search(frequencies, criterion, None)
    except sf.Unsatisfiable:
        assert lattice.heights not in safe
        return
    told, node = recoding.best_so_far, tuple(recoding.levels.values())
    by = {name: each for each, name in MEASURES.items()}[told.by]
    prices = {each: preference(lattice, each, by)[0] for each in safe}
    least = min(prices[each] for each in minimal)
    assert told.cost == pytest.approx(float(prices[node]))
    assert told.least <= float(least) + 1e-9
    if told.proved:
        assert node in minimal
        assert prices[node] == least
    if by != prefer:
        cheapest = min(preference(lattice, each, prefer)[0] for each in minimal)
        assert preference(lattice, node, prefer)[0] <= cheapest


def test_the_top_suppresses_nobody_which_proves_nothing():
    """It was published with "0 by suppressed rows, proved", and is no k-minimal node."""
    ages = [23, 24, 31, 32, 45, 46, 57, 58, 61]
    table = sf.read(pa.table({"age": ages}), {"age": sf.Intervals(10, 20)})
    told = {}
    for budget in (1, 2, 3, 1000):
        method = sf.Exhaustive(0.5, prefer="suppression", budget=budget)
        release = sf.anonymize(table, sf.KAnonymity(2), method)
        best = release.description.best_so_far
        told[budget] = (release.levels["age"], best.by, best.cost, best.least)
    assert told == {
        1: (3, "height", 3, 0),
        2: (2, "suppressed rows", 1, 0),
        3: (1, "suppressed rows", 1, 0),
        1000: (1, "suppressed rows", 1, 1),
    }


@pytest.mark.parametrize("prefer", ["relative_distance", "distribution", "suppression"])
def test_what_is_preferred_is_what_is_told(prefer):
    table = made(5, 3, 60)
    for budget in (3, 30, 10**6):
        recoding = sf.Incognito(4, prefer=prefer, budget=budget).search(
            table.frequencies(), sf.KAnonymity(3), None
        )
        assert recoding.best_so_far.least <= recoding.best_so_far.cost
    whole = sf.Incognito(4, prefer=prefer).search(table.frequencies(), sf.KAnonymity(3), None)
    assert recoding.levels == whole.levels
    assert recoding.best_so_far.proved


@examples(100)
@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(1, 60))
def test_kernels_do_what_plain_loops_do(seed, n_words, n):
    draw = np.random.default_rng(seed)
    n_columns = 4
    words = draw.integers(0, n_words, n_columns)
    shifts = np.array([8 * j for j in range(n_columns)], dtype=np.uint64)
    masks = np.array([0xFF << (8 * j) for j in range(n_columns)], dtype=np.uint64)
    codes = draw.integers(0, 4, (n, n_columns))
    lows = draw.integers(0, 4, 40).astype(np.uint64)
    costs = draw.integers(0, 9, 40)
    starts = draw.choice([-1, 0, 4, 9], n_columns)
    counts = draw.integers(1, 4, n)

    def packed(codes):
        keys = np.zeros((n, n_words), dtype=np.uint64)
        for j in range(n_columns):
            keys[:, words[j]] |= codes[:, j].astype(np.uint64) << shifts[j]
        return keys

    rolled = naive.lattice_rows.climbed(codes.tolist(), lows.tolist(), starts.tolist())
    keys = packed(codes)
    assert (climbed(keys, words, shifts, masks, lows, starts) == packed(np.array(rolled))).all()
    expected = naive.lattice_rows.costs_of(codes.tolist(), costs.tolist(), starts.tolist())
    assert costs_of(keys, words, shifts, masks, costs, starts).tolist() == expected
    more = sum(
        int(c) * int(costs[9 + code] - costs[4 + code])
        for c, code in zip(counts, codes[:, 1], strict=True)
    )
    assert cost_between(keys, counts, words[1], shifts[1], masks[1], costs, 4, 9) == more
    gains = draw.integers(0, 50, n)
    index, _, sums = aggregated(packed(np.array(rolled)), counts)
    group_starts, order = rows(index, len(sums))
    by_group = group_starts, keys[order]
    for j in range(n_columns):
        for k in (1, 2, 4):
            column = words[j], shifts[j], masks[j]
            found = left_out(*by_group, *column, counts[order], gains[order], k)
            mixed = [
                (*row[:j], own[j], *row[j + 1 :])
                for row, own in zip(rolled, codes.tolist(), strict=True)
            ]
            assert found == naive.lattice_rows.left_out(mixed, counts.tolist(), gains.tolist(), k)


@pytest.mark.parametrize("kind", [sf.Optimal, sf.Samarati, sf.Incognito, sf.Exhaustive])
@pytest.mark.parametrize("budget", [0, -1, 2.5, "9", True])
def test_a_budget_is_a_number_of_nodes(kind, budget):
    with pytest.raises(BadInput, match=f"{kind.__name__}: budget must be an integer >= 1"):
        kind(budget=budget)


def test_nodes_of_a_height_are_as_many_as_are_given():
    lattice = Lattice(made(2, 4, 30).frequencies(), sf.KAnonymity(2))
    for height in range(lattice.height + 1):
        assert lattice.n_at_height(height) == len(list(lattice.at_height(height)))


@pytest.mark.parametrize("kind", [sf.Optimal, sf.Samarati, sf.Incognito, sf.Exhaustive])
def test_with_a_budget_nothing_is_claimed_about_nodes_that_were_not_counted(kind):
    assert kind().minimality == "full-domain"
    assert kind(budget=50).minimality is None
    assert kind(budget=50).failed_steps(None, sf.KAnonymity(2)) is None


def test_a_budget_and_what_is_proved_are_written_and_read(tmp_path):
    table = made(3, 4, 90)
    release = sf.anonymize(table, sf.KAnonymity(3), sf.Optimal("loss", 5, budget=20))
    assert release.gap > 0
    lost = sf.utility.information_loss(release) * table.n_rows
    assert release.description.best_so_far.cost == pytest.approx(lost)
    place = release.save(tmp_path / "out")
    written = json.loads((place / "release.json").read_text())
    assert written["best_so_far"]["gap"] == release.gap
    assert "interrupted" not in written["best_so_far"]
    loaded = sf.load(place)
    assert loaded.method == release.method
    assert (loaded.method.budget, loaded.gap, loaded.interrupted) == (20, release.gap, False)
    assert sf.anonymize(table, sf.KAnonymity(3), sf.Optimal("loss", 5)).gap == 0


def test_how_far_a_search_got_that_looks_at_values_is_not_told_by_its_bound():
    """Its bound would depend on who has which value: it is one for all who have the same sizes."""
    criterion, costs = sf.KAnonymity(3) & sf.LDiversity(3), set()
    for dealt in range(6):
        table = made(3, 4, 90, dealt)
        for n in (20, 100, 10**6):
            by_size = sf.anonymize(table, sf.KAnonymity(3), sf.Optimal("loss", 5, budget=n // 4))
            told = sf.anonymize(table, criterion, sf.Optimal("loss", 5, budget=n))
            told, known = told.description.best_so_far, by_size.description.best_so_far.least
            assert told.least == min(told.cost, known)
            costs.add(told.cost)
        assert 0 < known <= told.cost
        assert sf.anonymize(table, criterion, sf.Optimal("loss", 5)).gap == 0
    assert len(costs) > 1


@pytest.fixture(scope="module")
def wide():
    """A lattice that takes long: 14 columns of four levels."""
    draw = np.random.default_rng(1)
    values = {f"c{j}": draw.choice([path[0] for path in PATHS], 4000) for j in range(14)}
    values["s"] = draw.choice(["a", "b", "c"], 4000)
    rule = sf.Hierarchy.from_spec({"level_table": PATHS}, "c")
    return sf.read(pa.table(values), {f"c{j}": rule for j in range(14)}, "s")


@pytest.mark.long
@pytest.mark.parametrize("promise", [sf.KAnonymity(5), sf.KAnonymity(5) & sf.LDiversity(2)])
@pytest.mark.parametrize("kind", [sf.Optimal, sf.Samarati])
def test_the_first_interrupt_keeps_the_best_and_no_attack_runs_it_again(
    wide, promise, kind, tmp_path
):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored here
    alarm = signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
    signal.setitimer(signal.ITIMER_REAL, 2)
    try:
        release = sf.anonymize(wide, promise, kind(max_suppressed=0.05))
    finally:
        signal.signal(signal.SIGALRM, alarm)
        signal.signal(signal.SIGINT, before)
    assert release.gap > 0
    assert release.interrupted
    loaded = sf.load(release.save(tmp_path / "out"))
    assert loaded.interrupted
    if promise == sf.KAnonymity(5):
        return
    attacks = [sf.attacks.Mechanism()]
    if release.method.minimality is not None:
        attacks.append(sf.attacks.Minimality())
    for attack in attacks:
        for subject in (release, loaded):
            with pytest.raises(CannotRun, match="ended by hand"):
                attack.run(subject, wide)


@pytest.fixture
def interrupted_at_once():
    """A search is interrupted when it first reports."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored here
    times = 1

    def interrupt(stage, done, total):
        nonlocal times
        if stage.startswith("searching") and times:
            times -= 1
            signal.raise_signal(signal.SIGINT)

    with listening(interrupt):
        yield
    signal.signal(signal.SIGINT, before)


KINDS = [sf.Samarati, sf.Incognito, sf.Exhaustive]


@pytest.mark.parametrize("kind", KINDS)
def test_a_search_that_is_interrupted_goes_on_until_it_has_a_node(kind, interrupted_at_once):
    """The top is not safe, and says nothing about the others."""
    draw = np.random.default_rng(1)
    values = {f"c{j}": draw.choice(list("wxyz"), 400) for j in range(5)}
    table = sf.read(
        pa.table(values | {"s": ["a"] * 380 + ["b"] * 20}), dict.fromkeys(values, sf.Flat()), "s"
    )
    criterion = sf.LDiversity("3/2", "entropy")
    lattice = Lattice(table.frequencies(), criterion)
    assert not lattice.is_allowed(lattice.heights, 360)
    recoding = kind(0.9).search(table.frequencies(), criterion, None)
    assert lattice.is_allowed(tuple(recoding.levels.values()), 360)
    assert recoding.best_so_far.interrupted
    assert not recoding.best_so_far.proved


@pytest.mark.parametrize("kind", KINDS)
def test_a_search_that_is_interrupted_walks_down_from_a_safe_top(kind, interrupted_at_once):
    table = made(3, 4, 90)
    recoding = kind(4).search(table.frequencies(), sf.KAnonymity(3), None)
    lattice = Lattice(table.frequencies(), sf.KAnonymity(3))
    node = tuple(recoding.levels.values())
    assert lattice.is_allowed(node, 4)
    assert not any(lattice.is_allowed(each, 4) for each in right_below(node))
    assert recoding.best_so_far.interrupted


@pytest.mark.parametrize("kind", KINDS)
def test_an_unsafe_top_of_a_monotone_criterion_ends_every_search(kind, interrupted_at_once):
    table = made(3, 4, 90)
    for budget in (None, 1):
        with pytest.raises(sf.Unsatisfiable, match="no level of these hierarchies"):
            kind(budget=budget).search(table.frequencies(), sf.KAnonymity(91), None)


@pytest.mark.parametrize("kind", KINDS)
def test_progress_names_the_lowest_safe_node(kind):
    frequencies, stages = made(3, 4, 90).frequencies(), []
    with listening(lambda stage, done, total: stages.append(stage)):
        kind(4, budget=200).search(frequencies, sf.KAnonymity(3), None)
    heights = [
        tuple(map(int, re.search(r", best height (\d+), none below (\d+)$", stage).groups()))
        for stage in stages
    ]
    assert heights
    assert all(least <= height for height, least in heights)
    assert heights == sorted(heights, key=lambda each: (-each[0], each[1]))


def test_a_search_is_not_interrupted_where_it_is_run_to_see_what_it_does():
    from sfumato.progress import stopping_early, to_the_end

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with to_the_end(), stopping_early() as asked:
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
            assert not asked()
    finally:
        signal.signal(signal.SIGINT, before)


def test_prices_too_large_for_a_word_are_rounded_down():
    table = made(11, 3, 40)
    weights = {"c0": Fraction(1, 10**9 + 7), "c1": Fraction(1, 10**9 + 9), "c2": 1}
    lattice = Lattice(table.frequencies(), sf.KAnonymity(3))
    metric = METRICS["loss"](lattice, weights)
    assert metric.suppressed * 40 > MOST
    expected = ranking(lattice, metric, 4)[0][2]
    found = sf.Optimal("loss", 4, weights=weights).search(
        table.frequencies(), sf.KAnonymity(3), None
    )
    assert tuple(found.levels.values()) == expected
    assert found.best_so_far.proved


@pytest.mark.parametrize("budget", [3, 200])
def test_a_budget_is_enough_for_incognito_on_any_lattice(budget):
    draw = np.random.default_rng(3)
    values = {f"c{j}": draw.integers(0, 32, 600) for j in range(12)}
    table = sf.read(pa.table(values), {name: sf.Intervals(2, 4, 8, 16) for name in values})
    release = sf.anonymize(table, sf.KAnonymity(5), sf.Incognito(budget=budget))
    assert release.gap > 0
    with pytest.raises(sf.BadInput, match="Samarati or Optimal with a budget"):
        sf.anonymize(table, sf.KAnonymity(5), sf.Incognito())
