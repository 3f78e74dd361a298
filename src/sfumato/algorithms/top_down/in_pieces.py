"""Top-down specialization of a table that does not fit: on counts that are rolled up.

Whether a node can be replaced follows from the groups that its children make. So people need not be
told apart further than by a frontier: a cut at or below the one so far, as fine as fits. The engine
counts by it, and where a node's children are below it, by a new one. Every node is judged by the
same groups as if all combinations were in memory. What is published has to fit, by groups and
sensitive values.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.top_down.by_cut import CutTable, Node, Trees, specialize
from sfumato.algorithms.top_down.chunks import all_safe
from sfumato.algorithms.top_down.judge import Judge
from sfumato.criteria.criterion import Criterion
from sfumato.criteria.judging import is_monotone
from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet, sum_by
from sfumato.data.keys import Codes
from sfumato.data.recoding import CutInPieces
from sfumato.errors import NoRoom
from sfumato.stored_counts import StoredCounts
from sfumato.text import count, counted

Intervals = list[NDArray[np.int32]]  # of each column (n_values, 2): rank -> [low, high]


def cut_in_pieces(stored: StoredCounts, criterion: Criterion) -> CutInPieces:
    """Specialize the whole table, which is safe as one group, until no node can be."""
    rolled_up = RolledUp(stored, criterion)
    for_good = is_monotone(criterion, stored.everybody, suppression=False)
    specialize(rolled_up.trees, rolled_up.replaced, for_good=for_good)
    stored.counted.release()
    return rolled_up.result


class RolledUp:
    """The cut so far, and people counted by a frontier."""

    def __init__(self, stored: StoredCounts, criterion: Criterion) -> None:
        self.stored, self.criterion = stored, criterion
        domains = [stored.domains[name] for name in stored.quasi_identifiers]
        people = []
        for j, (name, domain) in enumerate(zip(stored.quasi_identifiers, domains, strict=True)):
            ((_, along),) = stored.along(stored.regions, [0], j)
            people.append(sum_by(along.codes(name).astype(np.intp), along.counts, len(domain)))
        self.trees = Trees(domains, people)
        roots: Intervals = [
            np.tile(np.array([0, len(domain) - 1], dtype=np.int32), (len(domain), 1))
            for domain in domains
        ]
        self._look_from(roots, roots)

    @property
    def result(self) -> CutInPieces:
        """The cut as it stands, with its groups."""
        cut, names = self.table.cut, self.stored.quasi_identifiers
        groups = self.frequencies.roll_up(cut.intervals)
        single = [(cut.intervals[name][:, 0] == cut.intervals[name][:, 1]).all() for name in names]
        known = frozenset(name for name, one in zip(names, single, strict=True) if one)
        ground = groups.combinations
        people = self.stored.condensed(
            np.stack([ground.codes(name) for name in names], axis=1),
            groups.combination_of,
            np.stack([groups.codes(name) for name in groups.personal], axis=1)
            if groups.personal
            else np.zeros((len(groups), 0), dtype=np.int32),
            groups.counts,
            groups.digests,
            known,
        )
        people.references.update(groups.references)
        return CutInPieces(cut.intervals, cut.suppressed, people=people)

    def replaced(self, node: Node) -> bool:
        """Replace a node by its children, if that is safe."""
        j, low, high = node
        children = self.trees.children(node)
        within = self.frontier[j][low : high + 1]
        if (within[:, 0] < children[:, 0]).any() or (within[:, 1] > children[:, 1]).any():
            wanted = [side.copy() for side in self.table.intervals]
            wanted[j][low : high + 1] = children
            n_keys = self._n_keys(wanted)
            if n_keys > self.stored.most:
                self._refuse_if_safe(wanted, node, n_keys)
                return False
            self._look_from(self.table.intervals, wanted)
        split = self.table.split(node)
        safe = self.judge.groups(split.group, split.keys, split.counts, split.n_groups).all()
        if safe:
            self.table.accept(split)
        return bool(safe)

    def _refuse_if_safe(self, cut: Intervals, node: Node, n_keys: int) -> None:
        """Refuse a cut that does not fit, if its new groups are safe: all that follow have more."""
        column, *ends = node
        if self._has_small_group(cut):
            return
        if all_safe(self.stored, self.criterion, _firsts(cut), column, np.array(ends, np.int32)):
            raise NoRoom(
                "TopDown: by what is published and by sensitive values, this release has "
                f"{counted(n_keys, 'combination')} or more, and {count(self.stored.most)} fit into "
                "the memory that is allowed: allow more (memory=), or ask for larger groups"
            )

    def _look_from(self, cut: Intervals, wanted: Intervals) -> None:
        """Count people by a frontier that is at or below what is wanted, from the cut so far."""
        self.frontier = self._as_fine_as_fits(wanted)
        piece = self.stored.counted.rolled_up(_firsts(self.frontier))
        self.frequencies: FrequencySet = self.stored.seen(piece.keys, piece.counts, piece.digests)
        self.judge = Judge(self.frequencies, self.criterion)
        self.table = CutTable(self.judge.counted)
        self.table.go_on(cut)

    def _as_fine_as_fits(self, wanted: Intervals) -> Intervals:
        """Go down in all trees, level by level, and then in those for which there is room."""
        frontier, finer = wanted, self._below(wanted)
        while self._n_keys(finer) <= self.stored.most:
            frontier, finer = finer, self._below(finer)
            if all(map(np.array_equal, frontier, finer)):  # all values of all columns
                return frontier
        for j, side in enumerate(finer):
            trial = [*frontier[:j], side, *frontier[j + 1 :]]
            if not np.array_equal(side, frontier[j]) and self._n_keys(trial) <= self.stored.most:
                frontier = trial
        return frontier

    def _below(self, cut: Intervals) -> Intervals:
        """Give the children of all nodes of a cut; single values stay."""
        return [
            _children(domain, side) for domain, side in zip(self.trees.domains, cut, strict=True)
        ]

    def _has_small_group(self, cut: Intervals) -> bool:
        """Whether a cut has so many groups that one is smaller than any may be."""
        stored = self.stored
        nothing = [np.zeros(len(stored.domains[name]), np.int32) for name in stored.personal]
        n_groups = stored.counted.n_rolled_up([*_firsts(cut), *nothing])
        return n_groups * self.criterion.least_size > stored.everybody.n_rows

    def _n_keys(self, cut: Intervals) -> int:
        return self.stored.counted.n_rolled_up(_firsts(cut))


def _firsts(cut: Intervals) -> list[Codes]:
    return [np.ascontiguousarray(side[:, 0]) for side in cut]


def _children(domain: Domain, side: NDArray[np.int32]) -> NDArray[np.int32]:
    ranks = np.arange(len(side))
    level = np.maximum(domain.taxonomy.enclosing_level(side[:, 0], side[:, 1]) - 1, 0)
    return np.stack([domain.taxonomy.low[level, ranks], domain.taxonomy.high[level, ranks]], axis=1)
