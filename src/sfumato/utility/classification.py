"""How well a decision tree that is learned from a release predicts what is not in it."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from sfumato import parameters
from sfumato.data.hierarchy import Hierarchy
from sfumato.data.schema import Schema
from sfumato.errors import BadInput, nearest, shown
from sfumato.release import Release
from sfumato.release.release import a_release
from sfumato.table import Table
from sfumato.utility.decision_tree import DecisionTree, need_learning
from sfumato.utility.learning_records import Places, Records, columns_of, features


def classification_accuracy(
    release: Release, target: str, test: Table | None = None, *, seed: int = 0
) -> float:
    """Share of people whose `target` is predicted by a tree learned from the release.

    The tree (`DecisionTree`: grown by scikit-learn, pruned as C4.5 does) stands in for the J48 of
    Chen 2009, section 8.4. It is learned from the published rows with all their columns, and is
    asked about original ones. For that, a value lies at its number, or else
    at its rank in the order of its hierarchy (a missing number at the upper end), and a
    generalized value in the middle of its interval. Of two tables, sensitive values are dealt at
    random within each group, as the paper does. Where the target itself is generalized, a row
    counts as an equal part of each of its values; an insensitive target never is. Suppressed
    people teach nothing.

    Args:
        release: A release whose original is at hand.
        target: What to predict: a quasi-identifier or an insensitive column.
        test: People to predict it for, from `read` with the same columns; unless given the
            original table, people that the release was made of. See `cross_validate` for a test
            with others.
        seed: Of the values that are dealt out and of ties in the tree; it protects nobody.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> release = sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati())
    >>> 0 < sf.utility.classification_accuracy(release, "sex") < 1  # needs scikit-learn
    True
    """
    a_release(release, "classification_accuracy")
    check_learning("classification_accuracy", release.table.schema, target, seed)
    if test is None:
        test = release.table
    elif not isinstance(test, Table):
        raise BadInput(
            f"classification_accuracy: test must be a table from sf.read, got {type(test).__name__}"
        )
    schema = release.table.schema
    missing = [
        name for name in schema.published_columns if name not in test.schema.published_columns
    ]
    if missing:
        raise BadInput(
            f"classification_accuracy: the test table has no column {missing[0]!r} with a role; "
            "read it with the columns and roles of the original"
        )
    learned = Records.of_release(release, seed)
    tested = Records.of(columns_of(test).frequencies())
    return accuracy(learned, tested, target, schema.hierarchies, schema.published_columns, seed)


def check_learning(owner: str, schema: Schema, target: object, seed: object) -> None:
    """Refuse what cannot be predicted, before anything is computed."""
    need_learning(owner)
    parameters.seed(owner, seed)
    known = (*schema.quasi_identifiers, *schema.insensitive)
    if target in schema.sensitive:
        raise BadInput(
            f"{owner}: {target!r} is sensitive, and a release is made so that it cannot be "
            "predicted; name a quasi-identifier or an insensitive column as target"
        )
    if target not in known:
        raise BadInput(
            f"{owner}: target must be a quasi-identifier or an insensitive column, got "
            f"{shown(target)}{nearest(target, known)}"
        )
    if len(schema.published_columns) == 1:
        raise BadInput(f"{owner}: there is no column beside {target!r} to predict it from")


def accuracy(
    learned: Records,
    tested: Records,
    target: str,
    rules: Mapping[str, Hierarchy],
    columns: Collection[str],
    seed: int,
) -> float:
    """Learn a tree from some records, by these columns, and ask it about others."""
    by = [column for column in columns if column != target]
    known, questions = features(learned, tested, rules, by)
    classes = Places.of(target, learned.domains[target], tested.domains[target], rules.get(target))
    low, high = learned.sides[target].T
    width = high - low + 1
    row = np.repeat(np.arange(len(width)), width)  # a row for each value of the target's interval
    value = low[row] + np.arange(len(row)) - np.searchsorted(row, row)
    people = (learned.people / width)[row]
    tree = DecisionTree.learn(known[row], classes.codes[0][value], people, seed)
    right = tree.predict(questions) == classes.codes[1][tested.sides[target][:, 0]]
    return int(tested.people[right].sum()) / int(tested.people.sum())
