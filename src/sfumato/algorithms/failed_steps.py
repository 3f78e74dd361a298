"""What a method must have tried and found unsafe on its way to the groups that it published.

Wong 2009, sections 3 and 5.2: whoever knows a method, everybody's quasi-identifiers and the
published groups can follow every decision. A step that separates no two people of a published
group was safe, for unions of safe groups are (monotone criteria); any other step was not taken, so
it was not safe.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.data.frequency import FrequencySet


@dataclass(frozen=True, eq=False)
class FailedStep:
    """A step that was not safe: at least one of its children breaks the criterion.

    Who is in no child is not concerned.
    """

    children: tuple[NDArray[np.intp], ...]  # each: positions in the combinations


@dataclass(frozen=True, eq=False)
class PublishedGroups:
    """Everybody's quasi-identifiers, and the published group of each combination of them."""

    ground: FrequencySet  # the combinations, without values
    group: NDArray[np.intp]  # (n_combinations,)

    def separated(self, child: NDArray[np.intp], inside: NDArray[np.intp]) -> bool:
        """Say whether children, one for each combination in `inside`, part a published group."""
        group = self.group[inside]
        order = np.argsort(group, kind="stable")
        same = np.diff(group[order]) == 0
        return bool((np.diff(child[order]) != 0)[same].any())


def by_child(inside: NDArray[np.intp], child: NDArray[np.intp]) -> FailedStep:
    """Make a step from the child that each combination in `inside` would go to."""
    order = np.argsort(child, kind="stable")
    starts = np.flatnonzero(np.diff(child[order], prepend=-1))
    return FailedStep(tuple(np.split(inside[order], starts[1:])))
