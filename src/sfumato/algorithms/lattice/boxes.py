"""Branch and bound over boxes of the lattice: all nodes between a lowest one and a highest one."""

from __future__ import annotations

import heapq
import math
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.lattice import kernels
from sfumato.algorithms.lattice.counted_nodes import CountedNodes
from sfumato.algorithms.lattice.lattice import Lattice, Node
from sfumato.algorithms.lattice.levels import Levels
from sfumato.algorithms.lattice.rollup import Start
from sfumato.algorithms.lattice.units import Units
from sfumato.compiled import suited
from sfumato.data.groups import Counts
from sfumato.data.keys import Keys

KEPT = 1 << 26  # bytes of people at the lowest nodes of boxes, kept for the boxes within these
MOST_OPEN = 500_000  # boxes; beyond, one branch after the other is finished
SCORE = 1e-3  # of what everybody costs: what a step counts that changes no bound


Settled = Callable[[int, Node], bool]


class Box(NamedTuple):
    """A box that waits, in the order of the heap."""

    bound: int  # no node of it costs less, in units
    n_free: int  # steps from its lowest to its highest node
    number: int
    low: Node
    high: Node
    parent: int  # the number of the people kept for it
    looked_at: Node | None  # the highest node of which values were looked at


@dataclass(frozen=True, eq=False)
class People:
    """Everybody by what the lowest node of a box tells, but those who are left out in all of it."""

    low: Node
    keys: Keys
    counts: Counts
    gone: int = 0
    gone_units: int = 0
    with_values: Start | None = None  # everybody, by values, at this lowest node or below

    @property
    def n_bytes(self) -> int:
        """Memory, about."""
        by_values = 0 if self.with_values is None else self.with_values.n_bytes
        return int(self.keys.nbytes + self.counts.nbytes) + by_values + 500


def by_group(top: Keys, counts: Counts) -> tuple[Counts, NDArray[np.int64], NDArray[np.int64]]:
    """Sort people by what `top` tells: sizes of groups, where each starts and ends, the order."""
    loops = suited(kernels, top.size)
    index, _, sums = loops.aggregated(top, counts)
    starts, order = loops.rows(index, len(sums))
    return sums, starts, order


