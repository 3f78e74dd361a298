"""BCF-anonymity (Fung 2008, section 4.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.criteria.bound import Value
from sfumato.criteria.criterion import Criterion
from sfumato.criteria.thresholds import Thresholds
from sfumato.data.groups import Groups
from sfumato.parameters import optional_column, whole
from sfumato.text import counted


@dataclass(frozen=True)
class BCFAnonymity(Criterion):
    """Whoever compares a release with the earlier ones is left with k records for everybody.

    The table grows, and every release is of all records so far. With the forward and the cross
    attack one looks for a person who was there in an earlier release, with the backward attack
    for one who came later; each has to leave k records (FA, CA, BA >= k). Every class of the
    release itself has k records, too: without an earlier release this is k-anonymity. After more
    than one earlier release, k records have to be left whenever the person came, to somebody who
    has all the releases.

    The earlier releases are those that the method was given, `sf.BCFAnonymizer(previous=[...])`.
    `holds` and `measure` see one release and speak of its class sizes alone. Together with another
    criterion, `BCFAnonymity(k) & LDiversity(l)`, that one is asked of the classes and of what every
    attack leaves of them (section 7.2).

    `attribute` makes no difference: everybody sees all sensitive columns, so releases are compared
    in all of them.

    >>> BCFAnonymity(2).holds(Groups(sizes=[3, 1]))
    array([ True, False])
    """

    k: int
    attribute: str | None = None
    looks_at_values: ClassVar[bool] = False  # in a class; between releases they matter

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole("BCFAnonymity", "k", self.k))
        optional_column("BCFAnonymity", "attribute", self.attribute)

    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        """Compare each group's size with k."""
        return groups.sizes >= self.k

    def measure(self, groups: Groups) -> Value:
        """Size of the smallest group."""
        return int(groups.sizes.min()) if len(groups) else None

    def promised(self) -> Value:
        """The k."""
        return self.k

    @classmethod
    def examples(cls) -> tuple[Criterion, ...]:
        """It has no kinds."""
        return (cls(3),)

    def monotone(self, *, suppression: bool) -> bool:
        """Of one release, as k-anonymity."""
        del suppression
        return True

    def thresholds(self) -> Thresholds:
        """The k, of one release."""
        return Thresholds(people=self.k)

    def records_left(self) -> int:
        """The k."""
        return self.k

    def in_words(self) -> str:
        """Say how many records are left."""
        return (
            "Whoever knows a person's quasi-identifiers and compares this release with the earlier "
            f"ones is left with at least {counted(self.k, 'record')} that may be the person's."
        )
