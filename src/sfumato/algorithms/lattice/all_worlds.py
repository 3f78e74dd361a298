"""By which node of a lattice every table that could be is published, where few could be.

What a table is published by depends on all tables with the same quasi-identifiers and the same
number of each value. So both parts of the work are kept: the order of the nodes, and the outcome
of every such table; an attack asks for each of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.lattice.lattice import Lattice, Node
from sfumato.algorithms.lattice.metric import METRICS
from sfumato.criteria.criterion import Criterion
from sfumato.criteria.judging import holding
from sfumato.data.frequency import FrequencySet, JointGroups, sum_by
from sfumato.data.groups import Counts
from sfumato.data.keys import distinct
from sfumato.errors import BadInput
from sfumato.formulas.minimality.deals import tables
from sfumato.formulas.minimality.first_confidential import (
    FirstConfidential,
    Partition,
    fewest_tables,
)
from sfumato.progress import report
from sfumato.text import count, counted

WORLDS = 100_000  # ways to deal the values out that are looked at
COUNTS = 1 << 23  # in all of them together
NODES = 20_000
LARGE = 10**12  # numbers from which on only their size is told
OTHERWISE = (
    "it is for small tables; use sf.Mondrian(look_ahead=True), or sf.Checked(sf.Mondrian(), ks=[k])"
)


@dataclass(frozen=True, eq=False)
class Ground:
    """Everybody's quasi-identifiers, and what is asked of numbers of people: all that is public.

    Two are equal where the people are, with the very same domains.
    """

    frequencies: FrequencySet  # of combinations
    enough: Criterion

    @property
    def _people(self) -> tuple[bytes, bytes]:
        return self.frequencies.keys.tobytes(), self.frequencies.counts.tobytes()

    def __hash__(self) -> int:
        return hash(self._people)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ground) or self._people != other._people:
            return False
        columns = self.frequencies.columns
        same = columns == other.frequencies.columns and self.enough == other.enough
        mine, theirs = self.frequencies.domains, other.frequencies.domains
        return same and all(mine[name] is theirs[name] for name in columns)


@dataclass(frozen=True, eq=False)
class NodesInOrder:
    """The nodes with enough people in every group, the cheapest first."""

    lattice: Lattice
    nodes: list[Node]
    cell: NDArray[np.intp]  # (n_combinations,): people whom no node tells apart are in one
    order: tuple[bytes, ...]  # for each node the group of every cell


@lru_cache(maxsize=4)
def nodes_in_order(given: Ground) -> NodesInOrder:
    """Put the nodes into an order by loss; ties go to the lower, then by the columns."""
    ground = given.frequencies
    lattice = Lattice(ground, given.enough)
    if lattice.n_nodes > NODES:
        raise BadInput(
            f"OptimalConfidential: there are {count(lattice.n_nodes)} nodes, and every one of at "
            f"most {count(NODES)} is looked at; give hierarchies with fewer levels, or fewer "
            f"quasi-identifiers; {OTHERWISE}"
        )
    metric = METRICS["loss"](lattice, None)
    prices = {node: metric.bound(node) for node in lattice.nodes()}
    columns = [(ground.domains[name].taxonomy.low, ground.codes(name)) for name in ground.columns]
    nodes, partitions = [], []
    for done, node in enumerate(sorted(prices, key=lambda each: (prices[each], sum(each), each))):
        report("counting people", done, len(prices))
        lows = [low[level][codes] for (low, codes), level in zip(columns, node, strict=True)]
        group = distinct(ground.layout.pack(lows))[1]
        sizes = sum_by(group, ground.counts, int(group.max()) + 1)
        if holding(given.enough, JointGroups(ground, sizes, None)).all():
            nodes.append(node)
            partitions.append(group)
    if not nodes:
        return NodesInOrder(lattice, [], np.zeros(len(ground), dtype=np.intp), ())
    told, cell = np.unique(np.stack(partitions), axis=1, return_inverse=True)
    order = tuple(np.ascontiguousarray(row, dtype=np.intp).tobytes() for row in told)
    return NodesInOrder(lattice, nodes, cell.ravel(), order)


@dataclass(frozen=True, eq=False)
class World:
    """How many people of each cell have which value, of those that have to be told apart."""

    people: Counts  # (n_cells, n_values)
    protected: tuple[int, ...]  # values

    @classmethod
    def of(cls, frequencies: FrequencySet, part: Criterion, cell: NDArray[np.intp]) -> World:
        """Count a table; values that count as one are one, and so are those not protected."""
        if part.attribute is None and len(frequencies.sensitive) > 1:
            raise BadInput(
                f"OptimalConfidential: {part}: the table has several sensitive columns; say with "
                "attribute= which one beliefs are about"
            )
        attribute = str(frequencies.attribute(part.attribute))
        counted_as = part.protects(frequencies.domains[attribute])[frequencies.codes(attribute)]
        kinds, value = np.unique(counted_as, return_inverse=True)
        people = np.zeros((int(cell.max()) + 1, len(kinds)), dtype=np.int64)
        np.add.at(people, (cell[frequencies.combination_of], value), frequencies.counts)
        return cls(people, tuple(np.flatnonzero(kinds >= 0).tolist()))

    @property
    def sizes(self) -> Counts:
        """(n_cells,)."""
        return np.asarray(self.people.sum(axis=1))

    @property
    def histogram(self) -> Counts:
        """(n_values,)."""
        return np.asarray(self.people.sum(axis=0))

    def question(self, order: Sequence[bytes], bound: Fraction, *, pass_over: bool) -> Question:
        """Forget who has what."""
        sizes, histogram = tuple(self.sizes.tolist()), tuple(self.histogram.tolist())
        return Question(sizes, histogram, tuple(order), bound, self.protected, pass_over)


@dataclass(frozen=True)
class Question:
    """All that decides by which node which table is published; who has what is no part of it."""

    sizes: tuple[int, ...]
    histogram: tuple[int, ...]
    order: tuple[bytes, ...]
    bound: Fraction
    protected: tuple[int, ...]
    pass_over: bool


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Every world, and by which node it is published."""

    dealt: NDArray[np.unsignedinteger]  # (n_worlds, n_cells, n_values)
    rule: FirstConfidential

    def place(self, people: Counts) -> int:
        """Give the place of the node that publishes a world."""
        same = np.flatnonzero((self.dealt == people).all(axis=(1, 2)))
        return int(self.rule.published[same[0]])


