"""The first cuts of a table that does not fit, decided by its columns one at a time.

Where a region is cut, and whether both sides are safe, follows from how many of its people have
which code of one column together with which sensitive values. So the engine counts just that until
every region fits or has no allowable cut (the Rothko tree of LeFevre, DeWitt and Ramakrishnan,
"Workload-aware anonymization", 2008); the cuts are those of a search that has it all in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from sfumato.algorithms.mondrian.judge import Judge
from sfumato.algorithms.mondrian.line import Line
from sfumato.algorithms.mondrian.space import best_cuts
from sfumato.criteria.criterion import Criterion
from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet
from sfumato.data.regions import Regions
from sfumato.progress import report
from sfumato.stored_counts import StoredCounts


def first_cuts(
    stored: StoredCounts,
    criterion: Criterion,
    judge_by: Callable[[FrequencySet, Criterion], Judge],
    *,
    widest_only: bool,
) -> tuple[Regions, frozenset[int]]:
    """Cut regions until they fit; give them, with those that are larger and cannot be cut."""
    regions, final = stored.regions, set[int]()
    domains = [stored.domains[name] for name in stored.quasi_identifiers]
    while True:
        sizes = stored.counted.sizes(regions)
        large = [r for r in np.flatnonzero(sizes > stored.most).tolist() if r not in final]
        report("cutting", len(regions) - len(large), len(regions))
        if not large:
            return regions, frozenset(final)
        along = [dict(stored.along(regions, large, column)) for column in range(len(domains))]
        for region in large:
            seen = [of_column[region] for of_column in along]
            dimension, last = best_cuts(
                domains, _lines(domains, seen, criterion, judge_by), 1, widest_only=widest_only
            )
            if dimension[0] < 0:
                final.add(region)
            else:
                regions.cut(region, int(dimension[0]), int(last[0]))


def _lines(
    domains: list[Domain],
    seen: list[FrequencySet],
    criterion: Criterion,
    judge_by: Callable[[FrequencySet, Criterion], Judge],
) -> Iterator[tuple[Judge, Line]]:
    """See a region along each column, with its own judge."""
    for domain, people in zip(domains, seen, strict=True):
        judge, ground = judge_by(people, criterion), people.combinations
        alone = np.zeros(len(ground), dtype=np.intp)
        judge.look_at(np.arange(len(ground)), alone, 1)
        yield judge, Line.of(domain, alone, ground.codes(ground.columns[0]), ground.counts)
