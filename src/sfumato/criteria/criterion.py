"""The shape of a criterion, and how criteria combine."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.criteria.bound import Value
from sfumato.data.domain import Domain
from sfumato.data.groups import Groups
from sfumato.doors import Registry
from sfumato.errors import BadInput, shown
from sfumato.spec import describe, to_spec

CRITERIA: Registry[Criterion] = Registry("criterion", "sfumato.criteria")


class Criterion(ABC):
    """One definition: `holds` says yes or no to each group, `measure` what was achieved.

    A definition joins job files and releases by being a class of its own. Most are about one
    group at a time. Where an adversary may know something of people in other groups (`by_group`
    is False), the groups that `holds` gets have to be all there are.
    """

    looks_at_values: ClassVar[bool] = True  # whether the sensitive attribute matters at all
    by_group: ClassVar[bool] = True  # whether other groups make no difference to a group
    by_series: ClassVar[bool] = False  # whether earlier releases of the same people matter
    attribute: str | None = None
    guarding: str | None = None  # a column that says what each person guards

    def __init_subclass__(cls, *, joins: bool = True, **extra: Any) -> None:
        super().__init_subclass__(**extra)
        if joins:
            CRITERIA.join(cls)

    @property
    def parts(self) -> tuple[Criterion, ...]:
        """The definitions this is made of."""
        return (self,)

    @property
    def sets(self) -> bool:
        """Whether people may have any number of values of the sensitive column, or none."""
        return False

    @property
    def least_size(self) -> int:
        """People that every safe group has at least, as far as the definition says so itself."""
        return max((part.least_size for part in self.parts if part is not self), default=1)

    @abstractmethod
    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        """Say for every group whether it satisfies the definition."""

    @abstractmethod
    def measure(self, groups: Groups) -> Value:
        """What the worst group achieves, in the definition's own unit."""

    def monotone(self, *, suppression: bool) -> bool:  # noqa: ARG002
        """Whether generalizing further can never break what holds; no, unless it is shown.

        Without suppression: a union of safe groups is safe. With suppression a safe group may
        also be joined by people of an unsafe one, and only what adding people cannot break stays.
        """
        return False

    def alone(self, groups: Groups) -> NDArray[np.bool_]:
        """Say for every group whether it would satisfy the definition if there were no other."""
        return self.holds(groups)

    def spec(self) -> list[dict[str, Any]]:
        """Write the criterion down as job files and `release.json` do."""
        return [to_spec(self)]

    @abstractmethod
    def promised(self) -> Value:
        """The threshold, in the unit of `measure`."""

    def named_values(self) -> tuple[object, ...]:
        """Sensitive values that the steward named."""
        return ()

    def refuse(self, attribute: str, domain: Domain) -> None:  # noqa: B027  (most refuse nothing)
        """Refuse a sensitive column that the criterion makes no sense for."""

    def __and__(self, other: object) -> All:
        if not isinstance(other, Criterion):
            raise BadInput(f"&: expected another criterion, got {shown(other)}")
        return All((*self.parts, *other.parts))

    def __str__(self) -> str:
        return describe(self)


@dataclass(frozen=True)
class All(Criterion, joins=False):
    """Several criteria that must hold together."""

    criteria: tuple[Criterion, ...]

    @property
    def parts(self) -> tuple[Criterion, ...]:
        """The definitions this is made of."""
        return self.criteria

    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        """Say for every group whether it satisfies all of them."""
        self._one_attribute()
        held = [part.holds(groups) for part in self.criteria]
        return np.asarray(np.all(held, axis=0))

    def measure(self, groups: Groups) -> Value:
        """What each of them achieves, in order."""
        self._one_attribute()
        return tuple(part.measure(groups) for part in self.criteria)

    def promised(self) -> Value:
        """The thresholds, in order."""
        return tuple(part.promised() for part in self.criteria)

    def _one_attribute(self) -> None:
        """Groups show one sensitive column: parts about different ones cannot share them."""
        if len({part.attribute for part in self.criteria if part.looks_at_values}) > 1:
            raise BadInput(f"{self}: the parts are about different columns; judge them one by one")

    def monotone(self, *, suppression: bool) -> bool:
        """All parts have to be."""
        return all(part.monotone(suppression=suppression) for part in self.criteria)

    def spec(self) -> list[dict[str, Any]]:
        """One entry per part."""
        return [entry for part in self.criteria for entry in part.spec()]

    def __str__(self) -> str:
        return " & ".join(str(part) for part in self.criteria)


def together(parts: Sequence[Criterion]) -> Criterion:
    """Combine criteria that must all hold; one alone is itself."""
    return parts[0] if len(parts) == 1 else All(tuple(parts))
