"""Two published tables seen as one: sensitive values dealt out at random within each group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sfumato.errors import BadInput


def permuted(data: Any, values: Any, group: str, columns: Sequence[str], seed: int | None) -> Any:
    """Put a random row of values of the same group beside every row of quasi-identifiers.

    data, values: PyArrow tables that share the column `group`. The result has this column and then
    the others in the order of `columns`.
    """
    import pyarrow as pa  # noqa: PLC0415  (heavy, so imported when used)

    numbers = data[group].to_numpy()
    theirs = values[group].to_numpy()
    chance = np.random.default_rng(seed).random(len(theirs))
    dealt = np.lexsort((chance, theirs))  # by group, and at random inside it
    place = np.argsort(numbers, kind="stable")
    if not np.array_equal(numbers[place], theirs[dealt]):
        raise BadInput(
            "permuted: the groups have more or fewer values than people, so values cannot be dealt "
            "out one to each"
        )
    row = np.empty_like(dealt)
    row[place] = dealt
    both = {name: data[name] for name in data.column_names}
    both |= {name: values[name].take(row) for name in values.column_names if name != group}
    return pa.table({name: both[name] for name in (group, *columns)})
