"""Frequency sets of lattice nodes, each rolled up from a lower one instead of from the ground."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.lattice import kernels
from sfumato.algorithms.lattice.levels import Levels
from sfumato.compiled import suited
from sfumato.data.frequency import FrequencySet, JointGroups
from sfumato.data.groups import Counts, Histogram
from sfumato.data.keys import Keys, Layout, distinct


@dataclass(frozen=True, eq=False)
class _Rolled:
    """Combinations with some columns generalized, each counted once."""

    keys: Keys
    counts: Counts

    @property
    def loops(self) -> Any:
        """What goes over them once."""
        return suited(kernels, self.keys.size)


class Start(NamedTuple):
    """A node that has been counted."""

    node: tuple[int, ...]
    rolled: _Rolled

    @property
    def n_bytes(self) -> int:
        """Memory."""
        return int(self.rolled.keys.nbytes + self.rolled.counts.nbytes)


class RollUp:
    """Counts the groups of any node of the lattice.

    The columns are generalized one after the other. The steps to the last node asked for are
    kept, and the next one starts where its way parts from that one; so nodes asked for in
    lexicographic order cost little, and memory holds one frequency set per column.
    """

    def __init__(self, frequencies: FrequencySet, *, with_values: bool) -> None:
        self.frequencies = frequencies
        counted = frequencies if with_values else frequencies.combinations
        self.with_values = with_values
        self.layout: Layout = counted.layout
        self.taxonomies = [
            frequencies.domains[name].taxonomy for name in frequencies.quasi_identifiers
        ]
        self.steps = [_Rolled(counted.keys, counted.counts)]  # after 0, 1, 2, ... columns
        self.node: list[int] = []
        self.masks = np.zeros(self.layout.n_words, dtype=np.uint64)  # the quasi-identifiers' bits
        for j in range(len(self.taxonomies)):
            self.masks[self.layout.words[j]] |= self._mask(j)

    def with_rest_on_top(self, levels: tuple[int, ...]) -> NodeGroups:
        """Count the groups with the first columns at their levels and all others at the root."""
        rolled = self._climb(levels)
        masks = self.masks.copy()
        if self.with_values:
            for j in range(len(self.taxonomies), len(self.layout.words)):
                masks[self.layout.words[j]] |= self._mask(j)
        for j in range(len(levels), len(self.taxonomies)):
            masks[self.layout.words[j]] &= ~self._mask(j)
        _, keys, counts = rolled.loops.group(rolled.keys, rolled.counts, masks)
        return NodeGroups(self, _Rolled(keys, counts))

    def at(self, node: tuple[int, ...]) -> NodeGroups:
        """Count the groups of a node."""
        return NodeGroups(self, self._climb(node))

    def straight(self, node: tuple[int, ...], start: Start | None = None) -> NodeGroups:
        """Count the groups of a node in one pass, where no other is near.

        start: a node below, whose groups have been counted; None: the ground.
        """
        return NodeGroups(self, self.start_at(node, start).rolled)

    def start_at(self, node: tuple[int, ...], start: Start | None = None) -> Start:
        """Count a node from which others above it are counted."""
        low, rolled = start or Start((0,) * len(node), self.steps[0])
        keys = self.levels.climb(rolled.keys, low, node)
        _, distinct_keys, counts = rolled.loops.aggregated(keys, rolled.counts)
        return Start(node, _Rolled(distinct_keys, counts))

    @cached_property
    def levels(self) -> Levels:
        """All levels of the columns, for its own keys."""
        return Levels(self.layout, self.taxonomies)

    def _climb(self, node: tuple[int, ...]) -> _Rolled:
        """Generalize the first columns to the given levels, from where the last way went."""
        shared = 0
        while shared < min(len(self.node), len(node)) and self.node[shared] == node[shared]:
            shared += 1
        # The first column that differs can still be rolled up from its own lower level.
        start = self.steps[shared]
        if shared < min(len(self.node), len(node)) and 0 < self.node[shared] < node[shared]:
            start = self.steps[shared + 1]
        del self.steps[shared + 1 :], self.node[shared:]
        for j in range(shared, len(node)):
            self.steps.append(self._generalized(start, j, node[j]))
            self.node.append(node[j])
            start = self.steps[-1]
        return start

    def values_of(self, keys: Keys) -> NDArray[np.int32]:
        """Which combination of sensitive values each key has."""
        frequencies = self.frequencies
        if len(frequencies.personal) == 1:
            return self.layout.unpack(keys, len(self.taxonomies))
        # The sensitive bits alone, looked up among those of the combinations, which are sorted.
        known = frequencies.persons_values.codes
        layout = Layout.of([len(frequencies.domains[name]) for name in frequencies.personal])
        columns = range(len(self.taxonomies), len(self.taxonomies) + len(frequencies.personal))
        own = layout.pack([self.layout.unpack(keys, j) for j in columns])
        wanted = layout.pack([known[:, j] for j in range(known.shape[1])])
        _, index = distinct(np.concatenate([wanted, own]))
        return index[len(wanted) :].astype(np.int32)

    def _mask(self, j: int) -> np.uint64:
        return np.uint64(((1 << self.layout.widths[j]) - 1) << self.layout.shifts[j])

    def _generalized(self, rolled: _Rolled, j: int, level: int) -> _Rolled:
        if level == 0:
            return rolled
        lows = self.taxonomies[j].low[level].astype(np.uint64)
        word, shift = self.layout.words[j], np.uint64(self.layout.shifts[j])
        return _Rolled(
            *rolled.loops.roll(rolled.keys, rolled.counts, word, shift, self._mask(j), lows)
        )


class NodeGroups:
    """The groups of one node; the order of groups means nothing."""

    def __init__(self, owner: RollUp, rolled: _Rolled) -> None:
        self._owner = owner
        self._rolled = rolled
        if owner.with_values:
            self._index, self.keys, self.sizes = rolled.loops.group(
                rolled.keys, rolled.counts, owner.masks
            )
        else:
            self.keys, self.sizes = rolled.keys, rolled.counts

    def lows(self, column: int) -> NDArray[np.int32]:
        """The first rank of every group's interval in one quasi-identifier."""
        return self._owner.layout.unpack(self.keys, column)

    @property
    def joint(self) -> JointGroups:
        """The groups with their sensitive values, if these were rolled up too."""
        owner = self._owner
        frequencies = owner.frequencies
        if not owner.with_values:
            return JointGroups(frequencies, self.sizes, None)
        return JointGroups(frequencies, self.sizes, self._histogram)

    def _histogram(self) -> Histogram:
        owner = self._owner
        values = owner.values_of(self._rolled.keys)
        starts, order = self._rolled.loops.rows(self._index, len(self.sizes))
        n_values = len(owner.frequencies.persons_values.codes)
        return Histogram(starts, values[order], self._rolled.counts[order], n_values)
