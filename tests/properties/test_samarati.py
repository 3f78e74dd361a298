"""Samarati's algorithm against the enumeration of all nodes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.criteria
import naive.lattice
import sfumato as sf
from profiles import examples
from properties.generated import criteria, tables
from sfumato.algorithms.lattice.lattice import Lattice


@examples(300)
@given(tables(), criteria(), st.integers(0, 6))
def test_samarati_finds_the_lowest_safe_node_with_the_fewest_suppressed_rows(table, pair, limit):
    criterion, twin = pair
    frequencies = table.frequencies()
    limit = min(limit, len(table.rows) - 1)  # somebody has to be published
    safe = naive.lattice.safe_nodes(table.rows, table.paths, twin, limit)
    if not safe:
        with pytest.raises(sf.Unsatisfiable):
            sf.Samarati(limit).search(frequencies, criterion, None)
        return
    recoding = sf.Samarati(limit).search(frequencies, criterion, None)
    lowest = [node for node in safe if sum(node) == sum(safe[0])]
    needed = {n: naive.lattice.suppressed_at(table.rows, table.paths, n, twin) for n in lowest}
    expected = min(lowest, key=lambda node: (needed[node], node))
    assert tuple(recoding.levels.values()) == expected
    assert recoding.n_suppressed(frequencies) == needed[expected]
    assert expected in naive.lattice.minimal_nodes(table.rows, table.paths, twin, limit)


@examples(200)
@given(tables(), criteria())
def test_every_node_is_judged_as_enumeration_does(table, pair):
    criterion, twin = pair
    lattice = Lattice(table.frequencies(), criterion)
    for node in naive.lattice.all_nodes(naive.lattice.heights_of(table.paths)):
        expected = naive.lattice.suppressed_at(table.rows, table.paths, node, twin)
        assert lattice.n_suppressed(node) == expected


@examples(200)
@given(tables(), criteria())
def test_what_a_criterion_calls_monotone_is(table, pair):
    """Without suppression always; with suppression where the criterion says so."""
    criterion, twin = pair
    safe = set(naive.lattice.safe_nodes(table.rows, table.paths, twin))
    nodes = naive.lattice.all_nodes(naive.lattice.heights_of(table.paths))
    needed = {n: naive.lattice.suppressed_at(table.rows, table.paths, n, twin) for n in nodes}
    for node in nodes:
        for higher in nodes:
            if naive.lattice.below(node, higher):
                assert node not in safe or higher in safe
                if criterion.monotone(suppression=True):
                    assert needed[higher] <= needed[node]


def test_suppression_breaks_monotonicity_of_frequency_diversity():
    """{5 x, 5 y} is safe at l = 2; joined by {3 x} it is not. The lower node must be found."""
    rows = [("a", "x")] * 5 + [("a", "y")] * 5 + [("b", "x")] * 3
    paths = [[("a", "*"), ("b", "*")]]
    twin = naive.criteria.l_diversity(2, "frequency")
    assert naive.lattice.suppressed_at(rows, paths, (0,), twin) == 3
    assert naive.lattice.suppressed_at(rows, paths, (1,), twin) == 13
    import pyarrow as pa

    table = sf.read(
        pa.table({"q": [row[0] for row in rows], "s": [row[1] for row in rows]}),
        quasi_identifiers={"q": sf.Tree(["a", "b"])},
        sensitive="s",
    )
    release = sf.anonymize(table, sf.LDiversity(2, "frequency"), sf.Samarati(max_suppressed=3))
    assert release.levels == {"q": 0}
    assert release.n_suppressed == 3
    with pytest.raises(sf.Unsatisfiable):
        sf.anonymize(table, sf.LDiversity(2, "frequency"), sf.Samarati(max_suppressed=2))