class Boxes:
    """Proves that no node is better than the best one, or says how much better one may be.

    A box is shrunk from both sides, and then parted in one column. At its highest node as few are
    left out as anywhere in it: too many there, and it is settled; and who is left out there, is
    left out in all of it, which has a price. Its lowest levels are raised: with all other columns
    as high as they can be, one level may still leave out too many, or cost too much. Its highest
    levels are lowered to what can be paid for beside the lowest of all others. That is Incognito's
    subset property, with subsets that the search chooses.

    Who is left out is told by the least size of a group, for whatever criterion; of one that looks
    at values, `RepeatedQuestion.more_left_out` is asked at the highest node as well. The box of
    the least bound is next, so that what is not settled bounds all that was not looked at.
    """

    def __init__(
        self,
        lattice: Lattice,
        units: Units,
        limit: int,
        nodes: CountedNodes,
        *,
        values: bool = True,
    ) -> None:
        self.lattice, self.units, self.limit, self.nodes = lattice, units, limit, nodes
        self.k = lattice.criterion.least_size
        self.size_alone = all(part.size_alone for part in lattice.criterion.parts)
        self.values = values and not self.size_alone
        ground = lattice.frequencies.combinations
        self.levels = Levels(ground.layout, lattice.rollup.taxonomies)
        n_columns = len(lattice.heights)
        self.costs = np.concatenate(
            [own for column in units.costs for own in column] or [np.zeros(0, dtype=np.int64)]
        )
        self.constants = units.constants or [[0] * (height + 1) for height in lattice.heights]
        self.bottom = (0,) * n_columns
        self.ground = People(self.bottom, ground.keys, ground.counts)
        self.most: float = math.inf  # units that a node may cost and still be of interest
        self.waiting: list[Box] = []
        self.branch: list[Box] = []
        self.now: Box | None = None
        self.kept: OrderedDict[int, People] = OrderedDict()
        self.n_bytes = 0
        self.n_numbered = 0
        self.trivial = self._at_bottom()  # what nothing costs less than, whoever has which value
        self._push(self.trivial, self.bottom, lattice.heights, 0, None)

    @property
    def least(self) -> int | None:
        """The least bound of what is open; None: nothing is."""
        open_ = [*self.waiting[:1], *self.branch]
        bounds = [box.bound for box in open_]
        if self.now is not None:
            bounds.append(self.now.bound)
        return min(bounds, default=None)

    def run(
        self,
        settled: Settled,
        try_out: Callable[[Node], object],
        heard: Callable[[], None] = lambda: None,
    ) -> None:
        """Go on until nothing is open.

        settled: whether all nodes above one that cost so many units are not the best. try_out:
        what prices a node, and may lower `most`. heard: called at every box.
        """
        while self.branch or self.waiting:
            self.now = self.branch.pop() if self.branch else heapq.heappop(self.waiting)
            if not settled(self.now.bound, self.now.low):
                heard()
                self._split(self.now, settled, try_out)
            self.now = None

    def per_person(self, keys: Keys, node: Node) -> NDArray[np.int64]:
        """Give what a person of each key costs at a node by his values."""
        if not len(self.costs):
            return np.zeros(len(keys), dtype=np.int64)
        return self.levels.costs(keys, self.costs, node)

    def _by_values(self, low: Node, high: Node, start: Start | None) -> int | None:
        """Give what no node of a box costs less than, by who is left out for his value.

        None: these are too many. Of each group of the highest node as many are left out at least as
        its surplus; they cost more than at the lowest node, where nobody costs more than here.
        """
        self.nodes.take()
        rollup = self.lattice.rollup
        groups = rollup.straight(high, start)
        left_out = self.lattice.question.left_out(groups.joint, self.limit)
        if left_out is None:
            return None
        if self.units.by != "codes":
            return self.trivial
        bound = sum(own[a] for own, a in zip(self.totals, low, strict=True))
        if not len(self.costs):
            return bound
        per_person = rollup.levels.costs(groups.keys, self.costs, high)
        return bound + int(left_out @ (self.units.suppressed - per_person))

    @cached_property
    def totals(self) -> list[list[int]]:
        """What everybody costs in each column at each level."""
        people = self.ground
        totals = []
        for j, height in enumerate(self.lattice.heights):
            own = []
            for level in range(height + 1):
                total = self.constants[j][level]
                if len(self.costs):
                    cost = self.levels.column_costs(people.keys, self.costs, j, level)
                    total += int(people.counts @ cost)
                own.append(total)
            totals.append(own)
        return totals

    def _at_bottom(self) -> int:
        """Add up what everybody costs at the lowest node, at least."""
        per_person = self.per_person(self.ground.keys, self.bottom)
        cost, _ = self.units.of_people(self.ground.counts, per_person)
        return int(cost.sum()) + sum(own[0] for own in self.constants)

    def _push(self, bound: int, low: Node, high: Node, parent: int, looked_at: Node | None) -> None:
        if bound > self.most:
            return
        self.n_numbered += 1
        box = Box(bound, sum(high) - sum(low), self.n_numbered, low, high, parent, looked_at)
        if len(self.waiting) >= MOST_OPEN:
            self.branch.append(box)
        else:
            heapq.heappush(self.waiting, box)

    def counted_at_lowest(self, box: Box) -> People:
        """Count everybody at the lowest node, from where that was last done."""
        people = self.kept.get(box.parent, self.ground)
        return self.raised(people, box.low)

    def raised(self, people: People, low: Node) -> People:
        """Count people again at a node above the one that they were counted at."""
        if low == people.low:
            return people
        rolled = self.levels.climb(people.keys, people.low, low)
        _, keys, counts = suited(kernels, rolled.size).aggregated(rolled, people.counts)
        return replace(people, low=low, keys=keys, counts=counts)

    def _keep(self, people: People) -> int:
        self.n_numbered += 1
        self.kept[self.n_numbered] = people
        self.n_bytes += people.n_bytes
        while self.n_bytes > KEPT:
            _, oldest = self.kept.popitem(last=False)
            self.n_bytes -= oldest.n_bytes
        return self.n_numbered

    def _split(self, box: Box, settled: Settled, try_out: Callable[[Node], object]) -> None:
        """Shrink a box, try out its lowest node, and open its parts."""
        shrunk = _Shrunk(self, box)
        if not shrunk.run():
            return
        low, high = shrunk.people.low, shrunk.high
        looked_at = box.looked_at
        if self.values and high not in (low, looked_at):
            start = shrunk.people.with_values
            bound = self._by_values(low, high, start)
            if bound is None or settled(bound, low):
                return
            shrunk.known = max(shrunk.known, bound)
            start = self.lattice.rollup.start_at(low, start)
            shrunk.people = replace(shrunk.people, with_values=start)
            looked_at = high
        if shrunk.worth_trying:
            try_out(low)
        if low == high or settled(shrunk.bound, low):
            return
        parent = self._keep(shrunk.people)
        j = shrunk.column()
        lower = (*high[:j], low[j], *high[j + 1 :])
        upper = (*low[:j], low[j] + 1, *low[j + 1 :])
        self._push(shrunk.bound_with(shrunk.gain[j]), low, lower, parent, looked_at)
        self._push(shrunk.bound_with(shrunk.step[j]), upper, high, parent, looked_at)


