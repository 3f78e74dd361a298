"""Ciriani 2008: what algorithms 3.1 and 3.2 do as they are printed, and what they should."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.criteria
import naive.lattice
import sfumato as sf
from naive.as_printed import (
    SLIPS,
    as_node,
    composed,
    joined,
    required_suppression,
    samarati,
)
from profiles import examples
from properties.generated import tables
from sfumato.algorithms.lattice.lattice import Lattice

A_AND_B = [[("a", "A"), ("b", "A")]]


def right(table, paths, k, node):
    return naive.lattice.suppressed_at(table, paths, node, naive.criteria.k_anonymity(k))


@pytest.mark.parametrize(
    ("slip", "table", "k", "node", "printed", "needed"),
    [
        pytest.param("first tuple", "ab", 2, (1,), 2, 0, id="V lacks the first tuple"),
        pytest.param("last tuple", "aab", 2, (0,), 0, 1, id="the last tuple is never an outlier"),
        pytest.param("once per row", "ab", 3, (1,), 4, 2, id="a group counts for each of its rows"),
    ],
)
def test_each_slip_by_itself_counts_wrong(slip, table, k, node, printed, needed):
    rows = [(value,) for value in table]
    assert right(rows, A_AND_B, k, node) == needed
    mended = SLIPS - {slip}
    assert required_suppression(rows, A_AND_B, k, node, mended) == printed
    assert required_suppression(rows, A_AND_B, k, node, SLIPS) == needed


def test_as_printed_a_person_alone_is_published():
    """The last tuple: three rows, one of them alone, are called 2-anonymous as they are."""
    rows = [("a",), ("a",), ("b",)]
    assert samarati(rows, A_AND_B, 2, 1) == (0,)
    assert samarati(rows, A_AND_B, 2, 0, SLIPS) == (1,)


@examples(100)
@given(tables(max_rows=10, missing=False), st.integers(1, 4), st.integers(0, 4))
def test_mended_it_finds_the_lowest_height(table, k, limit):
    rows = [row[:-1] for row in table.rows]
    limit = min(limit, len(rows) - 1)
    for node in naive.lattice.all_nodes(naive.lattice.heights_of(table.paths)):
        found = required_suppression(rows, table.paths, k, node, SLIPS)
        assert found == right(rows, table.paths, k, node)
    try:
        ours = sf.Samarati(limit).search(table.frequencies(), sf.KAnonymity(k), None)
    except sf.Unsatisfiable:
        return  # where nothing is safe, the printed algorithm returns the top
    assert sum(samarati(rows, table.paths, k, limit, SLIPS)) == sum(ours.levels.values())


def test_compose_as_printed_is_a_product_and_has_to_be_a_join():
    """Two of three pairs of columns are safe at different levels; no node agrees with them all."""
    marked = {("x", "y"): [(0, 1), (1, 1)], ("x", "z"): [(1, 0), (1, 1)], ("y", "z"): [(1, 1)]}
    assert len(composed(marked)) == 4
    assert joined(marked) == [(1, 1, 1)]
    assert [as_node(vertex) for vertex in composed(marked)].count(None) == 3


@examples(100)
@given(tables(max_rows=10, missing=False), st.integers(1, 4))
def test_a_join_keeps_every_safe_node_and_is_what_is_left_of_the_product(table, k):
    frequencies = table.frequencies()
    columns = frequencies.quasi_identifiers
    if len(columns) < 2:
        return
    safe = sf.Incognito().safe_nodes(frequencies, sf.KAnonymity(k))
    marked = {own: safe[own] for own in combinations(columns, len(columns) - 1)}
    left = {as_node(vertex) for vertex in composed(marked)} - {None}
    assert left == set(joined(marked))
    lattice = Lattice(frequencies, sf.KAnonymity(k))
    assert {n for n in lattice.nodes() if not lattice.n_suppressed(n)} <= left
