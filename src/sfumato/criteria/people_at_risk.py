"""How many people may be recognized with more than a probability."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.criteria.bound import Value
from sfumato.criteria.criterion import Criterion
from sfumato.data.groups import Groups
from sfumato.formulas.subset_sums import largest_sum
from sfumato.parameters import number, optional_column
from sfumato.text import people, share


@dataclass(frozen=True)
class PeopleAtRisk(Criterion):
    """At most a `share` of the people of the release have a risk above `risk` of being recognized.

    The share is of the people who are published. `holds` is False of the fewest people above the
    risk without whom the others keep it; where several choices have as few, of smaller groups.

    >>> PeopleAtRisk(share="0.1", risk="0.2").holds(Groups(sizes=[1, 2, 25]))
    array([False,  True,  True])
    """

    share: Fraction
    risk: Fraction
    attribute: str | None = None
    looks_at_values: ClassVar[bool] = False
    by_group: ClassVar[bool] = False

    def __init__(
        self,
        share: float | Fraction | str,
        risk: float | Fraction | str,
        attribute: str | None = None,
    ) -> None:
        object.__setattr__(self, "share", number("PeopleAtRisk", "share", share, least=0, most=1))
        object.__setattr__(self, "risk", number("PeopleAtRisk", "risk", risk, above=0, most=1))
        object.__setattr__(
            self, "attribute", optional_column("PeopleAtRisk", "attribute", attribute)
        )

    def _at_risk(self, groups: Groups) -> NDArray[np.bool_]:
        return np.asarray(groups.sizes < math.ceil(1 / self.risk))

    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        """Leave out the fewest people at risk: as many as may stay do."""
        at_risk = self._at_risk(groups)
        held = np.ones(len(groups), dtype=bool)
        n_at_risk, n_others = int(groups.sizes[at_risk].sum()), int(groups.sizes[~at_risk].sum())
        if n_at_risk <= self.share * (n_at_risk + n_others):
            return held
        # Those who stay are a share of themselves and the others, who stay in any case.
        most = math.floor(self.share * n_others / (1 - self.share))
        sizes, counts = np.unique(groups.sizes[at_risk], return_counts=True)
        kept = largest_sum(sizes.tolist(), counts.tolist(), most)
        for size, n_gone in zip(sizes, counts - kept, strict=True):
            held[np.flatnonzero(groups.sizes == size)[:n_gone]] = False
        return held

    def alone(self, groups: Groups) -> NDArray[np.bool_]:
        """Whatever the risk of one group, others may make up for it."""
        return np.ones(len(groups), dtype=bool)

    def measure(self, groups: Groups) -> Value:
        """The share of people above the risk."""
        if not len(groups):
            return None
        return Fraction(int(groups.sizes[self._at_risk(groups)].sum()), int(groups.sizes.sum()))

    def promised(self) -> Value:
        """The share."""
        return self.share

    @classmethod
    def examples(cls) -> tuple[Criterion, ...]:
        """It has no kinds."""
        return (cls("0.3", "0.4"),)

    def monotone(self, *, suppression: bool) -> bool:
        """A union has no more people at risk; people who were left out may join those who are."""
        return not suppression

    def share_above_risk(self) -> tuple[Fraction, Fraction]:
        """The share, and the risk."""
        return self.share, self.risk

    def in_words(self) -> str:
        """Say of whom it is said."""
        return (
            f"At most {share(self.share)} of the people are in groups of fewer than "
            f"{people(math.ceil(1 / self.risk))}, where the risk of being recognized is above "
            f"{share(self.risk)}."
        )
