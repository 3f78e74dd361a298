"""Ciriani 2008: the worked examples of sections 2, 3 and 4.1.2."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.algorithms.lattice.incognito import safe_by_subsets
from sfumato.algorithms.lattice.lattice import Lattice
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
