"""The first halves of a table that does not fit, decided by what its engine counts.

Where a region is halved follows from how many of its people have which code of one column; in whom
the middle falls, from how many of those at the median have which combination. Both halves are then
counted by that column and by sensitive values, and judged. So the halves are those of a search that
has it all in memory (`Halving`), until every region fits or has no safe halves.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.algorithms.lots import Draw, OwnChances
from sfumato.algorithms.mondrian.relaxed import chosen, widest_first
from sfumato.criteria.criterion import Criterion
from sfumato.criteria.judging import holding
from sfumato.data.frequency import FrequencySet, JointGroups, sum_by
from sfumato.data.groups import Histogram
from sfumato.data.regions import Regions
from sfumato.progress import report
from sfumato.stored_counts import StoredCounts


def first_halves(
    stored: StoredCounts, criterion: Criterion, chances: OwnChances, *, widest_only: bool
) -> tuple[Regions, frozenset[int], list[int]]:
    """Halve regions until they fit; give them, with those that are larger and have no halves.

    And how each of them came about, as `OwnChances.of_cut` has it.
    """
    regions, final, paths = stored.regions, set[int](), [1]
    columns = range(len(stored.quasi_identifiers))
    while True:
        sizes = stored.counted.sizes(regions)
        large = [r for r in np.flatnonzero(sizes > stored.most).tolist() if r not in final]
        report("halving", len(regions) - len(large), len(regions))
        if not large:
            return regions, frozenset(final), paths
        along = [dict(stored.along(regions, large, column)) for column in columns]
        for region in large:
            seen = [of_column[region].combinations for of_column in along]
            for column in _order(stored, seen)[: 1 if widest_only else None]:
                draw = chances.of_cut(paths[region], column)
                halved = _halved(stored, regions, region, column, seen[column], draw)
                halves = stored.along(halved, [region, len(regions)], column)
                if all(_safe(people, criterion) for _, people in halves):
                    regions = halved
                    paths.append(2 * paths[region] + 1)
                    paths[region] *= 2
                    break
            else:
                final.add(region)


def _order(stored: StoredCounts, seen: Sequence[FrequencySet]) -> list[int]:
    """Give the columns in the order in which they are tried; seen: the region along each."""
    codes = [ground.codes(ground.columns[0]) for ground in seen]
    return widest_first(
        [stored.domains[name] for name in stored.quasi_identifiers],
        np.array([each[0] for each in codes]),
        np.array([each[-1] for each in codes]),
    )


def _halved(
    stored: StoredCounts,
    regions: Regions,
    region: int,
    column: int,
    ground: FrequencySet,
    draw: Draw,
) -> Regions:
    """Give the regions with one of them in halves; ground: its people by the column."""
    codes, upto = ground.codes(ground.columns[0]), np.cumsum(ground.counts)
    half = int(upto[-1]) // 2
    at = int(np.searchsorted(upto, half))
    regions, code = regions.copied(), int(codes[at])
    if upto[at] == half:  # a clean cut: the values in between go half-way
        regions.cut(region, column, (code + int(codes[at + 1]) - 1) // 2)
        return regions
    place = half - int(upto[at] - ground.counts[at])
    middle, n_before = stored.middle(regions, region, column, code, place)
    regions.cut_between(region, column, code, middle, chosen(middle.people, place - n_before, draw))
    return regions


def _safe(people: FrequencySet, criterion: Criterion) -> bool:
    """Whether some people are safe as one group."""
    histogram = None
    if any(part.looks_at_values for part in criterion.parts):
        values = people.persons_values
        counted = sum_by(values.of_key, people.counts, len(values.codes))
        histogram = Histogram.from_dense(counted[np.newaxis])
    joint = JointGroups(people, np.array([people.n_rows]), histogram)
    return bool(holding(criterion, joint)[0])
