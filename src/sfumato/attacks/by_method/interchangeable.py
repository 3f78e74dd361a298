"""Values that a criterion does not tell apart: they can be dealt as one."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.criteria import AlphaKAnonymity, Criterion, LDiversity
from sfumato.data.frequency import FrequencySet
from sfumato.data.groups import Counts
from sfumato.data.keys import distinct_rows
from sfumato.formulas.minimality.posterior import Posterior


def as_one(counts: Counts, rare: NDArray[np.bool_]) -> Counts:
    """Put rare values together, behind the others."""
    whole = counts[..., rare].sum(axis=-1, keepdims=True)
    return np.concatenate([counts[..., ~rare], whole], axis=-1)


def apart(found: Posterior, histogram: Counts, rare: NDArray[np.bool_]) -> Posterior:
    """Give every rare value its part again."""
    whole = int(histogram[rare].sum())

    def spread(table: Any) -> Any:
        if table is None:
            return None
        exact = table.dtype == object
        parts = [Fraction(int(n), whole) if exact else n / whole for n in histogram[rare]]
        apart = np.empty((len(table), len(histogram)), dtype=table.dtype)
        apart[:, ~rare] = table[:, :-1]
        apart[:, rare] = np.stack([table[:, -1] * part for part in parts], axis=1)
        return apart

    return replace(
        found,
        expected=spread(found.expected),
        low=spread(found.low),
        high=spread(found.high),
    )


def bound_of(criterion: Criterion, frequencies: FrequencySet) -> Fraction | None:
    """Give the l of the 1/l that bounds the share of every value alike; None: it says more."""
    parts = [part for part in criterion.parts if part.looks_at_values]
    if len(parts) != 1 or not one_column(frequencies) or parts[0].named_values():
        return None
    if isinstance(parts[0], LDiversity) and parts[0].kind == "frequency":
        return parts[0].l
    return 1 / parts[0].alpha if isinstance(parts[0], AlphaKAnonymity) else None


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
    for part in criterion.parts:
        if not part.looks_at_values:
            continue
        codes = _codes(part, frequencies)
        kind = each.copy()
        bounds_shares = isinstance(part, AlphaKAnonymity) or (
            isinstance(part, LDiversity) and part.kind == "frequency"
        )
        if bounds_shares and part.named_values():  # the others may be as frequent as they like
            kind[:] = -1
            kind[codes] = codes
        if getattr(part, "pooled", False) and len(codes):
            kind[codes] = codes[0]
        kinds.append(kind)
    _, kind_of = distinct_rows(np.stack(kinds, axis=1))
    first = np.full(n_values, n_values, dtype=np.int32)
    np.minimum.at(first, kind_of, each)
    return np.asarray(first[kind_of])


def _codes(part: Criterion, frequencies: FrequencySet) -> NDArray[np.int32]:
    domain = frequencies.domains[frequencies.sensitive[0]]
    found = [domain.code_of(value) for value in part.named_values()]
    return np.array([code for code in found if code is not None], dtype=np.int32)


def share_of(
    criterion: Criterion, frequencies: FrequencySet, lump: NDArray[np.int32]
) -> tuple[int, Fraction] | None:
    """Give the one value that the criterion bounds, and the l of 1/l; None: it says more."""
    parts = [part for part in criterion.parts if part.looks_at_values]
    if len(parts) != 1 or not one_column(frequencies):
        return None
    codes = np.unique(lump[_codes(parts[0], frequencies)])
    if len(codes) != 1:
        return None
    if isinstance(parts[0], LDiversity) and parts[0].kind == "frequency":
        return int(codes[0]), parts[0].l
    if isinstance(parts[0], AlphaKAnonymity):
        return int(codes[0]), 1 / parts[0].alpha
    return None
