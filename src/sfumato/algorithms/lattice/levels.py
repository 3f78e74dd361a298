"""All levels of all columns, laid out for compiled loops over keys."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.lattice import kernels
from sfumato.compiled import suited
from sfumato.data.groups import Counts
from sfumato.data.keys import Keys, Layout
from sfumato.data.taxonomy import Taxonomy

Starts = NDArray[np.int64]  # (n_columns,) where a level begins, -1: nothing is done to the column


class Levels:
    """Generalizes keys of one layout to any levels in one pass."""

    def __init__(self, layout: Layout, taxonomies: Sequence[Taxonomy]) -> None:
        n = len(taxonomies)
        self.words = np.array(layout.words[:n], dtype=np.int64)
        self.shifts = np.array(layout.shifts[:n], dtype=np.uint64)
        self.masks = np.array(
            [((1 << layout.widths[j]) - 1) << layout.shifts[j] for j in range(n)], dtype=np.uint64
        )
        sizes = [len(own) for taxonomy in taxonomies for own in taxonomy.low]
        begins = np.concatenate([[0], np.cumsum(sizes)]).tolist()
        self.start: list[list[int]] = []  # [column][level]
        for taxonomy in taxonomies:
            self.start.append(begins[: taxonomy.height + 1])
            begins = begins[taxonomy.height + 1 :]
        lows = [own for taxonomy in taxonomies for own in taxonomy.low]
        self.lows = np.concatenate(lows).astype(np.uint64)

    def climb(self, keys: Keys, low: Sequence[int], high: Sequence[int]) -> Keys:
        """Generalize keys from the levels of one node to those of another above it."""
        starts = [own[b] if b != a else -1 for own, a, b in zip(self.start, low, high, strict=True)]
        return np.asarray(
            suited(kernels, keys.size).climbed(
                keys, self.words, self.shifts, self.masks, self.lows, np.array(starts, np.int64)
            )
        )

    def costs(self, keys: Keys, costs: NDArray[np.int64], node: Sequence[int]) -> NDArray[np.int64]:
        """Give what a person of each key costs at a node; level 0 costs what it costs, too."""
        starts = np.array(
            [own[level] for own, level in zip(self.start, node, strict=True)], np.int64
        )
        return self._costs(keys, costs, starts)

    def column_costs(
        self, keys: Keys, costs: NDArray[np.int64], j: int, level: int
    ) -> NDArray[np.int64]:
        """Give what a person of each key costs in one column at a level."""
        starts = np.full(len(self.start), -1, dtype=np.int64)
        starts[j] = self.start[j][level]
        return self._costs(keys, costs, starts)

    def _costs(self, keys: Keys, costs: NDArray[np.int64], starts: Starts) -> NDArray[np.int64]:
        loops = suited(kernels, keys.size)
        return np.asarray(loops.costs_of(keys, self.words, self.shifts, self.masks, costs, starts))

    def cost_between(
        self, keys: Keys, counts: Counts, costs: NDArray[np.int64], j: int, low: int, high: int
    ) -> int:
        """Give what everybody costs more in a column at one level than at another."""
        return int(
            suited(kernels, len(keys)).cost_between(
                keys,
                counts,
                self.words[j],
                self.shifts[j],
                self.masks[j],
                costs,
                self.start[j][low],
                self.start[j][high],
            )
        )
