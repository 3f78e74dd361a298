"""People with equal quasi-identifiers, whom grouping methods put into a row by lot.

Where somebody stands in a group tells something; who of several people that are alike stands there
is chance, so of each of them the same is believed: the average over their places.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.formation import Formation, ranks
from sfumato.attacks.known_method.membership import Membership
from sfumato.attacks.known_method.solver import LearnedBeliefs
from sfumato.data.frequency import FrequencySet, sum_by
from sfumato.data.groups import Counts
from sfumato.data.keys import distinct_rows
from sfumato.data.recoding import SUPPRESSED, Bucketing


@dataclass(frozen=True, eq=False)
class AlikePeople(Membership):
    """People by their quasi-identifiers and by where in a group they stand.

    A combination may be in a group several times: at several places.
    """

    ground: FrequencySet = field(kw_only=True)  # combinations of quasi-identifiers

    def values(self, combination: int) -> dict[str, object]:
        """The quasi-identifiers of a combination."""
        names = self.ground.quasi_identifiers
        codes = {name: int(self.ground.codes(name)[combination]) for name in names}
        return {name: self.ground.domains[name].labels[code] for name, code in codes.items()}


def told_apart(
    members: Membership, learned: LearnedBeliefs, buckets: Bucketing, formation: Formation
) -> tuple[Membership, LearnedBeliefs]:
    """See people by their quasi-identifiers instead of by the place where they joined.

    members: places of all groups, which `learned` is about.
    """
    combination, place, people = _standing(members, buckets, formation)
    order = np.lexsort((combination, place))
    combination, place, people = combination[order], place[order], people[order]
    group = members.group[place]
    by_people = AlikePeople(
        members.frequencies,
        members.boxes,
        combination,
        group,
        people,
        members.histogram,
        ground=buckets.combinations.combinations,
    )
    beliefs = []
    for each in learned.beliefs:
        for g in [each.group] if each.alike is None else each.alike.tolist():
            own = slice(by_people.starts[g], by_people.starts[g + 1])
            row = each.row[place[own] - members.starts[g]]
            beliefs.append(replace(each, group=g, row=row, alike=None))
    return by_people, replace(learned, beliefs=beliefs)


_Standing = tuple[NDArray[np.intp], NDArray[np.intp], Counts]


def _standing(members: Membership, buckets: Bucketing, formation: Formation) -> _Standing:
    """Count people by combination and place, as `members` numbers places."""
    kept = buckets.parts[:, 1] != SUPPRESSED
    combination = buckets.combinations.combination_of[buckets.parts[kept, 0]]
    group, people = buckets.parts[kept, 1], buckets.parts[kept, 2]
    if buckets.formed is not None:  # partitioned: it is written down where everybody joined
        _, place = distinct_rows(np.column_stack([group, buckets.formed[kept]]))
        cells, which = distinct_rows(np.column_stack([combination, place]))
        counted = sum_by(which, people, len(cells))
        return cells[:, 0].astype(np.intp), cells[:, 1].astype(np.intp), counted
    rank = ranks(buckets.combinations.combinations, formation.order)
    cells, which = distinct_rows(np.column_stack([group, rank[combination]]))
    people = sum_by(which, people, len(cells))
    group, at = cells[:, 0].astype(np.intp), cells[:, 1]
    combination = np.argsort(rank)[at]  # the one of each rank
    end = np.cumsum(people) - (np.cumsum(members.sizes) - members.sizes)[group]
    start = end - people
    width = _width(members.sizes, formation)[group]
    first, last = start // width, (end - 1) // width
    n = last - first + 1
    cell = np.repeat(np.arange(len(cells)), n)
    bucket = np.arange(len(cell)) - np.repeat(np.cumsum(n) - n - first, n)
    low = np.maximum(start[cell], bucket * width[cell])
    high = np.minimum(end[cell], (bucket + 1) * width[cell])
    return combination[cell], members.starts[group[cell]] + bucket, high - low


def _width(sizes: Counts, formation: Formation) -> Counts:
    """Give how many people join a group at a time; of halves, those of the first."""
    if formation.unit:
        return np.full(len(sizes), formation.unit, dtype=np.int64)
    return np.where(formation.n_buckets(sizes) == 2, (sizes + 1) // 2, np.maximum(sizes, 1))
