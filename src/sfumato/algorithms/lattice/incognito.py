"""Incognito: no node can be safe that is unsafe in some of its columns (Ciriani 2008, 3.2.2)."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.lattice.counted_nodes import CountedNodes, Enough
from sfumato.algorithms.lattice.exhaustive import Exhaustive
from sfumato.algorithms.lattice.lattice import Lattice, Node
from sfumato.algorithms.lattice.minimal import tried_without_order
from sfumato.algorithms.lattice.tried import Tried, minimal_nodes
from sfumato.criteria.criterion import Criterion
from sfumato.data.frequency import FrequencySet
from sfumato.errors import BadInput
from sfumato.table import Table
from sfumato.text import count, counted

MOST_NODES = 10**8  # whose safety is kept at a time


@dataclass(frozen=True)
class Incognito(Exhaustive):
    """All k-minimal nodes by growing subsets of the quasi-identifiers; then the preferred one.

    The subset property: dropping a column joins groups, so what is unsafe over some columns is
    unsafe over more of them. The generalization property: a safe node makes every node above it
    safe. Both need a criterion that is monotone at the given limit of suppression; for others
    all nodes are tried.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> sf.anonymize(patients, sf.KAnonymity(5), sf.Incognito(prefer="relative_distance")).levels
    {'age': 4, 'sex': 0}
    """

    def remark(self, criterion: Criterion) -> str | None:
        """Where nothing follows from one node about another, all are tried."""
        return tried_without_order(criterion, self.max_suppressed)

    @classmethod
    def examples(cls) -> tuple[Exhaustive, ...]:
        """One of each kind that behaves differently."""
        return (cls(), cls(0.1, prefer="distribution"), cls(budget=9))

    def safe_nodes(
        self, counted: FrequencySet | Table, criterion: Criterion
    ) -> dict[tuple[str, ...], list[Node]]:
        """Give the safe nodes over every subset of the columns, as figure 11 draws them.

        >>> import sfumato as sf
        >>> patients = sf.read(
        ...     sf.datasets.patients(), {"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()}
        ... )
        >>> for columns, nodes in sf.Incognito().safe_nodes(patients, sf.KAnonymity(5)).items():
        ...     print(columns, nodes)
        ('age',) [(1,), (2,), (3,), (4,)]
        ('sex',) [(0,), (1,)]
        ('age', 'sex') [(1, 1), (2, 1), (3, 1), (4, 0), (4, 1)]
        """
        lattice, limit = self._lattice(counted, criterion)
        if not lattice.monotone(limit):
            raise BadInput(
                f"Incognito: {criterion} is not monotone here, so a node that is unsafe over some "
                "columns may be safe over more of them; all k-minimal nodes are given by minimal()"
            )
        names = lattice.frequencies.quasi_identifiers
        return {
            tuple(names[j] for j in subset): [tuple(map(int, node)) for node in np.argwhere(safe)]
            for subset, safe in safe_by_subsets(lattice, limit).items()
        }

    def _minimal(self, lattice: Lattice, tried: Tried) -> list[Node]:
        if not lattice.monotone(tried.limit):
            return minimal_nodes(lattice, tried)
        safe = safe_by_subsets(lattice, tried.limit, tried)[tuple(range(len(lattice.heights)))]
        dominated = np.zeros_like(safe)
        for axis in range(safe.ndim):  # a node is not minimal if one step down is safe
            lower = np.roll(safe, 1, axis=axis)
            lower[(slice(None),) * axis + (0,)] = False
            dominated |= lower
        return [tuple(map(int, node)) for node in np.argwhere(safe & ~dominated)]


def safe_by_subsets(
    lattice: Lattice, limit: int, tried: Tried | None = None
) -> dict[tuple[int, ...], NDArray[np.bool_]]:
    """Give the safe nodes over every subset of the columns, as a table of levels."""
    tried = tried or Tried(lattice, limit, CountedNodes(None))
    names = lattice.frequencies.quasi_identifiers
    n_nodes = math.prod(height + 1 for height in lattice.heights)
    if n_nodes > MOST_NODES:
        if tried.nodes.budget is not None:
            raise Enough  # with what the way down from the top found
        raise BadInput(
            f"Incognito: the hierarchies of {counted(len(names), 'column')} make "
            f"{counted(n_nodes, 'node')}, more than {count(MOST_NODES)}; give them fewer "
            "levels, or take Mondrian, or Samarati or Optimal with a budget"
        )
    known: dict[tuple[int, ...], NDArray[np.bool_]] = {}
    subsets = [
        subset
        for size in range(1, len(names) + 1)
        for subset in itertools.combinations(range(len(names)), size)
    ]
    for done, subset in enumerate(subsets):
        tried.report("searching subsets of columns", done, len(subsets))
        shape = tuple(lattice.heights[j] + 1 for j in subset)
        candidate = np.ones(shape, dtype=bool)
        for axis in range(len(subset)) if len(subset) > 1 else ():
            fewer = known[subset[:axis] + subset[axis + 1 :]]
            candidate &= np.expand_dims(fewer, axis)
        columns = [*(names[j] for j in subset), *lattice.frequencies.sensitive]
        part = Lattice(lattice.frequencies.project(columns), lattice.criterion)
        known[subset] = _safe_among(part, candidate, tried)
    return known


def _safe_among(lattice: Lattice, candidate: NDArray[np.bool_], tried: Tried) -> NDArray[np.bool_]:
    """Try the candidates by height, and take everything above a safe one for safe."""
    safe = np.zeros_like(candidate)
    whole = len(lattice.heights) == len(tried.lattice.heights)
    for height in range(lattice.height + 1):
        if whole and not safe.any():
            tried.lowest = height
        for node in lattice.at_height(height):
            if not candidate[node] or safe[node]:
                continue
            if tried.allowed(node) if whole else tried.allowed_part(lattice, node):
                safe[tuple(slice(level, None) for level in node)] = True
    return safe
