"""The tree that stands in for J48: what it learns, and what it forgets when it is pruned."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.decision_tree
from sfumato.utility.decision_tree import (
    CONFIDENCE,
    TOLERANCE,
    DecisionTree,
    expected_errors,
    pruned,
)


@pytest.mark.parametrize(("people", "errors"), [(1, 0), (6, 0), (6, 1), (16, 1), (100, 37), (9, 8)])
def test_the_expected_share_of_errors_is_the_upper_limit_of_a_binomial(people, errors):
    (found,) = expected_errors(np.array([float(people)]), np.array([float(errors)]))
    assert naive.decision_tree.at_most(errors, people, found / people) == pytest.approx(
        CONFIDENCE, rel=1e-9
    )


def test_whoever_always_errs_is_expected_to_err_always():
    (found,) = expected_errors(np.array([5.0]), np.array([5.0]))
    assert found == pytest.approx(5, rel=1e-6)


@st.composite
def grown(draw):
    """A binary tree with people and errors at every node, children after their parents."""
    children, people, errors = [], [], []

    def grow(n, depth):
        node = len(children)
        children.append([-1, -1])
        people.append(float(n))
        errors.append(float(draw(st.integers(0, n // 2))))
        if n > 1 and depth < 4 and draw(st.booleans()):
            left = draw(st.integers(1, n - 1))
            children[node] = [grow(left, depth + 1), grow(n - left, depth + 1)]
        return node

    grow(draw(st.integers(1, 60)), 0)
    return np.array(children), np.array(people), np.array(errors)


@given(grown())
def test_a_leaf_is_answered_for_by_the_node_that_pruning_leaves(tree):
    children, people, errors = tree

    def nested(node):
        left, right = children[node]
        return (node,) if left < 0 else (node, nested(left), nested(right))

    expected = expected_errors(people, errors).tolist()
    _, answers = naive.decision_tree.leaves_after_pruning(nested(0), expected, TOLERANCE)
    found = pruned(children, people, errors)
    assert {leaf: found[leaf] for leaf in answers} == answers


def test_a_rule_is_learned_and_chance_is_not():
    random = np.random.default_rng(1)
    numbers = random.integers(0, 10, (2_000, 3)).astype(float)
    rule = (numbers[:, 0] < 4).astype(int)
    coins = (random.random(2_000) < 0.3).astype(int)
    people = np.ones(2_000)
    tree = DecisionTree.learn(numbers, rule, people, seed=0)
    assert (tree.predict(numbers) == rule).all()
    tree = DecisionTree.learn(numbers[:, 1:], coins, people, seed=0)
    assert (tree.predict(numbers[:, 1:]) == 0).mean() > 0.9  # of 100 cells, 0.3 are 1 by chance


def test_a_row_that_stands_for_several_people_counts_as_often():
    random = np.random.default_rng(2)
    numbers = random.integers(0, 6, (60, 2)).astype(float)
    classes = (numbers.sum(axis=1) + random.integers(0, 4, 60) > 6).astype(int)
    people = random.integers(1, 5, 60)
    weighed = DecisionTree.learn(numbers, classes, people.astype(float), seed=0)
    row = np.repeat(np.arange(60), people)
    repeated = DecisionTree.learn(numbers[row], classes[row], np.ones(len(row)), seed=0)
    assert np.array_equal(weighed.predict(numbers), repeated.predict(numbers))


def test_a_single_person_teaches_a_single_answer():
    tree = DecisionTree.learn(np.zeros((1, 1)), np.array([7]), np.ones(1), seed=0)
    assert tree.predict(np.array([[0.0], [1.0]])).tolist() == [7, 7]
