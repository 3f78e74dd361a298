"""Which people fit a published row: labels read as an adversary with a list of people would."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet, Grouping, sum_by
from sfumato.data.groups import Counts
from sfumato.data.labels.reader import LabelReader
from sfumato.data.values import Interval
from sfumato.errors import CannotRun
from sfumato.formulas.boxes import points
from sfumato.table import Table

NOBODY: Interval = (0, -1)

# What was read of a published table, as long as somebody has that table: every attack of an audit
# asks for the same. Labels by column and by the domain they were read in, which is kept with them.
_read: WeakKeyDictionary[Grouping, dict[tuple[str, int], tuple[Domain, list[list[Interval]]]]]
_read = WeakKeyDictionary()
_fitting: WeakKeyDictionary[Grouping, WeakKeyDictionary[Table, Counts]] = WeakKeyDictionary()


def boxes_in(domains: Mapping[str, Domain], seen: Grouping) -> NDArray[np.int32]:
    """Give the smallest boxes of another table's ranks around published groups.

    Empty sides are (0, -1).
    """
    columns = seen.frequencies.quasi_identifiers
    sides = []
    for j, column in enumerate(columns):
        ends = [(each[0][0], each[-1][1]) for each in _intervals(column, domains[column], seen)]
        sides.append(np.array(ends, dtype=np.int32).reshape(-1, 2)[seen.boxes[:, j, 0]])
    return np.stack(sides, axis=1)


def fitting(people: Table, seen: Grouping) -> Counts:
    """Count the people of a table who fit each published group; they may fit several."""
    counted = _fitting.setdefault(seen, WeakKeyDictionary())
    if people not in counted:
        counted[people] = _count_fitting(people, seen)
        counted[people].flags.writeable = False  # it is everybody's
    return counted[people]


def _count_fitting(people: Table, seen: Grouping) -> Counts:
    columns = seen.frequencies.quasi_identifiers
    owner = np.arange(len(seen.boxes))
    sides: list[NDArray[np.int32]] = []
    for j, column in enumerate(columns):  # a label that stands for two ranges makes two boxes
        ranges = _intervals(column, people.domains[column], seen)
        n_ranges = np.array([len(each) for each in ranges])
        starts = np.cumsum(n_ranges) - n_ranges
        every = np.array([each for several in ranges for each in several], dtype=np.int32)
        label = seen.boxes[owner, j, 0]
        box = np.repeat(np.arange(len(owner)), n_ranges[label])
        which = np.arange(len(box)) - np.searchsorted(box, box)  # 0 for the first range of a label
        sides = [side[box] for side in sides] + [every[starts[label[box]] + which]]
        owner = owner[box]
    n_people = people_in(np.stack(sides, axis=1), people.combinations(), columns)
    return sum_by(owner, n_people, len(seen.boxes))


def fits(column: str, domain: Domain, rank: int, seen: Grouping) -> NDArray[np.bool_]:
    """Say for every published group whether a value fits its label."""
    inside = [
        any(low <= rank <= high for low, high in each) for each in _intervals(column, domain, seen)
    ]
    j = seen.frequencies.quasi_identifiers.index(column)
    return np.array(inside, dtype=bool)[seen.boxes[:, j, 0]]


def _intervals(column: str, domain: Domain, seen: Grouping) -> list[list[Interval]]:
    """Give the ranks that every label of a published column stands for, each read once."""
    read = _read.setdefault(seen, {})
    place = column, id(domain)
    if place not in read:
        read[place] = domain, _read_labels(column, domain, seen)
    return read[place][1]


def _read_labels(column: str, domain: Domain, seen: Grouping) -> list[list[Interval]]:
    reader = LabelReader(domain)
    labels = seen.frequencies.domains[column].labels
    ranks = [reader.intervals(label) for label in labels]
    unreadable = [label for label, each in zip(labels, ranks, strict=True) if each is None]
    if unreadable:
        raise CannotRun(
            f"column {column!r}: a published value is neither a range nor in the hierarchy of the "
            "list of people, or it can be read in two ways; read the list with the release's "
            "hierarchies",
            unreadable,
        )
    return [each or [NOBODY] for each in ranks]


def people_in(
    boxes: NDArray[np.int32], table: FrequencySet, columns: Sequence[str] | None = None
) -> Counts:
    """Count the people of a table in each of many boxes, which may overlap.

    columns: what the sides of the boxes are about, in their order.
    """
    ground = table.combinations
    codes = np.stack([ground.codes(column) for column in columns or ground.columns], axis=1)
    return points.count_in_boxes(codes, ground.counts, boxes)
