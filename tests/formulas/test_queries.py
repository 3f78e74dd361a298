"""COUNT queries: answers against literal counting, and the workloads' own statistics."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.queries
from profiles import examples
from properties.generated import tables
from sfumato.data.recoding import Bucketing, Cut
from sfumato.formulas.measures.queries import Answering, Queries, Workload, lifts, most_correlated


def as_dicts(table):
    return [dict(zip([*table.columns, "s"], row, strict=True)) for row in table.rows]


@st.composite
def asked(draw, frequencies, most=4):
    """Some queries, as masks and as sets of values."""
    columns = [*frequencies.quasi_identifiers, "s"]
    labels = {column: frequencies.domains[column].labels for column in columns}
    queries, masks = [], {column: [] for column in columns}
    for _ in range(draw(st.integers(1, most))):
        chosen = {
            c: draw(st.lists(st.booleans(), min_size=len(v), max_size=len(v)))
            for c, v in labels.items()
        }
        for column, mask in chosen.items():
            masks[column].append(mask)
        queries.append(
            {c: {v for v, yes in zip(labels[c], chosen[c], strict=True) if yes} for c in columns}
        )
    stacked = [np.array(masks[column], dtype=bool) for column in columns]
    return Queries(tuple(stacked[:-1]), stacked[-1]), queries


def close(found, expected):
    assert len(found) == len(expected)
    assert all(
        math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-12)
        for a, b in zip(found, expected, strict=True)
    )


@examples(60)
@given(st.data())
def test_a_table_answers_with_the_true_count(data):
    table = data.draw(tables())
    frequencies = table.frequencies()
    queries, sets = data.draw(asked(frequencies))
    truth = Answering.exact(frequencies, "s").answers(queries)
    assert truth.tolist() == [naive.queries.count_query(as_dicts(table), query) for query in sets]


@examples(60)
@given(st.data())
def test_a_generalized_group_is_spread_evenly_over_its_box(data):
    table = data.draw(tables())
    frequencies = table.frequencies()
    levels = {
        name: data.draw(st.integers(0, frequencies.domains[name].taxonomy.height))
        for name in table.columns
    }
    grouping = Cut.at_levels(frequencies.domains, levels).grouping(frequencies)
    gone = np.array(
        data.draw(
            st.lists(st.booleans(), min_size=len(grouping.boxes), max_size=len(grouping.boxes))
        ),
        dtype=bool,
    )
    # Who is published as what, read off the hierarchies; the groups that are gone are suppressed.
    cells = {}
    for j, (name, level) in enumerate(levels.items()):
        paths = table.paths[j]
        cells[name] = {
            path[0]: [other[0] for other in paths if other[level:] == path[level:]]
            for path in paths
        }
    lows = {tuple(box[:, 0]) for box in grouping.boxes[gone]}
    published = []
    for row in as_dicts(table):
        shown = {name: cells[name][row[name]] for name in table.columns}
        ranks = [frequencies.domains[n].labels.index(shown[n][0]) for n in table.columns]
        if tuple(ranks) not in lows:
            published.append({**shown, "s": row["s"]})
    kept = grouping.without(gone)
    answering = Answering.generalized(kept.boxes, kept.groups("s").histogram)
    queries, sets = data.draw(asked(frequencies))
    expected = [naive.queries.count_generalized(published, query, "s") for query in sets]
    close(answering.answers(queries), expected)


@examples(60)
@given(st.data())
def test_two_tables_answer_with_exact_quasi_identifiers_and_shares_of_values(data):
    table = data.draw(tables())
    frequencies = table.frequencies()
    rows = as_dicts(table)
    number = data.draw(
        st.lists(st.sampled_from([-1, 0, 2, 3]), min_size=len(rows), max_size=len(rows))
    )
    found = Counter()
    for row, group in zip(rows, number, strict=True):
        codes = [frequencies.domains[name].labels.index(row[name]) for name in frequencies.columns]
        same = np.ones(len(frequencies), dtype=bool)
        for name, code in zip(frequencies.columns, codes, strict=True):
            same &= frequencies.codes(name) == code
        found[int(np.flatnonzero(same)[0]), group] += 1
    parts = np.array([(*key, people) for key, people in found.items()], dtype=np.int64)
    answering = Answering.bucketized(Bucketing(frequencies, parts), "s")
    queries, sets = data.draw(asked(frequencies))
    groups = [
        [row for row, own in zip(rows, number, strict=True) if own == group]
        for group in sorted(set(number) - {-1})
    ]
    expected = [naive.queries.count_bucketized(groups, query, "s") for query in sets]
    close(answering.answers(queries), expected)


def test_nobody_published_answers_nothing():
    queries = Queries((np.ones((3, 2), dtype=bool),), np.ones((3, 2), dtype=bool))
    nobody = np.zeros(0, dtype=np.int64)
    empty = Answering(np.zeros((0, 1, 2), dtype=np.int32), nobody, nobody)
    assert empty.answers(queries).tolist() == [0, 0, 0]


def drawn(workload, bases):
    parts = list(workload.queries(bases))
    sets = [
        np.concatenate([part.quasi_identifiers[j] for part in parts]) for j in range(len(bases) - 1)
    ]
    return Queries(tuple(sets), np.concatenate([part.sensitive for part in parts]))


def test_a_query_of_wong_names_as_many_values_as_the_selectivity_asks_for():
    bases, s, qd = [74, 7, 16, 2, 5], Fraction(1, 20), 3
    queries = drawn(Workload("wong", 500, qd, s, seed=1), bases)
    for sets, base in zip(queries.quasi_identifiers, bases, strict=False):
        sizes = sets.sum(axis=1)
        b = math.ceil(base * 0.05 ** (1 / 4))
        assert set(sizes.tolist()) == {b, base}
    assert set(queries.sensitive.sum(axis=1).tolist()) == {math.ceil(5 * 0.05 ** (1 / 4))}


@pytest.mark.parametrize(
    ("base", "s", "qd", "b"),
    [
        (10, Fraction(1, 4), 1, 5),
        (27, 1, 5, 27),
        (1000, Fraction(1, 1000), 2, 100),
        (2, Fraction(1, 10**9), 1, 1),
    ],
)
def test_the_number_of_values_is_decided_in_integers(base, s, qd, b):
    assert Workload("wong", 1, qd, Fraction(s), 0).most_values(base) == b
    assert b ** (qd + 1) >= s * base ** (qd + 1) > (b - 1) ** (qd + 1)


def uniform(counts, n_kinds):
    """Whether counts of equally likely kinds are within five standard deviations of the mean."""
    n, p = sum(counts.values()), 1 / n_kinds
    spread = 5 * math.sqrt(n * p * (1 - p))
    return len(counts) == n_kinds and all(abs(c - n * p) < spread for c in counts.values())


def test_a_query_of_cormode_names_any_number_of_values_up_to_the_selectivity():
    bases = [9, 8, 7, 10]
    queries = drawn(Workload("cormode", 6000, 2, Fraction(1, 2), seed=2), bases)
    assert uniform(Counter(queries.sensitive.sum(axis=1).tolist()), 5 + 1)
    for sets, base in zip(queries.quasi_identifiers, bases, strict=False):
        sizes = sets.sum(axis=1)
        assert uniform(Counter(sizes[sizes < base].tolist()), base // 2 + 1)


@pytest.mark.parametrize("kind", ["cormode", "wong"])
def test_every_choice_of_attributes_and_of_values_is_as_likely(kind):
    bases = [9, 8, 7, 10]
    queries = drawn(Workload(kind, 6000, 2, Fraction(1, 10), seed=3), bases)
    used = np.stack([~sets.all(axis=1) for sets in queries.quasi_identifiers], axis=1)
    assert uniform(Counter(map(tuple, used.tolist())), math.comb(3, 2))
    named = queries.sensitive.sum(axis=0)
    assert uniform(dict(enumerate(named.tolist())), 10)


def test_queries_do_not_depend_on_how_many_are_drawn_at_a_time(monkeypatch):
    workload = Workload("cormode", 200, 2, Fraction(1, 2), seed=4)
    whole = drawn(workload, [9, 8, 7, 10])
    monkeypatch.setattr("sfumato.formulas.measures.queries.CELLS", 100)
    pieces = drawn(workload, [9, 8, 7, 10])
    assert np.array_equal(whole.sensitive, pieces.sensitive)
    for one, other in zip(whole.quasi_identifiers, pieces.quasi_identifiers, strict=True):
        assert np.array_equal(one, other)
    again = drawn(Workload("cormode", 200, 2, Fraction(1, 2), seed=5), [9, 8, 7, 10])
    assert not np.array_equal(whole.sensitive, again.sensitive)


@examples(60)
@given(st.data())
def test_the_most_correlated_queries_are_those_farthest_from_independence(data):
    table = data.draw(tables())
    frequencies, rows = table.frequencies(), as_dicts(table)
    queries, sets = data.draw(asked(frequencies, most=8))
    truth = Answering.exact(frequencies, "s").answers(queries)
    marginals = [frequencies.reference(name) for name in frequencies.columns]
    factors = lifts(queries, truth, marginals)
    expected, kept = [], []
    for j, query in enumerate(sets):
        shares = [
            Fraction(naive.queries.count_query(rows, {c: v}), len(rows)) for c, v in query.items()
        ]
        if naive.queries.count_query(rows, query):
            kept.append(j)
            expected.append(len(rows) * math.prod(shares))
            assert factors[j] == int(truth[j]) / expected[-1]
    n = data.draw(st.integers(1, 3))
    above, below = most_correlated([factors[j] for j in kept], n)
    slow = naive.queries.most_correlated([int(truth[j]) for j in kept], expected, n)
    assert (above.tolist(), below.tolist()) == slow
