"""Top-down specialization by local recoding: every group goes its own way down."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.lots import OwnChances
from sfumato.algorithms.top_down.judge import Judge
from sfumato.algorithms.top_down.step import Entries, Kinds, Step, best_column, one_level_down
from sfumato.criteria.criterion import Criterion
from sfumato.criteria.judging import is_monotone
from sfumato.data.frequency import FrequencySet
from sfumato.data.groups import Counts
from sfumato.data.recoding import Assignment
from sfumato.progress import report


class LocalSpecialization:
    """The groups that may still be specialized, all of them safe, and what stayed behind.

    A node is an interval of ranks, so one with a single child is that child. The boxes of all
    groups differ then: those of a group's children are disjoint parts of its own. So every group
    draws from chances of its own, which follow from its box, and it makes no difference when it
    does: first how many of each kind go back, then who they are.
    """

    def __init__(
        self,
        frequencies: FrequencySet,
        criterion: Criterion,
        chances: OwnChances,
        *,
        parts: bool,
        whole: NDArray[np.int32] | None = None,
    ) -> None:
        """Begin with all people as one group; whole: its box, (n_columns, 2), None: the space."""
        self.judge = Judge(frequencies, criterion)
        self.least = criterion.least_size
        self.parts = parts and fewer_can_mend(criterion, frequencies)
        self.chances = chances
        self.entries = Entries.of(self.judge)
        if whole is None:
            whole = np.array([[0, len(domain) - 1] for domain in self.judge.domains], np.int32)
        self.boxes = whole[np.newaxis]  # (n_groups, n_columns, 2)
        self.final_boxes = [self.boxes[:0]]
        self.final_parts = [np.zeros((0, 3), dtype=np.int64)]
        self.n_final = 0

    def run(self) -> Assignment:
        """Go down until nobody can."""
        n_rows, n_done = self.judge.counted.n_rows, 0
        while len(self.entries.keys):
            report("specializing", n_done, n_rows)
            self._go_down()
            n_done = n_rows - int(self.entries.counts.sum())
        return Assignment(
            self.judge.counted, np.concatenate(self.final_boxes), np.concatenate(self.final_parts)
        )

    def _go_down(self) -> None:
        """Specialize every group once, along the column that takes most people down."""
        entries, columns = self.entries, range(len(self.judge.domains))
        steps = [
            one_level_down(self.judge, entries, j, self.boxes[:, j], self.least, parts=self.parts)
            for j in columns
        ]
        people = np.stack([step.people for step in steps], axis=1)  # (n_groups, n_columns)
        exact = np.stack([step.exact for step in steps], axis=1)
        column = people.argmax(axis=1)  # the first of the best
        drawn = [
            (g, self._drawn(g, steps, people, exact))
            for g in np.flatnonzero(~exact[np.arange(len(column)), column]).tolist()
        ]
        column = people.argmax(axis=1)

        chosen = column[entries.group]  # per entry
        every = np.arange(len(entries.keys))
        safe = np.stack([step.safe for step in steps], axis=1)[every, chosen]
        down = safe & (people[entries.group, chosen] > 0)
        back = np.where(down, 0, entries.counts)
        for g, counts in drawn:
            if counts is not None:
                back[self._inside(g)] = counts
        child = np.stack([step.child for step in steps], axis=1)[every, chosen]
        self._stay(back)
        self._descend(entries.counts - back, chosen, child)

    def _inside(self, group: int) -> slice:
        """Give the entries of a group."""
        return slice(*np.searchsorted(self.entries.group, [group, group + 1]).tolist())

    def _drawn(
        self, group: int, steps: list[Step], people: Counts, exact: NDArray[np.bool_]
    ) -> Counts | None:
        """Draw who of a group goes back; give how many of each of its entries.

        What is known of columns is brought up to date. None: nobody goes down, or nothing has to
        be drawn along the best column.
        """
        draw, inside = self.chances.of(self.boxes[group]), self._inside(group)

        def kinds(j: int) -> Kinds:
            return Kinds.of(self.judge, self.entries, steps[j], inside)

        best, back = best_column(people[group], exact[group], kinds, draw)
        if back is None or people[group, best] == 0:
            return None
        return back.entries(self.entries.counts[inside], draw)

    def _stay(self, back: Counts) -> None:
        """Publish people at the groups they are in."""
        entries = np.flatnonzero(back)
        groups, group = np.unique(self.entries.group[entries], return_inverse=True)
        parts = [self.entries.keys[entries], group + self.n_final, back[entries]]
        self.final_parts.append(np.stack(parts, axis=1).astype(np.int64))
        self.final_boxes.append(self.boxes[groups])
        self.n_final += len(groups)

    def _descend(self, counts: Counts, column: NDArray[np.intp], child: NDArray[np.int32]) -> None:
        """Make groups of the people who go down, each along its group's column."""
        entries = np.flatnonzero(counts)
        widest = max(len(domain) for domain in self.judge.domains)
        keys, groups = self.entries.keys[entries], self.entries.group[entries]
        cell = groups * widest + child[entries]
        _, first, group = np.unique(cell, return_index=True, return_inverse=True)
        boxes = self.boxes[groups[first]]
        for j, domain in enumerate(self.judge.domains):
            mine = np.flatnonzero(column[entries[first]] == j)
            low, high = boxes[mine, j].T
            level = domain.taxonomy.enclosing_level(low, high) - 1
            codes = self.judge.codes[keys[first[mine]], j]
            boxes[mine, j, 0] = domain.taxonomy.low[level, codes]
            boxes[mine, j, 1] = domain.taxonomy.high[level, codes]
        order = np.argsort(group, kind="stable")
        self.entries = Entries(keys[order], counts[entries][order], group[order])
        self.boxes = boxes


def fewer_can_mend(criterion: Criterion, frequencies: FrequencySet) -> bool:
    """Whether an unsafe group can become safe when people leave it.

    What more people never break, fewer never mend.
    """
    return not is_monotone(criterion, frequencies, suppression=True)
