"""Split points: a recoding written as the set of the values that begin an interval.

The values of all quasi-identifiers are numbered from 1, column after column, each in the order of
its hierarchy (Ciriani 2008, figure 12). A set of numbers says which values begin an interval; the
least value of a column always does, and is left out. So {} is the most general recoding.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.refusals import frequencies_of
from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet, Grouping
from sfumato.data.recoding import SUPPRESSED, Cut, Recoding
from sfumato.errors import BadInput, shown
from sfumato.parameters import is_whole
from sfumato.table import Table

IndexSet = frozenset[int]


@dataclass(frozen=True, eq=False)
class SplitPoints:
    """The numbered values of some columns; number 1 is the first value of the first column.

    >>> import sfumato as sf
    >>> zips = sf.Tree({"2203*": ["22030", "22032"], "2204*": ["22045", "22047"]})
    >>> rows = {"zip": ["22030", "22047"], "sex": ["M", "F"]}
    >>> import pyarrow as pa
    >>> people = sf.read(pa.table(rows), {"zip": zips, "sex": sf.Tree({"person": ["M", "F"]})})
    >>> points = sf.KOptimize.split_points(people)
    >>> points.groups({3, 6})
    {'zip': [['22030', '22032'], ['22045', '22047']], 'sex': [['M'], ['F']]}
    >>> sorted(points.index_set(points.recoding({3, 6})))
    [3, 6]
    """

    domains: Mapping[str, Domain]

    @classmethod
    def of(cls, counted: FrequencySet | Table) -> SplitPoints:
        """Number the values of the quasi-identifiers of a table."""
        frequencies = frequencies_of("split_points", counted)
        return cls({name: frequencies.domains[name] for name in frequencies.quasi_identifiers})

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Where the values of each column begin among those of all, and where the last ends."""
        return np.append(0, np.cumsum([len(domain) for domain in self.domains.values()]))

    @property
    def numbers(self) -> IndexSet:
        """All numbers that a set can have: those of all values but the least of each column."""
        return frozenset(range(1, int(self.starts[-1]) + 1)) - {int(s) + 1 for s in self.starts}

    def read(self, index_set: Collection[int]) -> IndexSet:
        """Refuse what is no set of numbers of values; the least values may be in it, or not."""
        last = int(self.starts[-1])
        if not isinstance(index_set, Collection):
            raise BadInput(f"split points: expected a set of numbers, got {shown(index_set)}")
        for number in index_set:
            if not is_whole(number) or not 1 <= number <= last:
                raise BadInput(
                    f"split points: each must be the number of a value, 1 to {last}, got "
                    f"{shown(number)}"
                )
        return frozenset(map(int, index_set)) & self.numbers

    def intervals(self, index_set: Collection[int]) -> dict[str, NDArray[np.int32]]:
        """Give the interval of every value: column -> (n_values, 2), [low, high]."""
        begins = np.zeros(int(self.starts[-1]), dtype=bool)
        begins[[number - 1 for number in self.read(index_set)]] = True
        found = {}
        for j, name in enumerate(self.domains):
            own = begins[self.starts[j] : self.starts[j + 1]].copy()
            own[0] = True
            low = np.flatnonzero(own)
            high = np.append(low[1:], len(own)) - 1
            interval = np.cumsum(own) - 1
            found[name] = np.stack([low[interval], high[interval]], axis=1).astype(np.int32)
        return found

    def recoding(self, index_set: Collection[int]) -> Cut:
        """Give the recoding that a set writes down, with nobody suppressed."""
        nobody = np.zeros((0, len(self.domains)), dtype=np.int32)
        return Cut(self.intervals(index_set), nobody)

    def index_set(self, recoding: Recoding) -> IndexSet:
        """Write down a recoding in which every value of a column is published as one interval."""
        found: set[int] = set()
        for start, (name, domain) in zip(self.starts.tolist(), self.domains.items(), strict=False):
            lows = recoding.lows(name)
            if lows is None or len(lows) != len(domain):
                raise BadInput(
                    "split points: the recoding is not one interval for each value of this table"
                )
            found.update((start + 1 + np.unique(lows)).tolist())
        return frozenset(found) & self.numbers

    def parting_nobody(self, grouping: Grouping) -> IndexSet:
        """Give the numbers of values at which no group of a recoding has people on both sides."""
        kept = grouping.index != SUPPRESSED
        index, found = grouping.index[kept], set[int]()
        for start, (name, domain) in zip(self.starts.tolist(), self.domains.items(), strict=False):
            codes = grouping.frequencies.codes(name)[kept]
            first = np.full(len(grouping.boxes), len(domain), dtype=np.intp)
            last = np.zeros(len(grouping.boxes), dtype=np.intp)
            np.minimum.at(first, index, codes)
            np.maximum.at(last, index, codes)
            # A group has people on both sides of all values behind its first up to its last.
            n_parted = np.bincount(first + 1, minlength=len(domain) + 2)
            n_parted -= np.bincount(last + 1, minlength=len(domain) + 2)
            free = np.flatnonzero(np.cumsum(n_parted[: len(domain)]) == 0)
            found.update((start + 1 + free).tolist())
        return frozenset(found) & self.numbers

    def groups(self, index_set: Collection[int]) -> dict[str, list[list[object]]]:
        """Give the values of each interval, column by column."""
        found: dict[str, list[list[object]]] = {}
        for name, intervals in self.intervals(index_set).items():
            labels = self.domains[name].labels
            sides = np.unique(intervals, axis=0).tolist()
            found[name] = [[labels[rank] for rank in range(a, b + 1)] for a, b in sides]
        return found


def enumerated(tail: Sequence[int], head: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """Give all sets of a head with some of a tail, as the set enumeration tree has them.

    In pre-order; a child adds one value that follows all that its parent has (Ciriani 2008, figure
    14).

    >>> list(enumerated((2, 3)))
    [(), (2,), (2, 3), (3,)]
    """
    yield head
    for position, value in enumerate(tail):
        yield from enumerated(tail[position + 1 :], (*head, value))
