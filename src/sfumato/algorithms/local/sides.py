"""What a side of a published box loses, laid out for compiled loops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.recoding import without_hidden

Bounds = Literal["grid", "tight", "nodes"]
BOUNDS: tuple[Bounds, ...] = ("grid", "tight", "nodes")
MOST_CELLS = 1024  # of a column; values next to each other share one where there are more

Ranks = NDArray[np.int32]


class Sides(NamedTuple):
    """The loss of every side of every column, from 0 (one value) to 1 (all of them).

    A side is given by the cells of the least and the largest value of its people. The cells of a
    column are its values; where these are too many, runs of them, in a tree its nodes.
    """

    n_cells: NDArray[np.int64]  # (n_columns,)
    begin: NDArray[np.int64]  # (n_columns,) where a column's losses begin
    losses: NDArray[np.float64]  # by first and last cell, column after column

    @classmethod
    def of(
        cls, domains: Sequence[Domain], cells: Sequence[Ranks], bounds: Bounds, *, between: bool
    ) -> Sides:
        """Measure the sides between all cells; cells: where each begins, column by column.

        between: not of the cells as a whole, but of what is between them, which is lost at least.
        """
        losses = [
            _losses(domain, starts, bounds, between=between)
            for domain, starts in zip(domains, cells, strict=True)
        ]
        return cls(
            np.array([len(starts) for starts in cells], dtype=np.int64),
            np.cumsum([0, *(each.size for each in losses[:-1])], dtype=np.int64),
            np.concatenate([each.ravel() for each in losses]),
        )


def cells_of(domain: Domain) -> Ranks:
    """Give the ranks where cells begin: at every value, or at nodes or runs of values."""
    tree = domain.taxonomy
    for starts in map(np.unique, tree.low[:-1]):
        if len(starts) <= MOST_CELLS:
            if len(starts) > MOST_CELLS // 4:
                return np.asarray(starts, dtype=np.int32)
            break
    if len(domain) <= MOST_CELLS:
        return np.arange(len(domain), dtype=np.int32)
    return np.unique(np.linspace(0, len(domain) - 1, MOST_CELLS).astype(np.int32))


def _losses(domain: Domain, starts: Ranks, bounds: Bounds, *, between: bool) -> NDArray[np.float64]:
    """Give the loss of the side between any two cells; (n, n), the lower triangle means nothing."""
    first = starts
    last = np.append(starts[1:], len(domain)).astype(np.int32) - 1
    n = len(starts)
    rows, columns = np.triu_indices(n)
    low, high = first[rows], last[columns]
    if between:
        low, high = np.where(rows < columns, last[rows], low), first[columns]
    place = _around if between else published_sides  # what is told as a whole is not told less
    sides = domain.ground_sides(place(domain, bounds, low, high))
    losses = np.zeros((n, n))
    losses[rows, columns] = (sides[:, 1] - sides[:, 0]) / max(len(domain.ground) - 1, 1)
    return losses


def published_sides(domain: Domain, bounds: Bounds, low: Ranks, high: Ranks) -> Ranks:
    """Give the sides that are published of people whose values lie between two; (n, 2).

    Of a side that holds a value which cannot be told nothing is told: it is the whole column.
    """
    sides = _around(domain, bounds, low, high)
    if bounds == "nodes":
        return sides
    return without_hidden({"": domain}, [""], sides[:, None])[:, 0]


def _around(domain: Domain, bounds: Bounds, low: Ranks, high: Ranks) -> Ranks:
    """Give the sides around people; as nodes the smallest that can be told."""
    tree = domain.taxonomy
    begin, end = low.copy(), high.copy()
    if bounds == "nodes":
        for level in range(tree.height, -1, -1):
            first, last = tree.low[level, low], tree.high[level, low]
            fits = first == tree.low[level, high]
            if level < tree.height:
                fits &= ~domain.holds_hidden(first, last)
            begin[fits], end[fits] = first[fits], last[fits]
    elif bounds == "grid" and domain.grid is not None:
        first, last = tree.low[domain.grid], tree.high[domain.grid]
        wide = _extent(domain, low, high) > _extent(domain, first, last).max()
        begin[wide], end[wide] = first[low[wide]], last[high[wide]]
    return np.stack([begin, end], axis=1)


def _extent(domain: Domain, low: Ranks, high: Ranks) -> NDArray[np.float64]:
    """Give how far values lie apart: numbers, or else ranks; from a missing one infinitely."""
    if domain.numbers is None:
        return (high - low).astype(np.float64)
    apart = domain.numbers[high] - domain.numbers[low]
    apart[low == high] = 0.0
    return np.nan_to_num(apart, nan=np.inf)
