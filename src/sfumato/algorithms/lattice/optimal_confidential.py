"""The cheapest generalization that withstands who knows it (Wong 2009, definition 8)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.algorithm import Algorithm
from sfumato.algorithms.lattice.lattice import Lattice, Node
from sfumato.algorithms.lattice.metric import METRICS
from sfumato.algorithms.lattice.minimal import refuse
from sfumato.algorithms.lots import Draw
from sfumato.criteria.criterion import Criterion, together
from sfumato.criteria.judging import holding
from sfumato.criteria.k_anonymity import KAnonymity
from sfumato.data.frequency import FrequencySet, JointGroups, sum_by
from sfumato.data.groups import Counts
from sfumato.data.keys import distinct
from sfumato.data.naming import Publishes
from sfumato.data.recoding import Recoding
from sfumato.errors import BadInput, Unsatisfiable
from sfumato.formulas.minimality.deals import tables
from sfumato.formulas.minimality.first_confidential import (
    NOTHING,
    FirstConfidential,
    Partition,
    fewest_tables,
)
from sfumato.parameters import number, true_or_false
from sfumato.progress import report
from sfumato.text import count, counted, value_text

WORLDS = 100_000  # ways to deal the values out that are looked at
COUNTS = 1 << 23  # in all of them together
LARGE = 10**12  # numbers from which on only their size is told
NODES = 20_000
OTHERWISE = (
    "it is for small tables; use sf.Mondrian(look_ahead=True), or sf.Checked(sf.Mondrian(), ks=[k])"
)


@dataclass(frozen=True)
class OptimalConfidential(Algorithm):
    """The first node, by its loss, that nobody believes more from than 1/m who knows this rule.

    All nodes stand in an order that is public: by information loss (definition 7), then the lower
    one, then by the order of the columns, as those of `Optimal`. What a table would publish at a
    node is a histogram of every group. The worlds that somebody considers who sees it are all ways
    to deal the values of the whole table to its people that have these histograms there and were
    not published at an earlier node. It is published iff by these worlds no belief is above 1/m.
    So whatever is published is m-confidential, exactly, in all tables with the same
    quasi-identifiers and the same number of each value.

    Nothing published would be an answer, too. Taking every node as it comes, in many tables some
    worlds remain that no node may publish, and whoever learns that believes too much. So a node is
    passed over if those it leaves could not all be published together, which depends on nothing
    but the quasi-identifiers and the number of each value. With that every table is published in
    which no value is more frequent than 1/m; where one is, no method can help, since beliefs
    average to that share. `pass_over=False` takes nodes as they come, and refuses all tables
    with these quasi-identifiers and numbers if something remains; if nothing does, both publish the
    same.

    It is for small tables: each of at most 100,000 ways to deal the values is looked at, where
    people whom no node tells apart are alike, and values that are not protected are one.

    Args:
        m: Beliefs are at most 1/m; at least as large as the m of `Confidentiality`.
        pass_over: Leave out nodes that would leave tables which cannot be published.

    >>> import pyarrow as pa
    >>> import sfumato as sf
    >>> six = pa.table({"job": ["a", "a", "b", "b", "b", "b"], "test": ["+", "+", *"----"]})
    >>> people = sf.read(six, {"job": sf.Tree(["a", "b"])}, "test")
    >>> shares = sf.anonymize(people, sf.LDiversity(2, "frequency", ["+"]), sf.Optimal())
    >>> beliefs = sf.anonymize(people, sf.Confidentiality(2, ["+"]), sf.OptimalConfidential(2))
    >>> shares.levels, beliefs.levels
    ({'job': 1}, {'job': 1})
    >>> [str(sf.attacks.Mechanism().run(each).found) for each in (shares, beliefs)]
    ['1', '1/3']
    """

    m: Fraction
    pass_over: bool = True
    judges_all_groups: ClassVar[bool] = True
    judges_itself: ClassVar[bool] = True

    def __init__(self, m: float | Fraction | str, pass_over: bool = True) -> None:
        object.__setattr__(self, "m", number("OptimalConfidential", "m", m, least=1))
        true_or_false("OptimalConfidential", "pass_over", pass_over)
        object.__setattr__(self, "pass_over", pass_over)

    @property
    def publishes(self) -> Publishes:
        """Nodes of trees."""
        return "nodes"

    def refuses(self, criterion: Criterion) -> str | None:
        """All but m-confidentiality and numbers of people."""
        promised = [part for part in criterion.parts if part.by_mechanism]
        others = [part for part in criterion.parts if part.looks_at_values]
        if len(promised) != 1 or others != promised:
            return (
                "it keeps one promise about values, Confidentiality, beside numbers of people; ask "
                "for that alone"
            )
        asked = 1 / promised[0].belief_allowed().number
        if asked > self.m:
            wanted = value_text(asked)
            return f"it was told m = {value_text(self.m)}; say OptimalConfidential({wanted})"
        return super().refuses(criterion)

    @classmethod
    def examples(cls) -> tuple[Algorithm, ...]:
        """One of each kind that behaves differently."""
        return (cls(2),)

    def search(self, frequencies: FrequencySet, criterion: Criterion, draw: Draw) -> Recoding:
        """Find by which node this table, among all that could be, is published."""
        del draw
        ground = frequencies.combinations
        sizes_alone = [part for part in criterion.parts if not part.looks_at_values]
        lattice = Lattice(ground, together(sizes_alone) if sizes_alone else KAnonymity(1))
        nodes, partitions = _in_order(lattice)
        if not nodes:
            raise refuse(lattice, 0)
        world = _World.of(frequencies, _part_about_values(criterion), partitions)
        question = _Question(
            tuple(world.sizes.tolist()),
            tuple(world.histogram.tolist()),
            tuple(world.order),
            1 / self.m,
            world.protected,
            self.pass_over,
        )
        self._refuse_impossible(world, criterion)
        answer = _answered(question)
        place = answer.place(world.people)
        if answer.rule.left > 1 / self.m or place == NOTHING:
            raise Unsatisfiable(self._nothing(answer.rule.left, len(nodes)))
        return lattice.recoding(nodes[place])

    def _refuse_impossible(self, world: _World, criterion: Criterion) -> None:
        """Refuse a table in which a value is too frequent: no mechanism can hide that."""
        n_people = int(world.sizes.sum())
        most = max((int(world.histogram[v]) for v in world.protected), default=0)
        if Fraction(most, n_people) <= 1 / self.m:
            return
        raise Unsatisfiable(
            f"{self}: no release satisfies {criterion}: of all {counted(n_people, 'row')} "
            f"{count(most)} have one protected value, more than 1 in {value_text(self.m)}, and "
            "beliefs in people average to that, whatever is published; ask for a smaller m"
        )

    def _nothing(self, left: Fraction, n_nodes: int) -> str:
        """Say that nothing is published, and what is believed by who learns that."""
        said = (
            f"{self}: none of {counted(n_nodes, 'node')} publishes all tables with these "
            f"quasi-identifiers and numbers of values; who learns that nothing is published "
            f"believes up to {value_text(left)}"
        )
        if self.pass_over:
            return f"{said}; ask for fewer people in a group, or a smaller m"
        return f"{said}, where {value_text(1 / self.m)} is allowed; leave out pass_over=False"


def _size(n: int) -> str:
    """Write a number, of a large one how many digits it has."""
    return count(n) if n < LARGE else f"10^{len(str(n)) - 1}"


def _part_about_values(criterion: Criterion) -> Criterion:
    return next(part for part in criterion.parts if part.by_mechanism)


def _in_order(lattice: Lattice) -> tuple[list[Node], list[Partition]]:
    """Give the nodes with enough people in every group, the cheapest first, and their groups.

    Nobody's sensitive value has a part in that.
    """
    if lattice.n_nodes > NODES:
        raise BadInput(
            f"OptimalConfidential: there are {count(lattice.n_nodes)} nodes, and every one of at "
            f"most {count(NODES)} is looked at; give hierarchies with fewer levels, or fewer "
            f"quasi-identifiers; {OTHERWISE}"
        )
    metric = METRICS["loss"](lattice, None)
    prices = {node: metric.bound(node) for node in lattice.nodes()}
    ground = lattice.frequencies
    columns = [(ground.domains[name].taxonomy.low, ground.codes(name)) for name in ground.columns]
    nodes, partitions = [], []
    for done, node in enumerate(sorted(prices, key=lambda each: (prices[each], sum(each), each))):
        report("counting people", done, len(prices))
        lows = [low[level][codes] for (low, codes), level in zip(columns, node, strict=True)]
        group = distinct(ground.layout.pack(lows))[1]
        sizes = sum_by(group, ground.counts, int(group.max()) + 1)
        if holding(lattice.criterion, JointGroups(ground, sizes, None)).all():
            nodes.append(node)
            partitions.append(group)
    return nodes, partitions


@dataclass(frozen=True, eq=False)
class _World:
    """People whom no node tells apart, and how many of them have which value."""

    people: Counts  # (n_cells, n_values), as they are
    order: list[bytes]  # partitions of the cells
    protected: tuple[int, ...]

    @classmethod
    def of(
        cls, frequencies: FrequencySet, part: Criterion, partitions: Sequence[Partition]
    ) -> _World:
        """Count a table; values that count as one are one, and so are those not protected."""
        if part.attribute is None and len(frequencies.sensitive) > 1:
            raise BadInput(
                f"OptimalConfidential: {part}: the table has several sensitive columns; say with "
                "attribute= which one beliefs are about"
            )
        attribute = str(frequencies.attribute(part.attribute))
        told, cell = np.unique(np.stack(partitions), axis=1, return_inverse=True)
        cell = cell.ravel()
        counted_as = part.protects(frequencies.domains[attribute])[frequencies.codes(attribute)]
        kinds, value = np.unique(counted_as, return_inverse=True)
        people = np.zeros((told.shape[1], len(kinds)), dtype=np.int64)
        np.add.at(people, (cell[frequencies.combination_of], value), frequencies.counts)
        order = [np.ascontiguousarray(row, dtype=np.intp).tobytes() for row in told]
        return cls(people, order, tuple(np.flatnonzero(kinds >= 0).tolist()))

    @property
    def sizes(self) -> Counts:
        """(n_cells,)."""
        return np.asarray(self.people.sum(axis=1))

    @property
    def histogram(self) -> Counts:
        """(n_values,)."""
        return np.asarray(self.people.sum(axis=0))


@dataclass(frozen=True)
class _Question:
    """All that decides by which node which world is published; who has what is no part of it."""

    sizes: tuple[int, ...]
    histogram: tuple[int, ...]
    order: tuple[bytes, ...]
    bound: Fraction
    protected: tuple[int, ...]
    pass_over: bool


@dataclass(frozen=True, eq=False)
class _Answer:
    """Every world, and by which node it is published."""

    dealt: NDArray[np.unsignedinteger]  # (n_worlds, n_cells, n_values)
    rule: FirstConfidential

    def place(self, people: Counts) -> int:
        """Give the place of the node that publishes a table."""
        same = np.flatnonzero((self.dealt == people).all(axis=(1, 2)))
        return int(self.rule.published[same[0]])


@lru_cache(maxsize=8)
def _answered(question: _Question) -> _Answer:
    """Go through all worlds; kept, for an attack asks again on each of them."""
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
    return _Answer(dealt.astype(np.min_scalar_type(int(sizes.max()))), rule)
