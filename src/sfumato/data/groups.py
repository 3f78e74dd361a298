"""What a criterion sees of a grouping: how many people, and which sensitive values."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.data.domain import Domain
from sfumato.errors import BadInput, shown
from sfumato.parameters import MOST_COUNTED, counted_array
from sfumato.text import count, counted, people

Counts = NDArray[np.int64]
Digests = NDArray[np.uint64]  # sums of hashes of rows, modulo 2^64; see engines/protocol.py


@dataclass(frozen=True, eq=False)
class GroupSizes:
    """How many groups have which size, whoever is in them.

    >>> sizes = GroupSizes(np.array([1, 4]), np.array([2, 3]))
    >>> sizes.n, sizes.smallest, sizes.n_people, sizes.people_below(4)
    (5, 1, 14, 2)
    >>> GroupSizes.of(np.array([4, 1, 4, 1, 4])).n_groups
    array([2, 3])
    """

    sizes: Counts  # (n,) that occur, ascending
    n_groups: Counts  # (n,) groups that have them

    @classmethod
    def of(cls, sizes: Counts) -> GroupSizes:
        """Count groups by their sizes, which stand in any order; sizes: (n_groups,)."""
        return cls(*np.unique(sizes, return_counts=True))

    @property
    def n(self) -> int:
        """Number of groups."""
        return int(self.n_groups.sum())

    @property
    def n_people(self) -> int:
        """Number of people in all of them."""
        return int(self.sizes @ self.n_groups)

    @property
    def smallest(self) -> int:
        """Number of people in the smallest group."""
        return int(self.sizes[0])

    def people_below(self, size: int) -> int:
        """Count the people in groups of fewer than `size`."""
        return self.part(1, size - 1).n_people

    def part(self, low: int, high: int | None) -> GroupSizes:
        """Keep the groups of `low` to `high` people; None: or more."""
        kept = self.sizes >= low
        if high is not None:
            kept &= self.sizes <= high
        return GroupSizes(self.sizes[kept], self.n_groups[kept])


@dataclass(frozen=True, eq=False)
class Histogram:
    """Counts of values per group, without the zeros: the rows of a sparse matrix."""

    starts: NDArray[np.int64]  # (n_groups + 1,)
    codes: NDArray[np.int32]  # (n_entries,) value codes, ascending inside a group
    counts: Counts  # (n_entries,) > 0
    n_values: int

    @property
    def n_groups(self) -> int:
        """Number of rows."""
        return len(self.starts) - 1

    @property
    def group_of(self) -> NDArray[np.intp]:
        """The group of every entry."""
        return np.repeat(np.arange(self.n_groups), np.diff(self.starts))

    @classmethod
    def from_dense(cls, matrix: ArrayLike) -> Histogram:
        """Drop the zeros of a matrix; matrix: (n_groups, n_values)."""
        dense = np.asarray(matrix, dtype=np.int64)
        groups, codes = np.nonzero(dense)
        return cls._of_sorted(groups, codes, dense[groups, codes], *dense.shape)

    @classmethod
    def from_entries(
        cls,
        groups: NDArray[np.intp],
        codes: NDArray[np.int32],
        counts: Counts,
        shape: tuple[int, int],
    ) -> Histogram:
        """Add up entries given in any order, repeated ones included."""
        cell = groups.astype(np.int64) * shape[1] + codes
        if (cell[1:] < cell[:-1]).any():  # else it is in order already
            order = np.argsort(cell)
            cell, counts = cell[order], counts[order]
        starts = np.flatnonzero(np.diff(cell, prepend=-1))
        totals = np.add.reduceat(counts, starts) if len(starts) else counts[:0]
        cell = cell[starts]
        return cls._of_sorted(cell // shape[1], cell % shape[1], totals, *shape)

    @classmethod
    def _of_sorted(
        cls,
        groups: NDArray[np.signedinteger],
        codes: NDArray[np.signedinteger],
        counts: Counts,
        n_groups: int,
        n_values: int,
    ) -> Histogram:
        starts = np.searchsorted(groups, np.arange(n_groups + 1)).astype(np.int64)
        return cls(starts, codes.astype(np.int32), counts, n_values)

    def to_dense(self) -> Counts:
        """Write the zeros out; (n_groups, n_values)."""
        dense = np.zeros((self.n_groups, self.n_values), dtype=np.int64)
        dense[self.group_of, self.codes] = self.counts
        return dense

    def counted_as(self, codes: NDArray[np.int32]) -> Histogram:
        """Count each value as another: equal codes together, those below 0 not at all."""
        if np.array_equal(codes, np.arange(self.n_values)):
            return self
        renamed = codes[self.codes]
        kept = renamed >= 0
        shape = (self.n_groups, self.n_values)
        return Histogram.from_entries(self.group_of[kept], renamed[kept], self.counts[kept], shape)

    def only(self, codes: NDArray[np.int32]) -> Histogram:
        """Keep the given values alone."""
        kept = np.isin(self.codes, codes)
        groups = self.group_of[kept]
        return Histogram._of_sorted(
            groups, self.codes[kept], self.counts[kept], self.n_groups, self.n_values
        )

    def n_distinct(self) -> Counts:
        """Number of different values in each group."""
        return np.diff(self.starts)

    def largest(self) -> Counts:
        """Count of the most frequent value in each group; 0 for a group without values."""
        largest = np.zeros(self.n_groups, dtype=np.int64)
        filled = np.flatnonzero(np.diff(self.starts))
        if len(filled):
            largest[filled] = np.maximum.reduceat(self.counts, self.starts[filled])
        return largest

    def most(self, n: int) -> Counts:
        """How many people of each group have one of its n most frequent values."""
        order = np.lexsort((-self.counts, self.group_of))
        place = np.arange(len(order)) - self.starts[self.group_of]
        upto = np.append(0, np.cumsum(np.where(place < n, self.counts[order], 0)))
        return np.asarray(np.diff(upto[self.starts]))

    def rows(self, first: int, last: int) -> Histogram:
        """Some of the groups, from `first` up to but not including `last`."""
        entries = slice(self.starts[first], self.starts[last])
        starts = self.starts[first : last + 1] - self.starts[first]
        return Histogram(starts, self.codes[entries], self.counts[entries], self.n_values)

    def part(self, chosen: NDArray[np.bool_]) -> Histogram:
        """Keep some of the groups; chosen: (n_groups,)."""
        name, kept = np.cumsum(chosen) - 1, chosen[self.group_of]
        return Histogram._of_sorted(
            name[self.group_of[kept]],
            self.codes[kept],
            self.counts[kept],
            int(chosen.sum()),
            self.n_values,
        )

    def row(self, group: int) -> Counts:
        """The counts of one group, without the zeros."""
        return self.counts[self.starts[group] : self.starts[group + 1]]

    def between(
        self, group: NDArray[np.integer], low: NDArray[np.integer], high: NDArray[np.integer]
    ) -> Counts:
        """Add up the values from `low` to `high` of a group, for many such questions at once."""
        cell = self.group_of * self.n_values + self.codes
        order = np.argsort(cell)
        upto = np.concatenate([[0], np.cumsum(self.counts[order])])
        start = group.astype(np.int64) * self.n_values
        first = np.searchsorted(cell, start + low, side="left", sorter=order)
        end = np.searchsorted(cell, start + high, side="right", sorter=order)
        return np.asarray(upto[end] - upto[first])


@dataclass(frozen=True, eq=False)
class Guards:
    """Which nodes of the sensitive attribute's hierarchy the people of every group guard.

    A node is an interval of codes. Whoever guards nothing is not counted.
    """

    counted: Histogram  # (n_groups, n_nodes) people
    nodes: NDArray[np.int32]  # (n_nodes, 2): [low, high]


@dataclass(frozen=True, eq=False)
class Groups:
    """Groups of people with the same published quasi-identifiers, and one sensitive attribute.

    >>> Groups(sizes=[2, 3], histogram=[[1, 1], [3, 0]], values=["flu", "HIV"])
    <Groups: 2 groups of 2 to 3 people, 2 sensitive values>
    """

    sizes: Counts  # (n_groups,)
    counted: Histogram | None  # (n_groups, n_values); None: sizes alone
    values: tuple[object, ...] | Domain
    reference: Counts | None  # (n_values,): the ORIGINAL table's distribution
    guards: Guards | None  # None: nobody counted them

    def __init__(
        self,
        sizes: ArrayLike,
        histogram: ArrayLike | Histogram | None = None,
        values: Sequence[object] | Domain = (),
        reference: ArrayLike | None = None,
        guards: Guards | None = None,
    ) -> None:
        if not isinstance(values, (Sequence, Domain)):
            raise BadInput(f"Groups: values must be a list of values, got {shown(values)}")
        n_people = counted_array("Groups", "size", sizes)
        if n_people.ndim != 1:
            raise BadInput(f"Groups: sizes must be a list of numbers, got {shown(sizes)}")
        if histogram is not None and not isinstance(histogram, Histogram):
            dense = counted_array("Groups", "count", histogram)
            if dense.size == 0 and 0 in (len(n_people), len(values)):
                dense = dense.reshape(len(n_people), len(values))
            if dense.shape != (len(n_people), len(values)):
                raise BadInput(
                    f"Groups: the histogram must have the shape {(len(n_people), len(values))}, "
                    f"sizes by values, got {dense.shape}"
                )
            _refuse_too_many("counts of a group", dense)
            histogram = Histogram.from_dense(dense)
        object.__setattr__(self, "sizes", n_people)
        object.__setattr__(self, "counted", histogram)
        object.__setattr__(self, "values", values if isinstance(values, Domain) else tuple(values))
        known = None if reference is None else counted_array("Groups", "reference count", reference)
        if known is not None:
            if known.shape != (len(values),):
                raise BadInput(
                    f"Groups: the reference must have the shape {(len(values),)}, a number for "
                    f"every value, got {known.shape}"
                )
            _refuse_too_many("reference counts", known[np.newaxis])
        object.__setattr__(self, "reference", known)
        object.__setattr__(self, "guards", guards)

    def __len__(self) -> int:
        return len(self.sizes)

    def __repr__(self) -> str:
        if not len(self):
            return "<Groups: none>"
        return (
            f"<Groups: {counted(len(self), 'group')} of {count(self.sizes.min())} to "
            f"{people(self.sizes.max())}, {counted(len(self.values), 'sensitive value')}>"
        )

    @property
    def histogram(self) -> Histogram:
        """Counts of sensitive values per group; refused where nobody counted them."""
        if self.counted is None:
            raise BadInput("these groups have no sensitive values; give histogram= and values=")
        return self.counted

    @property
    def labels(self) -> tuple[object, ...]:
        """The sensitive values, by code."""
        return self.values.labels if isinstance(self.values, Domain) else self.values

    def original(self, owner: str) -> Counts:
        """How many people of the ORIGINAL table have each value, for a criterion that asks."""
        if self.reference is None:
            raise BadInput(f"{owner}: needs the original table's distribution (reference=)")
        if self.sizes.any() and not self.reference.any():
            raise BadInput(
                f"{owner}: nobody is in the original table's distribution (reference=), and "
                "somebody in the groups"
            )
        return self.reference

    def without_reference(self) -> Groups:
        """The same groups, without the original's distribution."""
        same = copy(self)
        object.__setattr__(same, "reference", None)
        return same

    def codes_of(self, values: Sequence[object]) -> NDArray[np.int32]:
        """Codes of values that a user names; a value that nobody has is left out."""
        if isinstance(self.values, Domain):
            codes = [self.values.code_of(value) for value in values]
        else:
            texts = {str(label): code for code, label in enumerate(self.values)}
            codes = [texts.get(str(value)) for value in values]
        return np.array([code for code in codes if code is not None], dtype=np.int32)


def sets_of(values: Domain | Sequence[object], names: Sequence[object]) -> list[NDArray[np.int32]]:
    """Give the codes that each name stands for: a value, or all values below a node.

    Where names are nested, the largest is meant; what nobody has and no node is called is left out.
    """
    if not isinstance(values, Domain):
        return [np.array([code]) for code in Groups([], None, values).codes_of(names)]
    ranks = [values.ranks_of(name) for name in names]
    nodes = sorted({node for node in ranks if node is not None}, key=lambda n: (n[0], -n[1]))
    sets, last = [], -1
    for low, high in nodes:  # they nest or have nothing in common
        if high > last:
            sets.append(np.arange(low, high + 1, dtype=np.int32))
            last = high
    return sets


def _refuse_too_many(what: str, counts: Counts) -> None:
    """Refuse counts whose sums would not be right any more; counts: (n_groups, n_values)."""
    if int(counts.max(initial=0)) * counts.shape[1] <= MOST_COUNTED:
        return
    if any(sum(row) > MOST_COUNTED for row in counts.tolist()):
        raise BadInput(f"Groups: the {what} add up to 2^63 or more")
