"""What is learned where a method publishes nothing: "disclose nothing" is an output, too."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms import Algorithm
from sfumato.algorithms.algorithm import a_method
from sfumato.algorithms.compatibility import check_pair
from sfumato.algorithms.lots import Draw
from sfumato.attacks.finding import Finding
from sfumato.attacks.known_method.by_class import ClassBelief, Protected, by_code
from sfumato.attacks.known_method.membership import Membership
from sfumato.attacks.known_method.solver import LearnedBeliefs
from sfumato.attacks.known_method.verdict import Verdict
from sfumato.attacks.mechanism.budget import Budget, refuse_unknown_lots
from sfumato.attacks.mechanism.population import Population
from sfumato.attacks.mechanism.worlds import multisets, ways
from sfumato.attacks.target import Target
from sfumato.criteria import Criterion
from sfumato.criteria.judging import a_criterion, guarding_column, named_in, validate
from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet, Grouping
from sfumato.data.groups import Counts
from sfumato.data.hierarchy import Flat
from sfumato.data.recoding import SUPPRESSED
from sfumato.errors import BadInput, CannotRun, DoesNotApply, Unsatisfiable
from sfumato.parameters import fraction, number, optional_column, refusal, whole
from sfumato.progress import report, to_the_end
from sfumato.table import Table

WORLDS = 20_000
NOTHING = "nothing is published, which is an answer of the method, too"
TOO_MANY = "too many worlds to see on which of them the method publishes nothing"


@dataclass(frozen=True, eq=False)
class Refusal:
    """Somebody knows that a method was run, and that nothing came of it (Wong 2009, 5.2.3).

    He knows everybody's quasi-identifiers, the method with its parameters, the criterion, which
    values the column has, and that no table satisfied the criterion. Everybody is suppressed then:
    a world gives everybody any value, and counts as often as the method refuses it. A table in
    which nobody has a value that the criterion names is refused for another reason, so that is no
    such world. The promise is broken where a belief exceeds both its bound and what was believed
    before.

    Args:
        attribute: The sensitive column, when there are several.
        prior: What is believed of everybody before, by value: weights, which need not add up to 1.
            None: every value of the column, of its hierarchy and of the criterion is alike.
        worlds: Run the method at most so often.

    >>> import pyarrow as pa
    >>> import sfumato as sf
    >>> few = pa.table({"ward": ["a", "a", "b", "b"], "test": ["+", "+", "+", "-"]})
    >>> wards = sf.read(few, {"ward": sf.Flat()}, "test")
    >>> promise = sf.LDiversity(2, "frequency", ["+"])
    >>> finding = sf.attacks.Refusal().run(wards, promise, sf.ThreePhase())
    >>> finding.found, finding.verdict
    (Fraction(4, 5), 'FAILS for 4 people')
    """

    attribute: str | None = None
    prior: Mapping[object, object] | None = None
    worlds: int = WORLDS

    def __post_init__(self) -> None:
        optional_column("Refusal", "attribute", self.attribute)
        whole("Refusal", "worlds", self.worlds, least=1)
        if self.prior is not None:
            if not isinstance(self.prior, Mapping):
                raise refusal("Refusal", "prior", "weights by value", self.prior)
            for weight in self.prior.values():
                number("Refusal", "prior", weight, above=0)

    def run(self, table: Table, criterion: Criterion, method: Algorithm) -> Finding:
        """Find the value that is believed most, where this method publishes nothing of a table."""
        if not isinstance(table, Table):
            raise BadInput(f"Refusal: expected a table from sf.read, got {type(table).__name__}")
        a_method(method, "Refusal")
        _refuse_what_is_not_worked_out(table, a_criterion(criterion), method)
        frequencies = table.frequencies()
        validate(criterion, frequencies)
        check_pair(method, criterion)
        attribute = str(frequencies.attribute(self.attribute))
        budget = Budget(self.worlds, TOO_MANY)
        if not _chance_of_refusal(frequencies, criterion, method, budget):
            raise BadInput(
                f"Refusal: {method} publishes a table under {criterion}; attack that release "
                "(sf.audit)"
            )
        columns = {
            name: _values(table, name, criterion, self.prior if name == attribute else None)
            for name in frequencies.sensitive
        }
        domains = {name: domain for name, (domain, _) in columns.items()}
        possible = [
            [(code, weight) for code, weight in enumerate(weights) if weight]
            for _, weights in columns.values()
        ]
        rows = list(itertools.product(*possible))
        prior = [math.prod((weight for _, weight in row), start=Fraction(1)) for row in rows]
        codes = np.array([[code for code, _ in row] for row in rows], dtype=np.int32)
        population = Population(table.combinations(), domains, codes)
        believed = self._believed(population, prior, criterion, method, budget)
        j = frequencies.sensitive.index(attribute)
        own = codes[:, j].tolist()
        before = by_code(own, prior)
        classes = [
            ClassBelief(SUPPRESSED, i, n, by_code(own, believed[i] / n), before=before)
            for i, n in enumerate(population.ground.counts.tolist())
        ]
        weights = {name: _whole_numbers(weights) for name, (_, weights) in columns.items()}
        return _finding(population, weights, criterion, method, attribute, classes, before)

    def _believed(
        self,
        population: Population,
        prior: list[Fraction],
        criterion: Criterion,
        method: Algorithm,
        budget: Budget,
    ) -> NDArray[np.object_]:
        """Give how many people of each combination are expected to have each value."""
        counts = population.ground.counts
        n_worlds = 1
        for n in counts.tolist():
            n_worlds *= math.comb(n + len(prior) - 1, n)
            if n_worlds > self.worlds:
                raise CannotRun(TOO_MANY)
        total = Fraction(0)
        believed = np.full((len(counts), len(prior)), Fraction(0), dtype=object)
        kinds = [list(multisets(int(n), len(prior))) for n in counts.tolist()]
        for done, world in enumerate(itertools.product(*kinds)):
            report("running the method on worlds", done, n_worlds)
            people = np.array(world, dtype=np.int64)
            if population.names_nobody(people, criterion):
                continue
            refused = _chance_of_refusal(population.frequencies(people), criterion, method, budget)
            if refused:
                spent = people.sum(axis=0).tolist()
                chance = math.prod((p**n for p, n in zip(prior, spent, strict=True)), start=refused)
                weight = chance * ways(counts, people)
                total += weight
                believed = believed + people.astype(object) * weight
        if not total:
            raise CannotRun("the method refuses this table, and no world that prior= allows for")
        return np.asarray(believed / total)


def _chance_of_refusal(
    frequencies: FrequencySet, criterion: Criterion, method: Algorithm, budget: Budget
) -> Fraction:
    """Say how likely it is that a method publishes nothing of a table."""

    def refuses(draw: Draw) -> bool:
        try:
            with to_the_end():
                method.search(frequencies, criterion, draw)
        except Unsatisfiable:
            return True
        return False

    return budget.chances(refuses, counted=True).get(True, Fraction(0))


def _refuse_what_is_not_worked_out(table: Table, criterion: Criterion, method: Algorithm) -> None:
    if not any(part.looks_at_values for part in criterion.parts):
        raise DoesNotApply(
            "only numbers of people were asked for, and these everybody can count: that nothing is "
            "published says nothing about values"
        )
    if guarding_column(criterion) is not None:
        raise CannotRun("what people guard is not worked out where nothing is published")
    if table.set_valued is not None:
        raise CannotRun("people have any number of values; worlds are about one value for each")
    refuse_unknown_lots(method, refused=True)
    if method.series is not None and method.series.previous:
        raise CannotRun("whether something is published depended on earlier releases, too")


def _values(
    table: Table, name: str, criterion: Criterion, prior: Mapping[object, object] | None
) -> tuple[Domain, list[Fraction]]:
    """Lay out the values that people can have in a column, with what is believed before."""
    own = table.domains[name]
    named = [value for value in named_in(criterion, name) if own.ranks_of(value) is None]
    rule = table.schema.hierarchies.get(name, Flat())
    labels = [*own.labels, *named] if prior is None else list(prior)
    try:
        domain = rule.grow(name, list(dict.fromkeys([*own.labels, *labels])))[0]
    except BadInput as error:
        raise BadInput(f"Refusal: prior: {error}") from None
    weights = [Fraction(0)] * len(domain)
    for label in domain.labels if prior is None else labels:
        code = domain.code_of(label)
        assert code is not None  # noqa: S101  (it was grown over them)
        weights[code] += 1 if prior is None else fraction(prior[label])
    whole_weight = sum(weights)
    return domain, [weight / whole_weight for weight in weights]


def _whole_numbers(weights: list[Fraction]) -> Counts:
    whole_weight = math.lcm(*(weight.denominator for weight in weights))
    return np.array([int(weight * whole_weight) for weight in weights], dtype=np.int64)


def _finding(
    population: Population,
    weights: Mapping[str, Counts],
    criterion: Criterion,
    method: Algorithm,
    attribute: str,
    classes: list[ClassBelief],
    before: dict[int, Fraction],
) -> Finding:
    """Hold beliefs against the promise: of a release in which nobody is published."""
    known = population.with_every_value(weights)
    boxes = np.zeros((0, len(known.quasi_identifiers), 2), dtype=np.int32)
    nobody = Grouping(known, boxes, np.full(len(known), SUPPRESSED, dtype=np.intp))
    target = Target(nobody, criterion, method)
    members = Membership.of_groups(known, boxes, nobody.joint.counted)
    finding = Verdict(target, members, LearnedBeliefs([]), attribute, classes).finding(
        "refusal",
        f"everybody's quasi-identifiers, and that {method} published nothing under {criterion}",
        NOTHING,
    )
    bounded = [p for p in target.parts(attribute, others=False) if p.belief_allowed().number < 1]
    groups = members.joint().by(attribute)
    _, most = ClassBelief(SUPPRESSED, 0, 1, before).believed(
        Protected.by(bounded[0] if bounded else None, groups)
    )
    return replace(finding, before=most, n_people=population.ground.n_rows, knows_method=True)
