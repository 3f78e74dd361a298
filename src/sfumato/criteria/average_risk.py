"""The risk of being recognized, bounded on average."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.criteria.bound import Value
from sfumato.criteria.criterion import Criterion
from sfumato.data.groups import Groups
from sfumato.formulas.exact import at_most
from sfumato.parameters import number, optional_column
from sfumato.text import share


@dataclass(frozen=True)
class AverageRisk(Criterion):
    """The people of the release are recognized with a probability of at most `risk` on average.

    That is the number of groups by the number of people who are published. It says nothing of
    any one person: combine it with `MaxRisk`. `holds` is False of the fewest people, those at the
    highest risk, without whom the others keep it.

    >>> AverageRisk("1/4").holds(Groups(sizes=[1, 5, 5]))
    array([False,  True,  True])
    """

    risk: Fraction
    attribute: str | None = None
    looks_at_values: ClassVar[bool] = False
    by_group: ClassVar[bool] = False

    def __init__(self, risk: float | Fraction | str, attribute: str | None = None) -> None:
        object.__setattr__(self, "risk", number("AverageRisk", "risk", risk, above=0, most=1))
        object.__setattr__(
            self, "attribute", optional_column("AverageRisk", "attribute", attribute)
        )

    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        """Leave out the smallest groups, as few as will do."""
        order = np.argsort(groups.sizes, kind="stable")
        left = groups.sizes.sum() - np.concatenate([[0], np.cumsum(groups.sizes[order])])
        n_groups = np.arange(len(order), -1, -1)
        fewest = int(np.argmax(at_most(n_groups, left, self.risk)))  # without any it holds
        held = np.ones(len(order), dtype=bool)
        held[order[:fewest]] = False
        return held

    def alone(self, groups: Groups) -> NDArray[np.bool_]:
        """Whatever the risk of one group, others may make up for it."""
        return np.ones(len(groups), dtype=bool)

    def measure(self, groups: Groups) -> Value:
        """The average."""
        return Fraction(len(groups), int(groups.sizes.sum())) if len(groups) else None

    def promised(self) -> Value:
        """The risk."""
        return self.risk

    @classmethod
    def examples(cls) -> tuple[Criterion, ...]:
        """It has no kinds."""
        return (cls("0.3"),)

    def monotone(self, *, suppression: bool) -> bool:
        """Fewer groups of the same people, or more people in the groups that stay."""
        del suppression
        return True

    def average_allowed(self) -> Fraction:
        """The risk."""
        return self.risk

    def in_words(self) -> str:
        """Say who is right how often."""
        return (
            "Whoever links everybody's quasi-identifiers with the published rows is right for at "
            f"most {share(self.risk)} of the people."
        )
