"""Numbers of a sensitive column in bins of one width, in the original and as published."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from sfumato.data.decimals import number_text
from sfumato.data.frequency import sum_by
from sfumato.data.groups import Counts

MOST_BINS = 16
CONTINUOUS = 13  # different numbers, from which on they are drawn in bins
STEPS = (1, 2, 5)  # a width is one of these, in tens


def histogram(
    numbers: Sequence[float | None], before: Counts, after: Counts
) -> list[dict[str, Any]] | None:
    """Count people by bins of a round width; None: these are few numbers, or no numbers.

    numbers: Of each value, in the order of the counts; None: a missing one.

    >>> ones = np.ones(20, dtype=np.int64)
    >>> bins = histogram([*range(20)], ones, ones)
    >>> [(each["label"], each["original"]) for each in bins][:2], len(bins)
    ([('0 to below 2', 2), ('2 to below 4', 2)], 10)
    """
    held = [j for j, x in enumerate(numbers) if x is not None and before[j]]
    exact = [Decimal(repr(float(numbers[j] or 0))) for j in held]
    if len(held) < CONTINUOUS or not all(each.is_finite() for each in exact):
        return None
    width = _width(min(exact), max(exact))
    first = _place(min(exact), width)
    places = np.array([_place(each, width) - first for each in exact])
    n_bins = int(places.max()) + 1
    original, published = (sum_by(places, counts[held], n_bins) for counts in (before, after))
    return [
        {
            "label": f"{number_text((first + j) * width)} to below "
            f"{number_text((first + j + 1) * width)}",
            "original": int(original[j]),
            "published": int(published[j]),
        }
        for j in range(n_bins)
    ]


def _place(number: Decimal, width: Decimal) -> int:
    return math.floor(number / width)


def _width(low: Decimal, high: Decimal) -> Decimal:
    """Give the least round width that makes no more bins than can be drawn."""
    power = math.floor(math.log10((high - low) / MOST_BINS))
    widths = (Decimal(step).scaleb(power + tens) for tens in range(4) for step in STEPS)
    return next(width for width in widths if _place(high, width) - _place(low, width) < MOST_BINS)
