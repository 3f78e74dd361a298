"""Zhang's algorithm in three phases, as Wong 2009, section 5.2.3, describes it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from sfumato.algorithms.algorithm import Algorithm
from sfumato.algorithms.lattice.lattice import Lattice, Node, right_below
from sfumato.algorithms.lattice.metric import METRICS, known_metric
from sfumato.algorithms.lattice.minimal import refuse
from sfumato.algorithms.lots import Draw
from sfumato.algorithms.two_tables import Publish, check_publish
from sfumato.criteria.criterion import Criterion
from sfumato.data.frequency import FrequencySet
from sfumato.data.naming import Publishes
from sfumato.data.recoding import Recoding
from sfumato.errors import Unsatisfiable
from sfumato.parameters import one_of
from sfumato.progress import report


@dataclass(frozen=True)
class ThreePhase(Algorithm):
    """A node above the cheapest safe one, where enough nodes right below it are unsafe.

    First all nodes are put into a sequence, by what they cost; ties go to the lower node, then to
    the first in the order of the columns, and last comes "disclose nothing". Then the first safe
    one is looked for. From the end of the sequence back to that one, finally, a node is published
    that has at least l unsafe specializations; if there is none, the first safe one is.

    The paper says it for l-diversity; here l is the least number of possibilities, equally likely,
    of which none is believed more than the criterion allows. A criterion that bounds no belief
    has no third phase. A node of the third phase has to be safe itself, which the paper does not
    ask for. The specializations of a node are those right below it in the lattice; with
    `specialization="sequence"` its predecessor in the sequence, so that for l > 1 the third phase
    finds nothing. Those of "disclose nothing" are the top alone. Where no node is safe, nothing is
    disclosed: that is an `Unsatisfiable`, from which those who know the method learn, too.

    It was meant to withstand somebody who knows it, and does not: where the third phase finds
    nothing, the first safe node says that all before it are unsafe (table XX).

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> diverse = sf.LDiversity(2, "frequency")
    >>> sf.anonymize(patients, diverse, sf.Optimal()).levels
    {'age': 4, 'sex': 0}
    >>> sf.anonymize(patients, diverse, sf.ThreePhase()).levels
    {'age': 1, 'sex': 1}
    """

    metric: str = "loss"
    specialization: Literal["lattice", "sequence"] = "lattice"
    publish: Publish = "generalized"
    judges_all_groups: ClassVar[bool] = True

    def __post_init__(self) -> None:
        known_metric("ThreePhase", self.metric)
        one_of("ThreePhase", "specialization", self.specialization, ("lattice", "sequence"))
        check_publish("ThreePhase", self.publish)

    @property
    def publishes(self) -> Publishes:
        """Nodes of trees."""
        return "nodes"

    @property
    def keeps_guards(self) -> bool:
        """Combinations are recoded as a whole."""
        return not self.bucketized

    @classmethod
    def examples(cls) -> tuple[Algorithm, ...]:
        """One of each kind that behaves differently."""
        return (cls(), cls("discernibility", "sequence"))

    def search(self, frequencies: FrequencySet, criterion: Criterion, draw: Draw) -> Recoding:
        """Go through the sequence forth, and back."""
        del draw
        lattice = Lattice(frequencies, criterion)
        sequence, safe = self._sequence(lattice)
        first = next((place for place, node in enumerate(sequence) if safe[node]), None)
        if first is None:
            raise Unsatisfiable(f"nothing is disclosed: {refuse(lattice, 0)}")
        specializations: Callable[[int], list[Node]] = (
            (lambda place: right_below(sequence[place]))
            if self.specialization == "lattice"
            else (lambda place: [sequence[place - 1]])
        )
        wanted = possibilities(criterion)
        for place in range(len(sequence) - 1, first, -1) if wanted > 1 else ():
            unsafe = sum(not safe[node] for node in specializations(place))
            if unsafe >= wanted and safe[sequence[place]]:
                return lattice.recoding(sequence[place])
        return lattice.recoding(sequence[first])

    def _sequence(self, lattice: Lattice) -> tuple[list[Node], dict[Node, bool]]:
        """Give all nodes, the cheapest first, and whether each is safe."""
        metric = METRICS[self.metric](lattice, None)
        prices, safe = {}, {}
        for done, node in enumerate(lattice.nodes()):
            report("pricing", done, lattice.n_nodes)
            groups = lattice.rollup.at(node)
            everybody = np.ones(len(groups.sizes), dtype=bool)
            prices[node] = metric.price(node, groups, everybody)
            safe[node] = bool(lattice.safe(groups).all())
        return sorted(prices, key=lambda node: (prices[node], sum(node), node)), safe


def possibilities(criterion: Criterion) -> int:
    """Give the least number of possibilities of which none is believed too much.

    >>> import sfumato as sf
    >>> possibilities(sf.LDiversity("5/2", "frequency")), possibilities(sf.CKSafety("1/2", 1))
    (3, 3)
    >>> possibilities(sf.KAnonymity(5)), possibilities(sf.KAnonymity(5) & sf.LDiversity(4))
    (1, 4)
    """
    least = 1
    for part in criterion.parts:
        bound = part.belief_allowed()
        enough = math.ceil(1 / bound.number) if bound.number else 1
        if bound.number and enough * bound.number == 1 and bound.relation == "<":
            enough += 1
        least = max(least, enough, part.values_wanted())
    return least
