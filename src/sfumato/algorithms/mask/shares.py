"""The share of sensitive values in every group."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.data.frequency import sum_by
from sfumato.data.groups import Counts
from sfumato.data.keys import distinct_rows
from sfumato.formulas.exact import at_most


@dataclass(frozen=True, eq=False)
class SensitiveShares:
    """How many people each group has, and how many of them have a sensitive value.

    Groups stand in the order of their boxes, which everybody sees.
    """

    sizes: Counts  # (n_groups,)
    n_sensitive: Counts  # (n_groups,)

    def violating(self, l: Fraction) -> NDArray[np.intp]:
        """Give the groups in which the share of sensitive values is above 1/l."""
        return np.flatnonzero(~at_most(self.n_sensitive, self.sizes, 1 / l))

    def largest(self, among: NDArray[np.intp], n: int) -> NDArray[np.intp]:
        """Give the n groups with the largest shares of some; of equal ones the first."""
        have, sizes = self.n_sensitive[among], self.sizes[among]
        _, which = distinct_rows(np.stack([have, sizes], axis=1))
        one = np.empty(int(which.max(initial=-1)) + 1, dtype=np.intp)
        one[which] = np.arange(len(which))
        shares = [*map(Fraction, have[one].tolist(), sizes[one].tolist())]
        place = {share: rank for rank, share in enumerate(sorted(set(shares), reverse=True))}
        rank = np.array([place[share] for share in shares], dtype=np.intp)[which]
        return among[np.argsort(rank, kind="stable")[:n]]


def shares_of(
    group: NDArray[np.intp], people: Counts, sensitive: NDArray[np.bool_]
) -> SensitiveShares:
    """Count the people of every group; each of the three: (n,), by some people who are alike."""
    n_groups = int(group.max(initial=-1)) + 1
    return SensitiveShares(
        sum_by(group, people, n_groups),
        sum_by(group[sensitive], people[sensitive], n_groups),
    )
