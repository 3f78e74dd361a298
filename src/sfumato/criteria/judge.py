"""A definition as a search asks for it: again and again, of groups over the same values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.data.groups import Counts, Groups

MARGIN = 1e-9  # of a group, by which a surplus in floats may be wrong


class Definition(Protocol):
    """What a judge has to know of a criterion."""

    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        """Say for every group whether it satisfies the definition."""

    def monotone(self, *, suppression: bool) -> bool:
        """Whether generalizing further can never break what holds."""


@dataclass(frozen=True, eq=False)
class Judge:
    """The verdicts of a definition, and how many people of a group no finer groups can save.

    Where a union of safe groups is safe, the surplus of a group is at least the fewest people who
    have to go before the rest is safe: however the group is parted, those in safe parts would be a
    safe group together. So the surpluses of a node of a lattice add up to people who are left out
    at every node below it, whether or not the definition is monotone under suppression.

    What a criterion gives instead of this one (`Criterion.judge`) is compiled, and its verdicts are
    those of `holds`.
    """

    definition: Definition

    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        """Say for every group whether it satisfies the definition."""
        return self.definition.holds(groups)

    def surplus(self, groups: Groups, held: NDArray[np.bool_]) -> Counts:
        """Give for every group how many of its people are left out by any finer groups, at least.

        Everybody, where adding people breaks nothing: every part of a group that does not hold does
        not either. One, where a union of safe groups is safe: the parts cannot all be safe. Else
        nobody. held: what `holds` says.
        """
        if self.definition.monotone(suppression=True):
            return np.where(held, 0, groups.sizes)
        if self.definition.monotone(suppression=False):
            return (~held).astype(np.int64)
        return np.zeros(len(groups), dtype=np.int64)


def whole_people(surplus: NDArray[np.float64], sizes: Counts, held: NDArray[np.bool_]) -> Counts:
    """Round a surplus in floats to people: no more than it can be, and one where a group fails.

    >>> whole_people(np.array([1.2, 2.0, 0.0]), np.array([9, 9, 9]), np.array([False, False, True]))
    array([2, 2, 0])
    """
    people = np.ceil(surplus - MARGIN * np.maximum(sizes, 1)).astype(np.int64)
    return np.where(held, 0, np.clip(people, 1, sizes))
