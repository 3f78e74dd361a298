"""An attack on one sensitive column."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sfumato.attacks.attack import Attack, each_attribute
from sfumato.attacks.finding import KNOWN, Finding
from sfumato.attacks.remedy import Remedy
from sfumato.attacks.target import Target
from sfumato.attacks.what_helps import against_beliefs
from sfumato.parameters import optional_column, true_or_false


@dataclass(frozen=True, eq=False)
class ColumnAttack(Attack):
    """An attack on one sensitive column, perhaps by somebody who knows people's other ones."""

    attribute: str | None = None
    others: bool = False  # the adversary knows the other sensitive columns of the target too

    def __post_init__(self) -> None:
        optional_column(type(self).__name__, "attribute", self.attribute)
        true_or_false(type(self).__name__, "others", self.others)

    @classmethod
    def against(cls, target: Target) -> Iterator[Attack]:
        """Every sensitive column, without and with knowing the others."""
        for attribute, others in each_attribute(target):
            yield cls(attribute=attribute, others=others)

    @property
    def called(self) -> str:
        """The name, and whether other values are known."""
        return f"{self.name}, other values known" if self.others else self.name

    def remedy(self, target: Target, finding: Finding | None) -> Remedy:
        """What was promised of the column's values."""
        attribute = self.attribute if finding is None else finding.attribute
        parts = [] if attribute is None else target.parts(attribute, others=self.others)
        return against_beliefs(target, finding, parts)

    def _knows(self, more: str = "") -> str:
        known = f"{KNOWN} and other sensitive values" if self.others else KNOWN
        return f"{known}; that the target is in the table{more}"
