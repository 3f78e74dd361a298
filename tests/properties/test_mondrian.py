"""Strict Mondrian against its recursive twin, and against definition 4.3."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import naive
import sfumato as sf
from properties.generated import VALUES, Generated, criteria, tables


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
    rules = [sf.Intervals(), sf.Hierarchy.from_spec({"table": letters}, "generated")]
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
    ground = recoding.how.combinations
    labels = [ground.domains[name].labels for name in ground.columns]
    codes = [ground.codes(name) for name in ground.columns]
    region_of = {
        tuple(labels[j][codes[j][c]] for j in range(len(labels))): g
        for c, g, _ in recoding.how.parts.tolist()
    }
    found = {}
    for row in table.rows:
        found.setdefault(region_of[row[:-1]], []).append(row)
    return found


@pytest.fixture(params=["compiled", "arrays"])
def way(request, monkeypatch):
    """Both ways of cutting by size: the compiled one is for large tables only."""
    compiled = request.param == "compiled"
    monkeypatch.setattr("sfumato.algorithms.mondrian.COMPILED", 0 if compiled else 10**9)


@pytest.mark.usefixtures("way")
@settings(
    max_examples=300,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.one_of(tables(), numeric_tables()), criteria())
def test_mondrian_cuts_as_its_recursive_twin(table, pair):
    criterion, safe = pair
    frequencies = table.frequencies()
    if not safe(table.rows):
        with pytest.raises(sf.Unsatisfiable):
            sf.Mondrian().search(frequencies, criterion, None)
        return
    recoding = sf.Mondrian().search(frequencies, criterion, None)
    expected = naive.mondrian(table.rows, dimensions(table), safe)
    found = regions(table, recoding)
    assert sorted(map(sorted_rows, found.values())) == sorted(map(sorted_rows, expected))


def sorted_rows(rows):
    return sorted(map(str, rows))


@settings(max_examples=200, deadline=None)
@given(st.one_of(tables(), numeric_tables()), criteria(), st.booleans())
def test_boxes_hold_their_people_and_do_not_overlap(table, pair, tight):
    criterion, safe = pair
    if not safe(table.rows):
        return
    recoding = sf.Mondrian(tight=tight).search(table.frequencies(), criterion, None)
    ground, boxes = recoding.how.combinations, recoding.how.boxes
    codes = np.stack([ground.codes(name) for name in ground.columns], axis=1)
    inside = (codes[:, None] >= boxes[None, :, :, 0]) & (codes[:, None] <= boxes[None, :, :, 1])
    assert inside.all(axis=2).sum(axis=1).tolist() == [1] * len(ground)
    assert inside.all(axis=2).argmax(axis=1).tolist() == recoding.how.parts[:, 1].tolist()
    if not tight:  # together they cover the whole space
        volume = np.prod(boxes[:, :, 1] - boxes[:, :, 0] + 1, axis=1).sum()
        assert volume == np.prod([len(domain) for domain in ground.domains.values()])


@settings(max_examples=200, deadline=None)
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
            assert not naive.allowable_cuts(rows, column, dimension, safe)


@settings(max_examples=200, deadline=None)
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


def both_ways(monkeypatch, frequencies, method, k):
    """What compiled code and arrays make of a table: every box with its people."""
    found = []
    for threshold in (0, 10**9):
        monkeypatch.setattr("sfumato.algorithms.mondrian.COMPILED", threshold)
        how = method.search(frequencies, sf.KAnonymity(k), None).how
        groups = {}
        for combination, g, people in how.parts.tolist():
            groups.setdefault(g, []).append((combination, people))
        found.append(sorted((how.boxes[g].tolist(), sorted(who)) for g, who in groups.items()))
    return found


METHODS = [sf.Mondrian(), sf.Mondrian(dimensions="widest"), sf.Mondrian(strict=False)]


@settings(
    max_examples=300,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.one_of(tables(), numeric_tables()), st.integers(1, 5), st.sampled_from(METHODS))
def test_both_ways_of_cutting_by_size_agree(monkeypatch, table, k, method):
    if len(table.rows) >= k:
        compiled, arrays = both_ways(monkeypatch, table.frequencies(), method, k)
        assert compiled == arrays


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_both_ways_of_cutting_by_size_agree_on_a_large_table(monkeypatch, method):
    draw = np.random.default_rng(11)
    n = 4000
    source = pa.table(
        {
            "age": draw.integers(0, 90, n),
            "income": draw.integers(0, 10**9, n),  # far more values than people in most regions
            "zip": [f"{z:05d}" for z in draw.integers(0, 300, n)],
            "sex": draw.choice(["f", "m", None], n, p=[0.5, 0.49, 0.01]),
        }
    )
    rules = {"age": sf.Flat(), "income": sf.Flat(), "zip": sf.Prefix(), "sex": sf.Tree(["f", "m"])}
    frequencies = sf.read(source, rules).frequencies()
    compiled, arrays = both_ways(monkeypatch, frequencies, method, 4)
    assert compiled == arrays
    assert len(compiled) > 100


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
    compiled, arrays = both_ways(monkeypatch, frequencies, method, 4)
    assert compiled == arrays
