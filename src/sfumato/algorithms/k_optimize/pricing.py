"""What a recoding costs, in whole numbers of a unit."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.k_optimize.kernels import CLASS, DISCERNIBILITY, LOSS
from sfumato.algorithms.k_optimize.nodes import Cells, Prices, Problem
from sfumato.algorithms.k_optimize.split_points import SplitPoints
from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet
from sfumato.errors import BadInput, nearest

Cost = Literal["discernibility", "class", "loss"]
COSTS: dict[str, int] = {"discernibility": DISCERNIBILITY, "class": CLASS, "loss": LOSS}
LARGEST = 2**62  # what sums of whole numbers may reach


def problem_of(
    frequencies: FrequencySet, k: int, cost: Cost, class_column: str | None, limit: int
) -> tuple[Problem, Fraction]:
    """Count combinations and lay out their splits; also give what a unit of the cost is worth.

    Where only people count, a split before a value that nobody has is the one before the next
    value: splits stand before values that somebody has. Losses are counted in all values.
    """
    ground = frequencies.combinations
    domains = SplitPoints.of(frequencies).domains
    codes = np.stack([ground.codes(name) for name in domains], axis=1).astype(np.int32)
    sizes = ground.counts.astype(np.int64)
    n_rows = int(sizes.sum())
    low, high, whole = _losses(domains, n_rows)
    worth = Fraction(1, whole) if cost == "loss" else Fraction(1)
    gone = {"discernibility": n_rows, "class": 1, "loss": whole}[cost]
    columns, values = [], []
    for j, domain in enumerate(domains.values()):
        begin = np.arange(1, len(domain)) if cost == "loss" else np.unique(codes[:, j])[1:]
        columns.append(np.full(len(begin), j))
        values.append(begin)
    problem = Problem(
        Cells(codes, sizes, _classes(frequencies, class_column)),
        tuple(map(len, domains.values())),
        np.concatenate(columns).astype(np.int64),
        np.concatenate(values).astype(np.int64),
        Prices(COSTS[cost], k, gone),
        limit,
        low,
        high,
    )
    return problem, worth


def _losses(
    domains: Mapping[str, Domain], n_rows: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Give where every value begins and ends, in units of loss, and how many of these are all.

    An interval loses the share of other values in it, of each column equally (Wong 2009, definition
    7). Units divide all shares, unless that many would not fit: then shares are rounded to units.
    """
    lasts = [max(len(domain.ground) - 1, 1) for domain in domains.values()]
    whole = math.lcm(*lasts) * len(lasts)
    if whole * n_rows >= LARGEST:
        whole = LARGEST // n_rows // len(lasts) * len(lasts)
    each = whole // len(lasts)
    low, high = [], []
    for last, domain in zip(lasts, domains.values(), strict=True):
        ranks = np.arange(len(domain), dtype=np.int32)
        sides = domain.ground_sides(np.stack([ranks, ranks], axis=1)).tolist()
        low += [begin * each // last for begin, _ in sides]
        high += [end * each // last for _, end in sides]
    return np.array(low, dtype=np.int64), np.array(high, dtype=np.int64), whole


def _classes(frequencies: FrequencySet, column: str | None) -> NDArray[np.int64]:
    """Count the classes of everybody's combination: (n_combinations, n_classes)."""
    n = len(frequencies.combinations)
    if column is None:
        return np.zeros((n, 0), dtype=np.int64)
    known = (*frequencies.quasi_identifiers, *frequencies.sensitive)
    if column not in known:
        raise BadInput(
            f"KOptimize: class_column must be a quasi-identifier or a sensitive column, and "
            f"{column!r} is none{nearest(column, known)}"
        )
    codes = frequencies.codes(column)
    used, code = np.unique(codes, return_inverse=True)
    counted = np.zeros((n, len(used)), dtype=np.int64)
    np.add.at(counted, (frequencies.combination_of, code), frequencies.counts)
    return counted
