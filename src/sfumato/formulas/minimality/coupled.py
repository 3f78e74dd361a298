"""Beliefs about groups that take their steps together, as in full-domain recoding (Wong 2009).

What a step did to all groups is known, not what it did to each: it is enough that some group
broke. So how much each step has broken is carried along from group to group.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.data.groups import Counts
from sfumato.formulas.minimality.deals import tables
from sfumato.formulas.minimality.posterior import (
    IMPOSSIBLE,
    MOST_TABLES,
    Breaks,
    Posterior,
    RejectedStep,
    broken,
    merged,
    tallied,
)

MOST_STATES = 4_096  # of steps that several groups share


@dataclass(frozen=True, eq=False)
class GroupPart:
    """A group's part in steps that several groups take together."""

    sizes: Counts
    histogram: Counts
    steps: Mapping[int, RejectedStep]  # by number of the common step; their limits do not count
    breaks: Breaks


def coupled(
    parts: Sequence[GroupPart], limits: Sequence[int], most_tables: int = MOST_TABLES
) -> list[Posterior] | None:
    """Give what `posterior` does for groups that take their steps together.

    A step breaks when over all groups more people than its limit are in children that break. How
    many have been so far is carried along from group to group; nothing is subtracted. None where
    there are too many tables of counts, or states of the steps.
    """
    caps = np.array(limits, dtype=np.int64) + 1
    tallies: list[dict[tuple[int, ...], tuple[int, NDArray[np.object_]]]] = []
    shapes = []
    for part in parts:
        numbers, own = list(part.steps), list(part.steps.values())
        cell, people, own = merged(part.sizes, own)
        dealt = tables(people, part.histogram, most_tables)
        if dealt is None:
            return None
        most_tables -= len(dealt)
        state = np.zeros((len(dealt), len(caps)), dtype=np.int64)
        state[:, numbers] = broken(dealt, people, own, part.breaks)
        state = np.minimum(state, caps)
        tallies.append({s: (n, sums) for s, n, sums in tallied(dealt, people, state)})
        shapes.append((cell, people))
    nothing = {(0,) * len(caps): 1}
    before, after = [nothing], [nothing]
    for forward, backward in zip(tallies, reversed(tallies), strict=True):
        before.append(_joined(before[-1], forward, caps))
        after.append(_joined(after[-1], backward, caps))
        if len(before[-1]) > MOST_STATES or len(after[-1]) > MOST_STATES:
            return None
    total = before[-1].get(tuple(caps.tolist()), 0)
    if not total:
        raise ValueError(IMPOSSIBLE)
    kept = Fraction(total, sum(before[-1].values()))  # of the worlds of all groups
    posteriors = []
    for i, (tally, (cell, people)) in enumerate(zip(tallies, shapes, strict=True)):
        others = _crossed(before[i], after[len(tallies) - 1 - i], caps)
        sums = np.zeros((len(people), len(parts[i].histogram)), dtype=object)
        for reached, (_, counted) in tally.items():
            rest = sum(n for other, n in others.items() if _full(reached, other, caps))
            sums = sums + counted * rest
        fractions = [[Fraction(int(each), total) for each in row] for row in sums]
        expected = np.empty(sums.shape, dtype=object)
        expected[:] = fractions
        posteriors.append(Posterior(cell, people, expected, kept=kept))
    return posteriors


_States = dict[tuple[int, ...], int]  # people in children that break so far -> worlds


def _joined(
    states: _States,
    tally: Mapping[tuple[int, ...], tuple[int, NDArray[np.object_]]],
    caps: Counts,
) -> _States:
    return _crossed(states, {state: n for state, (n, _) in tally.items()}, caps)


def _crossed(one: _States, other: _States, caps: Counts) -> _States:
    most = caps.tolist()
    states: _States = {}
    for a, n in one.items():
        for b, m in other.items():
            state = tuple(min(x + y, cap) for x, y, cap in zip(a, b, most, strict=True))
            states[state] = states.get(state, 0) + n * m
    return states


def _full(one: tuple[int, ...], other: tuple[int, ...], caps: Counts) -> bool:
    return all(x + y >= cap for x, y, cap in zip(one, other, caps.tolist(), strict=True))
