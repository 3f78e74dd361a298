"""How a new batch differs from the series so far; for the steward."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet, sum_by
from sfumato.data.groups import Counts
from sfumato.text import counted, people, percent


@dataclass(frozen=True)
class ColumnDrift:
    """One column of the batch beside the same in the batches before.

    Who was left out is not kept, so their values are not among those before.
    """

    column: str
    n_values: int  # that nobody has who is in the chain so far: published, or waiting
    n_people: int  # who have them
    missing: Fraction  # share of the batch without a value
    missing_before: Fraction

    @property
    def text(self) -> str | None:
        """Say what is different; None: nothing is."""
        said = []
        if self.n_values:
            values = counted(self.n_values, "value")
            said.append(f"{values} new to the chain ({people(self.n_people)})")
        now, before = percent(self.missing), percent(self.missing_before)
        if now != before:
            said.append(f"missing {now}, before {before}")
        return "; ".join(said) or None

    def to_json(self) -> dict[str, Any]:
        """Plain values for a machine."""
        return {
            "column": self.column,
            "new_values": self.n_values,
            "people_with_new_values": self.n_people,
            "missing": float(self.missing),
            "missing_before": float(self.missing_before),
        }


@dataclass(frozen=True)
class Drift:
    """What is new in a batch, column by column: counts and shares, no values."""

    columns: tuple[ColumnDrift, ...]

    @classmethod
    def of(cls, batch: FrequencySet, before: Sequence[FrequencySet]) -> Drift:
        """Compare a batch with all batches before; there is one at least."""
        return cls(tuple(_drift(column, batch, before) for column in batch.columns))

    @property
    def lines(self) -> list[tuple[str, str]]:
        """Say what is different, of columns where something is."""
        texts = [(each.column, each.text) for each in self.columns]
        return [(column, text) for column, text in texts if text is not None]

    def to_json(self) -> list[dict[str, Any]]:
        """Plain values for a machine."""
        return [each.to_json() for each in self.columns]


def _drift(column: str, batch: FrequencySet, before: Sequence[FrequencySet]) -> ColumnDrift:
    labels = batch.domains[column].labels
    had = [(each.domains[column], _people(column, each)) for each in before]
    people_by_value = _people(column, batch)
    new = [
        code
        for code in np.flatnonzero(people_by_value).tolist()
        if labels[code] is not None and not any(_has(*each, labels[code]) for each in had)
    ]
    n_before = sum(each.n_rows for each in before)
    n_missing = sum(_n_missing(column, each) for each in before)
    return ColumnDrift(
        column,
        len(new),
        int(people_by_value[new].sum()),
        Fraction(_n_missing(column, batch), batch.n_rows),
        Fraction(n_missing, n_before),
    )


def _has(domain: Domain, people_by_value: Counts, value: object) -> bool:
    code = domain.code_of(value)
    return code is not None and bool(people_by_value[code])


def _people(column: str, counted_set: FrequencySet) -> Counts:
    codes = counted_set.codes(column).astype(np.intp)
    return sum_by(codes, counted_set.counts, len(counted_set.domains[column]))


def _n_missing(column: str, counted_set: FrequencySet) -> int:
    domain = counted_set.domains[column]
    return int(_people(column, counted_set)[-1]) if domain.has_missing else 0
