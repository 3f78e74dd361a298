"""Personalized privacy: what each person guards is judged with the values, and never published."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import naive.criteria
import naive.groups
import naive.hierarchies
import naive.lattice
import naive.mondrian
import naive.top_down
import sfumato as sf
from algorithms.test_top_down import cut_nodes
from criteria.wards import PROMISE, SECRETS, read, wards_source
from profiles import examples
from properties.generated import Generated, tables
from properties.test_mondrian import dimensions
from sfumato.criteria import CRITERIA
from sfumato.criteria.judging import holding, measure
from sfumato.data.frequency import FrequencySet
from worked_examples import tables as papers

TREE = {"few": ["1", "2"], "many": {"some": ["5"], "most": ["9", "12"]}}
PATHS = [
    ("1", "1", "few", "*"),
    ("2", "2", "few", "*"),
    ("5", "some", "many", "*"),
    ("9", "most", "many", "*"),
    ("12", "most", "many", "*"),
]
NODES = sorted({label for path in PATHS for label in path})
L = [1, 2, 3, "3/2", 1.2, Fraction(7, 5)]


@dataclass
class Guarded(Generated):
    """Rows of ground values, the sensitive one last but one, and what the person guards."""

    def frequencies(self) -> FrequencySet:
        """Count without an engine."""
        rules = [*self.rules, sf.Tree(TREE), sf.Flat()]
        domains, codes = {}, {}
        for j, (name, rule) in enumerate(zip([*self.columns, "s", "g"], rules, strict=True)):
            values = [row[j] for row in self.rows]
            distinct = sorted(set(values), key=str)
            domains[name], coded = rule.grow(name, distinct)
            codes[name] = coded[[distinct.index(value) for value in values]]
        ones = np.ones(len(self.rows), dtype=np.int64)
        return FrequencySet.from_codes(domains, self.columns, ["s"], codes, ones, guard="g")


people = st.tuples(
    st.sampled_from([*(path[0] for path in PATHS), None]),
    st.sampled_from([None, None, *NODES]),
)


@st.composite
def cases(draw, max_rows=12):
    """A table whose people guard something, the criterion, and its twin."""
    plain = draw(tables(max_rows=max_rows))
    rows = [(*row[:-1], *draw(people)) for row in plain.rows]
    l, k = draw(st.sampled_from(L)), draw(st.integers(1, 3))
    criterion = sf.KAnonymity(k) & sf.PersonalizedPrivacy(l, "g")
    twin = naive.criteria.both(
        naive.criteria.k_anonymity(k), naive.criteria.personalized(criterion.parts[1].l, PATHS)
    )
    return Guarded(rows, plain.paths, plain.rules), criterion, twin


# ------------------------------------------------------------------------------- the definition


@examples(400)
@given(st.lists(st.lists(people, min_size=1, max_size=8), min_size=1, max_size=5))
def test_groups_are_judged_and_measured_as_by_counting_heads(groups):
    rows = [(f"v{j}", *person) for j, group in enumerate(groups) for person in group]
    paths = [(f"v{j}", "*") for j in range(len(groups))]
    table = Guarded(rows, [paths], [sf.Hierarchy.from_spec({"level_table": paths}, "generated")])
    joint = table.frequencies().as_it_is().joint
    shares = [naive.criteria.largest_guarded_share(group, PATHS) for group in groups]
    for l in L:
        criterion = sf.PersonalizedPrivacy(l, "g")
        expected = [naive.criteria.personalized(criterion.l, PATHS)(group) for group in groups]
        assert holding(criterion, joint).tolist() == expected
        (found,) = measure(criterion, joint)
        worst = max((share for share in shares if share is not None), default=0)
        assert found.found == (1 / worst if worst else float("inf"))
        assert found.holds == all(expected) == (found.found >= criterion.l)


def test_a_share_of_exactly_one_in_l_is_allowed():
    rows = [("v", "1", "few")] * 1 + [("v", "5", None)] * 2
    table = Guarded(rows, [[("v", "*")]], [sf.Tree(["v"])])
    joint = table.frequencies().as_it_is().joint
    assert holding(sf.PersonalizedPrivacy(3, "g"), joint).all()
    assert not holding(sf.PersonalizedPrivacy(3 + Fraction(1, 10**15), "g"), joint).any()


def test_it_is_not_monotone_even_when_nobody_is_suppressed():
    """The second group has nobody who minds, so joining it breaks the first."""
    first = [("v", "1", "few"), ("v", "5", None)]
    second = [("w", "1", None), ("w", "2", None)]
    safe = naive.criteria.personalized(2, PATHS)
    assert safe(first)
    assert safe(second)
    assert not safe(first + second)
    criterion = sf.PersonalizedPrivacy(2, "g")
    frequencies = Guarded(first + second, [], [sf.Tree(["v", "w"])]).frequencies()
    assert holding(criterion, frequencies.as_it_is().joint).all()
    assert not criterion.monotone(suppression=False)
    for method in (sf.Samarati(), sf.Incognito(), sf.Exhaustive(), sf.Optimal()):
        assert method.search(frequencies, criterion, None).levels == {"q0": 0}
    # Whoever starts from the top, which is unsafe, gets nowhere, and says that others may.
    for method in (sf.Mondrian(), sf.TopDown("cut")):
        with pytest.raises(sf.Unsatisfiable, match=r"none to begin with.*reaches 1.333.*Optimal"):
            method.search(frequencies, criterion, None)


def test_the_root_can_only_be_guarded_in_vain_unless_l_is_1():
    frequencies = Guarded([("v", "1", "*"), ("v", None, None)], [], [sf.Tree(["v"])]).frequencies()
    joint = frequencies.as_it_is().joint
    assert holding(sf.PersonalizedPrivacy(1, "g"), joint).all()
    assert not holding(sf.PersonalizedPrivacy("1000001/1000000", "g"), joint).any()


def test_a_spec_brings_it_back():
    for criterion in (sf.PersonalizedPrivacy("3/2", "g"), sf.PersonalizedPrivacy(2, "g", "s")):
        (spec,) = criterion.spec()
        assert CRITERIA.from_spec(spec, "here") == criterion
    assert spec == {"personalized_privacy": {"l": 2, "guarding": "g", "attribute": "s"}}
    with pytest.raises(sf.BadInput, match=r"'guarding' is missing"):
        CRITERIA.from_spec({"personalized_privacy": {"l": 2}}, "here")


@pytest.fixture
def wards() -> sf.Table:
    return read(wards_source())


# ---------------------------------------------------------------------------------- the algorithms


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


@pytest.mark.long
@examples(100)
@given(cases(), st.sampled_from(["loss", "discernibility", "height"]), st.integers(0, 4))
def test_optimal_is_as_cheap_as_the_cheapest_safe_node(case, metric, limit):
    table, criterion, twin = case
    limit = min(limit, len(table.rows) - 1)
    safe = naive.lattice.safe_nodes(table.rows, table.paths, twin, limit)
    if not safe:
        with pytest.raises(sf.Unsatisfiable):
            sf.Optimal(metric, limit).search(table.frequencies(), criterion, None)
        return
    found = sf.Optimal(metric, limit).search(table.frequencies(), criterion, None)

    def price(node):
        return naive.lattice.price(table.rows, table.paths, node, twin, metric)

    assert tuple(found.levels.values()) in safe
    assert price(tuple(found.levels.values())) == pytest.approx(min(map(price, safe)))


@pytest.mark.long
@pytest.mark.parametrize("compiled", [0, 10**9], ids=["compiled", "arrays"])
@examples(250, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(case=cases(max_rows=16))
def test_mondrian_cuts_as_its_recursive_twin(monkeypatch, compiled, case):
    monkeypatch.setattr("sfumato.algorithms.mondrian.COMPILED", compiled)
    table, criterion, twin = case
    if not twin(table.rows):
        with pytest.raises(sf.Unsatisfiable):
            sf.Mondrian().search(table.frequencies(), criterion, None)
        return
    recoding = sf.Mondrian().search(table.frequencies(), criterion, None)
    ground = recoding.combinations
    labels = [ground.domains[name].labels for name in ground.columns]
    codes = [ground.codes(name) for name in ground.columns]
    region_of = {
        tuple(labels[j][codes[j][c]] for j in range(len(labels))): g
        for c, g, _ in recoding.parts.tolist()
    }
    found: dict[int, list] = {}
    for row in table.rows:
        found.setdefault(region_of[row[:-2]], []).append(row)
    expected = naive.mondrian.mondrian(table.rows, dimensions(table), twin)

    def written(regions):
        return sorted(sorted(map(str, region)) for region in regions)

    assert written(found.values()) == written(expected)


@examples(150)
@given(cases())
def test_a_cut_from_the_top_is_what_its_twin_finds(case):
    table, criterion, twin = case
    if not twin(table.rows):
        return
    recoding = sf.TopDown("cut").search(table.frequencies(), criterion, None)
    expected = [
        {node for node in cut if any(row[j] in node for row in table.rows)}
        for j, cut in enumerate(naive.top_down.top_down_cut(table.rows, table.paths, twin))
    ]
    assert list(map(set, cut_nodes(table, recoding))) == expected


def test_methods_that_may_split_people_who_are_alike_are_refused(wards):
    with pytest.raises(sf.BadInput, match=r"cannot enforce PersonalizedPrivacy.*may split people"):
        sf.anonymize(wards, PROMISE, sf.TopDown())
    with pytest.raises(sf.BadInput, match=r"cannot enforce PersonalizedPrivacy.*union of safe"):
        sf.anonymize(wards, PROMISE, sf.Mondrian(strict=False))


# ------------------------------------------------------------------------------------- the paper


def table_15() -> sf.Table:
    names = papers.WONG_XV_A_COLUMNS
    columns = dict(zip(names, map(list, zip(*papers.WONG_XV_A, strict=True)), strict=True))
    columns["GuardingNode"] = [None if n == "none" else n for n in columns["GuardingNode"]]
    parents, leaves = papers.WONG_FIG1, papers.WONG_FIG1.keys() - papers.WONG_FIG1.values()
    tree: dict[str, dict] = {}
    for leaf in sorted(leaves):
        parent = parents[leaf]
        if parent == "any":
            tree[leaf] = None
        else:
            tree.setdefault(parent, {})[leaf] = None
    return sf.read(
        pa.table(columns),
        {"QID": sf.Tree({"Q": ["q1", "q2"]})},
        "Education",
        hierarchies={"Education": sf.Tree({"any": tree})},
    )


@pytest.mark.parametrize("method", [sf.Samarati(), sf.Incognito(), sf.Optimal(), sf.Mondrian()])
def test_wong_table_15_becomes_its_global_recoding(method):
    criterion = sf.PersonalizedPrivacy(2, "GuardingNode")
    bad = sf.check(table_15(), criterion)
    assert (bad.holds, bad.measured[0].found, bad.measured[0].n_people_failing) == (False, 1, 1)
    release = sf.anonymize(table_15(), criterion, method)
    rows = release.to_arrow().to_pylist()
    assert sorted(map(tuple, (row.values() for row in rows))) == sorted(papers.WONG_XV_B)
    assert release.check().measured[0].found == 3


def test_wong_table_15_is_safe_in_its_local_recoding_too():
    """The group Q has one of two under elementary, and in q2 nobody minds."""
    safe = naive.criteria.personalized(
        2, naive.hierarchies.hierarchy_from_parents(papers.WONG_FIG1)
    )
    guards = {value: None if node == "none" else node for _, value, node in papers.WONG_XV_A}
    groups = naive.groups.rows_by_group([(*row, guards[row[1]]) for row in papers.WONG_XV_C], [0])
    assert all(map(safe, groups.values()))
    assert not all(
        safe([(q, v, None if g == "none" else g) for q, v, g in group])
        for group in naive.groups.rows_by_group(papers.WONG_XV_A, [0]).values()
    )


# -------------------------------------------------------------------------------------- bad inputs


@pytest.mark.parametrize("role", ["quasi_identifiers", "sensitive", "insensitive", "identifiers"])
def test_a_guard_with_a_role_is_refused(role):
    given = {
        "quasi_identifiers": ["zip", "guard"],
        "sensitive": ["disease", "guard"],
        "insensitive": ["guard"],
        "identifiers": ["guard"],
    }
    table = read(wards_source(), **{role: given[role]})
    promise = sf.PersonalizedPrivacy(2, "guard", "disease")
    for use in (sf.anonymize, sf.check):
        with pytest.raises(sf.BadInput, match=r"'guard' has another role already.*give it none"):
            use(table, promise)


def test_an_unknown_guard_suggests_the_nearest_column(wards):
    with pytest.raises(sf.BadInput, match=r"guarding: unknown column 'gaurd'.*'guard'"):
        sf.anonymize(wards, sf.PersonalizedPrivacy(2, "gaurd"), sf.Mondrian())


def test_a_node_that_the_hierarchy_does_not_know_is_refused_without_being_shown():
    source = wards_source().set_column(3, "guard", pa.array(["none", "cancer!"] * 60))
    for rule in (sf.Tree(SECRETS | {"none": None}), sf.Flat()):
        with pytest.raises(sf.BadInput) as refused:
            sf.anonymize(read(source, hierarchies={"disease": rule}), PROMISE, sf.Mondrian())
        assert "column 'guard': 1 distinct values" in str(refused.value)
        assert "guards nothing is empty" in str(refused.value)
        assert "cancer!" not in str(refused.value)
        assert refused.value.values == ("cancer!",)


def test_without_a_hierarchy_nodes_are_values_and_the_root():
    source = pa.table(
        {"q": ["a", "a", "b", "b"], "s": [1, 2, 2, None], "guard": ["1", None, "2", None]}
    )
    table = sf.read(source, ["q"], "s")
    assert sf.check(table, PROMISE)
    whole = source.set_column(2, "guard", pa.array(["*", None, None, None]))
    assert not sf.check(sf.read(whole, ["q"], "s"), PROMISE)
    numbers = source.set_column(2, "guard", pa.array([1.0, None, 2.0, None]))
    assert (
        sf.check(sf.read(numbers, ["q"], "s"), PROMISE).measured
        == sf.check(table, PROMISE).measured
    )


def test_a_name_of_two_nodes_is_the_larger_one_or_refused():
    source = pa.table({"q": ["a"] * 4, "s": ["x", "y", "z", "z"], "guard": ["x", None, None, None]})
    nested = sf.Hierarchy.from_spec(
        {"level_table": [["x", "x", "*"], ["y", "x", "*"], ["z", "z", "*"]]}, "s"
    )
    table = sf.read(source, ["q"], "s", hierarchies={"s": nested})
    assert sf.check(table, PROMISE).measured[0].found == 2
    crossed = sf.Hierarchy.from_spec(
        {"level_table": [["x", "u", "*"], ["y", "x", "*"], ["z", "z", "*"]]}, "s"
    )
    with pytest.raises(sf.BadInput, match="two different nodes"):
        sf.check(sf.read(source, ["q"], "s", hierarchies={"s": crossed}), PROMISE)


def test_two_columns_of_guarding_nodes_are_refused(wards):
    both = PROMISE & sf.PersonalizedPrivacy(3, "row")
    with pytest.raises(sf.BadInput, match="two columns of guarding nodes, 'guard' and 'row'"):
        sf.anonymize(wards, both, sf.Mondrian())
    assert sf.anonymize(
        wards, PROMISE & sf.PersonalizedPrivacy("5/4", "guard"), sf.Mondrian()
    ).check()


def test_people_counted_without_guards_are_refused(wards):
    with pytest.raises(sf.BadInput, match=r"table.frequencies\(guard=...\)"):
        sf.Exhaustive().minimal(wards.frequencies(), PROMISE)
    with pytest.raises(sf.BadInput, match="needs what the people of every group guard"):
        PROMISE.holds(sf.Groups([1], [[1]], ["x"]))
    assert sf.Exhaustive().minimal(wards, PROMISE) == sf.Exhaustive().minimal(
        wards.frequencies("guard"), PROMISE
    )


def test_a_table_without_a_sensitive_column_is_refused():
    table = sf.read(wards_source(), ["age"])
    with pytest.raises(sf.BadInput, match="no sensitive column"):
        sf.anonymize(table, PROMISE, sf.Mondrian())
