"""The Adult census data as the papers used it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sfumato.datasets import adult

SAMPLE = 4_000  # rows of a quick look
SEED = 2010


def census(columns: Sequence[str], *, quick: bool = False) -> Any:
    """Give the rows without any missing value, 45,222, as a PyArrow table.

    >>> census(["age"]).num_rows, census(["age"], quick=True).num_rows
    (45222, 4000)
    """
    complete = adult().drop_null()
    if quick:
        chosen = np.random.default_rng(SEED).choice(complete.num_rows, SAMPLE, replace=False)
        complete = complete.take(np.sort(chosen))
    return complete.select(list(columns))
