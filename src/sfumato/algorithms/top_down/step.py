"""One step down along one column: which children are safe, and who goes back to the parent.

It needs no more of people than which child they fall into and which value they have.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.lots import Draw
from sfumato.algorithms.top_down.judge import Judge
from sfumato.algorithms.top_down.moving_back import lots, moved_back
from sfumato.algorithms.top_down.parting import kept_part
from sfumato.data.frequency import sum_by
from sfumato.data.groups import Counts

Positions = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Entries:
    """So many people of a counted combination, by group."""

    keys: Positions  # (n,) positions among the counted combinations of a judge
    counts: Counts  # (n,)
    group: Positions  # (n,) ascending; inside a group keys are ascending

    @classmethod
    def of(cls, judge: Judge) -> Entries:
        """Give all people as one group."""
        n = len(judge.counted)
        return cls(np.arange(n), judge.counted.counts, np.zeros(n, dtype=np.intp))


@dataclass(frozen=True, eq=False)
class Step:
    """All groups one level down along one column."""

    child: NDArray[np.int32]  # (n_entries,) first rank of the child that an entry falls into
    safe: NDArray[np.bool_]  # (n_entries,) whether that child is safe
    parted: NDArray[np.bool_]  # (n_entries,) whether a part of that child may go down
    # (n_groups,) people who can go down: exactly, or where a child has to be parted or a remainder
    # to be filled, at most
    people: Counts
    exact: NDArray[np.bool_]  # (n_groups,)


def one_level_down(
    judge: Judge, entries: Entries, j: int, sides: NDArray[np.int32], least: int, *, parts: bool
) -> Step:
    """Look at every group one level down column j.

    sides: (n_groups, 2) of the groups in that column; least: the size that the criterion asks for;
    parts: whether a part of an unsafe child may go down.
    """
    domain, group, counts = judge.domains[j], entries.group, entries.counts
    level = domain.taxonomy.enclosing_level(sides[:, 0], sides[:, 1])
    has_children = level > 0
    child = domain.taxonomy.low[np.maximum(level - 1, 0)[group], judge.codes[entries.keys, j]]
    cells, cell = np.unique(group * len(domain) + child, return_inverse=True)
    safe_cell = judge.groups(cell, entries.keys, counts, len(cells))
    safe_cell &= has_children[cells // len(domain)]
    safe = safe_cell[cell]
    sizes = sum_by(cell, counts, len(cells))
    parted_cell = ~safe_cell & has_children[cells // len(domain)] & (sizes > least)
    parted_cell &= parts

    n_groups = len(sides)
    n_safe = sum_by(group[safe], counts[safe], n_groups)
    n_back = sum_by(group[~safe], counts[~safe], n_groups)
    mixed = (n_safe > 0) & (n_back > 0)
    exact = np.ones(n_groups, dtype=bool)
    staying = np.flatnonzero(~safe & mixed[group])
    if len(staying):
        rest, index = np.unique(group[staying], return_inverse=True)
        exact[rest] = judge.groups(index, entries.keys[staying], counts[staying], len(rest))
    # To fill up an unsafe remainder takes one person at least, and where the children cannot
    # spare as many as it takes, a whole one.
    missing = np.maximum(least - n_back, 1)
    owner = cells[safe_cell] // len(domain)
    smallest = np.full(n_groups, np.iinfo(np.int64).max)
    np.minimum.at(smallest, owner, sizes[safe_cell])
    spare = n_safe - least * np.bincount(owner, minlength=n_groups)
    missing = np.where(missing > spare, np.maximum(missing, smallest), missing)
    people = np.where(exact, n_safe, np.maximum(n_safe - missing, 0))
    parted = np.unique(cells[parted_cell] // len(domain))
    if len(parted):  # one person of each such child stays, and all of the other unsafe ones
        n_parts = sum_by(cells[parted_cell] // len(domain), sizes[parted_cell] - 1, n_groups)
        most = n_safe + n_back - np.maximum(n_back - n_parts, least)
        people[parted] = np.maximum(most[parted], 0)
        exact[parted] = False
    return Step(child, safe, parted_cell[cell], people, exact | (people == 0))


@dataclass(frozen=True, eq=False)
class Kinds:
    """The people of one group by the child that they fall into and their value, in this order."""

    judge: Judge
    child: NDArray[np.int32]  # (n_kinds,) first rank
    value: Positions  # (n_kinds,)
    counts: Counts  # (n_kinds,)
    safe: NDArray[np.bool_]  # (n_kinds,) whether the child is safe
    parted: NDArray[np.bool_]  # (n_kinds,) whether a part of it may go down
    of_entry: Positions  # the kind of every entry of the group

    @classmethod
    def of(cls, judge: Judge, entries: Entries, step: Step, inside: slice = slice(None)) -> Kinds:
        """Sum up the entries of one group, which are those in between."""
        value, child = judge.value_of[entries.keys[inside]], step.child[inside]
        cell = child.astype(np.int64) * judge.n_values + value
        _, first, kind = np.unique(cell, return_index=True, return_inverse=True)
        counts = sum_by(kind, entries.counts[inside], len(first))
        safe, parted = step.safe[inside][first], step.parted[inside][first]
        return cls(judge, child[first], value[first], counts, safe, parted, kind)

    @property
    def unsafe(self) -> GoingBack:
        """All people of unsafe children, and nobody else, go back."""
        return GoingBack(self, np.where(self.safe, 0, self.counts))

    def drawn(self, draw: Draw) -> GoingBack:
        """Draw how many go back, so that the remainder of an unsafe parent is filled up.

        Unsafe children are parted before, in their order; they give more people only where all
        those of the safe ones are not enough.
        """
        down = np.where(self.safe, self.counts, 0)
        for low in np.unique(self.child[self.parted]).tolist():
            mine = self.child == low
            down[mine] = kept_part(self.judge, self.value[mine], self.counts[mine], draw)
        parent = sum_by(self.value, self.counts - down, self.judge.n_values)
        if not self.judge.rows(parent[np.newaxis])[0]:
            going = np.flatnonzero(down)
            going = going[np.argsort(~self.safe[going], kind="stable")]
            _, owner = np.unique(self.child[going], return_inverse=True)
            n_first = int(self.safe[going].sum())
            down[going] -= moved_back(
                self.judge, self.value[going], owner, down[going], parent, draw, n_first
            )
        return GoingBack(self, self.counts - down)


@dataclass(frozen=True, eq=False)
class GoingBack:
    """How many people of every kind go back to the parent."""

    kinds: Kinds
    people: Counts  # (n_kinds,)

    @property
    def n_down(self) -> int:
        """How many people go down."""
        return int((self.kinds.counts - self.people).sum())

    def entries(self, counts: Counts, draw: Draw) -> Counts:
        """Choose by lot among the people of each kind; give how many of every entry go back.

        counts: of the entries.
        """
        kinds = self.kinds
        back = np.where((self.people == kinds.counts)[kinds.of_entry], counts, 0)
        order = np.argsort(kinds.of_entry, kind="stable")
        starts = np.searchsorted(kinds.of_entry[order], np.arange(len(kinds.counts) + 1))
        some = (self.people > 0) & (self.people < kinds.counts)
        for kind in np.flatnonzero(some).tolist():
            mine = order[starts[kind] : starts[kind + 1]]
            upto = np.cumsum(counts[mine])
            places = chosen_places(upto, int(self.people[kind]), draw)
            who = np.searchsorted(upto, places, side="right")
            back[mine] = np.bincount(who, minlength=len(mine))
        return back


def chosen_places(upto: Counts, n: int, draw: Draw) -> Positions:
    """Choose n places by lot, not all; upto: where the people of each entry, who are alike, end."""
    places = np.zeros(0, dtype=np.intp)
    for more in lots(upto, draw):
        places = np.concatenate([places, more])
        if len(places) >= n:
            break
    return places[:n]


def best_column(
    people: Counts, exact: NDArray[np.bool_], kinds: Callable[[int], Kinds], draw: Draw
) -> tuple[int, GoingBack | None]:
    """Give the first column along which most people of a group go down, and who does not.

    people, exact: (n_columns,) as of a step; both are brought up to date. kinds: the people by
    their children along a column. None: whoever is in an unsafe child.
    """
    tried: dict[int, GoingBack] = {}
    while not exact[best := int(people.argmax())]:
        tried[best] = kinds(best).drawn(draw)
        people[best], exact[best] = tried[best].n_down, True
    return best, tried.get(best)
