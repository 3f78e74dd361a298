"""Ciriani 2008: the worked examples of sections 2, 3 and 4.1.2."""

from collections import Counter
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.algorithms.k_optimize.split_points import enumerated
from sfumato.algorithms.lattice.incognito import safe_by_subsets
from sfumato.algorithms.lattice.lattice import Lattice
from sfumato.errors import BadInput
from worked_examples import tables


def tree_of(parents: dict[str, str], order: list[str]) -> sf.Hierarchy:
    """The rows of a hierarchy table, from `{child: parent}` and an order of the ground values."""
    rows = []
    for ground in order:
        path = [ground]
        while path[-1] in parents:
            path.append(parents[path[-1]])
        rows.append(tuple(path))
    return sf.Hierarchy.from_spec({"level_table": rows}, "test")


def figure(rows, columns) -> pa.Table:
    return pa.table(
        {name: list(values) for name, values in zip(columns, zip(*rows, strict=True), strict=True)}
    )


@pytest.fixture
def figure_1() -> sf.Table:
    zips = tree_of(tables.CIRIANI_ZIP, ["22030", "22032", "22045", "22047"])
    marital = tree_of(tables.CIRIANI_MARITAL, ["single", "married", "divorced", "widow"])
    return sf.read(
        figure(tables.CIRIANI_FIG1, tables.CIRIANI_FIG1_COLUMNS),
        quasi_identifiers={
            "ZIP": zips,
            "MaritalStatus": marital,
            "Sex": tree_of(tables.CIRIANI_SEX, ["M", "F"]),
        },
        sensitive="Disease",
        identifiers=["id"],
    )


def published(release: sf.Release, columns=tables.CIRIANI_QI) -> Counter:
    table = release.to_arrow()
    return Counter(zip(*(table[name].to_pylist() for name in columns), strict=True))


def test_figure_1_is_1_anonymous_and_2_anonymous_in_marital_status(figure_1):
    assert sf.check(figure_1, sf.KAnonymity(1)).measured[0].found == 1
    source = figure(tables.CIRIANI_FIG1, tables.CIRIANI_FIG1_COLUMNS)
    marital = sf.read(source, quasi_identifiers=["MaritalStatus"])
    assert sf.check(marital, sf.KAnonymity(2))


def test_figure_1_is_2_anonymous_without_generalization_after_four_suppressions(figure_1):
    release = sf.anonymize(
        figure_1, sf.KAnonymity(2), sf.Recode(dict.fromkeys(tables.CIRIANI_QI, 0), max_suppressed=4)
    )
    kept = [row for row in tables.CIRIANI_FIG1 if row[0] not in tables.CIRIANI_SUPPRESSED_FOR_K2]
    assert release.n_suppressed == 4
    assert published(release) == Counter(row[1:4] for row in kept)


def test_samarati_finds_the_node_of_figure_5c_with_one_tuple_suppressed(figure_1):
    release = sf.anonymize(figure_1, sf.KAnonymity(3), sf.Samarati(max_suppressed=2))
    assert tuple(release.levels.values()) == tables.CIRIANI_FIG5C_NODE
    assert release.n_suppressed == 1
    assert published(release) == Counter(tables.CIRIANI_FIG5C)


@pytest.mark.parametrize(
    ("node", "expected", "suppressed"),
    [
        (tables.CIRIANI_FIG5A_NODE, tables.CIRIANI_FIG5A, 0),
        (tables.CIRIANI_FIG5B_NODE, tables.CIRIANI_FIG5B, 1),
        (tables.CIRIANI_FIG5C_NODE, tables.CIRIANI_FIG5C, 1),
    ],
)
def test_figure_5_is_what_its_nodes_publish(figure_1, node, expected, suppressed):
    levels = dict(zip(tables.CIRIANI_QI, node, strict=True))
    release = sf.anonymize(figure_1, sf.KAnonymity(3), sf.Recode(levels, max_suppressed=2))
    assert published(release) == Counter(expected)
    assert release.n_suppressed == suppressed


@pytest.mark.parametrize("method", [sf.Samarati(2), sf.Incognito(2), sf.Exhaustive(2)])
def test_the_k_minimal_nodes_are_exactly_two(figure_1, method):
    found = method.minimal(figure_1.frequencies(), sf.KAnonymity(3))
    assert set(found) == tables.CIRIANI_K3_MINIMAL


