"""Credibility in many published groups at once (Wong 2009, section 4)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.data.keys import distinct_rows
from sfumato.formulas.minimality.credibility import NobodyBreaks, expected
from sfumato.formulas.minimality.exact import Kind
from sfumato.parameters import fraction


def credibility_groups(
    group: ArrayLike, classes: ArrayLike, n_sensitive: ArrayLike, l: object
) -> NDArray[np.float64]:
    """Belief that a person of each class is sensitive; what `credibility_local` says of one group.

    Args:
        group: The group of every row of `classes`.
        classes: Per original class and group: people of the class, how many of them are in the
            group, and how many of the others (who are published as they are) are sensitive.
        n_sensitive: How many people of each group are sensitive.
        l: A class breaks the rule when more than 1/l of the whole class is sensitive.

    Groups with as many classes of every kind, and as many sensitive people, are worked out once.
    NaN in a group where no class can break the rule.

    >>> credibility_groups([0, 0, 1, 1], [(5, 1, 2), (8, 1, 1), (2, 2, 0), (5, 5, 0)], [1, 1], 2)
    array([0.6  , 0.125,   nan,   nan])
    """
    bound = fraction(l)
    if bound <= 0:
        raise ValueError("l must be above 0")
    owner, hit = np.asarray(group, dtype=np.intp), np.asarray(n_sensitive, dtype=np.int64)
    size, inside, kept = np.asarray(classes, dtype=np.int64).reshape(-1, 3).T
    if ((size < 1) | (inside < 0) | (kept < 0) | (inside + kept > size)).any():
        raise ValueError("a class has fewer people than are generalized or sensitive")
    people = np.bincount(owner, weights=inside, minlength=len(hit))
    if len(people) > len(hit) or ((hit < 0) | (hit > people)).any():
        raise ValueError("a group has fewer people than are sensitive")
    most = size.astype(object) * bound.denominator // bound.numerator - kept
    allowed = np.clip(most, -1, inside).astype(np.int64)
    kinds, kind = distinct_rows(np.stack([inside, allowed], axis=1))
    cells, cell = distinct_rows(np.stack([owner, kind], axis=1))  # the kinds of classes in a group
    counts = np.bincount(cell, minlength=len(cells)).tolist()
    starts = np.searchsorted(cells[:, 0], np.arange(len(hit) + 1)).tolist()
    every, which = [Kind(*each) for each in kinds.tolist()], cells[:, 1].tolist()
    found: list[float] = []
    known: dict[object, list[float]] = {}
    for n, first, last in zip(hit.tolist(), starts[:-1], starts[1:], strict=True):
        alike = n, tuple(which[first:last]), tuple(counts[first:last])
        if alike not in known:
            try:
                asked = [every[j] for j in which[first:last]]
                known[alike] = expected(asked, counts[first:last], n).tolist()
            except NobodyBreaks:
                known[alike] = [np.nan] * (last - first)
        found += known[alike]
    return np.asarray((np.array(found)[cell] + kept) / size)
