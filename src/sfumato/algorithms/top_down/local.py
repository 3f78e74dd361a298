"""Top-down specialization by local recoding: every group goes its own way down."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.lots import Draw
from sfumato.algorithms.top_down.judge import Judge
from sfumato.algorithms.top_down.moving_back import moved_back
from sfumato.algorithms.top_down.parting import kept_part
from sfumato.criteria.criterion import Criterion
from sfumato.criteria.judging import is_monotone
from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet, sum_by
from sfumato.data.groups import Counts
from sfumato.data.recoding import Assignment
from sfumato.progress import report


@dataclass(frozen=True, eq=False)
class _Step:
    """All groups one level down along one column."""

    child: NDArray[np.int32]  # (n_entries,) first rank of the child that an entry falls into
    safe: NDArray[np.bool_]  # (n_entries,) whether that child is safe
    parted: NDArray[np.bool_]  # (n_entries,) whether a part of that child may go down
    # (n_groups,) people who can go down: exactly, or where a child has to be parted or a remainder
    # to be filled, at most
    people: Counts
    exact: NDArray[np.bool_]  # (n_groups,)


class LocalSpecialization:
    """The groups that may still be specialized, all of them safe, and what stayed behind.

    A node is an interval of ranks, so one with a single child is that child. The boxes of all
    groups differ then: those of a group's children are disjoint parts of its own.
    """

    def __init__(
        self, frequencies: FrequencySet, criterion: Criterion, draw: Draw, *, parts: bool
    ) -> None:
        self.judge = Judge(frequencies, criterion)
        self.least = criterion.least_size
        # What more people never break, fewer never mend.
        self.parts = parts and not is_monotone(criterion, frequencies, suppression=True)
        self.draw = draw
        # Entries: so many people of a counted combination, by group.
        self.keys = np.arange(len(self.judge.counted))
        self.counts = self.judge.counted.counts
        self.group = np.zeros(len(self.keys), dtype=np.intp)
        whole = [[0, len(domain) - 1] for domain in self.judge.domains]
        self.boxes = np.array([whole], dtype=np.int32)  # (n_groups, n_columns, 2)
        self.final_boxes = [self.boxes[:0]]
        self.final_parts = [np.zeros((0, 3), dtype=np.int64)]
        self.n_final = 0

    def run(self) -> Assignment:
        """Go down until nobody can."""
        n_rows, n_done = self.judge.counted.n_rows, 0
        while len(self.keys):
            report("specializing", n_done, n_rows)
            self._go_down()
            n_done = n_rows - int(self.counts.sum())
        return Assignment(
            self.judge.counted, np.concatenate(self.final_boxes), np.concatenate(self.final_parts)
        )

    def _go_down(self) -> None:
        """Specialize every group once, along the column that takes most people down."""
        starts = np.searchsorted(self.group, np.arange(len(self.boxes) + 1))
        steps = [self._step(j, domain) for j, domain in enumerate(self.judge.domains)]
        people = np.stack([step.people for step in steps], axis=1)  # (n_groups, n_columns)
        exact = np.stack([step.exact for step in steps], axis=1)
        column = people.argmax(axis=1)  # the first of the best
        filled: dict[tuple[int, int], Counts] = {}
        for g in np.flatnonzero(~exact[np.arange(len(column)), column]).tolist():
            inside = slice(starts[g], starts[g + 1])
            while not exact[g, column[g]]:
                j = int(column[g])
                back = filled[g, j] = self._filled(inside, steps[j])
                people[g, j] = self.counts[inside].sum() - back.sum()
                exact[g, j] = True
                column[g] = people[g].argmax()

        chosen = column[self.group]  # per entry
        every = np.arange(len(self.keys))
        safe = np.stack([step.safe for step in steps], axis=1)[every, chosen]
        down = safe & (people[self.group, chosen] > 0)
        back = np.where(down, 0, self.counts)
        for (g, j), counts in filled.items():
            if column[g] == j and people[g, j] > 0:
                back[starts[g] : starts[g + 1]] = counts
        child = np.stack([step.child for step in steps], axis=1)[every, chosen]
        self._stay(back)
        self._descend(self.counts - back, chosen, child)

    def _step(self, j: int, domain: Domain) -> _Step:
        """Look at every group one level down column j."""
        level = domain.taxonomy.enclosing_level(self.boxes[:, j, 0], self.boxes[:, j, 1])
        has_children = level > 0
        codes = self.judge.codes[self.keys, j]
        child = domain.taxonomy.low[np.maximum(level - 1, 0)[self.group], codes]
        cells, cell = np.unique(self.group * len(domain) + child, return_inverse=True)
        safe_cell = self.judge.groups(cell, self.keys, self.counts, len(cells))
        safe_cell &= has_children[cells // len(domain)]
        safe = safe_cell[cell]
        sizes = sum_by(cell, self.counts, len(cells))
        parted_cell = ~safe_cell & has_children[cells // len(domain)] & (sizes > self.least)
        parted_cell &= self.parts

        n_groups = len(self.boxes)
        n_safe = sum_by(self.group[safe], self.counts[safe], n_groups)
        n_back = sum_by(self.group[~safe], self.counts[~safe], n_groups)
        mixed = (n_safe > 0) & (n_back > 0)
        exact = np.ones(n_groups, dtype=bool)
        staying = np.flatnonzero(~safe & mixed[self.group])
        if len(staying):
            rest, index = np.unique(self.group[staying], return_inverse=True)
            counts = self.counts[staying]
            exact[rest] = self.judge.groups(index, self.keys[staying], counts, len(rest))
        # To fill up an unsafe remainder takes one person at least, and where the children cannot
        # spare as many as it takes, a whole one.
        missing = np.maximum(self.least - n_back, 1)
        owner = cells[safe_cell] // len(domain)
        smallest = np.full(n_groups, np.iinfo(np.int64).max)
        np.minimum.at(smallest, owner, sizes[safe_cell])
        spare = n_safe - self.least * np.bincount(owner, minlength=n_groups)
        missing = np.where(missing > spare, np.maximum(missing, smallest), missing)
        people = np.where(exact, n_safe, np.maximum(n_safe - missing, 0))
        parted = np.unique(cells[parted_cell] // len(domain))
        if len(parted):  # one person of each such child stays, and all of the other unsafe ones
            n_parts = sum_by(cells[parted_cell] // len(domain), sizes[parted_cell] - 1, n_groups)
            most = n_safe + n_back - np.maximum(n_back - n_parts, self.least)
            people[parted] = np.maximum(most[parted], 0)
            exact[parted] = False
        return _Step(child, safe, parted_cell[cell], people, exact | (people == 0))

    def _filled(self, inside: slice, step: _Step) -> Counts:
        """Fill up the remainder of one group; give how many of each of its entries go back.

        Unsafe children are parted before, in their order; they give more people only where all
        those of the safe ones are not enough.
        """
        safe, counts, child = step.safe[inside], self.counts[inside], step.child[inside]
        value = self.judge.value_of[self.keys[inside]]
        down = np.where(safe, counts, 0)
        for low in np.unique(child[step.parted[inside]]).tolist():
            mine = child == low
            down[mine] = kept_part(self.judge, value[mine], counts[mine], self.draw)
        parent = sum_by(value, counts - down, self.judge.n_values)
        if not self.judge.rows(parent[np.newaxis])[0]:
            going = np.flatnonzero(down)
            going = going[np.argsort(~safe[going], kind="stable")]
            _, owner = np.unique(child[going], return_inverse=True)
            n_first = int(safe[going].sum())
            down[going] -= moved_back(
                self.judge, value[going], owner, down[going], parent, self.draw, n_first
            )
        return counts - down

    def _stay(self, back: Counts) -> None:
        """Publish people at the groups they are in."""
        entries = np.flatnonzero(back)
        groups, group = np.unique(self.group[entries], return_inverse=True)
        parts = [self.keys[entries], group + self.n_final, back[entries]]
        self.final_parts.append(np.stack(parts, axis=1).astype(np.int64))
        self.final_boxes.append(self.boxes[groups])
        self.n_final += len(groups)

    def _descend(self, counts: Counts, column: NDArray[np.intp], child: NDArray[np.int32]) -> None:
        """Make groups of the people who go down, each along its group's column."""
        entries = np.flatnonzero(counts)
        widest = max(len(domain) for domain in self.judge.domains)
        cell = self.group[entries] * widest + child[entries]
        _, first, group = np.unique(cell, return_index=True, return_inverse=True)
        member = entries[first]
        boxes = self.boxes[self.group[member]]
        for j, domain in enumerate(self.judge.domains):
            mine = np.flatnonzero(column[member] == j)
            low, high = boxes[mine, j].T
            level = domain.taxonomy.enclosing_level(low, high) - 1
            codes = self.judge.codes[self.keys[member[mine]], j]
            boxes[mine, j, 0] = domain.taxonomy.low[level, codes]
            boxes[mine, j, 1] = domain.taxonomy.high[level, codes]
        order = np.argsort(group, kind="stable")
        self.keys, self.counts = self.keys[entries][order], counts[entries][order]
        self.group, self.boxes = group[order], boxes
