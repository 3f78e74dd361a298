"""All worlds of a few cells, counted: what is believed of their people, exactly.

Before anything is published every person may have any value, all of them alike. A world gives
everybody a value so that every class has the published ones. The cells are gone through one by one;
worlds that leave the same values for the cells to come are counted together.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sfumato.formulas.correspondence.pairs import Index
from sfumato.formulas.known_cells.subtraction import Bounds

Left = tuple[tuple[int, ...], ...]  # of every class that has a cell: values that are to be given
Given = tuple[int, ...]  # people of a cell by value


@dataclass(frozen=True)
class _Step:
    """One cell: its people, its classes, and which of these it is the last cell of."""

    size: int
    lower: Given
    upper: Given
    classes: tuple[int, ...]
    last: tuple[int, ...]


def beliefs(bounds: Bounds, members: Index, most_steps: int) -> list[list[Fraction]] | None:
    """Give what is believed of the people of some cells: the probability of every value.

    Args:
        bounds: What is known without counting.
        members: Cells that share classes with each other, and with no others.
        most_steps: Ways to go on from what is left that are looked at.

    Returns:
        A row for every cell; None: there is more to look at.
    """
    members = _in_order(bounds, members)
    steps, start = _steps(bounds, members)
    ways: list[dict[Left, int]] = [{start: 1}]  # before each cell, by what is left
    moves: list[list[tuple[Left, Given, int, Left]]] = []
    n = 0
    for step in steps:
        following: dict[Left, int] = defaultdict(int)
        own_moves = []
        for left, many in ways[-1].items():
            for given in _given(step, left):
                n += 1
                if n > most_steps:
                    return None
                after = _after(step, left, given)
                if after is not None:
                    worth = _multinomial(given)
                    own_moves.append((left, given, worth, after))
                    following[after] += many * worth
        ways.append(following)
        moves.append(own_moves)
    return _averaged(bounds, members, ways, moves)


def _averaged(
    bounds: Bounds,
    members: Index,
    ways: list[dict[Left, int]],
    moves: list[list[tuple[Left, Given, int, Left]]],
) -> list[list[Fraction]]:
    """Go back, and average over all worlds."""
    ends = dict.fromkeys(ways[-1], 1)
    total = sum(ways[-1].values())
    by_cell: dict[int, list[Fraction]] = {}
    for cell, before, own_moves in zip(
        reversed(members.tolist()), reversed(ways[:-1]), reversed(moves), strict=True
    ):
        sums = [0] * bounds.cells.n_values
        sooner: dict[Left, int] = defaultdict(int)
        for left, given, worth, after in own_moves:
            to_the_end = worth * ends.get(after, 0)
            sooner[left] += to_the_end
            for code, count in enumerate(given):
                if count:
                    sums[code] += count * before[left] * to_the_end
        ends = sooner
        size = int(bounds.cells.sizes[cell])
        by_cell[cell] = [Fraction(each, total * size) for each in sums]
    return [by_cell[cell] for cell in sorted(by_cell)]


def _in_order(bounds: Bounds, members: Index) -> Index:
    """Cells of the same class one after another, so that little is open at a time."""
    held = bounds.cells.classes[members]
    return members[np.lexsort(held.T)]


def _steps(bounds: Bounds, members: Index) -> tuple[list[_Step], Left]:
    number: dict[tuple[int, int], int] = {}
    start = []
    of_cell: list[tuple[int, ...]] = []
    for cell in members.tolist():
        own = []
        for j, held in enumerate(bounds.cells.classes[cell].tolist()):
            if held < 0:
                continue
            if (j, held) not in number:
                number[j, held] = len(number)
                start.append(tuple(bounds.left[j][held].tolist()))
            own.append(number[j, held])
        of_cell.append(tuple(own))
    last = {each: place for place, own in enumerate(of_cell) for each in own}
    steps = [
        _Step(
            int(bounds.cells.sizes[cell]),
            tuple(bounds.lower[cell].tolist()),
            tuple(bounds.upper[cell].tolist()),
            own,
            tuple(each for each in own if last[each] == place),
        )
        for place, (cell, own) in enumerate(zip(members.tolist(), of_cell, strict=True))
    ]
    return steps, tuple(start)


def _given(step: _Step, left: Left) -> Iterator[Given]:
    """All ways to give the people of a cell values that are left."""
    most = tuple(map(min, step.upper, *(left[each] for each in step.classes)))
    if step.last:  # what is left of a class goes to its last cell
        yield left[step.last[0]]
        return
    yield from _between(step.lower, most, step.size)


def _between(lower: Sequence[int], upper: Sequence[int], size: int) -> Iterator[Given]:
    """All ways to share a number out between bounds."""
    if not upper:
        if size == 0:
            yield ()
        return
    least, most = sum(lower[1:]), sum(upper[1:])
    for count in range(max(lower[0], size - most), min(upper[0], size - least) + 1):
        for rest in _between(lower[1:], upper[1:], size - count):
            yield (count, *rest)


def _after(step: _Step, left: Left, given: Given) -> Left | None:
    """What is left after a cell got its values; None: that cannot be."""
    if sum(given) != step.size:
        return None
    after = list(left)
    for each in step.classes:
        rest = tuple(a - b for a, b in zip(left[each], given, strict=True))
        if min(rest) < 0 or (each in step.last and any(rest)):
            return None
        after[each] = rest
    return tuple(after)


def _multinomial(given: Given) -> int:
    """In how many ways people can have values so many times."""
    ways, n = 1, 0
    for count in given:
        n += count
        ways *= math.comb(n, count)
    return ways
