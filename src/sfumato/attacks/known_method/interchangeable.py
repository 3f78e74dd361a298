"""Values that a criterion does not tell apart: they can be dealt as one."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.criteria import Criterion
from sfumato.data.frequency import FrequencySet
from sfumato.data.groups import Counts
from sfumato.data.keys import distinct_rows
from sfumato.formulas.minimality.posterior import Posterior


def as_one(counts: Counts, rare: NDArray[np.bool_]) -> Counts:
    """Put rare values together, behind the others."""
    whole = counts[..., rare].sum(axis=-1, keepdims=True)
    return np.concatenate([counts[..., ~rare], whole], axis=-1)


def apart(
    lumped: Posterior,
    histogram: Counts,
    rare: NDArray[np.bool_],
    pool: NDArray[np.intp] | None = None,
) -> Posterior:
    """Give every rare value its part again: of those that are dealt together (`pool`, per cell)."""
    histograms = np.atleast_2d(histogram)
    of_row = np.zeros(len(lumped.people), dtype=np.intp)
    if pool is not None:
        of_row[lumped.cell] = pool
    wholes = np.maximum(histograms[:, rare].sum(axis=1), 1).tolist()  # nobody: nothing to share out

    def spread(table: Any) -> Any:
        if table is None:
            return None
        exact = table.dtype == object
        shares = np.array(
            [
                [Fraction(int(n), whole) if exact else n / whole for n in row]
                for row, whole in zip(histograms[:, rare], wholes, strict=True)
            ],
            dtype=table.dtype,
        )
        apart = np.empty((len(table), histograms.shape[1]), dtype=table.dtype)
        apart[:, ~rare] = table[:, :-1]
        apart[:, rare] = table[:, -1:] * shares[of_row]
        return apart

    return replace(
        lumped,
        expected=spread(lumped.expected),
        low=spread(lumped.low),
        high=spread(lumped.high),
    )


def bound_of(criterion: Criterion, frequencies: FrequencySet) -> Fraction | None:
    """Give the l of the 1/l that bounds the share of every value alike; None: it says more."""
    parts = [part for part in criterion.parts if part.looks_at_values]
    if len(parts) != 1 or not one_column(frequencies) or parts[0].named_values():
        return None
    return 1 / parts[0].belief_allowed().number if parts[0].bounds_shares else None


def one_column(frequencies: FrequencySet) -> bool:
    """Whether a person has nothing but the value of one sensitive column."""
    return len(frequencies.sensitive) == 1 and frequencies.guard is None


def lumps(criterion: Criterion, frequencies: FrequencySet) -> NDArray[np.int32]:
    """Give for each value the first of those that the criterion counts together with it."""
    n_values = len(frequencies.persons_values.codes)
    each = np.arange(n_values, dtype=np.int32)
    if not one_column(frequencies):
        return each
    kinds: list[NDArray[np.int32]] = [np.zeros(n_values, dtype=np.int32)]
    kinds += [_protected(part, frequencies) for part in criterion.parts if part.looks_at_values]
    _, kind_of = distinct_rows(np.stack(kinds, axis=1))
    first = np.full(n_values, n_values, dtype=np.int32)
    np.minimum.at(first, kind_of, each)
    return np.asarray(first[kind_of])


def _protected(part: Criterion, frequencies: FrequencySet) -> NDArray[np.int32]:
    return part.protects(frequencies.domains[frequencies.sensitive[0]])


def share_of(
    criterion: Criterion, frequencies: FrequencySet, lump: NDArray[np.int32]
) -> tuple[int, Fraction] | None:
    """Give the one value that the criterion bounds, and the l of 1/l; None: it says more."""
    parts = [part for part in criterion.parts if part.looks_at_values]
    if len(parts) != 1 or not one_column(frequencies):
        return None
    part = parts[0]
    if not part.bounds_shares or not part.named_values():
        return None
    codes = np.unique(lump[_protected(part, frequencies) >= 0])
    return (int(codes[0]), 1 / part.belief_allowed().number) if len(codes) == 1 else None
