"""Local recoding of least loss: people who are alike are gathered, wherever the cuts would be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.algorithm import Algorithm
from sfumato.algorithms.bounds import bounded
from sfumato.algorithms.local.sides import BOUNDS, Bounds, published_sides
from sfumato.algorithms.lots import Draw
from sfumato.algorithms.mondrian import Mondrian
from sfumato.algorithms.refusals import broken_by_union, refuse_unsafe_whole
from sfumato.criteria.criterion import Criterion
from sfumato.criteria.judging import holding
from sfumato.data.frequency import FrequencySet, sum_by
from sfumato.data.naming import Publishes
from sfumato.data.recoding import Assignment, Recoding
from sfumato.formulas.measures.loss import losses
from sfumato.parameters import one_of


@dataclass(frozen=True)
class Local(Algorithm):
    """Groups that lose little, in boxes of any place and size, which may overlap; all people stay.

    In every region of the table the k people who are most alike become a group, then the next;
    groups that came late and lose much are formed again with those of other regions; then members
    are moved and exchanged between neighbouring groups as long as that loses less. Where sizes are
    all that is promised, ranges are never worse than `Mondrian`'s: if its cuts lose less, they are
    taken. People with the same quasi-identifiers are never parted. Nothing is left to chance, and
    nothing of this looks at sensitive values: if a criterion is about them, groups that break it
    are joined with their nearest until all are safe.

    `bounds` says how far a box reaches. "grid": in every column the smallest range of the
    hierarchy's finest grid around its people; the range itself where it is no wider than a cell of
    the grid, or where there is no grid. "tight": to the extremes of the people. "nodes": to the
    smallest node of the hierarchy that holds them, so only values of the hierarchy are published. A
    value that all share is itself.
    What is minimized is the loss of what is published.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> for method in (sf.Mondrian(), sf.Local()):
    ...     release = sf.anonymize(patients, sf.KAnonymity(5), method)
    ...     print(f"{sf.utility.information_loss(release):.3f}")
    0.008
    0.002
    """

    metric: Literal["loss"] = "loss"
    bounds: Bounds = "grid"

    def __post_init__(self) -> None:
        one_of("Local", "metric", self.metric, ("loss",))
        one_of("Local", "bounds", self.bounds, BOUNDS)

    @property
    def publishes(self) -> Publishes:
        """Nodes of trees, or ranges."""
        return "nodes" if self.bounds == "nodes" else "ranges"

    @property
    def keeps_guards(self) -> bool:
        """Combinations are recoded as a whole."""
        return True

    def refuses(self, criterion: Criterion) -> str | None:
        """Also what a union of safe groups can break."""
        where = "groups are joined, and may be published under the same box"
        return broken_by_union(criterion, where) or super().refuses(criterion)

    @classmethod
    def examples(cls) -> tuple[Algorithm, ...]:
        """One of each kind that behaves differently."""
        return (cls(), cls(bounds="nodes"))

    def search(self, frequencies: FrequencySet, criterion: Criterion, draw: Draw) -> Recoding:
        """Gather people, and join groups until all are safe."""
        from sfumato.algorithms.local.gathering import Points, gathered, joined  # noqa: PLC0415  (a compiler)

        refuse_unsafe_whole(frequencies, criterion)
        ground = frequencies.combinations
        points = Points.of_combinations(ground, self.bounds)
        k = criterion.least_size
        groups = gathered(points, k)
        if self.bounds != "nodes" and criterion.size_alone:
            by_cuts = Mondrian(bounds=self.bounds).search(frequencies, criterion, draw)
            return min(self._published(ground, groups.of), by_cuts, key=_lost)
        while True:
            decided = self._published(ground, groups.of)
            grouping = decided.grouping(frequencies)
            safe = holding(criterion, grouping.joint)
            if safe.all():
                return decided
            group = np.empty(len(ground), dtype=np.intp)
            group[frequencies.combination_of] = grouping.index
            unsafe = np.zeros(len(groups.first), dtype=bool)
            unsafe[groups.of] = ~safe[group]
            groups = joined(points, groups, unsafe, k)

    def _published(self, ground: FrequencySet, group: NDArray[np.int64]) -> Assignment:
        """Give every group the box that is published of its people."""
        boxes = np.zeros((int(group.max()) + 1, len(ground.columns), 2), dtype=np.int32)
        parts = np.stack([np.arange(len(ground)), group, ground.counts], axis=1)
        people = bounded(Assignment(ground, boxes, parts), "tight").boxes
        used = np.unique(group)
        for j, name in enumerate(ground.columns):
            low, high = people[used, j].T
            boxes[used, j] = published_sides(ground.domains[name], self.bounds, low, high)
        return Assignment(ground, boxes, parts, on_grid=self.bounds == "grid")


def _lost(recoding: Assignment) -> float:
    """Add up what all people lose in all columns."""
    names = recoding.combinations.quasi_identifiers
    people = sum_by(recoding.kept[:, 1], recoding.kept[:, 2], len(recoding.boxes))
    told = recoding.without_hidden().boxes
    return float(people @ losses(recoding.combinations.domains, names, told).sum(axis=1))
