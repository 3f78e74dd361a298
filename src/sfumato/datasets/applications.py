"""Nursery: applications to nursery schools, every one that is possible, and how each is ranked.

The UCI Machine Learning Repository has it as data (Vladislav Rajkovic, 1997); it was derived from
a model of decisions, and that model can be written down: the class of an application follows from
three marks. So this is the same table row for row, made by rules.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.hierarchy import Hierarchy, Tree

# Values in the order of the documentation at UCI: the better ones come first.
ATTRIBUTES = {
    "parents": ("usual", "pretentious", "great_pret"),
    "has_nurs": ("proper", "less_proper", "improper", "critical", "very_crit"),
    "form": ("complete", "completed", "incomplete", "foster"),
    "children": ("1", "2", "3", "more"),
    "housing": ("convenient", "less_conv", "critical"),
    "finance": ("convenient", "inconv"),
    "social": ("nonprob", "slightly_prob", "problematic"),
    "health": ("recommended", "priority", "not_recom"),
}
CLASSES = ("not_recom", "recommend", "very_recom", "priority", "spec_prior")

EMPLOYMENT = np.array([[0, 1, 1, 2, 3], [1, 1, 2, 3, 3], [2, 2, 3, 3, 3]])  # parents, has_nurs
STRUCTURE = np.array([[0, 1, 2, 2], [1, 1, 2, 2], [1, 2, 2, 2], [2, 2, 2, 2]])  # form, children
STANDING = np.array([0, 1, 1, 2, 2])  # structure and housing with finance, added up
# By social or health problems, employment, standing; numbers of CLASSES.
RANKS = np.array([
    [[1, 2, 3], [2, 2, 3], [3, 3, 3], [3, 3, 4]],
    [[3, 3, 3], [3, 3, 3], [3, 3, 4], [3, 4, 4]],
])  # fmt: skip


def nursery() -> Any:
    """Give the Nursery table, 12,960 rows, as a PyArrow table.

    All combinations of eight attributes, in order, and the column `class`.

    >>> nursery().num_rows, nursery().column_names[-1]
    (12960, 'class')
    """
    import pyarrow as pa  # noqa: PLC0415  (heavy, so imported when used)

    sizes = [len(values) for values in ATTRIBUTES.values()]
    codes = np.indices(sizes).reshape(len(sizes), -1)  # (n_attributes, n_rows)
    columns = {
        name: pa.array(values).take(pa.array(own))
        for (name, values), own in zip(ATTRIBUTES.items(), codes, strict=True)
    }
    return pa.table(columns | {"class": pa.array(CLASSES).take(pa.array(_ranked(codes)))})


def _ranked(codes: NDArray[np.int_]) -> NDArray[np.int_]:
    """Give the number of the class of every application; codes: (n_attributes, n)."""
    parents, has_nurs, form, children, housing, finance, social, health = codes
    employment = EMPLOYMENT[parents, has_nurs]
    structure = STRUCTURE[form, children]
    home = np.where(housing == 2, 2, (housing + finance > 0).astype(int))
    problems = ((social == 2) | (health == 1)).astype(int)
    ranks = RANKS[problems, employment, STANDING[structure + home]]
    return np.where(health == 2, 0, ranks)


def nursery_hierarchies() -> dict[str, Hierarchy]:
    """Give a flat hierarchy for every column of Nursery, with the values in their order.

    >>> nursery_hierarchies()["class"].spec()
    {'tree': ['not_recom', 'recommend', 'very_recom', 'priority', 'spec_prior']}
    """
    values = ATTRIBUTES | {"class": CLASSES}
    return {name: Tree(list(own)) for name, own in values.items()}
