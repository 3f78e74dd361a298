"""Running the methods of a series again on every world that explains all of its releases.

Whoever knows everybody's quasi-identifiers, and when they came, goes through the releases in their
order: the people of the first get its values in every way, those who came with the second what
the others leave of its values, and so on. On a world each release was as likely as its method
publishes it, with the earlier releases at hand as they were.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms import Algorithm
from sfumato.algorithms.algorithm import a_method
from sfumato.algorithms.bcf.arrivals import arrived
from sfumato.algorithms.lots import Draw
from sfumato.attacks.correspondence.whole_series import GIVE_THEM, doubt_about
from sfumato.attacks.known_method.by_class import ClassBelief, by_code
from sfumato.attacks.known_method.membership import Membership
from sfumato.attacks.mechanism.budget import Budget, refuse_unknown_lots
from sfumato.attacks.mechanism.population import Population, grown_alone, signature
from sfumato.attacks.mechanism.worlds import dealt_tables, ways
from sfumato.criteria import Criterion
from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet, sum_by
from sfumato.data.groups import Counts
from sfumato.data.hierarchy import Flat
from sfumato.data.keys import Codes, distinct_rows
from sfumato.errors import BadInput, CannotRun, Unsatisfiable
from sfumato.progress import report, to_the_end
from sfumato.published.public_view import PublicView
from sfumato.release.earlier_releases.previous import Previous
from sfumato.release.files.writing import needs_values
from sfumato.table import Table

TOO_MANY = "too many worlds explain the releases to run their methods on each of them"
NOT_KNOWN = "it is not known when people came, and so not on what the earlier releases were made"
AS_A_WHOLE = (
    "attack the release in the process that made it, or the series as a whole (sfumato series "
    "audit)"
)
SUPPRESSED_ROWS = "rows were suppressed in a series, and who these are is not worked out here"


@dataclass(frozen=True, eq=False)
class Provenance:
    """A release, how it was made, and beside which others: their places in the series."""

    view: PublicView
    method: Algorithm
    criterion: Criterion
    beside: tuple[int, ...]

    @property
    def blind(self) -> bool:
        """Whether values had no part in what was decided."""
        shown = self.method.reads_values or needs_values(self.criterion)
        return not self.beside and (not self.method.joint or not shown)


def provenances_of(
    own: PublicView, previous: Previous, method: Algorithm, enforced: Criterion
) -> list[Provenance]:
    """See all releases of a series with their methods, as far as these are known.

    own: the last release, made by a method that enforced a criterion.
    """
    doubt = doubt_about(own, previous)
    if doubt is not None:
        raise CannotRun(doubt)
    views = [*previous.releases, own]
    provenances: list[Provenance] = []
    for number, view in enumerate(views):
        by, criterion = method, enforced
        if number < len(previous.releases):
            if view.method is None or view.criterion is None:
                raise CannotRun(
                    f"nobody said by which method earlier release {number + 1} was made",
                    remedy=GIVE_THEM,
                )
            by = a_method(view.method, f"earlier release {number + 1}")
            criterion = view.criterion
        if view.n_suppressed:
            raise CannotRun(SUPPRESSED_ROWS)
        provenances.append(Provenance(view, by, criterion, _beside(by, number, views)))
    return provenances


def _beside(method: Algorithm, number: int, views: Sequence[PublicView]) -> tuple[int, ...]:
    """Find the releases that one was made to be safe beside among those before it."""
    if method.series is None:
        return ()
    before: dict[str, list[int]] = {}
    for place, view in enumerate(views[:number]):
        before.setdefault(view.digest, []).append(place)
    positions = []
    for each in method.series.previous:
        places = before.get(str(each), [])
        if not places:
            raise CannotRun(
                f"release {number + 1} was made beside one that is not at hand", remedy=GIVE_THEM
            )
        positions.append(places.pop(0))
    return tuple(positions)


@dataclass(frozen=True, eq=False)
class _Stage:
    """What one release says, in the ranks and values of the people it was made of."""

    provenance: Provenance
    population: Population
    kinds: NDArray[np.intp]  # people who were there: (n,) of all kinds
    combination: NDArray[np.intp]  # (n,) of the population
    values: NDArray[np.intp]  # (n_own_values,) of all values
    boxes: NDArray[np.int32]
    histogram: Counts  # (n_boxes, n_all_values)
    box_of: NDArray[np.intp] | None  # (n,); None: counts do not tell who is in which box

    @property
    def certain(self) -> bool:
        """Whether a release comes about on every world that explains it."""
        return self.provenance.blind and self.box_of is not None

    @cached_property
    def published(self) -> dict[bytes, bytes]:
        """The release, to be compared with others."""
        return signature(self.boxes, self.histogram[:, self.values])

    def people(self, world: Counts) -> Counts:
        """Count a world, or the beginning of one, by combination and own value."""
        counts = np.zeros((len(self.population.ground), len(self.values)), dtype=np.int64)
        np.add.at(counts, self.combination, world[self.kinds][:, self.values])
        return counts


class SeriesReplay:
    """Runs all methods of a series again on every world that explains what they published."""

    def __init__(self, original: Table, provenances: Sequence[Provenance], most: int) -> None:
        self.original, self.budget = original, Budget(most, TOO_MANY)
        if original.n_rows > most:
            raise CannotRun(TOO_MANY)
        for each in provenances:
            refuse_unknown_lots(each.method)
        counted = original.frequencies()
        try:
            came = arrived(counted, [each.view for each in provenances[:-1]])
        except BadInput as error:
            raise CannotRun(str(error)) from None
        if came is None:
            raise CannotRun(NOT_KNOWN, remedy=AS_A_WHOLE)
        kinds, which = distinct_rows(np.stack([came.row, came.time], axis=1))
        self.ranks = came.ranks[kinds[:, 0]]  # (n_kinds, d)
        self.time = kinds[:, 1]
        self.counts = sum_by(which, came.count, len(kinds))
        self.values = self._published_values(provenances[-1].view, counted)
        self.stages = [self._stage(number, each) for number, each in enumerate(provenances)]

    def _published_values(self, view: PublicView, counted: FrequencySet) -> NDArray[np.int32]:
        """List the values that everybody can have, in codes of the original."""
        codes = counted.persons_values.codes
        used = view.classes_in(counted, "the release").histogram.to_dense().any(axis=0)
        return codes[used]

    def _stage(self, number: int, provenance: Provenance) -> _Stage:
        """See a release in the ranks of the people it was made of, as its method saw them."""
        name = f"release {number + 1}"
        counted = self.original.frequencies()
        kinds = np.flatnonzero(self.time <= number)
        shown = provenance.view.classes_in(counted, name).histogram.to_dense()
        place = {tuple(row): v for v, row in enumerate(counted.persons_values.codes.tolist())}
        column = [place[tuple(row)] for row in self.values.tolist()]
        own = np.flatnonzero(shown[:, column].any(axis=0))
        domains, codes = {}, {}
        for j, quasi in enumerate(counted.quasi_identifiers):
            domains[quasi], codes[quasi] = self._grown(quasi, self.ranks[kinds, j])
        value_domains, rows = {}, []
        for j, sensitive in enumerate(counted.sensitive):
            domain, code = self._grown(sensitive, self.values[own, j])
            value_domains[sensitive] = domain
            rows.append(code)
        ground = FrequencySet.from_codes(
            domains, counted.quasi_identifiers, (), codes, self.counts[kinds]
        )
        population = Population(ground, value_domains, np.stack(rows, axis=1).astype(np.int32))
        at = {tuple(row): i for i, row in enumerate(population.codes.tolist())}
        mine = np.stack([codes[quasi] for quasi in counted.quasi_identifiers], axis=1)
        combination = np.array([at[tuple(row)] for row in mine.tolist()], dtype=np.intp)
        base = population.with_every_value({})
        try:
            classes = provenance.view.classes_in(base, name)
        except BadInput as error:
            raise CannotRun(str(error)) from None
        by_value = {tuple(row): v for v, row in enumerate(base.persons_values.codes.tolist())}
        numbers = [by_value[tuple(row)] for row in population.rows.tolist()]
        histogram = np.zeros((len(classes), len(self.values)), dtype=np.int64)
        histogram[:, own] = classes.histogram.to_dense()[:, numbers]
        box_of = _only_box(mine, classes.boxes, self.counts[kinds], classes.sizes)
        return _Stage(
            provenance, population, kinds, combination, own, classes.boxes, histogram, box_of
        )

    def _grown(self, column: str, codes: Codes) -> tuple[Domain, Codes]:
        rule = self.original.schema.hierarchies.get(column, Flat())
        return grown_alone(rule, column, self.original.domains[column], codes)

    def run(self, attribute: str) -> tuple[Membership, list[ClassBelief]]:
        """Give what is believed of people of every combination who came at the same time."""
        shape = (len(self.counts), len(self.values))
        total: Fraction = Fraction(0)
        believed = np.full(shape, Fraction(0), dtype=object)
        nobody = np.zeros(shape, dtype=np.int64)
        for done, (world, chance) in enumerate(self._worlds(0, nobody, Fraction(1), ())):
            report("running the methods on worlds", done)
            weight = chance * ways(self.counts, world)
            total += weight
            believed = believed + world.astype(object) * weight
        if not total:
            raise CannotRun(
                "on no world do the methods publish these releases; they were made another way "
                "than they say"
            )
        last = self.stages[-1]
        members = last.population.members(last.boxes, last.histogram[:, last.values])
        return members, self._classes(believed / total, attribute)

    def _worlds(
        self, number: int, world: Counts, chance: Fraction, tables: tuple[FrequencySet, ...]
    ) -> Iterator[tuple[Counts, Fraction]]:
        """Go on with a world that explains the releases before one; give all that explain all."""
        if number == len(self.stages):
            yield world, chance
            return
        stage = self.stages[number]
        for dealt in self._dealt(stage, number, world):
            people = stage.people(dealt)
            table = stage.population.frequencies(people)
            likely = chance * self._likelihood(stage, people, (*tables, table))
            if likely:
                yield from self._worlds(number + 1, dealt, likely, (*tables, table))

    def _dealt(self, stage: _Stage, number: int, world: Counts) -> Iterator[Counts]:
        """Deal what the others leave of a release to those who came with it."""
        new = self.time[stage.kinds] == number
        if stage.box_of is None:
            parts = [(stage.kinds, new, stage.histogram.sum(axis=0))]
        else:
            parts = [
                (stage.kinds[inside], new[inside], row)
                for box, row in enumerate(stage.histogram)
                if len(inside := np.flatnonzero(stage.box_of == box))
            ]
        choices = []
        for kinds, came, row in parts:
            rest = row - world[kinds].sum(axis=0)
            if (rest < 0).any():
                return
            own = dealt_tables(self.counts[kinds[came]], rest, self.budget.left)
            if own is None:
                raise CannotRun(TOO_MANY)
            choices.append((kinds[came], own))
        self.budget.spend(math.prod(len(own) for _, own in choices))
        for chosen in itertools.product(*(own for _, own in choices)):
            dealt = world.copy()
            for (kinds, _), table in zip(choices, chosen, strict=True):
                dealt[kinds] = table
            yield dealt

    def _likelihood(
        self, stage: _Stage, people: Counts, tables: tuple[FrequencySet, ...]
    ) -> Fraction:
        """Say how likely it is that a method publishes a release; tables: of all so far."""
        provenance = stage.provenance
        if stage.certain:
            return Fraction(1)
        if stage.box_of is None and not needs_values(provenance.criterion):
            raise CannotRun("people who are alike were put into groups by lot, whatever they have")
        if stage.population.names_nobody(people, provenance.criterion):
            return Fraction(0)
        method = provenance.method
        if provenance.beside:
            assert method.series is not None  # noqa: S101  (only such are made beside others)
            method = method.series.after(
                [
                    self.stages[place].provenance.view.knowing((tables[place],))
                    for place in provenance.beside
                ]
            )

        def same(draw: Draw) -> bool:
            try:
                with to_the_end():
                    recoding = method.search(tables[-1], provenance.criterion, draw)
            except Unsatisfiable:
                return False
            boxes, histogram, suppressed = stage.population.published(recoding, tables[-1])
            return not suppressed.any() and signature(boxes, histogram) == stage.published

        return self.budget.chances(same, counted=True).get(True, Fraction(0))

    def _classes(self, expected: NDArray[np.object_], attribute: str) -> list[ClassBelief]:
        """Give what is believed of everybody, by one sensitive column."""
        last = self.stages[-1]
        population = last.population
        j = list(population.value_domains).index(attribute)
        codes = population.rows[:, j]
        classes = []
        for place, kind in enumerate(last.kinds.tolist()):
            n, who = int(self.counts[kind]), int(last.combination[place])
            likely = expected[kind, last.values]
            possible = np.flatnonzero(likely)
            shares = by_code(codes[possible].tolist(), likely[possible] / n)
            own = population.codes[who]
            inside = (own >= last.boxes[:, :, 0]) & (own <= last.boxes[:, :, 1])
            group = int(np.flatnonzero(inside.all(axis=1))[0])
            classes.append(ClassBelief(group, who, n, shares))
        return classes


def _only_box(
    codes: NDArray[np.int32], boxes: NDArray[np.int32], counts: Counts, sizes: Counts
) -> NDArray[np.intp] | None:
    """Give the one box that each kind of people is in; None: counts do not tell."""
    some = codes[:, np.newaxis]
    inside = ((some >= boxes[:, :, 0]) & (some <= boxes[:, :, 1])).all(axis=2)
    if (inside.sum(axis=1) != 1).any():
        return None
    box = inside.argmax(axis=1)
    return box if np.array_equal(sum_by(box, counts, len(boxes)), sizes) else None
