"""All histories of batches that a series of releases can be the recodings of.

Whole-number tables, as a linear program with integrality: one per sensitive value, or one for all
where suppressed rows, which have any value, tie them together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.data.groups import Counts
from sfumato.formulas.correspondence.cells import (
    Bits,
    Cells,
    PublishedClasses,
    distinct_bits,
    packed,
)
from sfumato.formulas.correspondence.integer_program import IntegerProgram
from sfumato.formulas.correspondence.pairs import Index, refuse_without_buddies


@dataclass(frozen=True, eq=False)
class _Part:
    """A connected part of a program: who is in it, and its equations."""

    kinds: Index  # (n_kinds,) ascending
    variables: Index  # (n_variables,)
    equations: IntegerProgram


class Program:
    """All histories of batches, for one sensitive value or for several that hang together.

    A *kind* is a sensitive value and the classes that hold it in every release: people whose cells
    differ only in classes without the value are of one kind. A variable is how many people of a
    kind, of all batches so far, are in one class of a release; the people of a class add up to its
    count, and the people of a kind never become fewer.

    `lower` and `upper` say how many people of a kind can have come at a time; (n_times, n_kinds).
    """

    def __init__(
        self,
        releases: Sequence[PublishedClasses],
        cells: Cells,
        values: Index,
        younger: Sequence[Sequence[Counts]],
    ) -> None:
        """Write the program down and find first bounds.

        Args:
            releases: In their order.
            cells: Of these releases.
            values: Codes of sensitive values.
            younger: `younger[time][release]`: how many records of each group, at most, came at the
                time or later.
        """
        self.releases, self.cells, self.values = releases, cells, values
        self._younger = younger
        self._find_kinds()
        self._write()
        self._split()

    @property
    def doubt(self) -> Counts:
        """How far the bounds are apart; (n_times, n_kinds)."""
        return np.asarray(self.upper - self.lower)

    def solve_all(self) -> None:
        """Make all bounds meet, part after part: a part that was just asked answers sooner."""
        doubtful = np.argwhere(self.lower < self.upper)
        by_part = np.argsort(self._part_of[doubtful[:, 1]], kind="stable")
        for time, kind in doubtful[by_part].tolist():
            self.solve(time, kind)

    def solve(self, time: int, kind: int) -> None:
        """Find the most people of a kind that can have come at a time."""
        if self.lower[time, kind] == self.upper[time, kind]:
            return
        part = self._parts[int(self._part_of[kind])]
        gain = np.zeros(len(part.variables), dtype=np.int64)
        own = self._kind[part.variables] == kind
        when = self._time[part.variables]
        gain[own & (when == time)] = 1
        gain[own & (when == time - 1)] = -1
        self._learn(part, gain)
        self.upper[time, kind] = self.lower[time, kind]

    # ------------------------------------------------------------------------------ kinds

    def _find_kinds(self) -> None:
        """Number the kinds, and note the classes of each in every release."""
        n_releases = len(self.releases)
        self.kind_of_cell: list[Index] = []  # per value: the kind of every cell; -1: none
        bits_by_value: list[Bits] = []
        value_of: list[Index] = []
        n_kinds = 0
        for value in self.values.tolist():
            has = [_has(release, value) for release in self.releases]
            kept, index = distinct_bits(self.cells.bits & packed(has))
            last = self.cells.members(n_releases - 1, kept).any(axis=1)
            alive = last | bool(self.releases[-1].n_suppressed)
            place = np.where(alive, np.cumsum(alive) - 1 + n_kinds, -1)
            self.kind_of_cell.append(place[index])
            bits_by_value.append(kept[alive])
            value_of.append(np.full(int(alive.sum()), value))
            n_kinds += int(alive.sum())
        bits = np.concatenate(bits_by_value)
        self.value_of = np.concatenate(value_of)
        self.members = [self.cells.members(j, bits) for j in range(n_releases)]
        held = [
            member.any(axis=1) | bool(release.n_suppressed)
            for member, release in zip(self.members, self.releases, strict=True)
        ]
        # (n_times, n_kinds): every release from then on holds the kind
        self.alive = np.logical_and.accumulate(np.array(held)[::-1], axis=0)[::-1]

    # -------------------------------------------------------------------------- equations

    def _write(self) -> None:
        """List variables and equations.

        A row adds up the people of one class and value, or all suppressed rows of a release.
        """
        kinds, times, rows, needs = [], [], [], []
        n_rows = 0
        held = np.zeros((len(self.releases), *self.alive.shape), dtype=np.int64)
        for time, release in enumerate(self.releases):
            histogram = release.histogram
            kind, group = np.nonzero(self.members[time] & self.alive[time][:, np.newaxis])
            wanted = np.flatnonzero(np.isin(histogram.codes, self.values))
            own = (histogram.group_of * histogram.n_values + histogram.codes)[wanted]
            place = np.searchsorted(own, group * histogram.n_values + self.value_of[kind])
            for came in range(time + 1):
                np.add.at(held[came, time], kind, self._younger[came][time][wanted][place])
            kinds.append(kind)
            rows.append(place + n_rows)
            needs.append(histogram.counts[wanted])
            n_rows += len(own)
            times.append(np.full(len(kind), time))
            if release.n_suppressed:
                kind = np.flatnonzero(self.alive[time])
                kinds.append(kind)
                rows.append(np.full(len(kind), n_rows))
                times.append(np.full(len(kind), time))
                needs.append(np.array([release.n_suppressed]))
                held[: time + 1, time] += release.n_suppressed
                n_rows += 1
        # (n_times, n_kinds): in the release with the fewest records that can be theirs
        self._fewest = np.array([each[came:].min(axis=0) for came, each in enumerate(held)])
        self._kind = np.concatenate(kinds)
        self._time = np.concatenate(times)
        self._row = np.concatenate(rows)
        self._need = np.concatenate(needs).astype(np.int64)
        reached = np.bincount(self._row, minlength=n_rows) > 0
        refuse_without_buddies(not reached.all())

    def _split(self) -> None:
        """Find the connected parts, and the first bounds."""
        from scipy.sparse import coo_array  # noqa: PLC0415  (heavy, so imported when used)
        from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

        n_kinds = self.alive.shape[1]
        n = n_kinds + len(self._need)
        ends = (self._kind, self._row + n_kinds)
        graph = coo_array((np.ones(len(self._kind), dtype=np.int8), ends), shape=(n, n))
        n_parts, part = connected_components(graph, directed=False)
        self._part_of, row_part = part[:n_kinds], part[n_kinds:]
        self._row_time = np.zeros(len(self._need), dtype=np.intp)
        self._row_time[self._row] = self._time
        n_times = len(self.releases)
        people = np.zeros((n_times, n_parts), dtype=np.int64)
        np.add.at(people, (self._row_time, row_part), self._need)
        came = np.diff(people, axis=0, prepend=0)  # of every batch
        refuse_without_buddies(bool((came < 0).any()))
        most = np.minimum(self._fewest, came[:, self._part_of])
        self.upper = np.where(self.alive, most, 0)
        complete = self._complete(n_parts, row_part)
        self.lower = np.where(complete[self._part_of], self.upper, 0)
        by_part = np.argsort(self._part_of, kind="stable")
        begins = np.searchsorted(self._part_of[by_part], np.arange(n_parts + 1))
        variable_part = self._part_of[self._kind]
        by_variable = np.argsort(variable_part, kind="stable")
        starts = np.searchsorted(variable_part[by_variable], np.arange(n_parts + 1))
        self._parts: dict[int, _Part] = {}
        for p in np.flatnonzero(~complete).tolist():
            part_kinds = by_part[begins[p] : begins[p + 1]]
            variables = by_variable[starts[p] : starts[p + 1]]
            equations = self._equations(part_kinds, variables)
            self._parts[p] = _Part(part_kinds, variables, equations)
            self._learn(self._parts[p], np.zeros(len(variables), dtype=np.int64))

    def _complete(self, n_parts: int, row_part: Index) -> NDArray[np.bool_]:
        """Whether every choice of one class per release is possible in a part.

        Never with suppressed rows: they are a row of their own, so there are more choices than
        kinds with one class per release.
        """
        chains = np.ones(n_parts, dtype=object)
        for time in range(len(self.releases)):
            n_rows = np.bincount(row_part[self._row_time == time], minlength=n_parts)
            chains = chains * np.maximum(n_rows, 1)  # where nobody is yet, there is no choice
        plain = np.ones(self.alive.shape[1], dtype=bool)
        for time, member in enumerate(self.members):
            n_held = member.sum(axis=1)
            anybody = np.zeros(n_parts, dtype=bool)
            anybody[row_part[self._row_time == time]] = True
            plain &= (n_held == 1) | ((n_held == 0) & ~anybody[self._part_of])
        n_kinds = np.bincount(self._part_of[plain], minlength=n_parts)
        return np.asarray(n_kinds.astype(object) == chains, dtype=bool)

    def _equations(self, kinds: Index, variables: Index) -> IntegerProgram:
        """Write the equations of a part."""
        from scipy.sparse import csr_array  # noqa: PLC0415  (heavy)

        n = len(variables)
        rows, row = np.unique(self._row[variables], return_inverse=True)
        sums = csr_array((np.ones(n, np.int64), (row, np.arange(n))), shape=(len(rows), n))
        n_times = len(self.releases)
        time = self._time[variables]
        place = np.searchsorted(kinds, self._kind[variables]) * n_times + time
        # A row of a kind and time t: its people at t + 1 minus its people at t.
        later, sooner = np.flatnonzero(time > 0), np.flatnonzero(time < n_times - 1)
        needed = np.unique(place[sooner])
        later = later[np.isin(place[later] - 1, needed)]
        row = np.searchsorted(needed, np.append(place[later] - 1, place[sooner]))
        sign = np.append(np.ones(len(later), np.int64), -np.ones(len(sooner), np.int64))
        at = (row, np.append(later, sooner))
        growth = csr_array((sign, at), shape=(len(needed), n))
        return IntegerProgram(sums, self._need[rows], growth)

    def _learn(self, part: _Part, gain: Counts) -> None:
        """Raise lower bounds to what the history with the largest gain shows."""
        history = part.equations.best(gain)
        if history is None:
            refuse_without_buddies(impossible=True)
            return
        people = np.zeros((len(self.releases), len(part.kinds)), dtype=np.int64)
        at = np.searchsorted(part.kinds, self._kind[part.variables])
        np.add.at(people, (self._time[part.variables], at), history)
        came = np.diff(people, axis=0, prepend=0)
        self.lower[:, part.kinds] = np.maximum(self.lower[:, part.kinds], came)


def _has(release: PublishedClasses, value: int) -> NDArray[np.bool_]:
    """Which classes have a sensitive value."""
    has = np.zeros(len(release), dtype=bool)
    has[release.histogram.group_of[release.histogram.codes == value]] = True
    return has