@lru_cache(maxsize=8)
def all_outcomes(question: Question) -> Outcomes:
    """Go through all worlds; refuse where there are too many."""
    sizes, histogram = (np.array(each) for each in (question.sizes, question.histogram))
    most = min(WORLDS, COUNTS // (len(sizes) * len(histogram)))
    fewest = fewest_tables(sizes, histogram)
    dealt = tables(sizes, histogram, most) if fewest <= most else None
    if dealt is None:
        number = f"at least {_size(fewest)}" if fewest > most else f"more than {count(most)}"
        raise BadInput(
            f"OptimalConfidential: there are {number} ways to deal the values to "
            f"{counted(len(sizes), 'kind')} of people, and every one of at most {count(most)} is "
            f"looked at; {OTHERWISE}"
        )

    def partitions() -> Iterator[Partition]:
        for done, each in enumerate(question.order):
            report("looking at all worlds", done, len(question.order))
            yield np.frombuffer(each, dtype=np.intp)

    rule = FirstConfidential.of(
        dealt,
        sizes,
        partitions(),
        question.bound,
        question.protected,
        pass_over=question.pass_over,
    )
    return Outcomes(dealt.astype(np.min_scalar_type(int(sizes.max()))), rule)


def _size(n: int) -> str:
    """Write a number, of a large one how many digits it has."""
    return count(n) if n < LARGE else f"10^{len(str(n)) - 1}"
