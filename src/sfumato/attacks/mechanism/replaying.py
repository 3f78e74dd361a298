"""Running a method again on every world, to see on which of them it publishes the same."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms import Algorithm
from sfumato.algorithms.lots import Draw
from sfumato.attacks.known_method.by_class import ClassBelief, by_code
from sfumato.attacks.known_method.membership import Membership, fitting_pairs
from sfumato.attacks.known_method.possible_values import PossibleValues
from sfumato.attacks.matching import boxes_in
from sfumato.attacks.mechanism.budget import Budget, refuse_unknown_lots
from sfumato.attacks.mechanism.population import Population, Signature, signature
from sfumato.attacks.mechanism.worlds import (
    Case,
    Dealing,
    World,
    every_world,
    fewest_tables,
    suppressed_sets,
    without_some,
)
from sfumato.attacks.target import Target
from sfumato.criteria import Criterion
from sfumato.data.frequency import FrequencySet
from sfumato.data.groups import Counts
from sfumato.data.hierarchy import Hierarchy
from sfumato.data.recoding import SUPPRESSED, Recoding
from sfumato.errors import CannotRun, Unsatisfiable
from sfumato.formulas.boxes.fillings import Fillings
from sfumato.progress import report, to_the_end

MOST_FILLINGS = 1_000  # of published groups by people
TOO_MANY = "too many worlds to run the method on each of them"


class Replay:
    """Runs a method again on every world that could have led to a release.

    Args:
        target: What was published.
        ground: The quasi-identifiers of all people.
        rules: The hierarchies of the columns.
        method: What is run.
        enforced: The criterion it keeps to.
        most: Run it at most so often.
    """

    def __init__(
        self,
        target: Target,
        ground: FrequencySet,
        rules: Mapping[str, Hierarchy],
        method: Algorithm,
        enforced: Criterion,
        most: int,
    ) -> None:
        self.target, self.method, self.enforced, self.most = target, method, enforced, most
        if ground.n_rows > most:
            raise CannotRun(TOO_MANY)
        self.ground = ground
        self.boxes = self._boxes()  # (n_groups, n_quasi_identifiers, 2)
        self.values = PossibleValues.of(target, rules, enforced)
        self.population = Population(self.ground, self.values.domains, self.values.rows)
        self.placed = False  # whether everybody is in one group, which is known

    def _boxes(self) -> NDArray[np.int32]:
        """Give what is published of quasi-identifiers, group by group."""
        return boxes_in(self.ground.domains, self.target.seen)

    @cached_property
    def published(self) -> Signature:
        """What was published: boxes and their histograms."""
        return signature(self.boxes, self.values.histogram)

    def run(self, attribute: str) -> tuple[Membership, list[ClassBelief] | None]:
        """Give what is believed of the people of every combination.

        None: the method publishes the same on every world, so nothing is learned from it.
        """
        total, believed = self.weigh()
        if not total:
            raise CannotRun(
                "on no world does the method publish this: the release was made another way than "
                "it says, or suppressed people have several values that nobody else has"
            )
        members = self.population.members(self.boxes, self.values.histogram)
        if self.tells_nothing:
            return members, None
        return members, self._classes(believed / total, attribute)

    def weigh(self) -> tuple[Fraction, NDArray[np.object_]]:
        """Give the weight of all worlds, and of people by combination and value in them."""
        refuse_unknown_lots(self.method)
        total: Fraction = Fraction(0)
        shape = (len(self.ground), len(self.values.rows))
        believed = np.full(shape, Fraction(0), dtype=object)
        likelihoods: dict[bytes, dict[bytes | None, Fraction]] = {}
        budget = Budget(self.most, TOO_MANY)
        chances = set()
        for done, world in enumerate(self._worlds()):
            report("running the method on worlds", done)
            key = world.people.tobytes()
            if key not in likelihoods:
                likelihoods[key] = self._likelihoods(world.people, budget)
            chance = likelihoods[key].get(world.suppressed.tobytes(), Fraction(0))
            chances.add(chance)
            weight = world.weight * chance
            if weight:
                total += weight
                believed = believed + world.people.astype(object) * weight
        self.left = budget.left
        # Else a group's shares are not what is believed of its people.
        self.tells_nothing = len(chances) == 1 and self.placed
        return total, believed

    def _worlds(self) -> Iterator[World]:
        """Go through all worlds; refuse where there are too many."""
        counts = self.ground.counts
        left = self.most
        cases = list(itertools.islice(self._cases(), self.most + 1))
        for case in cases:
            left -= case.n_worlds(len(self.values.rows), self.most)
            if left < 0:
                raise CannotRun(TOO_MANY)
        for case in cases:
            yield from every_world(counts, case, self.values.prior)

    def _cases(self) -> Iterator[Case]:
        """Say whose values are dealt to whom, for every set of people who may be suppressed."""
        counts, histogram = self.ground.counts, self.values.histogram
        fillings = Fillings(counts, histogram.sum(axis=1), fitting_pairs(self.ground, self.boxes))
        one = fillings.one()
        if one is None:
            return
        kind, box = fillings.pairs[one > 0].T
        self._refuse_hopeless(kind, box, one[one > 0], fillings.left_over(one))
        every = fillings.every(MOST_FILLINGS)
        if every is None:  # all values to everybody who is published: only more worlds
            yield from self._everybody(fillings.pairs[:, 0])
            return
        kind, box = fillings.pairs.T
        in_one_group = np.bincount(kind[one > 0], minlength=1).max() <= 1
        self.placed = not self.target.n_suppressed and len(every) == 1 and bool(in_one_group)
        cases: dict[bytes, tuple[Counts, list[list[Dealing]]]] = {}
        for filling in every:
            inside = np.zeros((len(histogram), len(counts)), dtype=np.int64)
            inside[box, kind] = filling
            suppressed = fillings.left_over(filling)
            _, alternatives = cases.setdefault(suppressed.tobytes(), (suppressed, []))
            pairs = zip(inside, histogram, strict=True)
            alternatives.append([Dealing(sizes, row) for sizes, row in pairs])
        n_values = len(self.values.rows)
        for suppressed, alternatives in cases.values():
            by_group = Case(suppressed, alternatives)
            whole = self._as_one(suppressed)
            fewest = min(by_group, whole, key=lambda case: case.n_worlds(n_values, self.most))
            yield fewest

    def _refuse_hopeless(
        self,
        kind: NDArray[np.intp],
        box: NDArray[np.intp],
        people: Counts,
        suppressed: Counts,
    ) -> None:
        """Refuse at once where one way to fill the groups has too many worlds already.

        People who are alike and in several groups have fixed values here, so no world counts twice.

        Args:
            kind: Combinations that are in groups; equal ones where they are in several.
            box: The group of each.
            people: How many they are there.
            suppressed: (n_combinations,): who is in none.
        """
        split = np.bincount(kind, minlength=len(self.ground)) > 1
        n_values, n_worlds = len(self.values.rows), 1
        for n in suppressed.tolist():
            n_worlds *= math.comb(n + n_values - 1, n)
        for number, row in enumerate(self.values.histogram):
            mine = np.flatnonzero(box == number)
            apart = split[kind[mine]]
            left = without_some(row, int(people[mine[apart]].sum()))
            n_worlds *= fewest_tables(people[mine[~apart]], left, self.most)
            if n_worlds > self.most:
                raise CannotRun(TOO_MANY)

    def _everybody(self, inside: NDArray[np.intp]) -> Iterator[Case]:
        """Deal everything to everybody who is published; inside: who lies in some box."""
        counts = self.ground.counts
        some = np.zeros(len(counts), dtype=bool)
        some[inside] = True
        outside = np.where(some, 0, counts)
        rest = self.target.n_suppressed - int(outside.sum())
        if math.comb(int(some.sum()) + rest - 1, rest) > self.most:
            raise CannotRun(TOO_MANY)
        for more in suppressed_sets(some, counts, rest):
            yield self._as_one(outside + more)

    def _as_one(self, suppressed: Counts) -> Case:
        whole = self.values.histogram.sum(axis=0)
        return Case(suppressed, [[Dealing(self.ground.counts - suppressed, whole)]])

    def _likelihoods(self, people: Counts, budget: Budget) -> dict[bytes | None, Fraction]:
        """Say how likely it is that a world is published as this release was.

        By who is suppressed then; None: something else is published.
        """
        if self.population.names_nobody(people, self.enforced):
            return {}
        frequencies = self.population.frequencies(people)

        def run(draw: Draw) -> bytes | None:
            try:
                with to_the_end():
                    recoding = self.method.search(frequencies, self.enforced, draw)
            except Unsatisfiable:
                return None
            boxes, histogram, suppressed = self.population.published(recoding, frequencies)
            same = self.is_same(recoding, frequencies, boxes, histogram)
            return suppressed.tobytes() if same else None

        return budget.chances(run)

    def is_same(
        self,
        recoding: Recoding,
        frequencies: FrequencySet,
        boxes: NDArray[np.int32],
        histogram: Counts,
    ) -> bool:
        """Whether a recoding of a world publishes what was published."""
        del recoding, frequencies  # boxes of the same people are the same texts
        return signature(boxes, histogram) == self.published

    def _classes(self, expected: NDArray[np.object_], attribute: str) -> list[ClassBelief]:
        """Give what is believed of each combination, by one sensitive column."""
        codes = self.values.rows[:, list(self.values.domains).index(attribute)]
        classes = []
        for i, n in enumerate(self.ground.counts.tolist()):
            possible = np.flatnonzero(expected[i])
            shares = by_code(codes[possible].tolist(), expected[i, possible] / n)
            inside = self._groups_of(i)
            if len(inside):
                classes.append(ClassBelief(int(inside[0]), i, n, shares))
            else:  # suppressed: what was believed of them without the release
                before = by_code(codes.tolist(), self.values.prior)
                classes.append(ClassBelief(SUPPRESSED, i, n, shares, before=before))
        return classes

    def _groups_of(self, combination: int) -> NDArray[np.intp]:
        """Give the groups that people of a combination may be in."""
        own = self.population.codes[combination]
        low, high = self.boxes[:, :, 0], self.boxes[:, :, 1]
        return np.flatnonzero(((own >= low) & (own <= high)).all(axis=1))
