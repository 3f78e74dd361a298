"""Sweeney's way: look at every node (Ciriani 2008, section 3.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from sfumato.algorithms.algorithm import Algorithm, Minimality, allowed_rows
from sfumato.algorithms.failed_steps import FailedStep, PublishedGroups
from sfumato.algorithms.lattice.failed_nodes import failed_nodes
from sfumato.algorithms.lattice.lattice import Lattice, Node
from sfumato.algorithms.lattice.minimal import (
    Prefer,
    check_prefer,
    minimal_nodes,
    preference,
    preferred,
    refuse,
)
from sfumato.algorithms.lots import Draw
from sfumato.criteria.criterion import Criterion
from sfumato.criteria.judging import guarding_column
from sfumato.data.frequency import FrequencySet
from sfumato.data.naming import Publishes
from sfumato.data.recoding import Recoding
from sfumato.parameters import suppression_limit
from sfumato.table import Table


@dataclass(frozen=True)
class Exhaustive(Algorithm):
    """Full-domain generalization chosen among all k-minimal nodes, which are found by trying all.

    Right for every criterion, monotone or not.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> sf.anonymize(patients, sf.LDiversity(4, "entropy"), sf.Exhaustive(0.01)).levels
    {'age': 1, 'sex': 0}
    """

    max_suppressed: float = 0
    prefer: Prefer = "absolute_distance"
    judges_all_groups: ClassVar[bool] = True

    def __post_init__(self) -> None:
        suppression_limit(type(self).__name__, self.max_suppressed)
        check_prefer(type(self).__name__, self.prefer)

    @property
    def publishes(self) -> Publishes:
        """Nodes of trees."""
        return "nodes"

    @property
    def keeps_guards(self) -> bool:
        """Combinations are recoded as a whole."""
        return True

    @property
    def minimality(self) -> Minimality:
        """No node below a k-minimal one is safe."""
        return "full-domain"

    def failed_steps(
        self, published: PublishedGroups, criterion: Criterion
    ) -> Iterator[FailedStep] | None:
        """The nodes that are preferred to the published one, if nobody may be suppressed."""
        if allowed_rows(self.max_suppressed, published.ground.n_rows):
            return None  # how many are suppressed where depends on values
        return failed_nodes(
            published,
            criterion.least_size,
            lambda lattice: lambda node: preference(lattice, node, self.prefer),
        )

    @classmethod
    def examples(cls) -> tuple[Algorithm, ...]:
        """With suppression, which makes most criteria other than monotone."""
        return (cls(0.1, prefer="suppression"),)

    def minimal(self, counted: FrequencySet | Table, criterion: Criterion) -> list[Node]:
        """All k-minimal nodes of a table: a level per quasi-identifier, in order."""
        guard = guarding_column(criterion)
        frequencies = counted.frequencies(guard) if isinstance(counted, Table) else counted
        limit = allowed_rows(self.max_suppressed, frequencies.n_rows)
        return self._minimal(Lattice(frequencies, criterion), limit)

    def search(self, frequencies: FrequencySet, criterion: Criterion, draw: Draw) -> Recoding:
        """Find the k-minimal nodes and take the preferred one."""
        del draw
        lattice = Lattice(frequencies, criterion)
        limit = allowed_rows(self.max_suppressed, frequencies.n_rows)
        nodes = self._minimal(lattice, limit)
        if not nodes:
            raise refuse(lattice, limit)
        return lattice.recoding(preferred(lattice, nodes, self.prefer))

    def _minimal(self, lattice: Lattice, limit: int) -> list[Node]:
        return minimal_nodes(lattice, limit)
