"""A decision tree: scikit-learn grows it, and it is pruned as C4.5 does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import BadInput

LEAF = 2 - 1e-6  # two people in a leaf at least, whatever rounding does to their share
CONFIDENCE = 0.25  # with which errors are taken to be no more frequent
TOLERANCE = 0.1  # errors that a simpler tree may make more

Floats = NDArray[np.float64]


def need_learning(owner: str) -> Any:
    """Give scikit-learn's trees, or say how to get them."""
    try:
        from sklearn import tree  # noqa: PLC0415  (optional)
    except ImportError:
        raise BadInput(
            f"{owner}: this needs scikit-learn; in a clone of sfumato, install it with: "
            ".venv/bin/pip install -e '.[learn]'"
        ) from None
    return tree


@dataclass(frozen=True, eq=False)
class DecisionTree:
    """Predicts a class from numbers.

    It stands in for J48 with its default settings: splits by information gain, two people in a
    leaf at least, and pruned by Quinlan's estimate of errors (C4.5, 1993), without which a tree
    learns chance by heart. Unlike J48, every split is a threshold, also of categories, the gain is
    not divided by the entropy of the split, and subtrees are cut off but never raised.
    """

    grown: Any
    answers: NDArray[np.signedinteger]  # (n_nodes,) the class that a node gives, once pruned

    @classmethod
    def learn(
        cls, numbers: Floats, classes: NDArray[np.signedinteger], people: Floats, seed: int
    ) -> DecisionTree:
        """Grow and prune a tree; numbers: (n, n_columns), people: how many each row stands for."""
        grown = need_learning("DecisionTree").DecisionTreeClassifier(
            criterion="entropy",
            min_weight_fraction_leaf=min(LEAF / float(people.sum()), 0.5),
            random_state=seed,
        )
        grown.fit(numbers, classes, sample_weight=people)
        tree = grown.tree_
        shares = tree.value[:, 0, :]  # (n_nodes, n_classes)
        errors = tree.weighted_n_node_samples * (1 - shares.max(axis=1))
        children = np.stack([tree.children_left, tree.children_right], axis=1)
        kept = pruned(children, tree.weighted_n_node_samples, errors)
        return cls(grown, grown.classes_[shares.argmax(axis=1)][kept])

    def predict(self, numbers: Floats) -> NDArray[np.signedinteger]:
        """Give the class of every row."""
        return np.asarray(self.answers[self.grown.apply(numbers)])


def expected_errors(people: Floats, errors: Floats) -> Floats:
    """Errors to expect among new people, given those among the people learned from.

    The upper confidence limit of a binomial share (Quinlan's U_CF), times the people.

    >>> expected_errors(np.array([6.0, 1.0]), np.array([0.0, 0.0])).round(3)
    array([1.238, 0.75 ])
    """
    from scipy.special import betaincinv  # noqa: PLC0415  (comes with scikit-learn)

    wrong = np.minimum(errors, people - 1e-9)
    return np.asarray(people * betaincinv(wrong + 1, people - wrong, 1 - CONFIDENCE))


def pruned(children: NDArray[np.signedinteger], people: Floats, errors: Floats) -> NDArray[np.intp]:
    """Say for every node which node answers for it: itself, or the one it was cut off from.

    A node becomes a leaf where its subtree is not expected to make fewer errors. children:
    (n_nodes, 2), -1 for a leaf; a node stands before its children.

    >>> lone = np.array([[1, 2], [-1, -1], [-1, -1]])
    >>> pruned(lone, np.array([20.0, 18.0, 2.0]), np.array([1.0, 0.0, 1.0]))
    array([0, 0, 0])
    >>> pruned(lone, np.array([20.0, 10.0, 10.0]), np.array([10.0, 0.0, 0.0]))
    array([0, 1, 2])
    """
    expected = expected_errors(people, errors).tolist()
    subtree = list(expected)
    pairs = children.tolist()
    leaf = [True] * len(pairs)
    for node in range(len(pairs) - 1, -1, -1):
        left, right = pairs[node]
        if left >= 0:
            split = subtree[left] + subtree[right]
            leaf[node] = expected[node] <= split + TOLERANCE
            subtree[node] = expected[node] if leaf[node] else split
    answering = list(range(len(pairs)))
    for node, (left, right) in enumerate(pairs):
        if left >= 0 and leaf[node]:
            answering[left] = answering[right] = answering[node]
            leaf[left] = leaf[right] = True
    return np.array(answering, dtype=np.intp)
