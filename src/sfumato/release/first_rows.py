"""A few published rows to look at: one of each of the first groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

N_ROWS = 5


def first_rows(batches: Any, by: Sequence[str], n: int = N_ROWS) -> list[dict[str, Any]]:
    """Give a row of each of the first `n` groups; no more is read than that takes.

    Rows stand in the order of their values, too: of the second group it is the second row, of the
    third the third, as far as there are as many.

    Args:
        batches: A PyArrow reader of a published table, whose rows stand in order.
        by: The columns that a group has in common.
        n: How many rows.
    """
    import pyarrow as pa  # noqa: PLC0415  (heavy, so imported when used)

    place = _free(by)
    found: dict[tuple[Any, ...], dict[str, Any]] = {}  # a row by what its group has in common
    for batch in batches:
        rows = pa.Table.from_batches([batch])
        numbered = rows.select(list(by)).append_column(
            place, pa.array(range(rows.num_rows), pa.int64())
        )
        groups = numbered.group_by(list(by)).aggregate([(place, "min"), (place, "list")])
        firsts = groups.sort_by(f"{place}_min").slice(0, n + len(found))
        for group in firsts.to_pylist():
            key = tuple(group[name] for name in by)
            if key not in found and len(found) < n:
                places = sorted(group[f"{place}_list"])
                chosen = places[min(len(found), len(places) - 1)]
                found[key] = rows.slice(chosen, 1).to_pylist()[0]
        if len(found) == n:
            break
    return [*found.values()]


def _free(names: Sequence[str]) -> str:
    """Give a name that no column has."""
    return "x" * (1 + max(map(len, names), default=0))
