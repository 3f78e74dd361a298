"""Set-valued columns: a person has any number of values, or none (Chen 2009, sections 2 and A.2.2).

A code stands for one person's whole set, so that what belongs together stays together while people
are counted and grouped. A value that is in somebody's set several times counts as often: whether
these are sets or multisets is for the criterion to say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain, SetMembers
from sfumato.data.hierarchy import Hierarchy
from sfumato.data.keys import Codes
from sfumato.data.labels.grammar import ROOT
from sfumato.data.taxonomy import Taxonomy
from sfumato.errors import BadInput


def grow_sets(
    rule: Hierarchy, column: str, lists: Sequence[Sequence[object]]
) -> tuple[Domain, Codes]:
    """Lay out the domain of whole sets over the distinct lists of values that people have.

    Returns the domain and the code of each of the lists. Sets are in the order of their values'
    codes, the empty one first: the same whoever lists them, and in whichever order.
    """
    singles = list(dict.fromkeys(value for values in lists for value in values))
    if not singles:
        raise BadInput(f"column {column!r}: nobody has a value; there is nothing sensitive in it")
    values, codes = rule.grow(column, singles)
    code = dict(zip(singles, codes.tolist(), strict=True))
    sets = [tuple(sorted(code[value] for value in values)) for values in lists]
    ordered = sorted(set(sets))
    rank = {each: j for j, each in enumerate(ordered)}
    labels = tuple(tuple(values.labels[code] for code in each) for each in ordered)
    owner = np.repeat(np.arange(len(ordered)), [len(each) for each in ordered])
    entries = np.array([code for each in ordered for code in each], dtype=np.int32)
    domain = Domain(labels, _flat(labels), members=_members(owner, entries, len(ordered), values))
    return domain, np.array([rank[each] for each in sets], dtype=np.int32)


def each_alone(values: Domain) -> Domain:
    """See every value as a set of its own.

    So the values of a published table are counted: nobody can tell which ones are one person's.
    """
    n = len(values)
    return replace(values, members=_members(np.arange(n), np.arange(n), n, values))


def over_values(sets: Domain, values: Domain, code: Codes) -> Domain:
    """See sets over the single values of another domain; code: each own value's code there."""
    members = sets.members
    assert members is not None  # noqa: S101  (for the type checker)
    owner = np.repeat(np.arange(len(sets)), np.diff(members.starts))
    entries = np.repeat(code[members.codes], members.counts)
    owner = np.repeat(owner, members.counts)
    return replace(sets, members=_members(owner, entries, len(sets), values))


def _members(
    owner: NDArray[np.intp], codes: NDArray[np.integer], n_sets: int, values: Domain
) -> SetMembers:
    """Put entries given in any order, repeated ones included, into their sets."""
    cell, counts = np.unique(owner * len(values) + codes, return_counts=True)
    starts = np.searchsorted(cell, np.arange(n_sets + 1) * len(values)).astype(np.int64)
    return SetMembers(
        starts, (cell % len(values)).astype(np.int32), counts.astype(np.int64), values
    )


def _flat(labels: tuple[object, ...]) -> Taxonomy:
    """Give whole sets no structure: each is itself, or anything."""
    ranks = np.arange(len(labels), dtype=np.int32)
    low, high = np.zeros_like(ranks), np.full_like(ranks, len(labels) - 1)
    return Taxonomy(
        np.stack([ranks, low]), np.stack([ranks, high]), (labels, (ROOT,) * len(labels))
    )
