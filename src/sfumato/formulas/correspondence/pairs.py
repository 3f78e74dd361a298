"""What two releases give away together: cracked records, in closed form where the boxes allow it.

The first release is of some people, the second of the same people and others. Every record of the
first has a corresponding record, its buddy, in the second. An adversary who knows a person's
quasi-identifiers and when the person came excludes what cannot be the person's record under any
choice of buddies (Fung 2008, section 3):

- forward: records of the first release, for a person who was there from the start;
- cross: records of the second release, for the same person;
- backward: records of the second release, for a person who came later.

We keep what is *left* of each class, value by value, since every criterion can be asked of it; the
crack size of a group is what is missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.frequency import sum_by
from sfumato.data.groups import Counts, Groups, Histogram
from sfumato.data.keys import distinct_rows
from sfumato.errors import BadInput
from sfumato.formulas.correspondence.cells import AT_ONCE, PublishedClasses

Index = NDArray[np.intp]
Target = NDArray[np.integer] | None  # (d,) ground ranks of one person; None: everybody possible


@dataclass(frozen=True, eq=False)
class RecordsLeft:
    """What an attack leaves of the classes of a release, once for each sort of target."""

    classes: Index  # (m,) the class
    histogram: Histogram  # (m, n_values) records that may still be the target's

    @property
    def candidates(self) -> Counts:
        """Number of records left; (m,)."""
        histogram = self.histogram
        return sum_by(histogram.group_of, histogram.counts, histogram.n_groups)

    @property
    def counted(self) -> tuple[Counts, Histogram]:
        """Number of records left, and the same by value."""
        return self.candidates, self.histogram

    def fewest(self, n_classes: int) -> Counts:
        """Fewest records left of each class for any target; -1: the class has no target."""
        fewest = np.full(n_classes, np.iinfo(np.int64).max)
        np.minimum.at(fewest, self.classes, self.candidates)
        fewest[fewest == np.iinfo(np.int64).max] = -1
        return fewest

    def groups(self, values: Sequence[object] | Domain) -> Groups:
        """See what is left as groups, of which any criterion can be asked (section 7.2)."""
        return Groups(self.candidates, self.histogram, values)

    def cracked(self, release: PublishedClasses) -> Histogram:
        """Give the crack size of every group; (m, n_values)."""
        whole = release.histogram
        row, entry = rows_of(whole, self.classes)
        key = row * whole.n_values + whole.codes[entry]
        crack = whole.counts[entry] - counts_at(self.histogram, key)
        some = crack > 0
        shape = (len(self.classes), whole.n_values)
        return Histogram.from_entries(row[some], whole.codes[entry][some], crack[some], shape)


@dataclass(frozen=True, eq=False)
class Attacked:
    """What the three attacks leave of two releases."""

    first: PublishedClasses
    second: PublishedClasses
    forward: RecordsLeft  # of the first release
    cross: RecordsLeft  # of the second release
    backward: RecordsLeft  # of the second release

    @property
    def anonymity(self) -> tuple[int, int, int]:
        """F-, C- and B-anonymity: the fewest records left (definitions 3.2, 3.4 and 3.6).

        An attack without any target, which suppressed rows make possible, leaves all classes whole.
        """
        fa = _fewest(self.forward, self.first)
        return fa, _fewest(self.cross, self.second), _fewest(self.backward, self.second)


def _fewest(left: RecordsLeft, release: PublishedClasses) -> int:
    return int((left.candidates if len(left.classes) else release.sizes).min())


@dataclass(frozen=True, eq=False)
class ExposedClasses:
    """Classes of which an attack leaves fewer than k records for some target."""

    classes: Index
    n_people: int  # records in those classes


def exposed(left: RecordsLeft, release: PublishedClasses, k: int) -> ExposedClasses:
    """Tell which classes an attack breaks, and how many people are in them."""
    fewest = left.fewest(len(release))
    broken = np.flatnonzero((fewest >= 0) & (fewest < k))
    return ExposedClasses(broken, int(release.sizes[broken].sum()))


def joined(first: PublishedClasses, second: PublishedClasses) -> tuple[Index, Index] | None:
    """Number the parts of the domain within which every two classes are comparable.

    Returns the part of every class of either release. With two cuts each part is a product of
    nodes, the more general of the two in every attribute, and classes of different parts have
    nothing in common (lemma 4.1). None: the boxes are not those of two cuts.
    """
    if first.n_suppressed or second.n_suppressed:
        return None
    columns = []
    for j in range(first.boxes.shape[1]):
        column = _joined_side(first.boxes[:, j], second.boxes[:, j])
        if column is None:
            return None
        columns.append(column)
    _, part = distinct_rows(np.stack(columns, axis=1))
    return part[: len(first)], part[len(first) :]


def _joined_side(first: NDArray[np.int32], second: NDArray[np.int32]) -> Index | None:
    for side in (first, second):
        different, _ = distinct_rows(side)
        if (different[1:, 0] <= different[:-1, 1]).any():
            return None  # of one attribute, two published values overlap
    side = np.concatenate([first, second]).astype(np.int64)
    order = np.lexsort((-side[:, 1], side[:, 0]))  # the widest of those that begin alike first
    reach = np.maximum.accumulate(side[order, 1])
    begins = np.append(True, side[order, 0][1:] > reach[:-1])
    part = np.cumsum(begins) - 1
    ends = reach[np.append(begins[1:], True)]
    if (side[order, 1][begins] != ends).any():
        return None  # two values overlap without one being a part of the other
    numbered = np.empty(len(side), dtype=np.intp)
    numbered[order] = part
    return numbered


def between_cuts(
    first: PublishedClasses,
    second: PublishedClasses,
    parts: tuple[Index, Index],
    target: Target = None,
) -> Attacked:
    """Attack two cuts in closed form (theorems 4.2 to 4.4).

    A target is in one class of either release, so the sorts of targets are the comparable pairs.
    Of the groups g1 and g2 of a pair min(|g1|, |g2|) records are left, in either release; of a
    group g2 for somebody who came later, all but the |G1| - (|G2| - |g2|) that must be buddies.

    Args:
        first: The earlier release.
        second: The later one.
        parts: What `joined` found.
        target: Ground ranks of one person, or None for everybody.

    Raises:
        BadInput: Some record of the first release can have no buddy.
    """
    left = second.histogram.counts - backward_between_cuts(first, second, parts)
    kept_1, kept_2 = holding(first, target), holding(second, target)
    backward = _rows_left(second.histogram, left, kept_2)
    one, two = pairs(*parts, kept_1, kept_2)
    shared = least(first.histogram, second.histogram, one, two)
    return Attacked(first, second, RecordsLeft(one, shared), RecordsLeft(two, shared), backward)


def backward_between_cuts(
    first: PublishedClasses, second: PublishedClasses, parts: tuple[Index, Index]
) -> Counts:
    """Give the crack size of every group of the second release, for who came later (theorem 4.4).

    Raises:
        BadInput: Some record of the first release can have no buddy.
    """
    one, two = first.histogram, second.histogram
    cell_1 = parts[0][one.group_of] * one.n_values + one.codes
    cell_2 = parts[1][two.group_of] * two.n_values + two.codes
    cells, place = np.unique(np.concatenate([cell_1, cell_2]), return_inverse=True)
    place_1, place_2 = place[: len(cell_1)], place[len(cell_1) :]
    people_1 = sum_by(place_1, one.counts, len(cells))
    people_2 = sum_by(place_2, two.counts, len(cells))
    refuse_without_buddies(bool((people_1 > people_2).any()))
    return must_be_buddies(people_1[place_2], people_2[place_2], two.counts)


def must_be_buddies(people_1: Counts, people_2: Counts, own: Counts) -> Counts:
    """Give the records of a group that no choice of buddies can avoid (theorem 4.4).

    Args:
        people_1: Records of the first release that can have a buddy in the group.
        people_2: Records of the second that can be a buddy of any of them.
        own: Records of the group itself.
    """
    return np.maximum(0, people_1 - (people_2 - own))


def refuse_without_buddies(impossible: bool) -> None:
    """Refuse releases that no growing table can have been the source of."""
    if impossible:
        raise BadInput(
            "correspondence: some records of an earlier release have no counterpart in a later "
            "one, so they are not releases of one growing table; check their order, the "
            "hierarchies, and whether rows were suppressed"
        )


def holding(release: PublishedClasses, target: Target) -> Index:
    """Classes that hold the target; all of them if it is anybody."""
    if target is None:
        return np.arange(len(release))
    inside = (release.boxes[:, :, 0] <= target) & (release.boxes[:, :, 1] >= target)
    return np.flatnonzero(inside.all(axis=1))


def rows_of(histogram: Histogram, groups: Index) -> tuple[Index, Index]:
    """List the entries of some groups: the place of the group in `groups`, and the entry."""
    sizes = np.diff(histogram.starts)[groups]
    row = np.repeat(np.arange(len(groups)), sizes)
    within = np.arange(len(row)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return row, histogram.starts[groups][row] + within


def counts_at(histogram: Histogram, key: NDArray[np.int64]) -> Counts:
    """Look counts up by group * n_values + code; 0 where there is no entry."""
    own = np.append(histogram.group_of * histogram.n_values + histogram.codes, -1)
    place = np.searchsorted(own[:-1], key)
    return np.where(own[place] == key, np.append(histogram.counts, 0)[place], 0)


def _rows_left(histogram: Histogram, left: Counts, kept: Index) -> RecordsLeft:
    row, entry = rows_of(histogram, kept)
    some = left[entry] > 0
    row, entry = row[some], entry[some]
    shape = (len(kept), histogram.n_values)
    return RecordsLeft(
        kept, Histogram.from_entries(row, histogram.codes[entry], left[entry], shape)
    )


def pairs(part_1: Index, part_2: Index, kept_1: Index, kept_2: Index) -> tuple[Index, Index]:
    """Pair every class with those of the other release in the same part."""
    by_part = kept_2[np.argsort(part_2[kept_2], kind="stable")]
    begin = np.searchsorted(part_2[by_part], part_1[kept_1], side="left")
    sizes = np.searchsorted(part_2[by_part], part_1[kept_1], side="right") - begin
    one = np.repeat(kept_1, sizes)
    within = np.arange(len(one)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return one, by_part[np.repeat(begin, sizes) + within]


def least(first: Histogram, second: Histogram, one: Index, two: Index) -> Histogram:
    """Give the smaller of the two counts of every value, for pairs of classes (theorem 4.2)."""
    n_values = first.n_values
    rows, codes, counts = [], [], []
    for start, end in _blocks(np.diff(first.starts)[one]):
        row, entry = rows_of(first, one[start:end])
        key = two[start:end][row] * n_values + first.codes[entry]
        smaller = np.minimum(first.counts[entry], counts_at(second, key))
        some = smaller > 0
        rows.append(row[some] + start)
        codes.append(first.codes[entry][some])
        counts.append(smaller[some])
    shape = (len(one), n_values)
    if not rows:
        return Histogram.from_dense(np.zeros(shape, dtype=np.int64))
    return Histogram.from_entries(
        np.concatenate(rows), np.concatenate(codes), np.concatenate(counts), shape
    )


def _blocks(sizes: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Cut a long list of rows into pieces of bounded total size."""
    upto = np.append(0, np.cumsum(sizes))
    start = 0
    while start < len(sizes):
        end = int(np.searchsorted(upto, upto[start] + AT_ONCE // 8, side="right")) - 1
        end = max(end, start + 1)
        yield start, end
        start = end
