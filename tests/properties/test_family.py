"""The whole k-anonymity family and every lattice algorithm, against enumeration."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.criteria
import naive.groups
import naive.lattice
import sfumato as sf
from profiles import examples
from properties.generated import tables
from sfumato.algorithms.lattice.lattice import Lattice
from sfumato.algorithms.lattice.metric import METRICS
from sfumato.algorithms.lattice.minimal import preferred
from sfumato.algorithms.lattice.three_phase import possibilities
from sfumato.criteria.judging import holding

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
        "risk": (sf.MaxRisk(min(Fraction(2, 2 * k - 1), 1)), lambda v: len(v) >= k),
        "distinct": (sf.LDiversity(min(k, 3)), lambda v: naive.criteria.l_diverse(v, min(k, 3))),
        "entropy": (
            sf.LDiversity(1 / exact, "entropy"),
            lambda v: naive.criteria.l_diverse(v, 1 / exact, "entropy"),
        ),
        "recursive": (
            sf.RecursiveDiversity(3 * exact, min(k, 3)),
            lambda v: naive.criteria.recursive_diverse(v, 3 * exact, min(k, 3)),
        ),
        "alpha": (sf.AlphaKAnonymity(share, k), lambda v: naive.criteria.alpha_k(v, exact, k)),
        "alpha pooled": (
            sf.AlphaKAnonymity(share, k, values=["1", "2"], pooled=True),
            lambda v: naive.criteria.alpha_k(v, exact, k, ["1", "2"], pooled=True),
        ),
        "p": (
            sf.PSensitiveKAnonymity(min(2, k), k),
            lambda v: naive.criteria.p_sensitive(v, min(2, k), k),
        ),
        "ke": (sf.KEAnonymity(k, 3), lambda v: naive.criteria.k_e(v, k, 3)),
        "equal": (
            sf.TCloseness(share),
            lambda v: naive.criteria.t_close(v, everybody, exact, lambda a, b: float(a != b)),
        ),
        "ordered": (
            sf.TCloseness(share, "ordered"),
            lambda v: naive.criteria.t_close(v, everybody, exact, rank),
        ),
        "hierarchical": (
            sf.TCloseness(share, "hierarchical"),
            lambda v: naive.criteria.t_close(v, everybody, exact, tree_distance),
        ),
    }
    assert present
    name = draw(st.sampled_from(sorted(kinds)))
    criterion, of_values = kinds[name]
    return table, criterion, lambda group: of_values([row[-1] for row in group])


@pytest.mark.long
@examples(250)
@given(cases(), st.integers(0, 5))
def test_all_lattice_algorithms_find_the_enumerated_minimal_nodes(case, limit):
    table, criterion, twin = case
    frequencies = table.frequencies()
    limit = min(limit, len(table.rows) - 1)
    expected = naive.lattice.minimal_nodes(table.rows, table.paths, twin, limit)
    for method in (sf.Exhaustive(limit), sf.Incognito(limit), sf.Samarati(limit)):
        assert set(method.minimal(frequencies, criterion)) == expected, method
        if expected:
            found = tuple(method.search(frequencies, criterion, None).levels.values())
            assert sum(found) == min(map(sum, expected))
            assert found in expected
        else:
            with pytest.raises(sf.Unsatisfiable):
                method.search(frequencies, criterion, None)


@examples(100)
@given(cases(), st.integers(0, 5), st.sampled_from(PREFER))
def test_the_preferred_minimal_node_is_the_best_by_its_measure(case, limit, prefer):
    table, criterion, twin = case
    limit = min(limit, len(table.rows) - 1)
    minimal = naive.lattice.minimal_nodes(table.rows, table.paths, twin, limit)
    if not minimal:
        return
    heights = naive.lattice.heights_of(table.paths)

    def measured(node):
        groups = naive.lattice.groups_at(table.rows, table.paths, node).values()
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


@pytest.mark.long
@examples(200)
@given(cases(), st.integers(0, 5), st.sampled_from(sorted(METRICS)))
def test_optimal_is_the_enumerated_optimum(case, limit, metric):
    table, criterion, twin = case
    limit = min(limit, len(table.rows) - 1)
    safe = naive.lattice.safe_nodes(table.rows, table.paths, twin, limit)
    method = sf.Optimal(metric, limit)
    if not safe:
        with pytest.raises(sf.Unsatisfiable):
            method.search(table.frequencies(), criterion, None)
        return
    prices = {n: naive.lattice.price(table.rows, table.paths, n, twin, metric) for n in safe}
    found = tuple(method.search(table.frequencies(), criterion, None).levels.values())
    assert float(prices[found]) == pytest.approx(float(min(prices.values())), abs=1e-9)


@pytest.mark.long
@examples(100)
@given(
    cases(),
    st.integers(0, 5),
    st.sampled_from(["loss", "precision"]),
    st.lists(st.integers(0, 9), min_size=9, max_size=9).filter(lambda given: given[0] > 0),
)
def test_with_weights_optimal_is_the_enumerated_optimum_exactly(case, limit, metric, given):
    table, criterion, twin = case
    limit = min(limit, len(table.rows) - 1)
    weights = given[: len(table.paths)]
    thirds = {f"{name}": f"{w}/3" for name, w in zip(table.columns, weights, strict=False)}
    safe = naive.lattice.safe_nodes(table.rows, table.paths, twin, limit)
    if not safe:
        return
    prices = {
        node: naive.lattice.price(table.rows, table.paths, node, twin, metric, weights)
        for node in safe
    }
    best = min(safe, key=lambda node: (prices[node], sum(node), node))
    found = sf.Optimal(metric, limit, thirds).search(table.frequencies(), criterion, None)
    assert tuple(found.levels.values()) == best


@examples(150)
@given(
    cases(),
    st.sampled_from(sorted(METRICS.keys() - {"entropy"})),  # a sum of floats
    st.sampled_from(["lattice", "sequence"]),
)
def test_three_phases_end_at_the_enumerated_node(case, metric, specialization):
    table, criterion, twin = case
    l = possibilities(criterion)
    args = (table.rows, table.paths, twin, metric, l, specialization)
    expected = naive.lattice.three_phase(*args)
    method = sf.ThreePhase(metric, specialization)
    if expected is None:
        with pytest.raises(sf.Unsatisfiable, match="nothing is disclosed"):
            method.search(table.frequencies(), criterion, None)
        return
    found = tuple(method.search(table.frequencies(), criterion, None).levels.values())
    assert found == expected


@examples(300)
@given(cases())
def test_every_criterion_judges_as_its_twin(case):
    table, criterion, twin = case
    grouping = table.frequencies().as_it_is()
    held = holding(criterion, grouping.joint)
    expected = {}
    for values, group in naive.groups.rows_by_group(table.rows, range(len(table.paths))).items():
        expected[values] = twin(group)
    domains = table.frequencies().domains
    for box, verdict in zip(grouping.boxes, held, strict=True):
        values = tuple(
            domains[name].labels[low] for name, (low, _) in zip(table.columns, box, strict=True)
        )
        assert verdict == expected[values]


@examples(200)
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
            naive.criteria.earth_mover(values, everybody, distance), abs=1e-8
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


@st.composite
def tables_with_two_sensitive_columns(draw):
    """Rows of one or two quasi-identifiers and two sensitive values, with a shared hierarchy."""
    n_columns = draw(st.integers(1, 2))
    paths = [("a1", "a", "*"), ("a2", "a", "*"), ("b1", "b", "*")]
    ground = st.sampled_from([path[0] for path in paths])
    row = st.tuples(*[ground] * n_columns, st.sampled_from("12"), st.sampled_from("pqz"))
    return draw(st.lists(row, min_size=1, max_size=10)), [paths] * n_columns


@pytest.mark.long
@examples(150)
@given(
    tables_with_two_sensitive_columns(),
    st.integers(0, 3),
    st.sampled_from(["distinct", "p", "alpha", "frequency"]),
)
def test_a_criterion_about_all_sensitive_columns_is_enumerated_right(table, limit, kind):
    """Each column is judged inside the groups made finer by the other: not monotone any more."""
    rows, paths = table
    limit = min(limit, len(rows) - 1)
    names = [f"q{j}" for j in range(len(paths))]
    source = pa.table(
        [list(column) for column in zip(*rows, strict=True)], names=[*names, "s", "t"]
    )
    rules = {n: sf.Hierarchy.from_spec({"level_table": paths[0]}, n) for n in names}
    frequencies = sf.read(source, rules, sensitive=["s", "t"]).frequencies()
    criterion, of_values = {
        "distinct": (sf.LDiversity(2), lambda v: len(set(v)) >= 2),
        "p": (sf.PSensitiveKAnonymity(2, 2), lambda v: len(v) >= 2 and len(set(v)) >= 2),
        "alpha": (
            sf.AlphaKAnonymity("2/3", 2),
            lambda v: naive.criteria.alpha_k(v, Fraction(2, 3), 2),
        ),
        "frequency": (
            sf.LDiversity(2, "frequency"),
            lambda v: naive.criteria.l_diverse(v, 2, "frequency"),
        ),
    }[kind]

    def twin(group):
        finer = [
            [row[judged] for row in part]
            for judged, other in ((-2, -1), (-1, -2))
            for part in naive.groups.rows_by_group(group, [other]).values()
        ]
        return all(map(of_values, finer))

    expected = naive.lattice.minimal_nodes(rows, paths, twin, limit)
    for method in (sf.Exhaustive(limit), sf.Incognito(limit), sf.Samarati(limit)):
        assert set(method.minimal(frequencies, criterion)) == expected, method
    safe = naive.lattice.safe_nodes(rows, paths, twin, limit)
    for metric in ("loss", "discernibility"):
        method = sf.Optimal(metric, limit)
        if not safe:
            with pytest.raises(sf.Unsatisfiable):
                method.search(frequencies, criterion, None)
            continue
        prices = {n: naive.lattice.price(rows, paths, n, twin, metric) for n in safe}
        found = tuple(method.search(frequencies, criterion, None).levels.values())
        assert float(prices[found]) == pytest.approx(float(min(prices.values())))


def test_discernibility_is_compared_exactly_however_large():
    ax, ay, bx, by = 60000, 40002, 39999, 59999
    source = pa.table(
        {
            "q": ["a"] * (ax + ay) + ["b"] * (bx + by),
            "r": ["x"] * ax + ["y"] * ay + ["x"] * bx + ["y"] * by,
        }
    )
    frequencies = sf.read(source, ["q", "r"]).frequencies()
    found = sf.Optimal("discernibility").search(frequencies, sf.KAnonymity(70000), None)
    assert found.levels == {"q": 1, "r": 0}


def test_minimal_takes_a_table_and_refuses_what_makes_no_sense():
    table = sf.read(pa.table({"q": list("aabb"), "s": list("1212")}), ["q"], "s")
    assert sf.Incognito().minimal(table, sf.KAnonymity(2)) == [(0,)]
    for criterion, message in (
        (sf.LDiversity(2, attribute="z"), "not sensitive"),
        (sf.TCloseness(0.5, "hierarchical"), "has no tree"),
        (sf.AlphaKAnonymity(0.5, 1, values=["9"]), "nobody has '9'"),
        ("k", "expected one such as"),
    ):
        with pytest.raises(sf.BadInput, match=message):
            sf.Samarati().minimal(table, criterion)
    bare = sf.read(pa.table({"q": list("aabb")}), ["q"])
    with pytest.raises(sf.BadInput, match="no sensitive column"):
        sf.Exhaustive().minimal(bare, sf.LDiversity(2))


def test_criteria_that_do_not_fit_one_of_several_columns_are_refused():
    source = pa.table({"q": list("aabb"), "s": list("1212"), "u": list("xyyx")})
    table = sf.read(source, ["q"], ["s", "u"])
    with pytest.raises(sf.BadInput, match="'s' has no tree"):
        sf.anonymize(table, sf.TCloseness(1, "hierarchical"), sf.Mondrian())
    with pytest.raises(sf.BadInput, match="'u' does not hold numbers alone"):
        sf.anonymize(table, sf.KEAnonymity(2, 1), sf.Mondrian())
    assert sf.anonymize(table, sf.KEAnonymity(2, 1, attribute="s"), sf.Mondrian()).check()


@pytest.mark.long
@examples(100)
@given(cases(), st.integers(1, 4), st.integers(0, 6))
def test_no_node_is_within_the_limit_below_one_that_shows_it(case, k, limit):
    """What branches are left out by, criteria that are not monotone under suppression included."""
    table, criterion, twin = case
    lattice = Lattice(table.frequencies(), criterion & sf.KAnonymity(k))
    both = naive.criteria.both(twin, naive.criteria.k_anonymity(k))
    nodes = naive.lattice.all_nodes(naive.lattice.heights_of(table.paths))
    needed = {n: naive.lattice.suppressed_at(table.rows, table.paths, n, both) for n in nodes}
    for higher in nodes:
        groups = lattice.rollup.at(higher)
        assert lattice.is_allowed(higher, limit) == (needed[higher] <= limit)
        if lattice.question.more_left_out(groups.joint, limit):
            below = [n for n in nodes if n == higher or naive.lattice.below(n, higher)]
            assert all(needed[node] > limit for node in below)
