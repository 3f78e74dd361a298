"""The whole k-anonymity family and every lattice algorithm, against enumeration."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import sfumato as sf
from properties.generated import tables
from sfumato.algorithms.lattice import Lattice
from sfumato.algorithms.metric import METRICS
from sfumato.algorithms.minimal import preferred
from sfumato.criteria.base import holding

NUMBERS = ["1", "2", "5", "9"]  # the sensitive values: text, numbers, and leaves of a tree
TREE = {"few": ["1", "2"], "many": ["5", "9"]}
PREFER = ["absolute_distance", "relative_distance", "distribution", "suppression"]


def tree_distance(a, b):
    if a == b:
        return 0
    return 0.5 if any({a, b} <= set(leaves) for leaves in TREE.values()) else 1


@st.composite
def cases(draw):
    """A table, a criterion of sfumato, and its twin as a function of a group's rows."""
    table = draw(tables(max_rows=12))
    table.rows = [(*row[:-1], draw(st.sampled_from(NUMBERS))) for row in table.rows]
    table.sensitive_rule = sf.Tree(TREE)
    everybody = [row[-1] for row in table.rows]
    present = sorted(set(everybody))

    def rank(a, b):
        # The line has all values that the hierarchy lists, whether or not somebody has them.
        return abs(NUMBERS.index(a) - NUMBERS.index(b)) / (len(NUMBERS) - 1)

    k = draw(st.integers(1, 4))
    share = draw(st.sampled_from([Fraction(1, 3), Fraction(1, 2), 0.4, Fraction(2, 3), 0.9]))
    exact = sf.TCloseness(share).t
    kinds = {
        "k": (sf.KAnonymity(k), lambda v: len(v) >= k),
        "distinct": (sf.LDiversity(min(k, 3)), lambda v: naive.l_diverse(v, min(k, 3))),
        "entropy": (
            sf.LDiversity(1 / exact, "entropy"),
            lambda v: naive.l_diverse(v, 1 / exact, "entropy"),
        ),
        "recursive": (
            sf.RecursiveDiversity(3 * exact, min(k, 3)),
            lambda v: naive.recursive_diverse(v, 3 * exact, min(k, 3)),
        ),
        "alpha": (sf.AlphaKAnonymity(share, k), lambda v: naive.alpha_k(v, exact, k)),
        "alpha pooled": (
            sf.AlphaKAnonymity(share, k, values=["1", "2"], pooled=True),
            lambda v: naive.alpha_k(v, exact, k, ["1", "2"], pooled=True),
        ),
        "p": (sf.PSensitiveKAnonymity(min(2, k), k), lambda v: naive.p_sensitive(v, min(2, k), k)),
        "ke": (sf.KEAnonymity(k, 3), lambda v: naive.k_e(v, k, 3)),
        "equal": (
            sf.TCloseness(share),
            lambda v: naive.t_close(v, everybody, exact, lambda a, b: float(a != b)),
        ),
        "ordered": (
            sf.TCloseness(share, "ordered"),
            lambda v: naive.t_close(v, everybody, exact, rank),
        ),
        "hierarchical": (
            sf.TCloseness(share, "hierarchical"),
            lambda v: naive.t_close(v, everybody, exact, tree_distance),
        ),
    }
    assert present
    name = draw(st.sampled_from(sorted(kinds)))
    criterion, of_values = kinds[name]
    return table, criterion, lambda group: of_values([row[-1] for row in group])


@settings(max_examples=250, deadline=None)
@given(cases(), st.integers(0, 5))
def test_all_lattice_algorithms_find_the_enumerated_minimal_nodes(case, limit):
    table, criterion, twin = case
    frequencies = table.frequencies()
    limit = min(limit, len(table.rows) - 1)
    expected = naive.minimal_nodes(table.rows, table.paths, twin, limit)
    for method in (sf.Exhaustive(limit), sf.Incognito(limit), sf.Samarati(limit)):
        assert set(method.minimal(frequencies, criterion)) == expected, method
        if expected:
            found = tuple(method.search(frequencies, criterion, None).levels.values())
            assert sum(found) == min(map(sum, expected))
            assert found in expected
        else:
            with pytest.raises(sf.Unsatisfiable):
                method.search(frequencies, criterion, None)


