"""Worlds that explain a release, found by swaps: what somebody has in one of them is possible.

The search begins with what people have. Where it begins decides nothing: every world counts only
because each failed step breaks in it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.mechanism.component import Component
from sfumato.data.groups import Counts
from sfumato.data.keys import Codes

ROUNDS = 4  # worlds that are looked around in
MOST_SWAPS = 8  # of one person's value with those of others, in each
MOST_TRIES = 1_000  # in one component
STEPS = 50  # swaps from one world to the next


class Witnesses:
    """The values that people have in worlds that explain a release, cell by cell."""

    def __init__(self, component: Component, rng: np.random.Generator) -> None:
        self.rng = rng
        self.solver, self.group_of = component.solver, component.group_of_cell
        self.inside = component.inside.astype(np.int64)  # (n_children, n_cells)
        self.first = component.first_child
        everybody = _everybody(component)  # (n_cells, all values)
        self.values: Codes = np.flatnonzero(
            everybody.any(axis=0) | component.fixed.any(axis=0)
        ).astype(np.int32)
        self.world = everybody[:, self.values]
        self.counts = self.inside @ self.world + component.fixed[:, self.values]
        self.broken = self._breaks(self.counts)
        self.possible = np.zeros(self.world.shape, dtype=bool)
        n_broken = np.add.reduceat(self.broken, self.first, dtype=np.int64)
        self.found_any = _fits(component, everybody) and bool(n_broken.all())
        if not self.found_any:
            return
        self.possible |= self.world > 0
        separate = np.add.reduceat(self.inside, self.first, axis=0).max() <= 1
        if separate and (n_broken > 2).all():  # a swap changes two children of a step at most
            own = np.zeros((len(component.groups), len(self.values)), dtype=bool)
            np.logical_or.at(own, self.group_of, self.possible)
            self.possible |= own[self.group_of]

    def look_for(self, enough: Callable[[Codes], bool]) -> NDArray[np.bool_]:
        """Search until everybody has enough possible values, or for a while; say who has."""
        known: dict[bytes, bool] = {}

        def has_enough(cell: int) -> bool:
            key = self.possible[cell].tobytes()
            if key not in known:
                known[key] = enough(self.values[self.possible[cell]])
            return known[key]

        tries = MOST_TRIES if self.found_any else 0
        for _ in range(ROUNDS):
            waiting = [c for c in range(len(self.world)) if not has_enough(c)]
            if not waiting or not tries:
                break
            for c in waiting:
                mates = self.group_of == self.group_of[c]
                wanted = self.world[mates].any(axis=0) & ~self.possible[c]
                for v in np.flatnonzero(wanted).tolist():
                    if not tries or has_enough(c):
                        break
                    tries -= 1
                    self._look_around(c, v)
            self._go_on()
        return np.array([has_enough(c) for c in range(len(self.world))], dtype=bool)

    def _look_around(self, c: int, v: int) -> None:
        """Give somebody in a cell a value that others have, in exchange for his own."""
        mates = np.flatnonzero((self.group_of == self.group_of[c]) & (self.world[:, v] > 0))
        own = np.flatnonzero(self.world[c])
        pairs = np.stack(np.meshgrid(mates, own, indexing="ij"), axis=-1).reshape(-1, 2)
        some = self.rng.permutation(len(pairs))[:MOST_SWAPS]
        mate, value = pairs[some].T
        valid = np.flatnonzero(self._still_breaks(c, v, mate, value)[1])
        if len(valid):
            self.possible[c, v] = True
            self.possible[mate[valid], value[valid]] = True

    def _still_breaks(
        self, c: int, v: int, mate: NDArray[np.intp], value: NDArray[np.intp]
    ) -> tuple[Counts, NDArray[np.bool_]]:
        """Say after which swaps every step breaks; also how many of whose people children have.

        Somebody in c gets v, and gives his value to somebody in another cell; (n,) of both.
        """
        moved = self.inside[:, mate].T - self.inside[:, c]  # (n, n_children): who gets the value
        rows = np.flatnonzero(moved.any(axis=0))
        swap = np.arange(len(mate))
        counts = np.repeat(self.counts[np.newaxis, rows], len(mate), axis=0)
        counts[swap, :, value] += moved[:, rows]
        counts[:, :, v] -= moved[:, rows]
        broken = np.repeat(self.broken[np.newaxis], len(mate), axis=0)
        if len(rows):
            flat = counts.reshape(-1, counts.shape[2])
            broken[:, rows] = self._breaks(flat).reshape(counts.shape[:2])
        every = np.logical_or.reduceat(broken, self.first, axis=1).all(axis=1)
        return moved, np.asarray(every)

    def _go_on(self) -> None:
        """Go to another world, by swaps each of which leaves one."""
        for _ in range(STEPS):
            c = int(self.rng.integers(len(self.world)))
            mates = np.flatnonzero(self.group_of == self.group_of[c])
            mate = int(self.rng.choice(mates))
            value = int(self.rng.choice(np.flatnonzero(self.world[c])))
            v = int(self.rng.choice(np.flatnonzero(self.world[mate])))
            moved, valid = self._still_breaks(c, v, np.array([mate]), np.array([value]))
            if mate == c or not valid[0]:
                continue
            self.world[[c, mate], [v, value]] += 1
            self.world[[c, mate], [value, v]] -= 1
            self.counts[:, value] += moved[0]
            self.counts[:, v] -= moved[0]
            self.broken = self._breaks(self.counts)
            self.possible |= self.world > 0

    def _breaks(self, counts: Counts) -> NDArray[np.bool_]:
        return self.solver.breaks(counts, self.values)


def _everybody(component: Component) -> Counts:
    """Count the people of every cell by the values that they have in the original."""
    members = component.members
    frequencies = members.frequencies
    cell_of = np.full(len(members.codes), -1, dtype=np.intp)  # by combination
    cell_of[members.combination[component.place]] = component.cell
    cell = cell_of[frequencies.combination_of]
    mine = np.flatnonzero(cell >= 0)
    world = np.zeros((len(component.people), members.histogram.n_values), dtype=np.int64)
    of_key = frequencies.persons_values.of_key
    np.add.at(world, (cell[mine], of_key[mine]), frequencies.counts[mine])
    return world


def _fits(component: Component, everybody: Counts) -> bool:
    """Whether these people have the values that were published of their groups."""
    for number in range(len(component.groups)):
        published = np.zeros(everybody.shape[1], dtype=np.int64)
        codes, counts = component.histogram(number)
        published[codes] = counts
        if not np.array_equal(everybody[component.cells_of(number)].sum(axis=0), published):
            return False
    return True