def test_example_3_3_comes_out_in_every_iteration(figure_1):
    """The sub-hierarchies of figure 11: the nodes marked true over every subset of columns."""
    lattice = Lattice(figure_1.frequencies(), sf.KAnonymity(3))
    found = {
        subset: {tuple(map(int, node)) for node in np.argwhere(safe)}
        for subset, safe in safe_by_subsets(lattice, limit=2).items()
    }
    zips, marital, sex = 0, 1, 2
    assert found == {
        (zips,): {(0,), (1,), (2,)},
        (marital,): {(1,), (2,)},
        (sex,): {(0,), (1,)},
        (zips, marital): {(0, 2), (1, 2), (2, 2), (1, 1), (2, 1)},
        (zips, sex): {(0, 1), (1, 1), (2, 1), (1, 0), (2, 0)},
        (marital, sex): {(1, 0), (2, 0), (1, 1), (2, 1)},
        (zips, marital, sex): {
            *((z, m, s) for z in (1, 2) for m in (1, 2) for s in (0, 1)),
            (0, 2, 1),
        },
    }


def test_incognito_gives_these_nodes_by_the_names_of_columns(figure_1):
    found = sf.Incognito(2).safe_nodes(figure_1, sf.KAnonymity(3))
    assert found["ZIP", "MaritalStatus"] == [(0, 2), (1, 1), (1, 2), (2, 1), (2, 2)]
    assert len(found) == 7
    assert len(found["ZIP", "MaritalStatus", "Sex"]) == 9
    with pytest.raises(sf.BadInput, match="is not monotone here"):
        sf.Incognito(2).safe_nodes(figure_1, sf.LDiversity(2, "entropy"))


def test_example_3_1_has_a_locally_minimal_generalization_that_is_not_k_minimal(figure_1):
    path = [(0, 0, 0), (1, 0, 0), (2, 0, 0), (2, 1, 0), (2, 2, 0), (2, 2, 1)]
    promise = sf.KAnonymity(3)
    assert sf.Samarati(2).locally_minimal(figure_1, promise, path) == (2, 1, 0)
    assert (2, 1, 0) not in tables.CIRIANI_K3_MINIMAL
    assert sf.Samarati(2).locally_minimal(figure_1, promise, path[:3]) is None


def test_every_k_minimal_node_is_locally_minimal_on_some_path(figure_1):
    """Theorem 3.3, over all 30 paths of figure 4; those that others dominate left out."""
    steps = [0, 0, 1, 1, 2]
    paths = []
    for order in set(permutations(steps)):
        node, path = [0, 0, 0], [(0, 0, 0)]
        for column in order:
            node[column] += 1
            path.append(tuple(node))
        paths.append(path)
    assert len(paths) == 30
    promise = sf.KAnonymity(3)
    found = {sf.Samarati(2).locally_minimal(figure_1, promise, path) for path in paths}
    lowest = {
        node
        for node in found
        if not any(
            other != node and all(a <= b for a, b in zip(other, node, strict=True))
            for other in found
        )
    }
    assert lowest == tables.CIRIANI_K3_MINIMAL < found


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ([], "a path begins at the bottom"),
        ([(1, 0, 0)], "a path begins at the bottom"),
        ([(0, 0, 0), (1, 1, 0)], "is not right above"),
        ([(0, 0, 0), (0, 0, 0)], "is not right above"),
        ([(0, 0)], "is no node"),
        ([(0, 0, 0), (0, 0, 1), (0, 0, 2)], "is no node"),
    ],
)
def test_what_is_no_path_is_refused(figure_1, path, message):
    with pytest.raises(sf.BadInput, match=message):
        sf.Samarati(2).locally_minimal(figure_1, sf.KAnonymity(3), path)


# Distance vectors of t1, t3, t4, t6, t7, t8 and t10, as digits.
FIGURE_9 = [
    "000 021 121 110 211 211 220",
    "021 000 100 121 220 220 201",
    "121 100 000 021 220 220 201",
    "110 121 021 000 201 211 220",
    "211 220 220 201 000 110 121",
    "211 220 220 211 110 000 021",
    "220 201 201 220 121 021 000",
]


def test_figure_9_has_the_distance_vectors(figure_1):
    people = [row[1:4] for row in tables.CIRIANI_FIG1]
    distinct = list(dict.fromkeys(people))
    assert [
        " ".join(
            "".join(map(str, sf.Samarati.distance_vector(figure_1, one, other)))
            for other in distinct
        )
        for one in distinct
    ] == FIGURE_9
    married = people[0]
    for one, other in product(distinct, repeat=2):
        vector = sf.Samarati.distance_vector(figure_1, one, other)
        assert vector == sf.Samarati.distance_vector(figure_1, other, one)
        assert (vector == (0, 0, 0)) == (one == other)
        for node in product(range(3), range(3), range(2)):
            together = all(a <= b for a, b in zip(vector, node, strict=True))
            assert (generalized(one, node) == generalized(other, node)) == together
    with pytest.raises(sf.BadInput, match="has no value"):
        sf.Samarati.distance_vector(figure_1, married, ("0", "single", "M"))
    with pytest.raises(sf.BadInput, match="a tuple has 3 values"):
        sf.Samarati.distance_vector(figure_1, married, ("22030", "single"))


