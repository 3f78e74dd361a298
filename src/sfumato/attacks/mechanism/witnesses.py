"""Worlds that explain a release, found by swaps: what somebody has in one of them is possible.

The search begins with worlds that are dealt by what is public, and by lots that anybody can draw
again. Were it to begin with what people have, its end would tell something of that.
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
MOST_DEALT = 200  # worlds of which the first that explains the release is where the search begins


class Witnesses:
    """The values that people have in worlds that explain a release, cell by cell."""

    def __init__(self, component: Component, rng: np.random.Generator) -> None:
        from scipy.sparse import csr_array  # noqa: PLC0415  (heavy, so imported when used)

        self.rng = rng
        self.solver, self.group_of = component.solver, component.group_of_cell
        self.inside = component.inside  # (n_children, n_cells)
        inside = csr_array(self.inside, dtype=np.int64)  # few of the cells are in a child
        self.first = component.first_child
        rows = [component.histogram(number)[0] for number in range(len(component.groups))]
        around = np.flatnonzero(component.fixed.any(axis=0))
        self.values: Codes = np.unique(np.concatenate([*rows, around])).astype(np.int32)
        self.found_any = False
        for attempt in range(MOST_DEALT):
            self.world = _dealt(component, rng if attempt else None)[:, self.values]
            self.counts = inside @ self.world + component.fixed[:, self.values]
            self.broken = self._breaks(self.counts)
            n_broken = np.add.reduceat(self.broken, self.first, dtype=np.int64)
            if n_broken.all():
                self.found_any = True
                break
        self.possible = np.zeros(self.world.shape, dtype=bool)
        if not self.found_any:
            return
        self.possible |= self.world > 0
        child, cell = inside.nonzero()
        step = np.searchsorted(self.first, child, side="right")
        separate = len(np.unique(step * len(self.world) + cell)) == len(cell)
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
        there = self.inside[:, np.append(mate, c)].astype(np.int64)
        moved = there[:, :-1].T - there[:, -1]  # (n, n_children): who gets the value
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


def _dealt(component: Component, rng: np.random.Generator | None) -> Counts:
    """Deal the values of every group to its cells, equal ones side by side: so groups break.

    None: frequent values to small cells; else cells and values by lot.
    """
    world = np.zeros((len(component.people), component.members.histogram.n_values), dtype=np.int64)
    for number in range(len(component.groups)):
        cells, (codes, counts) = component.cells_of(number), component.histogram(number)
        if rng is None:
            cells = cells[np.argsort(component.people[cells], kind="stable")]
            order = np.argsort(-counts, kind="stable")
        else:
            cells, order = rng.permutation(cells), rng.permutation(len(codes))
        where = np.repeat(cells, component.people[cells])
        np.add.at(world, (where, np.repeat(codes[order], counts[order])), 1)
    return world
