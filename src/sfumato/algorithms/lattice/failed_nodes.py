"""The nodes that a lattice search would have preferred to the published one, had they been safe."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from sfumato.algorithms.failed_steps import FailedStep, PublishedGroups, by_child
from sfumato.algorithms.lattice.lattice import Lattice, Node
from sfumato.algorithms.lattice.minimal import below
from sfumato.criteria.k_anonymity import KAnonymity

Ranking = Callable[[Lattice], Callable[[Node], Any]]  # what nodes are compared by: < is better


def failed_nodes(published: PublishedGroups, least: int, ranking: Ranking) -> Iterator[FailedStep]:
    """Give the highest of the nodes that come before the published one.

    Below a node that breaks, all break (the criterion is monotone). Nodes with a group of fewer
    than `least` people break anyhow; they and all below them say nothing.
    """
    lattice = Lattice(published.ground, KAnonymity(least))
    rank = ranking(lattice)
    own = _published_node(published)
    own_rank = rank(own)
    large = [
        node
        for node in lattice.search(0, lambda _: False)
        if lattice.is_allowed(node, 0) and not below(own, node) and rank(node) < own_rank
    ]
    highest: list[Node] = []
    for node in sorted(large, key=sum, reverse=True):
        if not any(below(node, higher) for higher in highest):
            highest.append(node)
    everybody = np.arange(len(published.ground))
    for node in highest:
        yield by_child(everybody, lattice.grouping(node).index)


def _published_node(published: PublishedGroups) -> Node:
    """Give the lowest node that parts no published group: it was safe, and comes before others."""
    ground, group = published.ground, published.group
    n_groups = int(group.max()) + 1
    levels = []
    for name in ground.columns:
        codes, taxonomy = ground.codes(name), ground.domains[name].taxonomy
        low = np.full(n_groups, taxonomy.size, dtype=np.int32)
        high = np.full(n_groups, -1, dtype=np.int32)
        np.minimum.at(low, group, codes)
        np.maximum.at(high, group, codes)
        filled = high >= 0
        levels.append(int(taxonomy.enclosing_level(low[filled], high[filled]).max(initial=0)))
    return tuple(levels)