def generalized(row, node):
    """A tuple at a node, by the parents of the figure."""
    parents = (tables.CIRIANI_ZIP, tables.CIRIANI_MARITAL, tables.CIRIANI_SEX)
    found = []
    for value, level, parent in zip(row, node, parents, strict=True):
        path = [value]
        for _ in range(level):
            path.append(parent[path[-1]])
        found.append(path[-1])
    return found


def test_preferences_choose_between_the_two(figure_1):
    def chosen(prefer):
        release = sf.anonymize(figure_1, sf.KAnonymity(3), sf.Incognito(2, prefer=prefer))
        return tuple(release.levels.values())

    assert chosen("absolute_distance") == (1, 1, 0)  # two steps against three
    assert chosen("relative_distance") == (1, 1, 0)  # 1/2 + 1/2 against 1 + 1
    # Both have three groups and one suppressed tuple: the lower node wins the tie.
    assert chosen("distribution") == (1, 1, 0)
    assert chosen("suppression") == (1, 1, 0)


def test_figure_18_is_not_0_4_3_anonymous_because_of_its_last_block():
    table = sf.read(
        figure(tables.CIRIANI_FIG18, tables.CIRIANI_FIG18_COLUMNS),
        quasi_identifiers=list(tables.CIRIANI_QI),
        sensitive="Disease",
    )
    found = sf.check(table, sf.AlphaKAnonymity(0.4, 3, values=["HIV"]))
    assert not found
    assert found.measured[0].found == (Fraction(2, 3), 3)
    assert found.measured[0].n_people_failing == 3


def test_below_figure_5c_too_many_tuples_would_have_to_go(figure_1):
    lattice = Lattice(figure_1.frequencies(), sf.KAnonymity(3))
    needed = {node: lattice.n_suppressed(node) for node in [(1, 0, 0), (0, 1, 0), (0, 0, 0)]}
    # The text: at least 7 at [1,0,0], all tuples at the other two.
    assert needed == {(1, 0, 0): 7, (0, 1, 0): 10, (0, 0, 0): 10}


@pytest.mark.parametrize("bounds", ["grid", "tight"])
def test_mondrian_draws_the_regions_of_figure_17(bounds):
    table = sf.read(
        figure(tables.CIRIANI_FIG1, tables.CIRIANI_FIG1_COLUMNS),
        # Both ranges are 1 at the start; the earlier column wins the tie.
        quasi_identifiers={
            "Sex": sf.Tree(["M", "F"]),
            "MaritalStatus": sf.Tree(list(tables.CIRIANI_FIG17_MARITAL_ORDER)),
        },
    )
    release = sf.anonymize(table, sf.KAnonymity(2), sf.Mondrian(bounds=bounds))
    found = {
        (sex, frozenset(marital.strip("{}").split(", "))): people
        for (sex, marital), people in published(release, ["Sex", "MaritalStatus"]).items()
    }
    assert found == {(sex, values): people for sex, values, people in tables.CIRIANI_FIG17}


def test_figure_17_with_boxes_up_to_the_cuts_has_the_same_people():
    table = sf.read(
        figure(tables.CIRIANI_FIG1, tables.CIRIANI_FIG1_COLUMNS),
        quasi_identifiers={
            "Sex": sf.Tree(["M", "F"]),
            "MaritalStatus": sf.Tree(list(tables.CIRIANI_FIG17_MARITAL_ORDER)),
        },
    )
    release = sf.anonymize(table, sf.KAnonymity(2), sf.Mondrian(bounds="cuts"))
    assert published(release, ["Sex", "MaritalStatus"]) == {
        ("M", "single"): 3,
        ("M", "{divorced, widow, married}"): 3,
        ("F", "{single, divorced}"): 2,
        ("F", "{widow, married}"): 2,
    }


def test_figure_18_is_3_anonymous_and_1_diverse():
    table = sf.read(
        figure(tables.CIRIANI_FIG18, tables.CIRIANI_FIG18_COLUMNS),
        quasi_identifiers=list(tables.CIRIANI_QI),
        sensitive="Disease",
    )
    found = sf.check(table, sf.KAnonymity(3) & sf.LDiversity(2))
    assert [each.found for each in found.measured] == [3, 1]
    assert [each.holds for each in found.measured] == [True, False]
    assert found.measured[1].n_people_failing == 3  # the block of hypertension alone


