"""Strict Mondrian against its recursive twin, and against definition 4.3."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import naive.mondrian
import sfumato as sf
from profiles import examples
from properties.generated import VALUES, Generated, criteria, tables
from sfumato.algorithms.algorithm import chances
from sfumato.algorithms.bounds import BOUNDS
from sfumato.algorithms.failed_steps import PublishedGroups
from sfumato.algorithms.lots import every_outcome


@st.composite
def numeric_tables(draw):
    """Numbers with a flat hierarchy, beside a tree; the numeric axis has gaps."""
    number = st.sampled_from([1, 2, 3, 10, 11, 40, 100])
    rows = draw(
        st.lists(
            st.tuples(number, st.sampled_from("abc"), st.sampled_from(VALUES)),
            min_size=1,
            max_size=16,
        )
    )
    numbers = [(value, "*") for value in sorted({row[0] for row in rows})]
    letters = [("a", "ab", "*"), ("b", "ab", "*"), ("c", "c+", "*")]
    rules = [sf.Intervals(), sf.Hierarchy.from_spec({"level_table": letters}, "generated")]
    return Generated(rows, [numbers, letters], rules)


def dimensions(table):
    found = []
    for paths in table.paths:
        ground = [labels[0] for labels in paths]
        rank = {value: j for j, value in enumerate(ground)}
        if isinstance(ground[0], int):
            found.append((rank, {value: float(value) for value in ground}, None))
        else:
            found.append((rank, rank, {labels[0]: labels for labels in paths}))
    return found


def regions(table, recoding):
    """The rows of every region, from the combinations assigned to it."""
    ground = recoding.combinations
    labels = [ground.domains[name].labels for name in ground.columns]
    codes = [ground.codes(name) for name in ground.columns]
    region_of = {
        tuple(labels[j][codes[j][c]] for j in range(len(labels))): g
        for c, g, _ in recoding.parts.tolist()
    }
    found = {}
    for row in table.rows:
        found.setdefault(region_of[row[:-1]], []).append(row)
    return found


@pytest.fixture(params=["compiled", "arrays"])
def way(request, monkeypatch):
    """Both ways of cutting: the compiled one is for large tables only."""
    compiled = request.param == "compiled"
    monkeypatch.setattr("sfumato.algorithms.mondrian.COMPILED", 0 if compiled else 10**9)


@pytest.mark.usefixtures("way")
@examples(300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.one_of(tables(), numeric_tables()), criteria())
def test_mondrian_cuts_as_its_recursive_twin(table, pair):
    criterion, safe = pair
    frequencies = table.frequencies()
    if not safe(table.rows):
        with pytest.raises(sf.Unsatisfiable):
            sf.Mondrian().search(frequencies, criterion, None)
        return
    recoding = sf.Mondrian().search(frequencies, criterion, None)
    expected = naive.mondrian.mondrian(table.rows, dimensions(table), safe)
    found = regions(table, recoding)
    assert sorted(map(sorted_rows, found.values())) == sorted(map(sorted_rows, expected))


def sorted_rows(rows):
    return sorted(map(str, rows))


@examples(200)
@given(st.one_of(tables(), numeric_tables()), criteria(), st.sampled_from(BOUNDS))
def test_boxes_hold_their_people_and_do_not_overlap(table, pair, bounds):
    criterion, safe = pair
    if not safe(table.rows):
        return
    recoding = sf.Mondrian(bounds=bounds).search(table.frequencies(), criterion, None)
    ground, boxes = recoding.combinations, recoding.boxes
    codes = np.stack([ground.codes(name) for name in ground.columns], axis=1)
    inside = (codes[:, None] >= boxes[None, :, :, 0]) & (codes[:, None] <= boxes[None, :, :, 1])
    assert inside.all(axis=2).sum(axis=1).tolist() == [1] * len(ground)
    assert inside.all(axis=2).argmax(axis=1).tolist() == recoding.parts[:, 1].tolist()
    if bounds == "cuts":  # together they cover the whole space
        volume = np.prod(boxes[:, :, 1] - boxes[:, :, 0] + 1, axis=1).sum()
        assert volume == np.prod([len(domain) for domain in ground.domains.values()])


@examples(200)
@given(numeric_tables(), criteria())
def test_no_region_has_an_allowable_cut_at_any_value_of_any_dimension(table, pair):
    """Definition 4.3, and the bound that follows from it for k-anonymity."""
    criterion, safe = pair
    if not safe(table.rows):
        return
    found = regions(table, sf.Mondrian().search(table.frequencies(), criterion, None))
    for rows in found.values():
        assert safe(rows)
        for column, dimension in enumerate(dimensions(table)):
            assert not naive.mondrian.allowable_cuts(rows, column, dimension, safe)


@examples(200)
@given(tables(missing=False), st.integers(1, 4))
def test_regions_stay_within_the_bound_of_the_paper(table, k):
    """At most 2n(k-1) + o people (flat dimensions, where every boundary can be cut)."""
    for j, paths in enumerate(table.paths):
        table.rules[j] = sf.Tree([labels[0] for labels in paths])
    if len(table.rows) < k:
        return
    recoding = sf.Mondrian().search(table.frequencies(), sf.KAnonymity(k), None)
    copies = max(Counter(row[:-1] for row in table.rows).values())
    bound = 2 * len(table.paths) * (k - 1) + copies
    assert max(map(len, regions(table, recoding).values())) <= bound


def both_ways(monkeypatch, frequencies, method, criterion):
    """What compiled code and arrays make of a table by the same lots: every box with its people."""
    found = []
    for threshold in (0, 10**9):
        monkeypatch.setattr("sfumato.algorithms.mondrian.COMPILED", threshold)
        how = method.search(frequencies, criterion, np.random.default_rng(2).bytes)
        groups = {}
        for combination, g, people in how.parts.tolist():
            groups.setdefault(g, []).append((combination, people))
        found.append(sorted((how.boxes[g].tolist(), sorted(who)) for g, who in groups.items()))
        assert len(how.boxes) == len(groups)
    return found


METHODS = [
    sf.Mondrian(),
    sf.Mondrian(dimensions="widest"),
    sf.Mondrian(strict=False),
    sf.Mondrian(strict=False, dimensions="widest"),
]


@pytest.mark.parametrize("at_once", [1, 20, 1 << 22])
@examples(200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.one_of(tables(), numeric_tables()), criteria(), st.sampled_from(METHODS))
def test_both_ways_of_cutting_agree(monkeypatch, at_once, table, pair, method):
    criterion, safe = pair
    monkeypatch.setattr("sfumato.algorithms.mondrian.compiled_search.COUNTS_AT_ONCE", at_once)
    monkeypatch.setattr("sfumato.algorithms.mondrian.by_size.SMALL", at_once)
    if safe(table.rows):
        compiled, arrays = both_ways(monkeypatch, table.frequencies(), method, criterion)
        assert compiled == arrays


CRITERIA = [
    sf.KAnonymity(4),
    sf.KAnonymity(4) & sf.LDiversity(2, attribute="illness"),
    sf.LDiversity("3/2", "entropy", attribute="illness"),
    sf.KAnonymity(3) & sf.TCloseness(0.4, attribute="illness"),
    sf.AlphaKAnonymity(0.7, 4, attribute="illness"),
    sf.LDiversity(2, attribute="illness") & sf.LDiversity(3, attribute="salary"),
    sf.LDiversity(2),  # each of both, within the other
]


@pytest.fixture(scope="module")
def large():
    """What 3,000 people have in common."""
    draw = np.random.default_rng(11)
    n = 3000
    source = pa.table(
        {
            "age": draw.integers(0, 90, n),
            "income": draw.integers(0, 10**9, n),  # far more values than people in most regions
            "zip": [f"{z:05d}" for z in draw.integers(0, 300, n)],
            "sex": draw.choice(["f", "m", None], n, p=[0.5, 0.49, 0.01]),
            "illness": draw.choice(["flu", "HIV", "none"], n, p=[0.3, 0.1, 0.6]),
            "salary": draw.integers(0, 40, n),
        }
    )
    rules = {"age": sf.Flat(), "income": sf.Flat(), "zip": sf.Prefix(), "sex": sf.Tree(["f", "m"])}
    return sf.read(source, rules, ["illness", "salary"]).frequencies()


@pytest.mark.every
@pytest.mark.long
@pytest.mark.parametrize("method", METHODS, ids=str)
@pytest.mark.parametrize("criterion", CRITERIA, ids=str)
def test_both_ways_of_cutting_agree_on_a_large_table(monkeypatch, large, method, criterion):
    compiled, arrays = both_ways(monkeypatch, large, method, criterion)
    assert compiled == arrays


@pytest.mark.parametrize("method", METHODS, ids=str)
@pytest.mark.parametrize("n_columns", [1, 3, 4])
@pytest.mark.parametrize("kind", ["numbers", "trees"])
def test_both_ways_agree_where_many_columns_are_equally_wide(monkeypatch, method, n_columns, kind):
    """Ties go to the earlier column, and not to the smaller rounding error."""
    draw = np.random.default_rng(n_columns)
    names = [f"c{j}" for j in range(n_columns)]
    columns = {name: draw.integers(0, 23, 3000) for name in names}
    rules = {name: sf.Flat() for name in names}
    if kind == "trees":
        columns = {name: [f"{v:02d}" for v in values] for name, values in columns.items()}
        rules = {name: sf.Prefix() for name in names}
    frequencies = sf.read(pa.table(columns), rules).frequencies()
    compiled, arrays = both_ways(monkeypatch, frequencies, method, sf.KAnonymity(4))
    assert compiled == arrays


@pytest.mark.parametrize("kind", ["numbers", "trees"])
@pytest.mark.parametrize("at", [3, 250, 496])
def test_a_single_safe_cut_is_found_however_far_from_the_middle(monkeypatch, kind, at):
    """Both halves need an ill and a healthy person, and the two who are ill are neighbours."""
    x = list(range(500))
    if kind == "trees":
        x = [f"{value:03d}" for value in x]
    s = ["ill" if place in (at, at + 1) else "ok" for place in range(500)]
    rule = sf.Flat() if kind == "numbers" else sf.Prefix()
    frequencies = sf.read(pa.table({"x": x, "s": s}), {"x": rule}, "s").frequencies()
    compiled, arrays = both_ways(monkeypatch, frequencies, sf.Mondrian(), sf.LDiversity(2))
    assert compiled == arrays
    assert [box for box, _ in compiled] == [[[0, at]], [[at + 1, 499]]]


@pytest.mark.long
@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("n_runs", [1000, pytest.param(4000, marks=pytest.mark.slow)])
def test_every_choice_of_people_of_a_split_combination_is_equally_likely(n_runs):
    """Two, one and two people of three values, and one on each side: three of the five go left."""
    x, s = [1] + [2] * 5 + [3] * 2, ["a"] + ["a", "a", "b", "c", "c"] + ["a"] * 2
    frequencies = sf.read(pa.table({"x": x, "s": s}), ["x"], "s").frequencies()
    criterion = sf.KAnonymity(4) & sf.LDiversity(1)
    draw = np.random.default_rng(3).bytes
    found = Counter()
    for _ in range(n_runs):
        how = sf.Mondrian(strict=False).search(frequencies, criterion, draw)
        people = {(key, how.boxes[g, 0, 0]): n for key, g, n in how.parts.tolist()}
        found[tuple(people.get((key, 0), 0) for key in (1, 2, 3))] += 1
    ways = {
        (a, b, c): math.comb(2, a) * math.comb(1, b) * math.comb(2, c)
        for a in range(3)
        for b in range(2)
        for c in range(3)
        if a + b + c == 3
    }
    assert found.keys() == ways.keys()
    expected = {choice: n_runs * n / math.comb(5, 3) for choice, n in ways.items()}
    chi_square = sum((found[choice] - n) ** 2 / n for choice, n in expected.items())
    assert chi_square < 18.5  # four degrees of freedom: one in a thousand is above


@pytest.mark.long
@pytest.mark.parametrize("threshold", [0, 10**9], ids=["compiled", "arrays"])
def test_lots_of_regions_with_the_same_box_are_independent(monkeypatch, threshold):
    """Of a half that has the box of the whole, too: as likely as all lots together say."""
    x, s = [1] + [2] * 7, list("a" + "abbbbbb")
    frequencies = sf.read(pa.table({"x": x, "s": s}), ["x"], "s").frequencies()
    criterion = sf.KAnonymity(2) & sf.LDiversity(1)

    def groups(draw):
        how = sf.Mondrian(strict=False).search(frequencies, criterion, draw)
        found = {}
        for key, g, n in how.parts.tolist():
            found.setdefault(g, []).append((key, n))
        return str(sorted((how.boxes[g].tolist(), sorted(who)) for g, who in found.items()))

    likely = Counter()
    for chance, outcome in every_outcome(groups, 1000):
        likely[outcome] += chance
    monkeypatch.setattr("sfumato.algorithms.mondrian.COMPILED", threshold)
    draw, n_runs = np.random.default_rng(4).bytes, 2000
    found = Counter(groups(draw) for _ in range(n_runs))
    assert found.keys() == likely.keys()
    assert sorted(likely.values()) == [Fraction(n, 7) for n in (1, 2, 4)]
    chi_square = sum((found[each] - n_runs * p) ** 2 / (n_runs * p) for each, p in likely.items())
    assert chi_square < 13.8  # two degrees of freedom: one in a thousand is above


@pytest.mark.usefixtures("way")
def test_a_seed_repeats_a_relaxed_run_by_value():
    draw = np.random.default_rng(5)
    source = pa.table({"x": draw.integers(0, 9, 400), "s": draw.integers(0, 3, 400)})
    frequencies = sf.read(source, ["x"], "s").frequencies()
    criterion = sf.KAnonymity(5) & sf.LDiversity(2)
    runs = []
    for seed in (1, 1, 2):
        method = sf.Mondrian(strict=False, seed=seed)
        runs.append(method.search(frequencies, criterion, chances(method)).parts.tolist())
    assert runs[0] == runs[1] != runs[2]


@pytest.mark.usefixtures("way")
@examples(300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.one_of(tables(), numeric_tables()), criteria(), st.sampled_from(["all", "widest"]))
def test_failed_cuts_are_those_tried_before_the_one_taken(table, pair, tried):
    criterion, safe = pair
    if not safe(table.rows):
        return
    method, frequencies = sf.Mondrian(dimensions=tried), table.frequencies()
    recoding = method.search(frequencies, criterion, None)
    ground = frequencies.combinations
    group = np.empty(len(ground), dtype=np.intp)
    group[recoding.parts[:, 0]] = recoding.parts[:, 1]
    labels = [[ground.domains[n].labels[c] for c in ground.codes(n)] for n in ground.columns]
    combinations = list(zip(*labels, strict=True))
    group_of = dict(zip(combinations, group.tolist(), strict=True))
    steps = method.failed_steps(PublishedGroups(ground, group), criterion)
    found = [tuple(frozenset(combinations[i] for i in c) for c in s.children) for s in steps]
    expected = naive.mondrian.failed_cuts(
        table.rows, dimensions(table), group_of, criterion.least_size, widest_only=tried == "widest"
    )
    assert Counter(found) == Counter(expected)
