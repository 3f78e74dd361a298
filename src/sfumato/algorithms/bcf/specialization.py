"""Top-down specialization of a cut that stays safe against all earlier releases (Fung 2008, 5)."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.bcf.against_each import Against, Looked, is_cut_of
from sfumato.algorithms.top_down.by_cut import CutTable, Node, Split
from sfumato.criteria.criterion import Criterion
from sfumato.criteria.judging import holding, is_monotone
from sfumato.data.frequency import FrequencySet, JointGroups, sum_by
from sfumato.data.groups import Counts, Histogram
from sfumato.formulas.correspondence.cells import PublishedClasses
from sfumato.formulas.correspondence.earlier_releases import lefts, n_people
from sfumato.formulas.correspondence.pair_flows import attack
from sfumato.progress import report

Score = Literal["discernibility", "loss"]
OPEN, WAITING, CLOSED = range(3)  # what is known of a candidate
ALWAYS = -1  # tried again after every replacement


@dataclass(frozen=True, eq=False)
class Tried:
    """What became of a candidate: safe, or when to try it again."""

    state: int  # OPEN: safe
    witness: int = ALWAYS  # WAITING: as long as this group is there the candidate is not safe
    looks: tuple[Looked, ...] = ()


NEVER = Tried(CLOSED)


class Specialization:
    """The cut in the making, its candidates, and the earlier releases."""

    def __init__(
        self,
        frequencies: FrequencySet,
        previous: Sequence[PublishedClasses],
        k: int,
        others: Criterion | None,
        score: Score,
    ) -> None:
        self.frequencies, self.previous, self.k, self.others = frequencies, previous, k, others
        self.table = CutTable(frequencies)
        values = frequencies.persons_values
        self.value_of, self.n_values = values.of_key, len(values.codes)
        cuts = [is_cut_of(each, self.table.domains) for each in previous]
        self.against = [
            Against(each, self.table, self.value_of)
            for each, cut in zip(previous, cuts, strict=True)
            if cut
        ]
        self.irregular = [each for each, cut in zip(previous, cuts, strict=True) if not cut]
        self.for_good = others is None or is_monotone(others, frequencies, suppression=False)
        self.candidates = _Candidates(self.table, score)
        self.inside = [np.zeros(len(domain), dtype=bool) for domain in self.table.domains]

    def specialize_only(self, columns: Collection[str]) -> None:
        """Leave the other columns at their roots for good."""
        for name, root in zip(self.table.names, self.table.roots, strict=True):
            if name not in columns:
                self.candidates.put_off(self.candidates.number(root), NEVER)

    def keep_together(self, releases: Sequence[PublishedClasses]) -> None:
        """Never cut through a published class of some releases, so that these are nested."""
        for release in releases:
            for inside, sides in zip(self.inside, release.boxes.transpose(1, 0, 2), strict=True):
                for low, high in np.unique(sides, axis=0).tolist():
                    inside[max(0, low) : high] = True  # after these ranks nothing may be cut

    def run(self, wanted: Sequence[Node] = (), set_aside: Collection[Node] = ()) -> list[Node]:
        """Replace nodes, the one with the best score first, until none can be.

        Args:
            wanted: Replaced first, in this order, whatever their scores.
            set_aside: Never replaced.

        Returns the nodes that were replaced, in their order.
        """
        self.replace(wanted)
        done = list(wanted)
        for node in set_aside:
            self.candidates.put_off(self.candidates.number(node), NEVER)
        while (number := self.candidates.best()) is not None:
            report("specializing", len(done), self.candidates.n_open + len(done))
            split = self.table.split(self.candidates.node(number))
            tried = self.judge(split)
            if tried.state != OPEN:
                self.candidates.put_off(number, tried)
                continue
            for against, looked in zip(self.against, tried.looks, strict=True):
                against.accept(split, looked)
            self._accept(number, split)
            done.append(split.node)
        return done

    def replace(self, nodes: Sequence[Node]) -> None:
        """Replace nodes, safe or not."""
        for node in nodes:
            self._accept(self.candidates.number(node), self.table.split(node))
        for against in self.against if nodes else ():
            against.catch_up(self.table)

    def _accept(self, number: int, split: Split) -> None:
        self.candidates.replace(number, split)
        self.table.accept(split)

    def judge(self, split: Split) -> Tried:
        """Try a candidate: class sizes and the backward attack first, which decide for good."""
        j, _, high = split.node
        ends = np.unique(split.children[:, 1])
        if self.inside[j][ends[ends < high]].any():
            return NEVER
        sizes = sum_by(split.group, split.counts, split.n_groups)
        if (sizes < self.k).any():
            return NEVER
        classes, entry_key = self._classes(split)
        unsafe = self.unsafe(sizes, classes)
        if len(unsafe):
            return NEVER if self.for_good else Tried(WAITING, int(split.owner[unsafe[0]]))
        looks = tuple(each.look(split, classes, entry_key) for each in self.against)
        put_off = None
        for against, looked in zip(self.against, looks, strict=True):
            if n_people(against.first) == self.frequencies.n_rows:
                continue
            left = against.backward(looked)
            if (left.candidates < self.k).any():
                return NEVER
            unsafe = self.unsafe(*left.counted)
            if len(unsafe):
                put_off = Tried(WAITING, int(split.owner[unsafe[0]]))
        if put_off is not None:
            return put_off
        for against, looked in zip(self.against, looks, strict=True):
            left = against.forward(looked)
            few = np.flatnonzero(left.candidates < self.k)
            unsafe = few if len(few) else self.unsafe(*left.counted)
            if len(unsafe):
                return Tried(WAITING, int(split.owner[left.classes[unsafe[0]]]))
        state = self._compare(self.classes(split)) if self.irregular else OPEN
        return Tried(state, ALWAYS, looks)

    def classes(self, split: Split | None = None) -> PublishedClasses:
        """See the cut as everybody would, with a node replaced or as it is."""
        table = self.table
        group, intervals = table.group_of, list(table.intervals)
        if split is not None:
            j, low, high = split.node
            group = group.copy()
            group[split.keys] = table.n_groups + split.group
            intervals[j] = intervals[j].copy()
            intervals[j][low : high + 1] = split.children
        _, member, index = np.unique(group, return_index=True, return_inverse=True)
        boxes = [side[table.codes[member, j]] for j, side in enumerate(intervals)]
        shape = (len(member), self.n_values)
        values = self.value_of.astype(np.int32)
        histogram = Histogram.from_entries(index, values, table.counts, shape)
        return PublishedClasses.of(np.stack(boxes, axis=1), histogram)

    def _compare(self, release: PublishedClasses) -> int:
        """Compare with releases that are no cuts."""
        for first in self.irregular:
            pair = attack(first, release)
            fa, ca, ba = pair.anonymity
            if ba < self.k and n_people(first) < self.frequencies.n_rows:
                return CLOSED
            if min(fa, ca) < self.k or any(len(self.unsafe(*each.counted)) for each in lefts(pair)):
                return WAITING
        return OPEN

    def _classes(self, split: Split) -> tuple[Histogram, NDArray[np.intp]]:
        """Count the new classes by value, and find a key for every entry."""
        cell = split.group * self.n_values + self.value_of[split.keys]
        cells, first, index = np.unique(cell, return_index=True, return_inverse=True)
        counts = sum_by(index, split.counts, len(cells))
        shape = (split.n_groups, self.n_values)
        codes = (cells % self.n_values).astype(np.int32)
        return Histogram.from_entries(cells // self.n_values, codes, counts, shape), first

    def unsafe(self, sizes: Counts, histogram: Histogram) -> NDArray[np.intp]:
        """Groups that fail the other criteria."""
        if self.others is None:
            return np.zeros(0, dtype=np.intp)
        joint = JointGroups(self.frequencies, sizes, histogram)
        return np.flatnonzero(~holding(self.others, joint))


class _Candidates:
    """The nodes of the cut that have children, with their scores.

    Discernibility: the sum of the squared sizes of the classes that have the node (section 5.2),
    which changes when other nodes are replaced. Loss: the information loss that the children would
    save (Wong 2009, definition 7, equal weights). Ties go to the earlier column, then to the
    earlier node.
    """

    def __init__(self, table: CutTable, score: Score) -> None:
        self.table = table
        self.by_size = score == "discernibility"
        self.unit = math.lcm(*(max(1, len(domain) - 1) for domain in table.domains))
        size = 64
        # The first is nobody's, for nodes without children.
        self.nodes = np.zeros((size, 3), dtype=np.int64)
        self.state = np.full(size, CLOSED, dtype=np.int8)
        self.witness = np.full(size, ALWAYS, dtype=np.int64)
        self.score = np.zeros(size, dtype=np.int64 if self.by_size else object)
        self.n = 1
        self.at = [np.zeros(len(domain), dtype=np.intp) for domain in table.domains]
        for root in table.roots:
            self._add(root)
        if self.by_size:
            self.score[: self.n] = int(table.counts.sum()) ** 2

    @property
    def n_open(self) -> int:
        """How many there are to try."""
        return int((self.state[: self.n] == OPEN).sum())

    def node(self, number: int) -> Node:
        """Give a candidate's node."""
        j, low, high = self.nodes[number].tolist()
        return j, low, high

    def best(self) -> int | None:
        """Give the candidate to try next."""
        some = np.flatnonzero(self.state[: self.n] == OPEN)
        if not len(some):
            return None
        scores = self.score[some]
        some = some[scores == scores.max()]
        first = np.lexsort((self.nodes[some, 1], self.nodes[some, 0]))[0]
        return int(some[first])

    def put_off(self, number: int, tried: Tried) -> None:
        """Note why a candidate is not safe."""
        self.state[number], self.witness[number] = tried.state, tried.witness

    def number(self, node: Node) -> int:
        """Find the candidate of a node of the cut."""
        return int(self.at[node[0]][node[1]])

    def replace(self, number: int, split: Split) -> None:
        """Put a node's children in its place, and try those again that now may be safe."""
        j = split.node[0]
        self.state[number] = CLOSED
        gone = np.unique(split.owner)
        waiting = np.flatnonzero(self.state[: self.n] == WAITING)
        again = (self.witness[waiting] == ALWAYS) | np.isin(self.witness[waiting], gone)
        self.state[waiting[again]] = OPEN
        for node in self.table.below(split.node):
            self._add(node)
        if not self.by_size:
            return
        member = np.empty(split.n_groups, dtype=np.intp)
        member[split.group] = split.keys
        new = sum_by(split.group, split.counts, split.n_groups)
        _, owner = np.unique(split.owner, return_inverse=True)
        old = sum_by(owner, new, int(owner.max()) + 1)
        of_old = np.empty(len(old), dtype=np.intp)
        of_old[owner] = member
        for i, at in enumerate(self.at):
            np.add.at(self.score, at[self.table.codes[member, i]], new**2)
            if i != j:
                np.subtract.at(self.score, at[self.table.codes[of_old, i]], old**2)

    def _add(self, node: Node) -> None:
        j, low, high = node
        self.at[j][low : high + 1] = 0
        if not self.table.can_split(node):
            return
        if self.n == len(self.nodes):
            self.nodes = np.concatenate([self.nodes, np.zeros_like(self.nodes)])
            self.state = np.append(self.state, np.full(self.n, CLOSED, dtype=np.int8))
            self.witness = np.append(self.witness, np.full(self.n, ALWAYS, dtype=np.int64))
            self.score = np.append(self.score, np.zeros(self.n, dtype=self.score.dtype))
        number = self.n
        self.n += 1
        self.nodes[number] = node
        self.state[number] = OPEN
        self.at[j][low : high + 1] = number
        if not self.by_size:
            self.score[number] = int(self.table.saved(node) * self.unit)
