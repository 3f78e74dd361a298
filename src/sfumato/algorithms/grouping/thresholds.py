"""Criteria that are thresholds on a few counts of a group, as compiled loops judge them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.criteria import (
    AlphaKAnonymity,
    Criterion,
    KAnonymity,
    LDiversity,
    PSensitiveKAnonymity,
)
from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet
from sfumato.data.groups import Groups

# A class derived from one of these may mean something else.
EXACTLY = (KAnonymity, AlphaKAnonymity, PSensitiveKAnonymity, LDiversity)
Seen = tuple[str, tuple[object, ...] | None, bool]  # attribute, values, pooled


@dataclass(frozen=True, eq=False)
class Thresholds:
    """At least so many people, at most such a share of any value, at least so many values.

    What people have is a combination of sensitive values; `bounded` and `named` say what it
    counts as.
    """

    people: int
    share: Fraction
    bounded: NDArray[np.int32]  # (n_combinations,) the value whose share is bounded; -1: none is
    values: int
    named: NDArray[np.int32]  # (n_combinations,) the value, where different ones are counted

    @classmethod
    def of(cls, criterion: Criterion, frequencies: FrequencySet) -> Thresholds | None:
        """Write a criterion down as thresholds; None where it is something else."""
        people = 1
        shares: list[tuple[Fraction, Seen | None]] = []
        values: list[tuple[int, Seen | None]] = []
        for part in criterion.parts:
            seen = _seen(part, frequencies)
            match part:
                case _ if type(part) not in EXACTLY:
                    return None
                case KAnonymity():
                    people = max(people, part.k)
                case AlphaKAnonymity():
                    people = max(people, part.k)
                    shares.append((part.alpha, seen))
                case PSensitiveKAnonymity():
                    people = max(people, part.k)
                    values.append((part.p, seen))
                case LDiversity(kind="frequency"):
                    shares.append((1 / part.l, seen))
                case LDiversity(kind="distinct"):
                    values.append((int(part.l), seen))
                case _:
                    return None
        bounded, named = {seen for _, seen in shares}, {seen for _, seen in values}
        if None in bounded | named or len(bounded) > 1 or len(named) > 1:
            return None
        share = min((share for share, _ in shares), default=Fraction(1))
        n_values = max((n for n, _ in values), default=0)
        largest = max(share.numerator, share.denominator) * frequencies.n_rows
        if max(largest, people, n_values) >= 2**63:
            return None
        return cls(
            people,
            share,
            _codes(frequencies, *bounded, others=False),
            n_values,
            _codes(frequencies, *named, others=True),
        )

    @property
    def limits(self) -> NDArray[np.int64]:
        """People, numerator and denominator of the share, and values, for a kernel."""
        share = self.share
        return np.array([self.people, share.numerator, share.denominator, self.values], np.int64)


def _seen(part: Criterion, frequencies: FrequencySet) -> Seen | None:
    """What a part looks at; None if that is not one column."""
    name = part.attribute
    if name is None and len(frequencies.sensitive) == 1:
        name = frequencies.sensitive[0]
    if name is None:
        return None
    return name, getattr(part, "values", None), getattr(part, "pooled", False)


def _codes(
    frequencies: FrequencySet, seen: Seen | None = None, *, others: bool
) -> NDArray[np.int32]:
    """Give what each combination of sensitive values counts as.

    others: whether values that are not named count as themselves, or not at all.
    """
    combinations = frequencies.persons_values.codes
    if seen is None:
        return np.full(len(combinations), -1, dtype=np.int32)
    attribute, values, pooled = seen
    domain = frequencies.domains[attribute]
    codes = np.arange(len(domain), dtype=np.int32)
    if values is not None:
        listed = codes_of(domain, values)
        if not others:
            codes[:] = -1
            codes[listed] = listed
        if pooled and len(listed):
            codes[listed] = listed[0]
    return codes[combinations[:, frequencies.sensitive.index(attribute)]]


def codes_of(domain: Domain, values: tuple[object, ...]) -> NDArray[np.int32]:
    """Codes of values that a user names; a value that nobody has is left out."""
    return Groups([], None, domain).codes_of(values)
