"""Full-domain recoding of all people but outliers, of whom no quasi-identifier is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.frequency import Grouping
from sfumato.data.labels.texts import Labels
from sfumato.data.labels.writer import interval_labels, level_labels
from sfumato.data.recoding.assignment import Assignment
from sfumato.data.recoding.best_so_far import BestSoFar


@dataclass(frozen=True, eq=False)
class OutliersAtRoot(Assignment):
    """Groups at the levels of one node, and behind them one group with everything at the root.

    Ciriani 2008, figure 2: AG_CS, generalization of columns with suppression of cells.
    """

    node: Mapping[str, int] = field(default_factory=dict)  # the level of every quasi-identifier
    best_so_far: BestSoFar | None = None  # how far the search got

    @classmethod
    def of(
        cls, grouping: Grouping, outlier: NDArray[np.bool_], node: Mapping[str, int]
    ) -> OutliersAtRoot:
        """Join some groups of a node, which nobody was left out of, at the root."""
        ground, domains = grouping.frequencies.combinations, grouping.frequencies.domains
        group = np.empty(len(ground), dtype=np.intp)
        group[grouping.frequencies.combination_of] = grouping.index
        n_kept = int((~outlier).sum())
        number = np.where(outlier, n_kept, np.cumsum(~outlier) - 1)
        parts = np.stack([np.arange(len(ground)), number[group], ground.counts], axis=1)
        roots = [[0, len(domains[column]) - 1] for column in ground.columns]
        boxes = np.concatenate([grouping.boxes[~outlier], np.array([roots], dtype=np.int32)])
        texts: dict[str, Labels | None] = {
            column: _texts(domains[column], node[column], boxes[:-1, j, 0])
            for j, column in enumerate(ground.columns)
        }
        return cls(ground, boxes, parts.astype(np.int64), texts, node=dict(node))

    @property
    def levels_of_most(self) -> Mapping[str, int]:
        """The levels of the node."""
        return self.node

    @property
    def n_at_root(self) -> int:
        """Number of people in the last group."""
        return int(self.parts[self.parts[:, 1] == len(self.boxes) - 1, 2].sum())


def _texts(domain: Domain, level: int, lows: NDArray[np.int32]) -> Labels:
    """Write the nodes of a level that begin with some ranks, and the root behind them."""
    texts = level_labels(domain, level)
    if texts is None:
        ranks = np.arange(len(domain), dtype=np.int32)
        texts = interval_labels(domain, np.stack([ranks, ranks], axis=1))
    root = Labels.of(domain.taxonomy.labels[domain.taxonomy.height])[0]
    return Labels((*texts.texts, root), np.append(texts.index[lows], len(texts.texts)))
