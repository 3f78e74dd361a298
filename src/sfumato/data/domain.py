"""The values one column can take, as integer codes in tree order."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.data.tails import Tails
from sfumato.data.taxonomy import Ranks, Taxonomy
from sfumato.data.values import KnownValues, published_text
from sfumato.text import counted


@dataclass(frozen=True, eq=False)
class SetMembers:
    """What whole sets of values consist of: the rows of a sparse matrix, codes x values."""

    starts: NDArray[np.int64]  # (n_codes + 1,)
    codes: NDArray[np.int32]  # (n_entries,) single values, ascending inside a set
    counts: NDArray[np.int64]  # (n_entries,) how often a person has the value
    values: Domain  # of the single values

    @property
    def repeated(self) -> bool:
        """Whether somebody has a value more than once: a multiset, and no set."""
        return bool((self.counts > 1).any())

    def of(
        self, codes: NDArray[np.integer]
    ) -> tuple[NDArray[np.intp], NDArray[np.int32], NDArray[np.int64]]:
        """List what some sets consist of; codes: (n,), repeated or not.

        Returns for every entry the position in `codes`, the single value, and how often it is in
        the set.
        """
        sizes = np.diff(self.starts)[codes]
        position = np.repeat(np.arange(len(codes)), sizes)
        entry = np.arange(len(position)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        entry += self.starts[codes[position]]
        return position, self.codes[entry], self.counts[entry]


class Rest(NamedTuple):
    """Values without an order that few people have: they are published as one, or not at all."""

    first: int  # rank
    last: int
    name: str | None  # None: they are too few even together
    mark: str | None = None  # of names that several releases have in common


class Merged(NamedTuple):
    """What the values of a domain are, where one of them is a run of values."""

    ground: Domain
    first: NDArray[np.int32]  # (n + 1,) first rank of each run in `ground`

    def ground_ranks(self, low: int, high: int) -> tuple[int, int]:
        """Give the ranks of a run of runs."""
        return int(self.first[low]), int(self.first[high + 1]) - 1

    def ground_sides(self, sides: Ranks) -> Ranks:
        """Give the ranks of many; sides: (n, 2)."""
        return np.stack([self.first[sides[:, 0]], self.first[sides[:, 1] + 1] - 1], axis=1)

    def runs(self, low: int, high: int) -> tuple[int, int] | None:
        """Give the runs that some ranks are; None: they end within one."""
        begin, end = np.searchsorted(self.first, [low, high + 1]).tolist()
        whole = self.first[begin] == low and self.first[end] == high + 1
        return (begin, end - 1) if whole else None


@dataclass(frozen=True, eq=False)
class Domain:
    """Ground values of a column; a code is a rank in tree order.

    A missing value is a value: a leaf of its own under the root, and always the last rank.
    """

    labels: tuple[object, ...]
    taxonomy: Taxonomy
    numbers: NDArray[np.float64] | None = None  # (n,), NaN for the missing value; ordered columns
    closed: bool = False  # given by the steward, so its ground values may be published
    tails: Tails | None = None  # numbers beyond its bounds are one value: the first, or the last
    members: SetMembers | None = None  # set-valued: a code is one person's whole set
    # Of texts: in that of their characters, or with numbers in them as numbers (A5 before A10).
    order: Literal["codes", "natural"] | None = None
    named: NDArray[np.bool_] | None = None  # (n,) whether a release may name it; None: all
    cuts: Mapping[int, str] | None = None  # ranks where ranges begin, with the bound; None: all
    told: NDArray[np.bool_] | None = None  # (height + 1, n) whether its node may be; None: all
    rest: Rest | None = None  # of texts without an order
    hidden: NDArray[np.bool_] | None = None  # (n,) of which nothing may be told; None: none
    merged: Merged | None = None  # where a value stands for several

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        return f"<Domain: {counted(len(self), 'value')}, height {self.taxonomy.height}>"

    @property
    def is_category(self) -> bool:
        """Whether its values are texts of the data without any order or tree."""
        flat = self.taxonomy.height == 1
        return flat and self.numbers is None and not self.closed and self.order is None

    @property
    def has_missing(self) -> bool:
        """Whether the missing value is one of the values."""
        return self.labels[-1] is None

    @property
    def values(self) -> Domain:
        """The single values: of a set-valued column, what its sets consist of."""
        return self if self.members is None else self.members.values

    def span(self, low: Ranks, high: Ranks) -> NDArray[np.float64]:
        """Width of intervals as a share of the whole domain: 0 for one value, 1 for all.

        Numeric columns are measured in their own unit, others in ranks.
        """
        return np.asarray((self.axis[high] - self.axis[low]) / self.whole, dtype=np.float64)

    @cached_property
    def axis(self) -> NDArray[np.float64]:
        """Where each value lies: at its number, or else at its rank.

        The missing value has no place among numbers; it counts as lying at their upper end.
        """
        if self.numbers is None:
            return np.arange(len(self), dtype=np.float64)
        if np.isnan(self.numbers).all():
            return np.zeros(len(self))
        return np.where(np.isnan(self.numbers), np.nanmax(self.numbers), self.numbers)

    @property
    def whole(self) -> float:
        """Length of the axis; 1 where all values lie at one place."""
        return float(self.axis[-1] - self.axis[0]) or 1.0

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The ground values as they are published, without the missing one."""
        present = self.labels[: len(self) - self.has_missing]
        return tuple(str(published_text(label)) for label in present)

    @cached_property
    def known(self) -> KnownValues:
        """The ground values, found in whatever way they are written."""
        return KnownValues(self.labels, numeric=self.numbers is not None)

    def code_of(self, value: object) -> int | None:
        """Code of a value, in whatever way it is written; None: the column has no such value."""
        if self.merged is None:
            tail = None if self.tails is None else self.tails.text(value)
            return self.known.code(value if tail is None else tail)
        rank = self.merged.ground.code_of(value)
        return None if rank is None else int(np.searchsorted(self.merged.first, rank, "right")) - 1

    @property
    def ground(self) -> Domain:
        """The values themselves, where a value here stands for several."""
        return self if self.merged is None else self.merged.ground

    def ground_sides(self, sides: Ranks) -> Ranks:
        """See sides of boxes in the ranks of the values themselves; (n, 2)."""
        return sides if self.merged is None else self.merged.ground_sides(sides)

    @property
    def rest_rank(self) -> int | None:
        """The value that stands for all that are not named, if there is one."""
        rest = None if self.merged is None else self.merged.ground.rest
        if self.merged is None or rest is None:
            return None
        return int(np.searchsorted(self.merged.first, rest.first))

    def holds_hidden(self, low: Ranks, high: Ranks) -> NDArray[np.bool_]:
        """Whether intervals hold a value of which nothing may be told, but by a larger node."""
        if self.hidden is None:
            return np.zeros(len(low), dtype=bool)
        before = np.append(0, np.cumsum(self.hidden))
        held = np.asarray(before[high + 1] > before[low])
        if self.merged is not None and (told := self.merged.ground.told) is not None:
            tree, first = self.taxonomy, self.merged.first
            for level in range(1, tree.height):
                is_node = (tree.low[level, low] == low) & (tree.high[level, low] == high)
                held &= ~(is_node & told[level, first[low]])
        return held

    def beginning_so(self, beginning: str) -> tuple[int, int]:
        """Give the first rank of the codes that begin so, and the one behind them."""
        first = bisect_left(self.texts, beginning)
        end = bisect_left(
            self.texts, True, lo=first, key=lambda text: not text.startswith(beginning)
        )
        return first, end

    def tail_bound(self, rank: int) -> Decimal | None:
        """Give the bound of the tail that a rank is; None: it is a value of its own."""
        return None if self.tails is None else self.tails.edge(self.labels[rank])

    @cached_property
    def names(self) -> Mapping[str, tuple[int, int]]:
        """First and last rank of the nodes by their names; of several with one name the largest.

        The ground values of a closed column are among them, those of an open one are not: they
        come from the data.
        """
        return self.taxonomy.names(ground=self.closed)

    def ranks_of(self, name: object) -> tuple[int, int] | None:
        """First and last rank of a value, or of the node that has this name; None: neither.

        What is called like a node above it stands for that node. Nodes of a column that is not
        closed depend on the data, so that a name may mean something else in another table: they
        are not found.
        """
        node = self.names.get(str(name)) if self.closed else None
        if node is not None and node[0] < node[1]:
            return node
        code = self.code_of(name)
        return node if code is None else (code, code)

    def node_level(self, low: int, high: int) -> int | None:
        """Level of the node that an interval is published as; None: as no node."""
        level = int(self.node_levels(np.array([[low, high]], dtype=np.int32))[0])
        return None if level < 0 else level

    def node_levels(self, sides: Ranks) -> Ranks:
        """Level of the node that each interval is published as, -1: as none; sides: (n, 2).

        A part of an ordered column never is: it reaches to its cuts, and a node that happens to
        have the same values in the data would say more.
        """
        low, high = sides[:, 0], sides[:, 1]
        level = self.taxonomy.enclosing_level(low, high)
        is_node = self.taxonomy.low[level, low] == low
        is_node &= self.taxonomy.high[level, low] == high
        if self.numbers is not None:
            is_node &= (low == 0) & (high == len(self) - 1)
        return np.where(is_node, level, -1).astype(np.int32)

    @property
    def grid(self) -> int | None:
        """Level of the finest grid that sides of boxes are fitted to; None: there is none.

        Of numbers and days the first level above the ground, such as ranges and months; the ground
        itself where the steward lists it, and of texts, which are told only as far as many people
        share them (`sfumato.data.naming`).
        """
        if self.numbers is None:
            return 0
        return 1 if self.taxonomy.height > 1 else 0 if self.closed else None

    def largest_nodes(self, low: int, high: int) -> list[tuple[int, int]]:
        """Cover an interval with the largest nodes inside it; each as (first rank, level)."""
        nodes = []
        while low <= high:
            level = self.taxonomy.height
            while self.taxonomy.low[level, low] != low or self.taxonomy.high[level, low] > high:
                level -= 1
            nodes.append((low, level))
            low = int(self.taxonomy.high[level, low]) + 1
        return nodes
