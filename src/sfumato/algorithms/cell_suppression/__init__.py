"""Suppression of single cells, group by group: approximations and the optimum (Ciriani 2008)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from sfumato.algorithms.algorithm import Algorithm
from sfumato.algorithms.cell_suppression.joining import whole_combinations, with_cheapest
from sfumato.algorithms.cell_suppression.points import Parts, Points
from sfumato.algorithms.lots import Draw
from sfumato.algorithms.refusals import broken_by_union, refuse_unsafe_whole
from sfumato.criteria.criterion import Criterion
from sfumato.criteria.judging import holding
from sfumato.data.frequency import FrequencySet, JointGroups
from sfumato.data.naming import Publishes
from sfumato.data.recoding import Assignment, Recoding
from sfumato.parameters import one_of, true_or_false

Name = Literal["forest", "meyerson-williams", "meyerson-williams-balls", "factor", "optimal"]
NAMES: tuple[Name, ...] = get_args(Name)
FACTORS = (2, 3)  # people for whom there is a factor


@dataclass(frozen=True)
class CellSuppression(Algorithm):
    """Groups of k people in which cells that differ are suppressed; nobody is left out.

    A cell is published where all members of a group share its value, and as the root of its
    column's hierarchy where they do not (as everywhere, that is written as the smallest node that
    holds the whole table). With `hierarchies=True` it is published as the nearest
    node that holds the values of all, and costs the height of that node over the height of the
    tree, instead of 1. Which groups cost least is NP-hard (Ciriani 2008, theorem 3.1), so of
    those in 3.2.3 there are, as `algorithm`:

    - "forest" (Aggarwal et al.): trees of k to 3k - 3 people, at most 3k - 3 times the least
      cost; for tables of any size.
    - "meyerson-williams": all groups of k to 2k - 1 people, the tightest first, O(k log k) times
      the least; for small tables. "meyerson-williams-balls": all balls around combinations
      instead, O(k log n_columns) times.
    - "factor": for k = 2 and 3 only. A least [1,2]-factor gives at most 1.5 times the least cost
      for columns of two values, 2 times for others; a least 2-factor, 2 and 3 times. It needs
      the package `rustworkx` (`pip install sfumato[factor]`).
    - "optimal": the least cost itself, for at most 16 rows.

    A text that few people have cannot be told, so its cells are published higher up than they are
    counted. All this is about numbers of people. If a criterion is about values, groups that break
    it are joined with others, where that costs least, until all are safe: then nothing is promised
    of the cost, and people with the same quasi-identifiers stay together. Otherwise k or more such
    people may be parted: those whom others need are chosen by chance. Nothing else is left to it.

    >>> import sfumato as sf
    >>> patients = sf.read(sf.datasets.patients(), ["age", "sex", "zip"], "disease")
    >>> release = sf.anonymize(patients, sf.KAnonymity(3), sf.CellSuppression())
    >>> release.n_suppressed, int(min(release.sizes))
    (0, 3)
    """

    algorithm: Name = "forest"
    hierarchies: bool = False

    def __post_init__(self) -> None:
        one_of("CellSuppression", "algorithm", self.algorithm, NAMES)
        true_or_false("CellSuppression", "hierarchies", self.hierarchies)

    @property
    def publishes(self) -> Publishes:
        """Nodes of trees."""
        return "nodes"

    @property
    def generalizes(self) -> bool:
        """Only by hierarchies; else a cell is published as it is, or suppressed."""
        return self.hierarchies

    @property
    def keeps_guards(self) -> bool:
        """Where a criterion is about values, combinations are recoded as a whole."""
        return True

    def refuses(self, criterion: Criterion) -> str | None:
        """Also what a union of safe groups can break; and what no factor is for."""
        where = "groups are joined, and may be published under the same cells"
        refused = broken_by_union(criterion, where) or super().refuses(criterion)
        if refused is None and self.algorithm == "factor" and criterion.least_size not in FACTORS:
            return (
                "a factor makes groups of 2 or 3 people, so that is what has to be promised, as by "
                "KAnonymity(3); use algorithm='forest'"
            )
        return refused

    @classmethod
    def examples(cls) -> tuple[Algorithm, ...]:
        """One of each kind that behaves differently."""
        return (cls(), cls(hierarchies=True))

    def search(self, frequencies: FrequencySet, criterion: Criterion, draw: Draw) -> Recoding:
        """Form groups by size, and join them until all are safe."""
        del draw  # who of a combination goes where is drawn when a recoding is applied
        refuse_unsafe_whole(frequencies, criterion)
        ground = frequencies.combinations
        points = Points.of_combinations(ground, hierarchies=self.hierarchies)
        parts = _groups_by(self.algorithm)(points, criterion.least_size)
        if not any(part.looks_at_values for part in criterion.parts):
            decided = self._published(ground, points, parts)
            _, sizes = decided.published_boxes(frequencies)
            if holding(criterion, JointGroups(frequencies, sizes, None)).all():
                return decided
        group = whole_combinations(parts, len(ground))
        while True:
            parts = np.column_stack([np.arange(len(ground)), group, ground.counts])
            decided = self._published(ground, points, parts)
            grouping = decided.grouping(frequencies)
            safe = holding(criterion, grouping.joint)
            if safe.all():
                return decided
            seen = np.empty(len(ground), dtype=np.intp)  # groups as a reader sees them
            seen[frequencies.combination_of] = grouping.index
            unsafe = np.zeros(int(group.max()) + 1, dtype=bool)
            unsafe[group] = ~safe[seen]
            group = with_cheapest(points, group, unsafe)

    def _published(self, ground: FrequencySet, points: Points, parts: Parts) -> Assignment:
        """Give every group the nodes that are published of its people."""
        point, group, _ = parts.T
        n_groups = int(group.max()) + 1
        levels, member = points.group_levels(point, group, n_groups)
        boxes = np.zeros((n_groups, len(ground.columns), 2), dtype=np.int32)
        for j, name in enumerate(ground.columns):
            tree = ground.domains[name].taxonomy
            level = levels[:, j] if self.hierarchies else levels[:, j] * tree.height
            value = points.codes[member, j]
            for _ in range(tree.height):  # up to a node that can be told
                hidden = ground.domains[name].holds_hidden(
                    tree.low[level, value], tree.high[level, value]
                )
                level = np.minimum(level + hidden, tree.height)
            boxes[:, j] = np.stack([tree.low[level, value], tree.high[level, value]], axis=1)
        return Assignment(ground, boxes, parts.astype(np.int64))


def _groups_by(algorithm: Name) -> Callable[[Points, int], Parts]:
    """Give an algorithm; all of them are compiled, or bring a package, so none before its use."""
    match algorithm:
        case "forest":
            from sfumato.algorithms.cell_suppression.forest import forest_groups  # noqa: PLC0415

            return forest_groups
        case "meyerson-williams":
            from sfumato.algorithms.cell_suppression.set_cover import covering_groups  # noqa: PLC0415

            return covering_groups
        case "meyerson-williams-balls":
            from sfumato.algorithms.cell_suppression.balls import ball_groups  # noqa: PLC0415

            return ball_groups
        case "factor":
            from sfumato.algorithms.cell_suppression.factor import factor_groups  # noqa: PLC0415

            return factor_groups
        case "optimal":
            from sfumato.algorithms.cell_suppression.optimal import optimal_groups  # noqa: PLC0415

            return optimal_groups
