"""Losses against definitions 6 and 7 of Wong 2009, row by row and in fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.lattice
import naive.loss
from profiles import examples
from properties.generated import tables
from sfumato.data.recoding import Cut
from sfumato.errors import BadInput
from sfumato.formulas.measures.loss import (
    attribute_weights,
    average_group_size,
    coverage_loss,
    discernibility,
    information_loss,
)

SIZES = st.lists(st.integers(1, 50), max_size=8)


def loss_of(boxes, bases):
    return coverage_loss(np.array(boxes, dtype=np.int32), bases)


def test_a_ground_value_loses_nothing_and_the_root_everything():
    boxes = [[[0, 0], [0, 8]], [[3, 4], [2, 2]]]
    assert loss_of(boxes, [5, 9]).tolist() == [[0, 1], [0.25, 0]]


def test_a_column_with_one_value_has_nothing_to_lose():
    assert loss_of([[[0, 0]]], [1]).tolist() == [[0]]


def test_the_loss_of_university_is_an_eighth():
    """Wong 2009, figure 1: it covers 2 of 9 ground values; weighed by a half, 0.0625."""
    loss = loss_of([[[0, 1], [0, 0]]], [9, 2])
    assert loss.tolist() == [[0.125, 0]]
    assert information_loss(loss, np.array([4]), attribute_weights("ab", None)) == 0.0625


@examples(100)
@given(tables(missing=False), st.data())
def test_the_loss_of_a_node_is_that_of_its_rows(table, data):
    node = data.draw(
        st.sampled_from(naive.lattice.all_nodes(naive.lattice.heights_of(table.paths)))
    )
    weights = data.draw(st.lists(st.integers(1, 5), min_size=len(node), max_size=len(node)))
    shares = [Fraction(weight, sum(weights)) for weight in weights]
    frequencies = table.frequencies()
    levels = dict(zip(table.columns, node, strict=True))
    grouping = Cut.at_levels(frequencies.domains, levels).grouping(frequencies)
    loss = coverage_loss(grouping.boxes, [len(paths) for paths in table.paths])
    named = attribute_weights(table.columns, dict(zip(table.columns, weights, strict=True)))
    expected = naive.loss.loss_at(table.rows, table.paths, node, shares)
    assert information_loss(loss, grouping.sizes, named) == pytest.approx(float(expected))
    equal = naive.loss.loss_at(table.rows, table.paths, node)
    weighed = information_loss(loss, grouping.sizes, attribute_weights(table.columns, None))
    assert weighed == pytest.approx(float(equal))


@given(st.lists(st.tuples(st.integers(1, 9), st.fractions(0, 1)), max_size=6), st.integers(0, 10))
def test_a_suppressed_row_has_lost_everything(groups, n_suppressed):
    sizes = np.array([size for size, _ in groups], dtype=np.int64)
    loss = np.array([[float(share)] for _, share in groups]).reshape(len(groups), 1)
    rows = [[share] for size, share in groups for _ in range(size)]
    expected = naive.loss.information_loss(rows, [1], n_suppressed)
    found = information_loss(loss, sizes, np.ones(1), n_suppressed)
    assert found == pytest.approx(float(expected))


def test_a_table_without_rows_loses_nothing_and_a_suppressed_one_everything():
    none, nobody = np.zeros((0, 2)), np.zeros(0, dtype=np.int64)
    weights = attribute_weights(["age", "zip"], None)
    assert information_loss(none, nobody, weights) == 0
    assert information_loss(none, nobody, weights, n_suppressed=3) == 1


def test_weights_are_made_to_add_up_to_one():
    assert attribute_weights(["a", "b", "c", "d"], None) == (Fraction(1, 4),) * 4
    assert attribute_weights(["age", "zip"], {"zip": 1, "age": 3}) == (
        Fraction(3, 4),
        Fraction(1, 4),
    )
    assert attribute_weights(["age", "zip"], {"zip": 0.5}) == (0, 1)
    thirds = {"age": Fraction(1, 3), "zip": Fraction(2, 3)}
    assert attribute_weights(["age", "zip"], thirds) == (Fraction(1, 3), Fraction(2, 3))
    huge = {"age": 10**320, "zip": 3 * 10**320}  # no floats hold these
    assert attribute_weights(["age", "zip"], huge) == (Fraction(1, 4), Fraction(3, 4))


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ({"agee": 1}, "weights: unknown quasi-identifier 'agee'; did you mean 'age'?"),
        ({"age": -1}, "weights: 'age' must be a number >= 0, got -1"),
        ({"age": float("nan")}, "weights: 'age' must be a number >= 0, got nan"),
        ({"age": True}, "weights: 'age' must be a number >= 0, got True"),
        ({"age": "much"}, "weights: 'age' must be a number >= 0, got 'much'"),
        ({"age": 0}, "weights: at least one must be above 0"),
        ({}, "weights: at least one must be above 0"),
    ],
)
def test_weights_that_make_no_sense_are_refused(weights, said):
    with pytest.raises(BadInput) as caught:
        attribute_weights(["age", "zip"], weights)
    assert str(caught.value) == said


@pytest.mark.parametrize("weight", [float("inf"), "much", None])
def test_weights_that_are_no_finite_numbers_are_refused(weight):
    with pytest.raises(BadInput, match="weights: 'age' must be a number >= 0"):
        attribute_weights(["age", "zip"], {"age": weight, "zip": 1})


@given(SIZES, st.integers(0, 20))
def test_discernibility_charges_every_row_its_group_and_a_suppressed_one_the_table(sizes, n):
    found = discernibility(np.array(sizes, dtype=np.int64), n)
    assert found == naive.loss.discernibility(sizes, n)


def test_discernibility_is_exact_beyond_machine_integers():
    big = 2**40
    assert discernibility(np.array([big, big, 3]), 2) == 2 * big**2 + 9 + 2 * (2 * big + 5)


@given(SIZES)
def test_the_average_group_is_people_by_groups(sizes):
    found = average_group_size(np.array(sizes, dtype=np.int64))
    assert found == (pytest.approx(sum(sizes) / len(sizes)) if sizes else 0)