class _Shrunk:
    """A box while it is shrunk."""

    def __init__(self, owner: Boxes, box: Box) -> None:
        self.owner = owner
        self.people = owner.counted_at_lowest(box)
        self.high = box.high
        self.known = box.bound  # what its box was found to cost at least
        self.cheapest = box.bound  # the same, added up now
        n = len(self.high)
        self.gain = [0] * n  # more, with the lowest level
        self.step = [0] * n  # more, with the next one
        self.worth_trying = False

    def run(self) -> bool:
        """Shrink until nothing changes; whether anything is left."""
        while self._priced() and self._lowered() and self._without_left_out():
            if self.people.low == self.high:
                self._look_at_lowest()
                return True
            raised = self._raised()
            if raised is None:
                self._look_at_lowest()
                self._look_at_steps()
                return True
            self.people = self.owner.raised(self.people, raised)
        return False

    @property
    def bound(self) -> int:
        """What no node of the box costs less than."""
        return max(self.known, self.cheapest)

    def bound_with(self, more: int) -> int:
        """Give the bound of a part in which so much more is lost."""
        return max(self.known, self.cheapest + more)

    def column(self) -> int:
        """Choose the column in which both parts cost most."""
        everybody = (
            SCORE * max(self.owner.units.suppressed, 1) * self.owner.lattice.frequencies.n_rows
        )
        free = np.array(self.high) > np.array(self.people.low)
        score = (np.array(self.gain, float) + everybody) * (np.array(self.step, float) + everybody)
        return int(np.argmax(np.where(free, score, -1.0)))

    def _priced(self) -> bool:
        """Add up what everybody costs at the lowest node, at least."""
        owner, people = self.owner, self.people
        per_person = owner.per_person(people.keys, people.low)
        self.cost, self.more = owner.units.of_people(people.counts, per_person)
        constant = sum(own[a] for own, a in zip(owner.constants, people.low, strict=True))
        self.cheapest = constant + people.gone_units + int(self.cost.sum())
        return self.bound <= owner.most

    def _lowered(self) -> bool:
        """Lower the highest levels to what can be paid for."""
        owner, people = self.owner, self.people
        high = list(self.high)
        for j, (a, b) in enumerate(zip(people.low, self.high, strict=True)):
            top = a
            while top < b:
                if self.cheapest + self._more_at(j, top + 1) > owner.most:
                    break
                top += 1
            high[j] = top
        self.high = tuple(high)
        return True

    def _more_at(self, j: int, level: int) -> int:
        """Add up what a higher level of a column costs more, of everybody who is not left out."""
        owner, people = self.owner, self.people
        more = owner.constants[j][level] - owner.constants[j][people.low[j]]
        if len(owner.costs):
            more += owner.levels.cost_between(
                people.keys, people.counts, owner.costs, j, people.low[j], level
            )
        return more

    def _look_at_steps(self) -> None:
        """Add up what the next level of each column costs more.

        Of those who remain: who is left out has been charged for it, and pays for no level.
        """
        for j, (a, b) in enumerate(zip(self.people.low, self.high, strict=True)):
            if a < b:
                self.step[j] = self._more_at(j, a + 1)

    def _without_left_out(self) -> bool:
        """Drop who is left out at the highest node, and sort by its groups; whether few enough."""
        owner, people = self.owner, self.people
        owner.nodes.take()
        top = owner.levels.climb(people.keys, people.low, self.high)
        sums, starts, order = by_group(top, people.counts)
        sizes = np.diff(starts)
        small = sums < owner.k
        gone, gone_units = people.gone, people.gone_units
        if small.any():
            is_out = np.repeat(small, sizes)
            out, order, sizes = order[is_out], order[~is_out], sizes[~small]
            gone += int(people.counts[out].sum())
            if gone > owner.limit:
                return False
            more = int(self.more[out].sum())
            self.cheapest += more
            gone_units += more + int(self.cost[out].sum())
        self.starts = np.concatenate([[0], np.cumsum(sizes)])
        self.people = replace(
            people,
            keys=people.keys[order],
            counts=people.counts[order],
            gone=gone,
            gone_units=gone_units,
        )
        self.cost, self.more = self.cost[order], self.more[order]
        return self.bound <= owner.most

    def _raised(self) -> Node | None:
        """Raise lowest levels with which too many are left out, or too much is lost; None: none."""
        owner, people = self.owner, self.people
        low = list(people.low)
        for j, (a, b) in enumerate(zip(people.low, self.high, strict=True)):
            if a == b:
                continue
            owner.nodes.take()
            found = suited(kernels, people.keys.size).left_out(
                self.starts,
                people.keys,
                owner.levels.words[j],
                owner.levels.shifts[j],
                owner.levels.masks[j],
                people.counts,
                self.more,
                owner.k,
            )
            n, more = map(int, found)
            if people.gone + n > owner.limit or self.cheapest + more > owner.most:
                low[j] += 1
            self.gain[j] = more
        return None if tuple(low) == people.low else tuple(low)

    def _look_at_lowest(self) -> None:
        """Say whether the lowest node may be the best."""
        owner, people = self.owner, self.people
        small = people.counts < owner.k
        n = people.gone + int(people.counts[small].sum())
        at_lowest = self.cheapest + int(self.more[small].sum())
        promising = n <= owner.limit and at_lowest <= owner.most
        self.worth_trying = promising and (owner.size_alone or people.low == self.high)
