"""The cheapest node that withstands who knows how it was chosen (Wong 2009, definition 8)."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.confidential
import naive.replay
import sfumato as sf
from profiles import examples
from properties.generated import VALUES, tables
from sfumato.algorithms.lattice.optimal_confidential import OptimalConfidential
from sfumato.formulas.minimality.deals import tables as dealt_tables
from sfumato.formulas.minimality.first_confidential import FirstConfidential, fewest_tables

SENSITIVE = {
    "all": (None, False, [[value] for value in VALUES]),
    "one": (["HIV"], False, [["HIV"]]),
    "two": (["HIV", "flu"], False, [["HIV"], ["flu"]]),
    "pooled": (["HIV", "flu"], True, [["HIV", "flu"]]),
}
MS = [2, 3, Fraction(3, 2)]


def node_of(table, m, values, pooled, k=1, *, pass_over=True):
    """The node that the method publishes; None: it refuses."""
    promise = sf.KAnonymity(k) & sf.Confidentiality(m, values, pooled)
    try:
        found = OptimalConfidential(m, pass_over).search(table.frequencies(), promise, None)
    except sf.Unsatisfiable:
        return None
    return tuple(found.levels.values())


@examples(150)
@given(
    tables(max_rows=6),
    st.sampled_from(MS),
    st.sampled_from(sorted(SENSITIVE)),
    st.integers(1, 2),
    st.booleans(),
)
def test_it_publishes_the_enumerated_node(table, m, kind, k, pass_over):
    values, pooled, sensitive = SENSITIVE[kind]
    expected = naive.confidential.optimal_confidential(
        table.rows, table.paths, m, sensitive, k, pass_over=pass_over
    )
    assert node_of(table, m, values, pooled, k, pass_over=pass_over) == expected


@examples(60)
@given(tables(max_rows=5, missing=False), st.sampled_from(MS), st.sampled_from(sorted(SENSITIVE)))
def test_whatever_it_publishes_of_any_world_is_believed_at_most_so_much(table, m, kind):
    """The method runs on every world; a refusal is an output like any other."""
    values, pooled, sensitive = SENSITIVE[kind]
    own = [row[-1] for row in table.rows]
    outputs = {}
    for world in naive.confidential.worlds_of(own):
        rows = [(*row[:-1], value) for row, value in zip(table.rows, world, strict=True)]
        node = node_of(replace(table, rows=rows), m, values, pooled)
        output = None
        if node is not None:
            generalized = naive.confidential.generalize(table.rows, table.paths, node)
            output = naive.confidential.seen(world, [row[:-1] for row in generalized])
        outputs.setdefault(output, []).append(world)
    most = max(Fraction(sum(map(own.count, each)), len(own)) for each in sensitive)
    assert (None in outputs) == (most > Fraction(1) / m)
    assert len(outputs) == 1 or None not in outputs  # it depends on the numbers of values alone
    for output, worlds in outputs.items():
        if output is not None:
            assert naive.confidential.largest_belief(worlds, sensitive) <= Fraction(1) / m


@examples(60)
@given(tables(max_rows=6), st.sampled_from(sorted(SENSITIVE)))
def test_passing_over_changes_nothing_where_nothing_would_remain(table, kind):
    values, pooled, _ = SENSITIVE[kind]
    as_they_come = node_of(table, 2, values, pooled, pass_over=False)
    if as_they_come is not None:
        assert node_of(table, 2, values, pooled) == as_they_come


SIX = {"job": ["a", "a", "b", "b", "b", "b"], "test": ["+", "+", *"----"]}
PLUS = sf.Confidentiality(2, ["+"])


def six(tests) -> sf.Table:
    return sf.read(pa.table(SIX | {"test": list(tests)}), {"job": sf.Tree(["a", "b"])}, "test")


@pytest.mark.parametrize("tests", ["++----", "+-+---", "--++--"])
def test_wongs_table_is_certain_as_it_comes_and_one_third_where_a_node_is_passed_over(tests):
    """Of table I two worlds may be published as they are; the one that remains would be certain."""
    with pytest.raises(sf.Unsatisfiable, match=r"believes up to 1, where 0\.5 is allowed"):
        sf.anonymize(six(tests), PLUS, OptimalConfidential(2, pass_over=False))
    release = sf.anonymize(six(tests), PLUS, OptimalConfidential(2))
    assert release.levels == {"job": 1}
    finding = sf.attacks.Mechanism().run(release)
    assert (finding.found, finding.holds) == (Fraction(1, 3), True)


@pytest.mark.parametrize("seed", range(4))
def test_the_mechanism_attack_finds_what_running_it_on_every_world_finds(seed):
    draw = np.random.default_rng(seed)
    rows = [
        {"q": str(q), "s": value}
        for q, value in zip(
            sorted(draw.integers(0, 4, 6)), draw.permutation(["+"] * 2 + ["-"] * 4), strict=True
        )
    ]
    tree = sf.Tree({"low": ["0", "1"], "high": ["2", "3"]})
    promise, method = sf.Confidentiality(2, ["+"]), OptimalConfidential(2)
    table = sf.read(pa.Table.from_pylist(rows), {"q": tree}, "s")
    release = sf.anonymize(table, promise, method)
    ((_, boxes, _),) = naive.replay.published(rows, {"q": tree}, ["s"], promise, method)
    believed = naive.replay.beliefs(rows, {"q": tree}, ["s"], promise, method, boxes)
    finding = sf.attacks.Mechanism().run(release)
    assert finding.found == max(each.get(("+",), 0) for each in believed.values())
    assert finding.holds
    assert finding.found <= Fraction(1, 2)


def test_large_cells_are_counted_exactly():
    """60 people in two cells: the worlds do not fit into 64 bits, and 1/2 is still 1/2."""
    sizes, histogram = np.array([60, 60]), np.array([60, 60])
    dealt = dealt_tables(sizes, histogram, 1000)
    order = [np.array([0, 1]), np.array([0, 0])]
    rule = FirstConfidential.of(dealt, sizes, order, Fraction(1, 2), [0])
    even = (dealt[:, :, 0] == 30).all(axis=1)
    assert rule.published[even].tolist() == [0]
    assert (rule.published[~even] == 1).all()


@pytest.mark.parametrize("seed", range(20))
def test_the_number_of_worlds_is_bounded_from_below(seed):
    draw = np.random.default_rng(seed)
    sizes = draw.integers(1, 4, draw.integers(1, 5))
    histogram = draw.multinomial(sizes.sum(), [1 / 3] * 3)
    listed = dealt_tables(sizes, histogram, 10**6)
    assert fewest_tables(sizes, histogram) <= len(listed)
    two = np.array([histogram[0], histogram[1:].sum()])
    assert fewest_tables(sizes, two) == len(dealt_tables(sizes, two, 10**6))


# ------------------------------------------------------------------------------ what it refuses


def test_a_table_with_too_many_worlds_is_refused_with_their_number():
    ages = pa.table({"age": list(range(24)), "test": ["+", "-"] * 12})
    table = sf.read(ages, {"age": sf.Intervals(5)}, "test")
    message = r"at least 2,704,156 ways .* 24 kinds of people, and every one of at most 100,000"
    with pytest.raises(sf.BadInput, match=message):
        sf.anonymize(table, PLUS, OptimalConfidential(2))
    # Whom no node tells apart is alike: five kinds of people, of five years each.
    assert sf.anonymize(table, sf.KAnonymity(4) & PLUS, OptimalConfidential(2)).levels == {"age": 2}


def test_a_table_with_too_many_nodes_is_refused():
    columns = {f"q{j}": [str(j), "x"] for j in range(15)}
    table = sf.read(pa.table(columns | {"test": ["+", "-"]}), [*columns], "test")
    with pytest.raises(sf.BadInput, match=r"32,768 nodes, and every one of at most 20,000"):
        sf.anonymize(table, PLUS, OptimalConfidential(2))


def test_a_value_that_is_too_frequent_is_refused_with_the_reason():
    with pytest.raises(sf.Unsatisfiable, match="of all 6 rows 4 have one protected value, more"):
        sf.anonymize(six("++++--"), PLUS, OptimalConfidential(2))


def test_too_few_people_are_refused_by_their_number():
    with pytest.raises(sf.Unsatisfiable, match=r"KAnonymity\(k=7\) reaches 6"):
        sf.anonymize(six("++----"), sf.KAnonymity(7) & PLUS, OptimalConfidential(2))


@pytest.mark.parametrize(
    ("criterion", "message"),
    [
        (sf.KAnonymity(2), "keeps Confidentiality"),
        (PLUS & sf.LDiversity(2), "no other promise about values"),
        (sf.Confidentiality(3), r"it was told m = 2; say OptimalConfidential\(3\)"),
    ],
)
def test_other_promises_are_refused(criterion, message):
    with pytest.raises(sf.BadInput, match=message):
        sf.anonymize(six("++----"), criterion, OptimalConfidential(2))


def test_one_of_several_sensitive_columns_has_to_be_named():
    table = sf.read(
        pa.table(SIX | {"pay": [1, 2, 1, 2, 1, 2]}), {"job": sf.Tree(["a", "b"])}, ["test", "pay"]
    )
    with pytest.raises(sf.BadInput, match="say with attribute= which"):
        sf.anonymize(table, sf.Confidentiality(2), OptimalConfidential(2))
    named = sf.Confidentiality(2, ["+"], attribute="test")
    assert sf.anonymize(table, named, OptimalConfidential(2)).levels == {"job": 1}


@pytest.mark.parametrize("m", [0, "1/2", None, "x", True])
def test_m_is_a_number_of_at_least_one(m):
    with pytest.raises(sf.BadInput, match="OptimalConfidential: m must be"):
        OptimalConfidential(m)


# -------------------------------------------------------- how often something would be left over


def chain_of_partitions(draw):
    """Four to eight people of eight kinds, 2 x 2 x 2, and all nodes that join halves of them."""
    kinds, sizes = np.unique(draw.integers(0, 8, draw.integers(4, 9)), return_counts=True)
    first = [kinds // 2, kinds // 4, np.zeros_like(kinds)]
    second = [kinds % 2, np.zeros_like(kinds)]
    nodes = sorted(((i, j) for i in range(3) for j in range(2)), key=lambda n: n[0] + 1.5 * n[1])
    order = [np.unique(2 * first[i] + second[j], return_inverse=True)[1] for i, j in nodes]
    return sizes, order


def test_nodes_as_they_come_leave_something_in_many_tables_and_passing_some_over_in_none():
    """One sensitive value of at most half of the people; the numbers stand in docs/methods.md."""
    draw = np.random.default_rng(1)
    n_left, half = 0, Fraction(1, 2)
    for _ in range(300):
        sizes, order = chain_of_partitions(draw)
        n = int(sizes.sum())
        n_sensitive = int(draw.integers(1, n // 2 + 1))
        dealt = dealt_tables(sizes, np.array([n_sensitive, n - n_sensitive]), 10**6)
        as_they_come = FirstConfidential.of(dealt, sizes, order, half, [0], pass_over=False)
        rule = FirstConfidential.of(dealt, sizes, order, half, [0])
        n_left += as_they_come.left > 0
        assert as_they_come.left == 0 or as_they_come.left > half  # it always tells too much
        assert rule.left == 0
        if not as_they_come.left:
            assert (rule.published == as_they_come.published).all()
    assert n_left == 126
