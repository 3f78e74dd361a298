"""Every choice of buddies between two releases, as flows: for boxes that are not those of cuts.

Regions, local recoding, suppressed rows and other tools' files: classes overlap and comparable
classes need not nest, so the closed forms do not hold. A choice of buddies is a flow that takes
every record of the first release to a comparable group of the second; how many records of one
group can go where the target is, is one more flow over what the first leaves open. Where every
group of a connected part is comparable with every other, the closed form is right again.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sfumato.data.groups import Histogram
from sfumato.formulas.correspondence.cells import PublishedClasses, cells_of_boxes
from sfumato.formulas.correspondence.flows import Flow
from sfumato.formulas.correspondence.pairs import (
    Attacked,
    Index,
    RecordsLeft,
    Target,
    between_cuts,
    counts_at,
    holding,
    joined,
    refuse_without_buddies,
    rows_of,
)
from sfumato.formulas.correspondence.regions import comparable, regions
from sfumato.progress import report

MOST_PAIRS = 1 << 24  # of classes that are tried one by one


def attack(first: PublishedClasses, second: PublishedClasses, target: Target = None) -> Attacked:
    """Attack two releases: in closed form if they are cuts, otherwise by flows.

    Args:
        first: Some people.
        second: The same people and others.
        target: Ground ranks of one person, or None for everybody possible.

    Raises:
        BadInput: Some record of the first release can have no buddy.
    """
    parts = joined(first, second)
    if parts is not None:
        return between_cuts(first, second, parts, target)
    return between_boxes(first, second, target)


def by_flows(first: PublishedClasses, second: PublishedClasses) -> Attacked:
    """Attack two releases by flows, cuts too: another way than the closed forms, and a slower one.

    Where there are too many classes for it, `attack`.
    """
    small = len(first) * len(second) <= MOST_PAIRS
    return between_boxes(first, second) if small else attack(first, second)


def between_boxes(
    first: PublishedClasses, second: PublishedClasses, target: Target = None
) -> Attacked:
    """Attack two releases with any boxes.

    For a target with raw values p let M1 and M2 be the classes that hold p, suppressed rows among
    them. Of a group g1 in M1 as many records are left as can have their buddies in M2 in one
    choice of buddies for all records; of g2 in M2, as many as can be buddies of M1; of g2 for
    somebody who came later, all but those that no choice can avoid.
    """
    network = Network(first, second)
    forward, cross = _targets(first, second, target)
    return Attacked(
        first,
        second,
        network.left_forward(forward),
        network.left_cross(cross),
        network.left_backward(holding(second, target)),
    )


Classes = tuple[int, ...]
Sorts = set[tuple[int, Classes]]  # a class, and the classes of the other release


def _targets(
    first: PublishedClasses, second: PublishedClasses, target: Target
) -> tuple[Sorts, Sorts]:
    """What a target who was there from the start can be in: (class, the other release's classes).

    A target may itself have been suppressed in either release.
    """
    forward: Sorts = set()
    cross: Sorts = set()
    for one, two in _places(first, second, target):
        if (one or first.n_suppressed) and (two or second.n_suppressed):
            forward.update((each, two) for each in one)
            cross.update((each, one) for each in two)
    return forward, cross


def _places(
    first: PublishedClasses, second: PublishedClasses, target: Target
) -> set[tuple[Classes, Classes]]:
    """List the classes of either release that hold the target, or any raw value.

    Cells are found region by region; people of different regions may be in the same classes.
    """
    if target is not None:
        return {(tuple(holding(first, target).tolist()), tuple(holding(second, target).tolist()))}
    places: set[tuple[Classes, Classes]] = set()
    parts = list(regions(first.boxes, second.boxes))
    for n_done, region in enumerate(parts):
        report("comparing releases", n_done, len(parts))
        inside = [region.clipped(each.boxes, j) for j, each in enumerate((first, second))]
        cells = cells_of_boxes(inside, outside=True)
        ones, twos = (
            _listed(cells.members(j), near.tolist()) for j, near in enumerate(region.near)
        )
        places.update(zip(ones, twos, strict=True))
    return places


def _listed(members: NDArray[np.bool_], names: list[int]) -> list[Classes]:
    """Name what is a member in every row."""
    row, column = np.nonzero(members)
    named = [names[each] for each in column.tolist()]
    begins = np.searchsorted(row, np.arange(len(members) + 1)).tolist()
    return [tuple(named[a:b]) for a, b in itertools.pairwise(begins)]


class Network:
    """Groups of two releases, joined where a record of one can be the buddy of one of the other.

    A group is an entry of a release's histogram; suppressed rows are one more group, comparable
    with all others whatever their sensitive value.
    """

    def __init__(self, first: PublishedClasses, second: PublishedClasses) -> None:
        self.histograms = one, two = first.histogram, second.histogram
        self.n_groups = (len(one.counts), len(two.counts))
        self.hidden = (bool(first.n_suppressed), bool(second.n_suppressed))
        self.people = (
            np.append(one.counts, [first.n_suppressed] * self.hidden[0]),
            np.append(two.counts, [second.n_suppressed] * self.hidden[1]),
        )
        edges = [_edges(first, second)]
        if self.hidden[0]:
            every = np.arange(len(self.people[1]))
            edges.append(np.stack([np.full(len(every), self.n_groups[0]), every], axis=1))
        if self.hidden[1]:
            every = np.arange(self.n_groups[0])
            edges.append(np.stack([every, np.full(len(every), self.n_groups[1])], axis=1))
        self._split(np.concatenate(edges))

    def _split(self, edges: NDArray[np.intp]) -> None:
        """Find the connected parts, and whether each is complete."""
        from scipy.sparse import coo_array  # noqa: PLC0415  (heavy, so imported when used)
        from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

        n_one, n_two = len(self.people[0]), len(self.people[1])
        n = n_one + n_two
        ends = (edges[:, 0], edges[:, 1] + n_one)
        graph = coo_array((np.ones(len(edges), dtype=np.int8), ends), shape=(n, n))
        n_parts, part = connected_components(graph, directed=False)
        self.part = (part[:n_one], part[n_one:])
        sizes = [np.bincount(each, minlength=n_parts) for each in self.part]
        edge_part = self.part[0][edges[:, 0]]
        self.complete = np.bincount(edge_part, minlength=n_parts) == sizes[0] * sizes[1]
        totals = []
        for each, people in zip(self.part, self.people, strict=True):
            total = np.zeros(n_parts, dtype=np.int64)
            np.add.at(total, each, people)
            totals.append(total)
        self.totals = totals
        refuse_without_buddies(bool((totals[0] > totals[1]).any()))
        order = np.argsort(edge_part, kind="stable")
        self._edges = edges[order]
        self._begins = np.searchsorted(edge_part[order], np.arange(n_parts + 1))
        self._flows: dict[int, Flow] = {}
        for p in np.flatnonzero(~self.complete & (totals[0] > 0)).tolist():
            self._flow(p)  # which refuses if somebody has no buddy
        self._answers: dict[tuple[str, int, tuple[int, ...]], int] = {}

    def _flow(self, part: int) -> Flow:
        if part not in self._flows:
            edges = self._edges[self._begins[part] : self._begins[part + 1]]
            self._flows[part] = Flow(self.people[0], self.people[1], edges)
        return self._flows[part]

    def left_forward(self, sorts: Sorts) -> RecordsLeft:
        """What is left of the first release's classes; sorts: with the second one's."""
        return self._left(sorts, 0, self.forward)

    def left_cross(self, sorts: Sorts) -> RecordsLeft:
        """What is left of the second release's classes; sorts: with the first one's."""
        return self._left(sorts, 1, self.cross)

    def _left(self, sorts: Sorts, side: int, most: Callable[[int, list[int]], int]) -> RecordsLeft:
        """Ask, for every group of every class, how many of its records can be where the target is.

        No more than the group has, and than there is room for; in a complete part, as many.
        """
        own, other = self.histograms[side], self.histograms[1 - side]
        listed = sorted(sorts)
        classes = np.array([each for each, _ in listed], dtype=np.intp)
        row, entry = rows_of(own, classes)
        places = {where: j for j, where in enumerate(dict.fromkeys(where for _, where in listed))}
        around = np.array([places[where] for _, where in listed], dtype=np.intp)
        # Everybody in the classes around a target, by value: (n_places, n_values).
        sizes = [len(where) for where in places]
        flat = np.array([each for where in places for each in where], dtype=np.intp)
        place_of, other_entry = rows_of(other, flat)
        place_of = np.repeat(np.arange(len(places)), sizes)[place_of]
        shape = (max(1, len(places)), other.n_values)
        room = Histogram.from_entries(
            place_of, other.codes[other_entry], other.counts[other_entry], shape
        )
        left = counts_at(room, around[row] * other.n_values + own.codes[entry])
        if self.hidden[1 - side]:
            left = left + self.people[1 - side][-1]
        left = np.minimum(left, own.counts[entry])
        in_order = np.argsort(place_of, kind="stable")
        begins = np.searchsorted(place_of[in_order], np.arange(len(places) + 1))
        asked = np.flatnonzero(~self.complete[self.part[side][entry]] & (left > 0))
        for n_done, j in enumerate(asked.tolist()):
            report("looking for buddies", n_done, len(asked))
            place = around[row[j]]
            inside = other_entry[in_order[begins[place] : begins[place + 1]]]
            same = inside[other.codes[inside] == own.codes[entry[j]]]
            left[j] = most(int(entry[j]), same.tolist())
        some = left > 0
        histogram = Histogram.from_entries(
            row[some], own.codes[entry[some]], left[some], (len(listed), own.n_values)
        )
        return RecordsLeft(classes, histogram)

    def left_backward(self, kept: Index) -> RecordsLeft:
        """What is left of classes of the second release, for somebody who came later."""
        own = self.histograms[1]
        row, entry = rows_of(own, kept)
        part = self.part[1][entry]
        others = self.totals[1][part] - own.counts[entry]
        crack = np.maximum(0, self.totals[0][part] - others)
        asked = np.flatnonzero(~self.complete[part])
        for n_done, j in enumerate(asked.tolist()):
            report("looking for buddies", n_done, len(asked))
            crack[j] = self._flow(int(part[j])).fewest_into(int(entry[j]))
        left = own.counts[entry] - crack
        some = left > 0
        shape = (len(kept), own.n_values)
        codes = own.codes[entry]
        return RecordsLeft(kept, Histogram.from_entries(row[some], codes[some], left[some], shape))

    def forward(self, group: int, others: list[int]) -> int:
        """Most records of a group of the first release with buddies in some of the second."""
        if self.hidden[1]:
            others = [*others, self.n_groups[1]]
        most = min(int(self.people[0][group]), sum(int(self.people[1][e]) for e in others))
        part = int(self.part[0][group])
        if not most or self.complete[part]:
            return most
        key = ("forward", group, tuple(others))
        if key not in self._answers:
            self._answers[key] = self._flow(part).most_from(group, others, most)
        return self._answers[key]

    def cross(self, group: int, others: list[int]) -> int:
        """Most records of a group of the second release that are buddies of some of the first."""
        if self.hidden[0]:
            others = [*others, self.n_groups[0]]
        most = min(int(self.people[1][group]), sum(int(self.people[0][e]) for e in others))
        part = int(self.part[1][group])
        if not most or self.complete[part]:
            return most
        key = ("cross", group, tuple(others))
        if key not in self._answers:
            self._answers[key] = self._flow(part).most_into(others, group, most)
        return self._answers[key]


def _edges(first: PublishedClasses, second: PublishedClasses) -> NDArray[np.intp]:
    """Pair the groups of comparable classes that have the same sensitive value."""
    pairs = comparable(first.boxes, second.boxes)
    one, two = first.histogram, second.histogram
    row, entry = rows_of(one, pairs[:, 0])
    key = pairs[row, 1] * two.n_values + one.codes[entry]
    own = np.append(two.group_of * two.n_values + two.codes, -1)
    place = np.searchsorted(own[:-1], key)
    same = own[place] == key
    return np.stack([entry[same], place[same]], axis=1)