def test_figure_19_is_2_diverse_in_cholesterol_but_not_in_diabetes():
    table = sf.read(
        figure(tables.CIRIANI_FIG19, tables.CIRIANI_FIG19_COLUMNS),
        quasi_identifiers=list(tables.CIRIANI_QI),
        sensitive=["Diabetes", "Cholesterol"],
    )
    assert sf.check(table, sf.LDiversity(2, attribute="Cholesterol"))
    assert not sf.check(table, sf.LDiversity(2, attribute="Diabetes"))
    share = sf.LDiversity(2, "frequency", values=["Y"], attribute="Diabetes")
    assert sf.check(table, share).measured[0].found == Fraction(3, 2)  # 2 of 3 in one block


@pytest.fixture
def figure_12() -> sf.Table:
    named = {
        name: [v for _, n, v in tables.CIRIANI_FIG12 if n == name] for name in tables.CIRIANI_QI
    }
    parents = (tables.CIRIANI_ZIP, tables.CIRIANI_MARITAL, tables.CIRIANI_SEX)
    columns = tables.CIRIANI_FIG1_COLUMNS
    return sf.read(
        figure(tables.CIRIANI_FIG1, columns),
        {n: tree_of(own, named[n]) for n, own in zip(tables.CIRIANI_QI, parents, strict=True)},
    )


def test_figure_12_numbers_values_and_a_set_of_numbers_is_a_recoding(figure_12):
    points = sf.KOptimize.split_points(figure_12)
    finest = points.groups(range(1, 11))
    values = [(name, value) for name, groups in finest.items() for (value,) in groups]
    assert [(i, *each) for i, each in enumerate(values, 1)] == tables.CIRIANI_FIG12
    example = {
        "ZIP": [["22030", "22032"], ["22045", "22047"]],
        "MaritalStatus": [["married", "widow", "divorced"], ["single"]],
        "Sex": [["M"], ["F"]],
    }
    assert points.groups({3, 8, 10}) == points.groups({1, 3, 5, 8, 9, 10}) == example
    assert points.index_set(points.recoding({3, 8, 10})) == {3, 8, 10}
    assert [len(groups) for groups in points.groups({}).values()] == [1, 1, 1]
    assert points.index_set(points.recoding({})) == set()
    for odd in (0, 11, 2.0, True):
        with pytest.raises(BadInput, match="the number of a value, 1 to 10"):
            points.groups({odd})


def test_figure_14_has_eight_nodes_in_pre_order():
    expected = [(), (2,), (2, 3), (2, 3, 4), (2, 4), (3,), (3, 4), (4,)]
    assert list(enumerated((2, 3, 4))) == expected


def test_k_optimize_on_figure_1_is_the_best_of_all_index_sets(figure_12):
    release = sf.anonymize(figure_12, sf.KAnonymity(2), sf.KOptimize())
    assert release.gap == 0
    points = sf.KOptimize.split_points(figure_12)
    best = sf.utility.discernibility(release)
    for index_set in enumerated(sorted(points.numbers)):
        sizes = points.recoding(index_set).grouping(figure_12.frequencies()).sizes
        small = int(sizes[sizes < 2].sum())
        assert best <= int((sizes[sizes >= 2] ** 2).sum()) + small * figure_12.n_rows


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda t: sf.Samarati().locally_minimal(t, sf.KAnonymity(2), None), "a list of nodes"),
        (lambda t: sf.Samarati().locally_minimal(t, sf.KAnonymity(2), [{"t": 0}]), "of nodes"),
        (lambda t: sf.Incognito().safe_nodes(5, sf.KAnonymity(2)), "a table from sf.read"),
        (lambda t: sf.Samarati.distance_vector(t, 5, 6), "two tuples of values"),
        (lambda t: sf.Samarati.distance_vector(t, {"t": "a"}, {"t": "b"}), "two tuples of values"),
        (lambda t: sf.KOptimize.split_points(5), "a table from sf.read"),
        (lambda t: sf.KOptimize.split_points(t).groups(None), "a set of numbers"),
        (lambda t: sf.Checked(sf.KOptimize("class", "s"), ks=[3]), "reads values itself"),
        (
            lambda t: sf.anonymize(t, sf.LDiversity(2), sf.CellSuppression("factor")),
            "what has to be promised",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(ask, said):
    table = sf.read(pa.table({"t": ["a", "a", "b", "b"], "s": ["x", "y", "x", "y"]}), ["t"], "s")
    with pytest.raises(sf.BadInput, match=said):
        ask(table)
