"""Sweeney's way: look at every node (Ciriani 2008, section 3.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar

from sfumato.algorithms.algorithm import Algorithm, Minimality, Suppress, allowed_rows
from sfumato.algorithms.failed_steps import FailedStep, PublishedGroups
from sfumato.algorithms.lattice.counted_nodes import CountedNodes, check_budget, counting_nodes
from sfumato.algorithms.lattice.failed_nodes import failed_nodes
from sfumato.algorithms.lattice.lattice import Lattice, Node, right_below
from sfumato.algorithms.lattice.minimal import (
    Prefer,
    check_prefer,
    nothing_yet,
    preference,
    preferred,
    refuse,
)
from sfumato.algorithms.lattice.outliers import check_suppress
from sfumato.algorithms.lattice.tried import Tried, minimal_nodes
from sfumato.algorithms.lots import Draw
from sfumato.algorithms.refusals import all_tuples, frequencies_of
from sfumato.algorithms.two_tables import Publish, check_publish
from sfumato.criteria.criterion import Criterion
from sfumato.criteria.judging import guarding_column
from sfumato.data.frequency import FrequencySet
from sfumato.data.naming import Publishes
from sfumato.data.recoding import Recoding
from sfumato.errors import BadInput, shown
from sfumato.parameters import is_whole, suppression_limit
from sfumato.table import Table


@dataclass(frozen=True)
class Exhaustive(Algorithm):
    """Full-domain generalization chosen among all k-minimal nodes, which are found by trying all.

    Right for every criterion, monotone or not. People whose group at the node is not safe, at most
    `max_suppressed`, are left out; with `suppress="cells"` they are published as one group with
    every quasi-identifier at the root, if that group is safe, and are left out if it is not.

    With a `budget` no more nodes are counted than that, first on a way down from the top. Then the
    node is the preferred one of those that were found with no safe one below them, and
    `release.gap` says by how much a k-minimal node may be better; if none can be, as where nobody
    is suppressed, by how many levels one may be lower. Ctrl-C ends the search with what was found,
    too, if anything was; otherwise it goes on to the first safe node.

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
    suppress: Suppress = "rows"
    publish: Publish = "generalized"
    budget: int | None = None
    judges_all_groups: ClassVar[bool] = True

    def __post_init__(self) -> None:
        suppression_limit(type(self).__name__, self.max_suppressed)
        check_prefer(type(self).__name__, self.prefer)
        check_suppress(type(self).__name__, self.suppress)
        check_publish(type(self).__name__, self.publish, suppress=self.suppress)
        check_budget(type(self).__name__, self.budget)

    @property
    def keeps_alike_together(self) -> bool:
        """A level is one for all."""
        return True

    @property
    def publishes(self) -> Publishes:
        """Nodes of trees."""
        return "nodes"

    @property
    def keeps_guards(self) -> bool:
        """Combinations are recoded as a whole."""
        return not self.bucketized

    @property
    def minimality(self) -> Minimality | None:
        """No node below a k-minimal one is safe, if all were tried."""
        return "full-domain" if self.budget is None else None

    def failed_steps(
        self, published: PublishedGroups, criterion: Criterion
    ) -> Iterator[FailedStep] | None:
        """The nodes that are preferred to the published one, if nobody may be suppressed."""
        if self.budget is not None or allowed_rows(self.max_suppressed, published.ground.n_rows):
            return None  # not all were tried; how many are suppressed where depends on values
        return failed_nodes(
            published,
            criterion.least_size,
            lambda lattice: lambda node: preference(lattice, node, self.prefer),
        )

    @classmethod
    def examples(cls) -> tuple[Algorithm, ...]:
        """With suppression, which makes most criteria other than monotone."""
        return (cls(0.1, prefer="suppression"), cls(budget=9))

    def minimal(self, counted: FrequencySet | Table, criterion: Criterion) -> list[Node]:
        """All k-minimal nodes of a table: a level per quasi-identifier, in order."""
        lattice, limit = self._lattice(counted, criterion)
        return self._minimal(lattice, Tried(lattice, limit, CountedNodes(None)))

    def locally_minimal(
        self, counted: FrequencySet | Table, criterion: Criterion, path: Sequence[Node]
    ) -> Node | None:
        """Give the lowest safe node of a path (Ciriani 2008, definition 3.5); None: there is none.

        A path goes up from the bottom of the lattice, one level of one column at a time. Every
        k-minimal node is the lowest safe one of some path; the lowest of one path need not be
        k-minimal.

        >>> import sfumato as sf
        >>> patients = sf.read(
        ...     sf.datasets.patients(), {"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()}
        ... )
        >>> path = [(0, 0), (1, 0), (2, 0), (2, 1), (3, 1), (4, 1)]
        >>> sf.Samarati(0.001).locally_minimal(patients, sf.KAnonymity(5), path)
        (2, 1)
        """
        lattice, limit = self._lattice(counted, criterion)
        nodes = _read_path(type(self).__name__, path, lattice.heights)
        return next((node for node in nodes if lattice.is_allowed(node, limit)), None)

    def _lattice(self, counted: FrequencySet | Table, criterion: Criterion) -> tuple[Lattice, int]:
        """Give the nodes over a table, and how many rows may be left out."""
        guard = guarding_column(criterion)
        frequencies = frequencies_of(type(self).__name__, counted, guard)
        limit = allowed_rows(self.max_suppressed, frequencies.n_rows)
        return Lattice(frequencies, criterion), limit

    def search(self, frequencies: FrequencySet, criterion: Criterion, draw: Draw) -> Recoding:
        """Find the k-minimal nodes and take the preferred one."""
        del draw
        return self._searched(frequencies, criterion, self._minimal)

    def _searched(
        self,
        frequencies: FrequencySet,
        criterion: Criterion,
        search: Callable[[Lattice, Tried], list[Node]],
    ) -> Recoding:
        """Choose among the nodes that a search gives, or that it had found when it ended early."""
        lattice = Lattice(frequencies, criterion)
        limit = allowed_rows(self.max_suppressed, frequencies.n_rows)
        with counting_nodes(self.budget) as nodes:
            tried = Tried(lattice, limit, nodes)
            found = tried.run(search)
        if not found:
            if not tried.finished:
                raise nothing_yet(type(self).__name__, nodes.n)
            raise refuse(lattice, limit)
        node = preferred(lattice, found, self.prefer)
        told = tried.told(node, self.prefer)
        return replace(lattice.recoding(node, self.suppress), best_so_far=told)

    def _minimal(self, lattice: Lattice, tried: Tried) -> list[Node]:
        return minimal_nodes(lattice, tried)


def _read_path(owner: str, path: Sequence[Node], heights: Node) -> list[Node]:
    """Refuse what is no path up from the bottom."""
    if not all_tuples(path) or not all(all(map(is_whole, node)) for node in path):
        raise BadInput(f"{owner}: a path is a list of nodes such as {heights}, got {shown(path)}")
    nodes = [tuple(node) for node in path]
    for node in nodes:
        inside = len(node) == len(heights) and all(
            0 <= level <= height for level, height in zip(node, heights, strict=True)
        )
        if not inside:
            raise BadInput(f"{owner}: {node} is no node: levels go from 0 to {heights}")
    if not nodes or any(nodes[0]):
        raise BadInput(f"{owner}: a path begins at the bottom, {(0,) * len(heights)}")
    for lower, upper in pairwise(nodes):
        if lower not in right_below(upper):
            raise BadInput(
                f"{owner}: a path goes up one level of one column at a time, and {upper} is not "
                f"right above {lower}"
            )
    return nodes
