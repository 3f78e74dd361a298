"""The first steps down of a table that does not fit, decided by its columns one at a time.

Along which column a group goes down, and how many people of each kind (a child and a value) go
back, follows from how many there are of each kind along every column. So the engine counts just
that. Who of a kind goes back are places drawn by lot, by the same lots as if all combinations were
in memory; the engine finds who stands there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.lots import Draw, OwnChances
from sfumato.algorithms.top_down.judge import Judge
from sfumato.algorithms.top_down.local import fewer_can_mend
from sfumato.algorithms.top_down.step import (
    Entries,
    GoingBack,
    Kinds,
    best_column,
    chosen_places,
    one_level_down,
)
from sfumato.criteria.criterion import Criterion
from sfumato.data.frequency import FrequencySet
from sfumato.data.keys import distinct
from sfumato.data.regions import Regions
from sfumato.progress import report
from sfumato.stored_counts import StoredCounts


class _Descent(NamedTuple):
    """How a group goes down."""

    column: int
    children: NDArray[np.int32]  # (n_children, 2): [low, high] of those that somebody goes down to
    child: NDArray[np.intp]  # (n,) of everybody in these who goes back all the same: number,
    personal: NDArray[np.int32]  # (n, n_columns) sensitive values,
    place: NDArray[np.intp]  # (n,) and place among the people of that child and value


def first_steps(
    stored: StoredCounts, criterion: Criterion, chances: OwnChances, *, parts: bool
) -> tuple[Regions, frozenset[int]]:
    """Go down until regions fit; give them, with those whose people stay at their box."""
    regions, final = stored.regions, set[int]()
    parts = parts and fewer_can_mend(criterion, stored.everybody)
    while True:
        sizes = stored.counted.sizes(regions)
        large = [r for r in np.flatnonzero(sizes > stored.most).tolist() if r not in final]
        report("specializing", len(regions) - len(large), len(regions))
        if not large:
            return regions, frozenset(final)
        final.update(large)  # whoever does not go down now stays for good
        columns = range(len(stored.quasi_identifiers))
        along = [dict(stored.along(regions, large, column)) for column in columns]
        boxes, descents = regions.boxes, dict[int, tuple[_Descent, list[int]]]()
        for region in large:
            seen, draw = [of_column[region] for of_column in along], chances.of(boxes[region])
            descent = _descent(seen, boxes[region], criterion, draw, parts=parts)
            if descent is not None:
                new = regions.take_out(region, descent.column, descent.children)
                descents[region] = descent, new
        _send_back(stored, regions, descents)


def _descent(
    seen: Sequence[FrequencySet],
    box: NDArray[np.int32],
    criterion: Criterion,
    draw: Draw,
    *,
    parts: bool,
) -> _Descent | None:
    """Decide about one group; seen: its people along each column. None: nobody goes down."""
    judges = [Judge(people, criterion) for people in seen]
    entries = [Entries.of(judge) for judge in judges]
    steps = [
        one_level_down(*each, 0, box[j : j + 1], criterion.least_size, parts=parts)
        for j, each in enumerate(zip(judges, entries, strict=True))
    ]
    people = np.concatenate([step.people for step in steps])
    exact = np.concatenate([step.exact for step in steps])

    def kinds(j: int) -> Kinds:
        return Kinds.of(judges[j], entries[j], steps[j])

    best, back = best_column(people, exact, kinds, draw)
    if people[best] == 0:
        return None
    return _going_down(best, kinds(best).unsafe if back is None else back, box[best], draw)


def _going_down(column: int, back: GoingBack, side: NDArray[np.int32], draw: Draw) -> _Descent:
    """Give the children that somebody goes down to, and who of their people goes back."""
    kinds, judge = back.kinds, back.kinds.judge
    down = np.unique(kinds.child[back.people < kinds.counts])
    taxonomy = judge.domains[0].taxonomy
    level = taxonomy.enclosing_level(side[:1], side[1:])[0] - 1
    children = np.stack([taxonomy.low[level, down], taxonomy.high[level, down]], axis=1)
    some = np.flatnonzero((back.people > 0) & np.isin(kinds.child, down))
    places = [
        chosen_places(np.array([n]), n_back, draw) if n_back < n else np.arange(n)
        for n, n_back in zip(kinds.counts[some].tolist(), back.people[some].tolist(), strict=True)
    ]
    kind = np.repeat(some, back.people[some])
    values = (
        judge.frequencies.persons_values.codes if judge.by_value else np.zeros((1, 0), np.int32)
    )
    return _Descent(
        column,
        children,
        np.searchsorted(down, kinds.child[kind]),
        values[kinds.value[kind]],
        np.concatenate([np.zeros(0, dtype=np.intp), *places]),
    )


def _send_back(
    stored: StoredCounts, regions: Regions, descents: dict[int, tuple[_Descent, list[int]]]
) -> None:
    """Find the people who go back, all at once, and let them stay in their regions."""
    taken = [np.array(new)[descent.child] for descent, new in descents.values()]
    if not any(map(len, taken)):
        return
    personal = np.concatenate([descent.personal for descent, _ in descents.values()])
    place = np.concatenate([descent.place for descent, _ in descents.values()])
    keys, people = stored.standing(regions, np.concatenate(taken), personal, place)
    end = 0
    for region, own in zip(descents, taken, strict=True):
        mine = slice(end, end := end + len(own))
        each, which = distinct(keys[mine])
        first = np.unique(which, return_index=True)[1]
        back = np.bincount(which, minlength=len(each))
        regions.send_back(region, each, own[first], people[mine][first], back)