@settings(max_examples=100, deadline=None)
@given(cases(), st.integers(0, 5), st.sampled_from(PREFER))
def test_the_preferred_minimal_node_is_the_best_by_its_measure(case, limit, prefer):
    table, criterion, twin = case
    limit = min(limit, len(table.rows) - 1)
    minimal = naive.minimal_nodes(table.rows, table.paths, twin, limit)
    if not minimal:
        return
    heights = naive.heights_of(table.paths)

    def measured(node):
        groups = naive.groups_at(table.rows, table.paths, node).values()
        safe = [group for group in groups if twin(group)]
        return {
            "absolute_distance": sum(node),
            "relative_distance": sum(Fraction(a, b) for a, b in zip(node, heights, strict=True)),
            "distribution": -len(safe),
            "suppression": len(table.rows) - sum(map(len, safe)),
        }[prefer]

    best = min(map(measured, minimal))
    for kind in (sf.Samarati, sf.Incognito, sf.Exhaustive):
        recoding = kind(limit, prefer=prefer).search(table.frequencies(), criterion, None)
        assert measured(tuple(recoding.levels.values())) == best
    lattice = Lattice(table.frequencies(), criterion)
    assert measured(preferred(lattice, minimal, prefer)) == best


@settings(max_examples=200, deadline=None)
@given(cases(), st.integers(0, 5), st.sampled_from(sorted(METRICS)))
def test_optimal_is_the_enumerated_optimum(case, limit, metric):
    table, criterion, twin = case
    limit = min(limit, len(table.rows) - 1)
    safe = naive.safe_nodes(table.rows, table.paths, twin, limit)
    method = sf.Optimal(metric, limit)
    if not safe:
        with pytest.raises(sf.Unsatisfiable):
            method.search(table.frequencies(), criterion, None)
        return
    prices = {n: naive.price(table.rows, table.paths, n, twin, metric) for n in safe}
    found = tuple(method.search(table.frequencies(), criterion, None).levels.values())
    assert float(prices[found]) == pytest.approx(float(min(prices.values())), abs=1e-9)


@settings(max_examples=300, deadline=None)
@given(cases())
def test_every_criterion_judges_as_its_twin(case):
    table, criterion, twin = case
    grouping = table.frequencies().as_it_is()
    held = holding(criterion, grouping.joint)
    expected = {}
    for values, group in naive.rows_by_group(table.rows, range(len(table.paths))).items():
        expected[values] = twin(group)
    domains = table.frequencies().domains
    for box, verdict in zip(grouping.boxes, held, strict=True):
        values = tuple(
            domains[name].labels[low] for name, (low, _) in zip(table.columns, box, strict=True)
        )
        assert verdict == expected[values]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.integers(0, 6), min_size=4, max_size=4).filter(any),
    st.lists(st.integers(0, 9), min_size=4, max_size=4),
)
def test_the_earth_movers_distance_equals_a_linear_program(group, others):
    everybody = [
        n for n, (a, b) in enumerate(zip(group, others, strict=True)) for _ in range(a + b)
    ]
    everybody = [NUMBERS[n] for n in everybody]
    values = [NUMBERS[n] for n, a in enumerate(group) for _ in range(a)]
    domain, _ = sf.Tree(TREE).grow("s", NUMBERS)
    reference = np.array(group) + np.array(others)
    groups = sf.Groups([sum(group)], [group], domain, reference)
    distances = {
        "equal": lambda a, b: float(a != b),
        "ordered": lambda a, b: abs(NUMBERS.index(a) - NUMBERS.index(b)) / 3,
        "hierarchical": tree_distance,
    }
    for name, distance in distances.items():
        found = sf.TCloseness(1, name).measure(groups)
        assert float(found) == pytest.approx(
            naive.earth_mover(values, everybody, distance), abs=1e-8
        )


def test_a_distance_of_exactly_t_is_close_and_one_part_in_a_billion_less_is_not():
    groups = sf.Groups([3], [[3, 0, 0]], ["a", "b", "c"], reference=[2, 2, 2])
    assert sf.TCloseness(2 / 3).holds(groups).all()
    assert not sf.TCloseness(Fraction(2, 3) - Fraction(1, 10**9)).holds(groups).any()


def test_counts_beyond_64_bits_of_product_are_compared_exactly():
    big = 2**53
    groups = sf.Groups([big], [[big - 1, 1]], ["a", "b"], reference=[big, big])
    distance = Fraction(big - 1, big) - Fraction(1, 2)
    assert sf.TCloseness(1).measure(groups) == distance
    assert sf.AlphaKAnonymity(Fraction(big - 1, big), 1).holds(groups).all()
    assert not sf.AlphaKAnonymity(Fraction(big - 2, big), 1).holds(groups).any()
