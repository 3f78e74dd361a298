"""The full-domain generalization of least price, found and proved."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sfumato.algorithms.algorithm import Algorithm, Minimality, Suppress, allowed_rows
from sfumato.algorithms.failed_steps import FailedStep, PublishedGroups
from sfumato.algorithms.lattice.counted_nodes import (
    CountedNodes,
    Enough,
    check_budget,
    counting_nodes,
)
from sfumato.algorithms.lattice.failed_nodes import failed_nodes
from sfumato.algorithms.lattice.lattice import Lattice, Node
from sfumato.algorithms.lattice.metric import METRICS, Weights, known_metric
from sfumato.algorithms.lattice.minimal import nothing_yet, refuse
from sfumato.algorithms.lattice.outliers import check_suppress
from sfumato.algorithms.lattice.units import ROUNDING, Price
from sfumato.algorithms.lots import Draw
from sfumato.algorithms.two_tables import Publish, check_publish
from sfumato.criteria.criterion import Criterion
from sfumato.criteria.k_anonymity import KAnonymity
from sfumato.data.frequency import FrequencySet
from sfumato.data.naming import Publishes
from sfumato.data.recoding import BestSoFar, Recoding
from sfumato.errors import BadInput
from sfumato.formulas.measures.loss import read_weights
from sfumato.parameters import suppression_limit
from sfumato.progress import report
from sfumato.text import value_text

if TYPE_CHECKING:
    from sfumato.algorithms.lattice.rollup import Start

PART = 4  # of a budget one in so many nodes is for a bound by sizes, where values are looked at
EVERY = 16  # boxes: after so many the best so far is reported


@dataclass(frozen=True)
class Optimal(Algorithm):
    """The best of all nodes by a metric; few people, if so many may be, are in no safe group.

    With suppression neither most prices nor most criteria are monotone. So nothing is concluded
    from one node about another but by what holds for sure: a branch of the lattice is passed over
    when its bound shows that nothing there can beat the best node found, or when its top shows that
    too many are left out in all of it: who is in a group below the least size there, and of a group
    whose values fail at least as many as no part of it can keep. Ties go to the lower node, then to
    the first in the order of the columns.

    With a `budget` no more is counted than so many groupings: nodes, tops of branches, and columns
    tried in a branch. `release.gap` says by how much there may be a better node than the best that
    was found, as it does after Ctrl-C.

    Metrics, with their price of a suppressed row: "loss" (1), "precision" (1), "entropy" (all its
    bits), "discernibility" (the number of rows of the table), "average_class" (a row in no
    group), "height", "relative_height" and "distinct" (nothing). What "loss" and "precision" add up
    column by column can be weighted: `weights={"age": 3, "zip": 1}`, made to add up to 1, exactly.
    With `suppress="cells"` people who would be left out are published as one group with every
    quasi-identifier at the root, if that group is safe; it is priced as the group that it is.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> release = sf.anonymize(patients, sf.KAnonymity(5), sf.Optimal("discernibility", 0.02))
    >>> release.levels, release.n_suppressed
    ({'age': 0, 'sex': 1}, 15)
    >>> sf.anonymize(patients, sf.KAnonymity(5), sf.Optimal()).levels
    {'age': 4, 'sex': 0}
    >>> age_matters = sf.Optimal("loss", weights={"age": 5, "sex": 1})
    >>> sf.anonymize(patients, sf.KAnonymity(5), age_matters).levels
    {'age': 1, 'sex': 1}
    """

    metric: str = "loss"
    max_suppressed: float = 0
    weights: Weights | None = None
    budget: int | None = None
    suppress: Suppress = "rows"
    publish: Publish = "generalized"
    judges_all_groups: ClassVar[bool] = True

    def __post_init__(self) -> None:
        suppression_limit("Optimal", self.max_suppressed)
        known_metric("Optimal", self.metric)
        check_budget("Optimal", self.budget)
        check_suppress("Optimal", self.suppress)
        check_publish("Optimal", self.publish, suppress=self.suppress)
        if self.weights is None:
            return
        if not METRICS[self.metric].weighted:
            able = " or ".join(name for name, kind in METRICS.items() if kind.weighted)
            raise BadInput(
                f"Optimal: weights are of {able}, which add up columns, and not of {self.metric}"
            )
        object.__setattr__(self, "weights", read_weights("Optimal: weights", self.weights))

    def __hash__(self) -> int:
        return hash(str(self))

    @property
    def keeps_alike_together(self) -> bool:
        """A level is one for all."""
        return True

    @property
    def publishes(self) -> Publishes:
        """Nodes of trees."""
        return "nodes"

    @property
    def keeps_guards(self) -> bool:
        """Combinations are recoded as a whole."""
        return not self.bucketized

    @property
    def minimality(self) -> Minimality | None:
        """No safe node below costs more, unless rows may be suppressed: they have a price, too."""
        return None if self.max_suppressed or self.budget is not None else "full-domain"

    def failed_steps(
        self, published: PublishedGroups, criterion: Criterion
    ) -> Iterator[FailedStep] | None:
        """The nodes that are cheaper than the published one, if nobody may be suppressed."""
        if self.budget is not None or allowed_rows(self.max_suppressed, published.ground.n_rows):
            return None  # not all cheaper nodes failed; suppression costs what depends on values
        return failed_nodes(published, criterion.least_size, self._ranking)

    def _ranking(self, lattice: Lattice) -> Callable[[Node], _Priced]:
        metric = METRICS[self.metric](lattice, self.weights)

        def rank(node: Node) -> _Priced:
            groups = lattice.rollup.at(node)
            return _Priced(metric.price(node, groups, np.ones(len(groups.sizes), dtype=bool)), node)

        return rank

    @classmethod
    def examples(cls) -> tuple[Algorithm, ...]:
        """One of each kind that behaves differently."""
        return (
            cls("loss"),
            cls("discernibility", 0.1),
            cls("discernibility", 0.2, suppress="cells"),
            cls("loss", 0.1, budget=12),
        )

    def search(self, frequencies: FrequencySet, criterion: Criterion, draw: Draw) -> Recoding:
        """Price every node that the bounds do not settle, until all are, or the budget is spent."""
        del draw
        with counting_nodes(self.budget) as nodes:
            least = self._least_by_size(frequencies, criterion, nodes)
            work = _Search(self, Lattice(frequencies, criterion), nodes, least)
            proved = work.run()
        if work.best is None:
            if not proved:
                raise nothing_yet("Optimal", nodes.n)
            raise refuse(work.lattice, work.limit)
        told = work.told(work.best, proved=proved)
        return replace(work.lattice.recoding(work.best.node, self.suppress), best_so_far=told)

    def _least_by_size(
        self, frequencies: FrequencySet, criterion: Criterion, nodes: CountedNodes
    ) -> Fraction | None:
        """Give what no node costs less than by the sizes of its groups; None: nothing is known.

        Of a criterion that looks at values, within a part of the budget. It leaves out no fewer
        people than their number alone, and that makes no node cheaper.
        """
        if self.budget is None or not _by_values(criterion):
            return None
        by_size = CountedNodes(self.budget // PART, nodes.asked)
        sizes = Lattice(frequencies.combinations, KAnonymity(criterion.least_size))
        work = _Search(self, sizes, by_size)
        proved = work.run()
        nodes.n, nodes.interrupted = by_size.n, by_size.interrupted
        if work.best is None or isinstance(work.best.price, float):
            return None
        return work.least(work.best, proved=proved)


class _Search:
    """The whole search: good nodes first, then boxes until the best is proved."""

    def __init__(
        self,
        method: Optimal,
        lattice: Lattice,
        nodes: CountedNodes,
        least: Fraction | None = None,
    ) -> None:
        """Begin; least: what no node costs less than, whoever has which value."""
        from sfumato.algorithms.lattice.boxes import Boxes  # noqa: PLC0415  (a compiler)

        self.known = least
        self.by_values = _by_values(lattice.criterion)
        self.method, self.lattice, self.nodes = method, lattice, nodes
        self.metric = METRICS[method.metric](lattice, method.weights)
        self.limit = allowed_rows(method.max_suppressed, lattice.frequencies.n_rows)
        self.at_root = method.suppress == "cells"
        self.units = self.metric.units(lattice.criterion.least_size, at_root=self.at_root)
        self.boxes = Boxes(lattice, self.units, self.limit, nodes)
        self.best: _Priced | None = None
        self.n_boxes = 0
        nodes.enforced = False

    def run(self) -> bool:
        """Search; whether the best is proved."""
        from sfumato.algorithms.lattice import greedy  # noqa: PLC0415  (a compiler)

        try:
            if self.boxes.size_alone and self.units.exact:
                greedy.descend_by_size(self.boxes, self.try_out)
            else:
                greedy.descend_by_price(self.boxes, self.try_out, self.metric.bound)
            self.boxes.run(self._settled, self.try_out, self._heard)
        except Enough:
            return False
        return True

    def try_out(self, node: Node, start: Start | None = None) -> _Priced | None:
        """Price a node if it is safe, and keep it if it is the best so far.

        start: a node below that is counted already.
        """
        self.nodes.take()
        groups = self.lattice.rollup.straight(node, start)
        safe = self.lattice.safe_within(groups, self.limit)
        if safe is None:
            return None
        n_at_root = self.lattice.n_at_root(node, groups, safe) if self.at_root else 0
        candidate = _Priced(self.metric.price(node, groups, safe, n_at_root), node)
        if self.best is None or candidate < self.best:
            self.best = candidate
            self.boxes.most = self.units.most(candidate.price)
            self.nodes.enforced = True
        return candidate

    def told(self, best: _Priced, *, proved: bool) -> BestSoFar:
        """Say what the best costs, and what nothing costs less than."""
        cost, least = self.metric.told(best.price), self.least(best, proved=proved)
        return BestSoFar.of(self.method.metric, cost, least, interrupted=self.nodes.interrupted)

    def least(self, best: _Priced, *, proved: bool) -> Fraction:
        """Give what no node costs less than.

        How far a search got that looks at values depends on them, and so does its bound: of one
        that may end early the bound that is told is one that holds whoever has which value.
        """
        cost = self.metric.told(best.price)
        if proved and not (self.by_values and self.method.budget is not None):
            return cost
        open_ = self.boxes.trivial if self.by_values else self.boxes.least
        assert open_ is not None  # noqa: S101  (else the best is proved)
        least = self.metric.told(self.units.price(open_))
        return min(cost, least if self.known is None else max(least, self.known))

    def _settled(self, units: int, lowest: Node) -> bool:
        """Whether no node above one is better than the best, if all cost at least so much."""
        if self.best is None:
            return False
        price = max(self.units.price(units), self.metric.bound(lowest))
        return not _Priced(price, lowest) < self.best

    def _heard(self) -> None:
        """Report the best so far, now and then."""
        self.n_boxes += 1
        if self.best is None or self.n_boxes % EVERY:
            report("searching", self.nodes.n, self.method.budget)
            return
        told, open_ = self.metric.told, self.boxes.least
        least = "" if open_ is None else f", none below {value_text(told(self.units.price(open_)))}"
        best = value_text(told(self.best.price))
        report(f"searching, best {best}{least}", self.nodes.n, self.method.budget)


@dataclass(frozen=True)
class _Priced:
    """A safe node and its price."""

    price: Price
    node: Node

    def __lt__(self, other: _Priced) -> bool:
        """Whether this is cheaper, or as cheap and lower, or first in the order of columns."""
        if _dearer(other.price, self.price):
            return True
        if _dearer(self.price, other.price):
            return False
        return (sum(self.node), self.node) < (sum(other.node), other.node)


def _by_values(criterion: Criterion) -> bool:
    return any(part.looks_at_values for part in criterion.parts)


def _dearer(price: Price, other: Price) -> bool:
    """Whether a price is above another: exactly, or by more than floats can be wrong."""
    if not isinstance(price, float) and not isinstance(other, float):
        return price > other
    near = float(other)
    return float(price) > near + ROUNDING * max(abs(near), 1e-12)
