"""What a release says about people, in ranks of the original's values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.frequency import same_values
from sfumato.data.groups import Histogram
from sfumato.data.labels.reader import LabelReader, sides_of
from sfumato.errors import BrokenPromise
from sfumato.release import Release

Boxes = NDArray[np.int32]  # (n, n_quasi_identifiers, 2): [low, high] ground ranks


def generalized_groups(release: Release, attribute: str | None) -> tuple[Boxes, Histogram]:
    """Give the boxes of the published groups and their sensitive values; not of two tables.

    Without a sensitive attribute everybody counts as having the same value.
    """
    grouping, recoding = release.grouping, release.recoding
    boxes = grouping.boxes
    if recoding.splits and recoding.buckets is None:
        boxes = boxes_of_labels(release)
    elif recoding.buckets is None:
        domains, columns = release.table.domains, grouping.frequencies.quasi_identifiers
        sides = [domains[column].ground_sides(boxes[:, j]) for j, column in enumerate(columns)]
        boxes = np.stack(sides, axis=1)
    if attribute is None:
        return boxes, Histogram.from_dense(grouping.sizes[:, np.newaxis])
    return boxes, grouping.groups(attribute).histogram


def boxes_of_labels(release: Release) -> Boxes:
    """Find the boxes of the published groups, where chance dealt people out to them.

    Then only the published table says who is where.
    """
    seen = release.seen
    sides = [
        intervals_of(release, column, seen.frequencies.domains[column])[seen.boxes[:, j, 0]]
        for j, column in enumerate(seen.frequencies.quasi_identifiers)
    ]
    return np.stack(sides, axis=1)


def intervals_of(release: Release, column: str, published: Domain) -> NDArray[np.int32]:
    """Give the interval of original ranks that each published label of a column stands for.

    Returns (n_labels, 2). Labels stand for one interval each.
    """
    domain = release.table.domains[column]
    if release.recoding.labels(release.table.domains)[column] is None:  # as it is
        return np.repeat(same_values(published, domain)[:, np.newaxis], 2, axis=1)
    reader = LabelReader(domain)
    intervals = [reader.interval(label) for label in published.labels]
    known = [each for each in intervals if each is not None]
    if len(known) < len(intervals):
        raise BrokenPromise("internal error: a value was published that cannot be read back")
    return domain.ground_sides(sides_of(known))
