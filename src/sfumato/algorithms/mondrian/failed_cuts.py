"""The cuts that strict Mondrian tried and found unsafe, seen from what it published."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.failed_steps import FailedStep, PublishedGroups
from sfumato.algorithms.mondrian.line import Line
from sfumato.data.domain import Domain


@dataclass(frozen=True, eq=False)
class _Column:
    """The regions of a round along one column: what could be cut where, in the order of trying."""

    line: Line
    span: NDArray[np.float64]  # (n_regions,)
    tried: NDArray[
        np.intp
    ]  # cells to cut at that leave enough people, best first, region by region
    first: NDArray[np.intp]  # (n_regions,): position in `tried` of the first that parts no group
    starts: NDArray[np.intp]  # (n_regions + 1,): where the cells of each region stand in `tried`

    @property
    def allowed(self) -> NDArray[np.bool_]:
        """(n_regions,): whether some cut parts no published group."""
        return np.asarray(self.first < self.starts[1:])


def failed_cuts(
    published: PublishedGroups, least: int, *, widest_only: bool
) -> Iterator[FailedStep]:
    """Give the cuts that were not safe; least: people on each side without whom none is."""
    ground = published.ground
    domains = [ground.domains[name] for name in ground.columns]
    codes = np.stack([ground.codes(name) for name in ground.columns], axis=1)
    region_of = np.zeros(len(ground), dtype=np.intp)
    inside = np.arange(len(ground))  # combinations of regions that may still be cut, by region
    while len(inside):
        region = region_of[inside]
        columns = [
            _column(domain, region, codes[inside, j], published, inside, least)
            for j, domain in enumerate(domains)
        ]
        chosen = _chosen(columns, widest_only=widest_only)
        yield from _failed(columns, chosen, inside, region, widest_only=widest_only)
        side = np.zeros(len(inside), dtype=np.intp)
        for j, column in enumerate(columns):
            mine = np.flatnonzero(chosen[region] == j)
            cut = column.tried[column.first[region[mine]]]
            side[mine] = column.line.cell_of[mine] > cut
        going_on = chosen[region] >= 0
        inside = inside[going_on]
        new, index = np.unique(2 * region[going_on] + side[going_on], return_inverse=True)
        people = np.bincount(index, weights=ground.counts[inside], minlength=len(new))
        large = people >= 2 * least
        kept = large[index]
        number = np.cumsum(large) - 1
        inside, index = inside[kept], number[index[kept]]
        order = np.argsort(index, kind="stable")
        inside = inside[order]
        region_of[inside] = index[order]


def _column(
    domain: Domain,
    region: NDArray[np.intp],
    codes: NDArray[np.int32],
    published: PublishedGroups,
    inside: NDArray[np.intp],
    least: int,
) -> _Column:
    line = Line.of(domain, region, codes, published.ground.counts[inside])
    _, candidate = line.boundaries(domain)
    left = line.left[candidate]
    tried = candidate[(left >= least) & (line.total[candidate] - left >= least)]
    tried = tried[np.argsort(line.region[tried], kind="stable")]
    starts = np.searchsorted(line.region[tried], np.arange(len(line.starts) + 1))
    # A cut parts a group if it lies between the group's first cell and its last.
    group = published.group[inside]
    first = np.full(int(group.max()) + 1, len(line.region), dtype=np.intp)
    last = np.zeros(len(first), dtype=np.intp)
    np.minimum.at(first, group, line.cell_of)
    np.maximum.at(last, group, line.cell_of)
    here = first < len(line.region)  # groups with people in regions of this round
    first, last = first[here], last[here]
    open_ = np.bincount(first, minlength=len(line.region) + 1)
    closed = np.bincount(last, minlength=len(line.region) + 1)
    parts = np.cumsum(open_ - closed)[:-1] > 0  # (n_cells,)
    whole = np.flatnonzero(~parts[tried])
    best = starts[1:].copy()
    owner = line.region[tried[whole]]
    new = np.flatnonzero(np.diff(owner, prepend=-1))
    best[owner[new]] = whole[new]
    return _Column(line, domain.span(line.low, line.high), tried, best, starts)


def _chosen(columns: list[_Column], *, widest_only: bool) -> NDArray[np.intp]:
    """Give the column that each region is cut along; -1: none."""
    n_regions = len(columns[0].span)
    chosen = np.full(n_regions, -1, dtype=np.intp)
    widest = np.full(n_regions, -1.0)
    for j, column in enumerate(columns):
        wider = (column.span > widest) & (column.line.low < column.line.high)
        if widest_only:
            widest[wider], chosen[wider] = column.span[wider], -1
        wider &= column.allowed
        widest[wider], chosen[wider] = column.span[wider], j
    return chosen


def _failed(
    columns: list[_Column],
    chosen: NDArray[np.intp],
    inside: NDArray[np.intp],
    region: NDArray[np.intp],
    *,
    widest_only: bool,
) -> Iterator[FailedStep]:
    """Give what was tried before the cut that each region got, or all if it got none."""
    spans = np.stack([column.span for column in columns])  # (n_columns, n_regions)
    open_ = np.stack([column.line.low < column.line.high for column in columns])
    every = np.arange(len(chosen))
    own = np.where(chosen >= 0, spans[chosen, every], -1.0)
    widest = np.argmax(np.where(open_, spans, -1.0), axis=0)  # the first of the widest
    bounds = np.searchsorted(region, np.arange(len(chosen) + 1))
    for j, column in enumerate(columns):
        if widest_only:
            before = widest == j
        else:  # narrower columns were not needed, nor later ones of the same width
            before = (spans[j] > own) | ((spans[j] == own) & (j <= chosen)) | (chosen < 0)
        end = np.where(chosen == j, column.first, column.starts[1:])
        for r in np.flatnonzero(before & (end > column.starts[:-1])).tolist():
            members = inside[bounds[r] : bounds[r + 1]]
            cell = column.line.cell_of[bounds[r] : bounds[r + 1]]
            for cut in column.tried[column.starts[r] : end[r]].tolist():
                below = cell <= cut
                yield FailedStep((members[below], members[~below]))
