"""Thresholds in the codes of one table, for compiled loops."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.criteria.criterion import Criterion
from sfumato.data.frequency import FrequencySet

Coded = tuple[str, bytes]  # a column, and what each of its values counts as


@dataclass(frozen=True, eq=False)
class CodedThresholds:
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
    def of(cls, criterion: Criterion, frequencies: FrequencySet) -> CodedThresholds | None:
        """Write a criterion down as thresholds; None where it is something else."""
        people, share, n_values = 1, Fraction(1), 0
        bounded: set[Coded | None] = set()
        named: set[Coded | None] = set()
        for part in criterion.parts:
            known = part.thresholds()
            if known is None:
                return None
            people = max(people, known.people)
            if known.share is not None:
                share = min(share, known.share)
                bounded.add(_coded(part, frequencies))
            if known.values:
                n_values = max(n_values, known.values)
                named.add(_coded(part, frequencies))
        if None in bounded | named or len(bounded) > 1 or len(named) > 1:
            return None
        largest = max(share.numerator, share.denominator) * frequencies.n_rows
        if max(largest, people, n_values) >= 2**63:
            return None
        return cls(
            people, share, _codes(frequencies, *bounded), n_values, _codes(frequencies, *named)
        )

    @property
    def limits(self) -> NDArray[np.int64]:
        """People, numerator and denominator of the share, and values, for a kernel."""
        share = self.share
        return np.array([self.people, share.numerator, share.denominator, self.values], np.int64)


def _coded(part: Criterion, frequencies: FrequencySet) -> Coded | None:
    """What a part looks at; None if that is not one column."""
    name = part.attribute
    if name is None and len(frequencies.sensitive) == 1:
        name = frequencies.sensitive[0]
    return None if name is None else (name, part.protects(frequencies.domains[name]).tobytes())


def _codes(frequencies: FrequencySet, coded: Coded | None = None) -> NDArray[np.int32]:
    """Give what each combination of sensitive values counts as."""
    combinations = frequencies.persons_values.codes
    if coded is None:
        return np.full(len(combinations), -1, dtype=np.int32)
    attribute, codes = coded
    column = frequencies.sensitive.index(attribute)
    return np.frombuffer(codes, dtype=np.int32)[combinations[:, column]]
