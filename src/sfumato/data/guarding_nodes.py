"""Guarding nodes: what each person wants nobody to believe (Wong 2009, section 5.1.5)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.errors import BadInput


def guarding_nodes(column: str, guard: Domain, attribute: str, values: Domain) -> NDArray[np.int32]:
    """Find the nodes that a column names among those of a sensitive attribute's hierarchy.

    Returns (n_names, 2): the ranks [low, high] of every node; [0, -1] for a missing name, by which
    a person guards nothing. A ground value named like a node above it stands for that node.
    """
    named, ambiguous = nodes_by_name(values)
    nodes = np.empty((len(guard), 2), dtype=np.int32)
    unknown: list[object] = []
    for code, name in enumerate(guard.labels):
        node = (0, -1) if name is None else named.get(str(name))
        if node is None:  # a number written in another way
            rank = values.code_of(name)
            node = None if rank is None else (rank, rank)
        if node is None:
            unknown.append(name)
        elif str(name) in ambiguous:
            raise BadInput(
                f"column {column!r}: a name stands for two different nodes in the hierarchy of "
                f"{attribute!r}; rename one of them",
                [name],
            )
        else:
            nodes[code] = node
    if unknown:
        remedy = "add them to it" if values.closed else "give it a hierarchy that lists them"
        raise BadInput(
            f"column {column!r}: {len(unknown)} distinct values are neither values of "
            f"{attribute!r} nor nodes of its hierarchy; {remedy}, or mend the data: the field of "
            "a person who guards nothing is empty",
            unknown,
        )
    return nodes


def nodes_by_name(values: Domain) -> tuple[dict[str, tuple[int, int]], set[str]]:
    """Give every node by its name, the largest where nested ones share it; and unclear names."""
    named: dict[str, tuple[int, int]] = {}
    ambiguous = set()
    taxonomy = values.taxonomy
    for level in range(taxonomy.height, -1, -1):
        sides = zip(taxonomy.low[level].tolist(), taxonomy.high[level].tolist(), strict=True)
        for label, (low, high) in zip(taxonomy.labels[level], sides, strict=True):
            if label is None:
                continue
            first, last = named.setdefault(str(label), (low, high))
            if low < first or high > last:
                ambiguous.add(str(label))
    return named, ambiguous
